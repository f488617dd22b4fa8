#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The critical path against Holistic Trace Analysis (HTA) and against the traces themselves.

    tests/evidence/critical_path.py TELLTALE DATA

1. HTA's graph, built by its rules (hta_critical_path.py), gives the figures that HTA 0.6.1 itself gave, and the events
   it marked in the trace it wrote.
2. HTA's longest path and ours divide the same time. HTA leaves time out of its weights; the script says how much, and why.
3. On every trace: the pieces fill each region without a gap, every piece lies inside an event of its name on its track,
   and the graph with nothing freed gives the captured durations.
"""
import bisect
import collections
import csv
import decimal
import glob
import gzip
import io
import json
import os
import subprocess
import sys

import hta_critical_path as hta

FORWARD = "[param|pytorch.model.alex_net|0|0|0|measure|forward]"
# Sample, annotation, instance; HTA's own results: nodes, edges and events on the path, its weight by kind of edge, all nodes, all edges.
SAMPLES = [
    ("simple_add", FORWARD, 1, (315, 314, 159), {"span": 241698, "launch": 17, "gap": 9}, 458, 415),
    ("alexnet", FORWARD, 1, (149, 148, 77), {"span": 35754, "launch": 30, "gap": 50}, 462, 421),
    ("cuda_event_sync", "ProfilerStep", 0, (40, 39, 21), {"span": 2401, "launch": 10}, 56, 57),
    ("cuda_event_sync_multi_stream", "", 0, (59, 58, 31), {"span": 1149, "launch": 14, "gap": 15}, 80, 82),
]
REASONS = {"dependency": "between top-level operators and in calls that hold the runtime's lock HTA counts no time",
           "span": "calls that wait for the device weigh nothing in HTA",
           "sync": "from the end of the work to the end of the call that waited for it weighs nothing in HTA",
           "launch": "launch edges", "gap": "gaps between kernels"}

failures = 0


def check(what, ours, expected):
    global failures
    if ours == expected:
        print(f"  {what}: {ours}")
    else:
        failures += 1
        print(f"  {what}: {ours}, expected {expected}   DIFFERENT")


def run(telltale, path, *options):
    done = subprocess.run([telltale, "profile", path, "--view", "critical_path", "--quiet", *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode("utf-8", errors="replace")


def compare_with_hta(telltale, folder):
    for name, annotation, instance, sizes, weights, nodes, edges in SAMPLES:
        path = glob.glob(os.path.join(folder, name, "*.gz"))[0]
        print(f"{name}: HTA's graph by its rules")
        graph = hta.Graph(hta.read(path), annotation, instance)
        critical = graph.longest_path()
        links = [(a, b, *graph.kinds[a.number, b.number]) for a, b in zip(critical, critical[1:])]
        by_kind = collections.Counter()
        for _, _, kind, weight in links:
            by_kind[kind] += weight
        check("nodes, edges and events on the path",
              (len(critical), len(links), len({n.event.index for n in critical})), sizes)
        check("weight by kind of edge", {k: w for k, w in by_kind.items() if w}, weights)
        check("nodes and edges of the graph", (len(graph.nodes), len(graph.kinds)), (nodes, edges))
        if name == "simple_add":
            details_of_simple_add(graph)
        bridge(telltale, path, annotation, instance, graph, critical, links)


def details_of_simple_add(graph):
    """The single edges that HTA's own tests look at."""
    kind = lambda a, b: graph.kinds.get((a.number, b.number))
    first, second = graph.start_of[1051], graph.start_of[1067]
    check("launch edge of event 1051", kind(graph.start_of[first.event.partner.index], first), ("launch", 27))
    check("gap between 1051 and 1067", kind(graph.end_of[1051], second), ("gap", 7))
    relu = graph.events and next(e for e in graph.events if e.index == 286)
    inner = [e for e in graph.clipped if e is not relu and e.tid == relu.tid and e.index in graph.start_of and
             relu.start <= e.start and e.end <= relu.end]
    child = max(inner, key=lambda e: e.duration)
    check(f"edges of event 286 ({relu.name})",
          (kind(graph.start_of[286], graph.start_of[child.index])[1],
           kind(graph.end_of[child.index], graph.end_of[286])[1]), (15, 32))


