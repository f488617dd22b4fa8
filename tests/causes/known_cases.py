#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the program's answer on every sample trace with an expert's reading of it (expert_readings.py).

usage: known_cases.py TELLTALE DATA [--only TEXT] [--write DOCUMENT]

Prints a table in Markdown: the expert's reading, the sentence, the first advice with its saving, and whether they
agree. With --write it replaces the table between the marks `<!-- table -->` of that document. Below it a second one:
how long the steps of each trace are, and how long when the graph of what waited for what is replayed with nothing taken
away; no step may differ by more than 2 %. Beside the reading, every answer must be sound: savings between nothing and
the step, shares that fit them, both lists in order, no sentence that would do without the training's own work, and no
advice of severity high where kernels fill more than 95 % of the steps.
Exits with 1 if an answer disagrees, a step is not replayed, or a trace has no reading.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

from expert_readings import LIMITS, READINGS

TUNED_SHARE = 0.05
BUSY_SHARE = 0.95
REPLAY_ERROR = 0.02
WORK = re.compile(r"without aten::(mm|addmm|bmm|baddbmm|linear|matmul|\w*convolution\w*|conv\w*)\b")
MARK = "<!-- table -->"


def profile(telltale, paths):
    run = subprocess.run([telltale, "profile", *paths, "--json"], capture_output=True, text=True, check=False)
    return json.loads(run.stdout) if run.returncode == 0 else None


def in_order(rows):
    """By saving, largest first, null last."""
    keys = [(row.get("saving_ns") is None, -(row.get("saving_ns") or 0)) for row in rows]
    return keys == sorted(keys)


def high_advice(document):
    return [row["rule"] for row in document.get("recommendations") or [] if row.get("severity") == "high"]


def unsound(document):
    """What no answer may be, whatever the trace."""
    answer = document.get("answer")
    if not answer or not answer.get("text"):
        yield "no sentence"
        return
    step = (document.get("steps") or {}).get("average_ns") or 0
    causes = answer.get("causes") or []
    for cause in causes:
        saving, share = cause.get("saving_ns"), cause.get("step_share")
        if not cause.get("what"):
            yield "a cause without a name"
        if saving is not None and not 0 <= saving <= step:
            yield f"saves {saving} of {step} ns"
        if saving is not None and step and share is not None and abs(saving / step - share) > 0.005:
            yield f"{share} is not the share of {saving} in {step} ns"
    if not in_order(causes) or not in_order(document.get("recommendations") or []):
        yield "not sorted by saving"
    if WORK.search(answer["text"]):
        yield "would do without the work"
    kernels = ((document.get("steps") or {}).get("categories") or {}).get("kernel") or 0
    if kernels > BUSY_SHARE * step > 0 and high_advice(document):
        yield "high advice for a device that computes all the time"


def disagreements(reading, document):
    """Why the answer is not the expert's."""
    yield from unsound(document)
    answer = document.get("answer") or {}
    causes, text = answer.get("causes") or [], answer.get("text") or ""
    first = causes[0] if causes else {}
    if reading.unknown_saving and reading.first is not None:
        # What cannot be judged stands last among the causes, and first in the sentence.
        unjudged = [cause for cause in causes if cause.get("saving_ns") is None
                    and re.search(reading.first, cause.get("what") or "")]
        first = unjudged[0] if unjudged and re.search(reading.first, text.split(";")[0]) else first
    saving = first.get("saving_ns")
    step = (document.get("steps") or {}).get("average_ns") or 0
    if reading.first is not None:
        if not re.search(reading.first, first.get("what") or ""):
            yield f"first cause is {first.get('what')}"
        if not re.search(reading.first, text):
            yield "the sentence does not name it"
    if reading.saving_ms is not None and (causes or reading.first is not None):
        if saving is None:
            if not reading.unknown_saving:
                yield "no saving"
        elif not reading.saving_ms[0] <= saving / 1e6 <= reading.saving_ms[1]:
            yield f"saving {saving / 1e6:.3f} ms is not in {reading.saving_ms[0]}…{reading.saving_ms[1]}"
    if reading.also and not any(re.search(reading.also, cause.get("what") or "") for cause in causes[1:]):
        yield f"{reading.also} is missing"
    if reading.tuned and saving and saving > TUNED_SHARE * step:
        yield f"a cause of {100 * saving / step:.0f} % in a tuned run"
    if reading.no_high and high_advice(document):
        yield f"high advice: {', '.join(high_advice(document))}"
    if reading.says and not re.search(reading.says, text):
        yield f"the sentence does not say {reading.says}"
    if reading.never and re.search(reading.never, text + json.dumps(document.get("recommendations") or [])):
        yield f"says {reading.never}"


