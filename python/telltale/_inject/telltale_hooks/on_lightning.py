# SPDX-License-Identifier: Apache-2.0
"""Lightning (lightning and pytorch_lightning, 1.6 and later): hyperparameters as they are saved, and metrics that its
loggers get, where none of them is a tool that records them itself (rule 3 of curves.py): a CSV logger, or no logger at all.
Steps are the optimizers' own (on_torch.py)."""
from . import curves, facts, processes
from .on_wandb import number_of

TOOL = "lightning"


def _record_metrics(connector, metrics, step):
    trainer = connector.trainer
    values = dict(metrics)
    if step is None and values.get("step") is not None:
        step = int(number_of(values.pop("step")))
    if step is None:
        values.setdefault("epoch", trainer.current_epoch)
        step = getattr(getattr(getattr(trainer, "fit_loop", None), "epoch_loop", None), "_batches_that_stepped", trainer.global_step)
    source = curves.source(TOOL, "trainer")
    for tag, value in _leaves(values):
        number = number_of(value)
        if number is not None:
            curves.scalar(source, tag, number, int(step))


def _leaves(values, prefix=""):
    for key, value in values.items():
        name = "%s.%s" % (prefix, key) if prefix else str(key)
        if isinstance(value, dict):
            yield from _leaves(value, name)
        else:
            yield name, value


def connector_imported(module):
    Connector = getattr(module, "_LoggerConnector", None) or getattr(module, "LoggerConnector", None)
    if Connector is None:
        facts.say(TOOL, "its logger connector is not what is known of this library")
        return

    def make(log_metrics):
        def recorded_log_metrics(self, metrics, step=None, *args, **kwargs):
            before = curves.recorded()
            result = log_metrics(self, metrics, step, *args, **kwargs)
            if metrics and curves.recorded() == before:
                facts.guarded(TOOL, _record_if_first, self, metrics, step)
            return result

        return recorded_log_metrics

    facts.replace(Connector, "log_metrics", make, TOOL)


def _record_if_first(connector, metrics, step):
    if getattr(connector.trainer, "is_global_zero", True):
        _record_metrics(connector, metrics, step)


def hparams_imported(module):
    Mixin = getattr(module, "HyperparametersMixin", None)
    if Mixin is None:
        facts.say(TOOL, "its hyperparameters are not what is known of this library")
        return

    def make(set_hparams):
        def recorded_set_hparams(self, hp, *args, **kwargs):
            result = set_hparams(self, hp, *args, **kwargs)
            facts.guarded(TOOL, _record_hparams, hp)
            return result

        return recorded_set_hparams

    facts.replace(Mixin, "_set_hparams", make, TOOL)


def _record_hparams(hparams):
    from .values import flatten

    if not isinstance(hparams, str):
        found = flatten(hparams)
        found.pop("_instantiator", None)  # its CLI's own
        processes.config(found)
