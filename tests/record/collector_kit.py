# SPDX-License-Identifier: Apache-2.0
"""What the cases of collector.py share: starting `telltale run`, and looking at what it left."""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

PATIENCE = 30.0
CASES = []
program = ""
library = ""

# Records through the library: `say(line)` is executed inside the program.
PRELUDE = """
import ctypes, os, sys, time
lib = ctypes.CDLL({library!r})
lib.telltale_name.restype = ctypes.c_uint32
lib.telltale_name.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
lib.telltale_scalar.argtypes = [ctypes.c_uint32, ctypes.c_double, ctypes.c_int64]
lib.telltale_text.argtypes = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int64]
lib.telltale_note.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
lib.telltale_step_end.argtypes = [ctypes.c_int64, ctypes.c_int64]
lib.telltale_counter.argtypes = [ctypes.c_uint32, ctypes.c_double]
def name(text): return lib.telltale_name(text.encode(), len(text.encode()))
def scalar(tag, value, step): lib.telltale_scalar(name(tag), value, step)
def text(tag, value, step): lib.telltale_text(name(tag), value.encode(), len(value.encode()), step)
def begin(tag): lib.telltale_span_begin(name(tag))
def end(): lib.telltale_span_end()
def note(key, value): lib.telltale_note(key.encode(), value.encode(), len(value.encode()))
"""


def case(function):
    CASES.append(function)
    return function


def check(good, message):
    if not good:
        raise AssertionError(message)


def recording(code):
    return [sys.executable, "-c", PRELUDE.format(library=library) + code]


def run(folder, *words, options=(), **more):
    more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": folder, **more}
    done = subprocess.run([program, "run", *options, "--", *map(str, words)], timeout=PATIENCE, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def start(folder, *words, options=(), **more):
    more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": folder, **more}
    return subprocess.Popen([program, "run", *options, "--", *map(str, words)], **more)


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"waited too long for {what}")


def run_folders(folder):
    return sorted(path for path in (pathlib.Path(folder) / "runs").iterdir() if path.is_dir() and path.name[0] != ".")


def only_run(folder):
    folders = run_folders(folder)
    check(len(folders) == 1, f"expected one run folder: {folders}")
    return folders[0]


def record_of(run_folder):
    try:
        return json.loads((run_folder / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def log_of(run_folder):
    lines = (run_folder / "logs" / "driver.log").read_bytes().split(b"\n")[:-1]
    for line in lines:
        check(re.match(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z ", line), f"no time: {line!r}")
    return [line[25:] for line in lines]


def scalars(folder, tag):
    """What `telltale query` finds: (step, value) in file order."""
    done = subprocess.run([program, "query", "runs", f"select step, value from scalars where tag = '{tag}'", "--json"],
                          cwd=folder, capture_output=True, check=False, timeout=PATIENCE)
    check(done.returncode == 0, done.stderr.decode())
    return [(row["step"], row["value"]) for row in json.loads(done.stdout)]


def spans(folder, file="spans.pftrace"):
    """{name: how many} of the run's file of spans, and what is wrong with it: {kind: count}."""
    path = only_run(folder) / "profiler" / file
    found = []
    for question in ("select name, count(*) as count from events group by name", "select kind as name, count from diagnostics"):
        done = subprocess.run([program, "query", path, question, "--json"], capture_output=True, check=False, timeout=PATIENCE)
        check(done.returncode == 0, done.stderr.decode())
        found.append({row["name"]: row["count"] for row in json.loads(done.stdout)})
    found[1].pop("no_steps", None)
    return found


def listed(folder):
    done = subprocess.run([program, "runs", "--json"], cwd=folder, capture_output=True, check=False, timeout=PATIENCE)
    check(done.returncode == 0, done.stderr.decode())
    return json.loads(done.stdout)["runs"], done.stderr.decode()


def children(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return [int(word) for word in text.split()]


def family(front):
    """The guard, the collector and the program that a front has started."""
    (guard,) = wait_for(lambda: children(front), "the guard")
    (collector,) = wait_for(lambda: children(guard), "the collector")
    (training,) = wait_for(lambda: children(collector), "the program")
    return guard, collector, training


def heir_of(training, *others):
    """The one process beside the others that holds the other end of what the program prints into."""
    pipe = os.readlink(f"/proc/{training}/fd/1")
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) in (training, *others):
            continue
        try:
            if any(os.readlink(entry) == pipe for entry in (folder / "fd").iterdir()):
                found.append(int(folder.name))
        except OSError:
            continue  # gone meanwhile
    check(len(found) == 1, f"heirs: {found}")
    return found[0]


def recorders(front):
    """All processes of a `telltale run`, and the program."""
    guard, collector, training = family(front)
    return (heir_of(training, front, guard, collector), front, guard, collector), training


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(") ", 1)[1][0] not in "ZX"
    except FileNotFoundError:
        return False


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, folder, words, rows=33, columns=77):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execv(words[0], words)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.seen = b""

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.master, keys)

    def read_until(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            check(ready, f"waited for {text!r}, saw {self.seen!r}")
            try:
                self.seen += os.read(self.master, 65536)
            except OSError:
                raise AssertionError(f"ended before {text!r}: {self.seen!r}") from None
        self.seen = self.seen.split(text, 1)[1]

    def end(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                try:
                    self.seen += os.read(self.master, 65536)
                except OSError:
                    break
        else:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.master)
        return os.waitstatus_to_exitcode(status)
