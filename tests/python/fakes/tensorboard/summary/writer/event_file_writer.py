# SPDX-License-Identifier: Apache-2.0
"""Events as protobuf's Python classes show them, without protobuf."""
from types import SimpleNamespace


class Value(SimpleNamespace):
    def WhichOneof(self, _):
        return self.kind

    def SerializeToString(self):
        return repr(sorted(vars(self).items(), key=lambda item: item[0])).encode()


class Event(SimpleNamespace):
    def WhichOneof(self, _):
        return "summary" if hasattr(self, "summary") else "file_version"


class EventFileWriter:
    def __init__(self, logdir):
        self._logdir, self.events = logdir, []
        self.add_event(Event(file_version="brain.Event:2"))

    def get_logdir(self):
        return self._logdir

    def add_event(self, event):
        self.events.append(event)
