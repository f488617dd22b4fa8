# SPDX-License-Identifier: Apache-2.0
"""usage: profiler_costs.py TELLTALE [PYTHON_WITH_TORCH]

What the profilers of `telltale run --profile` cost, as one JSON object (bench/README.md). Each part is a function below and is
measured beside its yardstick in one process or in turns; one that cannot be measured is named in `left_out`, with the reason.
  simple    an action in Python, and Lightning's own profiler in the same process; needs torch
  ops       after the last step: telltale on the trace, and torch's key_averages() of the same events; needs torch
  sample    a program that computes with and without the sampler, in turns, and the collector's share of a core
  advanced  a call of a Python function, by cProfile's cost of it, for each Python that is here
"""

from __future__ import annotations

import glob
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Callable

PAIRS = 9  # of whole programs
CALLS = 400_000

# Under `telltale run --profile simple`: the calls as they are there, and the functions that they replaced, in turns.
SIMPLE = """
import contextlib, json, time, timeit
import torch
from telltale_hooks import simple
class Owner:
    @staticmethod
    def work(): pass
class Net(torch.nn.Module):
    def forward(self, x): return x
net, call = Net(), torch.nn.Module.__call__
bare = {'call': lambda: call.__wrapped__(net, 1), 'function': Owner.work}
simple.spanned(Owner, 'work', 'work')
ours = {'call': lambda: call(net, 1), 'function': Owner.work}
try:
    from lightning.pytorch.profilers import PassThroughProfiler, SimpleProfiler
    from lightning.pytorch.profilers.profiler import Profiler
    theirs = SimpleProfiler()
    def action(profiler, profile):
        with profile(profiler, 'action'): pass
    nothing, recorded = PassThroughProfiler(), Profiler.profile
    bare['lightning'] = lambda: action(nothing, recorded.__wrapped__)
    ours['lightning'] = lambda: action(nothing, recorded)
    bare['theirs'], ours['theirs'] = bare['lightning'], lambda: action(theirs, recorded.__wrapped__)
except ImportError:
    pass
def least(function):
    return min(timeit.repeat(function, number=2000, repeat=3, timer=time.process_time)) / 2000
for _ in range(2):  # the first turn warms up
    found = {}
    for name in bare:
        turns = [(least(bare[name]), least(ours[name])) for _ in range(40)]
        found[name] = (min(b for _, b in turns) - min(a for a, _ in turns)) * 1e9
print('FIGURES ' + json.dumps(found))
"""

# A model of many small operators, two steps of it recorded, and torch's own summary of two others.
OPS = """
import json, time
import torch
model = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.GELU()) for _ in range(120)])
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
def step():
    optimizer.zero_grad()
    model(torch.randn(4, 8)).sum().backward()
    optimizer.step()
if PEER:
    with torch.profiler.profile(record_shapes=True) as profiler:
        for _ in range(2): step()
    begin = time.process_time()
    count = len(profiler.key_averages().table(sort_by='cpu_time_total', row_limit=100)) and sum(row.count for row in profiler.key_averages())
    print('FIGURES ' + json.dumps({'seconds': time.process_time() - begin, 'operators': count}))
else:
    for _ in range(8): step()
"""

# Python alone, so that every moment has a stack to look at.
BUSY = """
import json, os, time
def ticks(pid):
    rest = open(f'/proc/{pid}/stat').read().rsplit(') ', 1)[1].split()
    return (int(rest[11]) + int(rest[12])) / os.sysconf('SC_CLK_TCK')
def leaf(n):
    total = 0
    for i in range(n): total += i * i
    return total
def middle(n): return sum(leaf(200) for _ in range(n))
middle(200)
parent, wall, processor = ticks(os.getppid()), time.perf_counter(), time.process_time()
middle(150_000)
print('FIGURES ' + json.dumps({'processor': time.process_time() - processor, 'wall': time.perf_counter() - wall,
                               'collector': ticks(os.getppid()) - parent}))
"""

# Calls of a function that does nothing, less the loop around them.
CALLING = """
import json, sys, time
N = %d
def work(): pass
def calls():
    begin = time.process_time()
    for _ in range(N): work()
    return time.process_time() - begin
def loop():
    begin = time.process_time()
    for _ in range(N): pass
    return time.process_time() - begin
if 'cProfile' in sys.argv[1:]:
    import cProfile
    profile = cProfile.Profile()
    profile.enable()
least = min(calls() for _ in range(7)) - min(loop() for _ in range(7))
if 'cProfile' in sys.argv[1:]:
    profile.disable()
print('FIGURES ' + json.dumps(least / N * 1e9))
""" % CALLS


