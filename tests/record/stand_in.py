# SPDX-License-Identifier: Apache-2.0
"""A recorder in the place of telltale._record, for tests of the hooks: every call becomes a JSON line in
$TELLTALE_RUN_DIR/PID.jsonl, written when it returns. Unlike the real one it is slow and needs no collector."""
import json
import os
import threading
import time

_lock = threading.Lock()


def _write(**fields):
    line = json.dumps(dict(fields, at=time.time(), pid=os.getpid(), thread=threading.get_ident())) + "\n"
    with _lock:
        with open(os.path.join(os.environ["TELLTALE_RUN_DIR"], "%d.jsonl" % os.getpid()), "a", encoding="utf-8") as file:
            file.write(line)


def recording():
    return True


def name(tag):
    return 1


def scalar(tag, value, step, wall=None):
    assert isinstance(tag, str) and isinstance(value, float) and (step is None or isinstance(step, int))
    _write(kind="scalar", tag=tag, value=value, step=step, wall=wall)


def text(tag, text, step):
    _write(kind="text", tag=tag, text=text, step=step)


def value(tag, summary_value, step, wall=None):
    assert isinstance(summary_value, bytes)
    _write(kind="value", tag=tag, size=len(summary_value), step=step, wall=wall)


def note(key, obj):
    _write(kind="note", key=key, value=obj)


def step_begin(step):
    _write(kind="step_begin", step=step, ns=time.perf_counter_ns())


def step_end(step, data_wait_ns=-1):
    _write(kind="step_end", step=step, data_wait_ns=data_wait_ns, ns=time.perf_counter_ns())


def span_begin(name):
    _write(kind="span_begin", name=name)


def span_end():
    _write(kind="span_end")


def instant(name):
    _write(kind="instant", name=name)


def counter(name, value):
    _write(kind="counter", name=name, value=value)


def heartbeat():
    pass


# The actions of `--profile simple`, as native/actions.cpp has them.

_thread = threading.local()


def connect_actions(is_grad_enabled, names_of, looks_at):
    _asked[:] = is_grad_enabled, names_of, looks_at


_asked = []


def advanced_leave_out(code):
    pass


def module_begin(module):
    is_grad_enabled, names_of, looks_at = _asked
    if getattr(_thread, "in_module", False):
        return False
    if not is_grad_enabled() and getattr(_thread, "contexts", 0) and not getattr(_thread, "validating", False):
        looks_at(module)
    _thread.in_module = True
    span_begin(names_of(type(module))[is_grad_enabled()])
    return True


def module_end():
    _thread.in_module = False
    span_end()


def gradients_off():
    _thread.contexts = getattr(_thread, "contexts", 0) + 1


def gradients_back():
    _thread.contexts -= 1
    if _thread.contexts == 0 and getattr(_thread, "validating", False):
        _thread.validating = False
        span_end()


def validation(name):
    if getattr(_thread, "contexts", 0) and not getattr(_thread, "validating", False) and not getattr(_thread, "in_module", False):
        _thread.validating = True
        span_begin(name)


class action:
    def __init__(self, inner, name):
        self.inner, self.name = inner, name

    def __enter__(self):
        result = self.inner.__enter__()
        span_begin(self.name)
        return result

    def __exit__(self, *problem):
        span_end()
        return self.inner.__exit__(*problem)
