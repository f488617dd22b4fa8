# SPDX-License-Identifier: Apache-2.0
"""MLflow: the client's log_metric, log_batch and log_param, which mlflow.log_metric(s), log_param(s) and its autologging
end in. A metric without a step is at 0, as MLflow stores it; times are MLflow's, in milliseconds."""
import threading

from . import curves, facts, processes

TOOL = "mlflow"


class _Inside(threading.local):
    calls = 0  # of the client, in this thread: one method may use another


_inside = _Inside()


def _record_metric(run_id, key, value, timestamp, step):
    wall = timestamp / 1000 if timestamp else None
    curves.scalar(curves.source(TOOL, run_id), key, float(value), int(step or 0), wall)


def _record_batch(run_id, metrics, params):
    for metric in metrics or ():
        _record_metric(run_id, metric.key, metric.value, metric.timestamp, metric.step)
    _record_params({param.key: param.value for param in params or ()})


def _record_params(values):
    from .values import flatten

    if values:
        processes.config(flatten({key: plain(value) for key, value in values.items()}))


def plain(value):
    """MLflow's parameters are texts, also of numbers: the number again, where the text is what Python prints for it."""
    if not isinstance(value, str):
        return value
    if value in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[value]
    for kind in (int, float):
        try:
            number = kind(value)
        except ValueError:
            continue
        if str(number) == value:
            return number
    return value


def client_imported(module):
    def recorded(record):
        def make(method):
            def call(self, run_id, *args, **kwargs):
                _inside.calls += 1
                try:
                    result = method(self, run_id, *args, **kwargs)
                finally:
                    _inside.calls -= 1
                if not _inside.calls:
                    facts.guarded(TOOL, lambda: record(run_id, *args, **kwargs))
                return result

            return call

        return make

    def metric(run_id, key, value, timestamp=None, step=None, *_, **__):
        _record_metric(run_id, key, value, timestamp, step)

    def batch(run_id, metrics=(), params=(), *_, **__):
        _record_batch(run_id, metrics, params)

    def param(run_id, key, value, *_, **__):
        _record_params({key: value})

    facts.replace(module.MlflowClient, "log_metric", recorded(metric), TOOL)
    facts.replace(module.MlflowClient, "log_batch", recorded(batch), TOOL)
    facts.replace(module.MlflowClient, "log_param", recorded(param), TOOL)
