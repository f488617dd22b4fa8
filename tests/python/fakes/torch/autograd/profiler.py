# SPDX-License-Identifier: Apache-2.0
"""One profiler at a time, as in torch. What is recorded are ranges: [name, whether it was whole]."""
import json

_active = []


class profile:
    def __init__(self, **settings):
        self.settings, self.ranges = settings, []

    def __enter__(self):
        if _active:
            raise RuntimeError("Profiler is already enabled on this thread")
        _active.append(self)
        return self

    def __exit__(self, *error):
        _active.remove(self)

    def export_chrome_trace(self, path):
        with open(path, "w") as file:
            json.dump({"ranges": self.ranges, "settings": self.settings}, file)


class record_function:
    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def __enter__(self):
        self.seen_by = list(_active)
        self.range = [self.name, False]
        for profiler in self.seen_by:
            profiler.ranges.append(self.range)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if self.seen_by == _active:
            self.range[1] = True
