# SPDX-License-Identifier: Apache-2.0
class record_function:
    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        print("exit", self.name, exc_type)
