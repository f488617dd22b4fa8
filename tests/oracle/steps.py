# SPDX-License-Identifier: Apache-2.0
"""Steps: where they begin and end, whether they are complete, and how their time divides into categories."""
import re

from device_side import is_communication
from intervals import clip, length, subtract, union
from other_inside import other_inside

CATEGORIES = ("kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu_exec", "other")
_PROFILER_STEP = re.compile(r"ProfilerStep#(\d+)")
_HOST_COMMUNICATION = ("nccl:", "gloo:", "mpi:", "ucc:", "c10d::")
_DATALOADER = ("enumerate(DataLoader)#", "enumerate(DataPipe)#")


class Step:
    def __init__(self, name, host_event, host_start, host_end):
        self.name = name
        self.host_event = host_event
        self.host_start = host_start
        self.host_end = host_end
        self.device_events = []
        self.start = host_start
        self.end = host_end
        self.complete = True


def find_steps(host_events, device_events, annotation=None):
    """Returns (source, steps in time order) with their final starts and ends."""
    steps = []
    for event in host_events:
        if event.kind in ("operator", "annotation"):
            if annotation is None:
                match = _PROFILER_STEP.fullmatch(event.name)
                name = match.group(1) if match else None
            else:
                name = event.name if re.search(annotation, event.name) else None
            if name is not None:
                steps.append(Step(name, event, event.start, event.end))
    steps.sort(key=lambda s: (s.host_start, -s.host_end, s.host_event.index))
    if not steps:
        everything = host_events + device_events
        if not everything:
            return "whole_trace", []
        return "whole_trace", [Step("0", None, min(e.start for e in everything), max(e.end for e in everything))]
    assign_device_events(steps, device_events)
    set_bounds(steps, device_events)
    mark_incomplete(steps)
    return ("ProfilerStep" if annotation is None else "annotation"), steps


def assign_device_events(steps, device_events):
    for event in device_events:
        if event.launch is not None:
            for step in steps:
                if step.host_start <= event.launch.start < step.host_end:
                    step.device_events.append(event)


def set_bounds(steps, device_events):
    previous_end = steps[0].host_start
    if steps[0].device_events:
        first_own = min(event.start for event in steps[0].device_events)
        launched = {event.index for step in steps for event in step.device_events}
        previous_end = max([previous_end] + [event.end for event in device_events
                                             if event.index not in launched and event.end < first_own])
    for step in steps:
        step.start = max(step.host_start, previous_end)
        step.end = max([step.host_end, step.start] + [event.end for event in step.device_events])
        previous_end = step.end


def mark_incomplete(steps):
    """Trailing steps without device events, and then a last one with fewer than 0.8 of those before it."""
    counts = [len(step.device_events) for step in steps]
    last = len(steps) - 1
    while last > 0 and counts[last] == 0 and any(counts[:last]):
        steps[last].complete = False
        last -= 1
    if last > 0 and 10 * counts[last] < 8 * counts[last - 1]:
        steps[last].complete = False


def category_intervals(host_events, device_events, steps):
    """The union of each category's intervals, in order of precedence."""
    found = {category: [] for category in CATEGORIES}
    for event in device_events:
        communication = event.kind == "kernel" and is_communication(event)
        found["communication" if communication else event.kind].append((event.start, event.end))
    step_events = {step.host_event.index for step in steps if step.host_event is not None}
    for event in host_events:
        if event.kind == "runtime":
            category = "runtime"
        elif event.index in step_events:
            continue
        elif event.name.startswith(_HOST_COMMUNICATION):
            category = "communication"
        elif event.name.startswith(_DATALOADER):
            category = "dataloader"
        elif event.kind == "operator":
            category = "cpu_exec"
        else:
            continue        # an annotation is a name, not work
        found[category].append((event.start, event.end))
    return {category: union(intervals) for category, intervals in found.items()}


def partition(step, intervals):
    """Divides a step among the categories, the first that applies takes each moment; returns the rest as well."""
    left = [(step.start, step.end)] if step.end > step.start else []
    shares = {}
    for category in CATEGORIES[:-1]:
        inside = clip(intervals[category], (step.start, step.end))
        before = length(left)
        left = subtract(left, inside)
        shares[category] = before - length(left)
    shares["other"] = length(left)
    return shares, left


def mean(values):
    """Integer mean, to nearest, half up; None of nothing."""
    return (2 * sum(values) + len(values)) // (2 * len(values)) if values else None


def step_section(source, steps, host_events, device_events, python_events, base_ns):
    intervals = category_intervals(host_events, device_events, steps)
    rows, complete, others = [], [], []
    for step in steps:
        shares, other = partition(step, intervals)
        rows.append({"name": step.name, "start_ns": step.start + base_ns, "duration_ns": step.end - step.start,
                     "complete": step.complete, "categories": shares})
        if step.complete:
            complete.append(rows[-1])
            others.append(other)
    return {"source": source, "average_ns": mean([row["duration_ns"] for row in complete]),
            "categories": {category: mean([row["categories"][category] for row in complete])
                           for category in CATEGORIES},
            "other_inside": other_inside(steps, others, host_events, python_events), "rows": rows}
