#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `telltale query` with the same SQL on ordinary SQLite tables that Python fills from the raw JSON.

The ordinary tables hold what the oracle (tests/oracle) reads and derives; their columns have the names and types of
telltale's. The queries are a fixed list, and random ones over the columns that both have, from a fixed seed. Rows must be
equal to the last digit, and in order where the query asks for one.
"""
import fractions
import glob
import json
import marshal
import os
import random
import re
import sqlite3
import subprocess
import sys

from common import arguments
from oracle_path import ORACLE  # noqa: F401
import contract_profile
from device_side import device_of, is_communication
from host_tree import enclosing_operator
from trace_reader import DEVICE_KINDS

LARGEST_BYTES = 8_000_000
RANDOM_QUERIES = 25

EVENT_COLUMNS = {
    "id": "INTEGER", "file": "INTEGER", "kind": "TEXT", "category": "TEXT", "name": "TEXT", "pid": "", "tid": "",
    "start_ns": "INTEGER", "duration_ns": "INTEGER", "end_ns": "INTEGER", "device": "INTEGER", "correlation": "INTEGER",
    "step": "TEXT", "operator_id": "INTEGER", "operator": "TEXT",
}
OPERATOR_COLUMNS = {
    "id": "INTEGER", "kind": "TEXT", "name": "TEXT", "start_ns": "INTEGER", "host_total_ns": "INTEGER",
    "host_self_ns": "INTEGER", "device_total_ns": "INTEGER", "device_self_ns": "INTEGER", "parent_id": "INTEGER",
    "parent": "TEXT", "depth": "INTEGER", "step": "TEXT",
}
KERNEL_COLUMNS = {
    "id": "INTEGER", "kind": "TEXT", "name": "TEXT", "device": "INTEGER", "start_ns": "INTEGER",
    "duration_ns": "INTEGER", "end_ns": "INTEGER", "correlation": "INTEGER", "launch_id": "INTEGER", "launch": "TEXT",
    "launch_delay_ns": "INTEGER", "operator_id": "INTEGER", "operator": "TEXT", "step": "TEXT",
}
STEP_COLUMNS = {
    "number": "INTEGER", "name": "TEXT", "start_ns": "INTEGER", "duration_ns": "INTEGER", "complete": "INTEGER",
    "kernel_ns": "INTEGER", "memcpy_ns": "INTEGER", "memset_ns": "INTEGER", "communication_ns": "INTEGER",
    "runtime_ns": "INTEGER", "dataloader_ns": "INTEGER", "cpu_exec_ns": "INTEGER", "other_ns": "INTEGER",
}
MEMORY_COLUMNS = {"pid": "", "tid": "", "time_ns": "INTEGER", "bytes": "INTEGER"}

FIXED = [
    "SELECT kind, count(*), sum(duration_ns), min(start_ns), max(end_ns) FROM events GROUP BY kind",
    "SELECT name, kind, count(*) AS n, sum(duration_ns) AS total FROM events GROUP BY name, kind ORDER BY total DESC, name, kind",
    "SELECT tid, count(*) FROM events GROUP BY tid ORDER BY tid",
    "SELECT step, kind, sum(duration_ns) FROM events GROUP BY step, kind",
    "SELECT operator, count(*), sum(duration_ns) FROM events WHERE kind IN ('kernel', 'memcpy', 'memset') GROUP BY operator",
    "SELECT name, start_ns FROM events ORDER BY duration_ns DESC, name, id LIMIT 50",
    "SELECT DISTINCT category FROM events ORDER BY category DESC",
    "SELECT count(*) FROM events WHERE name LIKE '%ADD%'",
    "SELECT count(*), sum(duration_ns) FROM events WHERE name GLOB 'aten::*' AND duration_ns BETWEEN 1000 AND 50000",
    "SELECT * FROM steps ORDER BY number",
    "SELECT name, kind, count(*), sum(host_total_ns), sum(host_self_ns), sum(device_total_ns), sum(device_self_ns) FROM operators "
    "GROUP BY name, kind",
    "SELECT parent, depth, count(*) FROM operators GROUP BY parent, depth",
    "SELECT o.name, count(*), sum(k.duration_ns), max(k.launch_delay_ns) FROM kernels k JOIN operators o ON o.id = k.operator_id "
    "GROUP BY o.name",
    "SELECT r.name, k.kind, count(*), sum(k.start_ns - r.end_ns = k.launch_delay_ns) FROM kernels k JOIN events r ON r.id = k.launch_id "
    "GROUP BY r.name, k.kind",
    "SELECT r.name, count(*) FROM kernels k JOIN events r ON r.correlation = k.correlation AND r.kind = 'runtime' GROUP BY r.name",
    "SELECT k.id, o.id FROM kernels k LEFT JOIN operators o ON o.id = k.operator_id ORDER BY k.id LIMIT 2000",
    "SELECT s.name, count(*), sum(e.duration_ns) FROM steps s JOIN events e ON e.start_ns >= s.start_ns AND e.start_ns < s.start_ns + "
    "s.duration_ns GROUP BY s.number ORDER BY s.number",
    "SELECT name, start_ns - lag(start_ns) OVER (PARTITION BY name ORDER BY start_ns, id) AS gap FROM kernels ORDER BY id LIMIT 3000",
    "WITH RECURSIVE up(id, top) AS (SELECT id, id FROM operators WHERE parent_id IS NULL UNION ALL SELECT o.id, up.top FROM operators o "
    "JOIN up ON o.parent_id = up.id) SELECT top, count(*) FROM up GROUP BY top ORDER BY top LIMIT 1000",
    "SELECT name, host_self_ns FROM operators WHERE id IN (SELECT operator_id FROM kernels) ORDER BY host_self_ns, id LIMIT 200",
    "SELECT tid, count(*), sum(bytes), min(time_ns) FROM memory GROUP BY tid",
    "SELECT e.step, e.name, max(e.duration_ns) FROM events e WHERE e.kind = 'operator' AND e.step IS NOT NULL GROUP BY e.step, e.name "
    "HAVING count(*) > 2 ORDER BY 3 DESC, 2, 1 LIMIT 100",
]


def number_or_text(text):
    return int(text) if re.fullmatch(r"-?\d+", text) and -2**63 < int(text) < 2**63 else text


def integer(value):
    """As SQLite keeps it: a signed 64-bit integer, or None."""
    try:
        value = int(value)
    except (TypeError, ValueError):
        return None
    return value - 2**64 if value >= 2**63 else value


class Ordinary:
    """A trace in ordinary tables."""

    def __init__(self, profile):
        self.profile = profile
        trace = profile.trace
        self.events = sorted(trace.events, key=lambda event: event.index)
        self.number = {id(event): i for i, event in enumerate(self.events)}
        self.connection = sqlite3.connect(":memory:")
        base = trace.base_ns
        memory_rows = [(number_or_text(pid), number_or_text(tid), time + base, size)
                       for (pid, tid), time, size in trace.memory]
        self.fill("events", EVENT_COLUMNS, map(self.event_row, self.events))
        calls = [e for e in profile.host_events if e.kind != "runtime"]
        calls.sort(key=lambda event: event.index)
        self.device_total = {}
        self.fill("operators", OPERATOR_COLUMNS, map(self.operator_row, calls))
        self.fill("kernels", KERNEL_COLUMNS, map(self.kernel_row, [e for e in self.events if e.kind in DEVICE_KINDS]))
        section = profile.step_section()
        parts = ("kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu_exec", "other")
        self.fill("steps", STEP_COLUMNS, [
            (i + 1, row["name"], row["start_ns"], row["duration_ns"], int(row["complete"]), *(row["categories"][p] for p in parts))
            for i, row in enumerate(section["rows"])])
        self.fill("memory", MEMORY_COLUMNS, memory_rows)

    def fill(self, table, columns, rows):
        names = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        self.connection.execute(f"CREATE TABLE {table}({names})")
        marks = ", ".join("?" * len(columns))
        self.connection.executemany(f"INSERT INTO {table} VALUES({marks})", rows)

    def step_of(self, event):
        """Of the steps whose host event covers the moment, the one that began last (ties: as listed)."""
        if event is None:
            return None
        found = None
        for step in self.profile.steps:
            if self.profile.step_source == "whole_trace":
                return step.name
            if step.host_start <= event.start < step.host_end:
                found = step.name
        return found

    def step_of_any(self, event):
        if event.kind in DEVICE_KINDS:
            if self.profile.step_source == "whole_trace":
                return self.profile.steps[0].name
            return self.step_of(event.launch)
        return self.step_of(event) if event.kind in ("operator", "annotation", "runtime", "python") else None

    def owner(self, event):
        if event.kind in DEVICE_KINDS:
            return enclosing_operator(event.launch) if event.launch is not None else None
        return enclosing_operator(event) if event.kind in ("operator", "annotation", "runtime") else None

    def event_row(self, event):
        owner = self.owner(event)
        base = self.profile.trace.base_ns
        linked = event.kind in DEVICE_KINDS + ("runtime", "sync")
        device = None
        if event.kind in DEVICE_KINDS:
            device = device_of(event)
        elif event.kind == "sync":
            device = integer(event.args.get("device"))
        return (self.number[id(event)], 0, event.kind, event.category, event.name, number_or_text(event.thread[0]),
                number_or_text(event.thread[1]), event.start + base, event.duration, event.end + base, device,
                integer(event.args.get("correlation")) if linked else None, self.step_of_any(event),
                self.number[id(owner)] if owner else None, owner.name if owner else None)

    def total(self, event):
        """Device time of an operator with all below it, without recursion."""
        stack, order = [event], []
        while stack:
            top = stack.pop()
            if id(top) not in self.device_total:
                order.append(top)
                stack.extend(top.children)
        for top in reversed(order):
            self.device_total[id(top)] = (sum(d.duration for d in top.launches)
                                          + sum(self.device_total[id(child)] for child in top.children))
        return self.device_total[id(event)]

    @staticmethod
    def own(event):
        """Device time launched by the event itself: by runtime calls with no other operator in between."""
        result, calls = 0, [child for child in event.children if child.kind == "runtime"]
        while calls:
            call = calls.pop()
            result += sum(device.duration for device in call.launches)
            calls.extend(child for child in call.children if child.kind == "runtime")
        return result

    def operator_row(self, event):
        parent = enclosing_operator(event)
        depth, above = 0, parent
        while above is not None:
            depth, above = depth + 1, enclosing_operator(above)
        return (self.number[id(event)], event.kind, event.name, event.start + self.profile.trace.base_ns, event.duration,
                event.duration - sum(child.duration for child in event.children), self.total(event), self.own(event),
                self.number[id(parent)] if parent else None, parent.name if parent else None, depth, self.step_of(event))

    def kernel_row(self, event):
        owner, launch = self.owner(event), event.launch
        kind = event.kind
        if kind == "kernel":
            kind = "communication" if is_communication(event) else "compute"
        base = self.profile.trace.base_ns
        return (self.number[id(event)], kind, event.name, device_of(event), event.start + base, event.duration, event.end + base,
                integer(event.args.get("correlation")), self.number[id(launch)] if launch else None,
                launch.name if launch else None, event.start - launch.end if launch else None,
                self.number[id(owner)] if owner else None, owner.name if owner else None, self.step_of_any(event))

    def values(self, column, count, generator):
        rows = self.connection.execute(f"SELECT DISTINCT {column} FROM events WHERE {column} IS NOT NULL").fetchall()
        return [row[0] for row in generator.sample(rows, min(count, len(rows)))]


def literal(value):
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def random_queries(ordinary, seed):
    """Conditions, groups and orders over the columns of events, with values that occur."""
    generator = random.Random(seed)
    columns = list(EVENT_COLUMNS)
    for _ in range(RANDOM_QUERIES):
        conditions = []
        for column in generator.sample(columns, generator.randint(0, 3)):
            values = ordinary.values(column, 3, generator)
            if not values:
                conditions.append(f"{column} IS NULL")
                continue
            first, last = min(values, key=str), max(values, key=str)
            conditions.append(generator.choice([
                f"{column} = {literal(values[0])}", f"{column} IN ({', '.join(map(literal, values))})",
                f"{column} >= {literal(first)}", f"{column} < {literal(last)}", f"{column} <> {literal(values[0])}",
                f"{column} BETWEEN {literal(first)} AND {literal(last)}", f"{column} IS NOT NULL",
                f"{column} LIKE {literal('%' + str(values[0])[1:4] + '%')}",
                f"({column} = {literal(values[0])} OR duration_ns > 1000)",
            ]))
        where = " WHERE " + generator.choice([" AND ", " AND ", " OR "]).join(conditions) if conditions else ""
        groups = generator.sample(columns[1:], generator.randint(1, 3))
        if generator.random() < 0.6:
            yield (f"SELECT {', '.join(groups)}, count(*), sum(duration_ns), min(id), max(name) FROM events{where} "
                   f"GROUP BY {', '.join(groups)}")
        else:
            order = [f"{column}{generator.choice(['', ' DESC'])}" for column in groups]
            yield (f"SELECT {', '.join(columns)} FROM events{where} ORDER BY {', '.join(order)}, id "
                   f"LIMIT {generator.randint(1, 300)}")


def ours(program, path, sql):
    done = subprocess.run([program, "query", "--quiet", "--json", "-f", "-", path], input=sql, text=True, capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise SystemExit(f"{sql}\nexit code {done.returncode}: {done.stderr}")
    return [tuple(row.values()) for row in json.loads(done.stdout)]


def comparable(rows, ordered):
    return rows if ordered else sorted(rows, key=repr)


def compare(program, path, sql, connection):
    expected = [tuple(row) for row in connection.execute(sql)]
    names = list(STEP_COLUMNS)
    found = ours(program, path, sql.replace("SELECT * FROM steps", f"SELECT {', '.join(names)} FROM steps"))
    ordered = "ORDER BY" in sql
    if comparable(found, ordered) == comparable(expected, ordered):
        return True
    print(f"  DIFFERS: {sql}")
    for left, right in zip(comparable(found, ordered), comparable(expected, ordered)):
        if left != right:
            print(f"    ours     {left}\n    expected {right}")
            break
    print(f"    {len(found)} rows, expected {len(expected)}")
    return False


def nanoseconds(seconds):
    """To the nearest, halves away from zero, as the contract's round."""
    exact = fractions.Fraction(seconds) * 10**9
    return int(exact + fractions.Fraction(1, 2)) if exact >= 0 else -int(-exact + fractions.Fraction(1, 2))


