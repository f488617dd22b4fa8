#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares operations, bytes, calls, kernel time and rates per operator and shapes with every table of TraceLens.

A figure may differ only where a listed rule of TraceLens (roofline_model.py, and those below) turns ours into its own;
a row that only TraceLens has must be among those that our report lists without a formula, or not be in the trace.
"""
import ast
import csv
import glob
import json
import math
import os
import sys

from common import Report, Source, TraceWithFlows, arguments
from oracle_path import ORACLE  # noqa: F401
from device_side import link_launches
from intervals import length, union
from roofline_model import RULES, Call
from tracelens import read_csv, trace_of

TABLES = ("unified_perf_summary", "GEMM", "SDPA_fwd", "CONV_fwd", "CONV_bwd", "Normalization", "RMSNorm_fwd",
          "BinaryElementwise", "UnaryElementwise", "Reduce_fwd", "Reduce_bwd", "RoPE_fwd", "InferenceAttention_fwd",
          "MoE_unfused_fwd")
KERNELS = "overlapping kernels of one call count once, and none whose launch no arrow leaves; ours adds all durations"
BACKWARD = "the backward kernels of an operator, under its forward name; ours has them under those that run them"
PER_CALL = "the mean of the calls' own rates; ours is the rate of all calls together"
OTHER_FILE = "operators of a graph are taken from the capture's own trace; this trace does not hold them"
LISTED = "ours has no formula for it and lists it with its time"
TRANSFER = "a copy between host and device; ours lists it as a transfer"
INNER = "ours counts the operator inside that does the work"
JOINED = "calls that differ only in further arguments are one row under the first one's arguments"
OUTER = "an operator inside another one that counts: TraceLens lists both"
SOME_OUTER = "some calls lie inside an operator that counts, or copy between host and device; ours leaves those out"


def key_of(row, suffix):
    def nested(value):
        return [nested(item) for item in value] if isinstance(value, (tuple, list)) else value

    fields = [json.dumps(nested(ast.literal_eval(row[f"{field}{suffix}"])))
              for field in ("Input Dims", "Input type", "Concrete Inputs")]
    return (row["name"], *fields)


def table_rows(path):
    """{key: [flops, bytes, calls, kernel us, TFLOP/s mean, TB/s mean]}; rows that TraceLens splits are joined."""
    rows = {}
    for row in read_csv(path):
        unified = "GFLOPS" in row
        suffix = "" if unified else "_first"
        if unified and row["has_perf_model"] != "True":
            continue
        if not float(row["Kernel Time (µs)_sum"] or 0):     # a call that launched nothing: there is no time to compare
            continue

        def number(field, scale=1.0):
            return float(row[field]) * scale if row.get(field) else None

        count = int(float(row["operation_count" if unified else "name_count"]))
        key = key_of(row, suffix)
        old = rows.get(key)
        values = [number(f"GFLOPS{suffix}", 1e9), number(f"Data Moved (MB){suffix}", 2.0 ** 20), count,
                  number("Kernel Time (µs)_sum") or 0.0, number("TFLOPS/s_mean"), number("TB/s_mean")]
        if old:
            for i in (4, 5):
                known = None not in (old[i], values[i])
                values[i] = (old[i] * old[2] + values[i] * count) / (old[2] + count) if known else None
            values[2] += old[2]
            values[3] += old[3]
        rows[key] = values
    return rows


class Calls:
    """For each operator and arguments: the device events of each call and what is around it, from the raw trace."""

    def __init__(self, path):
        self.trace = TraceWithFlows(path)
        link_launches(self.trace)
        threads = {}
        for event in self.trace.of_kind("runtime"):
            if event.launches:
                threads.setdefault(event.thread, []).append(event)
        for calls in threads.values():
            calls.sort(key=lambda e: e.start)
        self.found, self.inside = {}, {}
        operators = {}
        for event in self.trace.of_kind("operator"):
            operators.setdefault(event.thread, []).append(event)
        for events in operators.values():
            events.sort(key=lambda e: (e.start, -e.duration, e.index))
            self.read(events, threads)

    def read(self, events, threads):
        """Operators of one thread in the order of nesting."""
        still_open = []
        for event in events:
            still_open = [other for other in still_open if other.end > event.start]
            around = {other.name for other in still_open}
            for other in still_open:
                self.inside.setdefault(self.key(other), set()).add(event.name)
            still_open.append(event)
            launched = [d for call in threads.get(event.thread, []) if event.start <= call.start < event.end
                        for d in call.launches]
            if launched and "Input Dims" in event.args:
                self.found.setdefault(self.key(event), []).append((launched, around))

    @staticmethod
    def key(event):
        return (event.name, *(json.dumps(event.args.get(f)) for f in ("Input Dims", "Input type", "Concrete Inputs")))

    def union_us(self, key, outer=frozenset()):
        """The kernel time of each call that is in none of these operators."""
        return [length(union((d.start, d.end) for d in launched
                             if str(d.args.get("correlation")) in self.trace.launch_flows)) / 1000
                for launched, around in self.found.get(key, []) if not around & outer]

    def alike(self, key):
        """The arguments that share name, shapes and types of the tensors that decide the counts."""
        def decisive(k):
            count = 2 if k[0] == "aten::copy_" else 1
            return k[0], json.loads(k[1])[:count], json.loads(k[2])[:count]

        return [other for other in self.found if other[0] == key[0] and decisive(other) == decisive(key)]

    def left_out(self, key, names):
        """How many calls copy between host and device, or lie in an operator of these names."""
        return sum(any("HtoD" in d.name or "DtoH" in d.name for d in launched) or bool(around & names)
                   for launched, around in self.found.get(key, []))


def close(left, right, relative=2e-6, absolute=0.02):
    if left is None or right is None:
        return left == right
    return math.isclose(left, right, rel_tol=relative, abs_tol=absolute)


def compare(report, name, theirs, document, calls):
    ours = {}
    for row in document["rows"]:
        key = (row["name"], *(json.dumps(row[f]) for f in ("input_shapes", "input_types", "concrete_inputs")))
        if key in ours:
            ours[key]["calls"] += row["calls"]
            ours[key]["time_ns"] += row["time_ns"]
        else:
            ours[key] = dict(row)
    listed = {(row["name"], row["reason"]) for row in document["without_formula"]}
    inner = {row["name"] for row in document["rows"]}
    differences, compared = [], 0
    for key, (flops, size, count, time, tera_flops, tera_bytes) in theirs.items():
        where = f"{key[0]} {key[1][:60]}"
        row = ours.get(key)
        if row is None:
            compared += 1
            differences.append((where, None, count, missing(key, listed, inner, calls)))
            continue
        model = Call(row)
        their_flops, their_bytes, rules = model.expected()
        reasons = rules or None
        union_us = calls.union_us(key)
        if count < len(union_us) and count == row["calls"]:
            union_us = calls.union_us(key, inner)
        left_out = calls.left_out(key, inner)
        joined = name != "unified_perf_summary" and count > len(union_us)
        if joined:
            alike = calls.alike(key)
            union_us = [us for other in alike for us in calls.union_us(other)]
        checks = [("operations", row["flops_per_call"], flops, their_flops, reasons),
                  ("bytes", row["call_bytes"], size, their_bytes, reasons),
                  ("calls", row["calls"], count, len(union_us) if joined else row["calls"] + left_out,
                   [JOINED if joined else SOME_OUTER]),
                  ("kernel us", row["time_ns"] / 1000, time, sum(union_us),
                   [JOINED if joined else SOME_OUTER if left_out else KERNELS]),
                  ("TFLOP/s", rate(row["flops_per_second"]), tera_flops,
                   mean([flops / us / 1e6 for us in union_us if us]), [PER_CALL]),
                  ("TB/s", rate(row["bytes_per_second"]), tera_bytes,
                   mean([size / us / 1e6 for us in union_us if us]) if size else None, [PER_CALL])]
        for what, left, right, modelled, why in checks:
            if right is None and what in ("TFLOP/s", "TB/s"):
                continue
            compared += 1
            if close(left, right, *(2e-6, 1e-9) if "/s" in what else ()):
                continue
            if name == "Reduce_bwd" and what not in ("operations", "bytes"):
                differences.append((f"{where} / {what}", left, right, [BACKWARD]))
                continue
            explained = why if close(modelled, right, *(1e-3, 1e-6) if "/s" in what else ()) else None
            differences.append((f"{where} / {what}", left, right, explained))
    report.table(name, compared, differences)


def missing(key, listed, inner, calls):
    name = key[0]
    if name == "aten::copy_" and (name, "transfer") in listed and key in calls.found:
        return [TRANSFER]
    if (name, "no_formula") in listed or (name, "arguments_missing") in listed:
        return [LISTED]
    if key not in calls.found:
        return [OTHER_FILE]
    if calls.left_out(key, inner) == len(calls.found[key]):
        return [OUTER]
    return [INNER] if calls.inside.get(key, set()) & inner else None


def rate(per_second):
    return per_second / 1e12 if per_second is not None else None


def mean(values):
    return sum(values) / len(values) if values else None


def main():
    csv.field_size_limit(10 ** 9)
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        raise SystemExit("roofline.py checks the program: give its path")
    source, report = Source(options), Report(options.all)
    print("Listed rules of TraceLens:")
    for name, sentence in RULES.items():
        print(f"  {name}: {sentence}")
    root = os.path.join(options.data, "expected", "TraceLens")
    files = glob.glob(os.path.join(root, "**", "*.csv"), recursive=True)
    for folder in sorted({os.path.dirname(path) for path in files}):
        path = trace_of(options.data, os.path.relpath(folder, root))
        tables = [table for table in TABLES if os.path.exists(os.path.join(folder, table + ".csv"))]
        if path is None or not tables or options.only not in path:
            continue
        print(os.path.relpath(path, options.data))
        command = [source.program, "profile", path, "--view", "roofline", "--json", "--quiet"]
        document = json.loads(source.run(command))["roofline"]
        calls = Calls(path)
        for table in tables:
            compare(report, table, table_rows(os.path.join(folder, table + ".csv")), document, calls)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
