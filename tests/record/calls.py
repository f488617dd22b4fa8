#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: calls.py TELLTALE [--data PROGRAMS] [--python PYTHON]…
`telltale run --profile advanced` counts calls as cProfile does, with every interpreter that is found (3.9 to 3.14): of a
program with recursion, generators, coroutines, exceptions, callbacks, classes and natives, every count and every pair of caller and
callee must be equal. With threads, where cProfile is wrong, the counts must be the program's own; a program that ends by SIGKILL, by
os._exit or in a fork keeps its profile; a cProfile of the program's own goes on as before. With --data, the programs whose
calls were measured there are counted, too. Ends with 1 when something differs."""
import argparse
import glob
import json
import marshal
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from decode_calls import decode
from sample import interpreters

PLAIN = '''
import functools, re

class Shape:
    def __init__(self, sides): self.sides = sides
    def __repr__(self): return "Shape(%d)" % self.sides
    def __lt__(self, other): return self.sides < other.sides
    @property
    def corners(self): return self.sides
    @classmethod
    def square(cls): return cls(4)
    @staticmethod
    def help(): return "help"
    def __enter__(self): return self
    def __exit__(self, *problem): return True

def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def even(n): return True if n == 0 else odd(n - 1)
def odd(n): return False if n == 0 else even(n - 1)
def count(n):
    for i in range(n):
        yield i
def nested(n):
    yield from count(n)
    yield from (x for x in count(2))
def echo():
    got = None
    while True:
        try:
            got = yield got
        except ValueError:
            got = "caught"
def fails(depth):
    if depth == 0:
        raise KeyError(depth)
    try:
        fails(depth - 1)
    except KeyError:
        if depth % 2:
            raise
async def leaf(n): return n
async def branch(n): return await leaf(n) + await leaf(n + 1)
def drive(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
@functools.lru_cache(None)
def cached(n): return n if n < 2 else cached(n - 1) + cached(n - 2)
def key(x): return -x

def main():
    shapes = [Shape(n) for n in (5, 3, 4)]
    shapes.sort()
    sorted(range(9), key=key)
    max(shapes, key=lambda shape: shape.corners)
    repr(Shape.square()), Shape.help(), str(shapes)
    with Shape(1):
        raise OSError("left out")
    fib(12), even(9), cached(20), list(nested(5))
    talk = echo()
    next(talk), talk.send(1), talk.throw(ValueError()), talk.close()
    for depth in range(4):
        try:
            fails(depth)
        except KeyError:
            pass
    drive(branch(3))
    list(map(fib, range(5))), re.sub("a", lambda match: "b", "banana")
    {}.get("x"), "a b".split(), len([1]), dict.fromkeys("ab"), "".join(x.upper() for x in "abc"), [].append(1)
    try:
        int("x")
    except ValueError:
        pass
    exec("fib(3)")
    type("Made", (), {"run": lambda self: key(1)})().run()

main()
'''

THREADS = '''
import os, signal, sys, threading
def only(n): return n
def shared(n): return n
def left():
    for n in range(3000): only(n)
def right():
    for n in range(2000): shared(n)
def brief(): shared(0)
def main():
    threads = [threading.Thread(target=left), threading.Thread(target=right), threading.Thread(target=right)]
    for thread in threads: thread.start()
    for n in range(500): shared(n)
    for thread in threads: thread.join()
    for _ in range(50):
        thread = threading.Thread(target=brief)
        thread.start()
        thread.join()
    if "fork" in sys.argv:
        child = os.fork()
        if child == 0:
            left()
            os._exit(0)
        os.waitpid(child, 0)
    if "kill" in sys.argv: os.kill(os.getpid(), signal.SIGKILL)
    if "exit" in sys.argv: os._exit(0)
main()
'''

OWN = '''
import cProfile
def work(): return len("x")
def before(): return 1
def main():
    before()
    own = cProfile.Profile()
    own.enable()
    for _ in range(100): work()
    own.disable()
    own.create_stats()
    print(sum(row[1] for place, row in own.stats.items() if place[2] == "work"))
main()
'''


FILE = '''
import glob, os, shutil, sys
import telltale
def work(): return len("x")
def main():
    for n in range(3):
        with telltale.span("mine"):
            for _ in range(10): work()
    for _ in range(11): work()
    for path in glob.glob(os.environ["TELLTALE_RUN_DIR"] + "/.live/%d-*.calls" % os.getpid()): shutil.copy(path, sys.argv[1])
main()
'''


class Profile:
    """What a .prof has: of each function (file, line, name) its primitive calls, calls, and callers with theirs."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.stats = marshal.loads(file.read())

    def counts(self, script):
        """(name, line) -> (calls, primitive calls), of the script's own functions."""
        return {place[1:]: (row[1], row[0]) for place, row in self.stats.items() if place[0] == str(script)}

    def pairs(self, script):
        """(caller, callee) -> (calls, primitive calls), of what the script's functions call. Modules that are loaded already (cProfile
        loads some) are not imported again."""
        return {(caller, place if place[0] != str(script) else place[1:]): tuple(counts[:2])
                for place, row in self.stats.items() for caller, counts in row[4].items()
                if caller[0] == str(script) and not place[0].startswith("<frozen importlib")}  # fmt: skip

    def calls(self, name, file=""):
        return sum(row[1] for place, row in self.stats.items() if place[2] == name and place[0].endswith(file))

    def calls_from(self, callee, caller):
        return sum(counts[0] for place, row in self.stats.items() if place[2] == callee
                   for above, counts in row[4].items() if above[2] == caller)  # fmt: skip


