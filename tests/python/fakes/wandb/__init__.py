# SPDX-License-Identifier: Apache-2.0
__version__ = "0.99"
from .sdk.wandb_init import init  # noqa: E402, F401


def log(data, step=None, commit=None):
    init.run.log(data, step, commit)
