#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a delay of known cause and length into every complete step of a Kineto trace.

usage: inject.py KIND OUT_FOLDER TRACE... [--share 0.3] [--length-ns N]

Writes the traces under their own names to OUT_FOLDER, and truth.json: the kind, `what` it is called, patterns of names that
say as much, the length put in, the moments, and by how much an average step became longer (`saving_ns`), which is what the
step would be shorter without it. What moves and what does not: replay.py. Several traces are the ranks of one run; the
delay goes into the last of them. One length of delay serves all steps. It lies where it counts: of a few places in the
step, the first where at least four fifths of it make the step longer; where the device is always behind, the delay is made
longer by what the queue swallows.
"""
import argparse
import json
import os
import re
import sys

from replay import Delay, Rank, Replay
from device_side import device_type, is_communication
from trace_reader import to_ns

HIDDEN_SHARE = 0.1                          # of a delay that still counts as hidden
PLACES = (0.5, 0.15, 0.85, 0.02, 0.98)      # parts of the step's host range
ANNOTATION = "log_metrics"
HIDDEN = "beside_the_device"
FRAME = "train.py(81): save_checkpoint"
DATALOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
# Operators that hold no work of the training: what they cost on the host can go.
HOST_OPERATORS = re.compile(r"aten::(empty|empty_strided|empty_like|copy_|_to_copy|to|item|_local_scalar_dense|zeros|zero_|"
                            r"resize_|clone|detach|view|slice|as_strided|select|t|transpose|expand|reshape|contiguous)$")


class Inapplicable(Exception):
    """This trace has no place for this kind of delay; says why."""


class Spot:
    """One delay in one step, and what is to be written for it."""

    def __init__(self, delay, write):
        self.delay = delay
        self.write = write


class Plan:
    """The delays of one rank for one kind of cause."""

    def __init__(self, what, accept, spots=(), device_delays=None):
        self.what = what
        self.accept = accept
        self.spots = list(spots)
        self.device_delays = device_delays or {}


# ---- where ------------------------------------------------------------------------------------------------------------


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
    return list(gaps(rank, step.host_event,
                     lambda child: child.kind == "annotation" and not re.search("DataLoader|DataPipe|nccl|gloo|c10d", child.name)))


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
                found.append(Moment(at, (event.parent.name.split("#")[0], event.name)))
    return found


def same_place(rank, candidates, place):
    """One moment for every complete step (`candidates` lists those of a step), at about this part of it, and at the same
    place of the program as in the first step where the others have it."""
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


# ---- what is written --------------------------------------------------------------------------------------------------


class Writer:
    """Raw events in the dialect of the trace."""

    def __init__(self, rank):
        self.rank = rank
        self.category = {}
        for event in rank.events:
            self.category.setdefault(event.kind, event.category)
        self.last_id = {}

    def next_id(self, argument):
        if argument not in self.last_id:
            self.last_id[argument] = max([event.args[argument] for event in self.rank.events
                                          if isinstance(event.args.get(argument), int)], default=0)
        self.last_id[argument] += 1
        return self.last_id[argument]

    def event(self, kind, fallback, like, name, start, end, args=None):
        """`like`: the event whose thread it is on."""
        raw = self.rank.raw[like.index]
        return {"ph": "X", "cat": self.category.get(kind, fallback), "name": name, "pid": raw["pid"], "tid": raw["tid"],
                "start": start, "end": end, "args": args or {}}

    def annotation(self, step, name, delay):
        old = "Operator" if self.category.get("operator") == "Operator" else "user_annotation"
        return self.event("annotation", old, step.host_event, name, delay.start, delay.end)

    def frame(self, step, name, delay):
        around = frames_at(self.rank, step.host_event.thread, delay.moment)
        args = {"Python parent id": around[-1].args.get("Python id"), "Python id": self.next_id("Python id")}
        return self.event("python", "python_function", step.host_event, name, delay.start, delay.end, args)

    def call(self, step, name, start, end):
        args = {"correlation": self.next_id("correlation")}
        return self.event("runtime", "cuda_runtime", step.host_event, name, start, end, args)


def vendor(rank):
    if not rank.device:
        raise Inapplicable("no device work")
    kind = device_type(rank, rank.device)
    if kind not in ("cuda", "hip"):
        raise Inapplicable(f"no names of calls known for a {kind} device")
    return kind


# ---- the kinds --------------------------------------------------------------------------------------------------------


def annotation(rank, length, place, name=ANNOTATION):
    """A range of the user's in which nothing else runs."""
    writer = Writer(rank)
    plan = Plan(name, [name])
    for step, moment in same_place(rank, lambda step: between(rank, step), place):
        delay = Delay(moment, length, step.host_event.thread)
        plan.spots.append(Spot(delay, lambda d, s=step: [writer.annotation(s, name, d)]))
    return plan


