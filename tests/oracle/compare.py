#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `telltale profile` with the oracle on every trace given, and reports each kind of difference.

Exact for integers, strings, nulls and the order of rows; floating-point numbers to 1e-9. Rows are matched by identity,
so one missing row is one difference and not a shift of all that follow. Exit code 1 on any difference.
"""
import argparse
import json
import math
import subprocess
import sys

from contract_profile import TENSOR_CORE_FIELDS, Profile

SECTIONS = ("files", "diagnostics", "devices", "steps", "operators", "kernels")
COUNTED_DIAGNOSTICS = ("partial_overlap", "launch_missing")


class Differences:
    def __init__(self, examples):
        self.examples = examples
        self.kinds = {}

    def add(self, kind, where, ours, oracle):
        self.kinds.setdefault(kind, []).append((where, ours, oracle))

    def print(self):
        for kind, found in self.kinds.items():
            print(f"  {kind}: {len(found)}")
            for where, ours, oracle in found[:self.examples]:
                print(f"    {where}: telltale {short(ours)}, oracle {short(oracle)}")


def short(value):
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:200] + "…"


def equal(left, right):
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, float) or isinstance(right, float):
        return (isinstance(left, (int, float)) and isinstance(right, (int, float))
                and math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9))
    return type(left) is type(right) and left == right


def compare_fields(found, section, where, ours, oracle):
    """Every field the oracle has; more fields are allowed."""
    for field, expected in oracle.items():
        if field in TENSOR_CORE_FIELDS:
            continue
        if field not in ours:
            found.add(f"{section}.{field} missing", where, None, expected)
        elif isinstance(expected, dict):
            compare_fields(found, f"{section}.{field}", where, ours[field] or {}, expected)
        elif isinstance(expected, list):
            if ours[field] != expected:
                found.add(f"{section}.{field}", where, ours[field], expected)
        elif not equal(ours[field], expected):
            found.add(f"{section}.{field}", where, ours[field], expected)


def identity(section, row):
    if section == "operators":
        return (row.get("name"), row.get("kind"), json.dumps(row.get("input_shapes")), row.get("stack"))
    if section == "steps.other_inside":
        return (row.get("what"), row.get("kind"))
    return (row.get({"devices": "id", "files": "path"}.get(section, "name")),)


def keyed(section, rows):
    """Rows by identity; a repeated identity gets a number."""
    result, seen = {}, {}
    for row in rows:
        key = identity(section, row)
        seen[key] = seen.get(key, 0) + 1
        result[key + (seen[key],)] = row
    return result


def compare_rows(found, section, ours, oracle):
    ours, oracle = keyed(section, ours), keyed(section, oracle)
    for key, row in oracle.items():
        if key in ours:
            compare_fields(found, section, " ".join(map(str, key[:-1])), ours[key], row)
        else:
            found.add(f"{section}: row missing", key[0], None, row)
    for key, row in ours.items():
        if key not in oracle:
            found.add(f"{section}: row too many", key[0], row, None)
    left, right = [key for key in ours if key in oracle], [key for key in oracle if key in ours]
    for position, (mine, expected) in enumerate(zip(left, right)):
        if mine != expected:
            found.add(f"{section}: order", f"row {position}", mine[0], expected[0])


def compare_documents(ours, oracle, examples=3):
    found = Differences(examples)
    for section in SECTIONS:
        if section not in ours:
            found.add(f"{section}: section missing", "", None, None)
        elif section == "steps":
            lists = ("rows", "other_inside")
            summary = {key: value for key, value in oracle["steps"].items() if key not in lists}
            compare_fields(found, "steps", "", ours["steps"], summary)
            for key in lists:
                compare_rows(found, f"steps.{key}", ours["steps"].get(key, []), oracle["steps"][key])
        elif section == "diagnostics":
            for kind in COUNTED_DIAGNOSTICS:
                counts = [sum(row["count"] for row in document["diagnostics"] if row["kind"] == kind)
                          for document in (ours, oracle)]
                if counts[0] != counts[1]:
                    found.add("diagnostics.count", kind, counts[0], counts[1])
        else:
            compare_rows(found, section, ours[section], oracle[section])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("telltale", help="the telltale program")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--examples", type=int, default=3, help="examples per kind of difference")
    parser.add_argument("--step-annotation", metavar="REGEX")
    options = parser.parse_args()
    failed = False
    for path in options.files:
        try:
            profile = Profile(path, options.step_annotation)
        except (OSError, EOFError, ValueError) as error:
            print(f"{path}: the oracle cannot read it ({error}); not compared")
            continue
        for group_by in ("name", "shape", "stack"):
            command = [options.telltale, "profile", path, "--json", "--group-by", group_by]
            if options.step_annotation:
                command += ["--step-annotation", options.step_annotation]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            if done.returncode != 0:
                print(f"{path} ({group_by}): exit code {done.returncode}")
                failed = True
                continue
            oracle = json.loads(json.dumps(profile.document(group_by), default=str))
            found = compare_documents(json.loads(done.stdout), oracle, options.examples)
            print(f"{path} ({group_by}): {'different' if found.kinds else 'equal'}", flush=True)
            found.print()
            failed = failed or bool(found.kinds)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
