# SPDX-License-Identifier: Apache-2.0
"""The nesting of host events: who is the parent of whom, and which only children are folded away."""

HOST_KINDS = ("operator", "annotation", "runtime")


def nest(trace):
    """Sets parent and children of every host event; returns (the host events, partial overlaps)."""
    threads = {}
    for event in trace.of_kind(*HOST_KINDS):
        threads.setdefault(event.thread, []).append(event)
    partial_overlaps = 0
    for events in threads.values():
        events.sort(key=lambda e: (e.start, -e.duration, e.index))
        still_open = []
        for event in events:
            still_open = [other for other in still_open if other.end > event.start]
            if any(other.end < event.end for other in still_open):
                partial_overlaps += 1
            for other in reversed(still_open):      # the innermost is the one that started last
                if other.end >= event.end:
                    event.parent = other
                    other.children.append(event)
                    break
            still_open.append(event)
    return [event for events in threads.values() for event in events], partial_overlaps


def fold_only_children(host_events):
    """Folds an only child into a parent of the same name and kind; returns the events that remain."""
    for event in host_events:           # a parent comes before its children
        if event.folded_into is not None:
            continue
        while len(event.children) == 1:
            child = event.children[0]
            if (child.name, child.kind) != (event.name, event.kind):
                break
            child.folded_into = event
            event.children = child.children
            event.launches = event.launches + child.launches
            for grandchild in event.children:
                grandchild.parent = event
    return [event for event in host_events if event.folded_into is None]


def enclosing_operator(event):
    """The innermost operator or annotation around a host event, after folding."""
    event = event.folded_into or event
    event = event.parent
    while event is not None and event.kind == "runtime":
        event = event.parent
    return event
