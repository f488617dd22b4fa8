#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: PYTHON_WITH_LIGHTNING tests/python/compare_simple_with_lightning.py TELLTALE

A Lightning training with Lightning's simple profiler, recorded with --profile simple: all actions of Lightning's report are in ours, called
as often, and `--like lightning` is to the byte what Lightning's own code prints of our numbers.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

TRAINING = """
import lightning as L
import torch
from lightning.pytorch.profilers import SimpleProfiler
from torch.utils.data import DataLoader, TensorDataset


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def loss(self, batch):
        return self.layer(batch[0]).square().mean()

    def training_step(self, batch, index):
        return self.loss(batch)

    def validation_step(self, batch, index):
        self.log("val_loss", self.loss(batch))

    test_step = validation_step

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)


data = DataLoader(TensorDataset(torch.randn(50, 4)), batch_size=10)
trainer = L.Trainer(max_epochs=2, accelerator="cpu", devices=1, logger=False, enable_progress_bar=False,
                    profiler=SimpleProfiler(dirpath=".", filename="own"))
trainer.fit(Model(), data, data)
trainer.test(trainer.model, data, verbose=False)
"""


def calls_of(report):
    """{action: how often} of Lightning's report."""
    rows = [[cell.strip() for cell in line[1:].split("\t|")] for line in report.splitlines() if line.startswith("|")]
    return {row[0]: int(row[2]) for row in rows if row[2].isdigit() and row[0] != "Total"}


def summary_of(rows):
    """What Lightning prints of our numbers."""
    import lightning.pytorch.profilers.simple as simple

    wall = rows[0]["wall_ns"] / 1e9

    class Clock:
        def __getattr__(self, name):
            return (lambda: wall) if name in ("monotonic", "perf_counter") else getattr(time, name)

    simple.time = Clock()
    profiler = simple.SimpleProfiler()
    profiler.start_time = 0.0
    profiler.recorded_durations = {row["name"]: [row["total_ns"] / 1e9 / row["calls"]] * row["calls"] for row in rows}
    return profiler.summary()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().split("\n", 1)[0])
    telltale = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            done = subprocess.run([telltale, *words], cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{words} ends with {done.returncode}\n{done.stdout}{done.stderr}"
            return done.stdout

        with open(os.path.join(folder, "train.py"), "w", encoding="utf-8") as file:
            file.write(TRAINING)
        run("run", "--profile", "simple", "--name", "own", "--", sys.executable, "train.py")
        (recorded,) = glob.glob(os.path.join(folder, "runs", "*_own"))
        ours = run("profile", recorded, "--like", "lightning", "--quiet")
        rows = json.loads(run("profile", recorded, "--view", "simple", "--json", "--quiet"))["simple"]["rows"]
        # Its durations are not cleared between stages: the last report has all.
        with open(os.path.join(folder, "test-own.txt"), encoding="utf-8") as file:
            theirs = calls_of(file.read())
    found = calls_of(ours)
    differing = {name: (calls, found.get(name)) for name, calls in theirs.items() if found.get(name) != calls}
    assert theirs and not differing, f"calls, Lightning's and ours: {differing}"
    assert ours == summary_of(rows), f"{summary_of(rows)}\nis what Lightning prints; ours is\n{ours}"
    print(f"{len(theirs)} actions of Lightning, all of them here and called as often; the report is the same to the byte")


if __name__ == "__main__":
    main()
