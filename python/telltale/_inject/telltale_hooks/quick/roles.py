# SPDX-License-Identifier: Apache-2.0
"""Which loader trains, validates or tests, by evidence, the strongest first: an optimizer stepped while it was read; a variable,
attribute or key of the program's that holds the loader or its dataset says so by its name; gradients are off or the model was
put into evaluation; it shuffles; it is the first. A loader that is read for evaluation is for tests when the training is over."""
import re
import weakref

from .. import facts

_words = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
MOST_FRAMES = 12
MOST_NAMES = 400  # in one frame

_known = weakref.WeakKeyDictionary()  # loader -> role by its name
_trained = weakref.WeakSet()  # loaders that an optimizer has stepped on
_first = None  # weak reference to the first loader that was made
_evaluating = False  # the model that was asked last is in evaluation


def module_imported(module):
    """torch.nn.Module: train() and eval() say what the program is about to do."""

    def make(train):
        def recorded_train(self, mode=True):
            global _evaluating
            _evaluating = not mode
            return train(self, mode)

        return recorded_train

    facts.replace(module.Module, "train", make, "quick")


def role_of_name(name):
    """"train", "val", "test" or None."""
    for word in _words.findall(str(name)):
        word = word.lower()
        if word.startswith("train") or word == "trn":
            return "train"
        if word.startswith("val") or word in ("dev", "eval", "evaluation"):
            return "val"
        if word.startswith("test") or word == "holdout":
            return "test"
    return None


def _names_in(values, wanted):
    for name, value in list(values.items())[:MOST_NAMES]:
        if any(value is thing for thing in wanted):
            yield name
        elif type(value) is dict and len(value) <= 16:
            for key, item in list(value.items()):
                if any(item is thing for thing in wanted):
                    yield key


def _by_name(loader, frame):
    """From the frames of the program, the nearest first: what they call the loader, else what they call its dataset."""
    frames = []
    while frame is not None and len(frames) < MOST_FRAMES:
        if "/torch/utils/data/" not in frame.f_code.co_filename and "/telltale_hooks/" not in frame.f_code.co_filename:
            frames.append(frame)
        frame = frame.f_back
    for wanted in ([loader], [getattr(loader, "dataset", loader)]):
        for frame in frames:
            spaces = [frame.f_locals]
            if frame.f_globals is not frame.f_locals:
                spaces.append(frame.f_globals)
            owner = frame.f_locals.get("self")
            if owner is not None and hasattr(owner, "__dict__"):
                spaces.append(vars(owner))
            for space in spaces:
                for name in _names_in(space, wanted):
                    role = role_of_name(name)
                    if role is not None:
                        return role
    return _of_dataset(getattr(loader, "dataset", None))


def _of_dataset(dataset):
    train = getattr(dataset, "train", None)
    if isinstance(train, bool):
        return "train" if train else "test"
    split = getattr(dataset, "split", None)
    return role_of_name(split) if isinstance(split, str) else None


def made(loader):
    global _first
    if _first is None:
        _first = weakref.ref(loader)


def trains(loader):
    """An optimizer has stepped on its batches."""
    _trained.add(loader)


def knows(loader):
    return loader in _trained or loader in _known


def given(loader, role):
    """Told by who knows."""
    _known[loader] = role


def by_name(loader, frame):
    role = _known.get(loader)
    if role is None:
        role = _by_name(loader, frame)
        if role is not None:
            _known[loader] = role
    return role


def _shuffles(loader):
    sampler = getattr(loader, "sampler", None)
    return type(sampler).__name__ in ("RandomSampler", "WeightedRandomSampler", "SubsetRandomSampler") or getattr(sampler, "shuffle", False) is True


def is_evaluation(gradients):
    return not gradients or _evaluating


def role_of(loader, frame, gradients, training_is_over):
    """When it is read."""
    if loader in _trained:
        return "train"
    role = by_name(loader, frame)
    if role is not None:
        return role
    if is_evaluation(gradients):
        return "test" if training_is_over else "val"
    return likely_role(loader, frame)


def likely_role(loader, frame):
    """When it is not read yet, or says nothing of itself."""
    role = "train" if loader in _trained else by_name(loader, frame)
    if role is not None:
        return role
    if _shuffles(loader) or (_first is not None and _first() is loader):
        return "train"
    return "train" if not _trained and "train" not in _known.values() else "val"
