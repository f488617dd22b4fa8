#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`telltale diff` against HTA's TraceDiff, against the old viewer's table, and against itself.

    tests/evidence/diff.py TELLTALE DATA

1. HTA's comparison of its own two samples, iteration 1010: what is added, deleted and unchanged, counts and durations.
2. The columns of the old viewer's diff table (calls, self host, self device) follow from two single profiles: the rows must be
   those of `profile --view operators` on either side.
3. Welch's test is recomputed from the steps that `profile --view steps` shows.
"""
import collections
import glob
import gzip
import json
import math
import os
import subprocess
import sys

failures = 0


def check(what, ours, expected):
    global failures
    if ours == expected:
        print(f"  {what}: {ours}")
    else:
        failures += 1
        print(f"  {what}: {ours}, expected {expected}   DIFFERENT")


def run(telltale, *words):
    done = subprocess.run([telltale, *words, "--quiet", "--json"], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}")
    return json.loads(done.stdout)


def rows_of(document, table):
    return {r["name"]: r for t in document["tables"] if t["table"] == table for r in t["rows"]}


# 1 ---------------------------------------------------------------------------------------------------------------------

HTA_CPU = {  # name: calls and total duration (us) in the control and the test trace
    "aten::as_strided": (1, 0, 1, 0), "aten::empty": (1, 0, 1, 0), "cudaEventQuery": (1, 4, 1, 4),
    "cudaLaunchKernel": (1, 4, 1, 4), "nccl:all_reduce": (1, 67, 0, 0), "AddmmBackward0": (0, 0, 1, 207),
    "All2All_Pooled_Req": (0, 0, 1, 311), "CatBackward0": (0, 0, 1, 11)}
HTA_GPU_DELETED = ("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<int>, at::detail::Array<char*, 3> >"
                   "(int, at::native::CUDAFunctor_add<int>, at::detail::Array<char*, 3>)")


def launched(path):
    """Names of kernels whose launch is in the trace."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if "dur" in e]
    calls = {e["args"]["correlation"] for e in events if e.get("cat") == "cuda_runtime" and "correlation" in e.get("args", {})}
    return {e["name"] for e in events if e.get("cat") == "kernel" and e["args"].get("correlation") in calls}


def hta(telltale, data):
    print("HTA's trace_compare, iteration 1010")
    folder = os.path.join(data, "traces", "hta", "trace_compare")
    base, test = (os.path.join(folder, n, n + ".json.gz") for n in ("base", "test"))
    document = run(telltale, "diff", base, test, "--steps", "1010")
    host = {**rows_of(document, "operators"), **rows_of(document, "runtime")}
    ours = {n: (r["calls_before"], r["before_ns"] / 1000, r["calls_after"], r["after_ns"] / 1000) for n, r in host.items()}
    check("host events: calls and durations (no event lies in another, so own is total)", ours, HTA_CPU)
    by_verdict = collections.defaultdict(list)
    for name, row in host.items():
        by_verdict[row["verdict"]].append(name)
    check("added", sorted(by_verdict["new"]), ["AddmmBackward0", "All2All_Pooled_Req", "CatBackward0"])
    check("deleted", by_verdict["gone"], ["nccl:all_reduce"])
    # HTA's fifth unchanged one is the step itself, which is a table of its own here.
    check("unchanged", sorted(by_verdict["same"] + ["ProfilerStep#1010"]),
          ["ProfilerStep#1010", "aten::as_strided", "aten::empty", "cudaEventQuery", "cudaLaunchKernel"])
    kernels = rows_of(document, "kernels")
    known = launched(base) | launched(test)
    check("kernels deleted", [n for n, r in kernels.items() if r["verdict"] == "gone"], [HTA_GPU_DELETED])
    others = [n for n, r in kernels.items() if r["verdict"] != "gone"]
    print(f"  {len(others)} kernel more than HTA: its launch is not in the trace; HTA leaves such work out, we count it by its own time")
    check("of those, with a launch", [n for n in others if n in known], [])


# 2, 3 ------------------------------------------------------------------------------------------------------------------


