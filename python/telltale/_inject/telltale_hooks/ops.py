# SPDX-License-Identifier: Apache-2.0
"""The profiler `ops`: torch's own profiler (torch.profiler, Kineto) on the steps that ops_schedule.py names. A trace is
written into the run's folder profiler/ when its last step has ended, or when the program ends before that: by itself, by
an error, by sys.exit, by SIGINT or SIGTERM. There can be one profiler in a process: a program that makes one of its own is
left alone from then on, and the traces that it writes are linked into profiler/.

A step ends with its first optimizer's step, after torch's range around that has been closed, so that the range is whole.
It is the thread that trains whose operators are recorded, and those that it starts for the backward pass."""
import os
import sys
import threading

from . import facts, on_torch, processes
from .ops_schedule import Course, Schedule

TOOL = "ops"
MAX_LINKS = 1000  # traces of the program's own

_course = None  # of this process, from its first step on
_recorder = None
_thread = None  # that trains
_due = None  # the step that begins as soon as the optimizer's own range is closed
_is_over = False
_is_own = False  # our own calls of torch.profiler are under way
_wraps_steps = False  # whether the end of the optimizer's own range is seen
_has_optimizer = False
_export_depth = 0
_links = 0


def settings():
    """{name: value} from TELLTALE_PROFILER, or None where this profiler was not asked for."""
    if TOOL not in (os.environ.get("TELLTALE_PROFILE") or "").split(","):
        return None
    import json

    return json.loads(os.environ.get("TELLTALE_PROFILER") or "{}")


def folder():
    return os.path.join(os.environ["TELLTALE_RUN_DIR"], "profiler")


class _Own:
    """Our own calls, which are not the program's, and say nothing on its terminal."""

    def __enter__(self):
        global _is_own
        import warnings

        _is_own = True
        self._warnings = warnings.catch_warnings()
        self._warnings.__enter__()
        warnings.simplefilter("ignore")

    def __exit__(self, *error):
        global _is_own
        self._warnings.__exit__(*error)
        _is_own = False


class TorchRecorder:
    """A window as torch.profiler records it. Torch asks its schedule what to do; the answer is set before."""

    def __init__(self, options):
        self._options = {name: bool(options.get(name)) for name in ("record_shapes", "profile_memory", "with_stack", "with_modules")}
        self._profile = self._early = self._action = None
        self._sigterm = None

    def start(self, window, step):
        import torch

        self._listen()
        self._action = self._action_of(window, step)
        with _Own():
            self._profile = torch.profiler.profile(schedule=lambda _: self._action, **self._options)
            self._profile.step_num = step  # in the names of the ranges, as the run counts
            self._profile.start()

    @staticmethod
    def _action_of(window, step):
        import torch

        actions = torch.profiler.ProfilerAction
        return actions.RECORD if step >= window.first else actions.WARMUP

    def step(self, window, step):
        self._action = self._action_of(window, step)
        with _Own():
            self._profile.step()

    def _stop(self):
        profile, self._profile = self._profile, None
        if profile is not None:
            with _Own():
                profile.stop()
        return profile

    def keep(self, window):
        self._early = self._stop()

    def drop_early(self):
        self._early = None

    def drop(self, window):
        self._stop()

    def save(self, window):
        if window.is_early and self._early is not None:
            profile, self._early = self._early, None
        else:
            profile = self._stop()
        if profile is None:
            return
        os.makedirs(folder(), exist_ok=True)
        path = os.path.join(folder(), trace_name())
        hidden = os.path.join(folder(), ".%d.json" % os.getpid())  # whole or not at all
        with _Own():
            profile.export_chrome_trace(hidden)
        os.replace(hidden, path)
        self._unlisten()

    # Python says nothing to anybody when SIGTERM ends it: what is in memory would be lost.

    def _listen(self):
        import signal

        if self._sigterm is None and threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            self._sigterm = self._terminated
            signal.signal(signal.SIGTERM, self._sigterm)

    def _unlisten(self):
        import signal

        if self._sigterm is not None and threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGTERM) == self._sigterm:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self._sigterm = None

    @staticmethod
    def _terminated(number, frame):
        import signal

        if not _is_own:  # torch's profiler is not in the middle of something
            facts.guarded(TOOL, end)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def trace_name():
    """As torch's own handler names them, so that ranks and rounds are told apart: WORKER.TIME.pt.trace.json."""
    import time

    return "%s.%d.pt.trace.json" % (_worker(), time.time_ns())


def _worker():
    rank = processes.rank()
    if rank is not None:
        return "ops.rank%d" % rank
    return "ops" if processes.role() == "main" else "ops.pid%d" % os.getpid()


# Steps.


def _begin_course():
    global _course, _recorder, _thread
    options = settings()
    names = ("skip_first", "wait", "warmup", "active", "repeat")
    schedule = Schedule(**{name: int(options[name]) for name in names if name in options})
    _recorder = TorchRecorder(options)
    _course = Course(schedule, _recorder)
    _thread = threading.get_ident()


def _wait_for_end():
    import atexit

    atexit.register(facts.guarded, TOOL, end)
    finalizers = sys.modules.get("multiprocessing.util")
    if finalizers is not None:  # its children end without atexit
        finalizers.Finalize(None, facts.guarded, (TOOL, end), exitpriority=1000)


def _begins(step):
    """A step begins, in the thread that calls."""
    if _is_over:
        return
    if _course is None:
        _begin_course()
    if _thread != threading.get_ident():
        return
    try:
        _course.begins(step)
    except BaseException:
        _give_up()
        raise


