# SPDX-License-Identifier: Apache-2.0
"""Cases of collector.py. What may go wrong besides: full disks, folders that are gone, processes that stay; and what is left out when told."""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import collector_kit as kit
from collector_kit import PATIENCE, case, check, log_of, only_run, record_of, recording, run, scalars, start, wait_for


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
    # The collector may make a file in it meanwhile.
    wait_for(lambda: shutil.rmtree(folder / "runs", ignore_errors=True) or not (folder / "runs").exists(), "the folder's end")
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
    environment = dict(os.environ, TELLTALE_PROGRAM=kit.program)
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

    more = best([kit.program, "run", "--", "true"]) - best(["true"])
    # A figure to read: 30 ms is the limit on a quiet machine, and this one may be busy.
    print(f"telltale run -- true takes {more * 1000:.1f} ms more than true")
