# SPDX-License-Identifier: Apache-2.0
"""jsonargparse (Lightning's CLI): the options that its parser gave the program, defaults included, under their dotted names."""
import sys

from . import facts, processes
from .on_argparse import PARSERS
from .own_code import caller_is_own


def _record(options, frame):
    if caller_is_own(frame, PARSERS):
        from .values import flatten

        found = flatten(options)
        # Of its own: the files that it read.
        processes.config({name: value for name, value in found.items() if name != "config" and not name.endswith("__path__")})


def core_imported(module):
    def make(parse):
        def recorded_parse(self, *args, **kwargs):
            result = parse(self, *args, **kwargs)
            facts.guarded("jsonargparse", _record, result, sys._getframe(1))
            return result

        return recorded_parse

    facts.replace(module.ArgumentParser, "parse_args", make, "jsonargparse")
