#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An independent, slow and readable implementation of `telltale profile FILE --json`.

Written from the contract and without sight of the program, to be compared with it by compare.py. It prints the
sections files, devices, steps, operators and kernels, and the counts of two diagnostics.

Readings (where the contract leaves a choice, the one taken here):
 1. Times: the decimal text times 1000; digits finer than 1 ns round to nearest, half up. ts and dur are converted
    apart, end = start + dur. An `X` without dur lasts 0. An `E` closes the last open `B` of its thread; category and
    name are the `B`'s, arguments of both are merged, file position is the `B`'s.
 2. pid and tid compare as text: 25738 and "25738" are the same thread.
 3. files: events = length of traceEvents; start_ns/end_ns = first start and last end over all complete events of any
    category, plus baseTimeNanoseconds; compression "gzip" or "none"; worker from
    `<worker>[.<digits>].pt.trace.json[.gz]`, else null; span 1 where there are digits, else null; rank =
    distributedInfo.rank, else the number after "rank" in the file's name or its folder's, else null.
 4. Nesting: a parent is open while its end > the child's start, and contains it if also its end >= the child's end.
    So a zero-length event never is a parent, and one that starts where another ends is not inside it. "Innermost" =
    the one latest in the order (start, longer first, file order). partial_overlap counts each event that partly
    overlaps at least one open event, once.
 5. host_self_ns subtracts all direct children: operators, annotations and runtime calls.
 6. Folding: the one child among all direct children (runtime calls count as children, so an operator with a child of
    its own name and a runtime call does not fold). Same name and same kind. Applied until nothing changes. The row,
    shapes, stack and flops are the outer event's.
 7. operators has rows of kind operator and annotation; ProfilerStep#N are rows like any other. Not runtime calls.
 8. Ties of equal sort keys: name by code point, then position in traceEvents of the row's first event; events that
    were folded away do not count.
 9. memory: `[memory]` instants of all device types with start <= ts <= end on the same thread. Self: not inside any
    operator or annotation child (a runtime call does not take memory away from its operator). null for every row when
    the trace has no [memory] instant, else integers for every row.
10. flops: sum over the calls for which the formula applies (torch's: add, mul, mm, addmm, bmm, baddbmm, conv2d; an
    overload suffix is ignored; `Input Dims` not empty); null where it applies to none.
11. input_shapes is the `Input Dims` (or `Input dims`) value as written, null if absent; stack is the `Call stack`
    text as written, null if absent. Both null unless grouped by them.
12. Launch: the runtime or driver call with the same `correlation`, anywhere in the file, the first in file order if
    several carry it. Device events without correlation are launch_missing too. The device event belongs to the
    nearest operator or annotation above the call in the nesting; none if the call lies in none. External id is not
    used at all.
13. Device kinds: mtia_ccp_events count as kernels. Device id = args.device, else a numeric pid.
14. Communication: nccl, rccl, hccl, oneccl or msccl anywhere in a kernel's name, any case, or a `Collective name`
    argument. A kernel row is communication if any of its events is.
15. kernels: one row per name, kernels only, sorted by total_ns descending. mean_ns rounds to nearest, half up. Means
    of blocks and occupancy are weighted by duration over the events that carry the argument; null if none does.
    operator = the operator or annotation that launched all kernels of that name, null if there are several names
    or one of the kernels has none.
16. devices: ids with at least one device event, ascending. Properties: the deviceProperties entry with that `id` (its
    position where it has no id); if there is exactly one entry and exactly one device, that entry whatever its id.
    type, per file: mtia (an mtia_ category), else xpu (an xpu_ runtime), else hip (hip_*/roctracer version keys, an
    AMD name, hip* calls), else cuda (cuda version keys, an NVIDIA name, cu* calls), else other.
17. utilization: kernels, communication included, no memcpy or memset. Window: first row's start to last row's end,
    incomplete steps included. null where the window is empty.
18. sm_efficiency: only `blocks per SM` > 0 count; null if no kernel of the device has the argument. Occupancy:
    weighted by the time inside the window; null if no such time.
19. Steps: operator or annotation events named exactly ProfilerStep#<digits>, on any thread, in time order; the row's
    name is the digits. --step-annotation: operators and annotations whose name has a match of REGEX anywhere; name =
    whole name; source "annotation". Found none: whole_trace, one row named "0", complete; no row if there is no host
    or device event.
