# SPDX-License-Identifier: Apache-2.0
"""The old viewer's steps: their bounds, which are kept, and how their time divides; each defect a switch.

Part of the model in old_viewer.py; what each switch means is listed in defects.py.
"""
import bisect
import sys

from oracle_path import ORACLE  # noqa: F401
from device_side import is_communication
from intervals import length, subtract, union
from old_viewer_host import FIVE_NAMES, HostSide, is_dataloader

_PREFIXES = ("nccl:", "gloo:", "mpi:", "ucc:", "c10d::")
CATEGORIES = ("Kernel", "Memcpy", "Memset", "Communication", "Runtime", "DataLoader", "CPU Exec", "Other")


class Steps(HostSide):
    """The host side with steps found: `bounds` of all, `kept` without the incomplete tail, `names`."""

    def __init__(self, trace, defects):
        super().__init__(trace, defects)
        self.find_steps()

    def find_steps(self):
        steps = sorted((n for n in self.host if n.kind == "step"), key=lambda n: (n.start, -n.end, n.index))
        self.names = [n.name.split("#")[1] for n in steps]
        bounds = [(n.start, n.end) for n in steps]
        if not bounds:
            everything = self.host + self.devices
            if "whole_trace_host_only" in self.on:
                everything = [n for n in self.host if n.kind in ("operator", "step")]
            else:
                everything = [n for n in everything if n.kind != "module"]
            scale = 1 if "double_microseconds" in self.on else 1000
            low = min((n.start for n in everything), default=sys.maxsize * scale)
            high = max((n.end for n in everything), default=(-sys.maxsize - 1) * scale)
            bounds, self.names = [(low, high)], ["0"]
            if not everything and "whole_trace_host_only" not in self.on:
                bounds, self.names = [], []
            if "whole_trace_host_only" not in self.on:
                self.kept = self.bounds = bounds
                return
        launched = self.launched_per_step(bounds)
        self.bounds = self.extend(bounds, launched)
        self.kept = self.bounds[:self.keep(launched)]

    def launched_per_step(self, bounds):
        calls = sorted((n for n in self.host if n.kind == "runtime"), key=lambda n: n.start)
        launched = [[] for _ in bounds]
        if "launch_must_end_in_step" in self.on:
            step = position = 0                     # one pass: a call counts for one step at most
            while step < len(bounds) and position < len(calls):
                call, (start, end) = calls[position], bounds[step]
                if call.start >= start and call.end <= end:
                    launched[step] += call.device
                if call.start < end or call.end <= end:
                    position += 1
                else:
                    step += 1
            return launched
        for call in calls:
            for step, (start, end) in enumerate(bounds):
                if start <= call.start < end:
                    launched[step] += call.device
        return launched

    def extend(self, bounds, launched):
        if not any(launched):
            return bounds
        previous = bounds[0][0]
        if launched[0]:
            first = min(n.start for n in launched[0])
            known = {n.index for nodes in launched for n in nodes}
            previous = max([previous] + [n.end for n in self.devices if n.index not in known and n.end < first])
        extended = []
        for (start, end), nodes in zip(bounds, launched):
            start = max(start, previous)
            end = max([end, start] + [n.end for n in nodes])
            extended.append((start, end))
            previous = end
        return extended

    def keep(self, launched):
        counts = [len(nodes) for nodes in launched]
        if not any(counts) or len(counts) < 2:
            return len(counts)
        last = max(i for i, count in enumerate(counts) if count)
        return last if last > 0 and counts[last] < 0.8 * counts[last - 1] else last + 1

    def window(self):
        steps = self.kept if "tail_trimmed_window" in self.on else self.bounds
        return (steps[0][0], steps[-1][1]) if steps else None

    def category_intervals(self):
        found = {category: [] for category in CATEGORIES}
        five = {n.external for n in self.host if n.name in FIVE_NAMES and n.kind in ("operator", "annotation")}
        by_five = "collectives_by_five_names" in self.on
        for n in self.devices:
            category = n.kind.capitalize()
            if n.kind == "kernel" and (n.external in five if by_five else is_communication(n)):
                category = "Communication"
            found[category].append((n.start, n.end))
        for n in self.host:
            if n.kind == "runtime":
                category = "Runtime"
            elif n.kind in ("step", "module"):
                continue
            elif is_dataloader(n.name):
                category = "DataLoader"
            elif n.name in FIVE_NAMES or (not by_five and n.name.startswith(_PREFIXES)):
                category = "Communication"
            elif n.kind == "operator" or "annotations_are_work" in self.on:
                category = "CPU Exec"
            else:
                continue
            found[category].append((n.start, n.end))
        return {category: union(intervals) for category, intervals in found.items()}

    def breakdown(self):
        """One {category: time} per kept step."""
        intervals = self.category_intervals()
        whole = union(self.kept)
        left, taken, restart = whole, {}, "remainder_restarts" in self.on
        for category in CATEGORIES[:-1]:
            if restart and not left:
                left, inside = whole, intervals[category]
            else:
                inside = [part for window in left for part in clip_sorted(intervals[category], window)]
            taken[category] = inside
            left = subtract(left, inside)
        taken["Other"] = left
        return [{category: length(clip_sorted(taken[category], step)) for category in CATEGORIES} for step in self.kept]


def clip_sorted(intervals, window):
    """clip() for sorted disjoint intervals, without scanning all of them."""
    first = max(0, bisect.bisect_right(intervals, (window[0],)) - 1)
    parts = []
    for start, end in intervals[first:]:
        if start >= window[1]:
            break
        if max(start, window[0]) < min(end, window[1]):
            parts.append((max(start, window[0]), min(end, window[1])))
    return parts
