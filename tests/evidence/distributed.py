#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recomputes the view distributed with an independent model, and checks it against the old viewer and known answers.

Three kinds of evidence: real ranks (two ranks of gloo with a straggler, two of 128 ranks of NCCL, single ranks) against
the model, number by number; the old viewer's own numbers of the gloo run; and sets made from a real rank with known
clocks and a known late rank, which must be found.
"""
import gzip
import json
import math
import os
import random
import sys
import tempfile

from common import Report, Source, arguments
from distributed_model import Run

GLOO = ["torch/ddp2/rank0.1794776023547599540.pt.trace.json", "torch/ddp2/rank1.1794776023561680264.pt.trace.json"]
SETS = {
    "gloo, rank 1 sleeps 40 ms a step": GLOO,
    "gloo, ranks in the other order": GLOO[::-1],
    "NCCL, 2 of 128 ranks, thinned out": ["traces/hta/trace_filter/sampled_rank-0.json.gz",
                                          "traces/hta/trace_filter/sampled_rank-1.json.gz"],
    "NCCL, rank 0 of 2": ["traces/hta/nccl_parser_config/nccl_data.json.gz"],
    "RCCL, rank 0 of 8": ["traces/TraceLens/mi300/resnet_act_checkpoint.json.gz"],
    "gloo, rank 34 of 300, no GPU": ["traces/hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz"],
    "NCCL called, no kernels": ["traces/hta/rank_non_gpu/rank_non_gpu.json.gz"],
}
MADE_FROM = "traces/TraceLens/mi300/resnet_act_checkpoint.json.gz"
JITTER_US = 1.5
TIMES = ("duration_ns", "computation_ns", "overlap_ns", "communication_ns", "other_ns", "transfer_ns", "waiting_ns")


def document_of(program, paths):
    text = Source.run([program, "profile", *paths, "--view", "distributed", "--json", "--quiet"])
    return json.loads(text)["distributed"]


def printed_cells(document):
    cells = {}
    for row in document["ranks"]:
        for field in ("clock", "clock_offset_ns", "clock_error_ns", "clock_collectives", "clock_contradicted",
                      "collectives", "matched"):
            cells["ranks", row["file"], field] = row[field]
    for row in document["steps"]:
        for field in TIMES + ("complete",):
            cells["steps", row["file"], row["name"], field] = row[field]
    for row in document["collectives"]:
        key = row["name"], row["group"], row["dtype"], row["min_bytes"], row["max_bytes"]
        for field in ("calls", "total_bytes", "total_ns", "min_ns", "max_ns", "matched", "transfer_ns", "waiting_ns",
                      "algorithm_bandwidth_gb_per_s"):
            cells[("collectives", *key, field)] = row[field]
    for number, match in enumerate(document["matches"]):
        for field in ("name", "bytes", "start_ns", "start_skew_ns", "transfer_ns", "last_file"):
            cells["matches", number, field] = match[field]
        for member in match["members"]:
            for field in ("start_ns", "duration_ns", "waiting_ns"):
                cells["matches", number, member["file"], field] = member[field]
    stragglers = document["stragglers"]
    cells["stragglers", "decided"], cells["stragglers", "undecided"] = stragglers["decided"], stragglers["undecided"]
    for row in stragglers["rows"]:
        for field in ("last", "steps_last", "others_waited_ns"):
            cells["stragglers", row["file"], field] = row[field]
        for activity in row["meanwhile"]:
            key = "stragglers", row["file"], activity["kind"], activity["name"]
            cells[key] = activity["time_ns"], activity["others_ns"]
    return cells


def model_cells(run):
    cells = {}
    matched = [member for members in run.matches for member in members]
    for number, file in enumerate(run.files):
        clock = run.clock[number]
        cells["ranks", number, "clock"] = clock["clock"]
        for field in ("offset", "error"):
            cells["ranks", number, f"clock_{field}_ns"] = clock[field]
        cells["ranks", number, "clock_collectives"] = clock["collectives"]
        cells["ranks", number, "clock_contradicted"] = clock["contradicted"]
        cells["ranks", number, "collectives"] = len(file.calls)
        cells["ranks", number, "matched"] = sum(member[0] == number for member in matched)
    for (number, name), row in run.step_rows().items():
        for field in TIMES + ("complete",):
            cells["steps", number, name, field] = row[field]
    collective_cells(run, cells)
    for number, members in enumerate(run.timed_matches()):
        first, skew, last = run.arrival(members)
        calls = [run.call(member) for member in members]
        transfer = min(call.end - call.start for call in calls)
        sizes = [call.bytes for call in calls if call.bytes is not None]
        for field, value in (("name", calls[0].label), ("bytes", max(sizes) if sizes else None), ("start_ns", first),
                             ("start_skew_ns", skew), ("transfer_ns", transfer), ("last_file", last)):
            cells["matches", number, field] = value
        for member, call in zip(members, calls):
            cells["matches", number, member[0], "start_ns"] = run.common(member[0], call.start)
            cells["matches", number, member[0], "duration_ns"] = call.end - call.start
            cells["matches", number, member[0], "waiting_ns"] = call.end - call.start - transfer
    decided, undecided, rows = run.stragglers()
    cells["stragglers", "decided"], cells["stragglers", "undecided"] = decided, undecided
    for number, row in rows.items():
        for field in ("last", "steps_last", "others_waited_ns"):
            cells["stragglers", number, field] = row[field]
        for (kind, name), time, others in row.get("meanwhile", ()):
            cells["stragglers", number, kind, name] = time, others
    return cells


def collective_cells(run, cells):
    groups = {}
    for number, file in enumerate(run.files):
        for position, call in enumerate(file.calls):
            size = call.bytes.bit_length() if call.bytes is not None else None
            key = call.label, call.group, call.dtype, call.group_size, size
            groups.setdefault(key, []).append((number, position))
    transfers = {}
    for members in run.timed_matches():
        calls = [run.call(member) for member in members]
        transfer = min(call.end - call.start for call in calls)
        sizes = [call.bytes for call in calls if call.bytes is not None]
        waiting = sum(call.end - call.start - transfer for call in calls)
        transfers[members[0]] = transfer, waiting, max(sizes) if sizes else None
    for (label, group, dtype, _, _), members in groups.items():
        calls = [run.call(member) for member in members]
        sizes = [call.bytes for call in calls if call.bytes is not None]
        times = [call.end - call.start for call in calls if call.start is not None]
        own = [transfers[member] for member in members if member in transfers]
        key = "collectives", label, group, dtype, min(sizes) if sizes else None, max(sizes) if sizes else None
        rate = None
        if label != "barrier" and any(size is not None for _, _, size in own) and sum(t for t, _, s in own if s):
            rate = sum(s for _, _, s in own if s is not None) / sum(t for t, _, s in own if s is not None)
        elif label != "barrier" and sizes and times:
            rate = sum(sizes) / sum(times) if sum(times) else None
        for field, value in (("calls", len(calls)), ("total_bytes", sum(sizes) if sizes else None),
                             ("total_ns", sum(times) if times else None), ("min_ns", min(times) if times else None),
                             ("max_ns", max(times) if times else None), ("matched", len(own)),
                             ("transfer_ns", sum(t for t, _, _ in own) if own else None),
                             ("waiting_ns", sum(w for _, w, _ in own) if own else None),
                             ("algorithm_bandwidth_gb_per_s", rate)):
            cells[(*key, field)] = value


def same(left, right):
    if isinstance(left, float) or isinstance(right, float):
        return left is not None and right is not None and math.isclose(left, right, rel_tol=1e-9)
    return left == right


def compare(report, label, program, paths):
    ours, theirs = printed_cells(document_of(program, paths)), model_cells(Run(paths))
    print(label)
    tables = {}
    for key in sorted(set(ours) | set(theirs), key=str):
        tables.setdefault(key[0], []).append(key)
    for table, keys in tables.items():
        report.table(table, len(keys), [(" / ".join(map(str, key))[:160], ours.get(key), theirs.get(key), None)
                                        for key in keys if not same(ours.get(key), theirs.get(key))])


def compare_old_viewer(report, data, program):
    """The plugin's numbers of the gloo run: microseconds that went through doubles of absolute times."""
    with open(os.path.join(data, "torch/ddp2/tb_profiler/run.tb.json"), encoding="utf-8") as file:
        old = json.load(file)["distributed"]["All/1"]
    paths = [os.path.join(data, path) for path in GLOO]
    document = document_of(program, paths)
    ours = {(f"rank{row['file']}", row["name"]): row for row in document["steps"]}
    theirs = {(f"rank{number}", name): row for (number, name), row in Run(paths).step_rows(issuing_calls=True).items()}
    differences, compared = [], 0
    fields = (("steps_to_overlap", ("computation_ns", "overlap_ns", "communication_ns", "other_ns")),
              ("steps_to_wait", ("transfer_ns", "waiting_ns")))
    for table, names in fields:
        for step, workers in old[table]["data"].items():
            for worker, values in workers.items():
                for name, value in zip(names, values):
                    compared += 1
                    if not near(figure(ours, worker, step, name), value, step):
                        explained = near(figure(theirs, worker, step, name), value, step)
                        differences.append((f"{table} / {step} / {worker} / {name}", figure(ours, worker, step, name),
                                            value, ["issuing_calls"] if explained else None))
    for worker, table in old["comm_ops"]["data"].items():
        number = int(worker[4:])
        _, calls, size = table["rows"][0][:3]
        members = [(match, member) for match in document["matches"] for member in match["members"]
                   if member["file"] == number]
        for name, ours, value in (("calls", len(members), calls), ("bytes", sum(m["bytes"] for m, _ in members), size)):
            compared += 1
            if ours != value:
                differences.append((f"comm_ops / {worker} / {name}", ours, value, None))
    print("the old viewer's distributed view of the gloo run")
    print("  issuing_calls: it counts c10d::*, which only hand a collective to gloo's threads, as computation")
    report.table("old viewer", compared, differences)


