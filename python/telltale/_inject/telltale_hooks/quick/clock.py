# SPDX-License-Identifier: Apache-2.0
"""`--max-time`: whether a training has had its time. The ranks of a process group go by one clock, that of rank 0: were each to go
by its own, one would stop a batch before the others and leave them waiting for its gradients. When its time is up, rank 0 says in
the group's store after which step all stop: the one that is under way. No rank can be beyond that, because none ends a step
without the gradients of rank 0."""
import sys
import time

from .. import facts

KEY = "telltale/max_time"


class Clock:
    def __init__(self, seconds):
        self._seconds = seconds
        self._end = None
        self._last_step = None  # after which all stop

    def start(self):
        """The training begins; what a program imports and reads before is not counted."""
        if self._end is None:
            self._end = time.monotonic() + self._seconds

    def is_up(self, steps):
        """`steps`: how many have ended."""
        self.start()
        if self._last_step is None:
            group = facts.guarded("quick", _group)
            if group is None:
                self._decide(steps)
            else:
                facts.guarded("quick", self._agree, steps, *group)
        return self._last_step is not None and steps >= self._last_step

    def _decide(self, last_step):
        if time.monotonic() >= self._end:
            self._last_step = last_step

    def _agree(self, steps, rank, store):
        if rank == 0:
            self._decide(steps + 1)
            if self._last_step is not None:
                store.set(KEY, str(self._last_step))
        elif store.check([KEY]):
            self._last_step = int(store.get(KEY))


def _group():
    """(rank, store) of the process group, or None for a process that is alone."""
    module = sys.modules.get("torch.distributed.distributed_c10d")
    if module is None or not hasattr(module, "is_initialized") or not module.is_initialized() or module.get_world_size() < 2:
        return None
    return module.get_rank(), module._get_default_store()
