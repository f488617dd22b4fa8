#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/record/collector.py TELLTALE LIBRARY [NAME…]

`telltale run` as its user sees it: output and exit codes as without it, terminals, signals, full disks, two runs in one
second, killed collectors. LIBRARY is libtelltale-record.so, with which small programs record. Every case whose name
contains NAME runs, all without one.
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
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


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(") ", 1)[1][0] not in "ZX"
    except FileNotFoundError:
        return False


@case
def output_and_exit_code_are_the_programs(folder):
    code, out, err = run(folder, "sh", "-c", "printf 'a\\0b\\r\\n'; echo oops >&2; exit 7", options=["--quiet"])
    check((code, out, err) == (7, b"a\0b\r\n", b"oops\n"), f"{code} {out} {err}")
    record = record_of(only_run(folder))
    check(record["status"] == "Failed" and record["exit_code"] == 7 and record["signal"] is None, record)
    check(sorted(log_of(only_run(folder))) == [b"a\0b", b"oops"], log_of(only_run(folder)))
    check(not (only_run(folder) / ".live").exists(), ".live is left")


@case
def order_of_joined_streams_is_kept(folder):
    script = "for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done"
    _, out, _ = run(folder, "sh", "-c", script, options=["-q"], stderr=subprocess.STDOUT)
    expected = b"".join(b"out %d\nerr %d\n" % (i, i) for i in range(1, 10))
    check(out == expected, out)


@case
def much_output_is_whole(folder):
    code = "import sys\nfor i in range(200000): sys.stdout.write('line %d\\n' % i)"
    _, out, _ = run(folder, sys.executable, "-c", code, options=["-q"])
    check(out == b"".join(b"line %d\n" % i for i in range(200000)), len(out))
    check(log_of(only_run(folder)) == out.split(b"\n")[:-1], "the log differs")


@case
def signals_end_it_as_without_us(folder):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGSEGV):
        code, _, _ = run(folder, "sh", "-c", f"kill -{int(number)} $$", options=["-q", "--name", number.name])
        check(code == 128 + number, f"{number.name}: {code}")
        record = record_of(run_folders(folder)[-1] if len(run_folders(folder)) == 1 else
                           next(path for path in run_folders(folder) if path.name.endswith(number.name)))
        check(record["signal"] == number and record["exit_code"] is None, record)
        check(record["status"] == ("Canceled" if number == signal.SIGINT else "Failed"), record["status"])


@case
def own_mistakes_have_their_codes(folder):
    for words, expected in ((["run"], 2), (["run", "--nmae", "x", "--", "true"], 2), (["run", "--", "nosuch-program"], 127),
                            (["run", "--", "/etc/passwd"], 126), (["run", "--", "/"], 126),
                            (["run", "--interval", "never", "--", "true"], 2),
                            (["run", "--env-file", "nosuch", "--", "true"], 2),
                            (["run", "--root", "/proc/x", "--", "true"], 2), (["collect"], 2)):
        done = subprocess.run([program, *words], cwd=folder, capture_output=True, check=False, timeout=PATIENCE)
        check(done.returncode == expected, f"{words}: {done.returncode} {done.stderr}")
        check(done.stderr.startswith(b"telltale: "), done.stderr)
    check(not (pathlib.Path(folder) / "runs").exists(), "a folder was made")


@case
def signals_are_forwarded(folder):
    code = ("import signal, sys, time\ndef got(n, f):\n  print('got', n, flush=True)\n  if n == 15: sys.exit(4)\n"
            "for n in (1, 2, 3, 10, 12, 15): signal.signal(n, got)\nprint('ready', flush=True)\nwhile True: time.sleep(1)")
    process = start(folder, sys.executable, "-c", code, options=["-q"])
    check(process.stdout.readline() == b"ready\n", "not ready")
    for number in (1, 2, 3, 10, 12, 15):
        process.send_signal(number)
        check(process.stdout.readline() == b"got %d\n" % number, f"signal {number} did not come")
    process.communicate(timeout=PATIENCE)
    check(process.returncode == 4, process.returncode)
    check(record_of(only_run(folder))["status"] == "Failed", "4 is no signal's code")


@case
def terminated_through_us_is_canceled(folder):
    process = start(folder, "sh", "-c", "echo ready; exec sleep 100", options=["-q"])
    check(process.stdout.readline() == b"ready\n", "not ready")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    check(process.returncode == 143, process.returncode)
    check(record_of(only_run(folder))["status"] == "Canceled", record_of(only_run(folder)))


@case
def a_closed_pipe_ends_the_program(folder):
    done = subprocess.run(f"{program} run -q -- yes | head -1", shell=True, cwd=folder, capture_output=True, check=False,
                          timeout=PATIENCE)
    check(done.stdout == b"y\n", done.stdout)
    record = wait_for(lambda: record_of(only_run(folder)).get("signal") and record_of(only_run(folder)), "the end of yes")
    check(record["signal"] == signal.SIGPIPE, record)


