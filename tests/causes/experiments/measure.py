# SPDX-License-Identifier: Apache-2.0
"""What the experiments' training loops share: the arguments, the clock, and the captures.

A program trains until `Measure.step()`, called at the end of each step, says that all has been measured: first steps on the
clock alone, then some with torch's profiler as most people use it (`plain`), then some with Python frames and garbage
collection (`stack`). All of it in one process, so that the three see the same machine.
"""
import argparse
import json
import os
import pathlib
import time

os.environ.setdefault("KINETO_LOG_LEVEL", "5")  # no complaints about GPUs that are not there

import torch
from torch.profiler import ProfilerActivity, profile, schedule

# The second core is for the workers of the DataLoader or the other rank, and for whoever else uses the machine.
torch.set_num_threads(1)
torch.manual_seed(0)

FIRST_STEPS = 4  # allocate, and fill caches and queues
CLOCK_STEPS = 30
CAPTURED_STEPS = 10
CAPTURES = {"plain": False, "stack": True}


def arguments():
    """Options that every experiment has; it may add its own before it parses them."""
    parser = argparse.ArgumentParser()
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--slow", dest="slow", action="store_true")
    which.add_argument("--fixed", dest="slow", action="store_false")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for steps.json and the captures")
    return parser


class Measure:
    """Not to be shared: each rank has its own."""

    def __init__(self, out, rank=0, samples=1):
        self.out, self.rank, self.samples = out, rank, samples
        self.durations_ns = []
        self.captures = list(CAPTURES)
        self.profiler = None
        self.steps_left = FIRST_STEPS + CLOCK_STEPS
        self.last_ns = time.perf_counter_ns()

    def step(self):
        """Ends a step; true when it was the last one."""
        if self.profiler:
            self.profiler.step()
        else:
            now_ns = time.perf_counter_ns()
            self.durations_ns.append(now_ns - self.last_ns)
            self.last_ns = now_ns
        self.steps_left -= 1
        return self.steps_left == 0 and not self._next_phase()

    def _next_phase(self):
        if self.profiler:
            self.profiler.stop()
        elif self.rank == 0:
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / "steps.json").write_text(
                json.dumps({"samples": self.samples, "step_ns": self.durations_ns[FIRST_STEPS:]}))
        if not self.captures:
            return False
        self._start(self.captures.pop(0))
        return True

    def _start(self, name):
        folder = self.out / name
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"rank{self.rank}.pt.trace.json"
        self.profiler = profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(wait=1, warmup=2, active=CAPTURED_STEPS, repeat=1),
            on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(path)),
            with_stack=CAPTURES[name],
            experimental_config=torch._C._profiler._ExperimentalConfig(record_python_gc_info=CAPTURES[name]))
        self.profiler.start()
        self.steps_left = 3 + CAPTURED_STEPS
