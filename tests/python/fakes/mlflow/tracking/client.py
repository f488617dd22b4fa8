# SPDX-License-Identifier: Apache-2.0
class MlflowClient:
    def log_metric(self, run_id, key, value, timestamp=None, step=None, synchronous=None):
        return "metric"

    def log_batch(self, run_id, metrics=(), params=(), tags=(), synchronous=None):
        for metric in metrics:
            self.log_metric(run_id, metric.key, metric.value, metric.timestamp, metric.step)

    def log_param(self, run_id, key, value, synchronous=None):
        return value