def compare_functions(program, data, only):
    """`functions` and `function_calls` against what marshal loads. Returns (compared, failed)."""
    compared = failed = 0
    for path in sorted(glob.glob(os.path.join(data, "prof", "**", "*.prof"), recursive=True)):
        if only not in path:
            continue
        try:
            with open(path, "rb") as file:
                stats = marshal.load(file)
            pairs = [pair for entry in stats.values() for pair in entry[4].values()]
        except (OSError, EOFError, ValueError, TypeError, AttributeError, IndexError, KeyError):
            continue  # damaged on purpose
        if not all(isinstance(pair, tuple) and len(pair) == 4 for pair in pairs):
            continue  # the pure-Python profiler counts callers without times; compared by prof_files.py
        expected = sorted((file, line, name, nc, cc, nanoseconds(tt), nanoseconds(ct))
                          for (file, line, name), (cc, nc, tt, ct, _) in stats.items())
        found = ours(program, path, "SELECT source_file, line, name, calls, primitive_calls, self_ns, total_ns FROM functions")
        pairs = sorted((caller[2], callee[2], nc, cc, nanoseconds(tt), nanoseconds(ct))
                       for callee, entry in stats.items() for caller, (nc, cc, tt, ct) in entry[4].items())
        found_pairs = ours(program, path, "SELECT caller, callee, calls, primitive_calls, self_ns, total_ns FROM function_calls")
        for what, left, right in (("functions", sorted(found), expected), ("function_calls", sorted(found_pairs), pairs)):
            compared += 1
            if left != right:
                failed += 1
                print(f"  DIFFERS: {what} of {os.path.basename(path)}: {len(left)} rows, expected {len(right)}")
                for mine, theirs in zip(left, right):
                    if mine != theirs:
                        print(f"    ours     {mine}\n    expected {theirs}")
                        break
    print(f"{compared} tables of function profiles compared with marshal's, {failed} differ")
    return compared, failed


