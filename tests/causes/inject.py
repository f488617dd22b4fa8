#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a delay of known cause and length into every complete step of a Kineto trace.

usage: inject.py KIND OUT_FOLDER TRACE... [--share 0.3] [--length-ns N]

Writes the traces under their own names to OUT_FOLDER, and truth.json: the kind, `what` it is called, patterns of names
that say as much, the length put in, the moments, and by how much an average step became longer (`saving_ns`), which is
what the step would be shorter without it. What moves and what does not: replay.py; the kinds: kinds.py. Several traces
are the ranks of one run; the delay goes into the last of them. One length of delay serves all steps. It lies where it
counts: of a few places in the step, the first where at least four fifths of it make the step longer; where the device
is always behind, the delay is made longer by what the queue swallows.
"""
import argparse
import copy
import json
import os
import sys

from kinds import KINDS
from places import Inapplicable
from replay import Rank, Replay
from trace_reader import to_ns

HIDDEN_SHARE = 0.1                          # of a delay that still counts as hidden
PLACES = (0.5, 0.15, 0.85, 0.02, 0.98)      # parts of the step's host range


def replay(ranks, plans):
    """The replay with these plans in the last rank. Many kinds differ in what is written alone: those share one."""
    delays = sorted((spot.delay for plan in plans for spot in plan.spots), key=lambda delay: delay.moment)
    device, slower = {}, {}
    for plan in plans:
        device.update(plan.device_delays)
        slower.update(plan.slower)
    known = ranks[-1].__dict__.setdefault("replays", {})
    key = (tuple(delay.key() for delay in delays), tuple(sorted(device.items())), tuple(sorted(slower.items())))
    if key not in known:
        # With delays of its own: it says where these lie, whatever is replayed afterwards.
        own = [copy.copy(delay) for delay in delays]
        known[key] = Replay(ranks, [[] for _ in ranks[1:]] + [own], [{} for _ in ranks[1:]] + [device], slower)
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
    return {"kind": kind, "length_ns": length, "steps": len(ranks[-1].complete), "longer_ns": everything,
            "causes": causes, "moments_ns": [spot.delay.moment for plan in plans for spot in plan.spots]}


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
        rank.texts = [
            rest_text(raw, ("ts", "dur") if index in complete else ("ts",) if raw.get("ph") in instants else ())
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
        out.write("{")
        for key, value in header.items():
            out.write(f"{json.dumps(key)}: {json.dumps(value, default=float)},\n")
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
