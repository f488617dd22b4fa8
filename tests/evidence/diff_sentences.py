#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the sentence of `telltale diff` against its own tables and causes, for neighbouring traces below a folder, in both
directions.

usage: diff_sentences.py TELLTALE [DATA] [--only TEXT] [--print]

Before that the reader itself is tried on sentences with one mistake each. Traces above 4 MB are left out.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

MOST_BYTES = 4_000_000
REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9}
TIME = r"(?:\d+ min )?[\d,.]+ (?:ns|µs|ms|s|min)"
COST = rf"{TIME}|hardly anything"
CATEGORIES = {"kernels": "kernel", "memory copies": "memcpy", "memory sets": "memset", "communication": "communication",
              "runtime calls": "runtime", "the DataLoader": "dataloader", "CPU operators": "cpu_exec",
              "code outside any operator": "other"}
OPENING = re.compile(rf"(?:A step|The trace) takes (?P<after>{TIME}) instead of (?P<before>{TIME}) "
                     r"\((?P<change>[+-][\d.]+ %|from nothing)\)")
SAME = re.compile(rf"(?:A step|The trace) takes (?P<after>{TIME}), as before\.")
NOISE = re.compile(r", which is noise: (?P<why>p = [\d.]+|less than 1 %)")
ALONE = re.compile(r"; with one (step|trace) a side nobody knows the noise")
SURE = re.compile(r", p = (?P<p>[\d.e+-]+)")
PART = re.compile(rf"; (?P<time>{TIME}) of it because of (?P<what>.+): it costs (?P<after>{COST}) instead of (?P<before>{COST})")
WHOLE = re.compile(rf"; because of (?P<what>.+) alone it would be (?P<time>{TIME}) (?P<way>less|more): "
                   rf"it costs (?P<after>{COST}) instead of (?P<before>{COST})")
MOST = re.compile(rf"; most of it in (?P<what>.+): (?P<after>{TIME}) instead of (?P<before>{TIME})")


def nanoseconds(text):
    """(value, half of the last digit shown)."""
    if text == "hardly anything":
        return 0.0, 0.0
    total, error = 0.0, 0.0
    for number, unit in re.findall(r"([\d,.]+) (ns|µs|ms|s|min)", text):
        digits = number.replace(",", "")
        decimals = len(digits.partition(".")[2])
        total += float(digits) * UNITS[unit]
        error = 0.501 * 10 ** -decimals * UNITS[unit]
    return total, error


def says(text, value):
    said, error = nanoseconds(text)
    return abs(said - value) <= error


def verdict_of(step, rest):
    """What is wrong with the words about certainty, and what follows them."""
    found = NOISE.match(rest) or ALONE.match(rest) or SURE.match(rest)
    rest = rest[found.end():] if found else rest
    words = "noise" if found and found.re is NOISE else "no_spread" if found and found.re is ALONE else "sure"
    wanted = step["verdict"] if step["verdict"] in ("noise", "no_spread") else "sure"
    wrong = [] if words == wanted else [f"the step's verdict is {step['verdict']}"]
    p_value = step.get("p_value")
    said = re.search(r"p = ([\d.e+-]+)", found.group(0)) if found else None
    if said and (p_value is None or abs(float(said.group(1)) - p_value) > 0.06 * p_value + 0.0051 * (words == "noise")):
        wrong.append(f"p is {p_value}")
    return wrong, rest


def reason_of(document, step, rest):
    """What is wrong with the reason that is given."""
    change = step["change_ns"]
    found = PART.fullmatch(rest) or WHOLE.fullmatch(rest)
    if found:
        fitting = [cause for cause in document["causes"]
                   if says(found["after"], cause["after_ns"]) and says(found["before"], cause["before_ns"])
                   and says(found["time"], abs(cause["after_ns"] - cause["before_ns"]))]
        if not fitting:
            return ["no cause costs that"]
        moved = fitting[0]["after_ns"] - fitting[0]["before_ns"]
        wrong = [] if (moved < 0) == (change < 0) else ["the cause went the other way"]
        if abs(moved) < abs(change) / 5 - 1:
            wrong.append("it explains less than a fifth")
        if (found.re is PART) != (abs(moved) <= abs(change)):
            wrong.append("it is not a part of the change" if found.re is PART else "it is a part of the change")
        return wrong
    found = MOST.fullmatch(rest)
    if not found:
        return [f"nobody can read '{rest}'"] if rest else []
    rows = [row for row in document["tables"][0]["rows"][1:]
            if row["change_ns"] and (row["change_ns"] > 0) == (change > 0)]
    most = max(rows, key=lambda row: abs(row["change_ns"]), default=None)
    if most is None or CATEGORIES.get(found["what"]) != most["name"]:
        return [f"most of it is in {most and most['name']}"]
    right = says(found["after"], most["after_ns"]) and says(found["before"], most["before_ns"])
    return [] if right else [f"{most['name']} went from {most['before_ns']} to {most['after_ns']} ns"]


