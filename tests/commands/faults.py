#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/commands/faults.py TELLTALE [NAME…]

Runs commands where writing fails or is stopped, and on input that is damaged or refused: full devices, limits on the size
of files, folders that are not there, Ctrl-C, holes, missing commas, pickles. A command must say what is wrong, exit as the
guide says, and leave no half-written file. Every case whose name contains NAME runs, all without one.
"""
import csv
import io
import json
import marshal
import os
import pathlib
import pickle
import pstats
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "data"
TRACE = DATA / "gpu_two_steps.json"
PATIENCE = 60.0
CASES = []
program = ""


def case(function):
    CASES.append(function)
    return function


def check(good, message):
    if not good:
        raise AssertionError(message)


def run(*words, **options):
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    done = subprocess.run([program, *map(str, words)], timeout=PATIENCE, check=False, **options)
    return done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode()


def large_trace(path, events=200_000):
    """Some 20 MB: long enough to be stopped while it is written."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"traceEvents": [\n')
        for i in range(events):
            file.write('%s{"ph":"X","cat":"cpu_op","name":"aten::op_%d","pid":1,"tid":1,"ts":%d,"dur":5,"args":{"n":%d}}\n'
                       % ("," if i else "", i % 50, i * 10, i))
        file.write("]}\n")
    return path


def findings(path):
    code, out, err = run("validate", "--json", path)
    document = json.loads(out)
    check(document["ok"] == (code == 0), f"ok is {document['ok']} and the exit code {code}: {err}")
    return document["ok"], {row["kind"]: row for row in document["findings"]}


@case
def a_full_device_is_said(folder):
    for words in (["profile", TRACE], ["profile", TRACE, "--json"], ["profile", TRACE, "--csv", "--view", "events"],
                  ["validate", TRACE], ["diff", TRACE, TRACE], ["query", TRACE, "SELECT * FROM steps"],
                  ["convert", TRACE, "-", "--to", "perfetto"], ["convert", TRACE, "/dev/full", "--to", "kineto"], ["--help"]):
        with open("/dev/full", "wb") as full:
            code, _, err = run(*words, stdout=full)
        check(code == 1, f"{words}: exit code {code}: {err}")
        check("could not be written: No space left on device" in err, f"{words}: {err}")


@case
def what_cannot_be_made_is_said(folder):
    for out in (folder / "none" / "out.json", pathlib.Path("/proc/telltale.json")):
        code, _, err = run("convert", TRACE, out)
        check(code == 1 and "could not be written" in err, f"{out}: exit code {code}: {err}")


@case
def a_limit_on_files_is_said_and_leaves_none(folder):
    trace = large_trace(folder / "in.json")
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
    for name in ("out.json", "out.pftrace", "out.csv"):
        code, _, err = run("convert", trace, folder / name, preexec_fn=limited)
        check(code == 1 and "File too large" in err, f"{name}: exit code {code}: {err}")
    with open(trace, "rb") as file:
        code, _, err = run("convert", "-", folder / "out.json", stdin=file, preexec_fn=limited,
                           env={**os.environ, "TMPDIR": str(folder)})
    check(code == 1 and "File too large" in err, f"from standard input: exit code {code}: {err}")
    check(os.listdir(folder) == ["in.json"], f"left behind: {os.listdir(folder)}")


