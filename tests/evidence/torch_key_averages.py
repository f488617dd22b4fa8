#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our operator figures with torch's own key_averages, to the nanosecond and the byte.

Twice: by the contract's definitions, where every difference must follow from a listed rule of torch (torch_rules.py);
and as `--like torch`, where only what the file does not tell (which ranges are asynchronous) may differ.
"""
import gzip
import json
import operator
import os
import sys

from common import Report, Source, TraceWithFlows, arguments
from explain import Explainer
from torch_rules import COLUMNS, RULES, TorchModel

FIELDS = ("calls", "host_total_ns", "host_self_ns", "memory_total_bytes", "memory_self_bytes", "flops")
NOT_IN_FILE = "async_outside_tree"


def load(path):
    for candidate, opener in ((path, open), (path + ".gz", gzip.open)):
        if os.path.exists(candidate):
            with opener(candidate, "rt", encoding="utf-8") as file:
                return json.load(file)
    return None


def cases(folder):
    """(label, trace path, key_averages, by shape or None, settings) of every capture with known results."""
    for directory in sorted(os.listdir(folder)):
        where = os.path.join(folder, directory)
        if not os.path.isdir(where):
            continue
        for name in sorted(os.listdir(where)):
            if not name.endswith(".meta.json"):
                continue
            tag = name[:-len(".meta.json")]
            meta = load(os.path.join(where, name))
            settings = meta.get("profiler_kwargs", {})
            rows = load(os.path.join(where, tag + ".key_averages.json"))
            shapes = load(os.path.join(where, tag + ".key_averages_shapes.json"))
            traces = [meta["trace"]] if "trace" in meta else [tag + ".trace.json"]
            for trace in traces + [tag + ".pyexport.trace.json"]:
                for path in (os.path.join(where, trace), os.path.join(where, trace + ".gz")):
                    if os.path.exists(path):
                        yield f"{directory}/{os.path.basename(path)}", path, rows, shapes, settings


def put_expected(cells, table, rows, key, settings):
    for row in rows:
        for column in COLUMNS:
            if comparable(column, settings):
                value = round(row[column] * 1000) if "time" in column else row[column]
                cells[table, key(row), column] = cells.get((table, key(row), column), 0) + value


def comparable(column, settings):
    """torch prints 0 for what was not asked for; those columns say nothing."""
    if "memory" in column:
        return settings.get("profile_memory", False)
    return column != "flops" or settings.get("with_flops", False)


def put_ours(cells, table, rows, key, settings):
    for row in rows:
        for column, field in zip(COLUMNS, FIELDS):
            if comparable(column, settings):
                value = row[field]
                if value is not None:
                    value += cells.get((table, key(row), column)) or 0
                else:
                    value = cells.get((table, key(row), column))
                cells[table, key(row), column] = value


def compare(report, label, ours, theirs, reasons):
    print(label)
    tables = {}
    for key in list(theirs) + [key for key in ours if key not in theirs]:
        tables.setdefault(key[0], []).append(key)
    for table, keys in tables.items():
        differences = []
        for key in keys:
            if ours.get(key) != theirs.get(key):
                reason = reasons.explain(key, ours.get(key), theirs.get(key))
                differences.append((f"{key[1]} / {key[2]}", ours.get(key), theirs.get(key), reason))
        report.table(table, len(keys), differences)


def main():
    options = arguments(__doc__.split("\n\n")[0])
    source, report = Source(options), Report(options.all)
    print("Listed rules of torch:")
    for name, sentence in RULES.items():
        print(f"  {name}: {sentence}")
    for label, path, rows, shapes, settings in cases(os.path.join(options.data, "torch")):
        if options.only not in label:
            continue
        trace = TraceWithFlows(path)
        async_names = {row["key"] for row in rows if row["is_async"]}

        def model(rules):
            cells = TorchModel(trace, rules, async_names).cells()
            return {key: value for key, value in cells.items()
                    if comparable(key[2], settings) and (shapes or key[0] != "by shape")}

        theirs = {}
        put_expected(theirs, "key_averages", rows, lambda row: row["key"], settings)
        if shapes:
            put_expected(theirs, "by shape", shapes, lambda row: f"{row['key']} {row['input_shapes']}", settings)
        for like_torch in (False, True):
            base = set(RULES) - {NOT_IN_FILE} if like_torch else set()
            reasons = Explainer(model, RULES, operator.eq, base)
            if like_torch and source.program is None:
                ours = model(base)
            else:
                ours = {}
                document = source.profile(path, like_torch=like_torch)
                put_ours(ours, "key_averages", document["operators"], lambda row: row["name"], settings)
                if shapes:
                    by_shape = source.profile(path, "shape", like_torch)
                    put_ours(ours, "by shape", by_shape["operators"],
                             lambda row: f"{row['name']} {row['input_shapes']}", settings)
            compare(report, f"{label} ({'--like torch' if like_torch else 'contract'})", ours, theirs, reasons)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