@case
def input_is_passed_through(folder):
    code, out, _ = run(folder, "sh", "-c", "read a; cat", options=["-q"], stdin=None, input=b"first\nrest\n")
    check((code, out) == (0, b"rest\n"), out)


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


@case
def a_terminal_is_one_for_the_program(folder):
    # A signal that is blocked waits to be asked for: none can come before the program is ready for it.
    code = ("import os, sys, shutil, signal\n"
            "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])\n"
            "print(all(os.isatty(n) for n in (0, 1, 2)), os.ttyname(0) == os.ttyname(1), flush=True)\n"
            "print('open', os.open('/dev/tty', os.O_RDWR) > 0, flush=True)\n"
            "while os.get_terminal_size() != (50, 20): signal.sigwait([signal.SIGWINCH])\n"
            "print('size', tuple(os.get_terminal_size()), flush=True)\n"
            "print('read', input('? '))\nprint('\\x1b[32mgreen\\x1b[0m')\nprint('10%\\r100%')\n"
            "import time\nprint('wait', flush=True)\ntry: time.sleep(100)\nexcept KeyboardInterrupt: print('interrupted'); sys.exit(5)")
    terminal = Terminal(folder, [program, "run", "--", sys.executable, "-c", code])
    terminal.read_until(b"True True\r\n")
    terminal.read_until(b"open True\r\n")
    terminal.resize(20, 50)
    terminal.read_until(b"size (50, 20)\r\n")
    terminal.read_until(b"? ")
    terminal.type(b"abc\r")
    terminal.read_until(b"read abc\r\n")
    terminal.read_until(b"\x1b[32mgreen\x1b[0m\r\n")
    terminal.read_until(b"wait\r\n")
    terminal.type(b"\x03")
    terminal.read_until(b"interrupted\r\n")
    terminal.read_until(b"exit code 5: runs/")
    check(terminal.end() == 5, "exit code")
    lines = log_of(only_run(folder))
    check(b"100%" in lines and b"\x1b[32mgreen\x1b[0m" in lines and b"^Cinterrupted" in lines, lines)


@case
def ctrl_c_cancels(folder):
    terminal = Terminal(folder, [program, "run", "--", "sh", "-c", "echo ready; exec sleep 100"])
    terminal.read_until(b"ready\r\n")
    terminal.type(b"\x03")
    check(terminal.end() == 130, "exit code")
    check(record_of(only_run(folder))["status"] == "Canceled", record_of(only_run(folder)))


@case
def ctrl_z_stops_and_fg_goes_on(folder):
    terminal = Terminal(folder, ["/bin/bash", "--norc", "-i"])
    terminal.type(b"PS1='$ '; " + f"{program} run -q -- sh -c 'echo rea''dy; read x; echo got $x'\r".encode())
    terminal.read_until(b"\rready\r\n")
    terminal.type(b"\x1a")
    terminal.read_until(b"Stopped")
    terminal.type(b"fg\r")
    terminal.read_until(b"fg\r\n")
    time.sleep(0.3)
    terminal.type(b"back\r")
    terminal.read_until(b"got back\r\n")
    terminal.read_until(b"$ ")
    terminal.type(b"exit 3\r")
    check(terminal.end() == 3, "exit code of the shell")


@case
def a_killed_front_leaves_the_terminal_as_it_was(folder):
    terminal = Terminal(folder, ["/bin/sh"])
    terminal.type(b"echo be''gun\r")
    terminal.read_until(b"begun\r\n")
    before = termios.tcgetattr(terminal.master)
    terminal.type(f"{program} run -q -- sh -c 'echo rea''dy; sleep 100'\r".encode())
    terminal.read_until(b"ready\r\n")
    (front,) = wait_for(lambda: children(terminal.pid), "the front")
    wait_for(lambda: termios.tcgetattr(terminal.master) != before, "the raw terminal")
    _, _, training = family(front)
    os.kill(front, signal.SIGKILL)
    wait_for(lambda: termios.tcgetattr(terminal.master) == before, "the terminal as it was")
    os.kill(training, signal.SIGKILL)
    terminal.type(b"exit 3\r")
    check(terminal.end() == 3, "exit code of the shell")


@case
def runs_of_one_second_have_folders_of_their_own(folder):
    processes = [start(folder, "sh", "-c", f"echo {i}", options=["-q", "--name", "same"]) for i in range(8)]
    for process in processes:
        process.communicate(timeout=PATIENCE)
    check(len(run_folders(folder)) == 8, run_folders(folder))
    check(sorted(log_of(path)[0] for path in run_folders(folder)) == [b"%d" % i for i in range(8)], "logs")
    check(len({record_of(path)["id"] for path in run_folders(folder)}) == 8, "ids")


