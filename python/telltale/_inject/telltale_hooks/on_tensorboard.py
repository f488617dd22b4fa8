# SPDX-License-Identifier: Apache-2.0
"""TensorBoard's and tensorboardX's writers. All they write passes one method, EventFileWriter.add_event: what torch's
SummaryWriter, tensorboardX, Lightning's and Hugging Face's TensorBoard loggers log is seen there, with the step and time
that the file gets. add_scalars writes to sub-folders under one tag; here its curves are main_tag/key. add_hparams is also
configuration."""
import os
import threading

from . import curves, facts, processes

# Of TensorFlow's DataType.
DT_FLOAT = 1
DT_DOUBLE = 2


class _Inside(threading.local):
    add_scalars = 0  # calls, in this thread: its sub-folders' events are recorded by their keys


_inside = _Inside()
_sources = {}  # folder as the writer has it -> Source


def _source(folder):
    known = _sources.get(folder)
    if known is None:
        path = os.path.abspath(os.fspath(folder)) if "://" not in str(folder) else str(folder)
        known = _sources[folder] = curves.source("tensorboard", path)
    return known


def tensor_scalar(value):
    """The number in a Summary.Value's tensor if it is a scalar of the newer kind, otherwise None."""
    tensor = value.tensor
    if value.metadata.plugin_data.plugin_name not in ("scalars", "") or len(tensor.tensor_shape.dim) != 0:
        return None
    if tensor.dtype == DT_FLOAT and len(tensor.float_val) == 1:
        return float(tensor.float_val[0])
    if tensor.dtype == DT_DOUBLE and len(tensor.double_val) == 1:
        return float(tensor.double_val[0])
    if tensor.dtype in (DT_FLOAT, DT_DOUBLE) and tensor.tensor_content:
        from struct import unpack

        return unpack("<f" if tensor.dtype == DT_FLOAT else "<d", tensor.tensor_content)[0]
    return None


def record_event(folder, event):
    if event.WhichOneof("what") != "summary":
        return
    source = _source(folder)
    step, wall = event.step, event.wall_time or None
    for value in event.summary.value:
        kind = value.WhichOneof("value")
        number = value.simple_value if kind == "simple_value" else tensor_scalar(value) if kind == "tensor" else None
        if number is not None:
            curves.scalar(source, value.tag, number, step, wall)
        elif kind is not None:
            curves.value(source, value.tag, value.SerializeToString(), step, wall)


def event_file_writer_imported(module):
    tool = module.__name__.partition(".")[0]

    def make(add_event):
        def recorded_add_event(self, event, *args, **kwargs):
            result = add_event(self, event, *args, **kwargs)
            if not _inside.add_scalars:
                facts.guarded(tool, record_event, self._logdir, event)
            return result

        return recorded_add_event

    facts.replace(module.EventFileWriter, "add_event", make, tool)


def _record_scalars(writer, main_tag, values, step, wall):
    source = _source(writer._get_file_writer().get_logdir())
    for key, number in values.items():
        curves.scalar(source, "%s/%s" % (main_tag, key), float(number), 0 if step is None else int(step), wall)


def writer_imported(module):
    tool = module.__name__.partition(".")[0]
    tool = "tensorboard" if tool == "torch" else tool

    def make_scalars(add_scalars):
        def recorded_add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None, *args, **kwargs):
            _inside.add_scalars += 1
            try:
                result = add_scalars(self, main_tag, tag_scalar_dict, global_step, walltime, *args, **kwargs)
            finally:
                _inside.add_scalars -= 1
            facts.guarded(tool, _record_scalars, self, main_tag, tag_scalar_dict, global_step, walltime)
            return result

        return recorded_add_scalars

    def make_hparams(add_hparams):
        def recorded_add_hparams(self, hparam_dict, *args, **kwargs):
            result = add_hparams(self, hparam_dict, *args, **kwargs)
            facts.guarded(tool, _record_hparams, hparam_dict)
            return result

        return recorded_add_hparams

    facts.replace(module.SummaryWriter, "add_scalars", make_scalars, tool)
    facts.replace(module.SummaryWriter, "add_hparams", make_hparams, tool)


def _record_hparams(hparams):
    from .values import flatten

    processes.config(flatten(hparams))
