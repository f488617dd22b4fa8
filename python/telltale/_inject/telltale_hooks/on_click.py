# SPDX-License-Identifier: Apache-2.0
"""click (and typer): the parameters of the program's own commands, as its functions get them."""
from . import facts, processes
from .own_code import is_own


def _record(command, context):
    callback = command.callback
    while hasattr(callback, "__wrapped__"):
        callback = callback.__wrapped__
    code = getattr(callback, "__code__", None)
    if code is None or not is_own(code.co_filename, getattr(callback, "__module__", None)):
        return
    from .values import flatten

    processes.config(flatten({name: value for name, value in context.params.items() if not callable(value)}))


def click_imported(module):
    def make(invoke):
        def recorded_invoke(self, ctx):
            facts.guarded("click", _record, self, ctx)
            return invoke(self, ctx)

        return recorded_invoke

    facts.replace(module.Command, "invoke", make, "click")
