#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/record/kill.py TELLTALE LIBRARY [MOMENTS]

Kills at random moments (SIGKILL), and looks whether every scalar whose call had returned is in the run, once and in order.
The program writes the number of the last call that returned into a file that it shares with this test. Who is killed goes
in turn: the program, the collector, the front, two of front, guard and collector, all three, these and the heir, all of them
with the program, and a reader that brings in what was left. Several are tried at the same time.
The last lines are a table.
"""
import concurrent.futures
import json
import mmap
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

from collector_kit import is_alive, recorders

PATIENCE = 60.0
SCALARS = 60_000
AT_ONCE = 4
WHO = ("program", "collector", "front", "front and collector", "front and guard", "guard and collector", "all three",
       "all three and heir", "everybody", "everybody, and a reader")
UNHARMED = WHO[1:7]  # the program prints and records on, and its end is seen

PROGRAM = """
import ctypes, mmap, os, sys
lib = ctypes.CDLL({library!r})
lib.telltale_name.restype = ctypes.c_uint32
lib.telltale_name.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
lib.telltale_scalar.argtypes = [ctypes.c_uint32, ctypes.c_double, ctypes.c_int64]
# Stored at once: struct would fill the place with zeros first, and the program may be killed in between.
returned = ctypes.c_int64.from_buffer(mmap.mmap(os.open('returned', os.O_RDWR), 8))
name = lib.telltale_name(b'loss', 4)
print('ready', flush=True)
sys.stdin.readline()
for i in range({scalars}):
    lib.telltale_scalar(name, i, i)
    returned.value = i + 1
    if i % 1000 == 0: print('step', i, flush=True)
"""


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited too long for {what}")
        time.sleep(0.005)


def look(telltale, folder):
    sql = "select step, value from scalars where tag = 'loss'"
    done = subprocess.run([telltale, "query", "runs", sql, "--json"], cwd=folder, capture_output=True, check=False, timeout=PATIENCE)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return [row["step"] for row in json.loads(done.stdout)], done.stderr.decode()


def one(telltale, library, folder, who, delay, chance):
    shared = os.open(folder / "returned", os.O_RDWR | os.O_CREAT)
    os.ftruncate(shared, 8)
    returned = mmap.mmap(shared, 8)
    code = PROGRAM.format(library=library, scalars=SCALARS)
    front = subprocess.Popen([telltale, "run", "-q", "--no-git", "--interval", "0.05", "--", sys.executable, "-c", code], cwd=folder,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if front.stdout.readline() != b"ready\n":
        raise AssertionError("not ready")
    (heir, *three), program = recorders(front.pid)
    _, guard, collector = three
    front.stdin.write(b"\n")
    front.stdin.close()
    time.sleep(delay)
    victims = {"program": [program], "collector": [collector], "front": [front.pid], "front and collector": [front.pid, collector],
               "front and guard": [front.pid, guard], "guard and collector": [guard, collector],
               "all three": three, "all three and heir": [*three, heir]}
    chosen = list(victims.get(who, [*three, heir, program]))
    chance.shuffle(chosen)
    for pid in chosen:
        kill(pid)
    # Somebody must read what it prints, as long as somebody passes it on.
    rest = front.stdout.read()
    front.wait()
    wait_until(lambda: not is_alive(program), "the end of the program")
    if who == "program" or who in UNHARMED:
        wait_until(lambda: not (next((folder / "runs").glob("2*")) / ".live").exists(), "the run's end")
    if who == "everybody, and a reader":
        reader = subprocess.Popen([telltale, "runs"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 0.03))
        kill(reader.pid)
        reader.wait()
    count = struct.unpack("<q", returned[:8])[0]
    steps, said = look(telltale, folder)
    record = json.loads((next((folder / "runs").glob("2*")) / "run.json").read_text(encoding="utf-8"))
    problems = []
    # The last call may have stored its point and been killed before it returned.
    if steps[:count] != list(range(count)) or len(steps) not in (count, count + 1):
        problems.append(f"{count} calls returned, {len(steps)} points are there")
    if who in UNHARMED and (count != SCALARS or record["status"] != "Completed" or rest.count(b"step") != SCALARS // 1000):
        problems.append(f"the program was harmed: {count} of {SCALARS}, {record['status']}, {rest.count(b'step')} lines")
    if who == "program" and count < SCALARS and (record["status"] != "Failed" or record["signal"] != 9):
        problems.append(f"run.json says {record['status']}, {record['signal']}")
    if who != "program" and who not in UNHARMED and record["status"] not in ("Lost", "Completed", "Failed"):
        problems.append(f"run.json says {record['status']}")
    again, said_again = look(telltale, folder)
    if again != steps or said_again:
        problems.append(f"a second look brings in more: {len(again)}, {said_again}")
    left = list((folder / "runs").glob("*/.live"))
    if left:
        problems.append("something is left in .live")
    returned.close()
    os.close(shared)
    return problems, bool(said)


def main():
    telltale, library = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    moments = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    os.environ.pop("TELLTALE_ROOT", None)
    chance = random.Random(20261117)
    table = {who: [0, 0, 0] for who in WHO}
    failures = 0
    plans = [(WHO[number % len(WHO)], chance.uniform(0, 0.35), chance.random()) for number in range(moments)]

    def judge(plan):
        who, delay, seed = plan
        with tempfile.TemporaryDirectory() as folder:
            try:
                return one(telltale, library, pathlib.Path(folder), who, delay, random.Random(seed))
            except Exception as problem:  # noqa: BLE001: every moment is told
                return [f"{type(problem).__name__}: {problem}"], False

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for (who, delay, _), (problems, brought_in) in zip(plans, pool.map(judge, plans)):
            table[who][0] += 1
            table[who][1] += brought_in
            table[who][2] += bool(problems)
            failures += bool(problems)
            for problem in problems:
                print(f"FAILED  {who} after {delay:.3f} s: {problem}", flush=True)
    print(f"{'killed':<22}{'moments':>8}{'brought in later':>18}{'wrong':>7}")
    for who, (count, brought_in, wrong) in table.items():
        print(f"{who:<22}{count:>8}{brought_in:>18}{wrong:>7}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
