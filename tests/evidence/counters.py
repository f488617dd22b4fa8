#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recomputes the counters that `telltale convert --counters` adds, with an independent model, point by point.

The old viewer's own fixture gives the times of its counters too (its values are invented there): they must be ours.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from decimal import Decimal

from common import Report, arguments
from lanes_model import Lanes, stream_of
from device_side import argument, device_of
from intervals import clip, length, union
from trace_reader import to_ns

TRACES = ["kineto/tb_plugin/test/gpu_metrics_input.json",
          "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
          "hta/nccl_parser_config/nccl_data.json.gz",
          "hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",
          "TraceLens/h100/gaunernst_bert-small-uncased__1016001.json.gz",
          "TraceLens/inference/vllm_decode_full/graph_execution.json.gz",
          "TraceLens/mi300/resnet_act_checkpoint.json.gz", "hta/trace_filter/sampled_rank-0.json.gz"]
FIXTURE = ("kineto/tb_plugin/test/gpu_metrics_input.json", "kineto/tb_plugin/test/gpu_metrics_expected.json")


def steps_of(changes, cap=None):
    """[(time, change)] -> points where the sum changes."""
    points, total = [], Decimal(0)
    changes = sorted(changes, key=lambda c: c[0])
    for position, (time, change) in enumerate(changes):
        total += change
        if position + 1 < len(changes) and changes[position + 1][0] == time:
            continue
        value = float(min(total, cap) if cap is not None else total)
        if not points or not math.isclose(points[-1][1], value, rel_tol=1e-9, abs_tol=1e-12):
            points.append((time, value))
    return points


def utilization(kernels, window):
    size, span = 1000, window[1] - window[0]
    while span > 100 * size:
        size *= 10
    count = max(1, span // size)
    busy = union((k.start, k.end) for k in kernels)
    points = []
    for bucket in range(count):
        start = window[0] + bucket * size
        end = start + size if bucket + 1 < count else window[1]
        points.append((start, length(clip(busy, (start, end))) / (end - start)))
    return points + [(window[1], 0.0)]


def direction(name):
    for word in ("HtoD", "DtoH", "DtoD", "PtoP", "HtoH"):
        if word in name:
            return word
    return "other"


def model(path):
    lanes = Lanes(path)
    trace, series = lanes.trace, {}
    named = [e for e in trace.events if e.kind == "trace" and e.name == "PyTorch Profiler (0)"]
    everything = trace.of_kind("operator", "annotation", "runtime", "kernel", "memcpy", "memset")
    window = ((named[0].start, named[0].end) if named
              else (min(e.start for e in everything), max(e.end for e in everything)))
    devices, streams = defaultdict(list), defaultdict(list)
    for event in lanes.device_events:
        if device_of(event) is not None:
            devices[device_of(event)].append(event)
            streams[device_of(event), stream_of(event)].append(event)
    for device, events in devices.items():
        kernels = [e for e in events if e.kind == "kernel" and e.end > e.start]
        if kernels:
            series[f"GPU {device} Utilization"] = utilization(kernels, window)
        blocks, copies = [], defaultdict(list)
        for kernel in kernels:
            value = argument(kernel, "blocks per SM")
            if value is not None and value > 0:
                blocks += [(kernel.start, value), (kernel.end, -value)]
        if blocks:
            series[f"GPU {device} Est. SM Efficiency"] = steps_of(blocks, Decimal(1))
        for event in events:
            if event.kind == "kernel" or event.end <= event.start:
                continue
            rate = argument(event, "memory bandwidth (GB/s)")
            if rate is None and isinstance(event.args.get("bytes"), int):
                rate = Decimal(event.args["bytes"]) / event.duration
            if rate is not None:
                kind = "Memset" if event.kind == "memset" else f"Memcpy {direction(event.name)}"
                copies[kind] += [(event.start, rate), (event.end, -rate)]
        for kind, changes in copies.items():
            series[f"GPU {device} {kind} Bandwidth"] = steps_of(changes)
    for (device, stream), events in streams.items():
        entries = {}
        for event in events:
            if event.launch is not None:
                first = entries.setdefault(event.launch.index, [event.launch.start, event.start])
                first[1] = min(first[1], event.start)
        changes = [change for launched, start in entries.values()
                   for change in ((launched, 1), (max(launched, start), -1))]
        if changes:
            now, points = 0, {}
            for time, change in sorted(changes):
                now += change
                points[time] = float(now)
            name = f"GPU {device} Queue Length" + (f" (stream {stream})" if stream is not None else "")
            series[name] = sorted(points.items())
    return series, trace


def converted(program, path):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        done = subprocess.run([program, "convert", path, out, "--counters", "--quiet"], check=False)
        if done.returncode != 0:
            raise SystemExit(f"telltale convert {path}: exit code {done.returncode}")
        with open(out, encoding="utf-8", errors="replace") as file:
            document = json.load(file, parse_float=Decimal)
    series = defaultdict(list)
    for event in document["traceEvents"]:
        if event.get("ph") == "C":
            series[event["name"]].append((to_ns(event["ts"]), float(next(iter(event["args"].values())))))
    return series, int(document.get("baseTimeNanoseconds") or 0)


def same(left, right):
    return len(left) == len(right) and all(
        a[0] == b[0] and math.isclose(a[1], b[1], rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(left, right))


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle or subprocess.run([options.telltale, "convert", "--help"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("only for a program that converts")
        return 0
    report = Report(options.all)
    for name in TRACES:
        if options.only not in name:
            continue
        path = os.path.join(options.data, "traces", name)
        theirs, trace = model(path)
        ours, base = converted(options.telltale, path)
        shift = base - trace.base_ns      # the copy may count from another moment
        ours = {key: [(time + shift, value) for time, value in points] for key, points in ours.items()
                if key.startswith("GPU ")}
        differences = []
        for key in sorted(set(ours) | set(theirs)):
            left, right = ours.get(key, []), theirs.get(key, [])
            if not same(left, right):
                first = next((pair for pair in zip(left, right) if pair[0] != pair[1]), (len(left), len(right)))
                differences.append((key, first[0], first[1], None))
        report.table(name, len(theirs), differences)
    if options.only in FIXTURE[0]:
        with open(os.path.join(options.data, "traces", FIXTURE[1]), encoding="utf-8") as file:
            fixture = json.load(file)
        expected = defaultdict(list)
        for event in fixture["traceEvents"]:
            if event.get("ph") == "C":
                expected[event["name"]].append(event["ts"] * 1000)
        ours, _ = converted(options.telltale, os.path.join(options.data, "traces", FIXTURE[0]))
        differences = [(name, [time for time, _ in ours[name]], times[2:], None) for name, times in expected.items()
                       if [time for time, _ in ours[name]] != times[2:]]      # two to scale the picture come first
        report.table("times of the old viewer's fixture", len(expected), differences)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
