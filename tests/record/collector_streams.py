# SPDX-License-Identifier: Apache-2.0
"""Cases of collector.py. What the program reads and prints, the signals that it gets and the terminal that it is on."""
import os
import pathlib
import signal
import subprocess
import sys
import termios
import time

import collector_kit as kit
from collector_kit import (PATIENCE, Terminal, case, check, children, family, log_of, only_run, record_of, run, run_folders, start,
                           wait_for)


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
        done = subprocess.run([kit.program, *words], cwd=folder, capture_output=True, check=False, timeout=PATIENCE)
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
    done = subprocess.run(f"{kit.program} run -q -- yes | head -1", shell=True, cwd=folder, capture_output=True, check=False,
                          timeout=PATIENCE)
    check(done.stdout == b"y\n", done.stdout)
    record = wait_for(lambda: record_of(only_run(folder)).get("signal") and record_of(only_run(folder)), "the end of yes")
    check(record["signal"] == signal.SIGPIPE, record)


@case
def input_is_passed_through(folder):
    code, out, _ = run(folder, "sh", "-c", "read a; cat", options=["-q"], stdin=None, input=b"first\nrest\n")
    check((code, out) == (0, b"rest\n"), out)


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
    terminal = Terminal(folder, [kit.program, "run", "--", sys.executable, "-c", code])
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
    terminal = Terminal(folder, [kit.program, "run", "--", "sh", "-c", "echo ready; exec sleep 100"])
    terminal.read_until(b"ready\r\n")
    terminal.type(b"\x03")
    check(terminal.end() == 130, "exit code")
    check(record_of(only_run(folder))["status"] == "Canceled", record_of(only_run(folder)))


@case
def ctrl_z_stops_and_fg_goes_on(folder):
    terminal = Terminal(folder, ["/bin/bash", "--norc", "-i"])
    terminal.type(b"PS1='$ '; " + f"{kit.program} run -q -- sh -c 'echo rea''dy; read x; echo got $x'\r".encode())
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
    terminal.type(f"{kit.program} run -q -- sh -c 'echo rea''dy; sleep 100'\r".encode())
    terminal.read_until(b"ready\r\n")
    (front,) = wait_for(lambda: children(terminal.pid), "the front")
    wait_for(lambda: termios.tcgetattr(terminal.master) != before, "the raw terminal")
    _, _, training = family(front)
    os.kill(front, signal.SIGKILL)
    wait_for(lambda: termios.tcgetattr(terminal.master) == before, "the terminal as it was")
    os.kill(training, signal.SIGKILL)
    terminal.type(b"exit 3\r")
    check(terminal.end() == 3, "exit code of the shell")
