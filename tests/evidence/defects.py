# SPDX-License-Identifier: Apache-2.0
"""The listed defects of the old TensorBoard viewer, and the test that decides whether they explain a difference.

Each defect is a switch of the model in old_viewer.py. A set of defects explains a difference in one cell if the model
without any defect shows our figure and the model with that set the old viewer's; nothing else counts as explained.
"""
import math

from explain import Explainer
from old_viewer import OldViewer, Shown

DEFECTS = {
    "external_id_link": "Runtime calls are linked to operators by External id, often the correlation or absent.",
    "driver_calls_ignored": "cuda_driver calls are not read: their kernels have no launch, their time is nowhere.",
    "gpu_lane_annotations": "Annotations of the GPU lane count as host events: extra steps and extra CPU time.",
    "remainder_restarts": "When categories fill the steps completely, the remaining categories count the steps again.",
    "collectives_by_five_names": "Communication is five nccl:/gloo: names and kernels that share their External id.",
    "fold_loses_launches": "Folding an only child of the same name drops the parent's own runtime calls and kernels.",
    "partial_overlap_dropped": "A host event that partly overlaps an open one is dropped, with all it contains.",
    "annotations_are_work": "Time inside a user annotation counts as CPU Exec, whether or not an operator runs.",
    "annotations_not_nested": "User annotations take no part in the nesting, so their parents keep their time.",
    "modules_nested": "Python module calls are nested among the operators and take their self time.",
    "backward_regrouped": "Backward operators without a known forward module operator vanish; others may repeat.",
    "threads_by_tid": "Threads are told apart by tid alone, so equal tids of two processes mix.",
    "whole_trace_host_only": "Without ProfilerStep the step spans only operators; none gives a step of minus 2^64 us.",
    "launch_must_end_in_step": "Device work counts for a step only if its call also ends inside, one step per call.",
    "tail_trimmed_window": "The GPU figures leave out the trailing incomplete steps.",
    "missing_metric_is_zero": "Kernels without blocks per SM or occupancy count as 0 instead of not at all.",
    "mtia_unknown": "mtia_ccp_events are not read.",
    "operatorless_passed_over": "A kernel's operator is named although part of its events have none.",
    "properties_by_index": "The device number is used as an index into deviceProperties instead of its id.",
    "double_microseconds": "Times are double microseconds, so digits past about 0.0005 us are lost per event.",
}


def applicable(trace):
    """The defects that can matter for this trace at all, judged by what the file contains."""
    kinds = {event.kind for event in trace.events}
    categories = {event.category.lower() for event in trace.events}
    names = set(DEFECTS)
    if not any(category.endswith("_driver") for category in categories):
        names.discard("driver_calls_ignored")
    if "gpu_annotation" not in kinds:
        names.discard("gpu_lane_annotations")
    if "mtia_ccp_events" not in categories:
        names.discard("mtia_unknown")
    if not any(event.kind == "python" and event.args.get("Python module id") is not None for event in trace.events):
        names -= {"modules_nested", "backward_regrouped"}
    if all(event.start % 1000 == 0 and event.duration % 1000 == 0 for event in trace.events):
        names.discard("double_microseconds")
    if any(event.name.startswith("ProfilerStep#") for event in trace.events):
        names.discard("whole_trace_host_only")
    return names


def same(left, right):
    """Equal values; of two numbers, one Shown and one as the old viewer printed it, equal if it prints so."""
    if left is None or right is None or isinstance(left, str) or isinstance(right, str):
        return left == right
    if isinstance(left, Shown) != isinstance(right, Shown):
        shown, printed = (left, right) if isinstance(left, Shown) else (right, left)
        tolerance = 0.5 * 10 ** -shown.digits if shown.digits is not None else 0
        return abs(shown.value - printed) <= tolerance + 1e-9 * max(1, abs(printed)) + 1e-6 * (shown.digits is None)
    left, right = (x.value if isinstance(x, Shown) else x for x in (left, right))
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-6)


def explainer(trace):
    return Explainer(lambda defects: OldViewer(trace, defects).cells(), applicable(trace), same)
