# SPDX-License-Identifier: Apache-2.0
"""Checks a trace of make_trace: valid JSON, the expected counts, and physically possible times.

Host ranges of a thread nest strictly or are apart, device work starts after the call that launched it,
streams never overlap, steps follow one another, parents of Python frames enclose them, memory totals add
up and collectives of several ranks end together. An independent reader for tests of the generator, small
enough to be obviously right; it is not meant for real traces, which break several of these rules.

usage: check_trace.py TRACE [--expect FILE] [--same-collectives TRACE...]
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import sys
from decimal import Decimal
from typing import Any

HOST = {"cpu_op", "user_annotation", "python_function", "cuda_runtime", "cuda_driver", "Operator", "Runtime"}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}
CALLS = {"cuda_runtime", "cuda_driver", "Runtime"}

Event = dict[str, Any]


def Load(path: str) -> dict[str, Any]:
    """The whole trace; decimals are kept exactly."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)


def Nanoseconds(value: int | Decimal) -> int:
    return int(Decimal(value) * 1000)


def Check(trace: dict[str, Any], expect: dict[str, Any] | None) -> list[str]:
    errors: list[str] = []
    events: list[Event] = trace["traceEvents"]
    counts: collections.Counter[tuple[str, str | None]] = collections.Counter()
    duration_ns: collections.Counter[str] = collections.Counter()
    threads: dict[tuple[Any, str], list[tuple[int, int, Event]]] = collections.defaultdict(list)
    streams: dict[tuple[Any, str], list[tuple[int, int, Event]]] = collections.defaultdict(list)
    calls: dict[int, tuple[int, int]] = {}
    frames: dict[int, tuple[int, int]] = {}
    whole = all(isinstance(event["ts"], int) for event in events)

    for event in events:
        category = event.get("cat")
        counts[event["ph"], category] += 1
        if event["ph"] != "X":
            continue
        start = Nanoseconds(event["ts"])
        end = start + Nanoseconds(event["dur"])
        duration_ns[category] += end - start
        key = (event["pid"], str(event["tid"]))
        if category in HOST:
            threads[key].append((start, end, event))
        if category in DEVICE:
            streams[key].append((start, end, event))
        if category in CALLS:
            calls[event["args"]["correlation"]] = (start, end)
        if category == "python_function":
            frames[event["args"]["Python id"]] = (start, end)
            parent = frames.get(event["args"].get("Python parent id", -1))
            if parent is not None and not (parent[0] <= start and end <= parent[1]):
                errors.append(f"frame {event['args']['Python id']} is not inside its parent")

    for key, ranges in threads.items():
        ranges.sort(key=lambda item: (item[0], -item[1]))
        stack: list[tuple[int, int]] = []
        for start, end, event in ranges:
            while stack and stack[-1][1] <= start:
                stack.pop()
            if stack and end > stack[-1][1]:
                errors.append(f"thread {key}: {event['name'][:60]} at {event['ts']} leaves its parent")
            if stack and not whole and start <= stack[-1][0]:
                errors.append(f"thread {key}: {event['name'][:60]} at {event['ts']} starts with its parent")
            stack.append((start, end))
    for key, ranges in streams.items():
        ranges.sort(key=lambda item: (item[0], item[1]))
        for (_, end, _), (start, _, event) in zip(ranges, ranges[1:], strict=False):
            if start < end:
                errors.append(f"stream {key}: {event['name'][:60]} at {event['ts']} overlaps")
        for start, _, event in ranges:
            call = calls.get(event["args"]["correlation"])
            if call is None or start < call[0]:
                errors.append(f"stream {key}: {event['name'][:60]} at {event['ts']} starts before its launch")

    steps = sorted((Nanoseconds(e["ts"]), Nanoseconds(e["dur"])) for e in events
                   if e["ph"] == "X" and e["name"].startswith("ProfilerStep#") and e["cat"] in HOST)
    for (start, duration), (following, _) in zip(steps, steps[1:], strict=False):
        if following < start + duration:
            errors.append(f"the step at {following} ns starts before the one before ends")

    errors += CheckFlows(events)
    errors += CheckMemory(events)
    if expect is not None:
        expected_counts = {(phase, category): count for phase, category, count in expect["counts"]}
        if expected_counts != dict(counts):
            errors.append(f"counts differ: expected {expected_counts}, found {dict(counts)}")
        if expect["dur_ns"] != dict(duration_ns):
            errors.append(f"durations differ: expected {expect['dur_ns']}, found {dict(duration_ns)}")
        if expect["events"] != len(events) or expect["steps"] != len(steps):
            errors.append(f"expected {expect['events']} events and {expect['steps']} steps, found {len(events)} and {len(steps)}")
    return errors


def CheckFlows(events: list[Event]) -> list[str]:
    """Forward-backward flows come in pairs that go forward in time; every started launch flow ends."""
    errors: list[str] = []
    starts: dict[tuple[str, int], int] = {}
    ends: dict[tuple[str, int], int] = {}
    for event in events:
        if event["ph"] in "sf":
            (starts if event["ph"] == "s" else ends)[event["cat"], event["id"]] = Nanoseconds(event["ts"])
    for key, start in starts.items():
        if key not in ends:
            errors.append(f"flow {key} has no end")
        elif ends[key] < start:
            errors.append(f"flow {key} ends before it starts")
    return errors


def CheckMemory(events: list[Event]) -> list[str]:
    errors: list[str] = []
    total: int | None = None
    live: dict[int, int] = {}
    memory = [e for e in events if e["ph"] == "i" and e["name"] == "[memory]" and "Addr" in e["args"]]
    for event in memory:
        args = event["args"]
        if total is not None and total + args["Bytes"] != args["Total Allocated"]:
            errors.append(f"memory at {event['ts']}: totals do not add up")
        total = args["Total Allocated"]
        if args["Device Type"] == 1 and total > args["Total Reserved"]:
            errors.append(f"memory at {event['ts']}: more allocated than reserved")
        if args["Bytes"] > 0:
            if args["Addr"] in live:
                errors.append(f"memory at {event['ts']}: {args['Addr']} is already in use")
            live[args["Addr"]] = args["Bytes"]
        elif live.pop(args["Addr"], None) != -args["Bytes"]:
            errors.append(f"memory at {event['ts']}: {args['Addr']} was not allocated with these bytes")
    return errors


def Collectives(trace: dict[str, Any]) -> list[tuple[int, int]]:
    return [(Nanoseconds(e["ts"]), Nanoseconds(e["ts"]) + Nanoseconds(e["dur"])) for e in trace["traceEvents"]
            if e["ph"] == "X" and e.get("cat") in DEVICE and e["name"].startswith("nccl")]


def Main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("--expect")
    parser.add_argument("--same-collectives", nargs="*", default=[])
    arguments = parser.parse_args()
    trace = Load(arguments.trace)
    expect = None
    if arguments.expect:
        with open(arguments.expect, encoding="utf-8") as file:
            expect = json.load(file)
    errors = Check(trace, expect)
    mine = Collectives(trace)
    for path in arguments.same_collectives:
        others = Collectives(Load(path))
        if len(others) != len(mine) or any(abs(a[1] - b[1]) > 1 for a, b in zip(mine, others, strict=False)):
            errors.append(f"{path}: the collectives do not end together")
        if any(a[0] >= b[1] for a, b in zip(mine, others, strict=False)):
            errors.append(f"{path}: a collective starts after another rank's end")
    for error in errors[:20]:
        print(error)
    print(f"{arguments.trace}: {len(trace['traceEvents'])} events, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(Main())
