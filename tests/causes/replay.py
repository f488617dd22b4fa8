# SPDX-License-Identifier: Apache-2.0
"""When everything in a trace would have happened, had something taken longer.

The model, deliberately a plain one, and not the program's:

- The host of one process is one clock. A delay on one of its threads moves all that any of its threads begins or ends
  later: the threads of a training wait for each other. Moments are chosen where no other thread is at work.
- Device work starts a launch after its launching call began, and after the work ahead of it on its stream has ended.
  Whichever of the two it waited for in the capture keeps its distance (the usual distance, should the other one become
  the last); so work that was queued far ahead moves only as far as the queue is drained. Where both ended long before
  the work began, what ended last on another stream, launched before, is what it waited for. Work takes as long as
  before.
- A call that waited for device work (a synchronisation, a blocking copy, a free) ends as long after that work as in the
  capture, and at once if the work has ended: here a delay is swallowed if the device was behind.
- A collective ends, on every rank, as long after its last member began as in the capture. A host thread that was idle
  when a collective of its process ended had waited for it.
- Work without a launch in the capture was launched before it if no launched work came earlier, and stays; else it
  moves with the host.
- A trace without steps is one step; what is put in lies on the thread with the most events.

With no delay at all this gives the capture again, to the nanosecond. Times are integer nanoseconds.
"""
import bisect
import collections
import itertools
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))
from device_side import device_type, is_communication, link_launches  # noqa: E402, F401
from host_tree import HOST_KINDS, nest  # noqa: E402
from intervals import length, union  # noqa: E402
from steps import find_steps  # noqa: E402
from trace_reader import DEVICE_KINDS, Event, Trace  # noqa: E402

HOST_COLLECTIVES = ("gloo:", "mpi:", "ucc:")
USUAL_LAUNCH_NS = 10_000        # for copies put in, and where the device was never idle when it was given work


