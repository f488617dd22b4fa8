# SPDX-License-Identifier: Apache-2.0
from types import SimpleNamespace

from tensorboard.summary.writer.event_file_writer import Event, EventFileWriter, Value


class SummaryWriter:
    def __init__(self, log_dir):
        self.writers = {log_dir: EventFileWriter(log_dir)}
        self.log_dir = log_dir

    def _get_file_writer(self):
        return self.writers[self.log_dir]

    def _add(self, folder, value, step, walltime=None):
        writer = self.writers.setdefault(folder, None) or EventFileWriter(folder)
        self.writers[folder] = writer
        writer.add_event(Event(step=int(step or 0), wall_time=walltime or 1000.5, summary=SimpleNamespace(value=[value])))

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None):
        self._add(self.log_dir, Value(tag=tag, kind="simple_value", simple_value=float(scalar_value)), global_step, walltime)

    def add_histogram(self, tag, values, global_step=None):
        self._add(self.log_dir, Value(tag=tag, kind="histo", histo=list(values)), global_step)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        for key, number in tag_scalar_dict.items():
            value = Value(tag=main_tag, kind="simple_value", simple_value=float(number))
            self._add(self.log_dir + "/" + main_tag + "_" + key, value, global_step, walltime)

    def add_hparams(self, hparam_dict, metric_dict, run_name=None):
        for tag, number in metric_dict.items():
            self.add_scalar(tag, number)
