# SPDX-License-Identifier: Apache-2.0
"""Tries the readers of sentences: one small profile, right sentences, and the same with one mistake each. A reader that
finds fault with a right one, or none with a wrong one, is worth nothing."""
import copy

from sentence_views import Documents, contradictions, read

FILE = {"path": "trace.json", "format": "kineto_json", "rank": None, "worker": None}
CAUSES = {"average_ns": 100_000_000, "rows": [
    {"rule": "dataloader_wait", "what": "enumerate(DataLoader)#_Iter.__next__", "saving_ns": 60_000_000, "step_share": 0.6,
     "left_ns": 40_000_000, "path_ns": 60_000_000},
    {"rule": "launch_bound", "what": "launch overhead", "saving_ns": 10_000_000, "step_share": 0.1,
     "left_ns": 30_000_000, "path_ns": 12_000_000}]}
KERNELS = [
    {"name": "void gemm<float>(float*)", "kind": "compute", "calls": 30, "total_ns": 7_500_000, "tensor_core": True},
    {"name": "ncclKernel_AllReduce", "kind": "communication", "calls": 10, "total_ns": 2_500_000, "tensor_core": False}]
IDLE = {"rows": [{"scope": "device", "device": 0, "file": 0, "idle_ns": 70_000_000, "window_ns": 100_000_000,
                  "idle_share": 0.7, "gaps": 12, "host_wait_ns": 10_000_000, "synchronisation_ns": 0,
                  "input_ns": 60_000_000, "kernel_wait_ns": 0, "other_ns": 0}]}
LAUNCHES = {"queues": [], "rows": [], "files": [{"file": 0, "launches": 40, "launches_per_step": 20, "graph_launches": 0,
                                     "graph_device_events": 0, "host_total_ns": 400_000, "short_launches": 10}]}
STEPS = {"source": "ProfilerStep", "average_ns": 100_000_000,
         "rows": [{"duration_ns": 100_000_000, "categories": {"kernel": 10_000_000}} for _ in range(2)]}
RIGHT = {
    "overview": "A step takes 100.0 ms; without waiting for the DataLoader it would take 40.0 ms, and without the overhead "
                "of launching kernels one by one (20 kernels and copies) as well 30.0 ms.",
    "kernels": "40 kernels ran for 10.0 ms: 75 % of it in gemm<float>, 25 % in ncclKernel_AllReduce; 75 % of their time is "
               "on tensor cores, 25 % of their time is communication.",
    "idle": "Device 0 was idle 70 % of the time from its first to its last event (70.0 ms of 100.0 ms, 12 gaps; the steps take "
            "200.0 ms). 86 % of "
            "that: the host waited for its DataLoader. Without waiting for the DataLoader a step would take 40.0 ms instead "
            "of 100.0 ms.",
    "launches": "40 launches (20 a step) took the host 400.0 µs; 25 % of them took longer to launch than to run. Without the "
                "overhead of launching kernels one by one a step would take 90.0 ms instead of 100.0 ms.",
}
# (view, what is right, what is wrong instead)
MISTAKES = [
    ("overview", "40.0 ms", "41.0 ms"),
    ("overview", "waiting for the DataLoader", "cudaMalloc"),
    ("kernels", "40 kernels", "41 kernels"),
    ("kernels", "10.0 ms", "10.1 ms"),
    ("kernels", "75 % of it in gemm", "74 % of it in gemm"),
    ("kernels", "gemm<float>", "gemv<float>"),
    ("kernels", "75 % of it in gemm<float>, 25 % in ncclKernel_AllReduce", "25 % of it in ncclKernel_AllReduce"),
    ("kernels", "25 % of their time is communication", "35 % of their time is communication"),
    ("kernels", " communication.", " communication. All is well."),
    ("idle", "70 %", "71 %"),
    ("idle", "Device 0", "Device 1"),
    ("idle", "12 gaps", "13 gaps"),
    ("idle", "; the steps take 200.0 ms", ""),
    ("idle", "the host waited for its DataLoader", "the host had not launched the next work yet"),
    ("idle", "Without waiting for the DataLoader", "Without hipFree (3 calls)"),
    ("idle", "would take 40.0 ms", "would take 50.0 ms"),
    ("idle", "instead of 100.0 ms.", "instead of 120.0 ms."),
    ("idle", " Without waiting for the DataLoader a step would take 40.0 ms instead of 100.0 ms.", ""),
    ("launches", "20 a step", "40 a step"),
    ("launches", "400.0 µs", "400.0 ms"),
    ("launches", "the overhead of launching kernels one by one", "waiting for the DataLoader"),
]
# What is wrong with the JSON itself: (where, what it becomes, what then contradicts)
CONTRADICTIONS = [
    ("recommendations", [{"rule": "dataloader_wait", "what": "enumerate(DataLoader)#_Iter.__next__", "saving_ns": 1}]),
    ("answer", {"text": "All is well.", "causes": []}),
    ("answer", {"text": RIGHT["overview"], "causes": [{"rule": "late_rank", "what": "rank 1", "saving_ns": 60_000_000}]}),
]


def documents(sentences, **instead):
    sections = {"overview": {}, "causes": {"causes": CAUSES}, "kernels": {"kernels": KERNELS}, "idle": {"idle": IDLE},
                "launches": {"launches": LAUNCHES}, "steps": {"steps": STEPS}}
    reports = {view: copy.deepcopy(section) | {"sentence": sentences.get(view, "")} for view, section in sections.items()}
    reports["causes"]["sentence"] = sentences["overview"]
    answer = {"text": sentences["overview"], "causes": [
        {key: row[key] for key in ("rule", "what", "saving_ns")} for row in CAUSES["rows"]]}
    return Documents(reports, {"files": [FILE], "answer": answer, "recommendations": []} | instead)


def unseen():
    """What the readers get wrong."""
    wrong = []
    right = documents(RIGHT)
    for view in RIGHT:
        wrong += [f"{view}: {problem}, though “{RIGHT[view]}” is right" for problem in read(view, right)]
    wrong += list(contradictions(right))
    for view, good, bad in MISTAKES:
        said = RIGHT[view].replace(good, bad, 1)
        if said == RIGHT[view]:
            wrong.append(f"{view}: “{good}” is not said")
        elif not read(view, documents(RIGHT | {view: said})):
            wrong.append(f"{view}: {said}")
    for key, value in CONTRADICTIONS:
        if not list(contradictions(documents(RIGHT, **{key: value}))):
            wrong.append(f"{key}: {value}")
    no_input = copy.deepcopy(right)
    no_input.reports["causes"]["causes"]["rows"].pop(0)
    no_input.whole["answer"]["causes"].pop(0)
    if not list(contradictions(no_input)):
        wrong.append("idle names the DataLoader, no cause does")
    return wrong
