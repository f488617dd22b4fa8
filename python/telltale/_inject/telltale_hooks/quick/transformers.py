# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer: batches by datasets that are cut before a loader is made of them (its own max_steps counts updates,
not batches), epochs, steps and seconds by its arguments and a callback. A fast-dev-run that would write into a folder with
something in it writes into the run's folder instead."""
import os

from .. import facts
from . import asked, restrict, saves, training
from .clock import Clock

TOOL = "transformers"


def trainer_imported(module):
    Trainer = getattr(module, "Trainer", None)
    if Trainer is None:
        facts.say(TOOL, "its Trainer is not what is known of this library")
        return

    def make_init(init):
        def __init__(self, *args, **kwargs):
            training.managed_by("Hugging Face")
            init(self, *args, **kwargs)
            facts.guarded(TOOL, _set_arguments, self)

        return __init__

    def make_train(get):
        def get_train_dataloader(self):
            before = self.train_dataset
            self.train_dataset = short(before, "train", self.args.train_batch_size * _ranks(self))
            try:
                return get(self)
            finally:
                self.train_dataset = before

        return get_train_dataloader

    def make_eval(role, own):
        def make(get):
            def get_dataloader(self, dataset=None):
                if isinstance(dataset, str):
                    dataset = self.eval_dataset[dataset]
                elif dataset is None and own is not None:
                    dataset = getattr(self, own)
                if dataset is None or isinstance(dataset, dict):
                    return get(self, dataset)
                return get(self, short(dataset, role, self.args.eval_batch_size * _ranks(self)))

            return get_dataloader

        return make

    def make_evaluate(evaluate):
        def evaluating(self, *args, **kwargs):
            if asked.limit_of("val") == 0:
                asked.applied(*asked.flags_of("val"))
                return {}
            return evaluate(self, *args, **kwargs)

        return evaluating

    def make_save(save):
        def _save(self, output_dir=None, *args, **kwargs):
            target = facts.guarded(TOOL, _folder_for, output_dir or self.args.output_dir)
            return save(self, target or output_dir, *args, **kwargs)

        return _save

    facts.replace(Trainer, "__init__", make_init, "quick")
    facts.replace(Trainer, "get_train_dataloader", make_train, "quick")
    facts.replace(Trainer, "get_eval_dataloader", make_eval("val", "eval_dataset"), "quick")
    facts.replace(Trainer, "get_test_dataloader", make_eval("test", None), "quick")
    facts.replace(Trainer, "evaluate", make_evaluate, "quick")
    if asked.value("fast_dev_run") is not None:
        facts.replace(Trainer, "_save", make_save, "quick")


def _ranks(trainer):
    return max(1, getattr(trainer.args, "world_size", 1))


def short(dataset, role, batch_size):
    """A dataset that gives as many batches as were asked for."""
    if dataset is None:
        return None
    length = len(dataset) if hasattr(dataset, "__len__") else None
    subjects = restrict.subjects(role)
    if subjects is not None:
        asked.applied("restrict_subjects")
    if asked.limit_of(role) is not None:
        batches = asked.batches_of(role, None if length is None else -(-length // batch_size))
        if batches is None:
            for flag in asked.flags_of(role):
                asked.not_applied(flag, "a dataset has no length of which this could be a share")
        else:
            asked.applied(*asked.flags_of(role))
            subjects = batches * batch_size if subjects is None else min(subjects, batches * batch_size)
    if subjects is None or (length is not None and subjects >= length):
        return dataset
    for way in ("select", "take"):  # of the datasets library: its columns stay
        if hasattr(dataset, way):
            return getattr(dataset, way)(range(subjects) if way == "select" else subjects)
    if length is None:
        return _First(dataset, subjects)
    from torch.utils.data import Subset

    return Subset(dataset, range(subjects))


def _First(dataset, count):
    from itertools import islice

    from torch.utils.data import IterableDataset

    class First(IterableDataset):
        def __iter__(self):
            return islice(iter(dataset), count)

    return First()


def _set_arguments(trainer):
    arguments = trainer.args
    epochs, steps = asked.max_epochs(), asked.value("max_steps")
    if epochs is not None:
        arguments.num_train_epochs = epochs
        arguments.max_steps = -1
    if steps is not None:
        arguments.max_steps = steps
    asked.applied("max_epochs", "max_steps")
    for flag, name in (("num_workers", "dataloader_num_workers"), ("seed", "seed")):
        if asked.value(flag) is not None and hasattr(arguments, name):
            setattr(arguments, name, asked.value(flag))
            asked.applied(flag)
    if asked.value("num_workers") == 0:
        arguments.dataloader_prefetch_factor = None
        arguments.dataloader_persistent_workers = False
    if asked.value("max_time") is not None:
        trainer.add_callback(_deadline(asked.value("max_time")))
        asked.applied("max_time")
    if asked.value("fast_dev_run") is not None:
        arguments.load_best_model_at_end = False
        folder = _folder_for(arguments.output_dir)
        if folder:
            arguments.output_dir = folder


def _folder_for(path):
    """Where else to write what would go into a folder that was there before; None: it may be written."""
    whole = os.path.abspath(path)
    if whole.startswith(os.path.abspath(saves.folder())) or whole in saves._own:
        return None
    if not os.path.isdir(whole) or not os.listdir(whole):
        saves._own.add(whole)
        return None
    target = os.path.join(saves.folder(), os.path.basename(whole))
    asked.say("checkpoint", "%s was there before: what the Trainer saves is in %s" % (path, os.path.relpath(target)))
    return target


def _deadline(seconds):
    from transformers import TrainerCallback

    clock = Clock(seconds)

    class Deadline(TrainerCallback):
        def on_train_begin(self, args, state, control, **kwargs):
            clock.start()

        def on_step_end(self, args, state, control, **kwargs):
            if clock.is_up(state.global_step):
                control.should_training_stop = True
            return control

    return Deadline()
