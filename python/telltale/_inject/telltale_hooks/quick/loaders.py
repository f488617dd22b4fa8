# SPDX-License-Identifier: Apache-2.0
"""torch's DataLoaders, shortened: the sampler that says what is read ends early, so that len() shrinks with it, nothing is read
in vain and workers see nothing unusual. Of a loader that feeds a training each pass is an epoch (training.py)."""
import itertools
import sys
import threading
import weakref

from .. import facts, processes
from . import asked, loops, restrict, roles, training

_trained = False
_current = weakref.WeakKeyDictionary()  # loader -> its role in the pass that has begun last
_ahead = []  # passes that ended before the step on their only batch: somebody reads ahead
_overfit = weakref.WeakKeyDictionary()  # loader -> what its sampler said in the first epoch


def has_trained():
    return _trained


class Reading:
    """One pass over a loader."""

    __slots__ = ("loader", "role", "evaluates", "steps", "backwards", "fetched", "runs", "is_sure", "limit", "last")

    def __init__(self, loader, role, evaluates, here):
        self.loader = weakref.ref(loader)
        self.role, self.evaluates = role, evaluates
        self.steps, self.backwards = training.state.steps, training.state.backwards
        self.fetched = 0
        self.runs = [run for run in here.runs if run not in here.feeding]
        self.is_sure = roles.knows(loader)
        self.limit = None
        self.last = None  # the batch that was read last, of a loop that does not train

    @property
    def trains(self):
        return self.role == "train" and not self.evaluates

    @property
    def has_trained(self):
        is_elsewhere = threading.current_thread() is not threading.main_thread()
        return training.state.steps > self.steps or training.state.backwards > self.backwards or is_elsewhere


class _ShortSampler:
    """The first of what a sampler gives; what else it has is that sampler's."""

    def __init__(self, sampler, loader, limit):
        self._sampler, self._loader, self._limit = sampler, loader, limit

    def __iter__(self):
        kept = _overfit.get(self._loader)
        if kept is not None:
            return iter(kept)
        items = itertools.islice(iter(self._sampler), self._limit)
        if asked.value("overfit_batches") is not None and _current.get(self._loader) == "train":
            kept = _overfit[self._loader] = list(items)  # the same samples in every epoch
            return iter(kept)
        return items

    def __len__(self):
        return min(self._limit, len(self._sampler))

    def __getattr__(self, name):
        return getattr(self._sampler, name)


def _length(sampler):
    try:
        return len(sampler)
    except TypeError:
        return None


def _is_iterable(loader):
    """Whether it reads a stream, rather than samples by their number: its sampler has no end."""
    return getattr(loader, "_dataset_kind", 0) == 1


