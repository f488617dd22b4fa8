# SPDX-License-Identifier: Apache-2.0
"""telltale._record and what of the package is native: what is said reaches the region, whatever it is given."""
import json

import support


class Record(support.Case):
    maxDiff = None

    def test_everything_that_is_said_is_in_the_region(self):
        self.run_program("""
from telltale import _record as r
assert r.recording() is True
r.scalar("loss", 0.5, 3)
r.scalar("loss", 0.25, None, 1000.5)
r.scalar(tag="loss", value=2, step=4, wall=None)
r.text("words", "шаг", 1)
r.value("picture", b"abc", 2, wall=7.0)
r.note("config", {"lr": 0.1, "bad": float("nan"), 3: {"x": (1, 2)}})
r.step_begin(7)
r.step_end(7, data_wait_ns=12)
r.step_end(8)
r.span_begin("a"); r.span_end()
r.instant("now"); r.counter("free", 3.5); r.heartbeat()
assert r.name("loss") == r.name("loss") != 0
""", recorded=True)
        found = self.recorded()
        scalars = [(one["name"], one["value"], one["step"]) for one in found if one["kind"] == "scalar"]
        self.assertEqual(scalars, [("loss", 0.5, 3), ("loss", 0.25, support.NO_STEP), ("loss", 2.0, 4)])
        self.assertEqual([one["ticks"] for one in found if one["kind"] == "scalar" and one["flags"] & 1], [1000500000000])
        of = {one["kind"]: one for one in found}
        self.assertEqual((of["text"]["name"], of["text"]["bytes"].decode(), of["text"]["step"]), ("words", "шаг", 1))
        self.assertEqual((of["value"]["name"], of["value"]["bytes"], of["value"]["ticks"]), ("picture", b"abc", 7 * 10**9))
        self.assertEqual(json.loads(of["note"]["bytes"]), {"lr": 0.1, "bad": "NaN", "3": {"x": [1, 2]}})
        self.assertEqual([(one["step"], one["data_wait_ns"]) for one in found if one["kind"] == "step_end"], [(7, 12), (8, -1)])
        self.assertEqual((of["counter"]["name"], of["counter"]["value"]), ("free", 3.5))
        self.assertEqual(of["instant"]["name"], "now")
        self.assertIn("heartbeat", of)

    def test_nonsense_neither_raises_nor_prints(self):
        done = self.run_program("""
from telltale import _record as r
import telltale, threading
class Odd:
    def __str__(self): raise RuntimeError("no")
    def __float__(self): raise RuntimeError("no")
cycle = {}; cycle["me"] = cycle
for bad in (None, "x", [], Odd(), cycle, 10**400, "\\ud800", b"x", float("inf"), -1, 2.5):
    r.scalar(bad, bad, bad, bad); r.scalar("ok", bad, bad); r.text(bad, bad, bad); r.value("v", bad, bad); r.note("n", bad)
    r.note(bad, 1); r.step_begin(bad); r.step_end(bad, bad); r.span_begin(bad); r.span_end(); r.instant(bad)
    r.counter(bad, bad); r.counter("c", bad); r.name(bad)
    telltale.log(bad); telltale.log({"k": bad}); telltale.log({bad if isinstance(bad, (str, int)) else 1: 1.0}, step=bad, commit=bad)
    telltale.step(bad, bad)
    with telltale.span(bad): pass
r.scalar(); r.scalar("a"); r.scalar("a", 1, 2, 3, 4, 5); r.scalar("a", 1.0, 1, what=3); r.text(); r.value(); r.step_end(); r.counter()
telltale.log(); telltale.log({"a": 1.0}, nonsense=2)
for _ in range(100): r.span_end()
print("end")
""", recorded=True)
        self.assertEqual((done.output, done.errors), ("end\n", ""))

    def test_a_user_can_still_interrupt(self):
        done = self.run_program("""
import telltale
class Long:
    ndim = 0
    size = 1
    def item(self): raise KeyboardInterrupt
try:
    telltale.log({"a": Long()})
except KeyboardInterrupt:
    print("interrupted")
""", recorded=True)
        self.assertEqual(done.output, "interrupted\n")

    def test_without_a_run_nothing_happens(self):
        self.run_program("""
from telltale import _record as r
import telltale
assert not r.recording() and r.name("a") == 0
r.scalar("a", 1.0, 1); r.note("config", {}); telltale.step()
with telltale.span("x"): pass
""")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_without_the_native_module_nothing_is_recorded_and_nothing_fails(self):
        done = self.run_program("""
import sys
sys.modules["telltale._native"] = None
import telltale
from telltale import _record as r
r.scalar("a", 1.0, 1); r.note("config", {"a": 1}); r.step_end(1); telltale.log({"a": 1}); telltale.step()
with telltale.span("x"): pass
@telltale.span("y")
def f(): return 3
print(f(), r.recording(), r.counts_steps())
""", recorded=True)
        self.assertEqual(done.output, "3 False False\n")

    def spans(self, source):
        """Names of spans as they begin, None where one ends."""
        self.run_program("from telltale import _native as n\n" + source, recorded=True)
        return [one["name"] if one["kind"] == "span_begin" else None for one in self.recorded() if one["kind"].startswith("span_")]

    MODULES = """
gradients, looked = [True], []
class Net: pass
class Odd: pass
def looks_at(module): looked.append(type(module).__name__); n.validation("validation")
n.connect_actions(lambda: gradients[-1], lambda kind: ("without " + kind.__name__, "with " + kind.__name__), looks_at)
net = Net()
def call(module, inside=()):
    began = n.module_begin(module)
    for one in inside: call(one)
    if began: n.module_end()
"""

    def test_the_outermost_module_is_an_action(self):
        found = self.spans(self.MODULES + "call(net, [net, Odd()])\ncall(Odd())\ngradients.append(False)\ncall(net)\nassert not looked")
        self.assertEqual(found, ["with Net", None, "with Odd", None, "without Net", None])

    def test_a_validation_lasts_until_the_outermost_context_is_left(self):
        found = self.spans(self.MODULES + """
n.validation("validation")
n.gradients_off(); gradients.append(False)
n.gradients_off()
call(net); call(net)
n.gradients_back()
call(net)
n.gradients_back(); gradients.pop()
call(net)
assert looked == ["Net"], looked
""")
        self.assertEqual(found, ["validation", *["without Net", None] * 3, None, "with Net", None])

    def test_a_validation_never_begins_in_what_ends_before_it(self):
        found = self.spans(self.MODULES + """
n.gradients_off(); gradients.append(False)
with n.span("batch"):
    call(net)
gradients.pop()
n.module_begin(net); n.validation("validation"); n.module_end()
n.gradients_back()
""")
        self.assertEqual(found, ["batch", "without Net", None, None, "with Net", None])

    def test_each_thread_has_modules_and_contexts_of_its_own(self):
        found = self.spans(self.MODULES + """
import threading
n.module_begin(net); n.gradients_off()
other = threading.Thread(target=lambda: (call(net), n.validation("validation"), n.gradients_back()))
other.start(); other.join()
n.module_end()
""")
        self.assertEqual(sorted(found, key=str), [None, None, "with Net", "with Net"])

    def test_an_action_is_around_what_it_is_in(self):
        found = self.spans("""
import contextlib
said = []
@contextlib.contextmanager
def inner():
    said.append("in")
    try: yield 7
    except ZeroDivisionError: said.append("caught")
    said.append("out")
with n.action(inner(), "one") as given:
    assert given == 7 and said == ["in"], said
with n.action(inner(), "two"):
    1 / 0
assert said == ["in", "out", "in", "caught", "out"], said
class Refuses:
    def __enter__(self): raise KeyError("no")
try:
    with n.action(Refuses(), "three"): pass
except KeyError: said.clear()
assert not said
""")
        self.assertEqual(found, ["one", None, "two", None])

    def test_a_program_goes_on_where_an_action_has_no_name(self):
        found = self.spans("""
n.connect_actions(lambda: True, lambda kind: 1 / 0, None)
assert n.module_begin(3) is False
n.connect_actions(lambda: 1 / 0, None, None)
assert n.module_begin(3) is False
class Stop(BaseException): pass
def stop(): raise Stop
n.connect_actions(stop, None, None)
try: n.module_begin(3)
except Stop: pass
else: raise SystemExit("an interrupt is the program's")
n.validation(3); n.gradients_back(); n.module_end()
""")
        self.assertEqual([one for one in found if one], [])

    def test_spans_nest_and_decorate_on_all_threads(self):
        self.run_program("""
import telltale, threading
@telltale.span("inner")
def inner(x, y=1):
    "says"
    return x + y
assert inner.__name__ == "inner" and inner.__doc__ == "says" and inner(1, y=2) == 3
def work():
    for _ in range(50):
        with telltale.span("outer"):
            inner(1)
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
try:
    with telltale.span("failing"): raise ValueError
except ValueError: pass
""", recorded=True)
        found = self.recorded()
        begins = [one["name"] for one in found if one["kind"] == "span_begin"]
        self.assertEqual((begins.count("outer"), begins.count("inner"), begins.count("failing")), (200, 201, 1))
        self.assertEqual(len([one for one in found if one["kind"] == "span_end"]), 402)

    def test_children_of_fork_record_too(self):
        self.run_program("""
import os, telltale
telltale.log({"a": 1.0}, step=1)
if os.fork() == 0:
    telltale.log({"a": 2.0}, step=2)
    os._exit(0)
os.wait()
""", recorded=True)
        self.assertEqual(sorted(one["value"] for one in self.recorded() if one["kind"] == "scalar"), [1.0, 2.0])

    def test_a_killed_program_loses_nothing(self):
        done = self.run_program("""
import os, signal, telltale
for step in range(20000):
    telltale.log({"loss": step * 0.5}, step=step)
telltale.log({"text": "x" * 100000}, step=1)
os.kill(os.getpid(), signal.SIGKILL)
""", recorded=True, expect=-9)
        found = self.recorded()
        self.assertEqual([one["value"] for one in found if one["kind"] == "scalar"], [step * 0.5 for step in range(20000)])
        self.assertEqual([len(one["bytes"]) for one in found if one["kind"] == "text"], [100000])
        self.assertEqual(done.errors, "")

    def test_explicit_steps_count_up_and_are_told(self):
        done = self.run_program("""
import telltale
from telltale import _record
telltale.step(); telltale.step(); telltale.step(10, data_wait_s=0.5); telltale.step()
print(_record.counts_steps())
""", recorded=True)
        self.assertEqual(done.output, "True\n")
        self.assertEqual([(one["step"], one["data_wait_ns"]) for one in self.recorded() if one["kind"] == "step_end"],
                         [(0, -1), (1, -1), (10, 500000000), (11, -1)])


if __name__ == "__main__":
    support.unittest.main()