def hidden(rank, length, place):
    """As `annotation`, but beside a busy device: the step is hardly longer, so this is no cause."""
    return annotation(rank, length, place, HIDDEN)


def in_frames(rank, length, place, name, accept):
    writer = Writer(rank)
    plan = Plan(name, accept)
    for step, moment in same_place(rank, lambda step: between(rank, step), place):
        if not frames_at(rank, step.host_event.thread, moment):
            raise Inapplicable("no Python frames around the moment (with_stack=True records them)")
        plan.spots.append(Spot(Delay(moment, length, step.host_event.thread),
                               lambda d, s=step: [writer.frame(s, name, d)]))
    return plan


def python(rank, length, place):
    return in_frames(rank, length, place, FRAME, ["save_checkpoint"])


def gc(rank, length, place):
    """As torch records it (record_python_gc_info): a range of the category of Python frames, named so."""
    return in_frames(rank, length, place, "Python GC", [r"\bGC\b", "garbage"])


def host_gap(rank, length, place):
    """Time of which the capture says nothing. Its name is what stands around it, or beside it."""
    plan = Plan("(nothing recorded)", [r"python|between|outside|nothing|no operator|not recorded|host"])
    for step, moment in same_place(rank, lambda step: between(rank, step), place):
        plan.spots.append(Spot(Delay(moment, length, step.host_event.thread), lambda d: []))
        around = [event for event in rank.near(moment) if event.thread == step.host_event.thread]
        named = [max(around, key=lambda event: event.start).name] + [
            frame.name for frame in frames_at(rank, step.host_event.thread, moment)[-6:]]
        plan.accept += [re.escape(name) for name in named if not name.startswith("ProfilerStep#")]
    plan.accept = sorted(set(plan.accept))
    return plan


def dataloader(rank, length, place):
    """A longer range of the loader where there is one, else a new one."""
    writer = Writer(rank)
    plan = Plan("DataLoader", ["DataLoader", "DataPipe"])

    def inside(step):
        ranges = [event for event in below(step.host_event) if event.name.startswith("enumerate(Data")]
        return [moment for event in ranges for moment in gaps(rank, event, lambda child: False)]

    new = not all(inside(step) for step in rank.complete)
    for step, moment in same_place(rank, lambda step: between(rank, step) if new else inside(step), place):
        plan.spots.append(Spot(Delay(moment, length, step.host_event.thread),
                               lambda d, s=step: [writer.annotation(s, DATALOADER, d)] if new else []))
    return plan


def runtime_call(rank, length, place, name):
    """A call inside an operator. Allocation waits for nothing; freeing and synchronising wait for all work given."""
    name = name.replace("cuda", vendor(rank))
    drains = "Malloc" not in name
    writer = Writer(rank)
    plan = Plan(name, [name])
    for step, moment in same_place(rank, lambda step: leaves(rank, step), place):
        plan.spots.append(Spot(Delay(moment, length, step.host_event.thread, drains=drains),
                               lambda d, s=step: [writer.call(s, name, d.start, d.end)]))
    return plan


