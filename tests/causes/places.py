# SPDX-License-Identifier: Apache-2.0
"""Where in a step a delay can go: moments of the step's thread at which no other thread works."""
import re


class Inapplicable(Exception):
    """This trace has no place for this kind of delay; says why."""


def unit(rank):
    return 1000 if rank.whole_microseconds else 1


def middle(rank, start, end):
    """A moment between two, on the trace's own grid; None where there is none."""
    moment = (start + end) // 2 // unit(rank) * unit(rank)
    return moment if start < moment < end else None


class Moment:
    """A place on the step's thread. `label` is the same in every step for the same place of the program."""

    def __init__(self, at, label, gap=None):
        self.at = at
        self.label = label
        self.gap = gap          # (start, end) if it lies between events


def works_elsewhere(rank, step, moment):
    """Another thread is at work, or was at some time of the gap: then the step's thread may have waited for it."""
    own = step.host_event.thread
    if any(event.thread != own and (event.kind != "annotation" or event.name.startswith(("gloo:", "nccl:")))
           for event in rank.near(moment.at)):
        return True
    return moment.gap is not None and any(event.thread != own and event.kind != "annotation"
                                          for event in rank.starting(*moment.gap))


def gaps(rank, parent, enter):
    """Moments in an event that lie in none of its children; `enter` says which children to look into as well."""
    previous, before = parent.start, ""
    for child in parent.children + [None]:
        gap = (previous, parent.end if child is None else child.start)
        at = middle(rank, *gap)
        if at is not None:
            yield Moment(at, (parent.name.split("#")[0], before, "" if child is None else child.name), gap)
        if child is not None:
            if enter(child):
                yield from gaps(rank, child, enter)
            previous, before = max(previous, child.end), child.name


def between(rank, step):
    """Moments of the step's thread outside all operators and calls."""
    others = re.compile("DataLoader|DataPipe|nccl|gloo|c10d")
    return list(gaps(rank, step.host_event, lambda child: child.kind == "annotation" and not others.search(child.name)))


def below(event):
    for child in event.children:
        yield child
        yield from below(child)


def leaves(rank, step, pattern=None):
    """Moments inside operators that hold nothing else."""
    found = []
    for event in below(step.host_event):
        if event.kind == "operator" and not event.children and (pattern is None or pattern.match(event.name)):
            at = middle(rank, event.start, event.end)
            if at is not None:
                around = "" if event.parent is None else event.parent.name.split("#")[0]
                found.append(Moment(at, (around, event.name)))
    return found


def same_place(rank, candidates, place):
    """One moment for every complete step (`candidates` lists those of a step), at about this part of it, and at the
    same place of the program as in the first step where the others have it."""
    chosen = []
    for step in rank.complete:
        wanted = step.host_start + place * (step.host_end - step.host_start)
        ordered = sorted(candidates(step), key=lambda moment: (
            bool(chosen) and moment.label != chosen[0].label, abs(moment.at - wanted)))
        moment = next((moment for moment in ordered if not works_elsewhere(rank, step, moment)), None)
        if moment is None:
            raise Inapplicable(f"no such place in step {step.name}")
        chosen.append(moment)
    return zip(rank.complete, (moment.at for moment in chosen))


def frames_at(rank, thread, moment):
    """Open Python frames, innermost last."""
    frames = [event for event in rank.of_kind("python") if event.thread == thread and event.start < moment < event.end]
    return sorted(frames, key=lambda event: (event.start, -event.end))