20. First step: the left-over rule applies only if the step has device events of its own; "end before" is strict. A
    step's end is never before its start.
21. complete: trailing steps without device events are incomplete if any earlier one has some; then the last of the
    others is too if it has fewer than 0.8 of its predecessor's. Averages round each value to nearest, half up; null
    with no complete step.
22. Categories: all threads and all devices. "The step itself" = the events that are rows of this table; with
    --step-annotation a ProfilerStep#N is an annotation like others. Communication and dataloader names are prefixes, case matters.
23. Tensor-core fields follow the old viewer's name rules and are not compared.
"""
import argparse
import json
import pathlib
import re
import sys

from device_side import device_rows, link_launches
from host_tree import fold_only_children, nest
from steps import find_steps, step_section
from tables import kernel_rows, operator_rows
from trace_reader import Trace


def rank_in_path(path):
    """The number after the word "rank" in a file's name, else in its folder's."""
    parts = pathlib.Path(path).parts[-2:]
    for part in reversed(parts):
        found = re.search(r"(?:^|[^a-z])rank[-_=]?(\d+)", part, re.IGNORECASE)
        if found:
            return int(found[1])
    return None


class Profile:
    """One trace with its nesting, launches and steps; sections are made on demand."""

    def __init__(self, path, step_annotation=None):
        self.trace = Trace(path)
        self.all_host_events, self.partial_overlaps = nest(self.trace)
        self.device_events, self.launch_missing = link_launches(self.trace)
        self.host_events = fold_only_children(self.all_host_events)
        self.step_source, self.steps = find_steps(self.all_host_events, self.device_events, step_annotation)

    def files(self):
        trace = self.trace
        worker, span = trace.worker_and_span()
        info = trace.header.get("distributedInfo")
        rank = info.get("rank") if isinstance(info, dict) else None
        if rank is None:
            rank = rank_in_path(trace.path)
        return [{"path": trace.path, "format": "kineto_json", "compression": trace.compression, "bytes": trace.bytes,
                 "decoded_bytes": trace.decoded_bytes, "events": trace.event_count, "worker": worker, "rank": rank,
                 "span": span,
                 "start_ns": min(e.start for e in trace.events) + trace.base_ns if trace.events else None,
                 "end_ns": max(e.end for e in trace.events) + trace.base_ns if trace.events else None}]

    def diagnostics(self):
        counts = (("partial_overlap", self.partial_overlaps), ("launch_missing", self.launch_missing))
        return [{"kind": kind, "count": count} for kind, count in counts if count]

    def devices(self):
        window = (self.steps[0].start, self.steps[-1].end) if self.steps else None
        return device_rows(self.trace, self.device_events, window)

    def step_section(self):
        return step_section(self.step_source, self.steps, self.all_host_events, self.device_events,
                            self.trace.of_kind("python"), self.trace.base_ns)

    def operators(self, group_by="name"):
        return operator_rows(self.host_events, self.trace.memory, group_by)

    def kernels(self):
        return kernel_rows(self.device_events)

    def document(self, group_by="name"):
        return {"schema": 2, "files": self.files(), "diagnostics": self.diagnostics(), "devices": self.devices(),
                "steps": self.step_section(), "operators": self.operators(group_by), "kernels": self.kernels()}


TENSOR_CORE_FIELDS = ("tensor_core_share", "tensor_core_eligible", "tensor_core_self_share",
                      "tensor_core_total_share", "tensor_core")


def without_tensor_core(document):
    for section in ("devices", "operators", "kernels"):
        for row in document[section]:
            for field in TENSOR_CORE_FIELDS:
                row.pop(field, None)
    return document


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--group-by", choices=("name", "shape", "stack"), default="name")
    parser.add_argument("--step-annotation", metavar="REGEX")
    parser.add_argument("--no-tensor-core", action="store_true", help="leave the tensor-core fields out")
    parser.add_argument("file")
    options = parser.parse_args()
    try:
        document = Profile(options.file, options.step_annotation).document(options.group_by)
    except (OSError, EOFError, ValueError) as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 3
    if options.no_tensor_core:
        document = without_tensor_core(document)
    json.dump(document, sys.stdout, default=str, ensure_ascii=False, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
