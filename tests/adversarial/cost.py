#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/adversarial/cost.py TELLTALE [--size N] [--views] [--only TEXT]

How the cost of every analysis grows on inputs that hurt (shapes.py): instructions as valgrind counts them (cachegrind without its
caches, the quickest of its tools that count), so that the load of the machine does not matter, for N, 2N and 4N events. What the second doubling adds is compared with what the first one
added, so that start-up and other fixed costs drop out: n log n gives little more than 2, a square 4; the limit is 2.6. All
analyses run at once (profile --json); --views also runs each view by itself, where one analysis that grows cannot hide behind
the others.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from shapes import SHAPES

LARGEST_GROWTH = 2.6
# Below this the difference is noise: 2 million instructions are less than a millisecond.
NEGLIGIBLE = 2_000_000

SQL = ("SELECT e.kind, e.name, count(*), sum(e.duration_ns), count(o.host_self_ns), count(k.launch_id) FROM events e LEFT JOIN operators o ON "
       "o.id = e.id LEFT JOIN kernels k ON k.correlation = e.correlation AND k.id = e.id GROUP BY e.kind, e.name")


def commands(views):
    result = {"json": ["profile", "--json"], "validate": ["validate", "--json"], "query": ["query", "--json", "-f", "{sql}"]}
    for view in views:
        result[view] = ["profile", "--view", view, "--limit", "10"]
    return result


def views_of(program):
    """The names that --view takes, from its own message."""
    done = subprocess.run([program, "profile", "x", "--view", "?"], capture_output=True, text=True, check=False)
    return [name.strip() for name in re.search(r"valid: (.*)", done.stderr).group(1).split(",")]


def instructions(program, words, files, folder):
    """Instructions of one run, or what went wrong as text."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", f"--cachegrind-out-file={os.devnull}", program]
    command += [word.format(sql=folder / "query.sql") for word in words] + ["--threads", "1", "--quiet", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    counted = re.search(r"I +refs: +([\d,]+)", done.stderr)
    # A view that the input has nothing for may refuse it.
    if done.returncode not in (0, 1, 2) or counted is None:
        return f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
    return int(counted.group(1).replace(",", ""))


def write(folder, name, files):
    target = folder / name
    target.mkdir()
    for file, content in files.items():
        (target / file).write_bytes(content)
    return [str(target / file) for file in files]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("telltale", help="the program")
    parser.add_argument("--size", type=int, default=2000, help="events of the smallest input (default 2000)")
    parser.add_argument("--views", action="store_true", help="also each view by itself")
    parser.add_argument("--only", default="", help="only shapes whose name contains this")
    options = parser.parse_args()
    program = str(pathlib.Path(options.telltale).resolve())
    wanted = commands(views_of(program) if options.views else [])
    failed = 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(name)
        (folder / "query.sql").write_text(SQL, encoding="utf-8")
        runs = []
        for shape, make in SHAPES.items():
            if options.only not in shape:
                continue
            inputs = [write(folder, f"{shape}-{size}", make(size))
                      for size in (options.size, 2 * options.size, 4 * options.size)]
            for what, words in wanted.items():
                runs.append((shape, what, [pool.submit(instructions, program, words, files, folder) for files in inputs]))
        for shape, what, measured in runs:
            counts = [run.result() for run in measured]
            broken = [count for count in counts if isinstance(count, str)]
            if broken:
                print(f"{shape:20} {what:16} FAILED {broken[0]}", flush=True)
                failed += 1
                continue
            once, twice = counts[1] - counts[0], counts[2] - counts[1]
            growth = twice / max(once, NEGLIGIBLE)
            verdict = "ok" if growth < LARGEST_GROWTH else "GROWS TOO FAST"
            failed += verdict != "ok"
            print(f"{shape:20} {what:16} {counts[0] / 1e6:9.1f} M  + {once / 1e6:7.1f} M  + {twice / 1e6:7.1f} M  x {growth:.2f}  {verdict}", flush=True)
    print(f"{len(runs)} measured, {failed} failed")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
