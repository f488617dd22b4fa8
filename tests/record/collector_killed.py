# SPDX-License-Identifier: Apache-2.0
"""Cases of collector.py. Whoever is killed with SIGKILL: the program, the front, the guard, the collector, and what is left is brought in."""
import os
import pathlib
import signal
import subprocess

from collector_kit import (PATIENCE, case, check, children, family, is_alive, listed, log_of, only_run, record_of, recorders,
                           recording, run, run_folders, scalars, start, wait_for)


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
def all_three_killed_have_an_heir(folder):
    process = start(folder, *recording(CONTINUED), stdin=subprocess.PIPE)
    check(process.stdout.readline() == b"ready\n", "not ready")
    (heir, *three), _ = recorders(process.pid)
    check(b"telltale" not in pathlib.Path(f"/proc/{heir}/cmdline").read_bytes(), "its name")
    for pid in three:
        os.kill(pid, signal.SIGKILL)
    process.wait()
    process.stdin.write(b"\n")
    process.stdin.close()
    out = process.stdout.read()
    check(out.count(b"\n") == 500, out[-200:])
    record = wait_for(lambda: record_of(only_run(folder)).get("end") and record_of(only_run(folder)), "the end")
    # Nobody was the program's parent: its exit code is what it recorded itself.
    check(record["status"] == "Failed" and record["exit_code"] == 6, record)
    check(len(scalars(folder, "loss")) == 500 and len(log_of(only_run(folder))) == 501, "points and lines")
    wait_for(lambda: not is_alive(heir), "the end of the heir")


@case
def the_heir_ends_with_the_others(folder):
    process = start(folder, *recording(CONTINUED), stdin=subprocess.PIPE)
    check(process.stdout.readline() == b"ready\n", "not ready")
    (heir, *_), _ = recorders(process.pid)
    process.communicate(b"\n", timeout=PATIENCE)
    check(process.returncode == 6, process.returncode)
    wait_for(lambda: not is_alive(heir), "the end of the heir")


@case
def the_heir_lets_go_of_what_nobody_reads(folder):
    code = "print('ready', flush=True)\nsys.stdin.readline()\nwhile True: print('more', flush=True)"
    process = start(folder, *recording(code), stdin=subprocess.PIPE)
    check(process.stdout.readline() == b"ready\n", "not ready")
    process.stdout.close()
    process.stdin.write(b"\n")
    process.stdin.close()
    check(process.wait(timeout=PATIENCE) == 1, process.returncode)
    check(b"BrokenPipeError" in process.stderr.read(), "the program's error")


@case
def all_killed_leaves_all_to_whoever_looks(folder):
    code = "print('ready', flush=True)\nfor i in range(1000): scalar('loss', i, i)\nopen('done', 'w').close()\ntime.sleep(100)"
    process = start(folder, *recording(code))
    check(process.stdout.readline() == b"ready\n", "not ready")
    ours, training = recorders(process.pid)
    for pid in ours:
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
    ours, training = recorders(process.pid)
    wait_for(lambda: (pathlib.Path(folder) / "done").exists(), "its points")
    for pid in (*ours, training):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    _, _, err = run(folder, "sleep", "0.5", options=["--name", "second"])
    check(b"collector was killed" in err, err)
    first = next(path for path in run_folders(folder) if path.name.endswith("_first"))
    check(record_of(first)["status"] == "Lost" and not (first / ".live").exists(), record_of(first))
    check(len(scalars(folder, "loss")) == 300, "points")