class Listener:
    """What on_torch.py tells."""

    @staticmethod
    def optimizer_made():
        global _has_optimizer
        if not _has_optimizer:
            _has_optimizer = True
            facts.guarded(TOOL, _wait_for_end)

    @staticmethod
    def batch(gradients):
        """The first training batch: where the first step begins, as far as anybody can see."""
        if gradients and _has_optimizer and _course is None and not _is_over:
            facts.guarded(TOOL, _begins, 0)

    @staticmethod
    def step_ended(step):
        global _due
        if _is_over:
            return
        if _wraps_steps:
            _due = step + 1
        else:
            facts.guarded(TOOL, _begins, step + 1)


def _cross():
    global _due
    step, _due = _due, None
    facts.guarded(TOOL, _begins, step)


def _give_up():
    """Torch's profiler did not do what is known of it: nothing more is tried."""
    global _is_over, _course
    _is_over, _course = True, None


def end():
    """The process ends: writes what there is, and says what there is not."""
    global _is_over
    if _is_over or _course is None:
        if not _is_over and _has_optimizer:
            facts.say(TOOL, "no optimizer made a step: there was nothing to record")
        _is_over = True
        return
    _is_over = True
    course = _course
    first = course.schedule.round(0).first
    window = course.ends()
    if window is None:
        if course.saved == 0:
            facts.say(TOOL, "the program ended after %s, before step %d, the first that was to be recorded" % (_steps(course.step), first))
    elif window.is_early:
        facts.say(
            TOOL,
            "the program ended after %s, before step %d, the first that was to be recorded: the trace has its first steps, "
            "with the cost of starting in them" % (_steps(course.step), first),
        )
    elif course.step <= window.last:
        facts.say(TOOL, "the program ended in step %d: the trace has steps %d to %d, the last one not whole" % (course.step, window.first, course.step))


def _steps(count):
    return "1 step" if count == 1 else "%d steps" % count


def _forked():
    """The parent's profiler is the parent's."""
    global _course, _recorder, _thread, _due, _is_over, _has_optimizer
    _course = _recorder = _thread = _due = None
    _is_over = _has_optimizer = False


# torch.


def optimizer_imported(module):
    """Sees when torch has closed its range around an optimizer's step."""
    global _wraps_steps
    if settings() is None:
        return
    from functools import wraps

    Optimizer = module.Optimizer
    original = Optimizer.__dict__.get("profile_hook_step")
    if isinstance(original, staticmethod):
        hook_step = original.__func__

        @wraps(hook_step)
        def profile_hook_step(function):
            inner = hook_step(function)

            @wraps(inner)
            def step(*args, **kwargs):
                result = inner(*args, **kwargs)
                if _due is not None:
                    _cross()
                return result

            return step

        Optimizer.profile_hook_step = staticmethod(profile_hook_step)
        _wraps_steps = True
    processes.after_fork(_forked)
    on_torch.listen(Listener)


def _program_profiles():
    """The program has made a profiler of its own: there can be one."""
    global _is_over
    if _is_over or _is_own or settings() is None:
        return
    _is_over = True
    said = "the program uses torch's profiler itself (%s) and is left alone; traces that it writes are found" % _place()
    course = _course
    if course is not None:
        window = course.ends()
        if window is not None:
            said += "; until then %d steps were recorded" % (course.step - window.first)
    facts.say(TOOL, said)


def _place():
    from .own_code import is_own

    frame = sys._getframe(1)
    while frame is not None:
        file, module = frame.f_code.co_filename, frame.f_globals.get("__name__") or ""
        if module.partition(".")[0] != "torch" and is_own(file, module):
            return "%s:%d" % (os.path.basename(file), frame.f_lineno)
        frame = frame.f_back
    return "by a library"


def _link(path):
    """A trace that the program wrote belongs to the run, wherever it is."""
    global _links
    source, home = os.path.realpath(os.fspath(path)), os.path.realpath(os.environ["TELLTALE_RUN_DIR"])
    if _links >= MAX_LINKS or source.startswith(home + os.sep) or not os.path.isfile(source):
        return
    _links += 1
    os.makedirs(folder(), exist_ok=True)
    name, rank = os.path.basename(source), processes.rank()
    if rank is not None and "rank" not in name.lower():
        name = "rank%d.%s" % (rank, name)
    target = os.path.join(folder(), name)
    if os.path.lexists(target):
        if os.path.realpath(target) == source or os.path.samefile(target, source):
            return
        target = os.path.join(folder(), "%d-%d.%s" % (os.getpid(), _links, name))
    try:
        os.link(source, target)  # stays when the program's own is removed, and costs no room
    except OSError:
        os.symlink(source, target)


def _watch(kind):
    """Profilers that are made, and traces that they write."""

    def make_init(init):
        def __init__(self, *args, **kwargs):
            if not _is_own:
                facts.guarded(TOOL, _program_profiles)
            init(self, *args, **kwargs)

        return __init__

    def make_export(export):
        def export_chrome_trace(self, path, *args, **kwargs):
            global _export_depth
            _export_depth += 1  # torch.profiler's goes through autograd's, by way of a file of its own
            try:
                result = export(self, path, *args, **kwargs)
            finally:
                _export_depth -= 1
            if not _is_own and _export_depth == 0:
                facts.guarded(TOOL, _link, path)
            return result

        return export_chrome_trace

    facts.replace(kind, "__init__", make_init, TOOL)
    facts.replace(kind, "export_chrome_trace", make_export, TOOL)


def profiler_imported(module):
    _watch(module._KinetoProfile)


def autograd_profiler_imported(module):
    _watch(module.profile)
