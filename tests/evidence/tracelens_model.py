# SPDX-License-Identifier: Apache-2.0
"""TraceLens's gpu_timeline and kernel_summary computed from the columns of our event dump.

Each rule of TraceLens that differs from ours is a switch; without them the figures are exact and follow the contract.
"""
from oracle_path import ORACLE  # noqa: F401
from intervals import length, subtract, union

RULES = {
    "double_microseconds": "TraceLens computes in double microseconds; the last digits are lost.",
    "linked_by_flow": "TraceLens leaves out device events whose launch call or ac2g flow start is missing.",
}
DEVICE_KINDS = ("kernel", "memcpy", "memset")


class Span:
    def __init__(self, row, base_ns, rules):
        self.kind, self.name, self.operator = row["kind"], row["name"], row["operator"]
        self.thread, self.stream = (row["pid"], row["tid"]), row["stream"]
        self.correlation = row["correlation"]
        self.start_ns, self.duration_ns = int(row["start_ns"]) - base_ns, int(row["duration_ns"])
        if "double_microseconds" in rules:
            self.start = self.start_ns / 1000
            self.end = self.start + self.duration_ns / 1000
        else:
            self.start, self.end = self.start_ns, self.start_ns + self.duration_ns


class TraceLensModel:
    def __init__(self, rows, trace, rules):
        self.rules = rules
        self.spans = [Span(row, trace.base_ns, rules) for row in rows]
        self.calls = {}
        for span in self.spans:
            if span.kind == "runtime" and span.correlation:
                self.calls.setdefault(span.correlation, span)
        self.device = [span for span in self.spans if span.kind in DEVICE_KINDS]
        if "linked_by_flow" in rules:
            self.device = [span for span in self.device
                           if span.correlation in trace.launch_flows and span.correlation in self.calls]

    def milliseconds(self, time):
        return time / 1000 if "double_microseconds" in self.rules else time / 1_000_000

    def timeline(self, split_recompute):
        """{(type, is_recompute): ms} in TraceLens's definitions."""
        if not split_recompute:
            return {(kind, ""): time for kind, time in self.part(self.device).items()}
        again = self.recomputed()
        result = {}
        for flag in ("False", "True"):
            part = [span for span in self.device if (id(span) in again) == (flag == "True")]
            result.update({(kind, flag): time for kind, time in self.part(part).items()})
        return result

    def part(self, spans):
        def lanes(wanted):
            return union((span.start, span.end) for span in spans if wanted(span))

        def is_communication(span):
            return span.kind == "kernel" and "nccl" in span.name.lower()

        communication = lanes(is_communication)
        copies = lanes(lambda span: span.kind == "memcpy")
        compute = lanes(lambda span: span.kind != "memcpy" and not is_communication(span))
        everything = lanes(lambda span: True)
        busy = length(everything)
        total = max(s.end for s in spans) - min(s.start for s in spans) if spans else 0
        times = {
            "computation_time": length(compute), "exposed_comm_time": length(subtract(communication, compute)),
            "exposed_memcpy_time": length(subtract(subtract(copies, compute), communication)),
            "busy_time": busy, "idle_time": total - busy, "total_time": total,
            "total_comm_time": length(communication), "total_memcpy_time": length(copies)}
        return {kind: self.milliseconds(time) for kind, time in times.items()}

    def recomputed(self):
        """Device spans launched inside an activation checkpoint's recompute_fn."""
        frames = {}
        for span in self.spans:
            if span.kind == "python" and span.name.endswith("recompute_fn"):
                frames.setdefault(span.thread, []).append((span.start_ns, span.start_ns + span.duration_ns))
        found = set()
        for span in self.device:
            call = self.calls.get(span.correlation)
            if call is not None and any(low <= call.start_ns <= high for low, high in frames.get(call.thread, [])):
                found.add(id(span))
        return found

    def kernels(self, with_parent):
        """{(parent, name, stream): [durations in us]} of the kernels."""
        groups = {}
        for span in self.device:
            if span.kind == "kernel":
                parent = span.operator if with_parent else ""
                groups.setdefault((parent, span.name, span.stream), []).append(span.duration_ns / 1000)
        return groups
