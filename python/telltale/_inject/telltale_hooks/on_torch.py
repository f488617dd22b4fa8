# SPDX-License-Identifier: Apache-2.0
"""torch: optimizers and DataLoaders give steps and waiting (steps.py), worker processes and process groups say who a
process is. Optimizer steps come from torch's own global post-step hook (2.0 and later), which a gradient scaler's skipped
update and LBFGS's closure calls do not reach; before that from the class's step method. In a graph that torch.compile is
tracing the hook is empty: it breaks no graph, and an optimizer step inside a compiled function is not seen. Backward passes
and zero_grad() count for programs that have no optimizer."""
import itertools
import sys
import weakref
from time import perf_counter_ns

from . import facts, processes
from .steps import StepCounter

_keys = itertools.count(1)
_listeners = []  # that follow the steps, see listen


def listen(listener):
    """Tells it optimizer_made(), batch(gradients) and step_ended(step), in the thread that trains. It does not raise."""
    _listeners.append(listener)


def _program_counts():
    """A program that calls telltale.step() counts its steps itself."""
    counts = getattr(facts.recorder(), "counts_steps", None)
    return counts is not None and counts()


def _begin(step):
    if not _program_counts():
        facts.recorder().step_begin(step)


def _end(step, data_wait_ns):
    if not _program_counts():
        facts.recorder().step_end(step, data_wait_ns)
    for listener in _listeners:
        listener.step_ended(step)


counter = StepCounter(_begin, _end)
processes.after_fork(counter.reset)


class _Keys:
    """A number for each living object, without an attribute on it (it may be pickled) and without keeping it alive."""

    def __init__(self, gone=None):
        self._gone = gone
        self._known = {}  # id -> (weak reference, key)

    def of(self, thing):
        """(key, whether it is new)"""
        known = self._known.get(id(thing))
        if known is not None and known[0]() is thing:
            return known[1], False
        key, address = next(_keys), id(thing)

        def forget(reference):
            if self._known.get(address, (None,))[0] is reference:
                del self._known[address]
            if self._gone is not None:
                self._gone(key)

        self._known[address] = (weakref.ref(thing, forget), key)
        return key, True


_optimizers = _Keys(counter.gone)
_loaders = _Keys()


def _is_compiling():
    return False


# Optimizers.


_constants_said = False


def _say_constants():
    """Once, with the first optimizer: what is configured is there by then."""
    global _constants_said
    if not _constants_said and facts.wants("config"):
        from . import main_constants

        _constants_said = True
        facts.guarded("config", main_constants.record)


def _made(optimizer):
    key, new = _optimizers.of(optimizer)
    if new:
        counter.made(key)
        _say_constants()
        for listener in _listeners:
            listener.optimizer_made()


def _stepped(optimizer):
    # A fused optimizer is called for an update that a gradient scaler skips, too. (On a GPU nobody knows without waiting.)
    skipped = getattr(optimizer, "found_inf", None)
    if skipped is not None and getattr(skipped, "is_cpu", False) and skipped.item():
        return
    counter.stepped(_optimizers.of(optimizer)[0])


def _post_step(optimizer, args, kwargs):
    if _is_compiling():
        return
    try:
        _stepped(optimizer)
    except Exception as error:
        facts.trouble("torch.optim", error)


def optimizer_imported(module):
    global _is_compiling
    Optimizer = module.Optimizer
    register = getattr(module, "register_optimizer_step_post_hook", None)
    if register is not None:
        compiler = getattr(sys.modules.get("torch"), "compiler", None) or sys.modules.get("torch.compiler")
        _is_compiling = getattr(compiler, "is_compiling", _is_compiling)
        register(_post_step)
    elif not facts.replace(Optimizer, "_hook_for_profile", _hooking_step, "torch.optim"):
        return

    def make(init):
        def __init__(self, *args, **kwargs):
            init(self, *args, **kwargs)
            facts.guarded("torch.optim", _made, self)

        return __init__

    facts.replace(Optimizer, "__init__", make, "torch.optim")


