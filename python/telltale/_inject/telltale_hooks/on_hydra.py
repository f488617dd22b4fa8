# SPDX-License-Identifier: Apache-2.0
"""Hydra: the composed configuration, resolved, without Hydra's own part, each time Hydra sets it for a job; and errors of
the job, which Hydra prints itself before it exits."""
from . import exceptions, facts, processes


def _record(config):
    from omegaconf import OmegaConf

    from .values import flatten

    values = {}
    for key in config:
        if key == "hydra" or OmegaConf.is_missing(config, key):
            continue
        try:
            values[str(key)] = config[key]
        except Exception:  # it refers to something that is not there
            continue
    processes.config(flatten(values))


def hydra_config_imported(module):
    def make(set_config):
        def recorded_set_config(self, cfg, *args, **kwargs):
            result = set_config(self, cfg, *args, **kwargs)
            facts.guarded("hydra", _record, cfg)
            return result

        return recorded_set_config

    facts.replace(module.HydraConfig, "set_config", make, "hydra")


def hydra_utils_imported(module):
    def make(run_and_report):
        def recorded_run_and_report(func):
            try:
                return run_and_report(func)
            except SystemExit as error:
                facts.guarded("hydra", exceptions.record_exit, error)
                raise

        return recorded_run_and_report

    facts.replace(module, "run_and_report", make, "hydra")