@case
def the_record_says_what_ran(folder):
    subprocess.run("git init -q . && git config user.email a@b && git config user.name n && echo 1 > train.sh && git add . "
                   "&& git commit -qm x && printf 'test \"$LEVEL$HF_TOKEN\" = 3s3''cret\\n' > train.sh && chmod +x train.sh", shell=True, cwd=folder, check=True)
    # Nothing of the repository is to run.
    hook = pathlib.Path(folder) / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {folder}/hooked\n", encoding="utf-8")
    hook.chmod(0o755)
    (pathlib.Path(folder) / ".env").write_text("export LEVEL=3\nHF_TOKEN='s3cret'\n", encoding="utf-8")
    environment = dict(os.environ, OMP_NUM_THREADS="2", WANDB_API_KEY="s3cret")
    code, _, _ = run(folder, "sh", "train.sh", "--api-key", "s3cret",
                     options=["-q", "--name", "n", "--experiment", "e", "--group", "g", "--tag", "a", "--tag", "b", "--note", "why",
                              "--env-file", ".env"], env=environment)
    check(code == 0, code)
    text = (only_run(folder) / "run.json").read_text(encoding="utf-8")
    check("s3cret" not in text, text)
    record = json.loads(text)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, check=True).stdout.decode().strip()
    check(record["git"] == {"commit": commit, "branch": record["git"]["branch"], "dirty": True}, record["git"])
    check((record["name"], record["experiment"], record["group"], record["tags"], record["note"]) == ("n", "e", "g", ["a", "b"], "why"), record)
    check(record["status"] == "Completed" and record["exit_code"] == 0 and record["cwd"] == str(folder), record)
    check(record["user_id"] == os.getuid() and record["host"] == os.uname().nodename and record["error"] is None, record)
    check(record["environment"].get("OMP_NUM_THREADS") == "2", record["environment"])
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", record["start"]) and record["start"] <= record["end"], record)
    check("$LEVEL" in (only_run(folder) / "source" / "uncommitted.diff").read_text(encoding="utf-8"), "the diff")
    check(record["script"] == "source/train.sh" and (only_run(folder) / "source" / "train.sh").exists(), record["script"])
    check(not (pathlib.Path(folder) / "hooked").exists(), "a hook ran")


@case
def what_is_recorded_reaches_the_run(folder):
    code = ("note('config', '{\"lr\": 0.1, \"model\": {\"depth\": 3}}')\nnote('versions', '{\"python\": \"3.x\"}')\n"
            "for i in range(5000): scalar('loss', 1.0 / (i + 1), i)\nscalar('loss', float('nan'), 3)\ntext('said', 'hello', 1)\n"
            "for i in range(7): lib.telltale_step_end(i, 1000000)\n")
    done, _, err = run(folder, *recording(code))
    check(done == 0 and b", 7 steps: runs/" in err, err)
    points = scalars(folder, "loss")
    check(len(points) == 5001 and [step for step, _ in points] == list(range(5000)) + [3], len(points))
    check(abs(points[1][1] - 0.5) < 1e-12 and points[3][1] == 0.25, points[:4])
    check([step for step, _ in scalars(folder, "telltale/data_wait_s")] == list(range(7)), "data_wait_s")
    check((only_run(folder) / "args.txt").read_text(encoding="utf-8") == "lr: 0.1\nmodel.depth: 3\n", "args.txt")
    record = record_of(only_run(folder))
    check(record["steps"] == 7 and record["versions"]["python"] == "3.x", record)
    check(not (only_run(folder) / ".live").exists(), ".live is left")
    runs, _ = listed(folder)
    check(runs[0]["config"] == {"lr": 0.1, "model.depth": 3} and runs[0]["status"] == "Completed", runs[0])


@case
def spans_reach_the_run(folder):
    code = ("import threading\ndef work():\n  for i in range(1000):\n    begin('outer'); begin('inner'); end(); end()\n"
            "t = threading.Thread(target=work); t.start(); t.join()\nwork()\nlib.telltale_instant(name('saved'))\n"
            "lib.telltale_counter(name('queue'), 2.5)\nfor i in range(3): lib.telltale_step_end(i, -1)\n")
    run(folder, *recording(code), options=["--no-sample"])
    profiler = only_run(folder) / "profiler"
    check(sorted(path.name for path in profiler.iterdir()) == ["simple.txt", "spans.pftrace"], "a file of spans, and what they come to")
    rows = [line.split() for line in (profiler / "simple.txt").read_text(encoding="utf-8").splitlines()[1:4]]
    check([(row[0], row[2]) for row in rows] == [("Total", "4000"), ("outer", "2000"), ("inner", "2000")], rows)
    found, wrong = spans(folder)
    steps = {f"ProfilerStep#{number}": 1 for number in range(3)}
    check(found == {"outer": 2000, "inner": 2000, **steps} and wrong == {}, (found, wrong))
    done = subprocess.run([program, "profile", only_run(folder), "--view", "annotations"], capture_output=True, check=False, timeout=PATIENCE)
    check(done.returncode == 0 and b"outer" in done.stdout and b"inner" in done.stdout, done.stdout + done.stderr)


