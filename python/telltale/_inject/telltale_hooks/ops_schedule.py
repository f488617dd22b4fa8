# SPDX-License-Identifier: Apache-2.0
"""Which steps the profiler `ops` records: the schedule of torch.profiler, counted in the run's steps. Knows no torch.

    skip_first | wait warmup active | wait warmup active | ...          (`repeat` rounds, 0: to the end)

A program may end before the first round, and a profile of its beginning is better than none. So the first steps are
recorded, too, where there is room before the round, and kept in memory until the round has a whole step. At no time are
more than `active` steps held."""


class Window:
    """Steps that make one trace: prepared from `prepare` on, kept from `first` to `last`."""

    __slots__ = ("prepare", "first", "last", "is_early")

    def __init__(self, prepare, first, last, is_early=False):
        self.prepare, self.first, self.last, self.is_early = prepare, first, last, is_early


class Schedule:
    def __init__(self, skip_first=10, wait=0, warmup=1, active=3, repeat=1):
        self.skip_first, self.wait, self.warmup, self.active, self.repeat = skip_first, wait, warmup, active, repeat

    def round(self, number):
        """The window of a round, or None if there is no such round."""
        if self.repeat and number >= self.repeat:
            return None
        prepare = self.skip_first + number * (self.wait + self.warmup + self.active) + self.wait
        first = prepare + self.warmup
        return Window(prepare, first, first + self.active - 1)

    def early(self):
        """The first steps, before the first round; None where that begins at once."""
        room = min(self.round(0).prepare, max(self.active - 1, 1))
        return Window(0, 0, room - 1, True) if room > 0 else None


class Course:
    """Goes through the schedule as steps begin, and says what is to be done to the recorder of a window, which has
    start(window, step), step(window, step), keep(window), drop(window), drop_early() and save(window). Steps may be missed: a window
    that is missed whole is left out."""

    def __init__(self, schedule, recorder):
        self.schedule, self._recorder = schedule, recorder
        self._round = 0
        self._next = schedule.early() or schedule.round(0)
        self.window = None  # the one that is being recorded
        self.early_kept = None  # the window of the first steps, while it is kept
        self.step = -1  # the one that has begun last
        self.saved = 0

    def begins(self, step):
        """The step that begins now; several calls for one are one."""
        if step <= self.step:
            return
        self.step = step
        if self.window is not None:
            if step <= self.window.last:
                self._make_room()
                self._recorder.step(self.window, step)
            else:
                self._close()
        if self.window is None:
            self._open(step)

    def _open(self, step):
        while self._next is not None and step > self._next.last:
            self._advance(self._next)
        if self._next is None or step < self._next.prepare:
            return
        self.window = self._next
        self._advance(self.window)
        self._make_room()
        self._recorder.start(self.window, step)

    def _make_room(self):
        """Drops the first steps when the round has a whole step, or when there is no room for one beside them."""
        if self.early_kept is None or self.step < self.window.first:
            return
        held = self.early_kept.last - self.early_kept.first + 1
        if self.step > self.window.first or held >= self.schedule.active:
            self._drop_early()

    def _drop_early(self):
        if self.early_kept is not None:
            self.early_kept = None
            self._recorder.drop_early()

    def _advance(self, window):
        if not window.is_early:
            self._round += 1
        self._next = self.schedule.round(self._round)

    def _close(self):
        window, self.window = self.window, None
        if window.is_early:
            self.early_kept = window
            self._recorder.keep(window)
        else:
            self.saved += 1
            self._recorder.save(window)
            self._drop_early()

    def ends(self):
        """Nothing more will come. The window that was saved for want of a better one, or None."""
        self._next = None
        window, self.window = self.window, None
        early, self.early_kept = self.early_kept, None
        if window is not None and (early is not None or self.step < window.first):
            self._recorder.drop(window)  # it has nothing whole
            window = None
        best = window or early
        if best is not None:
            self.saved += 1
            self._recorder.save(best)
        return best
