#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/record/faults.py BUILD [CASE…]

Programs that record and come to an end: by SIGKILL at random moments, by exit, exec and dlclose; and the comparison of both
decoders of regions. BUILD is a build folder with record_program, dump_region and libtelltale-record.so.
"""
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

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import decode_region  # noqa: E402

CASES = []
ROUNDS = int(os.environ.get("TELLTALE_KILL_ROUNDS", "40"))


def case(function):
    CASES.append(function)
    return function


def check(good, message):
    if not good:
        raise AssertionError(message)


class Place:
    """Where the programs are, and a folder to record into."""

    def __init__(self, build, folder):
        self.program = build / "bin" / "record_program"
        self.dump = build / "bin" / "dump_region"
        self.library = build / "src" / "record" / "libtelltale-record.so"
        self.run = folder / "run"
        self.folder = folder
        self.environment = {"PATH": "/nowhere", "TELLTALE_RUN_DIR": str(self.run)}

    def execute(self, *words, **more):
        return subprocess.run([self.program, *words], env=dict(self.environment, **more), check=False, timeout=60).returncode

    def regions(self):
        return sorted((self.run / ".live").glob("*.ring"))

    def records(self, path):
        done = subprocess.run([self.dump, path], capture_output=True, text=True, check=False, timeout=60)
        check(done.returncode == 0, f"the reader says {done.stderr!r} of {path.name}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def names(self):
        return sorted(record["name"] for path in self.regions() for record in self.records(path))


@case
def both_decoders_agree(place):
    for more in ({}, {"TELLTALE_CLOCK": "monotonic"}, {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1"}):
        check(place.execute("kinds", str(place.run), **more) == 0, "the program fails")
    check(len(place.regions()) == 3, f"{place.regions()}")
    ranks = []
    for path in place.regions():
        region = decode_region.Region(path)
        ranks.append((region.rank, region.local_rank, region.world_size, region.role))
        check(region.state == 2, f"state {region.state}")
        check(region.dropped == 0 and region.held == 0 and region.lost == 0, "something is dropped")
        check(region.program == "record_program", region.program)
        expected = list(region.decoded())
        found = place.records(path)
        check(len(found) == len(expected) > 75_000, f"{len(found)} records, {len(expected)} expected")
        for mine, other in zip(found, expected):
            # The two multiply in another order.
            check(abs(mine["wall_ns"] - other.pop("wall_ns")) <= 1, f"{mine} is not at the time of {other}")
            check(0 <= mine.pop("wall_ns") - region.made < 60e9 or mine["name"] in ("at", "large"), f"the time of {mine}")
            for one in (mine, other):
                if one["kind"] == "step_end" and one["value"] is not None:
                    one["value"] = round(one["value"] / 2)
            near = mine["kind"] == "step_end" and abs(mine.pop("value") - other.pop("value")) <= 1
            check(mine == other and (near or mine["kind"] != "step_end"), f"{mine} is not {other}")
    check(sorted(ranks) == [(-1, -1, 0, 1), (-1, -1, 0, 1), (3, 1, 4, 2)], f"ranks {ranks}")


@case
def kill_at_any_moment_loses_nothing_that_returned(place):
    chance = random.Random(os.environ.get("TELLTALE_SEED", "16"))
    least = most = None
    for number in range(ROUNDS):
        place.run = place.folder / f"run-{number}"
        place.environment["TELLTALE_RUN_DIR"] = str(place.run)
        counter = place.folder / "counter"
        counter.write_bytes(bytes(4096))
        process = subprocess.Popen([place.program, "forever", str(counter)], env=place.environment)
        time.sleep(chance.uniform(0.001, 0.012))  # up to some ten thousand records
        process.send_signal(signal.SIGKILL)
        process.wait()
        with open(counter, "rb") as file, mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_READ) as mapped:
            scalars, texts, steps = (struct.unpack_from("<q", mapped, at)[0] for at in (0, 64, 128))
        least, most = min(scalars, least or scalars), max(scalars, most or scalars)
        if scalars == 0 and not place.run.exists():
            continue
        found = {"scalar": [], "text": [], "step_end": []}
        regions = place.regions()
        check(len(regions) == 1 or scalars == 0, f"{regions}")
        for path in regions:
            if path.read_bytes()[:8] == b"TLTALE01":
                for record in place.records(path):
                    if record["kind"] in found:
                        found[record["kind"]].append(record["step"])
                    if record["kind"] == "text":
                        check(set(record["bytes"]) <= {"7", "4", "c"}, "a torn text")
        for kind, returned, each in (("scalar", scalars, 1), ("text", texts, 8), ("step_end", steps, 1)):
            # What was under way when the signal came may be there, too.
            check(returned <= len(found[kind]) <= returned + 1, f"{len(found[kind])} of {returned} {kind} are there")
            check(found[kind] == list(range(0, len(found[kind]) * each, each)), f"{kind} out of order")
    print(f"  {ROUNDS} kills, after {least} to {most} scalars")


@case
def functions_of_atexit_still_record(place):
    check(place.execute("exit", "7") == 7, "another exit code")
    check(place.names() == ["at_exit", "before"], f"{place.names()}")
    check(decode_region.Region(place.regions()[0]).state == 2, "the region is not closed")


@case
def a_program_after_exec_has_a_region_of_its_own(place):
    check(place.execute("exec") == 0, "the program fails")
    check(place.names() == ["at_exit", "before", "before_exec"], f"{place.names()}")
    first, second = sorted(place.regions(), key=lambda path: len(path.name))
    check(second.stem == first.stem + "-2", f"{first.name}, {second.name}")


@case
def unloading_the_library_hurts_nobody(place):
    check(place.execute("dlclose", str(place.library)) == 0, "the program fails")
    check("unloaded" in place.names(), f"{place.names()}")


@case
def regions_and_their_folder_are_the_users_alone(place):
    place.execute("exit", "0")
    check((place.run / ".live").stat().st_mode & 0o777 == 0o700, "others may look into .live")
    check(place.regions()[0].stat().st_mode & 0o777 == 0o600, "others may read the region")


@case
def nothing_is_made_before_something_is_recorded(place):
    check(place.execute("nothing") == 2, "the program records")
    check(not place.run.exists(), "a folder is there")


@case
def a_program_of_its_own_starts_a_collector(place):
    mark = place.folder / "mark"
    collector = place.folder / "bin" / "telltale"
    collector.parent.mkdir()
    collector.write_text(f'#!/bin/sh\n[ ! -t 0 ] && echo "$@" > "{mark}.new" && /bin/mv "{mark}.new" "{mark}"\n', encoding="utf-8")
    collector.chmod(0o755)
    del place.environment["TELLTALE_RUN_DIR"]
    for more in ({"PATH": f"/nowhere:{collector.parent}"}, {"TELLTALE_PROGRAM": str(collector)}):
        mark.unlink(missing_ok=True)
        check(place.execute("start", str(place.run), **more) == 0, "the program fails")
        end = time.monotonic() + 20
        while not mark.exists() and time.monotonic() < end:
            time.sleep(0.01)
        check(mark.read_text(encoding="utf-8") == f"collect {place.run}\n", "the collector was started with other words")
    mark.unlink()
    check(place.execute("start", str(place.run), TELLTALE_RUN_DIR=str(place.run), TELLTALE_PROGRAM=str(collector)) == 0, "it fails")
    check(not mark.exists(), "a collector was started although `telltale run` is one")
    check(place.names() == ["started"] * 3, f"{place.names()}")


@case
def a_forked_child_starts_no_second_collector(place):
    folder = place.folder / "started"
    folder.mkdir()
    collector = place.folder / "telltale"
    collector.write_text(f'#!/bin/sh\necho > "{folder}/$$"\n', encoding="utf-8")
    collector.chmod(0o755)
    del place.environment["TELLTALE_RUN_DIR"]
    check(place.execute("start_twice", str(place.run), TELLTALE_PROGRAM=str(collector)) == 0, "the program fails")
    end = time.monotonic() + 20
    while not list(folder.iterdir()) and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.2)  # for a second one, which must not come
    check(len(list(folder.iterdir())) == 1, f"{len(list(folder.iterdir()))} collectors")
    check(len(place.regions()) == 2 and place.names() == ["started"], f"{place.names()}")


@case
def a_region_can_be_in_shared_memory(place):
    run_id = f"test-{os.getpid()}"
    elsewhere = pathlib.Path(f"/dev/shm/telltale-{os.geteuid()}-{run_id}")
    try:
        check(place.execute("exit", "0", TELLTALE_REGIONS="memory", TELLTALE_RUN_ID=run_id) == 0, "the program fails")
        check(place.execute("exec", TELLTALE_REGIONS="memory", TELLTALE_RUN_ID=run_id) == 0, "the program fails")
        check(all(path.is_symlink() and path.resolve().parent == elsewhere for path in place.regions()), "no links")
        check(elsewhere.stat().st_mode & 0o777 == 0o700, "others may look into it")
        check(place.names() == ["at_exit", "at_exit", "before", "before", "before_exec"], f"{place.names()}")
        # A folder that others made is not used.
        for path in place.regions():
            path.resolve().unlink()
            path.unlink()
        elsewhere.chmod(0o777)
        check(place.execute("exit", "0", TELLTALE_REGIONS="memory", TELLTALE_RUN_ID=run_id) == 0, "the program fails")
        check(not place.regions(), "a folder that all may write to was used")
    finally:
        if elsewhere.exists():
            for path in elsewhere.iterdir():
                path.unlink()
            elsewhere.rmdir()


def main():
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    failed = 0
    for function in CASES:
        if sys.argv[2:] and function.__name__ not in sys.argv[2:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(Place(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder)))
                print(f"{function.__name__}: ok")
            except (AssertionError, OSError, ValueError, subprocess.SubprocessError) as problem:
                failed += 1
                print(f"{function.__name__}: FAILED: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