@case
def ranks_have_a_file_of_spans_each(folder):
    code = ("import subprocess\nif 'RANK' not in os.environ:\n  sys.exit(max(p.wait() for p in [subprocess.Popen([sys.executable, '-c', "
            "open('/proc/self/cmdline').read().split(chr(0))[2]], env=dict(os.environ, RANK=str(r), LOCAL_RANK=str(r), WORLD_SIZE='2')) for r in (0, 1)]))\n"
            "for i in range(10 + int(os.environ['RANK'])): begin('work'); end()\n")
    run(folder, *recording(code))
    for rank in (0, 1):
        found, wrong = spans(folder, f"spans-rank{rank}.pftrace")
        check(found == {"work": 10 + rank} and wrong == {}, (found, wrong))


@case
def killed_program_keeps_its_spans(folder):
    code = "begin('epoch')\nfor i in range(50000):\n  begin('step'); end()\nbegin('last')\nos.kill(os.getpid(), 9)"
    done, _, _ = run(folder, *recording(code))
    found, wrong = spans(folder)
    check(done == 137 and found == {"epoch": 1, "step": 50000, "last": 1} and wrong == {}, (done, found, wrong))


@case
def spans_beyond_the_size_are_counted(folder):
    code = "for i in range(60000):\n  begin('step'); end()"
    run(folder, *recording(code), env=dict(os.environ, TELLTALE_SPANS_MIB="1"))
    found, wrong = spans(folder)
    check(found["step"] + wrong["dropped_spans"] == 60000 and found["step"] > 30000, (found, wrong))
    check((only_run(folder) / "profiler" / "spans.pftrace").stat().st_size < 1.01 * 2**20, "its size")
    check(any("spans were recorded but not kept" in remark for remark in record_of(only_run(folder))["remarks"]), record_of(only_run(folder)))
    (folder / "none").mkdir()
    run(folder / "none", *recording(code), options=["--no-sample"], env=dict(os.environ, TELLTALE_SPANS_MIB="0"))
    check(list((only_run(folder / "none") / "profiler").iterdir()) == [], "no file where none are wanted")


SPANNING = ("print('ready', flush=True)\nbegin('epoch')\nfor i in range(5):\n  begin('round')\n  for j in range(1000): begin('step'); end()\n"
            "  print('round', i, flush=True)\n  sys.stdin.readline()\n  end()\nend()\n")
SPANNED = {"epoch": 1, "round": 5, "step": 5000}


@case
def a_killed_collectors_spans_are_continued(folder):
    process = start(folder, *recording(SPANNING), stdin=subprocess.PIPE)
    check(process.stdout.readline() == b"ready\n", "not ready")
    guard, collector, training = family(process.pid)
    for number in range(5):
        check(process.stdout.readline() == b"round %d\n" % number, "no round")
        if number in (1, 3):  # whatever it has taken by now
            os.kill(collector, signal.SIGKILL)
            (collector,) = wait_for(lambda gone=collector: [child for child in children(guard) if child not in (gone, training)], "another one")
        process.stdin.write(b"\n")
        process.stdin.flush()
    process.communicate(timeout=PATIENCE)
    found, wrong = spans(folder)
    check(found == SPANNED and wrong == {}, (found, wrong))


@case
def spans_that_both_left_are_brought_in_once(folder):
    code = ("begin('epoch')\ndef work():\n  begin('round')\n  for j in range(1000): begin('step'); end()\nwork(); end()\nprint('ready', flush=True)\n"
            "while not os.path.exists('go'): time.sleep(0.01)\nwork()\nopen('done', 'w').close()\ntime.sleep(1000)")
    process = start(folder, *recording(code))
    check(process.stdout.readline() == b"ready\n", "not ready")
    guard, collector, training = family(process.pid)
    for pid in (process.pid, guard, collector):
        os.kill(pid, signal.SIGKILL)
    (folder / "go").touch()
    wait_for((folder / "done").exists, "the program, which goes on")
    os.kill(training, signal.SIGKILL)
    wait_for(lambda: listed(folder)[0][0]["status"] == "Lost", "its end")
    found, wrong = spans(folder)
    check(found == {"epoch": 1, "round": 2, "step": 2000} and wrong == {}, (found, wrong))