def bridge(telltale, path, annotation, instance, graph, critical, links):
    """HTA's weights and what it leaves out are our region."""
    options = ["--json"]
    if annotation == FORWARD:
        options += ["--annotation", annotation, "--instance", str(instance)]
    code, text = run(telltale, path, *options)
    if code != 0:
        check("exit code", code, 0)
        return
    ours = json.loads(text)["critical_path"]
    region = ours["regions"][0]
    start, end = region["start_ns"] / 1000, (region["start_ns"] + region["duration_ns"]) / 1000
    left_out = collections.Counter()
    for a, b, kind, weight in links:
        if b.time - a.time != weight:
            left_out[kind] += b.time - a.time - weight
    outside = (critical[0].time - start) + (end - critical[-1].time)
    weight = sum(link[3] for link in links)
    print(f"  the same time, divided by HTA and by us ({region['duration_ns'] / 1000:.0f} us):")
    print(f"    HTA: weight of its path {weight}")
    for kind, time in left_out.items():
        print(f"    HTA: {time} us left out: {REASONS[kind]}")
    print(f"    HTA: {outside:.0f} us before its first and after its last node")
    for cause, time in sorted(region["causes"].items(), key=lambda item: -item[1]):
        if time:
            print(f"    ours: {time / 1000:.0f} us {cause}")
    check("HTA's weight + what it leaves out", round(weight + sum(left_out.values()) + outside),
          round(region["duration_ns"] / 1000))
    check("kinds of time left out that have no reason", [k for k in left_out if k not in REASONS], [])
    device = [n.event for n in critical if n.is_start and n.event.category in ("kernel", "gpu_memcpy", "gpu_memset")]
    mine = {(p["start_ns"] // 1000, p["name"]) for p in ours["pieces"] if p["cause"] in
            ("kernel", "memcpy", "memset", "communication")}
    shared = sum((e.start, e.name) in mine for e in device)
    print(f"    device events on the path: HTA {len(device)}, ours {len(mine)}, on both {shared}")
    if shared != max(len(device), len(mine)):
        print("    (HTA takes the heaviest chain. As time between operators weighs nothing on the host, a chain through the\n"
              "    device can outweigh the one that the end waited for; ours is always that one.)")


def overlay(folder):
    """The trace that HTA wrote marks the events of its path."""
    print("end_to_end: the trace that HTA wrote")
    graph = hta.Graph(hta.read(os.path.join(folder, "end_to_end/simple_add/input/trace.json.gz")), "", 0)
    ours = sorted({(n.event.start, n.event.name) for n in graph.longest_path()})
    with gzip.open(os.path.join(folder, "end_to_end/simple_add/output/overlaid_critical_path_trace.json.gz"), "rt",
                   encoding="utf-8") as file:
        marked = sorted({(e["ts"], e["name"]) for e in json.load(file)["traceEvents"]
                         if e.get("args", {}).get("critical") == 1 and e.get("ph") == "X"})
    check("events of the path", len(ours), len(marked))
    check("the same events", ours == marked, True)


# Every trace ---------------------------------------------------------------------------------------------------------------

NAMED = {"operator", "data_loading", "runtime", "kernel", "communication", "memcpy", "memset", "synchronization"}


def nanoseconds(microseconds):
    return int((decimal.Decimal(microseconds) * 1000).to_integral_value(decimal.ROUND_HALF_UP))


def spans_of(path):
    opened = gzip.open(path, "rb") if open(path, "rb").read(2) == b"\x1f\x8b" else open(path, "rb")
    with opened as file:
        try:
            document = json.loads(file.read(), parse_float=decimal.Decimal)
        except ValueError:
            return None
    events = document if isinstance(document, list) else document.get("traceEvents", [])
    base = 0 if isinstance(document, list) else int(document.get("baseTimeNanoseconds", 0) or 0)
    spans = collections.defaultdict(list)
    for e in events:
        if isinstance(e, dict) and e.get("ph") == "X" and "dur" in e and "ts" in e:
            start = base + nanoseconds(e["ts"])
            end = start + nanoseconds(e["dur"])
            spans[str(e.get("pid")), str(e.get("tid")), e["name"]].append((start, end))
    for same in spans.values():
        same.sort()
    return spans


def covered(spans, start, end):
    """Whether one of the sorted spans holds the interval; events of one name on one track nest only a few deep."""
    last = bisect.bisect_right(spans, (start, sys.maxsize))
    return any(spans[i][1] >= end for i in range(last - 1, -1, -1))


def check_trace(telltale, path):
    """Problems, and how many pieces were looked at."""
    code, text = run(telltale, path, "--json")
    if code != 0:
        return (["cannot be read"] if code != 3 else []), 0
    result = json.loads(text)["critical_path"]
    problems = []
    if result["recomputed_average_ns"] != result["average_ns"]:
        problems.append(f"recomputed {result['recomputed_average_ns']} of {result['average_ns']}")
    for region in result["regions"]:
        if sum(region["causes"].values()) != region["duration_ns"]:
            problems.append(f"region {region['name']}: the causes do not sum to the duration")
    code, text = run(telltale, path, "--csv")
    pieces = list(csv.DictReader(io.StringIO(text)))
    expected = {}
    for region in result["regions"]:
        expected.setdefault(region["name"], region["start_ns"])
    spans = spans_of(path)
    time, name = None, None
    for piece in pieces:
        start, end = int(piece["start_ns"]), int(piece["start_ns"]) + int(piece["duration_ns"])
        if piece["region"] != name:
            name, time = piece["region"], expected[piece["region"]]
        if start != time:
            problems.append(f"region {name}: a gap before {piece}")
        time = end
        if piece["cause"] in NAMED and spans is not None:
            found = spans.get((piece["pid"], piece["tid"], piece["name"]), [])
            if not covered(found, start, end):
                problems.append(f"no event of that name there: {piece}")
    return problems, len(pieces)


def check_traces(telltale, data):
    print("every trace: the pieces fill the regions and lie in events of their names; the graph gives the durations")
    count = total = 0
    for path in sorted(glob.glob(os.path.join(data, "traces", "**", "*.json*"), recursive=True) +
                       glob.glob(os.path.join(data, "torch", "**", "*trace.json*"), recursive=True)):
        if os.path.getsize(path) > 3_000_000:
            continue  # minutes in Python
        problems, pieces = check_trace(telltale, path)
        count, total = count + 1, total + pieces
        global failures
        failures += len(problems)
        for problem in problems[:3]:
            print(f"  {os.path.relpath(path, data)}: {problem}")
    print(f"  {count} traces, {total} pieces")


def straggler(telltale, data):
    """Rank 1 of two sleeps 40 ms in every step; rank 0 waits for it in an all-reduce."""
    folder = os.path.join(data, "torch", "ddp2")
    print("ddp2: the path of two ranks goes through the one that sleeps")
    code, text = run(telltale, folder, "--json")
    result = json.loads(text)["critical_path"]
    sleeps = [p for p in result["pieces"] if p["name"] == "artificial_delay"]
    check("joined by collectives", (result["joined_ranks"], result["notes"]["collectives"]), (True, 9))
    check("one sleep in each step, on rank 1", [(p["region"], p["file"]) for p in sleeps],
          [(r["name"], 1) for r in result["regions"]])
    check("all of them longer than 40 ms", all(p["duration_ns"] > 40_000_000 for p in sleeps), True)
    freed = next(c for c in result["causes"] if c["name"] == "artificial_delay")
    check("without the sleep the step takes at most what is left", freed["average_if_free_ns"] <
          result["average_ns"] - 40_000_000 + 1_000_000, True)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    telltale, data = sys.argv[1:]
    folder = os.path.join(data, "traces", "hta", "critical_path")
    compare_with_hta(telltale, folder)
    overlay(folder)
    straggler(telltale, data)
    check_traces(telltale, data)
    print("No difference that is not explained." if failures == 0 else f"{failures} differences.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
