# SPDX-License-Identifier: Apache-2.0
"""Epochs, steps and time of the trainings of this process, and how one that has had enough is brought to its own end.

A training is over when it has made the epochs, steps or seconds that were asked for. Then the loader that feeds it gives no
more, and the loop around it, the one over epochs, ends after its turn: validation, checkpoints and what else stands in that
turn happen, and so does all that follows the loop. Where the program asks for more in a way that cannot be answered with "no
more" (next() without a guard, the loader opened again inside the loop that trains), that loop is ended at once.
An optimizer made after the end begins another training."""
import sys
import threading

from .. import facts
from . import asked, loops
from .clock import Clock

_lock = threading.Lock()
_generators = set()  # code of the program's generators that train, rather than pass on data


class _State:
    def __init__(self):
        self.steps = 0
        self.backwards = 0
        self.epochs = 0  # that have ended
        self.over = False
        self.runs = []  # loops around the last step, the innermost first
        self.thread = None  # of the last step
        self.optimizers = 0  # made so far
        self.at_end = 0  # of them, when the training was over
        self.ended = False  # a loop of the program has been told


state = _State()
_clock = None
_managed = None  # "Lightning", "Hugging Face": their Trainer has the limits
_role_now = None  # () -> what that Trainer does, or None


def managed_by(name, role_now=None):
    global _managed, _role_now
    _managed, _role_now = name, role_now


def role_now():
    """What the Trainer says that it reads loaders for: "val", "test", or None where it does not say."""
    return _role_now() if _role_now is not None else None


def manager():
    return _managed


def is_managed():
    return _managed is not None


def place(depth=1):
    return loops.Place(sys._getframe(depth + 1), _generators.__contains__)


# Optimizers.


def optimizer_imported(module):
    register = getattr(module, "register_optimizer_step_post_hook", None)
    if register is None:
        for flag in ("max_steps", "max_epochs", "fast_dev_run"):
            asked.not_applied(flag, "torch before 2.0 does not say when an optimizer steps")
        return

    def make(init):
        def __init__(self, *args, **kwargs):
            init(self, *args, **kwargs)
            state.optimizers += 1
            if state.over and state.optimizers > state.at_end:
                begin()

        return __init__

    facts.replace(module.Optimizer, "__init__", make, "quick")
    register(_stepped)


def begin():
    """Another training of this process."""
    state.steps = state.epochs = 0
    state.over = state.ended = False
    state.runs = []


def torch_imported(torch):
    global _clock
    compiler = getattr(torch, "compiler", None)
    if hasattr(compiler, "is_compiling"):
        loops.is_compiling = compiler.is_compiling
    seconds = asked.value("max_time")
    if seconds is not None:
        _clock = Clock(seconds)
    autograd = getattr(torch, "autograd", None)
    if autograd is not None:

        def make(backward):
            def counted_backward(*args, **kwargs):
                state.backwards += 1
                return backward(*args, **kwargs)

            return counted_backward

        facts.replace(autograd, "backward", make, "quick")


def _stepped(optimizer, args, kwargs):
    if loops.is_compiling() or is_managed():
        return
    try:
        _count_step()
    except Exception as error:
        facts.trouble("quick", error)


def _count_step():
    state.steps += 1
    state.thread = threading.get_ident()
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_flags & 0x20 and frame.f_code.co_filename in loops._guards:
            _generators.add(frame.f_code)
        frame = frame.f_back
    state.runs = place(2).runs
    from . import loaders

    loaders.stepped()
    most = asked.value("max_steps")
    if most is not None and state.steps >= most:
        finish("max_steps")
        if not loaders.has_trained() and state.runs:
            # Steps without a loader: the loop that steps ends, and with it the one around it if it steps again.
            for run in state.runs[: 1 + state.steps - most]:
                run.over = True


def is_late():
    # Torch before 2.0 does not say when an optimizer steps.
    if _clock is not None and not state.over and _clock.is_up(state.steps or state.backwards):
        finish("max_time")
    return state.over


def finish(*flags):
    """The training has had enough."""
    if not state.over:
        state.over = True
        state.at_end = state.optimizers
    asked.applied(*flags)


def epoch_ended():
    """A pass over the training data is over. Whether it was the last one."""
    state.epochs += 1
    most = asked.max_epochs()
    if most is not None and state.epochs >= most:
        finish("max_epochs")
    return state.over


def common_run(here):
    """The innermost loop that goes on since the last step."""
    for run in here.runs:
        if run in state.runs:
            return run
    return None


def end_of_epochs(runs):
    """Tells the loop over epochs, of those around the loader, that this turn is its last."""
    for run in runs:
        if run.is_active and not run.is_phases:
            run.over = True
            state.ended = True
            return
