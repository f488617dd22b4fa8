# SPDX-License-Identifier: Apache-2.0
"""usage: record_costs.py TELLTALE BINARIES [PYTHON_WITH_TORCH]

What recording a whole program costs, as one JSON object (bench/README.md):
  start     `true` and `telltale run -- true`, in turns; seconds
  spans     `span_load` under `telltale run`: what the collector takes for a million spans a second of eight threads
  training  a small training without and with `telltale run`, in turns: processor seconds of the training itself, by the clock, and
            processor seconds of the collector; only with a Python that has torch
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import Any

START_ROUNDS = 40
PAIRS = 15

# The steps that are counted follow a warm-up; the parent of a recorded program is its collector.
TRAINING = """
import json, os, sys, time
import torch
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(6400, 256), torch.randint(0, 10, (6400,))), batch_size=64, shuffle=True)
def epoch():
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
def ticks(pid):
    rest = open(f'/proc/{pid}/stat').read().rsplit(') ', 1)[1].split()
    return (int(rest[11]) + int(rest[12])) / os.sysconf('SC_CLK_TCK')
epoch()
parent, wall, processor = ticks(os.getppid()), time.perf_counter(), time.process_time()
for _ in range(EPOCHS):
    epoch()
print(json.dumps({'processor': time.process_time() - processor, 'wall': time.perf_counter() - wall, 'collector': ticks(os.getppid()) - parent}))
""".replace("EPOCHS", "12")


def Start(telltale: str, folder: str) -> dict[str, list[float]]:
    def Seconds(*command: str) -> float:
        begin = time.perf_counter()
        subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begin

    turns = [(Seconds("true"), Seconds(telltale, "run", "--quiet", "--", "true")) for _ in range(START_ROUNDS)]
    return {"bare": [bare for bare, _ in turns], "recorded": [recorded for _, recorded in turns]}


def JsonOf(command: list[str], folder: str) -> dict[str, Any]:
    return json.loads(subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout)


def Spans(telltale: str, binaries: pathlib.Path, folder: str) -> dict[str, Any]:
    root = pathlib.Path(folder) / "spans"
    measured = JsonOf([telltale, "run", "--quiet", "--root", str(root), "--", str(binaries / "span_load")], folder)
    (record,) = root.glob("*/run.json")
    measured["dropped"] = json.loads(record.read_text(encoding="utf-8")).get("dropped_spans", 0)
    return measured


def Training(telltale: str, python: str, folder: str) -> dict[str, list[dict[str, float]]]:
    script = pathlib.Path(folder) / "training.py"
    script.write_text(TRAINING, encoding="utf-8")
    turns = []
    for _ in range(PAIRS):
        turns.append((JsonOf([python, str(script)], folder), JsonOf([telltale, "run", "--quiet", "--", python, str(script)], folder)))
    return {"bare": [bare for bare, _ in turns], "recorded": [recorded for _, recorded in turns]}


def Main() -> None:
    telltale, binaries = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        measured: dict[str, Any] = {"start": Start(telltale, folder), "spans": Spans(telltale, binaries, folder)}
        if len(sys.argv) > 3:
            measured["training"] = Training(telltale, sys.argv[3], folder)
    print(json.dumps(measured))


if __name__ == "__main__":
    Main()