def record(telltale, python, scratch, script, *arguments, where=None, extra=()):
    """The run's folder, and the program's standard output."""
    root = tempfile.mkdtemp(dir=scratch)
    done = subprocess.run([telltale, "run", "-q", "--no-git", "--no-sample", "--root", root, "--profile", "advanced", *extra, "--", python,
                           str(script), *arguments], cwd=where or scratch, capture_output=True, text=True, timeout=300)  # fmt: skip
    runs = glob.glob(root + "/*")
    assert len(runs) == 1, done.stderr
    return pathlib.Path(runs[0]), done.stdout


def write(scratch, name, text):
    path = pathlib.Path(scratch) / name
    path.write_text(text)
    return path


def differences(what, ours, theirs):
    return ["%s: %s is %s here, %s there" % (what, key, ours.get(key), theirs.get(key))
            for key in sorted(set(ours) | set(theirs), key=str) if ours.get(key) != theirs.get(key)]  # fmt: skip


def check_plain(telltale, python, scratch):
    script = write(scratch, "plain.py", PLAIN)
    theirs = pathlib.Path(scratch) / "cprofile.prof"
    subprocess.run([python, "-m", "cProfile", "-o", str(theirs), str(script)], check=True, capture_output=True, cwd=scratch)
    run, _ = record(telltale, python, scratch, script)
    ours, theirs = Profile(run / "profiler/advanced/main.prof"), Profile(theirs)
    wrong = differences("calls", ours.counts(script), theirs.counts(script)) + differences("pairs", ours.pairs(script), theirs.pairs(script))
    return wrong, "%d functions, %d pairs equal to cProfile's" % (len(theirs.counts(script)), len(theirs.pairs(script)))


def expect(wrong, what, is_so, should_be):
    if is_so != should_be:
        wrong.append("%s: %s, should be %s" % (what, is_so, should_be))


def check_threads(telltale, python, scratch):
    script, wrong = write(scratch, "threads.py", THREADS), []
    for how in ("", "kill", "exit", "fork"):
        run, _ = record(telltale, python, scratch, script, how)
        ours = Profile(run / "profiler/advanced/main.prof")
        for name, calls in (("only", 3000), ("shared", 4550), ("right", 2), ("left", 1), ("brief", 50), ("main", 1)):
            expect(wrong, "%s of %s" % (name, how or "threads"), ours.calls(name), calls)
        for callee, caller, calls in (("only", "left", 3000), ("shared", "right", 4000), ("shared", "main", 500), ("shared", "brief", 50)):
            expect(wrong, "%s from %s of %s" % (callee, caller, how or "threads"), ours.calls_from(callee, caller), calls)
        if how == "fork":
            others = [path for path in (run / "profiler/advanced").glob("*.prof") if path.name != "main.prof"]
            expect(wrong, "profiles of the child", len(others), 1)
            if others:
                expect(wrong, "only of the child", Profile(others[0]).calls("only"), 3000)
        if how == "kill":
            expect(wrong, "status", json.loads((run / "run.json").read_text())["signal"], 9)
    return wrong, "right with threads, SIGKILL, os._exit and fork"


