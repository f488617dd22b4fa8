# SPDX-License-Identifier: Apache-2.0
"""Time by module, straight from docs/analyses/modules.md: slow, plain, and written apart from the program.

`ModuleModel(trace).rows()` gives {path: {field: value}} for a ModuleTrace.
"""
import re

from oracle_path import ORACLE  # noqa: F401
from device_side import link_launches
from trace_reader import Trace, to_ns

FRAME, LIGHTNING = "nn.Module: ", "[pl][module]"
EVALUATE = "autograd::engine::evaluate_function: "
ACCUMULATE = "torch::autograd::AccumulateGrad"
OUTSIDE = "(outside of modules)"
FIELDS = ("operators", "host_self_ns", "frame_self_ns", "device_self_ns")


class ModuleTrace(Trace):
    """A trace that keeps its arrows from forward to backward: [(start thread, ns, end thread, ns)]."""

    def keep_raw(self, raw_events):
        arrows = {}
        for index, raw in enumerate(raw_events):
            if isinstance(raw, dict) and raw.get("cat") in ("fwdbwd", "forward_backward"):
                if raw.get("ph") in ("s", "f"):
                    thread = (str(raw.get("pid")), str(raw.get("tid")))
                    time = to_ns(raw["ts"])
                    arrows.setdefault(str(raw["id"]), []).append((time, raw["ph"] == "f", index, thread))
        self.arrows = []
        for ends in arrows.values():
            start = None
            for time, is_end, _, thread in sorted(ends):
                if not is_end:
                    start = (thread, time)
                elif start is not None:
                    self.arrows.append(start + (thread, time))


def nest(events):
    """Parents by containment; events must be in the order of nesting."""
    parents, still_open = {}, []
    for event in events:
        still_open = [other for other in still_open if other.end > event.start]
        parents[event] = next((other for other in reversed(still_open) if other.end >= event.end), None)
        still_open.append(event)
    return parents


def in_order(events):
    return sorted(events, key=lambda e: (e.start, -e.duration, e.index))


