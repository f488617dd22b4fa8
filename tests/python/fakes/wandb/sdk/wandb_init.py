# SPDX-License-Identifier: Apache-2.0
from .wandb_run import Run


def init(project=None, config=None):
    init.run = Run(config)
    return init.run
