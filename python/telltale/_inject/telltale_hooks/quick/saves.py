# SPDX-License-Identifier: Apache-2.0
"""A fast-dev-run writes no checkpoint over a good one: what torch.save would write over a file that was there before the run
goes into the run's folder instead, and torch.load reads it from there. Files that the run itself makes are its own."""
import os

from .. import facts
from . import asked

_own = set()  # files that did not exist when this run first wrote them
_moved = {}  # file -> where it is instead


def folder():
    """Of what a quick run writes instead of writing over it."""
    path = os.path.join(os.environ.get("TELLTALE_RUN_DIR", "."), "outputs", "quick")
    os.makedirs(path, exist_ok=True)
    return path


def instead_of(path):
    """Where a file that the program writes goes."""
    whole = os.path.abspath(os.fspath(path))
    if whole in _moved:
        return _moved[whole]
    if whole in _own or not os.path.exists(whole) or whole.startswith(os.path.abspath(folder())):
        _own.add(whole)
        return path
    _moved[whole] = os.path.join(folder(), "%d_%s" % (len(_moved), os.path.basename(whole)))
    asked.say("checkpoint", "%s was there before: what the program saves there is in %s" % (os.fspath(path), os.path.relpath(_moved[whole])))
    return _moved[whole]


def where_is(path):
    return _moved.get(os.path.abspath(os.fspath(path)), path)


def _is_path(thing):
    return isinstance(thing, (str, os.PathLike))


def torch_imported(torch):
    def make_save(save):
        def redirected_save(obj, f, *args, **kwargs):
            target = facts.guarded("quick", instead_of, f) if _is_path(f) else None
            return save(obj, f if target is None else target, *args, **kwargs)

        return redirected_save

    def make_load(load):
        def redirected_load(f, *args, **kwargs):
            source = facts.guarded("quick", where_is, f) if _is_path(f) else None
            return load(f if source is None else source, *args, **kwargs)

        return redirected_load

    serialization = getattr(torch, "serialization", None)
    for owner in (torch, serialization):
        if owner is not None:
            facts.replace(owner, "save", make_save, "quick")
            facts.replace(owner, "load", make_load, "quick")