class ModuleModel:
    def __init__(self, trace):
        self.trace = trace
        self.host = [e for e in trace.events if e.kind in ("operator", "annotation", "runtime")]
        self.by_thread = {}
        for event in self.host:
            self.by_thread.setdefault(event.thread, []).append(event)
        self.host_parent = {}
        for thread, events in self.by_thread.items():
            self.by_thread[thread] = in_order(events)
            self.host_parent.update(nest(self.by_thread[thread]))
        self.find_calls()
        self.find_innermost()
        self.find_backward()
        self.place()
        self.share()

    # Calls and their places

    def find_calls(self):
        self.calls, self.call_parent, self.path_of, self.named_by = {}, {}, {}, {}
        candidates = {}
        for event in self.trace.events:
            if (event.kind == "python" and event.name.startswith(FRAME)) or \
                    (event.kind == "annotation" and event.name.startswith(LIGHTNING)):
                candidates.setdefault(event.thread, []).append(event)
        for thread, events in candidates.items():
            events = in_order(events)
            parents, stands_for = nest(events), {}
            self.calls[thread] = []
            for event in events:
                around = stands_for.get(parents[event])
                if event.kind == "annotation":
                    if around is not None and around.kind == "python" and around not in self.named_by \
                            and self.class_of(around) == self.class_of(event):
                        self.named_by[around] = event
                        self.path_of[around] = event.name.partition(": ")[2]
                        stands_for[event] = around
                        continue
                    self.path_of[event] = event.name.partition(": ")[2]
                stands_for[event] = event
                self.calls[thread].append(event)
                self.call_parent[event] = around
        self.all_calls = [call for calls in self.calls.values() for call in calls]

    @staticmethod
    def class_of(call):
        if call.kind == "annotation":
            return call.name[len(LIGHTNING):].partition(": ")[0].rpartition(".")[2]
        return re.sub(r"(?<=.)_\d+$", "", call.name[len(FRAME):])

    def identity(self, call):
        if call in self.path_of:
            return ("path", self.named_by.get(call, call).name)
        return ("name", call.name, call.args.get("Python module id"))

    def find_innermost(self):
        self.innermost = {}
        for thread, events in self.by_thread.items():
            calls, position, current = self.calls.get(thread, []), 0, None
            own = set(calls)
            for event in events:
                while position < len(calls) and (calls[position].start, -calls[position].duration) <= \
                        (event.start, -event.duration):
                    current = calls[position]
                    position += 1
                while current is not None and current.end <= event.start:
                    current = self.call_parent[current]
                self.innermost[event] = event if event in own else current

    def place(self):
        """row_of: call -> path as a tuple of identities."""
        root = {}
        for call in self.all_calls:                 # parents come first
            above = self.call_parent[call]
            root[call] = call if above is None else root[above]
        contained = {self.identity(call) for call in self.all_calls if self.call_parent[call] is not None}
        home = {}
        for call in self.all_calls:
            if self.call_parent[call] is None or self.identity(root[call]) in contained:
                continue
            key = self.identity(call)
            if key not in home or call.start < home[key].start:
                home[key] = call
        self.row_of, self.path_text, self.row_class = {}, {}, {}
        for adopted in (False, True):
            for call in self.all_calls:
                if (self.identity(root[call]) in home) != adopted:
                    continue
                above, key = self.call_parent[call], self.identity(call)
                if above is not None:
                    row = self.row_of[above] + (key,)
                else:
                    row = self.row_of[home[key]] if adopted else (key,)
                self.row_of[call] = row
                if row not in self.path_text:
                    name = self.path_of.get(call) or self.label(call)
                    if not self.path_of.get(call) and len(row) > 1:
                        name = self.path_text[row[:-1]] + "." + name
                    self.path_text[row], self.row_class[row] = name, self.class_of(call)

    def label(self, call):
        return self.class_of(call) if call.kind == "annotation" else call.name[len(FRAME):]

    # Backward work

    def find_backward(self):
        self.inside, self.produced_by = {}, {}
        for events in self.by_thread.values():
            before = None
            for event in events:
                parent = self.host_parent[event]
                self.inside[event] = self.inside[parent] if parent is not None else None
                if event.kind != "operator":
                    continue
                evaluate = event.name.startswith(EVALUATE)
                named = event.name.endswith(ACCUMULATE) or re.search(r"Backward\d*$", event.name)
                if evaluate or (named and self.inside[event] is None):
                    self.inside[event] = event
                    if event.name.endswith(ACCUMULATE):
                        self.produced_by[event] = before
                    before = event
        starts = {}
        for thread, events in self.by_thread.items():
            for event in events:
                starts[thread, event.start] = event     # the last one in order: the innermost
        self.forward = {}
        for thread, time, end_thread, end_time in self.trace.arrows:
            forward, end = starts.get((thread, time)), starts.get((end_thread, end_time))
            if forward is not None and end is not None and self.inside[end] is not None:
                self.forward[self.inside[end]] = forward
        self.link_by_number()

    def link_by_number(self):
        thread_of, numbered = {}, {}
        for backward, forward in self.forward.items():
            if backward.args.get("Fwd thread id", 0) > 0:
                thread_of.setdefault(backward.args["Fwd thread id"], forward.thread)
        for event in self.host:
            number = event.args.get("Sequence number", -1)
            if event.kind == "operator" and number >= 0 and event.args.get("Fwd thread id", 0) <= 0:
                numbered.setdefault(number, []).append(event)
        for backward in set(self.inside.values()) - {None} - set(self.forward):
            found = numbered.get(backward.args.get("Sequence number", -1), [])
            thread = thread_of.get(backward.args.get("Fwd thread id"))
            if thread is None and len({event.thread for event in found}) > 1:
                continue
            found = [e for e in found if e.start < backward.start and thread in (None, e.thread)]
            if found:
                self.forward[backward] = in_order(found)[-1]

    # Which row and phase each event counts for

    def share(self):
        self.linked = {}
        backward = set(self.inside.values()) - {None}
        for event in sorted(backward, key=lambda e: e.start):
            if event in self.forward:
                self.linked[event] = self.share_of(self.forward[event])[0]
            elif self.produced_by.get(event) is not None:
                if self.produced_by[event] in self.linked:
                    self.linked[event] = self.linked[self.produced_by[event]]

    def share_of(self, event):
        call, backward = self.innermost[event], self.inside[event]
        around = self.row_of[call] if call is not None else OUTSIDE
        if backward is None:
            return around, "forward"
        if call is not None and (call.start, -call.duration) > (backward.start, -backward.duration):
            return around, "backward"
        return self.linked.get(backward, around), "backward"

    # The table

    def rows(self):
        rows = {row: self.empty() for row in self.path_text}
        rows[OUTSIDE] = self.empty()

        def add(share, field, value):
            rows[share[0]][f"{share[1]}_{field}"] += value

        frames = {call for call in self.all_calls if call.kind == "python"}
        naming = set(self.named_by.values()) | {call for call in self.all_calls if call.kind == "annotation"}
        threads = set(self.by_thread) | set(self.calls)
        share = {event: self.share_of(event) for event in self.host}
        for thread in threads:
            own_frames = [call for call in self.calls.get(thread, []) if call in frames]
            together = sorted(self.by_thread.get(thread, []) + own_frames,
                              key=lambda e: (e.start, -e.duration, e not in frames, e.index))
            parents = nest(together)
            for event in together:
                above = parents[event]
                while above in frames:
                    above = parents[above]
                if event in frames:
                    recomputed = above is not None and self.inside[above] is not None
                    share[event] = (self.row_of[event], "backward" if recomputed else "forward")
                self_time = event.duration - 0
                add(share[event], "host_self_ns", self_time)
                if event in frames or event in naming:
                    add(share[event], "frame_self_ns", self_time)
                if event in frames or (event.kind == "annotation" and self.innermost.get(event) is event):
                    rows[share[event][0]]["calls" if share[event][1] == "forward" else "recomputed_calls"] += 1
                parent = parents[event]
                if event not in frames and event.kind == "operator":
                    if parent is None or parent.kind != "operator" or self.inside[event] is event:
                        add(share[event], "operators", 1)
                if parent is not None:
                    add(share[parent], "host_self_ns", -event.duration)
                    if parent in frames or parent in naming:
                        add(share[parent], "frame_self_ns", -event.duration)
        for event in link_launches(self.trace)[0]:
            add(share[event.launch] if event.launch else (OUTSIDE, "forward"), "device_self_ns", event.duration)
        return self.with_totals(rows)

    @staticmethod
    def empty():
        row = {"calls": 0, "recomputed_calls": 0}
        for phase in ("forward", "backward"):
            row.update({f"{phase}_{field}": 0 for field in FIELDS})
        return row

    def with_totals(self, rows):
        result = {}
        for row, values in rows.items():
            below = [other for key, other in rows.items() if row == OUTSIDE and key == OUTSIDE or
                     row != OUTSIDE and key != OUTSIDE and key[:len(row)] == row]
            for phase in ("forward", "backward"):
                for side in ("host", "device"):
                    values[f"{phase}_{side}_total_ns"] = sum(v[f"{phase}_{side}_self_ns"] for v in below)
            for field in ("host_total_ns", "host_self_ns", "device_total_ns", "device_self_ns"):
                values[field] = values[f"forward_{field}"] + values[f"backward_{field}"]
            path = OUTSIDE if row == OUTSIDE else self.path_text[row]
            values["class"] = None if row == OUTSIDE else self.row_class[row]
            result[path] = values
        return result