def operator_slow(rank, length, place):
    """An operator that is no work of the training takes longer on the host."""
    vendor(rank)
    found = [[moment.label[1] for moment in leaves(rank, step, HOST_OPERATORS)] for step in rank.complete]
    shared = set.intersection(*map(set, found)) if found else set()
    if not shared:
        raise Inapplicable("no operator in every step that is no work of the training")
    name = max(sorted(shared), key=lambda n: sum(f.count(n) for f in found))
    plan = Plan(name, [re.escape(name)])
    chosen = re.compile(re.escape(name) + "$")
    for step, moment in same_place(rank, lambda step: leaves(rank, step, chosen), place):
        plan.spots.append(Spot(Delay(moment, length, step.host_event.thread), lambda d: []))
    return plan


def copy(rank, length, place):
    """A copy from pageable memory, which the host waits for."""
    kind = vendor(rank)
    writer = Writer(rank)
    stream = max(rank.streams.values(), key=len)
    sample = rank.raw[stream[0].index]
    plan = Plan("Memcpy HtoD", ["[Mm]emcpy", "[Cc]op(y|ies)", "[Pp]ageable"])

    def write(delay, step):
        start, end = delay.start, delay.end
        nested = ["aten::to", "aten::_to_copy", "aten::copy_"]
        events = [writer.event("operator", "cpu_op", step.host_event, name, start, end) for name in nested]
        if kind == "hip":
            call = writer.call(step, "hipMemcpyWithStream", start, end)
            name = "Memcpy HtoD (Host -> Device)"
        else:
            call = writer.call(step, "cudaMemcpyAsync", start, delay.copy_end + 1000)
            events.append(writer.call(step, "cudaStreamSynchronize", delay.copy_end + 1000, end))
            name = "Memcpy HtoD (Pageable -> Device)"
        args = {key: sample["args"][key] for key in ("device", "context", "stream") if key in sample.get("args", {})}
        args.update({"correlation": call["args"]["correlation"], "bytes": delay.length * 6, "memory bandwidth (GB/s)": 6.0})
        old = "Memcpy" if sample["cat"] == "Kernel" else "gpu_memcpy"
        device = writer.event("memcpy", old, stream[0], name, delay.copy_start, delay.copy_end, args)
        flow = {"ph": "s", "id": args["correlation"], "pid": call["pid"], "tid": call["tid"], "start": start,
                "cat": "ac2g", "name": "ac2g"}
        arrival = {"ph": "f", "id": args["correlation"], "pid": device["pid"], "tid": device["tid"],
                   "start": delay.copy_start, "cat": "ac2g", "name": "ac2g", "bp": "e"}
        return events + [call, device, flow, arrival]

    for step, moment in same_place(rank, lambda step: between(rank, step), place):
        delay = Delay(moment, length, step.host_event.thread, copies_on=stream[0].thread)
        plan.spots.append(Spot(delay, lambda d, s=step: write(d, s)))
    return plan


def compilation(rank, length, place):
    """A frame compiled anew in every step, as torch.compile shows it."""
    writer = Writer(rank)
    plan = Plan("compilation", ["[Cc]ompil", "dynamo"])
    phases = ("_compile.compile_inner (dynamo_timed)", "entire_frame_compile (dynamo_timed)", "backend_compile (dynamo_timed)")
    for step, moment in same_place(rank, lambda step: between(rank, step), place):
        delay = Delay(moment, length, step.host_event.thread)
        plan.spots.append(Spot(delay, lambda d, s=step: [writer.annotation(s, phase, d) for phase in phases]))
    return plan


def device_gap(rank, length, place):
    """Work that was launched in time begins late: the device did something that the capture does not hold."""
    plan = Plan("(before the device work)", [r"untraced|unknown|unexplained|not (in|traced|captured|recorded|shown)|gap|delay|before"])
    for step in rank.complete:
        # Not the first of its stream: to begin late it must have something to be late after.
        candidates = [event for event in step.device_events
                      if event.kind == "kernel" and event.index in rank.ahead
                      and not is_communication(event)]
        if not candidates:
            raise Inapplicable(f"no kernels launched in step {step.name}")
        wanted = step.start + place * (step.end - step.start)
        plan.device_delays[min(candidates, key=lambda e: abs(e.start - wanted)).index] = length
    return plan