def check_file(telltale, python, scratch):
    """The file itself, read by another decoder while the program is in the middle of things."""
    script, wrong = write(scratch, "file.py", FILE), []
    copy = pathlib.Path(scratch) / "copy.calls"
    record(telltale, python, scratch, script, str(copy))
    header, functions, nodes = decode(copy.read_bytes())
    expect(wrong, "state", header["state"], 1)
    calls, open_calls = {}, set()
    for parent, function, count, _, entered in nodes:
        kind, _, _, name, _ = functions[function]
        if kind == 3:
            name += " of " + functions[nodes[parent][1]][3]
        calls[kind, name] = calls.get((kind, name), 0) + count
        if entered:
            open_calls.add(name)
    for kind, name, count in ((2, "work", 41), (2, "main", 1), (4, "mine", 3), (3, "<built-in method builtins.len> of work", 41)):
        expect(wrong, "calls of " + name, calls.get((kind, name)), count)
    expect(wrong, "main is under way", {"main", "<module>"} <= open_calls, True)
    return wrong, "%d nodes, %d functions" % (len(nodes), len(functions))


def check_own(telltale, python, scratch):
    """A cProfile of the program's own sees what it sees without us; where there is one place only, that is said."""
    script, wrong = write(scratch, "own.py", OWN), []
    run, printed = record(telltale, python, scratch, script)
    expect(wrong, "work of the program's own cProfile", printed.strip(), "100")
    ours = Profile(run / "profiler/advanced/main.prof")
    expect(wrong, "before", ours.calls("before"), 1)
    said = " ".join(json.loads((run / "run.json").read_text()).get("remarks", []))
    if "another profiler" not in said:
        expect(wrong, "work", ours.calls("work"), 100)
    return wrong, "it keeps the place, which is said" if "another profiler" in said else "both count"


def check_data(telltale, python, scratch, data):
    """Programs whose calls somebody else measured."""
    truth, wrong, count = json.loads((data / "truth.json").read_text()), [], 0
    for name, facts in truth.items():
        if not facts["functions"] or facts["needs"]:
            continue
        work = pathlib.Path(scratch) / name
        work.mkdir()
        shutil.copy(data / name, work)
        run, _ = record(telltale, python, scratch, facts["start"][1], *facts["start"][2:], where=work)
        ours = Profile(run / "profiler/advanced/main.prof")
        version = "%d.%d" % python_version(python)
        measured = {short(place): calls for place, calls in facts["functions"].items()}
        for versions, changed in (facts.get("functions_by_version") or {}).items():
            measured.update({short(place): calls for place, calls in changed.items()} if versions.startswith(version) else {})
        for function, calls in measured.items():
            count += 1
            expect(wrong, "%s: %s" % (name, function), ours.calls(function, name), calls)
        for pair, calls in (facts.get("callers") or {}).items():
            callee, caller = (short(place) for place in pair.split("<-"))
            count += 1
            expect(wrong, "%s: %s" % (name, pair), ours.calls_from(callee, caller), calls)
    return wrong, "%d measured counts" % count


def short(place):
    """program.py:Class.method -> method: as cProfile names it."""
    return place.split(":")[-1].split(".")[-1]


def python_version(python):
    return tuple(json.loads(subprocess.check_output([python, "-c", "import sys; print(list(sys.version_info[:2]))"])))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("telltale")
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--python", action="append")
    arguments = parser.parse_args()
    telltale = os.path.abspath(arguments.telltale)
    found = interpreters(arguments.python)
    if not found:
        print("no interpreter to be profiled")
        return 1
    checks = [("plain", check_plain), ("threads", check_threads), ("own", check_own), ("file", check_file)]
    if arguments.data and (arguments.data / "truth.json").exists():
        checks.append(("data", lambda *given: check_data(*given, arguments.data)))
    failed = 0
    for python, version in found:
        for name, check in checks:
            with tempfile.TemporaryDirectory() as scratch:
                wrong, figures = check(telltale, python, os.path.realpath(scratch))
            print("%d.%d %-8s %-4s %s" % (*version, name, "FAIL" if wrong else "ok", figures), flush=True)
            for sentence in wrong[:20]:
                print("    " + sentence)
            failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