def _hooking_step(hook_for_profile):
    """torch 1.x wraps the step method of each class of optimizers when the first of them is made. So does this, once."""

    def _hook_for_profile(self):
        hook_for_profile(self)
        facts.guarded("torch.optim", _hook_class, type(self))

    return _hook_for_profile


def _hook_class(kind):
    from functools import wraps

    step = kind.step
    if getattr(step, "telltale_hooked", False):
        return

    @wraps(step)
    def counted_step(self, *args, **kwargs):
        result = step(self, *args, **kwargs)
        _post_step(self, args, kwargs)
        return result

    counted_step.telltale_hooked = True
    kind.step = counted_step


# Backward passes, for programs without an optimizer.

_passes = 0  # under way: a checkpoint's own pass is inside of another one


def autograd_imported(module):
    def make(backward):
        def recorded_backward(*args, **kwargs):
            global _passes
            if counter.has_optimizers or _passes or _is_compiling():
                return backward(*args, **kwargs)
            _passes += 1
            try:
                result = backward(*args, **kwargs)
            finally:
                _passes -= 1
            facts.guarded("torch.autograd", counter.went_back)
            return result

        return recorded_backward

    facts.replace(module, "backward", make, "torch.autograd")


def module_imported(module):
    def make(zero_grad):
        def recorded_zero_grad(self, *args, **kwargs):
            if not counter.has_optimizers and not _is_compiling():
                facts.guarded("torch.nn", counter.zeroed)
            return zero_grad(self, *args, **kwargs)

        return recorded_zero_grad

    facts.replace(module.Module, "zero_grad", make, "torch.nn")


# Loaders.


def dataloader_imported(module):
    import torch  # is being imported: its functions are looked up when they are needed

    Iterator = getattr(module, "_BaseDataLoaderIter", None)
    if not isinstance(Iterator, type) or "__next__" not in vars(Iterator):
        facts.say("torch.utils.data", "DataLoader's iterator is not what is known of this library")
        return

    def make_iter(iterate):
        def __iter__(self):
            try:
                loader = _loaders.of(self)[0]
                counter.opening(loader)
            except Exception as error:
                facts.trouble("torch.utils.data", error)
                return iterate(self)
            begin = perf_counter_ns()
            iterator = iterate(self)
            try:
                counter.opened(loader, perf_counter_ns() - begin, torch.is_grad_enabled())
                iterator.telltale_loader = loader
            except Exception as error:
                facts.trouble("torch.utils.data", error)
            return iterator

        return __iter__

    def make_next(next_):
        def __next__(self):
            loader = getattr(self, "telltale_loader", 0)
            try:
                counter.opening(loader)
            except Exception as error:
                facts.trouble("torch.utils.data", error)
            begin = perf_counter_ns()
            try:
                batch = next_(self)
            except StopIteration:
                _read(loader, perf_counter_ns() - begin, True)
                raise
            _read(loader, perf_counter_ns() - begin, False)
            for listener in _listeners:
                listener.batch(torch.is_grad_enabled())
            return batch

        return __next__

    def _read(loader, wait_ns, ended):
        try:
            counter.read(loader, wait_ns, torch.is_grad_enabled(), ended)
        except Exception as error:
            facts.trouble("torch.utils.data", error)

    if facts.replace(module.DataLoader, "__iter__", make_iter, "torch.utils.data"):
        facts.replace(Iterator, "__next__", make_next, "torch.utils.data")


def worker_imported(module):
    def make(loop):
        def _worker_loop(*args, **kwargs):
            facts.guarded("torch.utils.data", processes.is_worker)
            return loop(*args, **kwargs)

        return _worker_loop

    facts.replace(module, "_worker_loop", make, "torch.utils.data")


# Process groups.


def distributed_imported(module):
    if not hasattr(module, "get_rank") or not hasattr(module, "get_world_size"):
        return  # torch without distributed

    def make(init):
        def init_process_group(*args, **kwargs):
            result = init(*args, **kwargs)
            facts.guarded("torch.distributed", lambda: processes.is_rank(module.get_rank(), module.get_world_size()))
            return result

        return init_process_group

    facts.replace(module, "init_process_group", make, "torch.distributed")
