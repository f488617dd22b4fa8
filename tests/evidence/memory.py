#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the memory section with a second implementation of its definitions, and with the old TensorBoard viewer.

The second implementation (memory_model.py) reads the raw JSON and is written for clarity, not speed. The old viewer's
statistics must be the same up to its listed defects; one that is not explained makes the script fail.
"""
import csv
import gzip
import io
import json
import os
import sys

from common import Report, Source, arguments
from memory_model import MemoryTrace
from memory_old_viewer import DEFECTS, compare_with_old_viewer
from tb_plugin import find_trace

FOLDERS = ("traces", "torch", "lightning", "other_profilers")


def traces_with_memory(data, only):
    for folder in FOLDERS:
        for root, _, files in sorted(os.walk(os.path.join(data, folder))):
            for file in sorted(files):
                path = os.path.join(root, file)
                if only not in path or not file.endswith((".json", ".json.gz")):
                    continue
                with open(path, "rb") as opened:
                    raw = opened.read()
                text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
                if b'"[memory]"' in text and b'"traceEvents"' in text:
                    yield path


# Words for what is compared beside them: a device by its name, who asked for a block, and a sentence (sentences.py reads it).
WORDS = ("device", "owner", "sentence")


def flat(prefix, value, cells):
    """Every number and text of a JSON value under its path, but for WORDS."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key not in WORDS:
                flat(f"{prefix}.{key}", part, cells)
    elif isinstance(value, list):
        cells[f"{prefix}.length"] = len(value)
        for index, part in enumerate(value):
            flat(f"{prefix}[{index}]", part, cells)
    else:
        cells[prefix] = value


def compare(ours, theirs):
    mine, other = {}, {}
    flat("", ours, mine)
    flat("", theirs, other)
    keys = list(mine) + [key for key in other if key not in mine]
    return len(keys), [(key, mine.get(key, "absent"), other.get(key, "absent"), None)
                       for key in keys if mine.get(key, "absent") != other.get(key, "absent")]


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        print("The oracle has no memory section: nothing to compare.")
        return 0
    report = Report(options.all)
    compared = 0
    for path in traces_with_memory(options.data, options.only):
        print(os.path.relpath(path, options.data))
        compared += 1
        model = MemoryTrace(path)
        document = json.loads(Source.run([options.telltale, "profile", path, "--json", "--view", "memory"]))
        report.table("devices", *compare(document["memory"]["devices"], model.devices()))
        report.table("leaks", *compare(document["memory"]["leaks"], model.leaks()))
        text = Source.run([options.telltale, "profile", path, "--csv", "--view", "memory"])
        report.table("allocations", *compare(list(csv.DictReader(io.StringIO(text))), model.allocation_texts()))
    print("Listed defects of the old viewer:")
    for name, sentence in DEFECTS.items():
        print(f"  {name}: {sentence}")
    folder = os.path.join(options.data, "expected", "tb_plugin")
    for golden in sorted(os.listdir(folder)):
        if not golden.endswith(".golden.json.gz") or options.only not in golden:
            continue
        with gzip.open(os.path.join(folder, golden)) as file:
            expected = json.load(file)
        path = find_trace(os.path.join(options.data, "traces"), golden)
        if "memory_stats" not in expected or path is None:
            continue
        print(golden)
        document = json.loads(Source.run([options.telltale, "profile", path, "--json", "--view", "memory",
                                          "--allocations"]))
        compare_with_old_viewer(document["memory"], expected, MemoryTrace(path), report)
    print(f"{compared} traces compared.")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
