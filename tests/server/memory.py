#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/server/memory.py TELLTALE MAKE_TRACE [NAME…]

Gives the program too little memory. Commands under `ulimit -v` of many sizes end with their result or with a message and
exit code 3, never by a signal; `telltale view` lives on or says why it cannot start; and a file that unpacks to far more
than --memory-budget is shown as far as it fits. Every case whose name contains NAME runs, all without one.
"""
import gzip
import http.client
import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time

import harness
from harness import PATIENCE, PROFILES, TRACE, Server, case, check

MIB = 1 << 20
make_trace = ""
folder = pathlib.Path()


def limited(mib):
    """A program that is ours with so much address space."""
    path = folder / f"telltale-{mib}"
    path.write_text(f'#!/bin/sh\nulimit -v {mib * 1024}\nexec "{harness.program()}" "$@"\n', encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def least_mib():
    """What the program needs to do anything at all; below that it is the system that complains."""
    for mib in range(8, 400, 8):
        run = subprocess.run([limited(mib), "--version"], capture_output=True, check=False)
        if run.returncode == 0:
            return mib
    raise AssertionError("the program does not start with 400 MiB")


def big_trace():
    path = folder / "big.json"
    if not path.exists():
        subprocess.run([make_trace, "--size", "150M", "--out", str(path)], check=True, capture_output=True)
    return path


def sizes():
    """From hardly enough to start to enough for everything."""
    least = least_mib()
    return [least + more for more in (0, 8, 16, 24, 32, 48, 64, 96, 128, 160, 200, 260, 340, 500, 800, 1500)]


@case
def commands_end_with_their_result_or_a_message():
    trace = str(big_trace())
    out = str(folder / "out.json.gz")
    commands = {
        "profile": ["profile", trace, "--quiet"],
        "profile, json": ["profile", trace, "--json", "--quiet"],
        "validate": ["validate", trace, "--quiet"],
        "diff": ["diff", trace, str(TRACE), "--quiet"],
        "query": ["query", trace, "SELECT name, count(*), sum(duration_ns) FROM events GROUP BY name ORDER BY 3", "--quiet"],
        "convert": ["convert", trace, out, "--force", "--quiet", "--window", "0ms..5ms"],
    }
    for name, words in commands.items():
        codes = {}
        for mib in sizes():
            run = subprocess.run([limited(mib), *words], capture_output=True, text=True, timeout=PATIENCE * 3, check=False)
            codes[mib] = run.returncode
            good = (0, 3, 1) if name in ("query", "validate") else (0, 3)
            check(run.returncode in good, f"{name} with {mib} MiB: {run.returncode} {run.stderr[-300:]}")
            if run.returncode == 3:
                check("memory" in run.stderr and "terminate" not in run.stderr, f"{name} with {mib} MiB said {run.stderr!r}")
            else:
                check("memory" not in run.stderr or run.returncode == 1, f"{name} with {mib} MiB: {run.stderr!r}")
        print(f"  {name}: {codes}")
        check(3 in codes.values(), f"{name} never lacked memory: the sizes test nothing")
        check(list(codes.values())[-1] != 3, f"{name} lacked memory with {max(codes)} MiB")
    check(not list(folder.glob("*.partial-*")), "convert left half a file behind")


def ask(server, target):
    """Again where the server had no memory even to refuse: it closes such a connection, and lives on."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return server.get(target)
        except http.client.RemoteDisconnected:
            check(server.process.poll() is None, f"it ended with {server.process.returncode}")
            check(time.monotonic() < deadline, "every connection is closed unanswered")
            time.sleep(0.02)


def profiles(server):
    """Of the list; empty while it has not been found."""
    status, _, body = ask(server, PROFILES)
    check(status in (200, 503), f"{status} {body[:200]!r}")
    return json.loads(body)["profiles"] if status == 200 else []


def wait_until_read(server):
    deadline = time.monotonic() + PATIENCE * 2
    while True:
        listed = profiles(server)
        if listed and listed[0]["state"] not in ("found", "loading"):
            return listed[0]
        check(time.monotonic() < deadline, f"it reads forever: {listed}")
        time.sleep(0.02)


