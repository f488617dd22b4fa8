#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the annotations section, and --inside, with a second implementation of their definitions on all traces.

Definitions: docs/analyses/annotations.md.
"""
import json
import os
import re
import sys

from common import Report, Source, arguments
from device_side import link_launches
from host_tree import fold_only_children, nest
from steps import find_steps
from trace_reader import DEVICE_KINDS, Trace

STEPS = "ProfilerStep*"


class Model(Trace):
    def keep_raw(self, raw_events):
        host, _ = nest(self)
        link_launches(self)
        folded = fold_only_children(host)
        self.device_events = self.of_kind(*DEVICE_KINDS)
        self.source, self.steps = find_steps(host, self.device_events)
        self.ranges = [event for event in folded if event.kind == "annotation"]
        self.host = folded

    def around(self, event):
        """The innermost range above a host event, itself included."""
        event = event.folded_into or event
        while event is not None and event.kind != "annotation":
            event = event.parent
        return event

    def above(self, event):
        return self.around(event.parent) if event.parent is not None else None

    def owners(self):
        """Device events by range (index), launches of threads without a range by the range that started last."""
        owned, elsewhere = {}, []
        for event in self.device_events:
            if event.launch is None:
                continue
            owner = self.around(event.launch)
            if owner is None:
                elsewhere.append(event)
            else:
                owned.setdefault(owner.index, []).append(event)
        by_start = sorted(self.ranges, key=lambda e: (e.start, -e.end))
        position, still_open = 0, []
        for event in sorted(elsewhere, key=lambda e: e.launch.start):
            now = event.launch.start
            while position < len(by_start) and by_start[position].start <= now:
                still_open.append(by_start[position])
                position += 1
            still_open = [other for other in still_open if other.end > now]
            if still_open:
                owned.setdefault(still_open[-1].index, []).append(event)
        return owned

    def rows(self):
        owned = self.owners()
        self_ns = {e.index: sum(d.duration for d in owned.get(e.index, [])) for e in self.ranges}
        total_ns, inside_ns = dict(self_ns), {e.index: 0 for e in self.ranges}
        order = sorted(self.ranges, key=lambda e: (e.start, -e.duration, e.index))
        for event in reversed(order):
            outer = self.above(event)
            if outer is not None:
                total_ns[outer.index] += total_ns[event.index]
                inside_ns[outer.index] += event.duration
        rows = {}
        for event in order:
            name = STEPS if re.fullmatch(r"ProfilerStep#\d+", event.name) else event.name
            row = rows.setdefault(name, {"calls": 0, "host_total_ns": 0, "host_self_ns": 0, "device_total_ns": 0,
                                         "device_self_ns": 0, "min_ns": event.duration, "max_ns": event.duration,
                                         "first_start_ns": event.start + self.base_ns})
            row["calls"] += 1
            row["host_total_ns"] += event.duration
            row["host_self_ns"] += event.duration - inside_ns[event.index]
            row["device_total_ns"] += total_ns[event.index]
            row["device_self_ns"] += self_ns[event.index]
            row["min_ns"] = min(row["min_ns"], event.duration)
            row["max_ns"] = max(row["max_ns"], event.duration)
            row["first_start_ns"] = min(row["first_start_ns"], event.start + self.base_ns)
        return rows

    def inside(self, name):
        """Kernel calls by name that are launched inside ranges of a name."""
        chosen = [(e.start, e.end) for e in self.of_kind("annotation") if e.name == name]
        counts = {}
        for event in self.device_events:
            if event.kind == "kernel" and event.launch and any(a <= event.launch.start < b for a, b in chosen):
                counts[event.name] = counts.get(event.name, 0) + 1
        return counts


def traces(data, only):
    for folder in ("traces", "torch", "lightning"):
        for root, _, files in sorted(os.walk(os.path.join(data, folder))):
            for file in sorted(files):
                path = os.path.join(root, file)
                if only in path and file.endswith((".json", ".json.gz")):
                    yield path


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        print("The oracle has no annotations section: nothing to compare.")
        return 0
    report, compared = Report(options.all), 0
    for path in traces(options.data, options.only):
        try:
            model = Model(path)
        except (ValueError, KeyError, TypeError):
            continue        # no trace
        if not model.ranges:
            continue
        print(os.path.relpath(path, options.data))
        compared += 1
        document = json.loads(Source.run([options.telltale, "profile", path, "--json", "--view", "annotations"]))
        ours = {row["name"]: row for row in document["annotations"]["rows"]}
        theirs = model.rows()
        differences = [(f"{name} / {key}", ours.get(name, {}).get(key), value, None)
                       for name, row in theirs.items() for key, value in row.items()
                       if ours.get(name, {}).get(key) != value]
        differences += [(name, "a row", None, None) for name in ours if name not in theirs]
        report.table("annotations", 8 * len(theirs), differences)
        longest = max(model.ranges, key=lambda e: e.duration)
        document = json.loads(Source.run([options.telltale, "profile", path, "--json", "--view", "kernels", "--inside",
                                          f"^{re.escape(longest.name)}$"]))
        ours = {}
        for row in document["kernels"]:
            ours[row["name"]] = ours.get(row["name"], 0) + row["calls"]
        theirs = model.inside(longest.name)
        report.table(f"kernels inside {longest.name[:40]}", len(theirs),
                     [(name, ours.get(name), theirs.get(name), None) for name in set(ours) | set(theirs)
                      if ours.get(name) != theirs.get(name)])
    print(f"{compared} traces compared.")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
