#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our figures with the old viewer's own end-to-end fixture, for the run whose trace is available.

The fixture holds five answers per run: overview, operator pies, operator table, kernel table, kernel pie. The second
run's trace is not in the data. Differences must be explained by defects.py, a different order of rows by equal keys.
"""
import json
import os
import sys

from common import Report, Source, TraceWithFlows, arguments
from defects import explainer, same
from old_viewer_cells import our_cells, put_gpu_summary, put_kernels, put_operators, put_overview

FIXTURE = os.path.join("kineto", "tb_plugin", "test", "result_check_file.txt")
TRACE = os.path.join("kineto", "tb_plugin", "samples", "resnet50_num_workers_0",
                     "worker0.1623143089861.pt.trace.json.gz")
PIES = {"device_total_time": "device_total_duration", "device_self_time": "device_self_duration",
        "host_total_time": "host_total_duration", "host_self_time": "host_self_duration"}


def fixture_cells(lines):
    overview, pies, operators, kernels, kernel_pie = lines
    cells = {}
    put_overview(cells, overview)
    put_gpu_summary(cells, overview["gpu_metrics"]["data"])
    put_operators(cells, "operators", operators["data"])
    put_kernels(cells, kernels["data"])
    for pie, column in PIES.items():
        for name, value in pies[pie]["rows"]:
            cells["operator pies", name, column] = value
    for name, value in kernel_pie["total"]["rows"]:
        cells["kernel pie", name, "Total Duration (us)"] = value
    return cells


def order(report, table, ours, theirs, value_of):
    """Rows may stand in another order only where the keys they are sorted by are equal."""
    differences = []
    for mine, other in zip(ours, theirs):
        if mine != other:
            reason = ["equal_keys_in_any_order"] if value_of(mine) == value_of(other) else None
            differences.append((f"row {other[:80]}", mine[:80], other[:80], reason))
    report.table(f"order of {table}", len(theirs), differences)


def main():
    options = arguments(__doc__.split("\n\n")[0])
    source, report = Source(options), Report(options.all)
    traces = os.path.join(options.data, "traces")
    with open(os.path.join(traces, FIXTURE), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file][:5]
    path = os.path.join(traces, TRACE)
    document = source.profile(path)
    theirs = fixture_cells(lines)
    ours = our_cells(document, {"operators": []})
    reasons = explainer(TraceWithFlows(path))
    print(TRACE)
    tables = {}
    for key in list(theirs) + [key for key in ours if key not in theirs and key[0] != "kernel launcher"]:
        tables.setdefault(key[0], []).append(key)
    for table, keys in tables.items():
        differences = []
        for key in keys:
            real = {"operator pies": "operators", "kernel pie": "kernels"}.get(table, table), key[1], key[2]
            if not same(ours.get(real), theirs.get(key)):
                reason = reasons.explain(real, ours.get(real), theirs.get(key))
                differences.append((" / ".join(key[1:]), ours.get(real), theirs.get(key), reason))
        report.table(table, len(keys), differences)
    totals = {row[0]: row[3] for row in lines[3]["data"]["rows"]}
    order(report, "kernels", [row["name"] for row in document["kernels"]], list(totals), totals.get)
    selfs = {row["name"]: row["device_self_duration"] for row in lines[2]["data"]}
    listed = [row["name"] for row in document["operators"] if row["kind"] == "operator" and row["name"] in selfs]
    order(report, "operators", listed, list(selfs), selfs.get)
    print("The other run of the fixture (worker0.1623212756351): its trace is not in the data.")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
