# SPDX-License-Identifier: Apache-2.0
from types import SimpleNamespace


class Command:
    def __init__(self, callback):
        self.callback = callback

    def invoke(self, ctx):
        return self.callback(**ctx.params)

    def main(self, **params):
        return self.invoke(SimpleNamespace(params=params))
