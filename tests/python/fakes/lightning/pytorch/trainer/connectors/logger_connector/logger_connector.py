# SPDX-License-Identifier: Apache-2.0
class _LoggerConnector:
    def __init__(self, trainer):
        self.trainer = trainer

    def log_metrics(self, metrics, step=None):
        for logger in self.trainer.loggers:
            logger(metrics, step)
