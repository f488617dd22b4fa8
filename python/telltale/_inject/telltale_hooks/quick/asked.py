# SPDX-License-Identifier: Apache-2.0
"""What was asked for (TELLTALE_QUICK, JSON: flag -> value; a count is an integer, a share of all batches a number with a
fraction), and what became of it: the note `quick_run`, {"applied": {flag: value}, "not_applied": {flag: why}, "said": {about:
sentence}}. The last word about a flag counts. What nobody says anything about is told as not applied by who reads it."""
from .. import facts

_values = {}
_applied = set()
_refused = {}
_said = {}


def load(text):
    import json

    _values.clear()
    _values.update(json.loads(text))


def value(flag):
    return _values.get(flag)


def any_of(flags):
    return any(flag in _values for flag in flags)


def limit_of(role):
    """Batches of a loop of this role, or the share of them; None: all."""
    limit = _values.get("limit_%s_batches" % role)
    if limit is None and role in ("train", "val"):
        limit = _values.get("overfit_batches")
    return _values.get("fast_dev_run") if limit is None else limit


def batches_of(role, length):
    """How many of `length` batches a loop of this role has; None: all of them, or nobody knows."""
    limit = limit_of(role)
    if isinstance(limit, float):
        return None if length is None else int(length * limit)
    return limit if limit is None or length is None else min(limit, length)


def max_epochs():
    epochs = _values.get("max_epochs")
    return 1 if epochs is None and "fast_dev_run" in _values else epochs


def flags_of(role):
    """The flags that shorten a loop of this role."""
    flags = ["fast_dev_run", "limit_%s_batches" % role]
    return flags + ["overfit_batches"] if role in ("train", "val") else flags


def applied(*flags):
    fresh = [flag for flag in flags if flag in _values and flag not in _applied]
    if fresh:
        _applied.update(fresh)
        for flag in fresh:
            _refused.pop(flag, None)
        facts.note("quick_run", {"applied": {flag: _values[flag] for flag in fresh}})


def not_applied(flag, why):
    if flag in _values and _refused.get(flag) != why:
        _applied.discard(flag)
        _refused[flag] = why
        facts.note("quick_run", {"not_applied": {flag: why}})


def say(about, sentence):
    """What a person should know who asked for it: about `about`, once."""
    if about not in _said:
        _said[about] = sentence
        facts.note("quick_run", {"said": {about: sentence}})