class LeftOut(Exception):
    """Why a part was not measured."""


class Bench:
    def __init__(self, telltale: str, folder: str) -> None:
        self.telltale = telltale
        self.folder = folder

    def Run(self, command: list[str]) -> str:
        """What it prints; an error says what it said."""
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise LeftOut(f"{' '.join(command[:5])} … ends with {done.returncode}: {said[-1] if said else ''}")
        return done.stdout

    def Figures(self, command: list[str]) -> Any:
        for line in self.Run(command).splitlines():
            if "FIGURES " in line:
                return json.loads(line.partition("FIGURES ")[2])
        raise LeftOut(f"{command[-1][:40]} … printed no figures")

    def Script(self, name: str, text: str) -> str:
        path = pathlib.Path(self.folder) / name
        path.write_text(text, encoding="utf-8")
        return str(path)


def Simple(bench: Bench, python: str) -> Any:
    script = bench.Script("simple.py", SIMPLE)
    return bench.Figures([bench.telltale, "run", "--profile", "simple", "--no-sample", "--", python, script])


def Ops(bench: Bench, python: str) -> Any:
    peer = bench.Figures([python, bench.Script("peer.py", "PEER = True\n" + OPS)])
    script = bench.Script("ops.py", "PEER = False\n" + OPS)
    bench.Run([bench.telltale, "run", "--profile", "ops", "--profile-steps", "3..4", "--name", "ops", "--", python, script])
    traces = glob.glob(os.path.join(bench.folder, "runs", "*_ops", "profiler", "*.pt.trace.json*"))
    if not traces:
        raise LeftOut("no trace was recorded")
    listed = json.loads(bench.Run([bench.telltale, "profile", traces[0], "--view", "operators", "--json"]))
    count = sum(row["calls"] for row in listed["operators"])

    def Seconds(*command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        bench.Run([bench.telltale, *command])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    # The table of operators.txt, and what stands in the terminal, as at the end of a run; starting the program is no part of it.
    turns = [(Seconds("--version"), Seconds("profile", traces[0], "--like", "torch"), Seconds("profile", traces[0])) for _ in range(PAIRS)]
    least = [min(turn[i] for turn in turns) for i in range(3)]
    return {"seconds": least[1] + least[2] - 2 * least[0], "operators": count, "torch": peer}


def Sample(bench: Bench, python: str) -> Any:
    script = bench.Script("busy.py", BUSY)
    start = [bench.telltale, "run", "--no-monitor"]
    turns = [{"off": bench.Figures([*start, "--no-sample", "--", python, script]), "on": bench.Figures([*start, "--", python, script])}
             for _ in range(PAIRS)]
    spy = shutil.which("py-spy")
    if spy:
        out = os.path.join(bench.folder, "spy.txt")
        for turn in turns:
            turn["py-spy"] = bench.Figures([spy, "record", "--rate", "100", "--format", "raw", "--output", out, "--", python, script])
    return turns


def Advanced(bench: Bench) -> Any:
    """By version of Python: ns of a call without a profiler, under cProfile and under --profile advanced, in turns."""
    script = bench.Script("calling.py", CALLING)
    found: dict[str, Any] = {}
    places = [sys.executable, "/usr/bin/python3", *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[1-9]*/bin/python3")))]
    for python in places:
        if not os.access(python, os.X_OK):
            continue
        version = bench.Run([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).strip()
        if version in found:
            continue
        ours = [bench.telltale, "run", "--profile", "advanced", "--no-sample", "--no-monitor", "--", python, script]
        turns = [(bench.Figures([python, script]), bench.Figures([python, script, "cProfile"]), bench.Figures(ours)) for _ in range(3)]
        found[version] = {name: min(turn[i] for turn in turns) for i, name in enumerate(("bare", "cprofile", "telltale"))}
    return found


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n", 1)[0])
    torch_python = sys.argv[2] if len(sys.argv) == 3 else None
    found: dict[str, Any] = {"left_out": {}}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(sys.argv[1]), folder)

        def Measure(name: str, measure: Callable[..., Any], *more: str) -> None:
            try:
                found[name] = measure(bench, *more)
            except LeftOut as why:
                found["left_out"][name] = str(why)

        for name, measure in (("simple", Simple), ("ops", Ops)):
            if torch_python:
                Measure(name, measure, torch_python)
            else:
                found["left_out"][name] = "TELLTALE_TORCH_PYTHON names no Python that has torch"
        Measure("sample", Sample, sys.executable)
        Measure("advanced", Advanced)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