def two(rank, length, place):
    """A range of the user and, half as long and elsewhere, a second cause."""
    first = annotation(rank, length, place)
    for make in (lambda n, p: runtime_call(rank, n, p, "cudaMalloc"), lambda n, p: python(rank, n, p),
                 lambda n, p: dataloader(rank, n, p)):
        try:
            second = make(max(length // 2 // 1000 * 1000, 1000), 0.1 if place > 0.3 else 0.7)
            break
        except Inapplicable:
            continue
    if {spot.delay.moment for spot in first.spots} & {spot.delay.moment for spot in second.spots}:
        raise Inapplicable("no two places in the step")
    return [first, second]


KINDS = {
    "annotation": annotation,
    "host_gap": host_gap,
    "dataloader": dataloader,
    "python": python,
    "gc": gc,
    "compilation": compilation,
    "operator_slow": operator_slow,
    "cudaMalloc": lambda *a: runtime_call(*a, name="cudaMalloc"),
    "cudaFree": lambda *a: runtime_call(*a, name="cudaFree"),
    "cudaDeviceSynchronize": lambda *a: runtime_call(*a, name="cudaDeviceSynchronize"),
    "cudaStreamSynchronize": lambda *a: runtime_call(*a, name="cudaStreamSynchronize"),
    "copy": copy,
    "device_gap": device_gap,
    "two": two,
    "hidden": hidden,
}


# ---- replaying and writing --------------------------------------------------------------------------------------------


def replay(ranks, plans):
    """The replay with these plans in the last rank. Many kinds differ in what is written alone: those share one."""
    delays = sorted((spot.delay for plan in plans for spot in plan.spots), key=lambda delay: delay.moment)
    device = {}
    for plan in plans:
        device.update(plan.device_delays)
    known = ranks[-1].__dict__.setdefault("replays", {})
    key = (tuple(delay.key() for delay in delays), tuple(sorted(device.items())))
    if key not in known:
        known[key] = Replay(ranks, [[] for _ in ranks[1:]] + [delays], [{} for _ in ranks[1:]] + [device])
    for delay, placed in zip(delays, known[key].delays[-1]):
        delay.lie_as(placed)
    return known[key]


def choose(ranks, kind, length):
    """(plans, the replay, the length put in) at the first good place."""
    if not ranks[-1].complete:
        raise Inapplicable("no complete step")
    if 2 * sum(event.launch is None for event in ranks[-1].device) > len(ranks[-1].device):
        raise Inapplicable("most device work has no launch in the capture: what it waited for is not known")
    best = None
    length = max(length // 1000 * 1000, 1000)

    def attempt(length, place):
        plans = KINDS[kind](ranks[-1], length, place)
        plans = plans if isinstance(plans, list) else [plans]
        result = replay(ranks, plans)
        return result.longer() / length, place, plans, result, length

    wanted = -1 if kind == "hidden" else 1
    for place in PLACES:
        try:
            found = attempt(length, place)
        except Inapplicable as reason:
            if place == PLACES[-1] and best is None:
                raise reason
            continue
        if best is None or wanted * found[0] > wanted * best[0]:
            best = found
        if wanted > 0 and found[0] >= 0.8:
            break
    if kind == "hidden":
        if best[0] > HIDDEN_SHARE:
            raise Inapplicable("the device is never far enough behind")
        return best[2:]
    for _ in range(4):      # what the queue swallows goes on top
        longer = best[0] * best[4]
        if longer >= 0.8 * length:
            return best[2:]
        best = attempt(int(best[4] + length - longer) // 1000 * 1000, best[1])
    if best[0] * best[4] < 0.5 * length:
        raise Inapplicable("the device is so far behind that it swallows any delay")
    return best[2:]


def truth_of(ranks, kind, plans, result, length):
    everything = result.longer()
    causes = []
    for plan in plans:
        others = [other for other in plans if other is not plan]
        without = replay(ranks, others).longer() if others else 0
        causes.append({"what": plan.what, "accept": plan.accept, "saving_ns": everything - without})
    replay(ranks, plans)    # the delays hold where they lie: with all of them, again
    causes.sort(key=lambda cause: -cause["saving_ns"])
    return {"kind": kind, "length_ns": length, "steps": len(ranks[-1].complete), "longer_ns": everything, "causes": causes,
            "moments_ns": [spot.delay.moment for plan in plans for spot in plan.spots]}


def microseconds(ns):
    return str(ns // 1000) if ns % 1000 == 0 else f"{ns // 1000}.{ns % 1000:03d}"


def times_text(start, end):
    """Exact: times beyond what a float holds are common."""
    text = "{" if start is None else f'{{"ts": {microseconds(start)}, '
    return text if end is None else f'{text}"dur": {microseconds(end - start)}, '


def rest_text(raw, without):
    return json.dumps({key: value for key, value in raw.items() if key not in without}, default=float)[1:]


def moved_events(rank, result, number):
    complete = {event.index: event for event in rank.events}
    device_starts = {(event.thread, event.start): result.starts[number][event.index] for event in rank.device}
    clock = result.clocks[number]
    if not hasattr(rank, "texts"):      # all but the times, which is the same for every kind
        instants = ("i", "I", "s", "t", "f", "C", "n")
        rank.texts = [rest_text(raw, ("ts", "dur") if index in complete else ("ts",) if raw.get("ph") in instants else ())
                      for index, raw in enumerate(rank.raw)]
        rank.moments = {index: to_ns(raw["ts"]) for index, raw in enumerate(rank.raw)
                        if index not in complete and raw.get("ph") in instants}
    for index, text in enumerate(rank.texts):
        if index in complete:
            yield times_text(*result.times(number, complete[index])) + text
        elif index in rank.moments:
            moment, raw = rank.moments[index], rank.raw[index]
            place = ((str(raw.get("pid")), str(raw.get("tid"))), moment)
            yield times_text(device_starts[place] if place in device_starts else clock.at(moment), None) + text
        else:
            yield "{" + text


def write(path, rank, result, number, plans):
    header = {key: value for key, value in rank.header.items() if key != "traceEvents"}
    with open(path, "w", encoding="utf-8") as out:
        out.write("{" + "".join(f"{json.dumps(key)}: {json.dumps(value, default=float)},\n" for key, value in header.items()))
        out.write('"traceEvents": [\n')
        out.write(",\n".join(moved_events(rank, result, number)))
        for plan in plans:
            for spot in plan.spots:
                for raw in spot.write(spot.delay):
                    out.write(",\n" + times_text(raw["start"], raw.get("end")) + rest_text(raw, ("start", "end")))
        out.write("\n]}\n")


def inject(ranks, kind, length, folder):
    """Writes the traces and truth.json; returns the truth."""
    plans, result, length = choose(ranks, kind, length)
    truth = truth_of(ranks, kind, plans, result, length)
    os.makedirs(folder, exist_ok=True)
    truth["files"] = []
    for number, rank in enumerate(ranks):
        path = os.path.join(folder, os.path.basename(rank.path).removesuffix(".gz"))
        write(path, rank, result, number, plans if number == len(ranks) - 1 else [])
        truth["files"].append(path)
    with open(os.path.join(folder, "truth.json"), "w", encoding="utf-8") as out:
        json.dump(truth, out, indent=1)
    return truth


def write_untouched(ranks, folder):
    os.makedirs(folder)
    result = replay(ranks, [])
    for number, rank in enumerate(ranks):
        write(os.path.join(folder, os.path.basename(rank.path)), rank, result, number, [])


def typical_step(ranks):
    """Median length of the complete steps."""
    lengths = sorted(step.end - step.start for rank in ranks for step in rank.complete)
    return lengths[(len(lengths) - 1) // 2] if lengths else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("folder")
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--share", type=float, default=0.3, help="of the typical step")
    parser.add_argument("--length-ns", type=int)
    options = parser.parse_args()
    ranks = [Rank(path) for path in options.traces]
    length = options.length_ns or int(typical_step(ranks) * options.share)
    try:
        truth = inject(ranks, options.kind, length, options.folder)
    except Inapplicable as reason:
        sys.exit(f"{options.kind}: {reason}")
    print(json.dumps(truth, indent=1))


if __name__ == "__main__":
    main()
