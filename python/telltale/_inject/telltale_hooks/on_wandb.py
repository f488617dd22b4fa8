# SPDX-License-Identifier: Apache-2.0
"""W&B: Run.log, with the step that W&B would give each row; a step in the past, which W&B drops, is kept. Nested keys are
joined with dots, as W&B does. config and summary of the run are recorded as they are set. Nothing is known of what W&B
sends to its servers, and nothing of a disabled run is recorded."""
from . import curves, facts, processes

TOOL = "wandb"
MAX_DEPTH = 8  # of nested dictionaries in a row

_rows = {}  # run id -> step of the row that is being filled


def number_of(value):
    """A float, where the value is one number of any library's kind, otherwise None."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    if isinstance(value, (str, bytes, dict, list, tuple)) or type(value).__module__.partition(".")[0] == "wandb":
        return None
    size = getattr(value, "numel", None) or getattr(value, "size", None)
    try:
        if hasattr(value, "item") and (size() if callable(size) else size) == 1:
            return float(value.item())
    except Exception:
        return None
    return None


def _record_row(source, data, step, prefix="", depth=0):
    for key, value in data.items():
        name = "%s.%s" % (prefix, key) if prefix else str(key)
        number = number_of(value)
        if number is not None:
            curves.scalar(source, name, number, step)
        elif isinstance(value, str):
            curves.text(source, name, value, step)
        elif isinstance(value, dict):
            if depth < MAX_DEPTH:
                _record_row(source, value, step, name, depth + 1)
        else:
            from . import wandb_media

            for summary_value in wandb_media.summary_values(name, value):
                curves.value(source, name, summary_value, step)


def _record_log(run, data, step, commit):
    identity = run.id
    row = _rows.get(identity)
    if row is None:
        row = int(getattr(run, "starting_step", 0) or 0)
    at = row if step is None else int(step)
    row = max(row, at)
    _rows[identity] = row + 1 if commit or (step is None and commit is None) else row
    _record_row(curves.source(TOOL, identity, getattr(run, "name", None) or identity), data, at)


def _record_config(values):
    from .values import flatten

    processes.config({key: value for key, value in flatten(values).items() if not key.startswith("_wandb")})


def _record_summary(record):
    found = {}
    for item in getattr(record, "update", ()):
        found[".".join(str(part) for part in item.key)] = item.value
    if found:
        from .values import flatten

        facts.note("summary", flatten(found))


def run_imported(module):
    def make_log(log):
        def recorded_log(self, data, step=None, commit=None, *args, **kwargs):
            result = log(self, data, step, commit, *args, **kwargs)
            facts.guarded(TOOL, _record_log, self, data, step, commit)
            return result

        return recorded_log

    def make_config(config_callback):
        def recorded_config(self, key=None, val=None, data=None, *args, **kwargs):
            result = config_callback(self, key, val, data, *args, **kwargs)
            name = ".".join(str(part) for part in key) if isinstance(key, tuple) else key
            facts.guarded(TOOL, _record_config, dict(data or {}, **({} if name is None else {name: val})))
            return result

        return recorded_config

    def make_summary(summary_callback):
        def recorded_summary(self, summary_record, *args, **kwargs):
            result = summary_callback(self, summary_record, *args, **kwargs)
            facts.guarded(TOOL, _record_summary, summary_record)
            return result

        return recorded_summary

    facts.replace(module.Run, "log", make_log, TOOL)
    facts.replace(module.Run, "_config_callback", make_config, TOOL)
    facts.replace(module.Run, "_summary_update_callback", make_summary, TOOL)


def init_imported(module):
    def make(init):
        def recorded_init(*args, **kwargs):
            run = init(*args, **kwargs)
            facts.guarded(TOOL, lambda: _record_config(run.config.as_dict()))
            return run

        return recorded_init

    facts.replace(module, "init", make, TOOL)
