#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: sample.py TELLTALE [--python PYTHON]… [--py-spy PROGRAM] [--work FACTOR]
`telltale run` samples a program whose functions are known, with every interpreter that is found (3.9 to 3.14; the usual places, or
those that are named): shares of functions, generators, deep recursion, threads and the GIL, native code, waiting, children by fork and by
spawn, and a program that ends by SIGKILL. With py-spy (--py-spy, or on the path) both look at the same process at the same time, and
must agree on every function within what chance allows. --work 0.2 is for a machine that is so busy that a fifth of the work takes long
enough. Ends with 1 when something differs."""
import argparse
import collections
import glob
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

VERSIONS = [(3, minor) for minor in range(9, 15)]

BURN = '''
import os, time
WORK = float(os.environ.get("SAMPLE_TEST_WORK", "1"))
def burn(seconds):
    end = time.thread_time() + seconds * WORK
    while time.thread_time() < end:
        for _ in range(200):
            pass
'''

KNOWN = BURN + '''
import hashlib, multiprocessing, signal, sys, threading

def heavy(): burn(0.03)
def light(): burn(0.01)
def shares():
    for _ in range(30):
        heavy()
        light()

def produce():
    while True:
        burn(0.02)
        yield 1
def consume():
    for number, _ in enumerate(produce()):
        if number == 25:
            return

def fall(depth):
    if depth == 0:
        burn(0.5)
    else:
        fall(depth - 1)

def hashing():
    end = time.thread_time() + 0.6 * WORK
    while time.thread_time() < end:
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 20000)

def sleeping(): time.sleep(0.8)

def spin(): burn(0.5)
def both():
    threads = [threading.Thread(target=spin) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()

def in_fork(): burn(0.7)
def in_spawn(): burn(0.7)
def children():
    made = [multiprocessing.get_context("fork").Process(target=in_fork),
            multiprocessing.get_context("spawn").Process(target=in_spawn)]
    for child in made: child.start()
    for child in made: child.join()

def closing():
    time.sleep(2)
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    shares(); consume(); fall(2000); hashing(); sleeping(); both(); children(); closing()
'''

# Some of the functions call each other, so that totals differ from own times.
MIXED = BURN + '''
import sys
def a(): burn(0.010)
def b(): burn(0.020); a()
def c(): burn(0.040)
def d(): c(); burn(0.005)
def work(seconds):
    end = time.time() + seconds
    while time.time() < end:
        a(); b(); c(); d()
open(sys.argv[1], "w").write(str(os.getpid()))
time.sleep(1)
work(float(sys.argv[2]))
'''


def interpreters(named):
    """Path by version, the first of each version and place."""
    places = named or [sys.executable, "/usr/bin/python3", *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3")))]
    found = {}
    for place in places:
        if not os.path.exists(place):
            continue
        ask = subprocess.run([place, "-c", "import sys; print(*sys.version_info[:2], sys.implementation.name, sys.executable)"],
                             capture_output=True, text=True, timeout=60)
        words = ask.stdout.split()
        if ask.returncode == 0 and words[2] == "cpython" and (int(words[0]), int(words[1])) in VERSIONS:
            found.setdefault(os.path.realpath(place), (int(words[0]), int(words[1])))
    return sorted(found.items(), key=lambda item: item[1])


class Profile:
    """Call paths with their time, as `telltale convert` writes them."""

    def __init__(self, telltale, run_folder, scratch):
        file = pathlib.Path(run_folder) / "profiler" / "samples.tts"
        out = pathlib.Path(scratch) / "paths.folded"
        subprocess.run([telltale, "convert", str(file), str(out), "--force"], check=True, capture_output=True, timeout=120)
        self.paths = []
        for line in out.read_text().splitlines():
            stack, value = line.rsplit(" ", 1)
            self.paths.append(([frame.split(" (")[0] for frame in stack.split(";")], int(value)))
        shown = subprocess.run([telltale, "profile", str(file), "--view", "functions", "--json"], check=True, capture_output=True,
                               timeout=120)
        self.threads = [thread["name"] for thread in json.loads(shown.stdout)["functions"].get("threads", [])]

    def total(self, *names):
        """Of the paths with all of these functions in them."""
        return sum(value for path, value in self.paths if all(name in path for name in names))

    def below(self, caller, callee):
        return sum(value for path, value in self.paths if (caller, callee) in zip(path, path[1:]))

    def deepest(self, name):
        return max((path.count(name) for path, value in self.paths), default=0)


def only_run(root):
    (folder,) = [path for path in pathlib.Path(root).iterdir() if (path / "run.json").is_file()]
    return folder


WAITING, NATIVE = "<waiting>", "<native code without the GIL>"


def check_known(telltale, python, scratch):
    """What is wrong, and a line of figures."""
    script = pathlib.Path(scratch) / "known.py"
    script.write_text(KNOWN)
    root = pathlib.Path(scratch) / "runs"
    done = subprocess.run([telltale, "run", "-q", "--no-git", "--root", str(root), "--", python, str(script)], capture_output=True,
                          text=True, timeout=300)
    if done.returncode != 137:
        return ["the program ended with %d: %s" % (done.returncode, done.stderr[-500:])], ""
    record = json.loads((only_run(root) / "run.json").read_text())
    said = [remark for remark in record.get("remarks", []) if remark.startswith("sample:")]
    if not (only_run(root) / "profiler" / "samples.tts").is_file():
        return ["there are no samples; %s" % said], ""
    profile = Profile(telltale, only_run(root), scratch)
    # Wide: a thread that is ready to run, and waits for a processor, counts as running.
    figures = {
        "heavy/light": (profile.total("heavy") / max(1, profile.total("light")), 1.8, 5),
        "generator": (profile.below("consume", "produce") / max(1, profile.total("produce")), 0.95, 1.01),
        "depth": (profile.deepest("fall"), 2001, 2001),
        "native": (profile.total("hashing", NATIVE) / max(1, profile.total("hashing")), 0.5, 1.01),
        "sleeping": (profile.total("sleeping", WAITING) / max(1, profile.total("sleeping")), 0.7, 1.01),
        "gil": (profile.total("spin", WAITING) / max(1, profile.total("spin")), 0.2, 0.8),
        "fork": (profile.total("in_fork") / max(1, profile.total("fall")), 0.4, 9),
        "spawn": (profile.total("in_spawn") / max(1, profile.total("fall")), 0.4, 9),
        "closing": (profile.total("closing") / 1e9, 0.5, 9),
        "module": (profile.below("<module>", "shares") / max(1, profile.total("shares")), 0.99, 1.01),
    }
    wrong = ["%s is %.2f, expected %g to %g" % (name, value, least, most)
             for name, (value, least, most) in figures.items() if not least <= value <= most]
    processes = {name.split(",")[0] for name in profile.threads if name.startswith("process ")}
    if len(processes) < 2:
        wrong.append("threads of two children were expected: %s" % profile.threads)
    if "MainThread" not in profile.threads:
        wrong.append("no MainThread: %s" % profile.threads)
    if sum(name.startswith("thread ") for name in profile.threads) != 2:
        wrong.append("two threads beside the main one were expected: %s" % profile.threads)
    return wrong + said, "  ".join("%s %.2f" % (name, value) for name, (value, _, _) in figures.items())


def shares_of(paths):
    """Of the samples, how many have each function in them, and how many have it on top."""
    total, own = collections.Counter(), collections.Counter()
    for path, value in paths:
        path = [name for name in path if name not in (WAITING, NATIVE)]
        for name in set(path):
            total[name] += value
        own[path[-1]] += value
    return total, own, sum(value for _, value in paths)


def check_py_spy(telltale, python, py_spy, scratch):
    seconds = 12
    script, pid_file = pathlib.Path(scratch) / "mixed.py", pathlib.Path(scratch) / "pid"
    script.write_text(MIXED)
    root = pathlib.Path(scratch) / "both"
    started = subprocess.Popen([telltale, "run", "-q", "--no-git", "--root", str(root), "--", python, str(script), str(pid_file),
                                str(seconds)], stdout=subprocess.DEVNULL)
    while not (pid_file.exists() and pid_file.read_text()):
        if started.poll() is not None:
            return ["the program ended early"], ""
    raw = pathlib.Path(scratch) / "raw.txt"
    spied = subprocess.run([py_spy, "record", "--pid", pid_file.read_text(), "--rate", "100", "--nonblocking", "--format", "raw",
                            "--function", "--output", str(raw)], capture_output=True, text=True, timeout=300)
    started.wait(300)
    if spied.returncode != 0:
        return ["py-spy: %s" % spied.stderr[-500:]], ""
    theirs = []
    for line in raw.read_text().splitlines():
        stack, value = line.rsplit(" ", 1)
        path = [frame.split(" (")[0] for frame in stack.split(";") if not frame.startswith("thread (")]
        if "work" in path:
            theirs.append((path, int(value)))
    ours = [(path, value) for path, value in Profile(telltale, only_run(root), scratch).paths if "work" in path]
    (our_total, our_own, our_sum), (their_total, their_own, their_sum) = shares_of(ours), shares_of(theirs)
    # Both are samples of the same time: so many of them, at ten milliseconds each.
    count = min(our_sum / 1e7, their_sum)
    if count < 200:
        return ["only %d samples" % count], ""
    wrong, figures = [], []
    for which, mine, their in (("total", our_total, their_total), ("own", our_own, their_own)):
        for name in sorted(set(mine) | set(their)):
            p, q = mine[name] / our_sum, their[name] / their_sum
            middle = (p + q) / 2
            allowed = 4 * math.sqrt(2 * middle * (1 - middle) / count) + 0.01
            if which == "total" or name == "burn":
                figures.append("%s %s %.1f|%.1f %%" % (name, which, 100 * p, 100 * q))
            if abs(p - q) > allowed:
                wrong.append("%s of %s: %.3f here, %.3f with py-spy, allowed %.3f" % (which, name, p, q, allowed))
    return wrong, "%d samples: " % count + "  ".join(figures)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("telltale")
    parser.add_argument("--python", action="append")
    parser.add_argument("--py-spy", default=shutil.which("py-spy"))
    parser.add_argument("--work", default="1")
    arguments = parser.parse_args()
    os.environ["SAMPLE_TEST_WORK"] = arguments.work
    telltale = os.path.abspath(arguments.telltale)
    found = interpreters(arguments.python)
    if not found:
        print("no interpreter to be sampled")
        return 1
    failed = 0
    for python, version in found:
        checks = [("known", lambda scratch, python=python: check_known(telltale, python, scratch))]
        if arguments.py_spy:
            checks.append(("py-spy", lambda scratch, python=python: check_py_spy(telltale, python, arguments.py_spy, scratch)))
        for name, check in checks:
            with tempfile.TemporaryDirectory() as scratch:
                wrong, figures = check(scratch)
            print("%d.%d %-6s %-4s %s" % (*version, name, "FAIL" if wrong else "ok", figures), flush=True)
            for sentence in wrong:
                print("    " + sentence)
            failed += bool(wrong)
    if not arguments.py_spy:
        print("py-spy is not there: not compared with it")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
