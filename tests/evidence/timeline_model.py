# SPDX-License-Identifier: Apache-2.0
"""The timeline's rules once more, plainly: where each event of a file is drawn, what is around it, and sums of a range.

Slow on purpose (every question looks at all events that could matter); shares nothing with the program.
"""
HOST = ("operator", "annotation", "runtime", "overhead", "python")
DEVICE = ("kernel", "memcpy", "memset")


class Placed:
    """An event with its place: part of its thread, and row."""

    __slots__ = ("event", "part", "row", "parent")

    def __init__(self, event, part):
        self.event = event
        self.part = part
        self.row = 0
        self.parent = None


def parts_of(events):
    """thread -> kind -> the track that shows it."""
    kinds = {}
    for event in events:
        kinds.setdefault(event.thread, set()).add(event.kind)
    parts = {}
    for thread, present in kinds.items():
        on_device = present & {*DEVICE, "sync"} and not present & set(HOST)
        rest = "stream" if on_device else "thread"
        parts[thread] = {kind: rest for kind in present}
        for kind in present:
            if kind in DEVICE or kind == "sync":
                parts[thread][kind] = "stream"
            elif kind == "python":
                parts[thread][kind] = "python"
            elif kind == "gpu_annotation":
                parts[thread][kind] = "annotations"
            elif kind in HOST:
                parts[thread][kind] = "thread"
    return parts


def first_free(ends, start, time):
    while start < len(ends) and ends[start] is not None and ends[start] > time:
        start += 1
    return start


def occupy(ends, row, end):
    ends.extend([None] * (row + 1 - len(ends)))
    ends[row] = end if ends[row] is None else max(ends[row], end)


class Timeline:
    def __init__(self, events):
        self.events = sorted(events, key=lambda event: event.index)
        parts = parts_of(self.events)
        self.placed = [Placed(event, parts[event.thread][event.kind]) for event in self.events]
        self.tracks = {}
        for placed in self.placed:
            self.tracks.setdefault((placed.event.thread, placed.part), []).append(placed)
        for (_, part), members in self.tracks.items():
            members.sort(key=lambda p: (p.event.start, -p.event.duration, p.event.index))
            if part == "stream":
                self.stack(members)
            else:
                self.nest(members)

    @staticmethod
    def nest(members):
        ends = []
        still_open = []
        for placed in members:
            event = placed.event
            still_open = [other for other in still_open if other.event.end > event.start]
            around = [other for other in still_open if other.event.end >= event.end]
            placed.parent = around[-1] if around else None
            placed.row = first_free(ends, placed.parent.row + 1 if placed.parent else 0, event.start)
            occupy(ends, placed.row, event.end)
            if event.end > event.start:
                still_open.append(placed)

    @staticmethod
    def stack(members):
        below = 0
        for device in (True, False):
            ends = []
            for placed in members:
                if (placed.event.kind in DEVICE) == device:
                    row = first_free(ends, 0, placed.event.start)
                    occupy(ends, row, placed.event.end)
                    placed.row = below + row
            below += len(ends)

    def self_time(self, placed, start=None, end=None):
        """What the row below leaves free."""
        event = placed.event
        start = event.start if start is None else max(start, event.start)
        end = event.end if end is None else min(end, event.end)
        covered = 0
        if placed.part != "stream":
            for other in self.tracks[event.thread, placed.part]:
                if other.row == placed.row + 1:
                    covered += max(0, min(end, other.event.end) - max(start, other.event.start))
        return max(0, end - start) - covered

    def children(self, placed):
        event = placed.event
        if placed.part == "stream":
            return 0
        return sum(other.row == placed.row + 1 and event.start <= other.event.start < event.end
                   for other in self.tracks[event.thread, placed.part])

    @staticmethod
    def parents(placed):
        chain = []
        while placed.parent:
            placed = placed.parent
            chain.append(placed)
        return chain

    def sums(self, start, end):
        """name -> (events, time) in the range, and track -> covered time."""
        names, tracks = {}, {}
        for key, members in self.tracks.items():
            covered, reached = 0, None
            for placed in members:
                event = placed.event
                if event.start >= end or (event.end <= start and event.start < start):
                    continue
                left, right = max(start, event.start), min(end, event.end)
                count, total = names.get(event.name, (0, 0))
                names[event.name] = (count + 1, total + max(0, right - left))
                reached = left if reached is None else max(reached, left)
                covered += max(0, right - reached)
                reached = max(reached, right)
            tracks[key] = covered
        return names, tracks
