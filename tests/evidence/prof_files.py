#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the functions of .prof files with what Python's own pstats says about them: every number of every function
and caller, and the texts of print_stats, print_callers and print_callees to the byte.

usage: tests/evidence/prof_files.py TELLTALE DATA

DATA/prof/oracle holds what the pstats of each file's own Python said; damaged files are compared with a second decoder
(marshal_entries.py). Files of DATA/lightning and DATA/other_profilers are compared with the pstats of this Python.
"""
import calendar
import gzip
import io
import json
import os
import pstats
import re
import shutil
import subprocess
import sys
import tempfile
import time

from marshal_entries import Entries

TEXTS = {
    "print_stats.cumulative": ["--sort", "cumulative"],
    "print_stats.tottime": ["--sort", "tottime"],
    "print_stats.calls": ["--sort", "calls"],
    "print_stats.name": ["--sort", "name"],
    "print_stats.strip_cumulative": ["--sort", "cumulative", "--strip-dirs"],
    "print_callers": ["--sort", "cumulative", "--callers"],
    "print_callees": ["--sort", "cumulative", "--callees"],
}
failures = []
counts = {}


def check(what, good, detail=""):
    counts[what] = counts.get(what, 0) + 1
    if not good:
        failures.append(f"{what}: {detail}")
        print(f"DIFFERS {what}: {detail}")


def content(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def run(telltale, *words, cwd=None):
    environment = dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8")
    done = subprocess.run([telltale, "profile", "--quiet", *words], capture_output=True, cwd=cwd, env=environment)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def to_ns(seconds):
    return round(seconds * 1e9)


def repaired(text):
    """Lone surrogates cannot be written as UTF-8: U+FFFD stands for each."""
    return "".join("\N{REPLACEMENT CHARACTER}" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)


def expected_rows(functions):
    """{(file, line, name): (numbers, {caller: numbers})}; functions: [file, line, name, cc, nc, tt, ct, callers]"""
    rows = {}
    for file, line, name, cc, nc, tt, ct, callers in functions:
        of_callers = {}
        for caller_file, caller_line, caller_name, value in callers:
            numbers = ((value[0], value[1], to_ns(value[2]), to_ns(value[3])) if isinstance(value, (list, tuple))
                       else (value, value, None, None))
            of_callers[(repaired(caller_file), caller_line, repaired(caller_name))] = numbers
        rows[(repaired(file), line, repaired(name))] = ((nc, cc, to_ns(tt), to_ns(ct)), of_callers)
    return rows


def as_functions(stats):
    return [[*key, cc, nc, tt, ct, [[*caller, value] for caller, value in callers.items()]]
            for key, (cc, nc, tt, ct, callers) in stats.items()]


def our_rows(document):
    def numbers(row):
        return tuple(row[field] for field in ("calls", "primitive_calls", "self_ns", "total_ns"))

    def key(row):
        return row["file"], row["line"], row["name"]
    return {key(row): (numbers(row), {key(caller): numbers(caller) for caller in row["callers"]})
            for row in document["functions"]["rows"]}


def compare_numbers(telltale, path, functions, what):
    code, out, error = run(telltale, path, "--json", "--callers")
    name = os.path.basename(path)
    if code != 0:
        return check(what, False, f"{name}: exit {code}: {error.strip()}")
    document = json.loads(out)
    ours, theirs = our_rows(document), expected_rows(functions)
    wrong = [key for key in theirs if ours.get(key) != theirs[key]] + [key for key in ours if key not in theirs]
    check(what, not wrong, f"{name}: {len(wrong)} functions, first {wrong[:1]}: "
          f"{[ours.get(key) for key in wrong[:1]]} instead of {[theirs.get(key) for key in wrong[:1]]}")
    rows = document["functions"]["rows"]
    order = [(-row["self_ns"], row["name"]) for row in rows]
    check("rows are sorted by self_ns, then name", order == sorted(order), name)
    total = sum(row["self_ns"] for row in rows)
    check("total_ns is the sum of self_ns", document["functions"]["total_ns"] == total, name)


def oracle_file(folder, name):
    for path in (os.path.join(folder, "oracle", name), os.path.join(folder, "oracle", name + ".gz")):
        if os.path.exists(path):
            return content(path).decode("utf-8")
    return None


def compare_texts(telltale, folder, base, path, scratch):
    """The file gets the name and time that the first line of the oracle's texts has."""
    copy = os.path.join(scratch, base + ".prof")
    with open(copy, "wb") as file:
        file.write(content(path))
    for text, options in TEXTS.items():
        expected = oracle_file(folder, f"{base}.{text}.txt")
        if expected is None:
            continue
        if text.startswith("print_stats"):
            stamp = expected.split("    ")[0]
            seconds = calendar.timegm(time.strptime(stamp, "%a %b %d %H:%M:%S %Y"))
            os.utime(copy, (seconds, seconds))
        limit = ["--limit", "40"] if "due to restriction <40>" in expected else []
        code, out, error = run(telltale, base + ".prof", "--like", "pstats", *options, *limit, cwd=scratch)
        kind = f"text of {text.split('.')[0]}"
        if base == "py27":
            compare_python2(kind, base, out, expected)
            continue
        check(kind, code == 0 and out == expected, f"{base}.{text}: {first_difference(out, expected)} {error.strip()}")