def traces(data, only):
    found = []
    for pattern in ("traces/**/*.json*", "torch/**/*.pt.trace.json*"):
        found += glob.glob(os.path.join(data, pattern), recursive=True)
    return sorted(path for path in found if path.endswith((".json", ".json.gz")) and only in path)


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        print("nothing to compare without the program")
        return 0
    failed = compared_files = compared = 0
    for path in traces(options.data, options.only):
        try:
            if os.path.getsize(path) > LARGEST_BYTES:
                continue
            profile = contract_profile.Profile(path)
        except (OSError, EOFError, ValueError, AttributeError, KeyError, TypeError):
            continue  # no trace, or one that only the program can repair
        if profile.trace.decoded_bytes > LARGEST_BYTES or not profile.trace.events:
            continue
        count = ours(options.telltale, path, "SELECT count(*), sum(kind = 'unmatched') FROM events")[0]
        if count != (len(profile.trace.events), 0):
            print(f"{os.path.relpath(path, options.data)}: {count} events here, {len(profile.trace.events)} complete ones in the raw "
                  "file (begins without ends): left out")
            continue
        ordinary = Ordinary(profile)
        queries = FIXED + list(random_queries(ordinary, len(profile.trace.events)))
        equal = sum(compare(options.telltale, path, sql, ordinary.connection) for sql in queries)
        print(f"{os.path.relpath(path, options.data)}: {equal} of {len(queries)} queries equal")
        failed += len(queries) - equal
        compared += len(queries)
        compared_files += 1
    print(f"{compared_files} traces, {compared} queries, {failed} differ")
    tables, different = compare_functions(options.telltale, options.data, options.only)
    return 1 if failed or different or compared_files + tables == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
