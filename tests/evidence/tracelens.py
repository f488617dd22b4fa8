#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recomputes TraceLens's gpu_timeline.csv and kernel_summary.csv from our event dump and compares them.

Every difference must follow from a listed rule of TraceLens (tracelens_model.py), else the script fails.
"""
import csv
import math
import os
import sys

from common import Report, Source, TraceWithFlows, arguments
from explain import Explainer
from tracelens_model import RULES, TraceLensModel

STATISTICS = {"sum": sum, "count": len, "mean": lambda d: sum(d) / len(d), "min": min, "max": max}
SPECIAL = {"inference/sglang_decode/perf_csvs": "inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz",
           "inference/vllm_decode_full/perf_csvs": "inference/vllm_decode_full/graph_execution.json.gz"}


def trace_of(data, folder):
    """The trace a report was made from: `<trace>[_recompute]_perf_report_csvs`, with two exceptions."""
    name = SPECIAL.get(folder.replace(os.sep, "/"))
    if name is None:
        name = folder.replace("_perf_report_csvs", "").replace("_recompute", "") + ".json.gz"
    path = os.path.join(data, "traces", "TraceLens", name)
    return path if os.path.exists(path) else None


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def expected_cells(folder):
    cells = {}
    for row in read_csv(os.path.join(folder, "gpu_timeline.csv")):
        cells["gpu_timeline", f"{row['type']} {row.get('is_recompute', '')}".strip(), "ms"] = float(row["time ms"])
    summary = os.path.join(folder, "kernel_summary.csv")
    with_parent = True
    if os.path.exists(summary):
        for row in read_csv(summary):
            with_parent = "Parent cpu_op" in row
            key = " | ".join((row.get("Parent cpu_op", ""), row["Kernel name"], row["Kernel stream"]))
            for name in STATISTICS:
                cells["kernel_summary", key, name] = float(row[f"Kernel duration (µs)_{name}"])
    return cells, os.path.exists(summary), with_parent


def model_cells(rows, trace, rules, split, has_summary, with_parent):
    model = TraceLensModel(rows, trace, rules)
    cells = {}
    for (kind, flag), time in model.timeline(split).items():
        cells["gpu_timeline", f"{kind} {flag}".strip(), "ms"] = time
    if has_summary:
        for key, durations in model.kernels(with_parent).items():
            for name, function in STATISTICS.items():
                cells["kernel_summary", " | ".join(key), name] = float(function(durations))
    return cells


def same(left, right):
    if left is None or right is None:
        return left is right
    return math.isclose(left, right, rel_tol=1e-11, abs_tol=1e-10)


def main():
    options = arguments(__doc__.split("\n\n")[0])
    source, report = Source(options), Report(options.all)
    print("Listed rules of TraceLens:")
    for name, sentence in RULES.items():
        print(f"  {name}: {sentence}")
    root = os.path.join(options.data, "expected", "TraceLens")
    for folder, _, files in sorted(os.walk(root)):
        label = os.path.relpath(folder, root)
        if "gpu_timeline.csv" not in files or options.only not in label:
            continue
        path = trace_of(options.data, label)
        if path is None:
            print(f"{label}: its trace is not in the data")
            continue
        theirs, has_summary, with_parent = expected_cells(folder)
        split = any("True" in key[1] for key in theirs if key[0] == "gpu_timeline")
        rows = list(source.events(path))
        trace = TraceWithFlows(path)

        def cells_of(rules):
            return model_cells(rows, trace, rules, split, has_summary, with_parent)

        ours = cells_of(frozenset())
        reasons = Explainer(cells_of, RULES, same)
        print(label)
        tables = {}
        for key in list(theirs) + [key for key in ours if key not in theirs]:
            tables.setdefault(key[0], []).append(key)
        for table, keys in tables.items():
            differences = [(f"{key[1][:160]} / {key[2]}", ours.get(key), theirs.get(key),
                            reasons.explain(key, ours.get(key), theirs.get(key)))
                           for key in keys if not same(ours.get(key), theirs.get(key))]
            report.table(table, len(keys), differences)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