@case
def spans_without_a_place_stop_nothing(folder):
    code = ("import shutil\nscalar('loss', 1.0, 0)\nshutil.rmtree(os.environ['TELLTALE_RUN_DIR'] + '/profiler')\n"
            "for i in range(100): begin('step'); end()\nscalar('loss', 2.0, 1)\n")
    done, _, err = run(folder, *recording(code), options=["--no-sample"])
    check(done == 0 and len(scalars(folder, "loss")) == 2, err)
    check(b"spans are lost until it can be written" in err, err)


@case
def an_exception_is_told(folder):
    code = "note('exception', '{\"type\": \"ValueError\", \"message\": \"bad\", \"frames\": []}')\nsys.exit(1)"
    run(folder, *recording(code))
    record = record_of(only_run(folder))
    check(record["error"]["type"] == "ValueError" and record["status"] == "Failed", record)


@case
def ranks_are_one_run(folder):
    code = ("import subprocess\nif 'RANK' not in os.environ:\n  sys.exit(max(p.wait() for p in [subprocess.Popen([sys.executable, '-c', "
            "open('/proc/self/cmdline').read().split(chr(0))[2]], env=dict(os.environ, RANK=str(r), LOCAL_RANK=str(r), WORLD_SIZE='2')) for r in (0, 1)]))\n"
            "r = int(os.environ['RANK'])\nscalar('rank%d' % r, 1.0, 0)\nfor i in range(3 + r): lib.telltale_step_end(i, -1)\n")
    run(folder, *recording(code))
    record = record_of(only_run(folder))
    check([(rank["rank"], rank["status"]) for rank in record["ranks"]] == [(0, "Completed"), (1, "Completed")], record["ranks"])
    check(record["steps"] == 3 and len(scalars(folder, "rank1")) == 1, record["steps"])
    check(len(scalars(folder, "telltale/step_time_s")) == 3, scalars(folder, "telltale/step_time_s"))


def on_host(name, *words):
    """On a machine of that name, where the right to rename one can be had."""
    return ["unshare", "--uts", "sh", "-c", f'hostname {name} && exec "$0" "$@"', *map(str, words)]


def can_rename():
    return subprocess.run(on_host("node1", "true"), capture_output=True, check=False).returncode == 0


def run_on_nodes(folder, code, environments, options=()):
    """`telltale run` on each of the nodes at once, all with the same folder for runs; their exit codes."""
    processes = []
    for number, environment in enumerate(environments):
        words = on_host(f"node{number}", program, "run", "-q", *options, "--", *recording(code))
        processes.append(subprocess.Popen(words, cwd=folder, env=dict(os.environ, **environment), stdin=subprocess.DEVNULL))
    return [process.wait(timeout=PATIENCE) for process in processes]


JOINT = ("r = int(os.environ.get('RANK', os.environ.get('SLURM_PROCID', 0)))\nscalar('rank%d' % r, 1.0, 0)\n"
         "note('config', '{\"lr\": 0.1}')\nprint('node of rank', r, flush=True)\n"
         "for i in range(4): lib.telltale_step_end(i, -1)\n"
         "open('here-%d' % r, 'w').close()\n"
         "while not all(os.path.exists('here-%d' % n) for n in range(2)): time.sleep(0.01)\n"
         "time.sleep(0.3)\nsys.exit(3 if os.environ.get('FAILS') == str(r) else 0)")


@case
def nodes_of_a_job_are_one_run(folder):
    if not can_rename():
        print("skipped: nodes_of_a_job_are_one_run (no right to rename the machine)")
        return
    job = {"SLURM_JOB_ID": "77", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "2"}
    nodes = [dict(job, SLURM_PROCID=str(n), SLURM_LOCALID="0", SLURM_STEP_NUM_TASKS="2") for n in range(2)]
    check(run_on_nodes(folder, JOINT, nodes) == [0, 0], "exit codes")
    record = record_of(only_run(folder))
    check(sorted(record["hosts"]) == ["node0", "node1"], record["hosts"])
    check([(rank["rank"], rank["host"], rank["status"], rank["exit_code"]) for rank in record["ranks"]] ==
          [(0, "node0", "Completed", 0), (1, "node1", "Completed", 0)], record["ranks"])
    check(record["status"] == "Completed" and record["steps"] == 4 and record["exit_code"] == 0 and record["end"], record)
    check(len(scalars(folder, "rank0")) == len(scalars(folder, "rank1")) == 1, "points of both")
    check(len(scalars(folder, "telltale/step_time_s")) == len(scalars(folder, "telltale/rank-1/step_time_s")) == 4, "steps of both")
    lines = b"".join(path.read_bytes() for path in sorted((only_run(folder) / "logs").iterdir()))
    check(b"node of rank 0" in lines and b"node of rank 1" in lines, lines)
    check(len(list((only_run(folder) / "monitor").glob("**/resource_usage.csv"))) == 2, "monitors")
    check((only_run(folder) / "args.txt").read_text(encoding="utf-8") == "lr: 0.1\n", "args.txt")
    check(not list(only_run(folder).glob(".live*")), "something is left")
    runs, said = listed(folder)
    check(len(runs) == 1 and said == "" and runs[0]["status"] == "Completed", (runs, said))
    # The same place once more is another run: the next training of the job's script.
    for path in pathlib.Path(folder).glob("here-*"):
        path.unlink()
    check(run_on_nodes(folder, JOINT, [dict(node, FAILS="1") for node in nodes]) == [0, 3], "exit codes")
    check(len(run_folders(folder)) == 2, run_folders(folder))
    record = record_of(run_folders(folder)[1])
    check(record["status"] == "Failed" and record["exit_code"] == 3 and len(record["ranks"]) == 2, record)
    check([rank["status"] for rank in record["ranks"]] == ["Completed", "Failed"], record["ranks"])


