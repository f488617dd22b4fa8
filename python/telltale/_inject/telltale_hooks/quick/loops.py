# SPDX-License-Identifier: Apache-2.0
"""Loops of the program's own code while they run (source.py puts the calls there). A loop ends in one of two ways that the
program knows from itself: its iterator has no more (`over`, at the end of a turn), or, where a turn has begun that must not go
on, by EndLoop, which unwinds to the loop as an exception does, with all `finally` and `with` on the way, and is caught there."""
import itertools
import sys

FOR_ITER = frozenset(("FOR_ITER", "FOR_ITER_LIST", "FOR_ITER_TUPLE", "FOR_ITER_RANGE", "FOR_ITER_GEN"))
MOST_PHASES = 8  # of a loop over "train", "val"

_numbers = itertools.count(1)
_lines = {}  # number -> (file, line of its head)
_guards = {}  # file -> [(first, last line)] of what stands in a `try` that catches StopIteration
_active = {}  # id of a frame -> its loops that have begun, the outermost first


class EndLoop(BaseException):
    """Ends `run` and nothing else. No `except Exception` of the program's sees it."""

    def __init__(self, run):
        super().__init__("a loop of the program is ended by telltale run")
        self.run = run


class Run:
    """One run through a loop."""

    __slots__ = ("frame", "code", "number", "over", "is_phases")

    def __init__(self, frame, number, iterable):
        self.frame, self.code, self.number = id(frame), frame.f_code, number
        self.over = False  # it ends after this turn
        self.is_phases = _is_phases(iterable)

    @property
    def in_generator(self):
        return bool(self.code.co_flags & 0x20)

    @property
    def is_active(self):
        return self in _active.get(self.frame, ())

    @property
    def line(self):
        return _lines.get(self.number, ("", 0))[1]


def _is_phases(iterable):
    """`for phase in ("train", "val")`, `for name, loader in loaders.items()`: a turn of it is a part of an epoch."""
    if not isinstance(iterable, (list, tuple, set, dict, type({}.items()), type({}.values()), type({}.keys()))) or len(iterable) > MOST_PHASES:
        return False
    items = [part for item in iterable for part in (item if isinstance(item, tuple) else (item,))]
    return any(isinstance(item, str) or hasattr(item, "batch_sampler") for item in items)


def number_of(filename, line):
    number = next(_numbers)
    _lines[number] = (filename, line)
    return number


def guarded(filename, ranges):
    _guards[filename] = ranges


def is_compiling():
    return False  # torch.compiler.is_compiling, once there is one


def loop(iterable, number):
    if is_compiling():
        return iterable
    return _turns(Run(sys._getframe(1), number, iterable), iterable)


def turns(number):
    if is_compiling():
        return itertools.repeat(None)
    return _turns(Run(sys._getframe(1), number, None), itertools.repeat(None))


def _turns(run, iterable):
    iterator = iter(iterable)
    runs = _active.setdefault(run.frame, [])
    runs.append(run)
    try:
        for item in iterator:
            if run.over:
                break
            yield item
            if run.over:
                break
    finally:
        runs.remove(run)
        if not runs:
            _active.pop(run.frame, None)


def ended(number):
    """In the handler around loop `number`: goes on if it is the one."""
    error = sys.exc_info()[1]
    if error.run.number != number or error.run.frame != id(sys._getframe(1)):
        raise error


def is_own(frame):
    """Whether it is one of the program's own, or of a loop of its."""
    return frame.f_code is _turns.__code__ or frame.f_code.co_filename in _guards


class Place:
    """Where the program is: its loops from the innermost outwards, but for those in generators that only pass on data."""

    __slots__ = ("runs", "feeding", "asker", "_frames")

    def __init__(self, frame, is_training_generator):
        self.runs = []
        self.feeding = set()  # loops that are getting their next item right now
        self.asker = None  # the program's own frame that asks, where no loop does
        self._frames = []  # the program's own, the innermost first
        while frame is not None:
            code = frame.f_code
            if code is _turns.__code__:
                self.feeding.add(frame.f_locals["run"])
            elif code.co_filename in _guards:
                if self.asker is None and not self.feeding and not self._frames:
                    self.asker = frame
                self._frames.append((id(frame), code.co_filename, frame.f_lineno))
                if not code.co_flags & 0x20 or is_training_generator(code):
                    self.runs += [run for run in reversed(_active.get(id(frame), ())) if run.code is code]
            frame = frame.f_back

    @property
    def is_explicit(self):
        """Whether the program itself calls next(), rather than a loop."""
        if self.asker is None:
            return False
        import dis

        code, at = self.asker.f_code.co_code, self.asker.f_lasti
        return not (0 <= at < len(code) and dis.opname[code[at]] in FOR_ITER)

    def is_guarded(self, run):
        """Whether somebody inside a turn of this loop catches StopIteration."""
        for frame, file, line in self._frames:
            is_last = run is not None and frame == run.frame
            for first, last in _guards.get(file, ()):
                if first <= line <= last and not (is_last and first <= run.line):
                    return True
            if is_last:
                return False
        return False
