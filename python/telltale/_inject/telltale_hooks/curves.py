# SPDX-License-Identifier: Apache-2.0
"""One curve for each tag, however many tools a program logs it to. The rule:
1. A tag belongs to the tool that logged it first; what other tools log under the same tag is the same curve and is left out.
2. The same tool in a second place (another log folder, another run) has curves of its own: the tag there has the place's
   name before it ("val/loss" for loss in .../val), from the second place on.
3. A framework that hands its values to tools (Lightning, Hugging Face) records them itself only where, during that call, no
   tool did.
All points of the owner are kept, repeated and falling steps included."""
import threading

from . import facts


class Source:
    """One place that one tool logs to. `label` is its name, such as the last parts of a folder's path."""

    __slots__ = ("tool", "place", "label")

    def __init__(self, tool, place, label):
        self.tool = tool
        self.place = place
        self.label = label


class _Call(threading.local):
    recorded = 0  # by tools, in this thread


_lock = threading.Lock()
_sources = {}  # (tool, place) -> Source
_owners = {}  # tag as recorded -> Source
_names = {}  # (source, tag) -> tag as recorded, or None
_call = _Call()


def reset():
    _sources.clear()
    _owners.clear()
    _names.clear()


def source(tool, place, label=None):
    """The same object for the same place, with a label that no other place of the tool has."""
    found = _sources.get((tool, place))
    if found is not None:
        return found
    with _lock:
        taken = {other.label for (kind, _), other in _sources.items() if kind == tool}
        parts = [part for part in str(label if label is not None else place).replace("\\", "/").split("/") if part not in ("", ".")]
        count = 1
        while count < len(parts) and "/".join(parts[-count:]) in taken:
            count += 1
        name = "/".join(parts[-count:]) or tool
        number, unique = 2, name
        while unique in taken:
            unique, number = "%s-%d" % (name, number), number + 1
        return _sources.setdefault((tool, place), Source(tool, place, unique))


def name_of(source, tag):
    """The tag's name among the run's curves, or None where it is somebody else's."""
    key = (source, tag)
    try:
        return _names[key]
    except KeyError:
        pass
    with _lock:
        name = tag
        owner = _owners.setdefault(name, source)
        if owner is not source and owner.tool == source.tool:
            name = "%s/%s" % (source.label, tag)
            owner = _owners.setdefault(name, source)
        _names[key] = name if owner is source else None
        return _names[key]


def scalar(source, tag, value, step, wall=None):
    _call.recorded += 1
    name = name_of(source, tag) if facts.wants("trackers") else None
    if name is not None:
        facts.recorder().scalar(name, value, step, wall)


def value(source, tag, summary_value, step, wall=None):
    """`summary_value`: an encoded Summary.Value, whose own tag is the tag."""
    _call.recorded += 1
    name = name_of(source, tag) if facts.wants("trackers") else None
    if name is not None:
        if name != tag:
            # Of a field that stands twice in a message the last one counts.
            from .wandb_media import tag_field

            summary_value += tag_field(name)
        facts.recorder().value(name, summary_value, step, wall)


def text(source, tag, text, step):
    _call.recorded += 1
    name = name_of(source, tag) if facts.wants("trackers") else None
    if name is not None:
        facts.recorder().text(name, text, step)


def recorded():
    """How many values tools have recorded in this thread: a framework looks before and after a call."""
    return _call.recorded