@case
def whoever_has_the_same_id_is_one_run(folder):
    # Also without ranks, and one after the other.
    for number in range(2):
        run(folder, *recording("scalar('loss', 1.0, 0)"), options=["-q"], env=dict(os.environ, TELLTALE_RUN_ID="my-run"))
    record = record_of(only_run(folder))
    check(record["id"] == "my-run" and len(record["ranks"]) == 2 and len(scalars(folder, "loss")) == 2, record)
    # A run inside of a run is one of its own.
    run(folder, program, "run", "-q", "--", "true", options=["-q", "--name", "outer"])
    check(len(run_folders(folder)) == 3, run_folders(folder))


@case
def a_killed_node_is_brought_in(folder):
    code = "print('ready', flush=True)\nfor i in range(100): scalar('loss', i, i)\nopen('done', 'w').close()\ntime.sleep(100)"
    environment = dict(os.environ, TELLTALE_RUN_ID="joint")
    process = start(folder, *recording(code), options=["-q"], env=environment)
    check(process.stdout.readline() == b"ready\n", "not ready")
    wait_for(lambda: (pathlib.Path(folder) / "done").exists(), "its points")
    for pid in (process.pid, *family(process.pid)):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    runs, said = listed(folder)
    check(runs[0]["status"] == "Lost" and "collector was killed" in said, (runs[0]["status"], said))
    check(len(scalars(folder, "loss")) == 100 and not list(only_run(folder).glob(".live*")), "points")


@case
def killed_program_loses_nothing(folder):
    code = "for i in range(100): scalar('loss', i, i)\nos.kill(os.getpid(), 9)"
    done, _, _ = run(folder, *recording(code))
    record = record_of(only_run(folder))
    check(done == 137 and record["status"] == "Failed" and record["signal"] == 9, record)
    check(len(scalars(folder, "loss")) == 100, "points")


CONTINUED = ("import signal\nprint('ready', flush=True)\nsys.stdin.readline()\nfor i in range(500):\n  scalar('loss', i, i)\n"
             "  print('line', i, flush=True)\nsys.exit(6)")


@case
def killed_front_changes_nothing(folder):
    process = start(folder, *recording(CONTINUED), stdin=subprocess.PIPE)
    check(process.stdout.readline() == b"ready\n", "not ready")
    process.kill()
    process.wait()
    process.stdin.write(b"\n")
    process.stdin.close()
    out = process.stdout.read()
    check(out.count(b"\n") == 500, out[-200:])
    record = wait_for(lambda: record_of(only_run(folder)).get("end") and record_of(only_run(folder)), "the end")
    check(record["status"] == "Failed" and record["exit_code"] == 6, record)
    check(len(scalars(folder, "loss")) == 500 and len(log_of(only_run(folder))) == 501, "points and lines")


@case
def killed_collector_is_replaced(folder):
    process = start(folder, *recording(CONTINUED), stdin=subprocess.PIPE)
    check(process.stdout.readline() == b"ready\n", "not ready")
    guard, collector, _ = family(process.pid)
    os.kill(collector, signal.SIGKILL)
    wait_for(lambda: not is_alive(collector), "its end")
    out, _ = process.communicate(b"\n", timeout=PATIENCE)
    check(process.returncode == 6 and out.count(b"\n") == 500, (process.returncode, out[-100:]))
    record = record_of(only_run(folder))
    check(record["status"] == "Failed" and record["exit_code"] == 6, record)
    check(len(scalars(folder, "loss")) == 500, len(scalars(folder, "loss")))
    check(len(log_of(only_run(folder))) == 501, "lines")