def as_by_default():
    """Whoever runs the tests in the background, or through nohup, has them ignored."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def stop(arguments, folder, pattern, number, **options):
    """Sends the signal as soon as a file of that name is there; returns the exit code."""
    # Started from a script's background, Ctrl-C would be ignored.
    process = subprocess.Popen([program, *map(str, arguments)], stderr=subprocess.DEVNULL,
                               preexec_fn=as_by_default, **options)
    end = time.monotonic() + PATIENCE
    while not list(folder.glob(pattern)):
        check(process.poll() is None and time.monotonic() < end, f"there never was a {pattern}")
    process.send_signal(number)
    code = process.wait(PATIENCE)
    if process.stdin:
        process.stdin.close()
    return code


@case
def who_stops_it_finds_no_half_file(folder):
    trace = large_trace(folder / "in.json")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        code = stop(["convert", trace, folder / "out.json"], folder, "out.json.partial-*", number)
        check(code == 128 + number, f"{number.name}: exit code {code}")
        check(os.listdir(folder) == ["in.json"], f"{number.name} leaves {os.listdir(folder)}")
    # Standard input is saved first; it never ends here.
    code = stop(["convert", "-", folder / "out.json"], folder, "telltale-*", signal.SIGINT,
                stdin=subprocess.PIPE, env={**os.environ, "TMPDIR": str(folder)})
    check(code == 130, f"exit code {code}")
    check(os.listdir(folder) == ["in.json"], f"a stopped pipe leaves {os.listdir(folder)}")


@case
def damaged_text_is_not_called_sound(folder):
    text = TRACE.read_bytes()
    comma = re.search(rb"},\s*{\s*\"ph\"", text).start() + 1
    file = folder / "trace.json"

    file.write_bytes(text[:comma] + b" " + text[comma + 1:])
    ok, kinds = findings(file)
    check(not ok and kinds["missing_comma"]["count"] == 1, f"a missing comma: {kinds}")
    check(comma < kinds["missing_comma"]["first_offset"] < comma + 20, f"it is at {comma}: {kinds}")

    for place in (comma + 1, comma - 40, comma + 40):
        file.write_bytes(text[:place] + bytes(4096) + text[place:])
        ok, kinds = findings(file)
        check(not ok and kinds["zero_bytes"]["count"] == 4096, f"a hole at {place}: {kinds}")
        check(kinds["zero_bytes"]["first_offset"] == place, f"a hole at {place}: {kinds}")

    for sound in (text, (DATA / "layers.json").read_bytes()):
        end = len(sound.rstrip())
        for rest in (b"garbage", b"}", b'say "no"', bytes(100)):
            file.write_bytes(sound[:end] + rest)
            _, kinds = findings(file)
            check("truncated" not in kinds and kinds["trailing_data"]["first_offset"] == end, f"{rest}: {kinds}")


@case
def lost_durations_are_a_loss(folder):
    file = folder / "trace.json"
    file.write_bytes(re.sub(rb'"dur":\s*[0-9.]+', b'"dur": 0', TRACE.read_bytes()))
    _, kinds = findings(file)
    check(kinds["zero_duration"]["severity"] == "loss", f"{kinds}")


@case
def a_pickle_is_named_with_the_way_out(folder):
    snapshot = json.loads((DATA / "memory_snapshot.json").read_text(encoding="utf-8"))
    source = folder / "snapshot.pickle"
    made = folder / "snapshot.json"
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        source.write_bytes(pickle.dumps(snapshot, protocol))
        code, _, err = run("profile", source)
        check(code == 3 and "Python pickle" in err, f"protocol {protocol}: exit code {code}: {err}")
        command = re.search(r"python3 -c '([^']*)' IN.pickle OUT.json", err)
        check(command, f"no way out in: {err}")
        subprocess.run([sys.executable, "-c", command[1], str(source), str(made)], check=True)
        code, out, err = run("profile", made, "--view", "memory", "--json")
        check(code == 0 and json.loads(out)["memory"], f"what it made: exit code {code}: {err}")


@case
def redacted_functions_are_still_read_by_pstats(folder):
    calls = {("/home/ann/a/__init__.py", 1, "<module>"): (1, 1, 0.5, 2.0, {}),
             ("/home/ann/b/__init__.py", 1, "<module>"): (2, 2, 1.5, 1.5,
                                                          {("/home/ann/a/__init__.py", 1, "<module>"): (2, 2, 1.5, 1.5)}),
             ("~", 0, "<built-in method time.sleep>"): (3, 3, 0.25, 0.25, {})}
    source, out = folder / "in.prof", folder / "out.prof"
    source.write_bytes(marshal.dumps(calls))
    code, _, err = run("convert", source, out, "--redact")
    check(code == 0, f"exit code {code}: {err}")
    check(b"ann" not in out.read_bytes(), "a folder is left")
    stats = pstats.Stats(str(out)).stats
    check(set(stats) == {("__init__.py", 1, "<module>"), ("__init__.py (2)", 1, "<module>"),
                         ("~", 0, "<built-in method time.sleep>")}, f"{stats}")
    check(stats["__init__.py (2)", 1, "<module>"][2] == 1.5, f"{stats}")


@case
def redacted_csv_has_no_folders(folder):
    events = [{"ph": "X", "cat": "python_function", "name": "/home/ann/train.py(12): step", "pid": 1, "tid": 1, "ts": 1, "dur": 5},
              {"ph": "X", "cat": "cpu_op", "name": "GET http://gpu-17/a/b.html", "pid": 1, "tid": 1, "ts": 2, "dur": 1},
              {"ph": "X", "cat": "cpu_op", "name": "=SUM(A1:A9)", "pid": 1, "tid": 1, "ts": 3, "dur": 1}]
    source = folder / "in.json"
    source.write_text(json.dumps({"host_name": "gpu-17", "traceEvents": events}), encoding="utf-8")
    code, out, err = run("convert", source, "-", "--to", "csv", "--redact")
    check(code == 0, f"exit code {code}: {err}")
    names = [row["name"] for row in csv.DictReader(io.StringIO(out))]
    check(names == ["train.py(12): step", "GET http://(removed)", "'=SUM(A1:A9)"], f"{names}")


def main():
    global program
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__.splitlines()[0])
        return 2
    program = str(pathlib.Path(sys.argv[1]).resolve())
    failed = 0
    for function in CASES:
        if len(sys.argv) > 2 and not any(word in function.__name__ for word in sys.argv[2:]):
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                function(pathlib.Path(folder))
            print(f"ok      {function.__name__}")
        except (AssertionError, OSError, KeyError, ValueError, subprocess.SubprocessError) as problem:
            failed += 1
            print(f"FAILED  {function.__name__}: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
