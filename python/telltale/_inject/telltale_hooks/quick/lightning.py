# SPDX-License-Identifier: Apache-2.0
"""Lightning (lightning and pytorch_lightning, 1.6 and later): the Trainer's arguments, where it is made. A fast-dev-run is one
epoch with N batches of each loop, rather than Lightning's own fast_dev_run: that one also ends after N optimizer steps, which
with manual optimization comes before N batches, takes the loggers away, and refuses to test the best checkpoint. Checkpoints
of a fast-dev-run go into the run's folder."""
import os
import weakref

from .. import facts
from . import asked, saves, training

TOOL = "lightning"
SAME = ("limit_train_batches", "limit_val_batches", "limit_test_batches", "overfit_batches", "max_epochs", "max_steps",
        "num_sanity_val_steps", "detect_anomaly")  # fmt: skip


def arguments():
    """{name: value} of a Trainer, from what was asked for."""
    found = {name: asked.value(name) for name in SAME if asked.value(name) is not None}
    batches = asked.value("fast_dev_run")
    if batches is not None:
        for role in ("train", "val", "test", "predict"):
            found.setdefault("limit_%s_batches" % role, batches)
        found.setdefault("max_epochs", 1)
        found.setdefault("num_sanity_val_steps", 0)
        found.update(fast_dev_run=False, check_val_every_n_epoch=1, val_check_interval=1.0)
    if found.get("max_epochs") is not None and asked.value("max_steps") is None:
        found["max_steps"] = -1
    if asked.value("max_time") is not None:
        seconds = int(asked.value("max_time"))
        found["max_time"] = {"seconds": seconds}
    if asked.value("deterministic"):
        found["deterministic"] = "warn"
    return found


def trainer_imported(module):
    Trainer = getattr(module, "Trainer", None)
    if Trainer is None:
        facts.say(TOOL, "its Trainer is not what is known of this library")
        return
    from inspect import signature

    known = signature(Trainer.__init__).parameters

    def make(init):
        def __init__(self, *args, **kwargs):
            training.managed_by("Lightning", _role_of(weakref.ref(self)))
            kwargs = facts.guarded(TOOL, _merged, known, args, kwargs) or kwargs
            init(self, *args, **kwargs)
            facts.guarded(TOOL, _move_checkpoints, self)

        return __init__

    facts.replace(Trainer, "__init__", make, "quick")


def _role_of(trainer):
    """While it fits it also looks at the loaders of the validation: then it does not say."""

    def role_now():
        stage = getattr(getattr(trainer(), "state", None), "stage", None)
        return {"validate": "val", "sanity_check": "val", "test": "test"}.get(getattr(stage, "value", stage))

    return role_now


def _merged(known, args, kwargs):
    merged = dict(kwargs)
    for name, value in arguments().items():
        if name not in known:
            asked.not_applied(name, "this version of Lightning has no such argument")
        else:
            merged[name] = value
    if "min_epochs" in merged and asked.max_epochs() is not None:
        merged["min_epochs"] = None
    if asked.value("max_steps") is not None:
        merged["min_steps"] = None
    asked.applied("fast_dev_run", "max_time", "deterministic", *(name for name in SAME if name in known))
    return merged


def _move_checkpoints(trainer):
    if asked.value("fast_dev_run") is None:
        return
    for at, callback in enumerate(getattr(trainer, "checkpoint_callbacks", ())):
        if hasattr(callback, "dirpath"):
            callback.dirpath = os.path.join(saves.folder(), "checkpoints" + (str(at) if at else ""))
    asked.say("checkpoint", "what Lightning's callbacks save is in " + os.path.relpath(saves.folder()))
    save = trainer.save_checkpoint

    def save_checkpoint(filepath, *args, **kwargs):
        target = facts.guarded(TOOL, saves.instead_of, filepath) if isinstance(filepath, (str, os.PathLike)) else None
        return save(filepath if target is None else target, *args, **kwargs)

    trainer.save_checkpoint = save_checkpoint