@case
def any_two_killed_change_nothing(folder):
    for victims in (("front", "collector"), ("front", "guard"), ("guard", "collector")):
        place = pathlib.Path(folder) / "-".join(victims)
        place.mkdir()
        process = start(place, *recording(CONTINUED), stdin=subprocess.PIPE)
        check(process.stdout.readline() == b"ready\n", "not ready")
        guard, collector, training = family(process.pid)
        pids = {"front": process.pid, "guard": guard, "collector": collector}
        for victim in victims:
            os.kill(pids[victim], signal.SIGKILL)
        for victim in victims:
            wait_for(lambda: not is_alive(pids[victim]), "its end")
        process.stdin.write(b"\n")
        process.stdin.close()
        out = process.stdout.read()
        check(out.count(b"\n") == 500, f"{victims}: {out[-200:]}")
        process.wait()
        record = wait_for(lambda: record_of(only_run(place)).get("end") and record_of(only_run(place)), f"the end without {victims}")
        check(record["status"] == "Failed" and record["exit_code"] == 6, f"{victims}: {record}")
        check(len(scalars(place, "loss")) == 500 and len(log_of(only_run(place))) == 501, f"{victims}: points and lines")
        wait_for(lambda: not (only_run(place) / ".live").exists(), "the end of the collector")


@case
def whoever_kills_all_called_telltale_spares_the_training(folder):
    process = start(folder, *recording(CONTINUED), stdin=subprocess.PIPE)
    check(process.stdout.readline() == b"ready\n", "not ready")
    guard, collector, training = family(process.pid)
    named = [pid for pid in (process.pid, guard, collector)
             if b"telltale" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() + pathlib.Path(f"/proc/{pid}/comm").read_bytes()]
    check(named == [process.pid, collector], f"{named} of {(process.pid, guard, collector)}")
    for pid in named:
        os.kill(pid, signal.SIGKILL)
    process.wait()
    (another,) = wait_for(lambda: [pid for pid in children(guard) if pid not in (collector, training)], "another collector")
    wait_for(lambda: b"telltale" in pathlib.Path(f"/proc/{another}/comm").read_bytes(), "the new collector's name")
    process.stdin.write(b"\n")
    process.stdin.close()
    check(process.stdout.read().count(b"\n") == 500, "what it printed")
    record = wait_for(lambda: record_of(only_run(folder)).get("end") and record_of(only_run(folder)), "the end")
    check(record["exit_code"] == 6, record)


@case
def all_killed_leaves_all_to_whoever_looks(folder):
    code = "print('ready', flush=True)\nfor i in range(1000): scalar('loss', i, i)\nopen('done', 'w').close()\ntime.sleep(100)"
    process = start(folder, *recording(code))
    check(process.stdout.readline() == b"ready\n", "not ready")
    guard, collector, training = family(process.pid)
    for pid in (process.pid, guard, collector):
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: (pathlib.Path(folder) / "done").exists(), "the program, which goes on")
    runs, said = listed(folder)
    check(runs[0]["status"] == "Running" and runs[0]["metrics"]["loss"]["points"] == 1000, runs[0])
    os.kill(training, signal.SIGKILL)
    wait_for(lambda: not is_alive(training), "its end")
    runs, said = listed(folder)
    check(runs[0]["status"] == "Lost" and "collector was killed" in said, (runs[0]["status"], said))
    check(len(scalars(folder, "loss")) == 1000, "points")
    runs, said = listed(folder)
    check(said == "" and runs[0]["metrics"]["loss"]["points"] == 1000, said)
    check(not (only_run(folder) / ".live").exists(), ".live is left")


@case
def the_next_run_brings_in_what_was_left(folder):
    code = "print('ready', flush=True)\nfor i in range(300): scalar('loss', i, i)\nopen('done', 'w').close()\ntime.sleep(100)"
    process = start(folder, *recording(code), options=["--name", "first"])
    check(process.stdout.readline() == b"ready\n", "not ready")
    guard, collector, training = family(process.pid)
    wait_for(lambda: (pathlib.Path(folder) / "done").exists(), "its points")
    for pid in (process.pid, guard, collector, training):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    _, _, err = run(folder, "sleep", "0.5", options=["--name", "second"])
    check(b"collector was killed" in err, err)
    first = next(path for path in run_folders(folder) if path.name.endswith("_first"))
    check(record_of(first)["status"] == "Lost" and not (first / ".live").exists(), record_of(first))
    check(len(scalars(folder, "loss")) == 300, "points")


@case
def a_full_disk_stops_nothing(folder):
    # Files beyond 64 KB cannot be written, which is what a full disk looks like from here.
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
    code = "import sys\nfor i in range(20000): sys.stdout.write('line %d\\n' % i)\nsys.exit(3)"
    done, out, err = run(folder, sys.executable, "-c", code, preexec_fn=limit)
    check(done == 3 and out.count(b"\n") == 20000, (done, out.count(b"\n")))
    check(err.count(b"cannot write") == 1, err)
    check(record_of(only_run(folder))["status"] == "Failed", "run.json")


