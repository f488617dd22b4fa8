# SPDX-License-Identifier: Apache-2.0
"""A second implementation of `telltale convert --steps` (docs/convert.md), on Python's own JSON objects.

Knows what the other tools look at: complete events, memory instants and forward-backward arrows; the rest stays.
"""
import bisect
import re

from trace_reader import DEVICE_KINDS, kind_of, to_ns

STEP = re.compile(r"ProfilerStep#(\d+)")
HOST_KINDS = ("operator", "annotation", "runtime")


def complete(events):
    return [event for event in events if event.get("ph") == "X" and "ts" in event]


def kind(event):
    return kind_of(event.get("cat", ""))


def span(event):
    start = to_ns(event["ts"])
    return start, start + to_ns(event.get("dur", 0))


def step_ranges(events):
    """Number -> host range of each ProfilerStep."""
    found = {}
    for event in complete(events):
        match = STEP.fullmatch(str(event.get("name")))
        if match and kind(event) in ("annotation", "operator"):
            found[int(match.group(1))] = span(event)
    return found


def correlation(event):
    return (event.get("args") or {}).get("correlation")


def cut(events, number):
    """The events of one step."""
    first, last = step_ranges(events)[number]
    launched = {}
    for event in complete(events):
        if kind(event) == "runtime" and correlation(event) is not None:
            launched.setdefault(correlation(event), first <= span(event)[0] < last)
    # What is no host event belongs to the step as long as its device work runs.
    until = max([last] + [span(event)[1] for event in complete(events)
                          if kind(event) in DEVICE_KINDS and launched.get(correlation(event))])

    def stays(event):
        start, end = span(event)
        if kind(event) in HOST_KINDS:
            return first <= start < last
        if kind(event) in DEVICE_KINDS and correlation(event) in launched:
            return launched[correlation(event)]
        return start < until and end > first or first <= start < until

    kept = {id(event) for event in complete(events) if stays(event)}
    starts = {}
    for event in complete(events):
        if id(event) in kept and kind(event) == "operator":
            starts.setdefault(str(event["tid"]), []).append(span(event)[0])
    for times in starts.values():
        times.sort()

    def on_kept(event):
        times, time = starts.get(str(event["tid"]), []), to_ns(event["ts"])
        at = bisect.bisect_left(times, time)
        return at < len(times) and times[at] == time

    ends = {}
    for event in events:
        if event.get("cat") == "fwdbwd":
            ends[event["id"]] = ends.get(event["id"], True) and on_kept(event)
    result = []
    for event in events:
        if event.get("ph") == "X" and "ts" in event:
            if id(event) not in kept:
                continue
        elif event.get("name") == "[memory]" and not first <= to_ns(event["ts"]) < until:
            continue
        elif event.get("cat") == "fwdbwd" and not ends[event["id"]]:
            continue
        result.append(event)
    return result
