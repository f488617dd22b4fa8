# SPDX-License-Identifier: Apache-2.0
"""What the experiments' training loops share: the arguments, the clock, and the captures.

A program trains until `Measure.step()`, called at the end of each step, says that all has been measured: first steps on the
clock alone, then some with torch's profiler as most people use it (`plain`), then some with Python frames and garbage
collection (`stack`). All of it in one process, so that the three see the same machine. Time in which the process was ready to run
and had no processor is others' doing: a part with much of it is tried again, and the try with the least of it stands.
"""
import argparse
import json
import math
import os
import pathlib
import time

os.environ.setdefault("KINETO_LOG_LEVEL", "5")  # no complaints about GPUs that are not there

import torch
from torch.profiler import ProfilerActivity, profile, schedule

# The second core is for the workers of the DataLoader or the other rank, and for whoever else uses the machine.
torch.set_num_threads(1)
torch.manual_seed(0)

FIRST_STEPS = 6  # allocate, and fill caches; two workers have four batches ready
CLOCK_STEPS = 30
CAPTURED_STEPS = 10
CAPTURES = {"plain": False, "stack": True}
WAIT_LIMIT = 0.05  # of a part's time
TRIES = 6
PAUSE_SECONDS = 1  # for others to end what they do


def arguments():
    """Options that every experiment has; it may add its own before it parses them."""
    parser = argparse.ArgumentParser()
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--slow", dest="slow", action="store_true")
    which.add_argument("--fixed", dest="slow", action="store_false")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for steps.json and the captures")
    return parser


def waited_ns():
    """For how long the main thread has waited for a processor so far."""
    return int(pathlib.Path("/proc/self/schedstat").read_text().split()[1])


class Measure:
    """Not to be shared: each rank has its own. `worst` makes one figure of those of all ranks, so that they do the same."""

    def __init__(self, out, rank=0, samples=1, worst=lambda share: share):
        self.out, self.rank, self.samples, self.worst = out, rank, samples, worst
        self.parts = ["clock", *CAPTURES]
        self.waited_share = {}  # by part
        self.tries = 0
        self._begin()

    def step(self):
        """Ends a step; true when it was the last one."""
        self.steps_left -= 1
        now_ns = time.perf_counter_ns()
        self.durations_ns.append(now_ns - self.last_ns)
        self.last_ns = now_ns
        waited_share = (waited_ns() - self.start_waited_ns) / (now_ns - self.start_ns) if self.steps_left == 0 else None
        if self.profiler:
            self.profiler.step()
        return waited_share is not None and self._end(waited_share)

    def _begin(self):
        with_stack = CAPTURES.get(self.parts[0])
        self.profiler = None
        if with_stack is not None:
            self.profiler = profile(
                activities=[ProfilerActivity.CPU],
                schedule=schedule(wait=1, warmup=FIRST_STEPS - 1, active=CAPTURED_STEPS, repeat=1),
                with_stack=with_stack,
                experimental_config=torch._C._profiler._ExperimentalConfig(record_python_gc_info=with_stack))
            self.profiler.start()
        self.steps_left = FIRST_STEPS + (CAPTURED_STEPS if self.profiler else CLOCK_STEPS)
        self.durations_ns = []
        self.last_ns = self.start_ns = time.perf_counter_ns()
        self.start_waited_ns = waited_ns()

    def _end(self, waited_share):
        """Ends a try; true when it was the last one of the last part."""
        part, waited_share = self.parts[0], self.worst(waited_share)
        if self.profiler:
            self.profiler.stop()
        if waited_share < self.waited_share.get(part, math.inf):
            self.waited_share[part] = waited_share
            self._keep(part)
        self.tries += 1
        if waited_share <= WAIT_LIMIT or self.tries == TRIES:
            self.parts.pop(0)
            self.tries = 0
        else:
            time.sleep(PAUSE_SECONDS)
        if self.parts:
            self._begin()
            return False
        if self.rank == 0:
            (self.out / "steps.json").write_text(json.dumps(
                {"samples": self.samples, "step_ns": self.clock_ns, "waited_share": self.waited_share}))
        return True

    def _keep(self, part):
        if self.profiler is None:
            self.clock_ns = self.durations_ns[FIRST_STEPS:]
            return
        folder = self.out / part
        folder.mkdir(parents=True, exist_ok=True)
        self.profiler.export_chrome_trace(str(folder / f"rank{self.rank}.pt.trace.json"))
