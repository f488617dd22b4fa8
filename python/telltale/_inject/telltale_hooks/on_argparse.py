# SPDX-License-Identifier: Apache-2.0
"""argparse: the options that the program's own parser gave it, by parse_args or parse_known_args, defaults included. Parsers
of libraries (torchrun's, Hydra's) are none of it; a library that only parses for the program is seen through."""
import sys
import threading

from . import facts, processes
from .own_code import caller_is_own

# They call argparse on behalf of whoever called them.
PARSERS = frozenset(("argparse", "transformers.hf_argparser", "jsonargparse", "simple_parsing", "tap", "configargparse",
                     "typed_argparse", "lightning.pytorch.cli", "pytorch_lightning.cli"))  # fmt: skip


class _Inside(threading.local):
    calls = 0  # a sub-command's parser is called by its parent's


_inside = _Inside()


def _record(namespace, frame):
    if caller_is_own(frame, PARSERS):
        from .values import flatten

        processes.config(flatten({name: value for name, value in vars(namespace).items() if not callable(value)}))


def argparse_imported(module):
    def make(parse):
        def recorded_parse(self, args=None, namespace=None):
            _inside.calls += 1
            try:
                result = parse(self, args, namespace)
            finally:
                _inside.calls -= 1
            if not _inside.calls:
                found = result[0] if isinstance(result, tuple) else result
                facts.guarded("argparse", _record, found, sys._getframe(1))
            return result

        return recorded_parse

    for name in ("parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args"):
        facts.replace(module.ArgumentParser, name, make, "argparse")
