#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: PYTHON-WITH-TORCH tests/python/compare_ops_with_torch.py TELLTALE [NAME…]

`telltale run --profile ops` with the real torch: profiler/operators.txt is compared with what torch's own key_averages() prints
of the same recording, row by row; traces of programs that end in different ways have the steps that they should. Ends with
77 where torch is missing.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

try:
    import torch  # noqa: F401
except ImportError as problem:
    print(f"no torch: {problem}")
    sys.exit(77)

TELLTALE = ""

TRAIN = """
import os, signal, sys
import torch
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters())
def train(steps, at=lambda step: None):
    for step, (x,) in enumerate(DataLoader(TensorDataset(torch.randn(steps * 4, 8)), batch_size=4)):
        loss = model(x).square().mean()
        at(step)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""

# What torch says of the recording that is written, beside it.
TELLS = """
export = torch.profiler.profile.export_chrome_trace
def telling_export(self, path):
    result = export(self, path)
    with open("table.txt", "w") as file:
        file.write(self.key_averages(group_by_input_shape=True).table(sort_by="cpu_time_total", row_limit=-1))
    return result
torch.profiler.profile.export_chrome_trace = telling_export
"""


class Done:
    """How a program ended under `telltale run --profile ops`, in a folder that lasts as long as the test."""

    def __init__(self, test, source, *words, start=("main.py",)):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        cwd = pathlib.Path(folder.name)
        (cwd / "main.py").write_text(TRAIN + source, encoding="utf-8")
        environment = dict(os.environ, OMP_NUM_THREADS="1", LC_ALL="C.UTF-8")
        command = [TELLTALE, "run", "--root", "runs", "--profile", "ops", *words, "--", sys.executable, *start]
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=600, check=False)
        self.exit, self.out, self.err, self.cwd = done.returncode, done.stdout, done.stderr, cwd
        (self.run,) = (cwd / "runs").iterdir()
        self.traces = sorted((self.run / "profiler").glob("*.json"))
        self.operators = self.run / "profiler" / "operators.txt"

    def steps(self, trace=0):
        events = json.loads(self.traces[trace].read_text())["traceEvents"]
        return [e["name"].partition("#")[2] for e in events if e.get("ph") == "X" and e["name"].startswith("ProfilerStep#")]


def rows_of(path):
    """The rows of a table, in no order: what is no time or share of it -> these, in units of their last digit."""
    number = re.compile(r"(\d+)\.(\d+)(?=us|ms|s|%)")
    rows = {}
    for line in path.read_text().splitlines():
        times = [int(whole + fraction) for whole, fraction in number.findall(line)]
        rows[" ".join(number.sub("N", line).split())] = times
    return dict(sorted(rows.items()))


class Ops(unittest.TestCase):
    def test_the_table_is_torchs_own(self):
        done = Done(self, TELLS + "train(20)", "profiler.group_by_input_shapes=true", "profiler.row_limit=-1", "profiler.profile_memory=true")
        self.assertEqual((done.exit, done.out), (0, ""))
        ours, torchs = (rows_of(path) for path in (done.operators, done.cwd / "table.txt"))
        self.assertGreater(len(ours), 30)
        self.assertEqual(list(ours), list(torchs))  # names, shapes, numbers of calls, bytes
        for row, times in ours.items():
            for our, torchs_own in zip(times, torchs[row]):
                # Torch adds and divides floating point numbers: half of the last digit may go either way.
                self.assertLessEqual(abs(our - torchs_own), 1.01, row)
        self.assertEqual(done.steps(), ["11", "12", "13"])

    def test_the_steps_asked_for(self):
        done = Done(self, "train(9)", "--profile-steps", "3..6")
        self.assertEqual(done.steps(), ["3", "4", "5", "6"])
        # Nothing of the profiler's own on the terminal, and the answer in a sentence.
        self.assertRegex(done.err, r"^telltale: Completed[^\n]*\ntelltale: A step takes [^\n]*\n  operators: [^\n]*\n$")

    def test_an_error(self):
        done = Done(self, "def fail(step):\n    if step == 5: raise ValueError('no')\ntrain(9, fail)", "--profile-steps=4..8")
        self.assertEqual((done.exit, done.steps()), (1, ["4", "5"]))
        self.assertIn("the program ended in step 5", done.err)

    def test_sigterm(self):
        done = Done(self, "train(9, lambda step: step == 6 and os.kill(os.getpid(), signal.SIGTERM))", "--profile-steps=4..8", "--quiet")
        self.assertEqual((done.exit, done.steps(), done.err), (128 + signal.SIGTERM, ["4", "5", "6"], ""))
        self.assertIn("aten::addmm", done.operators.read_text())

    def test_a_short_program(self):
        done = Done(self, "train(3)")
        self.assertEqual((done.exit, done.steps()), (0, ["0", "1"]))
        self.assertIn("ended after 3 steps, before step 11", done.err)

    def test_a_program_with_a_profiler_of_its_own(self):
        done = Done(self, "with torch.profiler.profile() as p:\n    train(15)\np.export_chrome_trace('mine.json')")
        self.assertEqual((done.exit, [trace.name for trace in done.traces]), (0, ["mine.json"]))
        self.assertIn("left alone", done.err)

    def test_ranks_are_one_profile(self):
        source = "import torch.distributed as dist\ndist.init_process_group('gloo')\ntrain(6)\ndist.barrier()\ndist.destroy_process_group()"
        done = Done(self, source, "--profile-steps=2..3", start=("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "main.py"))
        self.assertEqual(done.exit, 0, done.err)
        self.assertEqual([trace.name.split(".")[1] for trace in done.traces], ["rank0", "rank1"])
        shown = subprocess.run([TELLTALE, "profile", str(done.run), "--json"], capture_output=True, text=True, check=True)
        # Samples and spans are there, too, and can be asked for.
        self.assertRegex(shown.stderr, "^telltale: [^\n]*: left out beside the traces: [^\n]*; name them to see them\n$")
        compared = subprocess.run([TELLTALE, "diff", str(done.run), str(done.run)], capture_output=True, text=True, check=False)
        self.assertEqual((compared.returncode, compared.stderr), (0, 2 * shown.stderr))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    TELLTALE = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
