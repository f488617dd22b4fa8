# SPDX-License-Identifier: Apache-2.0
"""One event file in a folder, as TensorBoard names them, and the events in it. What is written here is in the file when the call
returns. Under `telltale run` every value also goes into the run's curves, unless the folder is the run's own."""
from __future__ import annotations

import itertools
import os
import socket
import time
from typing import Optional, Sequence

from telltale import _native, _record
from telltale import _proto as proto
from telltale._summary import Value

_VERSION = "brain.Event:2"
_count = itertools.count()


def event(content: bytes, step: Optional[int], wall: Optional[float]) -> bytes:
    return proto.double(1, time.time() if wall is None else wall) + proto.integer(2, step or 0) + content


class EventWriter:
    """May be used by several threads."""

    def __init__(self, folder: str, suffix: str = "") -> None:
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_count)}{suffix}"
        self._file = _native.EventFile(os.path.join(folder, name))
        run = os.environ.get("TELLTALE_RUN_DIR")
        inside = run is not None and os.path.realpath(folder).startswith(os.path.join(os.path.realpath(run), "events"))
        self.records = not inside

    def session_start(self, step: int) -> None:
        """What an earlier file of the folder has from this step on is void: the training begins there again."""
        self._file.write(event(proto.text(3, _VERSION), step, None))
        self._file.write(event(proto.message(7, proto.integer(1, 1)), step, None))

    def scalar(self, tag: str, number: float, step: Optional[int], wall: Optional[float]) -> None:
        self._file.scalar(tag, number, step, time.time() if wall is None else wall)
        if self.records:
            _record.scalar(tag, number, step, wall)

    def values(self, values: Sequence[Value], step: Optional[int], wall: Optional[float]) -> None:
        """All in one event."""
        summary = b"".join(proto.message(1, value.content) for value in values)
        self._file.write(event(proto.message(5, summary), step, wall))
        if self.records and _record.recording():
            for value in values:
                _record.value(value.tag, value.content, step, wall)

    def graph(self, graph: bytes, run_metadata: Optional[bytes], wall: Optional[float]) -> None:
        """An encoded GraphDef, with what was measured of it."""
        self._file.write(event(proto.message(4, graph), None, wall))
        if run_metadata is not None:
            self._file.write(event(proto.message(8, proto.text(1, "step1") + proto.text(2, run_metadata)), None, wall))

    def failed(self) -> int:
        """How many events found no room on the disk."""
        return int(self._file.failed())

    def close(self) -> None:
        self._file.close()