def _limit(loader, role, sampler):
    """Batches of this loader in this role, or None."""
    length = _length(sampler)
    if _is_iterable(loader):
        length = _length(loader.dataset)
        length = None if length is None else -(-length // (getattr(loader, "batch_size", None) or 1))
    if isinstance(asked.limit_of(role), float) and length is None:
        for flag in asked.flags_of(role):
            asked.not_applied(flag, "a loader has no length of which this could be a share")
        return None
    return asked.batches_of(role, length)


def _role(loader):
    role = training.role_now() or _current.get(loader)
    return role if role is not None else roles.likely_role(loader, sys._getframe(2))


def dataloader_imported(module):
    import torch  # is being imported: its functions are looked up when they are needed

    DataLoader, Iterator = module.DataLoader, getattr(module, "_BaseDataLoaderIter", None)
    index_sampler = vars(DataLoader).get("_index_sampler")
    if not isinstance(Iterator, type) or not isinstance(index_sampler, property):
        for flag in ("fast_dev_run", "limit_train_batches", "limit_val_batches", "limit_test_batches", "overfit_batches", "max_epochs"):
            asked.not_applied(flag, "DataLoader is not what is known of this version of torch")
        return

    def short_sampler(self):
        sampler = index_sampler.fget(self)
        if processes.role() == "worker":
            return sampler
        try:
            if training.manager() != "Hugging Face":  # it cuts the dataset
                sampler = restrict.restricted(self, sampler, _role)
            if training.is_managed():
                return sampler
            limit = _limit(self, _role(self), sampler)
            return sampler if limit is None else _ShortSampler(sampler, self, limit)
        except Exception as error:
            facts.trouble("quick", error)
            return sampler

    DataLoader._index_sampler = property(short_sampler)

    def make_init(init):
        def __init__(self, *args, **kwargs):
            workers = asked.value("num_workers")
            if workers is not None:
                args, kwargs = with_workers(workers, args, kwargs)
                asked.applied("num_workers")
            init(self, *args, **kwargs)
            facts.guarded("quick", roles.made, self)

        return __init__

    def make_iter(iterate):
        def __iter__(self):
            if processes.role() == "worker" or training.is_managed():
                return iterate(self)
            reading = _begin(self, torch.is_grad_enabled(), sys._getframe(1))
            iterator = iterate(self)
            if reading is not None:
                iterator.telltale_reading = reading
            return iterator

        return __iter__

    def make_len(length):
        def __len__(self):
            all_of_them = length(self)
            # Of all others this is the length of the sampler, which is short already.
            if training.is_managed() or processes.role() == "worker" or not _is_iterable(self):
                return all_of_them
            limit = asked.batches_of(_role(self), all_of_them)
            return all_of_them if limit is None else min(limit, all_of_them)

        return __len__

    def make_next(next_):
        def __next__(self):
            reading = getattr(self, "telltale_reading", None)
            if reading is None:
                return next_(self)
            if reading.limit == 0:
                raise StopIteration
            if reading.trains and training.is_late():
                _end(reading, True, sys._getframe(1))
                raise StopIteration
            try:
                batch = next_(self)
            except StopIteration:
                if _end(reading, False, sys._getframe(1)):
                    return reading.last
                raise
            reading.fetched += 1
            if not reading.trains:
                reading.last = batch
            facts.guarded("quick", _look_again, reading)
            return batch

        return __next__

    facts.replace(DataLoader, "__init__", make_init, "quick")
    facts.replace(DataLoader, "__iter__", make_iter, "quick")
    facts.replace(DataLoader, "__len__", make_len, "quick")
    facts.replace(Iterator, "__next__", make_next, "quick")


def with_workers(workers, args, kwargs):
    """The arguments of a DataLoader with that many workers."""
    args, kwargs = list(args), dict(kwargs)
    if len(args) > 5:
        args[5] = workers
    else:
        kwargs["num_workers"] = workers
    if workers == 0:
        for name in ("prefetch_factor", "persistent_workers", "multiprocessing_context", "timeout", "worker_init_fn"):
            if name != "worker_init_fn":
                kwargs.pop(name, None)
    return tuple(args), kwargs


def _begin(loader, gradients, frame):
    """A pass over the loader begins; EndLoop where there must not be one."""
    try:
        here = loops.Place(frame, training._generators.__contains__)
        goes_on = training.common_run(here)
        is_over = training.state.steps > 0 and goes_on is None
        role = roles.role_of(loader, frame, gradients, is_over)
        # A program may forget to put its model back into training.
        evaluates = not gradients if role == "train" and roles.knows(loader) else roles.is_evaluation(gradients)
        reading = Reading(loader, role, evaluates, here)
        _current[loader] = role
        if role == "train":
            _ahead[:] = [other for other in _ahead if other.loader() is not loader]
        if not (reading.trains and training.is_late()):
            _tell_applied(reading)
            return reading
    except Exception as error:
        facts.trouble("quick", error)
        return None
    if goes_on is not None:
        raise loops.EndLoop(goes_on)
    if threading.get_ident() != training.state.thread and threading.current_thread() is not threading.main_thread():
        reading.limit = 0  # a thread that reads for the one that trains: there is no more
        return reading
    training.begin()
    return reading


def _tell_applied(reading):
    role = reading.role
    if asked.limit_of(role) is not None:
        asked.applied(*asked.flags_of(role))
    if reading.trains:
        asked.applied("max_epochs", "max_steps", "max_time")


def _look_again(reading):
    """What happens with the first batch says whether a loader of which nothing is known trains."""
    global _trained
    if not reading.trains:
        return
    if reading.has_trained:
        if training.state.steps > reading.steps:
            loader = reading.loader()
            if loader is not None:
                roles.trains(loader)
            _trained = True
    elif reading.fetched == 2 and not reading.is_sure:
        reading.evaluates = True


def stepped():
    """An optimizer has stepped: it may be on a batch whose pass is over already."""
    while _ahead:
        if training.epoch_ended():
            training.end_of_epochs(_ahead[-1].runs)
        _ahead.pop()


def _end(reading, is_early, frame):
    """The pass is over: there is no more, or enough. EndLoop where the program could not bear to hear that; true where it is to
    have its last batch once more instead."""
    global _trained
    is_last = False
    if reading.trains and (reading.has_trained or is_early):
        _trained = True
        is_last = True if is_early else training.epoch_ended()
    elif reading.trains and reading.fetched == 1 and not loops.is_own(frame):
        _ahead.append(reading)
    try:
        if is_last:
            training.end_of_epochs(reading.runs)
        if not (is_last or _was_cut(reading)):
            return False
        here = loops.Place(frame, training._generators.__contains__)
        if is_last:
            for run in here.feeding:
                run.over = True
        target = here.runs[0] if here.runs else None
        if target is None or not here.is_explicit or here.is_guarded(target):
            return False
        if not reading.trains and target in training.state.runs:
            return reading.fetched > 0  # a validation batch in the loop that trains, which goes on
    except Exception as error:
        facts.trouble("quick", error)
        return False
    raise loops.EndLoop(target)


def _was_cut(reading):
    loader = reading.loader()
    if loader is None:
        return False
    batches = loader.batch_sampler if loader.batch_sampler is not None else loader.sampler
    length = _length(batches)
    return length is None or reading.fetched < length