class Rank(Trace):
    """A trace with what the model needs of it: nesting, launches, steps, what waits for what."""

    def keep_raw(self, raw_events):
        self.raw = raw_events

    def __init__(self, path):
        super().__init__(path)
        self.device, _ = link_launches(self)
        self.host, _ = nest(self)
        source, steps = find_steps(self.host, self.device)
        self.whole = source == "whole_trace"
        if self.whole and self.host:
            self.make_step(steps[0])
        self.steps = [step for step in steps if step.host_event is not None]
        self.complete = [step for step in self.steps if step.complete]
        self.whole_microseconds = all(event.start % 1000 == 0 and event.end % 1000 == 0 for event in self.events)
        self.host_sorted = sorted(self.host, key=lambda event: event.start)
        self.host_starts = [event.start for event in self.host_sorted]
        # Running maximum of ends: how far back an event that is open at a moment may begin.
        self.host_reach = list(itertools.accumulate((event.end for event in self.host_sorted), max))
        self.order_streams()
        self.find_waits()
        self.collectives = self.find_collectives()

    def make_step(self, step):
        """The whole trace as a step: the range of the thread with the most events stands for its own."""
        roots = {}
        for event in self.host:
            if event.parent is None:
                roots.setdefault(event.thread, []).append(event)
        counts = collections.Counter(event.thread for event in self.host)
        thread = max(sorted(counts), key=counts.get)
        busy = [(event.start, event.end) for events in roots.values() for event in events if event.kind == "operator"]
        self.one_at_a_time = sum(end - start for start, end in busy) < 1.3 * length(union(busy))
        children = roots[thread]
        start, end = children[0].start, max(event.end for event in children)
        around = Event(children[0].index, "the whole trace", "user_annotation", thread, start, end - start, {})
        around.children = children
        step.host_event, step.host_start, step.host_end = around, start, end
        step.device_events = [event for event in self.device if event.launch is not None]

    def order_streams(self):
        """Each piece of device work: what it waited for (`bound`), by how much, and when the model can place it."""
        self.ahead = {}
        streams = {}
        for event in sorted(self.device, key=lambda e: (e.start, e.end, e.index)):
            queue = streams.setdefault(event.thread, [])
            if queue:
                self.ahead[event.index] = queue[-1]
            queue.append(event)
        self.streams = streams
        direct = [event.start - event.launch.start for event in self.device
                  if event.launch is not None and event.start >= event.launch.start
                  and not (event.index in self.ahead and self.ahead[event.index].end > event.launch.start)]
        self.usual_launch = int(statistics.median(direct)) if direct else USUAL_LAUNCH_NS
        self.first_launched = min([event.start for event in self.device if event.launch is not None], default=0)
        self.turn = {}
        for queue in streams.values():
            last = None
            for event in queue:
                if event.launch is not None:
                    launch = min(event.launch.start, event.start)
                else:
                    launch = event.start if event.start >= self.first_launched else 0
                last = launch if last is None else max(last, launch)
                self.turn[event.index] = last
        ends = sorted((event.end, event.index, event) for event in self.device)
        self.other_stream = {}
        for event in self.device:
            if event.launch is None:
                continue
            ahead = self.ahead.get(event.index)
            ready = max(event.launch.start, ahead.end if ahead else 0)
            if event.start - ready <= 2 * self.usual_launch:
                continue
            at = bisect.bisect_right(ends, (event.start, float("inf"))) - 1
            while at >= 0 and ends[at][0] > ready:
                other = ends[at][2]
                if (other.thread != event.thread and other.launch is not None
                        and (self.turn[other.index], other.index) < (self.turn[event.index], event.index)):
                    self.other_stream[event.index] = other
                    break
                at -= 1

    def find_waits(self):
        """Calls that ended because device work had: (call, the work)."""
        self.waits = []
        ends = sorted((event.end, event.index, event) for event in self.device)
        for call in self.of_kind("runtime"):
            own = [work for work in call.launches if work.kind == "memcpy" and call.start < work.end <= call.end]
            if own and "emcpy" in call.name:
                self.waits.append((call, max(own, key=lambda e: e.end)))
            elif "Synchronize" in call.name or call.name in ("cudaFree", "hipFree"):
                at = bisect.bisect_right(ends, (call.end, float("inf"))) - 1
                while at >= 0 and ends[at][0] > call.start:
                    work = ends[at][2]
                    if work.launch is None or work.launch.start < call.start:
                        self.waits.append((call, work))
                        break
                    at -= 1

    def find_collectives(self):
        """Collectives in their order, by place and name: gloo's host ranges, and kernels."""
        found = {}
        for event in sorted(self.events, key=lambda e: (e.start, e.index)):
            if event.kind == "annotation" and event.name.startswith(HOST_COLLECTIVES):
                found.setdefault(("host", event.name), []).append(event)
            elif event.kind == "kernel" and is_communication(event):
                found.setdefault(("device", event.name), []).append(event)
        return found

    def idle_at(self, thread, moment):
        """Whether a thread is in no operator and no call (annotations are names, not work)."""
        return not any(event.thread == thread and event.kind != "annotation" for event in self.near(moment))

    def near(self, moment):
        """Host events open at this moment."""
        at = bisect.bisect_left(self.host_starts, moment) - 1
        while at >= 0 and self.host_reach[at] > moment:
            if self.host_sorted[at].end > moment:
                yield self.host_sorted[at]
            at -= 1

    def starting(self, start, end):
        """Host events that begin after the one and before the other moment."""
        return self.host_sorted[bisect.bisect_right(self.host_starts, start):bisect.bisect_left(self.host_starts, end)]


class Delay:
    """Something put into the host's time at a moment. `drains`: it first waits for all device work launched before;
    `copies_on`: it waits for a copy of that length on this stream instead."""

    def __init__(self, moment, length, thread, drains=False, copies_on=None):
        self.moment = moment
        self.length = length
        self.thread = thread
        self.drains = drains
        self.copies_on = copies_on
        self.start = self.end = None                # where it came to lie
        self.copy_start = self.copy_end = None

    def key(self):
        return self.moment, self.length, self.drains, self.copies_on

    def lie_as(self, other):
        self.start, self.end, self.copy_start, self.copy_end = other.start, other.end, other.copy_start, other.copy_end


class Moved:
    """An event at its new place, as far as steps look at it."""

    __slots__ = ("index", "kind", "name", "start", "end", "launch")

    def __init__(self, event, start, end, launch):
        self.index, self.kind, self.name = event.index, event.kind, event.name
        self.start, self.end, self.launch = start, end, launch


