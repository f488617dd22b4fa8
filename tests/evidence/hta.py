#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares idle time, queues and launches with what HTA (Holistic Trace Analysis 0.6.1) computed from the same traces.

Every difference must follow from a listed rule of HTA (lanes_model.py), else the script fails: the model without rules
must show our figure, the model with rules HTA's.
"""
import gzip
import json
import math
import os
import sys

from common import Report, Source, arguments
from explain import Explainer
from lanes_model import SWITCHES, Lanes

# HTA's results, and the traces they were made from.
RESULTS = {
    "worker0.1623143089861.hta.json.gz":
        "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
    "rank-0.Apr_03_18_51_38.1102.hta.json.gz":
        "hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
    "gaunernst_bert-small-uncased__1016001.hta.json": "TraceLens/h100/gaunernst_bert-small-uncased__1016001.json.gz",
}
# What HTA's own tests expect of a trace without its last step: 4876 GPU events (traces.md 2.4).
NS_TRACE = "hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz"
NS_TRACE_STEPS, NS_TRACE_EVENTS = "101..104", 4876
# HTA's tests of these traces cannot be repeated: the traces are not in the data.
ABSENT = ["mtia_trace_single_rank (temporal breakdown, launch of correlation 423, queue of stream 102, "
          "idle of stream 1)"]


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def hta_cells(result):
    """HTA's figures by the same keys as ours, in ns."""
    cells = {}
    idle, compute, rest, window = result["get_temporal_breakdown"]["result"]["rows"][0][1:5]
    cells["device", "idle_ns"] = idle * 1000
    cells["device", "busy_ns"] = (compute + rest) * 1000
    cells["device", "window_ns"] = window * 1000
    for _, stream, cause, time, _ in result["get_idle_time_breakdown"]["result"][0]["rows"]:
        cells["idle", stream, f"{cause}_ns"] = time * 1000
    streams = sorted({row[1] for row in result["get_idle_time_breakdown"]["result"][0]["rows"]})
    for stream, row in zip(streams, result["get_queue_length_summary"]["result"]["rows"]):
        cells["queue", stream, "launches"] = row[0] / 2      # one point when it comes, one when it goes
        cells["queue", stream, "mean_length"] = row[1]
        cells["queue", stream, "max_length"] = row[7]
    for table in result["get_cuda_kernel_launch_stats"]["result"].values():
        for correlation, host, device, delay in table["rows"]:
            cells["launch", correlation, "host_ns"] = host * 1000
            cells["launch", correlation, "device_ns"] = device * 1000
            cells["launch", correlation, "delay_ns"] = delay * 1000
    return cells


def our_cells(program, path):
    document = json.loads(Source.run([program, "profile", path, "--json", "--quiet"]))
    cells = {}
    for row in document["idle"]["rows"]:
        if row["scope"] == "device":
            for field in ("idle_ns", "busy_ns", "window_ns"):
                cells["device", field] = row[field]
        else:
            for cause in ("host_wait", "kernel_wait", "other"):
                cells["idle", row["stream"], f"{cause}_ns"] = row[f"{cause}_ns"]
    for row in document["launches"]["queues"]:
        for field in ("launches", "mean_length", "max_length"):
            cells["queue", row["stream"], field] = row[field]
    calls, started = {}, {}
    options = type("Options", (), {"oracle": False, "telltale": program})
    for row in Source(options).events(path):
        if row["correlation"] and row["kind"] == "runtime":
            calls.setdefault(int(row["correlation"]), (int(row["start_ns"]), int(row["duration_ns"])))
        elif row["correlation"] and row["kind"] in ("kernel", "memcpy", "memset"):
            started[int(row["correlation"])] = (int(row["start_ns"]), int(row["duration_ns"]))
    for correlation, (start, duration) in started.items():
        if correlation in calls:
            call_start, call_duration = calls[correlation]
            cells["launch", correlation, "host_ns"] = call_duration
            cells["launch", correlation, "device_ns"] = duration
            cells["launch", correlation, "delay_ns"] = max(0, start - call_start - call_duration)
    return cells


def model_cells(model, switches):
    cells = {}
    for (_, stream), events in model.lanes().items():
        if stream == "all":
            row = model.idle(events, switches - {"previous_event"})     # HTA takes the union here
            for field in ("idle_ns", "busy_ns", "window_ns"):
                cells["device", field] = row[field]
            continue
        row = model.idle(events, switches)
        for cause in ("host_wait", "kernel_wait", "other"):
            cells["idle", stream, f"{cause}_ns"] = row[f"{cause}_ns"]
        queue = model.queue(events, switches)
        for field in ("launches", "mean_length", "max_length") if queue else ():
            cells["queue", stream, field] = queue[field]
    for event in model.device_events:
        if event.launch is None:
            continue
        start, end = model.times(event, switches)
        call_start, call_end = model.times(event.launch, switches)
        correlation = event.args["correlation"]
        cells["launch", correlation, "host_ns"] = call_end - call_start
        cells["launch", correlation, "device_ns"] = end - start
        cells["launch", correlation, "delay_ns"] = max(0, start - call_end)
    return cells


def same(left, right):
    if left is None or right is None:
        return left is right
    if isinstance(left, tuple):      # anything between
        return left[0] <= right <= left[1]
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        print("only for the program")
        return 0
    report = Report(options.all)
    print("Listed rules of HTA:")
    for name, sentence in SWITCHES.items():
        print(f"  {name}: {sentence}")
    for name, trace in RESULTS.items():
        if options.only not in trace:
            continue
        path = os.path.join(options.data, "traces", trace)
        result = read(os.path.join(options.data, "expected", "peers", name))
        ours, theirs = our_cells(options.telltale, path), hta_cells(result)
        model = Lanes(path)
        reasons = Explainer(lambda switches, m=model: model_cells(m, switches), SWITCHES, same)
        print(trace)
        for table in ("device", "idle", "queue", "launch"):
            keys = [key for key in theirs if key[0] == table]
            differences = [(" / ".join(map(str, key)), ours.get(key), theirs[key],
                            reasons.explain(key, ours.get(key), theirs[key]))
                           for key in keys if not same(ours.get(key), theirs[key])]
            report.table(table, len(keys), differences)
    if options.only in NS_TRACE:
        document = json.loads(Source.run([options.telltale, "profile", os.path.join(options.data, "traces", NS_TRACE),
                                          "--steps", NS_TRACE_STEPS, "--json", "--quiet"]))
        found = document["launches"]["files"][0]["device_events"]
        print(f"{NS_TRACE} without its last step")
        report.table("device events", 1, [] if found == NS_TRACE_EVENTS else
                     [("device_events", found, NS_TRACE_EVENTS, None)])
    for absent in ABSENT:
        print(f"not in the data: {absent}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
