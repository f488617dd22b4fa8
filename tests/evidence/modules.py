#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks time by module: against an independent model of the definitions, and against the old viewer's tables.

Every figure must equal the model's. The rows must sum to all host and device time. A figure of the old viewer may
differ only where its listed defects (defects.py) turn ours into its own.
"""
import glob
import gzip
import json
import os
import sys

from common import Report, Source, TraceWithFlows, arguments
from defects import applicable, same
from explain import Explainer
from modules_model import OUTSIDE, ModuleModel, ModuleTrace
from old_viewer import OldViewer, Shown
from old_viewer_host import is_plain_operator
from tb_plugin import find_trace

COLUMNS = {"occurences": "calls", "operators": "forward_operators", "host_duration": "forward_host_total_ns",
           "self_host_duration": "forward_frame_self_ns", "device_duration": "forward_device_total_ns",
           "self_device_duration": "forward_device_self_ns"}
RECOMPUTED = "modules run again by the backward pass are trees of their own"


def traces_with_modules(data):
    for pattern in ("traces/**/*.json", "traces/**/*.json.gz", "torch/*/*.json", "torch/*/*.json.gz",
                    "lightning/pytorch/*.json.gz"):
        for path in sorted(glob.glob(os.path.join(data, pattern), recursive=True)):
            with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
                text = file.read()
            if b'"traceEvents"' in text and (b'"nn.Module: ' in text or b'"[pl][module]' in text):
                yield path


def old_tables(data):
    """(saved table, its trace) for every table of modules that the old viewer made."""
    folder = os.path.join(data, "expected", "tb_plugin")
    for name in sorted(os.listdir(folder)):
        yield os.path.join(folder, name), find_trace(os.path.join(data, "traces"), name), "module_view"
    for path in sorted(glob.glob(os.path.join(data, "torch", "*", "tb_profiler", "*.tb.json.gz"))):
        stem = os.path.basename(path)[:-len(".tb.json.gz")]
        found = glob.glob(os.path.join(os.path.dirname(os.path.dirname(path)), stem + "*trace.json*"))
        yield path, found[0] if found else None, "module"


def our_table(source, path):
    command = [source.program, "profile", path, "--view", "modules", "--json", "--quiet"]
    return json.loads(source.run(command))["modules"]


class OldModules(OldViewer):
    """The old viewer's table: one row per (name, id), of the calls that no backward operator makes."""

    def outside_modules(self, node):
        """Device time below a node, that of modules aside (an annotation may stand around them)."""
        if node.kind == "module":
            return 0
        if node.kind == "annotation":
            return sum(device.duration for device in node.device) + sum(map(self.outside_modules, node.children))
        return node.device_total

    def cells(self):
        sums = {}
        stack = [child for root in self.roots for child in root.children]
        while stack:
            node = stack.pop()
            if node.kind in ("synthetic", "runtime") or node.name.startswith("autograd::engine::evaluate_function"):
                continue
            stack += node.children
            if node.kind != "module":
                continue
            row = sums.setdefault(f"{node.name[len('nn.Module: '):]} {node.args['Python module id']}", [0] * 6)
            own = sum(device.duration for device in node.device) + sum(map(self.outside_modules, node.children))
            operators = sum(is_plain_operator(child.kind, child.name) for child in node.children)
            for i, value in enumerate((1, operators, node.duration, node.host_self, node.device_total, own)):
                row[i] += value
        return {("modules", name, column): value if i < 2 else Shown(self.us(value), 3)
                for name, row in sums.items() for i, (column, value) in enumerate(zip(COLUMNS, row))}


def our_instances(rows):
    cells = {}
    for row in rows:
        if row["class"] is not None:
            for column, field in COLUMNS.items():
                key = ("modules", f"{row['name']} {row['module_id']}", column)
                value = row[field] if not field.endswith("_ns") else row[field] / 1000
                cells[key] = cells.get(key, 0) + value
    return {key: Shown(value, 3) if key[2] not in ("occurences", "operators") else value
            for key, value in cells.items()}


def check_model(source, report, data, only):
    print("Our table and the independent model:")
    for path in traces_with_modules(data):
        if only not in path:
            continue
        document = our_table(source, path)
        trace = ModuleTrace(path)
        expected = ModuleModel(trace).rows()
        ours = {row["path"]: row for row in document["rows"]}
        differences = []
        compared = 0
        for name in sorted(set(ours) | set(expected)):
            left, right = ours.get(name, {}), expected.get(name, {})
            for field in right or left:
                compared += 1
                if left.get(field) != right.get(field):
                    differences.append((f"{name} / {field}", left.get(field), right.get(field), None))
        device = sum(e.duration for e in trace.of_kind("kernel", "memcpy", "memset"))
        sums = {"device time": (sum(row["device_self_ns"] for row in ours.values()), device),
                "host time": (sum(row["host_self_ns"] for row in ours.values()), document["host_ns"])}
        differences += [(f"sum of the rows' {what}", left, right, None)
                        for what, (left, right) in sums.items() if left != right]
        report.table(os.path.relpath(path, data), compared + len(sums), differences)


def check_old_viewer(source, report, data, only):
    print("Our table and the old viewer's:")
    for saved, path, key in old_tables(data):
        if path is None or only not in path:
            continue
        with gzip.open(saved) as file:
            table = json.load(file).get(key)
        if not table:
            continue
        document = our_table(source, path)
        theirs, paths = {}, set()
        stack = [(row, "") for row in table["data"]]
        while stack:
            row, above = stack.pop()
            place = f"{above}.{row['name']}" if above else row["name"]
            paths.add(place)
            stack += [(child, place) for child in row["children"]]
            for column in COLUMNS:
                theirs["modules", f"{row['name']} {row['id']}", column] = row[column]
        trace = TraceWithFlows(path)
        ours = our_instances(document["rows"])
        reasons = Explainer(lambda on, t=trace: OldModules(t, on).cells(), applicable(trace), same, {"modules_nested"})
        differences = []
        for cell in list(theirs) + [cell for cell in ours if cell not in theirs]:
            left, right = ours.get(cell), theirs.get(cell)
            if not same(left, right):
                differences.append((" / ".join(cell[1:]), left, right, reasons.explain(cell, left, right)))
        report.table(os.path.relpath(path, data), len(theirs), differences)
        # The places: ours has each instance where it is called, theirs repeats its sums there.
        our_paths = {row["path"] for row in document["rows"]} - {OUTSIDE}
        recomputed = {row["path"].rpartition(".")[2] for row in document["rows"] if row["recomputed_calls"]}
        places = []
        for place in sorted(our_paths ^ paths):
            again = place in paths and place.split(".")[0] in recomputed
            places.append((place, place in our_paths, place in paths, [RECOMPUTED] if again else None))
        report.table("  places", len(our_paths | paths), places)


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        raise SystemExit("modules.py checks the program: give its path")
    source, report = Source(options), Report(options.all)
    check_model(source, report, options.data, options.only)
    check_old_viewer(source, report, options.data, options.only)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
