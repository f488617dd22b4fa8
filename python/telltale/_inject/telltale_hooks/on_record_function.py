# SPDX-License-Identifier: Apache-2.0
"""torch's record_function: the ranges that a program names for torch's profiler, and those with which torch names its own
waiting for data and its optimizer steps, are spans of the run, whether a profiler is on or not. Only where Python enters and
leaves them: what torch.compile and TorchScript make of a range is theirs, and stays as it is. The class keeps its identity
and its source (both look at them), and torch's own work in it is done as before."""
from . import facts

TOOL = "torch.profiler"
STEP = "ProfilerStep#"  # of torch's profiler; the run has its own steps


def profiler_imported(module):
    Range = getattr(module, "record_function", None)
    if not isinstance(Range, type) or "__enter__" not in vars(Range) or "__exit__" not in vars(Range):
        facts.say(TOOL, "record_function is not what is known of this library")
        return
    record = facts.recorder()
    begin, end = record.span_begin, record.span_end

    def make_enter(enter):
        def __enter__(self):
            result = enter(self)
            try:
                if not self.name.startswith(STEP):
                    begin(self.name)
            except Exception:  # Whatever goes wrong here must not be noticed by the program.
                pass
            return result

        return __enter__

    def make_exit(exit_):
        def __exit__(self, exc_type, exc_value, traceback):
            try:
                if not self.name.startswith(STEP):
                    end()
            except Exception:
                pass
            return exit_(self, exc_type, exc_value, traceback)

        return __exit__

    if facts.replace(Range, "__enter__", make_enter, TOOL):
        facts.replace(Range, "__exit__", make_exit, TOOL)
