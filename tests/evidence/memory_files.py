#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the memory section says of torch's memory timelines with sums made here from the same files.

The two exports of one profile must agree with each other, too: the raw one in ns, the other one in us.
"""
import gzip
import json
import os
import sys

from common import Report, Source, arguments

CATEGORIES = ("parameter", "optimizer_state", "input", "temporary", "activation", "gradient", "autograd_detail", "unknown")


def load(path):
    with open(path, "rb") as file:
        raw = file.read()
    return json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)


def from_raw(path):
    """Moment -> sums by category, from single changes."""
    events = load(path)
    first = next(event[0] for event in events if event[0] >= 0)
    sums, points = [0] * len(CATEGORIES), {}
    for time, _, size, category in events:
        sums[category] += size
        points[time if time >= 0 else first] = list(sums)
    return points


def from_sums(path):
    """Moment -> sums by category, without the rows in which nothing changes."""
    points, last = {}, [0] * len(CATEGORIES)
    for time, row in zip(*load(path)):
        if row[1:] != last:
            points[time * 1000] = last = row[1:]
    return points


def expected(points):
    times = sorted(points)
    totals = [sum(points[time]) for time in times]
    peak = totals.index(max(totals))
    at_peak = {name: size for name, size in zip(CATEGORIES, points[times[peak]]) if size}
    return {"times": times, "allocated": totals, "peak": totals[peak], "peak_ns": times[peak], "at_peak": at_peak,
            "curves": {name: [points[time][i] for time in times] for i, name in enumerate(CATEGORIES)
                       if any(points[time][i] for time in times)}}


def shown(program, path):
    document = json.loads(Source.run([program, "profile", path, "--json"]))
    device, = document["memory"]["devices"]
    return {"times": device["curve"]["times_ns"], "allocated": device["curve"]["allocated_bytes"],
            "peak": device["peak_allocated_bytes"], "peak_ns": device["peak_ns"],
            "at_peak": {row["name"]: row["bytes"] for row in device["at_peak"]["categories"]},
            "curves": {row["name"]: row["bytes"] for row in device["curve"]["categories"]}}


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        print("The oracle reads no memory timelines: nothing to compare.")
        return 0
    report = Report(options.all)
    folder = os.path.join(options.data, "other_profilers")
    peaks = {}
    for name, points in (("memory_timeline.raw.json.gz", from_raw), ("memory_timeline.json", from_sums)):
        path = os.path.join(folder, name)
        print(name)
        ours, theirs = shown(options.telltale, path), expected(points(path))
        peaks[name] = (ours["peak"], ours["at_peak"])
        report.table("timeline", len(theirs["times"]) * (2 + len(theirs["curves"])) + 3,
                     [(key, ours[key], theirs[key], None) for key in theirs if ours[key] != theirs[key]])
    first, second = peaks.values()
    report.table("both exports", 1, [] if first == second else [("peak", first, second, None)])
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