class Clock:
    """Old host time to new. Even keys are ends, odd ones starts: what is put in at a moment moves what starts there,
    not what ends there."""

    def __init__(self):
        self.keys, self.offsets = [], []

    def add(self, key, offset):
        self.keys.append(key)
        self.offsets.append(offset)

    def offset(self):
        return self.offsets[-1] if self.offsets else 0

    def at(self, moment, is_end=False):
        position = bisect.bisect_right(self.keys, 2 * moment + (0 if is_end else 1))
        moved = moment + (self.offsets[position - 1] if position else 0)
        if position < len(self.keys):               # a wait that became shorter: nothing in it lies behind its end
            moved = min(moved, max(self.keys[position] // 2 + self.offsets[position], 0))
        return moved


class Replay:
    """New times of all events of all ranks. `device_delays` of a rank: extra time before pieces of work, by index."""

    def __init__(self, ranks, delays, device_delays=None, slower=None):
        self.ranks = ranks
        self.delays = delays                        # for each rank, its delays
        self.device_delays = device_delays or [{} for _ in ranks]
        self.slower = slower or {}                  # of the last rank: what work takes longer, by index
        self.starts = [{} for _ in ranks]
        self.ends = [{} for _ in ranks]
        self.join = self.joined_collectives()
        self.difference = None
        for _ in range(200):
            if not self.sweep():
                return
        raise RuntimeError("the replay of the ranks found no end")

    def joined_collectives(self):
        """For each member (rank, index): all members, if every rank has the collective as often."""
        joined = {}
        if len(self.ranks) > 1:
            for key, events in self.ranks[0].collectives.items():
                others = [rank.collectives.get(key, []) for rank in self.ranks]
                if all(len(other) == len(events) for other in others):
                    for members in zip(*others):
                        group = list(enumerate(members))
                        for number, member in group:
                            joined[number, member.index] = group
        return joined

    def collective_end(self, number, event):
        """As long after the last member's start as in the capture; other ranks' starts as known so far."""
        group = self.join[number, event.index]
        last = max(member.start for _, member in group)
        moved = max(self.starts[other].get(member.index, member.start) for other, member in group)
        return max(moved + event.end - last, self.starts[number][event.index])

    def sweep(self):
        """One pass over all ranks; True if anything changed."""
        changed = False
        self.clocks = [Clock() for _ in self.ranks]
        agenda = []
        for number, rank in enumerate(self.ranks):
            agenda += [(2 * delay.moment + 1, 0, number, order, "delay", delay)
                       for order, delay in enumerate(self.delays[number])]
            agenda += [(2 * rank.turn[event.index] + 1, 1 + position, number, event.index, "work", event)
                       for queue in rank.streams.values() for position, event in enumerate(queue)]
            agenda += [(2 * call.end, 0, number, call.index, "wait", (call, work)) for call, work in rank.waits]
            for (place, _), events in rank.collectives.items():
                if place == "host":
                    agenda += [(2 * event.end, 0, number, event.index, "collective", event) for event in events
                               if (number, event.index) in self.join]
        agenda.sort(key=lambda item: item[:4])
        for _, _, number, _, what, subject in agenda:
            changed |= getattr(self, what)(number, subject)
        return changed and bool(self.join)

    def delay(self, number, delay):
        clock, rank = self.clocks[number], self.ranks[number]
        delay.start = delay.moment + clock.offset()
        delay.end = delay.start + delay.length
        launched = [self.ends[number][event.index] for event in rank.device
                    if (delay.drains or event.thread == delay.copies_on)
                    and event.index in self.ends[number] and rank.turn[event.index] < delay.moment]
        if delay.drains:
            delay.end = max([delay.start] + launched) + delay.length
        elif delay.copies_on is not None:
            delay.copy_start = max([delay.start + min(rank.usual_launch, USUAL_LAUNCH_NS)] + launched)
            delay.copy_end = delay.copy_start + delay.length
            delay.end = delay.copy_end + 2000
        clock.add(2 * delay.moment + 1, delay.end - delay.moment)
        return False

    def work(self, number, event):
        rank, clock = self.ranks[number], self.clocks[number]
        ahead = rank.ahead.get(event.index)
        candidates = []
        if event.launch is None:
            bound = "launch" if ahead is None or event.start - ahead.end > rank.usual_launch else "ahead"
            free = bound == "launch" and event.start >= rank.first_launched
            candidates.append(clock.at(event.start) if free else event.start)
        else:
            launch = min(event.launch.start, event.start)
            other = rank.other_stream.get(event.index)
            if other is not None:
                bound = "other"
                candidates.append(self.ends[number][other.index] + event.start - other.end)
            else:
                bound = "ahead" if ahead is not None and ahead.end > launch else "launch"
            delay = event.start - launch
            candidates.append(clock.at(launch) + (delay if bound == "launch" else min(delay, rank.usual_launch)))
        if ahead is not None:
            ahead_end = self.ends[number][ahead.index]
            if event.start < ahead.end:             # they overlapped: the distance of the starts counts
                candidates.append(self.starts[number][ahead.index] + event.start - ahead.start)
            else:
                candidates.append(ahead_end + (event.start - ahead.end if bound == "ahead" else 0))
        start = max(candidates) + self.device_delays[number].get(event.index, 0)
        before = (self.starts[number].get(event.index), self.ends[number].get(event.index))
        self.starts[number][event.index] = start
        joined = (number, event.index) in self.join
        end = self.collective_end(number, event) if joined else start + event.duration
        if number == len(self.ranks) - 1:
            end += self.slower.get(event.index, 0)
        self.ends[number][event.index] = end
        return before != (start, end)

    def wait(self, number, pair):
        call, work = pair
        clock = self.clocks[number]
        end = max(clock.at(call.start), self.ends[number][work.index]) + call.end - work.end
        if clock.keys:
            end = max(end, clock.keys[-1] // 2 + clock.offsets[-1])
        clock.add(2 * call.end, end - call.end)
        return False

    def collective(self, number, event):
        rank, clock = self.ranks[number], self.clocks[number]
        before = (self.starts[number].get(event.index), self.ends[number].get(event.index))
        self.starts[number][event.index] = clock.at(event.start)
        end = self.collective_end(number, event)
        self.ends[number][event.index] = end
        thread = rank.steps[0].host_event.thread if rank.steps else None
        offset = end - event.end
        if thread is None or not rank.idle_at(thread, event.end):
            offset = max(offset, clock.offset())
        if clock.keys:
            offset = max(offset, clock.keys[-1] // 2 + clock.offsets[-1] - event.end)
        clock.add(2 * event.end, offset)
        return before != (self.starts[number][event.index], end)

    def times(self, number, event):
        """New (start, end) of a complete event of any kind."""
        if event.kind in DEVICE_KINDS:
            return self.starts[number][event.index], self.ends[number][event.index]
        clock = self.clocks[number]
        start = clock.at(event.start)
        if event.kind == "gpu_annotation":
            return self.annotation_times(number, event)
        if (number, event.index) in self.join and event.kind == "annotation":
            return start, self.ends[number][event.index]
        return start, max(start, clock.at(event.end, is_end=True)) if event.duration else start

    def annotation_times(self, number, event):
        """A range on the device's lane moves with the work it spans."""
        inside = [work for work in self.ranks[number].streams.get(event.thread, [])
                  if event.start <= work.start + 1 and work.end <= event.end + 1]
        if not inside:
            return event.start, event.end
        first, last = inside[0], max(inside, key=lambda e: e.end)
        return (event.start + self.starts[number][first.index] - first.start,
                event.end + self.ends[number][last.index] - last.end)

    def new_steps(self, number):
        """(start, end) of each complete step, as the contract measures steps."""
        rank = self.ranks[number]
        if rank.whole:
            times = [self.times(number, event) for event in rank.host + rank.device]
            return [(min(start for start, _ in times), max(end for _, end in times))]

        def moved(event, launch=None):
            return Moved(event, *self.times(number, event), launch)

        calls = {event.launch.index: moved(event.launch) for event in rank.device if event.launch is not None}
        device = [moved(event, calls[event.launch.index] if event.launch is not None else None)
                  for event in rank.device]
        _, steps = find_steps([moved(step.host_event) for step in rank.steps], device)
        return [(new.start, new.end) for old, new in zip(rank.steps, steps) if old.complete]

    def longer(self):
        """By how much an average complete step became longer; of several ranks, the step that they have in common."""
        if self.difference is None:
            old = common_steps([[(step.start, step.end) for step in rank.complete] for rank in self.ranks])
            new = common_steps([self.new_steps(number) for number in range(len(self.ranks))])
            self.difference = (sum(new) - sum(old)) // len(old)
        return self.difference


def common_steps(ranks):
    """Lengths of steps from the first rank's start, or the end of the step before, to the last rank's end."""
    lengths, previous = [], 0
    for members in zip(*ranks):
        start = max(previous, min(start for start, _ in members))
        previous = max(end for _, end in members)
        lengths.append(previous - start)
    return lengths
