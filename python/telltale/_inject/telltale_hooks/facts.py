# SPDX-License-Identifier: Apache-2.0
"""The hooks' way to the recorder (`telltale._record`), and what is said about the hooks themselves: the note `hooks` names
the libraries that could not be listened to, and why. All functions may be called from any thread and raise nothing."""
import sys

MAX_SENTENCES = 8  # about one tool: a message may have a number in it that changes with every call

_record = None
_parts = None
_folder = ""
_said = {}  # tool -> sentences about it; each is said once


def start(package_folder, parts=None):
    """Loads the recorder from the package beside these hooks, whatever `telltale` means to the program: under a name of
    its own, and without running the package's __init__. Only the native module has the name that it has for everybody: it
    may be in a process once. `parts`: what is to be recorded, None for all."""
    global _record, _parts, _folder
    _parts = parts
    if "telltale._native" not in sys.modules:
        # The parts of importlib that every Python has loaded: importlib.util would load a dozen modules more.
        import _frozen_importlib
        import _frozen_importlib_external

        spec = _frozen_importlib_external.PathFinder.find_spec("telltale._native", [package_folder])
        if spec is not None:
            native = _frozen_importlib.module_from_spec(spec)
            spec.loader.exec_module(native)
            sys.modules["telltale._native"] = native
    _folder = package_folder
    native = sys.modules.get("telltale._native")
    _record = native if hasattr(native, "note_json") else _record_module()


def _record_module():
    """telltale._record, which does more in Python than every process should pay for."""
    if "_telltale" not in sys.modules:
        package = type(sys)("_telltale")
        package.__path__ = [_folder]
        sys.modules["_telltale"] = package
    from importlib import import_module

    return import_module("_telltale._record")


def wants(part):
    """Whether this part (`config`, `steps`, `spans`, `trackers`, `exceptions`) is to be recorded."""
    return _parts is None or part in _parts


def recorder():
    """What has the functions of telltale._record but note: the native module itself, where there is one."""
    return _record


def use(record):
    """Takes another recorder; for tests."""
    global _record
    _record = record
    _said.clear()


def note(key, value):
    try:
        if _record is None:
            return
        short = short_json(value) if hasattr(_record, "note_json") else None
        if short is not None:
            _record.note_json(key, short)
        elif hasattr(_record, "note"):
            _record.note(key, value)
        else:
            _record_module().note(key, value)
    except Exception:
        pass


def short_json(value):
    """JSON of a flat dict of plain texts and integers, otherwise None: what every process says costs no import of json."""
    parts = []
    for name, item in value.items() if type(value) is dict else [(None, None)]:
        for text in (name, item):
            if type(text) is str and not (text.isascii() and text.isprintable() and '"' not in text and "\\" not in text):
                return None
        if type(name) is not str or type(item) not in (str, int):
            return None
        parts.append('"%s": %s' % (name, '"%s"' % item if type(item) is str else item))
    return "{%s}" % ", ".join(parts)


def trouble(tool, error):
    """A hook that does not fit: recording goes on without it."""
    try:
        say(tool, "%s: %s" % (type(error).__name__, str(error)[:300]) if isinstance(error, BaseException) else str(error))
    except Exception:
        pass


def say(tool, sentence):
    sentences = _said.setdefault(tool, [])
    if sentence not in sentences and len(sentences) < MAX_SENTENCES:
        sentences.append(sentence)
        note("hooks", {tool: "; ".join(sentences)})


def guarded(tool, function, *arguments):
    """Calls what records; an error in it is a note, never an exception in the program."""
    try:
        return function(*arguments)
    except Exception as error:
        trouble(tool, error)
        return None


def replace(owner, name, make, tool):
    """owner.name becomes make(what it was), looking the same to inspect, help and pickle. Says so where there is no such
    thing: an unknown version of the library. Returns whether it was done."""
    from functools import update_wrapper

    original = owner.__dict__.get(name) if isinstance(owner, type) else getattr(owner, name, None)
    if not callable(original):
        say(tool, "%s.%s is not what is known of this library" % (getattr(owner, "__name__", owner), name))
        return False
    setattr(owner, name, update_wrapper(make(original), original))
    return True
