# SPDX-License-Identifier: Apache-2.0
"""What the `other` of an average step is: the innermost range or own function around each moment, else its place.

Written from docs/analyses/steps.md. Only the list of the libraries' names is the program's own.
"""
import pathlib
import re
from bisect import bisect_left

_ORIGIN = pathlib.Path(__file__).parents[2] / "src/base/origin.cpp"
_HOST_WORK = ("operator", "runtime")
_WORK_NAMES = ("nccl:", "gloo:", "mpi:", "ucc:", "c10d::", "enumerate(DataLoader)#", "enumerate(DataPipe)#")


def _names(constant):
    listed = re.search(constant + r"[^{]*\{(.*?)\}\)", _ORIGIN.read_text(encoding="utf-8"), re.S)[1]
    return set(re.findall(r'"([^"]+)"', listed))


_PACKAGES, _MODULES, _TORCH = _names("kPackages"), _names("kStandardModules"), _names("kTorchParts")


def is_library(frame):
    """A frame `file.py(12): name` of a library, a built-in function, or the frame of a module."""
    found = re.match(r"(.+?)\((\d+)\): ", frame)
    if found is None:
        return frame.startswith(("<built-in", "<method", "builtins.", "nn.Module:"))
    path = found[1]
    if path.startswith(("<frozen ", "<__array_function__")):
        return True
    if "/torchinductor_" in path or "<eval_with_key>" in path:  # written by torch.compile and torch.fx
        return True
    if re.search(r"[/\\](site|dist)-packages[/\\]|/lib(64)?/python\d|/lib/pypy\d|\\Python.*\\[Ll]ib\\", path):
        return True
    _, built_by_hand, inside = path.rpartition("/torch/")
    if built_by_hand and inside.startswith(tuple(_TORCH)):
        return True
    first, slash, _ = path.replace("\\", "/").partition("/")
    return first in _PACKAGES if slash else re.sub(r"\.(pyc?|so|pyd)$", "", first) in _MODULES


def without_address(name):
    return re.sub(r" at 0x[0-9a-fA-F]*", "", name, count=1) if name.startswith("<") else name


class Thread:
    """One thread's names, and when its work began."""

    def __init__(self, events, steps):
        names = [e for e in events if e.kind in ("annotation", "python") and e.index not in steps
                 and not (e.kind == "annotation" and re.fullmatch(r"ProfilerStep#\d+", e.name))]
        self.names = sorted(names, key=lambda e: (e.start, -e.duration, e.index))
        self.work = sorted(e.start for e in events if e.index not in steps and e.duration > 0
                           and (e.kind in _HOST_WORK or e.kind == "annotation" and e.name.startswith(_WORK_NAMES)))
        self.library = {e.name: e.kind == "python" and is_library(e.name) for e in self.names}
        self.next, self.open = 0, []

    def divide(self, stretches):
        """Cuts stretches, which come in order of time, where a name begins or ends; (start, end, its name) each."""
        for start, end in stretches:
            while self.next < len(self.names) and self.names[self.next].start < end:
                self.open.append(self.names[self.next])
                self.next += 1
            self.open = [e for e in self.open if e.end > start]
            cuts = {start, end}.union(t for e in self.open for t in (e.start, e.end) if start < t < end)
            cuts = sorted(cuts)
            for low, high in zip(cuts, cuts[1:]):
                around = [e for e in self.open if e.start <= low and e.end >= high]
                own = [e for e in around if not self.library[e.name]]
                yield low, high, (own or around or [None])[-1]      # in the order of nesting

    def place(self, step, moment):
        inside = self.work[bisect_left(self.work, step.host_start):bisect_left(self.work, step.host_end)]
        if moment >= step.host_end:
            return ("after the step's end on the host", "unknown")
        if not inside:
            return ("no operator in the step", "unknown")
        if moment < inside[0]:
            return ("before the first operator", "unknown")
        return ("between operators", "operator_gap") if moment < inside[-1] else ("after the last operator", "unknown")


def main_thread(host_events):
    """Of a trace without steps: where host events reach furthest; of several the first in the file."""
    reach = {}
    for event in sorted(host_events, key=lambda e: e.index):
        low, high = reach.get(event.thread, (event.start, event.end))
        reach[event.thread] = (min(low, event.start), max(high, event.end))
    return max(reach, key=lambda thread: reach[thread][1] - reach[thread][0], default=None)


def other_inside(steps, others, host_events, python_events):
    """`others`: the complete steps' moments of `other`, in the order of `steps`. Sums over steps, then means."""
    step_events = {step.host_event.index for step in steps if step.host_event is not None}
    of_thread = {}
    for event in host_events + python_events:
        of_thread.setdefault(event.thread, []).append(event)
    threads, totals = {}, {}
    complete = [step for step in steps if step.complete]
    for step, stretches in zip(complete, others):
        name = step.host_event.thread if step.host_event is not None else main_thread(host_events)
        if name not in threads:
            threads[name] = Thread(of_thread.get(name, []), step_events)
        thread = threads[name]
        for low, high, event in thread.divide(cut_at(stretches, step.host_end)):
            if event is None:
                key = thread.place(step, low)
            elif event.kind == "annotation":
                key = (event.name, "annotation")
            else:
                key = (without_address(event.name), "python")
            totals[key] = totals.get(key, 0) + high - low
    return averages(totals, len(complete))


def cut_at(stretches, moment):
    for start, end in stretches:
        yield from [(start, moment), (moment, end)] if start < moment < end else [(start, end)]


def averages(totals, steps):
    """Means that add up to the mean of the sum, the largest first; those that round to nothing are left out."""
    rows, before, done = [], 0, 0
    for (what, kind), total in sorted(totals.items(), key=lambda item: (-item[1], item[0])):
        before += total
        mean = (2 * before + steps) // (2 * steps)
        rows.append((mean - done, total, {"what": what, "kind": kind, "ns": mean - done}))
        done = mean
    rows.sort(key=lambda row: (-row[0], -row[1]))
    return [row for ns, _, row in rows if ns > 0]