@case
def a_full_file_system_stops_nothing(folder):
    mount = pathlib.Path(folder) / "small"
    mount.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", mount], capture_output=True, check=False).returncode != 0:
        print("skipped: a_full_file_system_stops_nothing (no right to mount)")
        return
    try:
        code = "for i in range(200000): print('a line of output', i)\nsys.exit(3)"
        done, out, err = run(folder, *recording(code), options=["--root", mount])
        check(done == 3 and out.count(b"\n") == 200000, (done, out.count(b"\n")))
        check(b"cannot write" in err and err.count(b"driver.log") <= 1, err)
    finally:
        subprocess.run(["umount", "-l", mount], check=False)


@case
def a_vanished_folder_stops_nothing(folder):
    process = start(folder, "sh", "-c", "echo ready; read x; for i in 1 2 3 4 5; do echo $i; done; exit 3", stdin=subprocess.PIPE)
    check(process.stdout.readline() == b"ready\n", "not ready")
    shutil.rmtree(pathlib.Path(folder) / "runs")
    out, err = process.communicate(b"\n", timeout=PATIENCE)
    check(process.returncode == 3 and out == b"1\n2\n3\n4\n5\n", (process.returncode, out))
    check(err.count(b"driver.log") == 1, err)


@case
def dry_run_starts_nothing(folder):
    code, out, _ = run(folder, "touch", "started", options=["--dry-run", "--no-monitor"])
    check(code == 0 and b"touch" in out and b"- monitor" in out and b"+ logs" in out, out)
    check(list(pathlib.Path(folder).iterdir()) == [], "something was made")


@case
def leaves_things_out_when_told(folder):
    run(folder, "echo", "x", options=["-q", "--no-logs", "--no-monitor", "--no-sample", "--no-git", "--no-python"])
    check(not (only_run(folder) / "logs" / "driver.log").exists(), "a log")
    check(list((only_run(folder) / "monitor").iterdir()) == [], "monitor")
    check(record_of(only_run(folder))["recorded"] == [], record_of(only_run(folder))["recorded"])


@case
def a_program_that_records_by_itself_has_a_collector(folder):
    target = pathlib.Path(folder) / "runs" / "mine"
    target.parent.mkdir()
    code = f"lib.telltale_start({str(target).encode()!r})\nfor i in range(50): scalar('loss', i, i)\ntime.sleep(0.5)\nscalar('loss', 1, 50)"
    environment = dict(os.environ, TELLTALE_PROGRAM=program)
    subprocess.run(recording(code), cwd=folder, env=environment, check=True, timeout=PATIENCE)
    record = wait_for(lambda: record_of(target).get("end") and record_of(target), "the end of its collector")
    check(record["status"] == "Completed", record)
    check(len(scalars(folder, "loss")) == 51, len(scalars(folder, "loss")))


@case
def what_outlives_the_program_is_kept(folder):
    code = "if os.fork() == 0:\n  os.setsid()\n  time.sleep(0.7)\n  scalar('late', 1, 0)\n  print('late', flush=True)\n  os._exit(0)\nscalar('early', 1, 0)\n"
    process = start(folder, *recording(code), options=["-q"])
    process.wait(timeout=PATIENCE)
    check(record_of(only_run(folder))["status"] == "Completed", record_of(only_run(folder)))
    check(process.stdout.read() == b"late\n", "what was printed late")
    wait_for(lambda: not (only_run(folder) / ".live").exists(), "the end of the collector")
    check(log_of(only_run(folder)) == [b"late"], log_of(only_run(folder)))
    check(len(scalars(folder, "late")) == 1 and len(scalars(folder, "early")) == 1, "points")


@case
def starting_costs_little(folder):
    def best(words):
        times = []
        for _ in range(15):
            begin = time.perf_counter()
            subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            times.append(time.perf_counter() - begin)
        return sorted(times)[len(times) // 2]

    more = best([program, "run", "--", "true"]) - best(["true"])
    # A figure to read: 30 ms is the limit on a quiet machine, and this one may be busy.
    print(f"telltale run -- true takes {more * 1000:.1f} ms more than true")


def main():
    # Whoever runs the tests in the background, or through nohup, has them ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    global program, library
    program, library = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    os.environ.pop("TELLTALE_RUN_DIR", None)
    os.environ.pop("TELLTALE_ROOT", None)
    failed = 0
    for function in CASES:
        name = function.__name__
        if len(sys.argv) > 3 and not any(word in name for word in sys.argv[3:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(pathlib.Path(folder).resolve())
                print(f"ok      {name}")
            except Exception as problem:  # noqa: BLE001: every case is told
                failed += 1
                print(f"FAILED  {name}: {type(problem).__name__}: {problem}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
