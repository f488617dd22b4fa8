# SPDX-License-Identifier: Apache-2.0
"""Seeds before the program's own, determinism, and Python's debugger where an exception ends the program."""
import os
import sys

from .. import facts, processes
from . import asked


def install():
    seed = asked.value("seed")
    if seed is not None:
        import random

        random.seed(seed)
        os.environ.setdefault("PL_GLOBAL_SEED", str(seed))
        asked.applied("seed")
    if asked.value("pdb"):
        _open_debugger_at_the_end()


def numpy_imported(numpy):
    numpy.random.seed(asked.value("seed") % 2**32)


def torch_imported(torch):
    seed = asked.value("seed")
    if seed is not None:
        torch.manual_seed(seed)

        def make(manual_seed):
            def noticed_seed(given):
                frame = sys._getframe(1)
                if given != seed and "/site-packages/" not in frame.f_code.co_filename:
                    asked.not_applied("seed", "the program sets its own, %s, in line %d of %s" % (given, frame.f_lineno, os.path.basename(frame.f_code.co_filename)))
                return manual_seed(given)

            return noticed_seed

        facts.replace(torch, "manual_seed", make, "quick")
    if asked.value("deterministic"):
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False
        asked.applied("deterministic")


def distributed_imported(module):
    def make(init):
        def init_process_group(*args, **kwargs):
            asked.applied("debug_ddp")  # by the variables that torch reads
            return init(*args, **kwargs)

        return init_process_group

    if hasattr(module, "init_process_group"):
        facts.replace(module, "init_process_group", make, "quick")


def _open_debugger_at_the_end():
    following = sys.excepthook

    def excepthook(kind, error, traceback):
        following(kind, error, traceback)
        if processes.role() == "worker" or issubclass(kind, (KeyboardInterrupt, SystemExit, SyntaxError)) or traceback is None:
            return
        if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
            asked.not_applied("pdb", "the program has no terminal to ask in")
            return
        asked.applied("pdb")
        import pdb

        pdb.post_mortem(traceback)

    sys.excepthook = excepthook
