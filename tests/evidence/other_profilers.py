#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what telltale reads from the files of other profilers with second decoders written here from the formats'
descriptions, with counts.json (event counts taken by an independent script), and with the profilers' own reports.

usage: tests/evidence/other_profilers.py TELLTALE DATA

Besides DATA/other_profilers and DATA/lightning, files are made on the spot: an importtime log and a text of pstats by
this Python, a pprof profile where `go` is installed (compared with `go tool pprof`), samples where `perf` may record.
"""
import collections
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from decimal import ROUND_HALF_UP, Decimal

HERE = sys.path.pop(0)
import cProfile  # noqa: E402
import pstats  # noqa: E402  Python's, not the script beside this one
sys.path.insert(0, HERE)

failures = 0
compared = 0


def check(what, found, expected):
    global failures, compared
    compared += 1
    if found == expected:
        return
    failures += 1
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in sorted(set(found) | set(expected), key=str):
            if found.get(key) != expected.get(key):
                print(f"DIFFERS {what}: {key}: telltale {found.get(key)}, expected {expected.get(key)}")
                return
    print(f"DIFFERS {what}: telltale {found}, expected {expected}")


def profile(telltale, path, *words):
    done = subprocess.run([telltale, "profile", "--quiet", path, "--json", "--view", "functions", *words],
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{path}: exit {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def rows(document):
    """{(file, line, name, module): (self, total)}"""
    found = {}
    for row in document["functions"]["rows"]:
        found[(row["file"], row["line"], row["name"], row.get("module"))] = (row["self_ns"], row["total_ns"])
    return found


def from_stacks(stacks):
    """The same from [(path of keys, value)]; a function counts once in a path."""
    self_value, total = collections.Counter(), collections.Counter()
    for path, value in stacks:
        if not path:
            continue
        self_value[path[-1]] += value
        for key in set(path):
            total[key] += value
            self_value[key] += 0
    return {key: (self_value[key], total[key]) for key in total}


def exact(text, shift):
    return int((Decimal(text) * 10 ** shift).to_integral_value(ROUND_HALF_UP))


# Collapsed stacks --------------------------------------------------------------------------------------------------

PY_SPY = re.compile(r"^(.+) \((.+):(\d+)\)$")
TORCH = re.compile(r"^(\S+?)\((\d+)\):[ _](.+)$")


def frame_key(text):
    if match := PY_SPY.match(text):
        return match[2], int(match[3]), match[1], None
    if match := TORCH.match(text):
        return match[1], int(match[2]), match[3], None
    return None, None, text, None


def collapsed(telltale, path, counts, factor):
    stacks = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, _, value = line.rpartition(" ")
            stacks.append(([frame_key(frame) for frame in stack.split(";")], int(value) * factor))
    document = profile(telltale, path)
    name = os.path.basename(path)
    check(f"{name}: functions", rows(document), from_stacks(stacks))
    check(f"{name}: total", document["functions"]["total_ns"], counts["total"] * factor)
    check(f"{name}: lines", document["files"][0]["events"], counts["lines"])


# speedscope --------------------------------------------------------------------------------------------------------

def speedscope_stacks(document):
    frames = []
    for frame in document["shared"]["frames"]:
        file = frame.get("file") or None
        frames.append((file, frame.get("line") if file else None, frame["name"], None))
    shifts = {"nanoseconds": 0, "microseconds": 3, "milliseconds": 6, "seconds": 9, "none": 0, "bytes": 0}
    stacks = []
    for part in document["profiles"]:
        shift = shifts[part["unit"]]
        if part["type"] == "sampled":
            for sample, weight in zip(part["samples"], part["weights"]):
                stacks.append(([frames[i] for i in sample], exact(weight, shift)))
            continue
        opened, before = [], None
        for event in part["events"]:
            at = exact(event["at"], shift)
            if before is not None and opened:
                stacks.append((list(opened), at - before))
            before = at
            if event["type"] == "O":
                opened.append(frames[event["frame"]])
            else:
                assert opened.pop() == frames[event["frame"]]
    return stacks


def speedscope(telltale, path, counts):
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_float=Decimal)
    found = profile(telltale, path)
    name = os.path.basename(path)
    check(f"{name}: functions", rows(found), from_stacks(speedscope_stacks(document)))
    events = sum(p.get("samples", 0) + p.get("events", 0) for p in counts["profiles"])
    check(f"{name}: events", found["files"][0]["events"], events)


# pyinstrument ------------------------------------------------------------------------------------------------------

def pyinstrument(telltale, path, counts):
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_float=Decimal)
    stacks, frames = [], 0

    def walk(frame, above):
        nonlocal frames
        frames += 1
        path_here = above + [(frame["file_path"], frame["line_no"], frame["function"], None)]
        own = exact(frame["time"], 9) - sum(exact(child["time"], 9) for child in frame["children"])
        stacks.append((path_here, max(own, 0)))
        for child in frame["children"]:
            walk(child, path_here)

    walk(document["root_frame"], [])
    found = profile(telltale, path)
    name = os.path.basename(path)
    check(f"{name}: functions", rows(found), from_stacks(stacks))
    check(f"{name}: frames", frames, counts["frames"])
    check(f"{name}: samples", found["files"][0]["events"], counts["sample_count"])


# Lightning ---------------------------------------------------------------------------------------------------------

def lightning_simple(telltale, text, oracle):
    with gzip.open(oracle) as file:
        durations = json.load(file)
    document = profile(telltale, text)
    found = {row["name"]: row for row in document["functions"]["rows"]}
    name = os.path.basename(text)
    check(f"{name}: actions", sorted(found), sorted(durations))
    for action, times in durations.items():
        row = found[action]
        # Five significant digits of the profiler's own sum.
        check(f"{name}: {action}: total", row["total_ns"], exact(f"{sum(times):.5g}", 9))
        if row["calls"] is not None:
            check(f"{name}: {action}: calls", row["calls"], len(times))
        check(f"{name}: {action}: own time", row["self_ns"], None)


def lightning_advanced(telltale, text, stage, oracle):
    """The report strips folders and prints milliseconds; functions that differ in the folder only are one row."""
    with gzip.open(oracle) as file:
        profiles = json.load(file)
    expected = {}
    for prof, values in profiles.items():
        action = re.fullmatch(rf"(?:.*/)?{stage}-advanced-(.*)\.prof", prof)
        if not action:
            continue
        sums = {}
        for file, line, function, cc, nc, tt, ct, *_ in values[3]:
            key = (os.path.basename(file), line, function, action[1])
            old = sums.get(key, (0, 0, 0, 0))
            sums[key] = (old[0] + nc, old[1] + cc, old[2] + tt, old[3] + ct)
        for key, (nc, cc, tt, ct) in sums.items():
            expected[key] = (nc, cc, exact(f"{tt:.3f}", 9), exact(f"{ct:.3f}", 9))
    found = {}
    for row in profile(telltale, text)["functions"]["rows"]:
        key = (row["file"], row["line"], row["name"], row["module"])
        found[key] = (row["calls"], row["primitive_calls"], row["self_ns"], row["total_ns"])
    check(f"{os.path.basename(text)}: functions", found, expected)


# Traces of other tracers ------------------------------------------------------------------------------------------------

def trace(telltale, path):
    """Complete events by nesting, B and E by order; every moment to the innermost event."""
    with (gzip.open if path.endswith(".gz") else open)(path) as file:
        document = json.load(file, parse_float=Decimal)
    events = document if isinstance(document, list) else document["traceEvents"]
    spans, opened = collections.defaultdict(list), collections.defaultdict(list)
    for event in events:
        thread = (event.get("pid"), event.get("tid"))
        if event["ph"] == "X":
            spans[thread].append((exact(event["ts"], 3), exact(event["dur"], 3), event["name"]))
        elif event["ph"] == "B":
            # Its place in the file is that of the B: of two events of the same time the first is the outer one.
            opened[thread].append(len(spans[thread]))
            spans[thread].append((exact(event["ts"], 3), 0, event["name"]))
        elif event["ph"] == "E":
            place = opened[thread].pop()
            start, _, text = spans[thread][place]
            spans[thread][place] = (start, exact(event["ts"], 3) - start, text)
    own, total = collections.Counter(), collections.Counter()
    for of_thread in spans.values():
        of_thread.sort(key=lambda span: (span[0], -span[1]))
        stack = []
        for start, duration, text in of_thread:
            while stack and stack[-1][0] <= start:
                stack.pop()
            key = frame_key(text)
            own[key] += duration
            if stack:
                own[stack[-1][1]] -= duration
            if key not in [name for _, name in stack]:
                total[key] += duration
            stack.append((start + duration, key))
    expected = {key: (own[key], total[key]) for key in own}
    found = profile(telltale, path)
    if "functions" not in found or found["functions"] is None:
        print(f"note: {os.path.basename(path)}: the program shows no functions of traces")
        return
    check(f"{os.path.basename(path)}: functions", rows(found), expected)


# Made on the spot ---------------------------------------------------------------------------------------------------

def importtime(telltale, folder):
    path = os.path.join(folder, "import.log")
    with open(path, "wb") as file:
        subprocess.run([sys.executable, "-X", "importtime", "-c", "import json, argparse, email.message"], stderr=file,
                       check=True)
    cumulative, own, tops = collections.Counter(), collections.Counter(), 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.fullmatch(r"import time:\s+(\d+) \|\s+(\d+) \| ( *)(\S+)\n", line)
            if match:
                own[match[4]] += int(match[1]) * 1000
                cumulative[match[4]] += int(match[2]) * 1000
                tops += int(match[2]) * 1000 if match[3] == "" else 0
    document = profile(telltale, path)
    found = {row["name"]: row for row in document["functions"]["rows"]}
    check("importtime: own times", {name: row["self_ns"] for name, row in found.items()}, dict(own))
    # Python rounds each number to a microsecond: a sum may be off by one a module.
    slack = 1000 * len(own)
    for name, value in cumulative.items():
        check(f"importtime: {name}", abs(found[name]["total_ns"] - value) <= slack, True)
    check("importtime: all", abs(document["functions"]["total_ns"] - tops) <= slack, True)


def pstats_text(telltale, folder):
    profiler = cProfile.Profile()
    profiler.runcall(sorted, [re.compile(str(i)).pattern for i in range(200)], key=lambda text: text[::-1])
    text = io.StringIO()
    statistics = pstats.Stats(profiler, stream=text)
    statistics.sort_stats("cumulative").print_stats()
    path = os.path.join(folder, "pstats.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.getvalue())
    expected = {}
    for (file, line, name), (cc, nc, tt, ct, _) in statistics.stats.items():
        expected[(file, line, name)] = (nc, cc, exact(f"{tt:.3f}", 9), exact(f"{ct:.3f}", 9))
    found = {(row["file"], row["line"], row["name"]):
             (row["calls"], row["primitive_calls"], row["self_ns"], row["total_ns"])
             for row in profile(telltale, path)["functions"]["rows"]}
    check("pstats text: functions", found, expected)


GO_PROGRAM = """package main
import ("os"; "runtime/pprof"; "crypto/sha256"; "sort"; "fmt")
func hash(n int) byte { b := make([]byte, 1<<16); s := sha256.Sum256(b); for i := 0; i < n; i++ { s = sha256.Sum256(s[:]) }; return s[0] }
func order(n int) int { v := make([]int, n); for i := range v { v[i] = (i * 7919) % n }; sort.Ints(v); return v[n/2] }
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func main() {
  f, _ := os.Create(os.Args[1]); pprof.StartCPUProfile(f)
  x := 0
  for i := 0; i < 6; i++ { x += int(hash(300000)); x += order(500000); x += fib(32) }
  pprof.StopCPUProfile(); f.Close(); fmt.Println(x)
  h, _ := os.Create(os.Args[2]); pprof.WriteHeapProfile(h); h.Close()
}
"""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value


def numbers(value):
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(number - (1 << 64) if number >> 63 else number)
    return found


def pprof_stacks(path, wanted):
    with open(path, "rb") as file:
        data = file.read()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    texts, types, samples, locations, functions, mappings = [], [], [], {}, {}, {}
    for number, value in fields(data):
        if number == 6:
            texts.append(value.decode())
        elif number == 1:
            types.append(dict(fields(value)))
        elif number == 2:
            ids, values = [], []
            for part, inner in fields(value):
                (ids if part == 1 else values if part == 2 else []).extend(numbers(inner) if part < 3 else [])
            samples.append((ids, values))
        elif number == 3:
            mapping = dict(fields(value))
            mappings[mapping[1]] = mapping.get(5, 0)
        elif number == 4:
            lines, location = [], {}
            for part, inner in fields(value):
                if part == 4:
                    lines.append(dict(fields(inner)).get(1, 0))
                else:
                    location[part] = inner
            locations[location[1]] = (lines, location)
        elif number == 5:
            function = dict(fields(value))
            functions[function[1]] = function
    index = [texts[kind.get(1, 0)] for kind in types].index(wanted)
    stacks = []
    for ids, values in samples:
        frames = []
        for identifier in reversed(ids):
            lines, location = locations[identifier]
            module = texts[mappings.get(location.get(2, 0), 0)] or None
            if not lines:
                frames.append((None, None, hex(location.get(3, 0)), module))
            for function in reversed(lines):
                facts = functions[function]
                frames.append((texts[facts.get(4, 0)] or None, facts.get(5, 0) or None, texts[facts.get(2, 0)], module))
        stacks.append((frames, values[index]))
    return stacks


def pprof(telltale, folder):
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not os.path.exists(go):
        print("note: no go: pprof is not compared with its own tool")
        return
    source = os.path.join(folder, "main.go")
    with open(source, "w", encoding="utf-8") as file:
        file.write(GO_PROGRAM)
    environment = dict(os.environ, HOME=folder, GOCACHE=os.path.join(folder, "cache"), GO111MODULE="off", GOFLAGS="")
    cpu, heap = os.path.join(folder, "cpu.pprof"), os.path.join(folder, "heap.prof")
    done = subprocess.run([go, "run", source, cpu, heap], env=environment, capture_output=True, check=False)
    if done.returncode != 0:
        print("note: go could not build a program: pprof is not compared with its own tool")
        return
    # The heap profile's own choice (default_sample_type) is inuse_space.
    for path, kind in ((cpu, "cpu"), (heap, "inuse_space")):
        found = profile(telltale, path)
        check(f"pprof {kind}: functions", rows(found), from_stacks(pprof_stacks(path, kind)))
    text = subprocess.run([go, "tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0", "-unit=ns", cpu],
                          env=environment, capture_output=True, check=True).stdout.decode()
    theirs = {}
    for line in text.splitlines():
        match = re.fullmatch(r"\s*(\d+)(?:ns)?\s+\S+\s+\S+\s+(\d+)(?:ns)?\s+\S+\s+(.*?)(?: \(inline\))?", line)
        if match:
            theirs[match[3]] = (int(match[1]), int(match[2]))
    ours = collections.defaultdict(lambda: (0, 0))
    for (_, _, name, _), (own, total) in rows(profile(telltale, cpu)).items():
        ours[name] = (ours[name][0] + own, ours[name][1] + total)
    shared = {name: ours[name] for name in theirs}
    check("pprof cpu: go tool pprof -top", shared, theirs)
    check("pprof cpu: own times of go tool pprof", sum(v[0] for v in ours.values()), sum(v[0] for v in theirs.values()))


def perf(telltale, folder):
    data, path = os.path.join(folder, "perf.data"), os.path.join(folder, "perf.txt")
    try:
        subprocess.run(["perf", "record", "-q", "-o", data, "-F", "500", "-g", sys.executable, "-c",
                        "sum(i * i for i in range(3000000))"], capture_output=True, check=True)
        with open(path, "wb") as file:
            subprocess.run(["perf", "script", "-i", data], stdout=file, stderr=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        print("note: perf may not record here: its samples are not compared")
        return
    stacks, frames, weight = [], [], None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file.read().split("\n"):
            if match := re.match(r"^\S.*?\s+\d+(?:/\d+)?\s+(?:\[\d+\]\s+)?[\d.]+:\s+(\d+) \S+:\s*$", line):
                weight, frames = int(match[1]), []
            elif match := re.match(r"^\s+[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$", line):
                module = None if match[2] in ("[unknown]", "inlined") else match[2]
                frames.append((None, None, match[1], module))
            elif not line.strip() and weight is not None:
                stacks.append((frames[::-1] or [(None, None, "[no call chain]", None)], weight))
                weight = None
    check("perf script: functions", rows(profile(telltale, path)), from_stacks(stacks))


def main():
    telltale, data = os.path.abspath(sys.argv[1]), sys.argv[2]
    other = os.path.join(data, "other_profilers")
    with open(os.path.join(other, "counts.json"), encoding="utf-8") as file:
        counts = json.load(file)
    for name, factor in (("pyspy.collapsed.txt", 1), ("export_stacks.self_cpu.txt", 1000)):
        collapsed(telltale, os.path.join(other, name), counts[name], factor)
    for name in ("pyspy.speedscope.json", "pyinstrument.speedscope.json"):
        speedscope(telltale, os.path.join(other, name), counts[name])
    pyinstrument(telltale, os.path.join(other, "pyinstrument.json"), counts["pyinstrument.json"])
    lightning = os.path.join(data, "lightning")
    for folder, stage in (("simple", "fit"), ("simple", "validate"), ("simple_short", "fit")):
        name = os.path.join(lightning, folder, f"{stage}-{folder}")
        lightning_simple(telltale, name + ".txt", name + ".oracle.json.gz")
    for stage in ("fit", "validate"):
        lightning_advanced(telltale, os.path.join(lightning, "advanced", f"{stage}-advanced.txt"), stage,
                           os.path.join(lightning, "advanced.pstats.json.gz"))
    for name in ("viztracer.json", "viztracer_args.json.gz", "pyspy.chrometrace.json"):
        trace(telltale, os.path.join(other, name))
    with tempfile.TemporaryDirectory() as folder:
        importtime(telltale, folder)
        pstats_text(telltale, folder)
        pprof(telltale, folder)
        perf(telltale, folder)
    print(f"other profilers: {compared} comparisons, {failures} differences")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