def compare_python2(kind, base, ours, theirs):
    """Python 2 pads names by their bytes, and lists ties in the order of its hash table."""
    def lines(text):
        return [re.sub(" +", " ", line).rstrip() for line in text.splitlines()]
    mine, expected = lines(ours), lines(theirs)
    check(f"{kind} (Python 2: spaces and ties aside)", sorted(mine) == sorted(expected),
          f"{base}: {[line for line in mine if line not in expected][:2]}")


def first_difference(ours, theirs):
    for number, (mine, their) in enumerate(zip(ours.split("\n"), theirs.split("\n")), 1):
        if mine != their:
            return f"line {number}: {mine!r} instead of {their!r}"
    return f"{len(ours)} instead of {len(theirs)} characters"


def compare_with_this_python(telltale, path, what):
    stats = pstats.Stats(path)
    compare_numbers(telltale, path, as_functions(stats.stats), what)
    for order in ("tottime", "stdname", "nfl", "pcalls", "filename", "line"):
        stream = io.StringIO()
        stats = pstats.Stats(path, stream=stream)
        stats.sort_stats(order).reverse_order().print_stats(0.5, "e", 20)
        code, out, _ = run(telltale, path, "--like", "pstats", "--sort", order, "--reverse", "--restrict", "0.5",
                           "--restrict", "e", "--restrict", "20")
        expected = stream.getvalue()
        # The first line has the time of the file, which is local there and UTC here.
        mine, theirs = out.split("\n")[1:], expected.split("\n")[1:]
        check("sort keys, reverse_order and restrictions", code == 0 and mine == theirs,
              f"{os.path.basename(path)} by {order}: {first_difference(chr(10).join(mine), chr(10).join(theirs))}")


def compare_pure_profiler(telltale, scratch):
    """python -m profile has the code that it ran as the name of a function; its address is not in the file."""
    script, path = os.path.join(scratch, "job.py"), os.path.join(scratch, "pure.prof")
    with open(script, "w", encoding="utf-8") as file:
        file.write("import json\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
                   "print(sorted(json.loads('[3, 1]'), key=lambda n: fib(n + 9)))\n")
    subprocess.run([sys.executable, "-m", "profile", "-o", path, script], check=True, stdout=subprocess.DEVNULL)

    def named(key):
        return (*key[:2], re.sub(" at 0x[0-9a-f]+", "", repr(key[2]))) if not isinstance(key[2], str) else key
    stats = {named(key): (*value[:4], {named(caller): count for caller, count in value[4].items()})
             for key, value in pstats.Stats(path).stats.items()}
    check("python -m profile names code", any("<code object" in key[2] for key in stats), str(list(stats)[:3]))
    compare_numbers(telltale, path, as_functions(stats), "numbers of every function and caller")


def compare_damaged(telltale, path):
    found, complete = Entries(content(path)).entries()
    good = {key: value for key, value in found.items()
            if isinstance(key, tuple) and len(key) == 3 and isinstance(value, tuple) and len(value) == 5}
    code, out, error = run(telltale, path, "--json", "--callers")
    name = os.path.basename(path)
    if not good and not (complete and not found):
        check("hopeless files are refused with exit 3 and a sentence",
              code == 3 and "expected" in error and "at byte" in error, f"{name}: exit {code}: {error}")
        return
    compare_numbers(telltale, path, as_functions(good), "damaged files: what a second decoder reads")
    if code == 0 and not complete:
        kinds = [(row["severity"], row["first_offset"] is not None) for row in json.loads(out)["diagnostics"]]
        check("damaged files have an error with its byte", ("error", True) in kinds, f"{name}: {kinds}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    telltale, data = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    folder = os.path.join(data, "prof")
    scratch = tempfile.mkdtemp(prefix="telltale-pstats-")
    try:
        for name in sorted(os.listdir(folder)):
            path, base = os.path.join(folder, name), name.split(".")[0]
            if not name.endswith((".prof", ".prof.gz")):
                continue
            if base.startswith("bad_") or base == "odd_empty_dict":
                compare_damaged(telltale, path)
                continue
            numbers = oracle_file(folder, ("py311" if base.startswith("odd_") else base) + ".pstats.json")
            compare_numbers(telltale, path, json.loads(numbers)["funcs"], "numbers of every function and caller")
            compare_texts(telltale, folder, base, path, scratch)
        compare_pure_profiler(telltale, scratch)
        for where in ("lightning/advanced", "other_profilers"):
            for name in sorted(os.listdir(os.path.join(data, where))):
                if name.endswith(".prof"):
                    compare_with_this_python(telltale, os.path.join(data, where, name),
                                             "numbers of every function and caller")
    finally:
        shutil.rmtree(scratch)
    for what, count in counts.items():
        print(f"{count:5} compared: {what}")
    print(f"{len(failures)} differences")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
