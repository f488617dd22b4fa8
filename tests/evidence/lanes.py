#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recomputes the views idle, launches and copies of every trace with an independent model, number by number."""
import json
import math
import os
import sys

from common import Report, Source, arguments
from lanes_model import CAUSES, Lanes, copy_rows

IDLE_FIELDS = ("events", "window_ns", "busy_ns", "idle_ns", "gaps") + tuple(
    f"{cause}_{what}" for cause in CAUSES for what in ("ns", "gaps"))
QUEUE_FIELDS = ("launches", "max_length", "mean_length", "window_ns", "full_ns")


def traces(data):
    for where, _, files in sorted(os.walk(os.path.join(data, "traces"))):
        for name in sorted(files):
            if name.endswith((".json", ".json.gz")):
                yield os.path.join(where, name)


def expected(path):
    model = Lanes(path)
    cells = {}
    for (device, stream), events in model.lanes().items():
        row = model.idle(events)
        lengths = row.pop("gap_lengths")
        for field in IDLE_FIELDS:
            cells["idle", device, stream, field] = row[field]
        cells["idle", device, stream, "gap_min_ns"] = min(lengths) if lengths else None
        cells["idle", device, stream, "gap_max_ns"] = max(lengths) if lengths else None
        queue = model.queue(events) if stream != "all" else None
        for field in QUEUE_FIELDS if queue else ():
            cells["queue", device, stream, field] = queue[field]
    for name, row in model.launch_rows().items():
        for field, value in row.items():
            cells["launch", name, field] = value
    cells["launch_missing"] = model.launch_missing
    for (name, is_set), row in copy_rows(model.device_events).items():
        for field, value in row.items():
            cells["copy", name, is_set, field] = value
    return cells


def printed(program, path):
    cells = {}
    document = json.loads(Source.run([program, "profile", path, "--json", "--quiet"]))
    for row in document["idle"]["rows"]:
        stream = "all" if row["scope"] == "device" else row["stream"]
        for field in IDLE_FIELDS + ("gap_min_ns", "gap_max_ns"):
            cells["idle", row["device"], stream, field] = row[field]
    for row in document["launches"]["queues"]:
        for field in QUEUE_FIELDS:
            cells["queue", row["device"], row["stream"], field] = row[field]
    for row in document["launches"]["rows"]:
        for field in row:
            if field not in ("file", "name", "short_share"):
                cells["launch", row["name"], field] = row[field]
    cells["launch_missing"] = document["launches"]["files"][0]["launch_missing"]
    for row in json.loads(Source.run([program, "profile", path, "--view", "copies", "--json", "--quiet"]))["copies"]:
        for field in row:
            if field != "name":
                cells["copy", row["name"], row["direction"] == "memset", field] = row[field]
    return cells


def same(left, right):
    if isinstance(left, float) or isinstance(right, float):
        return left is not None and right is not None and math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)
    return left == right


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        print("only for the program: the model is the oracle")
        return 0
    report = Report(options.all)
    for path in traces(options.data):
        label = os.path.relpath(path, options.data)
        if options.only not in label:
            continue
        try:
            theirs = expected(path)
        except ValueError as error:
            print(f"{label}: not a trace that the model reads ({str(error)[:60]})")
            continue
        ours = printed(options.telltale, path)
        keys = sorted(set(ours) | set(theirs), key=str)
        differences = [(" / ".join(map(str, key if isinstance(key, tuple) else (key,)))[:160], ours.get(key),
                        theirs.get(key), None) for key in keys if not same(ours.get(key), theirs.get(key))]
        report.table(label, len(keys), differences)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