@case
def the_server_lives_or_says_why_it_cannot_start():
    trace = big_trace()
    ends = {}
    for mib in sizes():
        server = Server(paths=(trace,), command=limited(mib))
        if not server.url:
            errors = server.process.stderr.read()
            code = server.process.wait(PATIENCE)
            server.process.stdout.close()
            server.process.stderr.close()
            check(code == 3 and "memory" in errors, f"with {mib} MiB it ended with {code}: {errors!r}")
            ends[mib] = "not started"
            continue
        with server:
            profile = wait_until_read(server)
            ends[mib] = profile["state"]
            if profile["state"] == "failed":
                check("memory" in profile["error"], f"with {mib} MiB: {profile['error']}")
            for view in ("overview", "operators"):
                status, _, body = ask(server, f"{PROFILES}/{profile['id']}/report?view={view}")
                check(status in (200, 422, 503), f"with {mib} MiB: {status} {body[:200]!r}")
            server.check_alive()
            server.stop(signal.SIGTERM)
            check(server.code == 0, f"with {mib} MiB it ended with {server.code}: {server.errors}")
    print(f"  {ends}")
    check("failed" in ends.values() and "ready" in ends.values(), "the sizes test nothing")


def bomb(path, decoded_bytes):
    """Events, packed so well that a small file holds gigabytes of them: one member over and over."""
    event = '{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":%d.5,"dur":1},\n'
    some = "".join(event % i for i in range(50_000)).encode()
    with open(path, "wb") as file:
        file.write(gzip.compress(b'{"schemaVersion": 1, "traceEvents": [\n'))
        member = gzip.compress(some, 9)
        for _ in range(decoded_bytes // len(some)):
            file.write(member)
        file.write(gzip.compress(event[:-2].encode() % 0 + b"]}"))


def peak_mib(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) // 1024


@case
def a_load_stops_at_the_memory_budget():
    path = folder / "bomb.json.gz"
    bomb(path, 1500 * MIB)
    budget = 100
    with Server("--memory-budget", f"{budget}M", paths=(path,)) as server:
        slowest = 0.0
        while True:
            start = time.monotonic()
            listed = profiles(server)
            slowest = max(slowest, time.monotonic() - start)
            if listed and listed[0]["state"] not in ("found", "loading"):
                break
            time.sleep(0.01)
        profile = listed[0]
        check(profile["state"] == "ready", f"{profile}")
        status, _, body = server.get(f"{PROFILES}/{profile['id']}/report?view=overview")
        report = json.loads(body)
        found = [row for row in report["diagnostics"] if row["kind"] == "memory_limit"]
        check(status == 200 and len(found) == 1, f"{status} {body[:300]!r}")
        check(found[0]["severity"] == "loss" and "--memory-budget" in found[0]["message"], f"{found}")
        check(str(os.path.getsize(path)) in found[0]["message"], f"{found}")
        check(not [row for row in report["diagnostics"] if row["kind"] == "truncated"], f"{report['diagnostics']}")
        peak = peak_mib(server)
        print(f"  {path.stat().st_size // MIB} MiB packed, {profile['events']} events read, peak {peak} MiB, "
              f"slowest answer meanwhile {slowest * 1000:.0f} ms")
        check(peak < budget * 1.6 + 100, f"a peak of {peak} MiB with a budget of {budget} MiB")
        check(slowest < 10, f"a plain request took {slowest:.1f} s")


@case
def a_load_takes_the_room_of_others():
    budget = 100
    names = ("a", "b", "c")
    inside = folder / "several"
    inside.mkdir()
    for name in names:
        bomb(inside / f"{name}.json.gz", 150 * MIB)
    with Server("--memory-budget", f"{budget}M", paths=(inside,)) as server:
        for index in range(len(names)):
            ident = profiles(server)[index]["id"]
            deadline = time.monotonic() + PATIENCE * 2
            while server.get(f"{PROFILES}/{ident}/report?view=overview")[0] == 202:
                check(time.monotonic() < deadline, "it reads forever")
                time.sleep(0.05)
        listed = profiles(server)
        peak = peak_mib(server)
        print(f"  {[profile['state'] for profile in listed]}, peak {peak} MiB")
        check(listed[-1]["state"] == "ready", f"{listed[-1]}")
        check([profile["state"] for profile in listed].count("ready") == 1, "more than fit are kept")
        check(peak < budget * 1.6 + 100, f"a peak of {peak} MiB with a budget of {budget} MiB")


def main():
    global make_trace, folder
    if len(sys.argv) > 2:
        make_trace = str(pathlib.Path(sys.argv.pop(2)).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        return harness.main(__doc__)


if __name__ == "__main__":
    sys.exit(main())
