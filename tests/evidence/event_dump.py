# SPDX-License-Identifier: Apache-2.0
"""The oracle's twin of `telltale profile FILE --view events --csv`: every complete event as a row of text."""
from oracle_path import ORACLE  # noqa: F401
from device_side import device_of
from host_tree import enclosing_operator
from trace_reader import DEVICE_KINDS

COLUMNS = ("file", "kind", "category", "name", "pid", "tid", "start_ns", "duration_ns", "device", "stream",
           "correlation", "operator")


def text(value):
    return "" if value is None else str(value)


def rows(profile):
    trace = profile.trace
    for event in trace.events:
        on_device = event.kind in DEVICE_KINDS
        operator = None
        if on_device and event.launch is not None:
            operator = enclosing_operator(event.launch)
        elif event.kind == "runtime":
            operator = enclosing_operator(event)
        yield dict(zip(COLUMNS, (
            trace.path, event.kind, event.category, event.name, event.thread[0], event.thread[1],
            str(event.start + trace.base_ns), str(event.duration),
            text(device_of(event)) if on_device else "", text(event.args.get("stream")),
            text(event.args.get("correlation")), operator.name if operator is not None else "")))
