# SPDX-License-Identifier: Apache-2.0
"""Errors that end a process become the note `exception` (type, message, frames, causes); one that ends another thread
`thread_exception`. sys.excepthook and threading.excepthook go on to whoever had them. SystemExit is an end and no error.
Where a library prints an error itself and then calls sys.exit (Hydra, torch's spawn), the error is the exit's context."""
import sys

from . import facts

MAX_FRAMES = 64  # of a recursion the last ones
MAX_CAUSES = 8
MAX_MESSAGE = 20000  # characters

_here = __file__.rsplit("/", 1)[0]
_told = None  # the exception that was recorded last: the same one can come by several ways


def type_name(kind):
    """As Python prints it."""
    name = getattr(kind, "__qualname__", str(kind))
    module = getattr(kind, "__module__", None)
    return name if module in (None, "builtins", "__main__", "__mp_main__") else "%s.%s" % (module, name)


def _message(error):
    try:
        return str(error)[:MAX_MESSAGE]
    except Exception:
        return "(its message cannot be printed)"


def frames_of(traceback):
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not code.co_filename.startswith(_here):
            frames.append({
                "file": code.co_filename,
                "line": traceback.tb_lineno,
                "function": getattr(code, "co_qualname", code.co_name),
            })  # fmt: skip
            del frames[:-MAX_FRAMES]
        traceback = traceback.tb_next
    return frames


def describe(error):
    said = {"type": type_name(type(error)), "message": _message(error), "frames": frames_of(error.__traceback__)}
    causes, seen = [], {id(error)}
    while len(causes) < MAX_CAUSES:
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if error is None or id(error) in seen:
            break
        seen.add(id(error))
        causes.append({"type": type_name(type(error)), "message": _message(error)})
    if causes:
        said["causes"] = causes
    return said


def record(error):
    """The error that ends this process."""
    global _told
    if error is None or error is _told or isinstance(error, SystemExit):
        return
    _told = error
    facts.note("exception", describe(error))


def record_exit(exit_error):
    """A SystemExit that was raised while an error was handled, and says that it failed."""
    if exit_error.code not in (None, 0) and isinstance(exit_error.__context__, Exception):
        record(exit_error.__context__)


def _at_exit():
    # Where another hook stands before ours and does not call it: Python keeps what it printed last.
    record(getattr(sys, "last_exc", None) or getattr(sys, "last_value", None))


def install():
    import atexit

    following = sys.excepthook

    def excepthook(kind, error, traceback):
        facts.guarded("exceptions", record, error)
        following(kind, error, traceback)

    sys.excepthook = excepthook
    atexit.register(facts.guarded, "exceptions", _at_exit)


def threading_imported(threading):
    following = threading.excepthook

    def excepthook(args):
        if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
            facts.guarded("exceptions", _record_thread, args)
        following(args)

    threading.excepthook = excepthook


def _record_thread(args):
    said = describe(args.exc_value)
    said["thread"] = getattr(args.thread, "name", None)
    facts.note("thread_exception", said)


def process_imported(module):
    """multiprocessing catches and prints what ends a process of its own."""

    def make(run):
        def recorded_run(self):
            try:
                return run(self)
            except SystemExit as error:
                facts.guarded("exceptions", record_exit, error)
                raise
            except BaseException as error:
                facts.guarded("exceptions", record, error)
                raise

        return recorded_run

    facts.replace(module.BaseProcess, "run", make, "multiprocessing")
