#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: PYTHONPATH=BUILD/python bench/python_calls.py [--check] [--json]

What the Python package costs a training: its import, a span, a log of one number, the end of a program that logged a million, and,
where torch is there, a scalar and a histogram beside torch's own writer. Times of calls are processor time, the least of several
runs: other programs on the machine do not count. --check fails where a limit is passed; --json is for scripts/bench.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import timeit

LIMITS = {"import (ms)": 30, "span (ns)": 300, "log of one number (ns)": 500, "log of one number at a step (ns)": 500,
          "end after 1 M scalars (ms)": 200, "histogram of 1 M floats (share of torch's time)": 0.2}
ENDING = """
import time, telltale
run = telltale.init(project="bench")
for step in range(1_000_000):
    telltale.log({"loss": 0.5}, step=step)
print(time.time(), flush=True)
telltale.finish()
"""


def least(function, number, repeat=7):
    return min(timeit.repeat(function, number=number, repeat=repeat, timer=time.process_time)) / number


def import_ms():
    code = "import time; a = time.process_time(); import telltale; print((time.process_time() - a) * 1e3)"
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(7))


def end_ms(folder):
    """From the last call to the end of the process."""
    done = subprocess.run([sys.executable, "-c", ENDING], capture_output=True, text=True, check=True, cwd=folder)
    return (time.time() - float(done.stdout)) * 1e3


def calls():
    import telltale

    def span():
        with telltale.span("augment"):
            pass

    empty = least(lambda: None, 100000)
    yield "span (ns)", (least(span, 100000) - empty) * 1e9
    yield "log of one number (ns)", (least(lambda: telltale.log({"train/loss": 0.5}), 100000) - empty) * 1e9
    yield "log of one number at a step (ns)", (least(lambda: telltale.log({"train/loss": 0.5}, step=3), 100000) - empty) * 1e9
    yield "step (ns)", (least(telltale.step, 100000) - empty) * 1e9


def beside_torch(folder):
    try:
        import torch
        from torch.utils.tensorboard import SummaryWriter as Theirs
    except ImportError:
        return
    from telltale import SummaryWriter as Ours
    values = torch.randn(1_000_000)
    times = {}
    for kind in (Theirs, Ours):
        with kind(os.path.join(folder, kind.__module__)) as writer:
            times[kind] = (least(lambda w=writer: w.add_histogram("h", values, 1), 3), least(lambda w=writer: w.add_scalar("loss", 0.5, 1), 300))
    yield "histogram of 1 M floats (ms)", times[Ours][0] * 1e3
    yield "histogram of 1 M floats (share of torch's time)", times[Ours][0] / times[Theirs][0]
    yield "add_scalar (µs)", times[Ours][1] * 1e6
    yield "add_scalar (share of torch's time)", times[Ours][1] / times[Theirs][1]


def main():
    passed = []
    os.environ["PYTHONPATH"] = os.pathsep.join(os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep))
    with tempfile.TemporaryDirectory() as folder:
        figures = [("import (ms)", import_ms()), ("end after 1 M scalars (ms)", end_ms(folder))]
        os.environ["TELLTALE_RUN_DIR"] = os.path.join(folder, "run")
        figures += [*calls(), *beside_torch(folder)]
    if "--json" in sys.argv[1:]:
        print(json.dumps({name: {"value": value, "limit": LIMITS.get(name)} for name, value in figures}))
        return
    for name, value in figures:
        limit = LIMITS.get(name)
        print(f"{name:50} {value:10.3g}" + ("" if limit is None else f"   at most {limit}"))
        if limit is not None and value > limit:
            passed.append(name)
    if "--check" in sys.argv[1:] and passed:
        sys.exit("too slow: " + ", ".join(passed))


if __name__ == "__main__":
    main()