def replay_of(document):
    """(steps, mean measured ns, mean replayed ns, the largest error of a step); None where nothing is to be replayed."""
    steps = ((document or {}).get("critical_path") or {}).get("regions") or []
    steps = [step for step in steps if step["duration_ns"] > 0]
    if not steps:
        return None
    errors = [abs(step["recomputed_ns"] / step["duration_ns"] - 1) for step in steps]
    return (len(steps), sum(step["duration_ns"] for step in steps) / len(steps),
            sum(step["recomputed_ns"] for step in steps) / len(steps), max(errors))


def replay_table(replays):
    yield "| trace | steps | measured ms | replayed ms | worst step |"
    yield "|---|--:|--:|--:|--:|"
    for name, replay in replays:
        if replay is None:
            yield f"| {name} | 0 | - | - | - |"
        else:
            steps, measured, replayed, error = replay
            yield f"| {name} | {steps} | {measured / 1e6:.3f} | {replayed / 1e6:.3f} | {100 * error:.3f} % |"


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def row_of(name, reading, document, why):
    answer = (document or {}).get("answer") or {}
    advice = ((document or {}).get("recommendations") or [{}])[0]
    saving = advice.get("saving_ns")
    names = ", ".join(os.path.relpath(part, "traces") if part.startswith("traces") else part for part in name.split())
    return [names, reading.expert, answer.get("text") or "-", f"{advice.get('rule', '-')}: {advice.get('what') or '-'}",
            "-" if saving is None else f"{saving / 1e6:.3f} ms", "yes" if not why else "no: " + "; ".join(why)]


def unread(data):
    """Traces that no reading names."""
    named = {part for name in READINGS for part in name.split()}
    seen = {contents(os.path.join(data, part)) for part in named if os.path.exists(os.path.join(data, part))}
    patterns = ("traces/**/*.json", "traces/**/*.json.gz", "torch/**/*.trace.json", "torch/**/*.trace.json.gz")
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(data, pattern), recursive=True)):
            name = os.path.relpath(path, data)
            if name not in named and not name.endswith("_et.json.gz") and contents(path) not in seen:
                yield name


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def write_table(document, table):
    with open(document, encoding="utf-8") as file:
        before, _, after = file.read().split(MARK)
    with open(document, "w", encoding="utf-8") as file:
        file.write(f"{before}{MARK}\n{table}\n{MARK}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("telltale")
    parser.add_argument("data")
    parser.add_argument("--only", default="", help="only traces whose path contains this text")
    parser.add_argument("--write", help="the document whose table is to be replaced")
    options = parser.parse_args()
    header = ["trace", "expert", "sentence", "first advice", "saving", "agrees"]
    rows, replays, wrong, agree, checked = [], [], 0, 0, 0
    for name, reading in READINGS.items():
        if options.only not in name:
            continue
        document = profile(options.telltale, [os.path.join(options.data, part) for part in name.split()])
        why = ["could not be read"] if document is None else list(disagreements(reading, document))
        rows.append(row_of(name, reading, document, why))
        replays.append((rows[-1][0], replay_of(document)))
        agree += not why
        # A known limit that is none any more is to be taken off the list.
        wrong += bool(why) != (name in LIMITS)
        checked += 1
    table = "\n".join("| " + " | ".join(map(cell, row)) + " |" for row in [header, ["---"] * len(header)] + rows)
    print(table)
    print("\n" + "\n".join(replay_table(replays)))
    missed = [name for name, replay in replays if replay is not None and replay[3] > REPLAY_ERROR]
    for name in missed:
        print(f"\n{name}: replayed unchanged, a step is off by more than {100 * REPLAY_ERROR:.0f} %")
    missing = [] if options.only else list(unread(options.data))
    for name in missing:
        print(f"\n{name}: nobody has read this trace")
    if options.write:
        write_table(options.write, table)
    print(f"\n{checked} traces, {agree} agree; {wrong} other than known")
    sys.exit(1 if wrong or missing or missed else 0)


if __name__ == "__main__":
    main()
