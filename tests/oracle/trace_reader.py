# SPDX-License-Identifier: Apache-2.0
"""Reads one trace-event JSON file (plain or gzip, object or bare array) into plain Python objects.

Times become integer nanoseconds straight from the decimal text; no number passes through a float.
Knows nothing of operators, kernels or steps: it only names the category of every complete event.
"""
import gzip
import json
import os
import re
from decimal import ROUND_HALF_UP, Decimal

DEVICE_KINDS = ("kernel", "memcpy", "memset")

_CATEGORY_KINDS = {
    "cpu_op": "operator", "operator": "operator",
    "user_annotation": "annotation", "gpu_user_annotation": "gpu_annotation",
    "runtime": "runtime",
    "kernel": "kernel", "mtia_ccp_events": "kernel",
    "gpu_memcpy": "memcpy", "memcpy": "memcpy", "gpu_memset": "memset", "memset": "memset",
    "python_function": "python", "python": "python",
    "trace": "trace", "overhead": "overhead",
}


def kind_of(category):
    """The kind of a complete event, from its category in any case."""
    category = category.lower()
    if category in _CATEGORY_KINDS:
        return _CATEGORY_KINDS[category]
    if category.endswith(("_runtime", "_driver")):
        return "runtime"
    return "sync" if category.endswith("_sync") else "other"


def to_ns(microseconds):
    """Exact nanoseconds of a decimal microsecond value; finer digits round to nearest, half up."""
    if isinstance(microseconds, int):
        return microseconds * 1000
    return int((Decimal(microseconds) * 1000).to_integral_value(rounding=ROUND_HALF_UP))


class Event:
    """A complete event: an `X`, or a matched `B`/`E` pair."""

    __slots__ = ("index", "name", "category", "kind", "thread", "start", "end", "args",
                 "parent", "children", "folded_into", "launches", "launch")

    def __init__(self, index, name, category, thread, start, duration, args):
        self.index = index          # position in traceEvents: the file order
        self.name = name
        self.category = category
        self.kind = kind_of(category)
        self.thread = thread        # (pid, tid) as text: 25738 and "25738" are one thread
        self.start = start
        self.end = start + duration
        self.args = args
        self.parent = None          # filled by host_tree
        self.children = []
        self.folded_into = None
        self.launches = []          # device events of a runtime call, filled by launches
        self.launch = None          # runtime call of a device event

    @property
    def duration(self):
        return self.end - self.start


class Trace:
    """Everything of one file that the analyses need."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            raw = file.read()
        self.bytes = len(raw)
        self.compression = "gzip" if raw[:2] == b"\x1f\x8b" else "none"
        text = gzip.decompress(raw) if self.compression == "gzip" else raw
        self.decoded_bytes = len(text)
        document = json.loads(text.decode("utf-8", errors="replace"), parse_float=Decimal, strict=False)
        self.header = document if isinstance(document, dict) else {}
        raw_events = self.header.get("traceEvents") if isinstance(document, dict) else document
        if not isinstance(raw_events, list):
            raise ValueError("no list of trace events in this file")
        self.event_count = len(raw_events)
        self.base_ns = int(self.header.get("baseTimeNanoseconds") or 0)
        self.events = list(complete_events(raw_events))
        self.memory = list(memory_instants(raw_events))     # (thread, ns, bytes)
        self.keep_raw(raw_events)

    def keep_raw(self, raw_events):
        """For those who need more of the file than the contract does."""

    def of_kind(self, *kinds):
        return [event for event in self.events if event.kind in kinds]

    def worker_and_span(self):
        """`<worker>[.<digits>].pt.trace.json[.gz]`: the worker, and whether digits are present."""
        match = re.fullmatch(r"(.*?)(\.\d+)?\.pt\.trace\.json(\.gz)?", os.path.basename(self.path))
        return (match.group(1), 1 if match.group(2) else None) if match else (None, None)


def thread_of(raw):
    return (str(raw.get("pid")), str(raw.get("tid")))


def is_time(value):
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def complete_events(raw_events):
    open_begins = {}
    for index, raw in enumerate(raw_events):
        if not isinstance(raw, dict) or not is_time(raw.get("ts")):
            continue
        phase = raw.get("ph")
        if phase == "B":
            open_begins.setdefault(thread_of(raw), []).append((index, raw))
        elif phase == "E" and open_begins.get(thread_of(raw)):
            index, begin = open_begins[thread_of(raw)].pop()
            args = dict(begin.get("args") or {}, **(raw.get("args") or {}))
            start = to_ns(begin["ts"])
            yield Event(index, str(begin.get("name", "")), str(begin.get("cat", "")), thread_of(begin),
                        start, to_ns(raw["ts"]) - start, args)
        elif phase == "X":
            duration = raw.get("dur", 0)
            yield Event(index, str(raw.get("name", "")), str(raw.get("cat", "")), thread_of(raw),
                        to_ns(raw["ts"]), to_ns(duration) if is_time(duration) else 0, raw.get("args") or {})


def memory_instants(raw_events):
    for raw in raw_events:
        if isinstance(raw, dict) and raw.get("ph") in ("i", "I") and raw.get("name") == "[memory]":
            yield thread_of(raw), to_ns(raw["ts"]), int((raw.get("args") or {}).get("Bytes", 0))
