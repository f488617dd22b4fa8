# SPDX-License-Identifier: Apache-2.0
from contextlib import contextmanager


class Profiler:
    def start(self, action_name):
        print("start", action_name)

    def stop(self, action_name):
        print("stop", action_name)

    @contextmanager
    def profile(self, action_name):
        try:
            self.start(action_name)
            yield action_name
        finally:
            self.stop(action_name)