def welch(a, b):
    """Two-sided p, the tail of Student's t integrated numerically."""
    mean = lambda v: sum(v) / len(v)
    error = lambda v: sum((x - mean(v)) ** 2 for x in v) / (len(v) - 1) / len(v)
    ea, eb = error(a), error(b)
    if ea + eb == 0:
        return 1.0 if mean(a) == mean(b) else 0.0
    t = abs(mean(a) - mean(b)) / math.sqrt(ea + eb)
    n = (ea + eb) ** 2 / (ea ** 2 / (len(a) - 1) + eb ** 2 / (len(b) - 1))
    constant = math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2)) / math.sqrt(n * math.pi)
    density = lambda x: constant * (1 + x * x / n) ** (-(n + 1) / 2)
    # x = t / (1 - s) turns the tail into s in [0, 1); Simpson's rule.
    if t == 0:
        return 1.0
    count = 20000
    value = lambda s: density(t / (1 - s)) * t / (1 - s) ** 2 if s < 1 else 0.0
    total = value(0) + sum((4 if i % 2 else 2) * value(i / count) for i in range(1, count))
    return 2 * total / (3 * count)


def single_profiles(telltale, before, after):
    name = " and ".join(os.path.basename(os.path.dirname(p)) + "/" + os.path.basename(p)[:24] for p in (before, after))
    print(name)
    document = run(telltale, "diff", before, after)
    sides, steps = [], []
    for path in (before, after):
        names = [r["name"] for r in run(telltale, "profile", path, "--view", "steps")["steps"]["rows"] if r["complete"]]
        # One step after the other: a profile of all steps also counts what lies between them.
        profiles = [run(telltale, "profile", path, "--steps", n) for n in names]
        sides.append({"operators": [o for p in profiles for o in p["operators"]]})
        steps.append([r for p in profiles for r in p["steps"]["rows"]])
    check("complete steps", (document["samples_before"], document["samples_after"]), tuple(map(len, steps)))
    rows = rows_of(document, "steps")
    wrong = []
    for row_name, row in rows.items():
        values = [[r["duration_ns"] if row_name == "step" else r["categories"][row_name] for r in s] for s in steps]
        means = [sum(v) / len(v) for v in values]
        if abs(row["before_ns"] - means[0]) > 0.5 or abs(row["after_ns"] - means[1]) > 0.5:
            wrong.append((row_name, row["before_ns"], row["after_ns"], means))
        if row["p_value"] is not None and abs(row["p_value"] - welch(*values)) > 1e-6 + 1e-4 * row["p_value"]:
            wrong.append((row_name, "p", row["p_value"], welch(*values)))
    check(f"means and p of {len(rows)} rows that the steps do not give", wrong, [])
    wrong, compared = [], 0
    for table, field in (("operators", "host_self_ns"), ("operators_device", "device_self_ns")):
        for row_name, row in rows_of(document, table).items():
            for side, count, key, calls in ((sides[0], len(steps[0]), "before_ns", "calls_before"),
                                            (sides[1], len(steps[1]), "after_ns", "calls_after")):
                ops = [o for o in side["operators"] if o["name"] == row_name]
                expected = sum(o[field] for o in ops) / count
                compared += 1
                if abs(row[key] - expected) > 0.5 or (table == "operators" and
                                                      abs(row[calls] - sum(o["calls"] for o in ops) / count) > 1e-9):
                    wrong.append((table, row_name, key, row[key], expected))
    check(f"operators that differ from the single profiles, of {compared}", wrong, [])


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    telltale, data = sys.argv[1:]
    hta(telltale, data)
    samples = os.path.join(data, "traces", "kineto", "tb_plugin", "samples", "resnet50_num_workers_0")
    single_profiles(telltale, *sorted(glob.glob(os.path.join(samples, "*.gz")))[:2])
    vae = lambda folder: sorted(glob.glob(os.path.join(data, "torch", folder, "*.pt.trace.json*")))[0]
    single_profiles(telltale, vae("vae_mnist_w0"), vae("vae_mnist_w2_gz"))
    print("No difference that is not explained." if failures == 0 else f"{failures} differences.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
