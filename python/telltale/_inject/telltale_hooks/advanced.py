# SPDX-License-Identifier: Apache-2.0
"""`--profile advanced`: every call of every Python function, and of the native ones that Python calls, in all threads. The
native module does the work (native/advanced.cpp); here it is put where Python calls it: by sys.monitoring from 3.12 on, under
a number that neither cProfile nor coverage nor a debugger has, before that in each thread's one place for a profile function. Who has that place
before or takes it later keeps it, and it is said."""
import atexit
import sys

from . import facts, processes

TOOL = "advanced"
# Of sys.monitoring's six, those that have no name: 0 is for debuggers, 1 for coverage, 2 for profilers (cProfile), 5 for optimizers.
NUMBERS = (4, 3)

_number = None


def install(package_folder):
    """Once in a process, before the program's first line."""
    native = facts.recorder()
    if not hasattr(native, "advanced_start"):
        facts.say(TOOL, "the native part of telltale cannot be loaded in this Python: no call is recorded")
        return
    folders = (package_folder + "/",)
    if not _open(native, folders):
        return
    (_monitor if hasattr(sys, "monitoring") else _take_slot)(native)
    processes.after_fork(lambda: _open(native, folders))
    atexit.register(_end, native)


def _open(native, folders):
    problem = native.advanced_start(_open, len, str.upper, folders)
    if problem is not None:
        facts.say(TOOL, problem + ": no call is recorded")
    return problem is None


def _monitor(native):
    global _number
    monitoring = sys.monitoring
    _number = next((number for number in NUMBERS if monitoring.get_tool(number) is None), None)
    if _number is None:
        holders = " and ".join(str(monitoring.get_tool(number)) for number in NUMBERS)
        facts.say(TOOL, "%s have the places of sys.monitoring: no call is recorded" % holders)
        native.advanced_stop()
        return
    monitoring.use_tool_id(_number, "telltale")
    events, wanted = monitoring.events, 0
    for names, callback in (
        (("PY_START", "PY_RESUME", "PY_THROW"), native.advanced_on_begin),
        (("PY_RETURN", "PY_YIELD", "PY_UNWIND"), native.advanced_on_end),
        (("CALL",), native.advanced_on_native_begin),
        (("C_RETURN", "C_RAISE"), native.advanced_on_native_end),
    ):
        for name in names:
            monitoring.register_callback(_number, getattr(events, name), callback)
            # What native functions return follows from CALL.
            wanted |= 0 if name.startswith("C_") else getattr(events, name)
    monitoring.set_events(_number, wanted)


def _take_slot(native):
    holder = sys.getprofile()
    if holder is not None:
        facts.say(TOOL, "%s has the place of the profile function: no call is recorded" % type(holder).__name__)
        native.advanced_stop()
        return
    native.advanced_take_slot()


def threading_imported(threading):
    """Before 3.12 each thread has a place of its own."""
    if not hasattr(sys, "monitoring"):
        threading.setprofile(facts.recorder().advanced_on_new_thread)


def _end(native):
    native.advanced_stop()
    if _number is not None:
        sys.monitoring.set_events(_number, 0)
    taken = native.advanced_taken()
    if taken:
        facts.say(TOOL, "another profiler (cProfile, sys.setprofile) took the one place that this Python has for it, in %s: calls after that "
                  "are not counted" % ", ".join(sorted(set(taken))))  # fmt: skip