def figure(rows, worker, step, name):
    """Microseconds of one step, or the mean over all."""
    values = [row[name] / 1000 for key, row in rows.items() if key[0] == worker and step in ("all", key[1])]
    return sum(values) / len(values)


def near(ours, theirs, step):
    # The plugin cuts means to whole microseconds, and its times went through doubles of absolute microseconds.
    return int(ours + 0.005) == theirs if step == "all" else math.isclose(ours, theirs, abs_tol=0.005)


def make_ranks(data, folder, clocks_us, late_rank, late_us, seed):
    """Copies of a real rank, each with its own clock; one begins its collectives late, so the others wait in theirs."""
    with gzip.open(os.path.join(data, MADE_FROM), "rt", encoding="utf-8") as file:
        original = json.load(file)
    chance = random.Random(seed)
    paths = []
    for rank, clock in enumerate(clocks_us):
        document = dict(original)
        document["distributedInfo"] = {**original["distributedInfo"], "rank": rank, "world_size": len(clocks_us)}
        document["traceEvents"] = events = []
        for event in original["traceEvents"]:
            event = dict(event)
            if "ts" in event and event.get("ph") != "M":
                event["ts"] = round(float(event["ts"]) + clock, 3)
            if event.get("cat") == "kernel" and "nccl" in event.get("name", ""):
                late = min(late_us, event["dur"] / 2) if rank == late_rank else 0
                jitter = chance.uniform(-JITTER_US, JITTER_US)
                event["ts"] = round(event["ts"] + late, 3)
                event["dur"] = round(max(0.001, event["dur"] - late + jitter), 3)
            events.append(event)
        path = os.path.join(folder, f"rank{rank}.1700000000000.pt.trace.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        paths.append(path)
    return paths


def check_made(report, data, program):
    clocks, late_rank = [0, 5000, -12345.678, 0.25], 2
    with tempfile.TemporaryDirectory() as folder:
        paths = make_ranks(data, folder, clocks, late_rank, 400, 7)
        compare(report, "made from one rank: 4 clocks, rank 2 comes 0.4 ms late", program, paths)
        document = document_of(program, paths)
    differences = []
    for row, clock in zip(document["ranks"], clocks):
        # Each end moved by JITTER_US at most, on this rank and on the first: so far off can the median be, and no
        # farther, and twice as far can ends lie apart.
        offset, error = row["clock_offset_ns"], row["clock_error_ns"]
        if abs(offset + clock * 1000) > 2000 * JITTER_US or error > 4000 * JITTER_US:
            differences.append((f"clock of rank {row['rank']}", (offset, error), -clock * 1000, None))
    worst = document["stragglers"]["rows"][0]
    if worst["file"] != late_rank or len(document["stragglers"]["rows"]) != 1:
        differences.append(("straggler", worst["file"], late_rank, None))
    report.table("known clocks and straggler", len(clocks) + 1, differences)


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        print("only for the program: the model is the oracle")
        return 0
    report = Report(options.all)
    for label, paths in SETS.items():
        if options.only in label:
            compare(report, label, options.telltale, [os.path.join(options.data, path) for path in paths])
    if not options.only:
        compare_old_viewer(report, options.data, options.telltale)
        check_made(report, options.data, options.telltale)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