def problems(sentence, document):
    step = document["tables"][0]["rows"][0]
    same = SAME.fullmatch(sentence)
    if same:
        return [] if says(same["after"], step["after_ns"]) and step["change_ns"] == 0 else ["it is not as before"]
    opening = OPENING.match(sentence)
    if not opening or not sentence.endswith("."):
        return ["nobody can read the beginning"]
    wrong = [f"{side} is {step[side + '_ns']} ns" for side in ("after", "before") if not says(opening[side], step[side + "_ns"])]
    if opening["change"] != "from nothing":
        percent = float(opening["change"].removesuffix(" %"))
        if abs(percent - 100 * step["change_share"]) > (0.51 if abs(percent) >= 1000 else 0.051):
            wrong.append(f"the change is {step['change_share']}")
    more, rest = verdict_of(step, sentence[opening.end():-1])
    wrong += more
    if step["verdict"] == "noise" and rest:
        wrong.append("noise has no reason")
    return wrong + reason_of(document, step, rest)


RIGHT = ("A step takes 120.0 ms instead of 100.0 ms (+20.0 %), p = 0.0012; 18.0 ms of it because of cudaFree: it costs 19.0 ms "
         "instead of 1.00 ms.")
DOCUMENT = {"causes": [{"what": "cudaFree", "before_ns": 1_000_000, "after_ns": 19_000_000},
                       {"what": "save", "before_ns": 0, "after_ns": 1_000_000}],
            "tables": [{"rows": [
                {"name": "step", "before_ns": 100_000_000, "after_ns": 120_000_000, "change_ns": 20_000_000, "change_share": 0.2,
                 "verdict": "slower", "p_value": 0.0012},
                {"name": "kernel", "before_ns": 50_000_000, "after_ns": 51_000_000, "change_ns": 1_000_000},
                {"name": "runtime", "before_ns": 2_000_000, "after_ns": 21_000_000, "change_ns": 19_000_000}]}]}
MISTAKES = [("120.0 ms", "121.0 ms"), ("instead of 100.0", "instead of 101.0"), ("+20.0 %", "+21.0 %"), ("0.0012", "0.012"),
            (", p = 0.0012", ", which is noise: p = 0.06"), ("18.0 ms of it", "17.0 ms of it"), ("costs 19.0", "costs 18.0"),
            ("; 18.0 ms of it because of cudaFree: it costs 19.0 ms instead of 1.00 ms",
             "; because of cudaFree alone it would be 18.0 ms more: it costs 19.0 ms instead of 1.00 ms"),
            ("; 18.0 ms of it because of cudaFree: it costs 19.0 ms instead of 1.00 ms",
             "; 1.00 ms of it because of save: it costs 1.00 ms instead of hardly anything"),
            ("; 18.0 ms of it because of cudaFree: it costs 19.0 ms instead of 1.00 ms",
             "; most of it in kernels: 51.0 ms instead of 50.0 ms"), (".", ". All is well.")]


def try_the_reader():
    if problems(RIGHT, DOCUMENT):
        raise AssertionError(f"finds fault with a right sentence: {problems(RIGHT, DOCUMENT)}")
    for right, wrong in MISTAKES:
        at = RIGHT.rindex(right) if right == "." else RIGHT.index(right)
        if not problems(RIGHT[:at] + wrong + RIGHT[at + len(right):], DOCUMENT):
            raise AssertionError(f"finds no fault with '{wrong}'")


def run(telltale, *words):
    return subprocess.run([telltale, "diff", *words], capture_output=True, text=True, check=False, timeout=300)


def pairs(folder, only):
    found = sorted(path for ending in ("json", "json.gz") for path in glob.glob(f"{folder}/**/*.{ending}", recursive=True)
                   if os.path.getsize(path) <= MOST_BYTES and only in path)
    for before, after in zip(found, found[1:]):
        yield from ((before, after), (after, before))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("telltale")
    parser.add_argument("data", nargs="?", default=os.path.join(REPOSITORY, "tests", "data"))
    parser.add_argument("--only", default="")
    parser.add_argument("--print", action="store_true", dest="show")
    options = parser.parse_args()
    try_the_reader()
    read = bad = 0
    folders = [os.path.join(options.data, name) for name in ("traces", "torch")]
    for folder in [name for name in folders if os.path.isdir(name)] or [options.data]:
        for before, after in pairs(folder, options.only):
            answer = run(options.telltale, before, after, "--json")
            document = json.loads(answer.stdout) if answer.stdout.startswith("{") else {}
            if document.get("basis") not in ("step", "trace"):
                continue        # no two traces, or of two kinds
            text = run(options.telltale, before, after).stdout
            sentence = " ".join(text.split("\n\n")[0].split())
            wrong = problems(sentence, document)
            read += 1
            bad += bool(wrong)
            if options.show or wrong:
                print(f"{os.path.basename(before)} -> {os.path.basename(after)}: {sentence}")
            for problem in wrong:
                print(f"  WRONG: {problem}")
    print(f"{read} sentences, {bad} wrong; the reader found all {len(MISTAKES)} mistakes")
    return 1 if bad or not read else 0


if __name__ == "__main__":
    sys.exit(main())
