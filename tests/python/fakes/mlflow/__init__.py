# SPDX-License-Identifier: Apache-2.0
from .tracking.client import MlflowClient

_client = MlflowClient()


def log_metric(key, value, step=None):
    return _client.log_metric("r1", key, value, 2000, step or 0)


def log_params(values):
    from types import SimpleNamespace

    _client.log_batch("r1", params=[SimpleNamespace(key=key, value=str(value)) for key, value in values.items()])
