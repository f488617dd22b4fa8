# SPDX-License-Identifier: Apache-2.0
"""torch.profiler.profile on a schedule, as far as its outside goes: what its methods do in which state."""
import enum
import os

from ..autograd import profiler as prof


class ProfilerAction(enum.Enum):
    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class _KinetoProfile:
    def __init__(self, **settings):
        self.settings, self.profiler = settings, None

    def export_chrome_trace(self, path):
        if path.endswith(".gz"):  # by way of a file of its own
            self.profiler.export_chrome_trace(path + ".part")
            os.rename(path + ".part", path)
        else:
            self.profiler.export_chrome_trace(path)


class profile(_KinetoProfile):
    def __init__(self, *, schedule=None, on_trace_ready=None, **settings):
        super().__init__(**settings)
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self.on_trace_ready, self.record_steps, self.step_num = on_trace_ready, schedule is not None, 0
        self.current_action, self.range = self.schedule(0), None

    def _go(self, before, now):
        recorded = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if before not in recorded and now in recorded:
            self.profiler = prof.profile(**self.settings)
            self.profiler.__enter__()
        elif before in recorded and now not in recorded:
            self.profiler.__exit__(None, None, None)
            if self.on_trace_ready:
                self.on_trace_ready(self)

    def _mark(self):
        if self.record_steps:
            self.range = prof.record_function("ProfilerStep#%d" % self.step_num)
            self.range.__enter__()

    def start(self):
        self._go(ProfilerAction.NONE, self.current_action)
        self._mark()

    def step(self):
        if self.range:
            self.range.__exit__(None, None, None)
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num)
        self._go(before, self.current_action)
        self._mark()

    def stop(self):
        if self.range:
            self.range.__exit__(None, None, None)
        self._go(self.current_action, None)

    __enter__ = lambda self: (self.start(), self)[1]  # noqa: E731
    __exit__ = lambda self, *error: self.stop()  # noqa: E731


def tensorboard_trace_handler(folder):
    def handle(profile):
        os.makedirs(folder, exist_ok=True)
        profile.export_chrome_trace(os.path.join(folder, "host_1.1700000000000000000.pt.trace.json"))

    return handle
