#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our operator, kernel, step and GPU figures with the saved output of the old TensorBoard viewer.

Every difference must be explained by the listed defects (defects.py); one that is not makes the script fail.
"""
import gzip
import json
import os
import sys

from common import Report, Source, TraceWithFlows, arguments
from defects import DEFECTS, explainer, same
from old_viewer_cells import golden_cells, our_cells


def find_trace(traces, golden_name):
    """`a__b__c.json.gz.golden.json.gz` is the output for a/b/c.json.gz; names may hold `__` themselves."""
    wanted = golden_name[:-len(".golden.json.gz")]
    for folder, _, files in os.walk(traces):
        for file in files:
            path = os.path.join(folder, file)
            if os.path.relpath(path, traces).replace(os.sep, "__") == wanted:
                return path
    return None


def main():
    options = arguments(__doc__.split("\n\n")[0])
    source, report = Source(options), Report(options.all)
    print("Listed defects of the old viewer:")
    for name, sentence in DEFECTS.items():
        print(f"  {name}: {sentence}")
    folder = os.path.join(options.data, "expected", "tb_plugin")
    traces = os.path.join(options.data, "traces")
    compared_files = 0
    for golden_name in sorted(os.listdir(folder)):
        if not golden_name.endswith(".golden.json.gz") or options.only not in golden_name:
            continue
        path = find_trace(traces, golden_name)
        if path is None:
            print(f"{golden_name}: its trace is not in the data")
            continue
        with gzip.open(os.path.join(folder, golden_name)) as file:
            theirs = golden_cells(json.load(file))
        ours = our_cells(source.profile(path), source.profile(path, "shape"))
        reasons = explainer(TraceWithFlows(path))
        print(os.path.relpath(path, traces))
        compared_files += 1
        tables = {}
        for key in list(theirs) + [key for key in ours if key not in theirs]:
            tables.setdefault(key[0], []).append(key)
        for table, keys in tables.items():
            differences = []
            for key in keys:
                left, right = ours.get(key), theirs.get(key)
                if not same(left, right):
                    differences.append((" / ".join(key[1:]), left, right, reasons.explain(key, left, right)))
            report.table(table, len(keys), differences)
    print(f"{compared_files} traces compared.")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
