#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that `telltale profile` names a cause that was put into a trace, first, and with the right saving.

usage: check_injection.py TELLTALE DATA [--all] [--only TEXT] [--kind KIND]...

Every trace under DATA/traces and DATA/torch gets every kind of delay that fits it (inject.py; a trace without steps,
which counts as one, some of them): 30 % of the typical step, or one and a half times (where two are put in: three
times) what the program says of the trace's own first cause, should that be more. A case
is right if the first of answer.causes names what was put in, its rule is that of the first recommendation, and its
saving is within 10 % of the truth (plus what the program says of the same cause in the untouched trace). Of two causes
both are named, in order. A delay hidden beside a busy device is no cause: it must not be given a saving above 2 % of
the step. Without --all, traces above 20 MB of text are left out. Exits with 1 if any case is wrong that is not a known
limit (LIMITS), or right that is one.
"""
import argparse
import glob
import hashlib
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile

import inject
from kinds import KINDS
from places import Inapplicable
from replay import Rank

TOLERANCE = 0.10
HIDDEN_LIMIT = 0.02
LARGE_BYTES = 20_000_000


# Where the answer is known to be wrong, and why.
LIMITS = {
    ("backward_thread.json", "annotation"): "the delay lies where the thread waits for another one",
    ("backward_thread.json", "dataloader"): "the delay lies where the thread waits for another one",
    ("backward_thread.json", "compilation"): "the delay lies where the thread waits for another one",
    ("backward_thread.json", "two"): "the delay lies where the thread waits for another one",
    ("backward_thread.json", "at_start"): "the delay lies where the thread waits for another one",
    ("torch_compile_triton/trace.json.gz", "annotation"):
        "behind a synchronisation: without that, the delay would lie beside the device",
    ("torch_compile_triton/trace.json.gz", "host_gap"):
        "behind a synchronisation: without that, the delay would lie beside the device",
    ("torch_compile_triton/trace.json.gz", "dataloader"):
        "behind a synchronisation: without that, the delay would lie beside the device",
    ("mtia_inference_rank_0.json.gz", "device_gap"): "the host's own time, which nothing names, is more",
    ("sampled_rank-0.json.gz", "device_gap"): "no sync events: what another stream waited for is guessed",
    ("sampled_rank-0.json.gz, twice", "late rank: host_gap"):
        "no sync events: what another stream waited for is guessed",
    ("resnet_act_checkpoint.json.gz", "free_storm"):
        "the host had run ahead before the window; the storm takes that away, and three steps do not give it back",
    ("resnet_act_checkpoint.json.gz", "sync_storm"):
        "the host had run ahead before the window; the storm takes that away, and three steps do not give it back",
    ("nccl_data.json.gz", "device_gap"): "no sync events: what another stream waited for is guessed",
    ("nccl_data.json.gz", "slow_kernel"): "no sync events: what another stream waited for is guessed",
}


def profile(telltale, paths):
    run = subprocess.run([telltale, "profile", *paths, "--json"], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"telltale ended with {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def causes_of(document):
    return (document.get("answer") or {}).get("causes") or []


def names(cause, accept):
    return any(re.search(pattern, cause.get("what") or "") for pattern in accept)


def saving_before(baseline, cause):
    """What the untouched trace's own report says of the same cause."""
    def key(row):
        return row.get("rule"), re.sub(r" on rank \d+$", "", row.get("what") or "")

    same = [row.get("saving_ns") or 0 for row in causes_of(baseline) if key(row) == key(cause)]
    return max(same, default=0)


class Case:
    """One delay in one trace: the truth and what the program said."""

    def __init__(self, trace, kind, truth, baseline, document):
        self.trace, self.kind, self.truth = trace, kind, truth
        self.causes = causes_of(document)
        self.first = self.causes[0] if self.causes else {}
        self.first_rule = (document.get("recommendations") or [{}])[0].get("rule")
        self.step_ns = (document.get("steps") or {}).get("average_ns") or 0
        self.baseline = baseline
        if kind == "hidden":
            self.judge_hidden()
        else:
            self.judge()

    def judge(self):
        wanted = self.truth["causes"]
        self.named = len(self.causes) >= len(wanted) and all(
            names(cause, truth["accept"]) for cause, truth in zip(self.causes, wanted)) and (
            self.first_rule == self.first.get("rule"))
        self.errors = []
        for cause, truth in zip(self.causes, wanted):
            saving = cause.get("saving_ns")
            expected = truth["saving_ns"] + saving_before(self.baseline, cause)
            known = saving is not None and expected > 0
            self.errors.append(abs(saving - expected) / expected if known else float("inf"))
        self.close = self.named and all(error <= TOLERANCE for error in self.errors)

    def judge_hidden(self):
        found = [cause for cause in self.causes if names(cause, self.truth["causes"][0]["accept"])]
        saving = max([cause.get("saving_ns") or 0 for cause in found], default=0)
        limit = self.truth["causes"][0]["saving_ns"] + HIDDEN_LIMIT * self.step_ns
        self.named = self.close = saving <= limit
        self.errors = []

    def row(self):
        shown = [f"{cause.get('what')}"[:40] for cause in self.causes[:len(self.truth["causes"])]]
        savings = [cause.get("saving_ns") for cause in self.causes[:len(self.truth["causes"])]]
        return [self.trace, self.kind, milliseconds(self.truth["length_ns"]),
                " + ".join(milliseconds(cause["saving_ns"]) for cause in self.truth["causes"]),
                " + ".join(shown) or "-", " + ".join(map(milliseconds, savings)) or "-",
                " ".join(f"{100 * error:.1f} %" for error in self.errors) or "-",
                "ok" if self.close else self.limit() or "WRONG"]

    def limit(self):
        """Why it is known to be wrong; none: it is not."""
        return next((why for (trace, kind), why in LIMITS.items()
                     if kind == self.kind and ("/" + self.trace).endswith("/" + trace)), None)


def milliseconds(ns):
    return "-" if ns is None else f"{ns / 1e6:.3f}"


def twice(rank, folder):
    """Two ranks out of one of a distributed run: the same trace, once more as rank 1."""
    copies = []
    for number in range(2):
        copy = Rank(rank.path)
        copy.header.setdefault("distributedInfo", {}).update({"rank": number, "world_size": 2})
        copy.path = os.path.join(folder, f"rank{number}.json")
        copies.append(copy)
    return copies


def check_stillness(ranks):
    """The model with no delay gives the capture again."""
    still = inject.replay(ranks, [])
    for number, rank in enumerate(ranks):
        for event in rank.events:
            if still.times(number, event) != (event.start, event.end):
                raise AssertionError(f"{rank.path}: {event.name} moves without cause")


def check_steps(name, kind, truth, baseline, document):
    """The program sees steps that are longer by as much as the truth says (means of whole nanoseconds)."""
    longer = document["steps"]["average_ns"] - baseline["steps"]["average_ns"]
    if abs(longer - truth["longer_ns"]) > 1:
        raise AssertionError(f"{name}: {kind}: steps are {longer} ns longer, the truth says {truth['longer_ns']}")


def check_ranks(telltale, name, ranks, sources, kinds, folder):
    """Each kind of delay in these ranks; returns (cases, notes)."""
    cases, refused = [], {}
    check_stillness(ranks)
    baseline = profile(telltale, sources)
    own = max([cause.get("saving_ns") or 0 for cause in causes_of(baseline)], default=0)
    typical = inject.typical_step(ranks)
    for kind in kinds:
        out = os.path.join(folder, kind)
        # Of two, the lesser one as well has to be more than the trace's own.
        more = 3 if kind == "two" else 1.5
        length = int(0.1 * typical) if kind == "hidden" else max(int(0.3 * typical), int(more * own))
        try:
            truth = inject.inject(ranks, kind, length, out)
        except Inapplicable as reason:
            refused.setdefault(str(reason), []).append(kind)
            continue
        label = f"late rank: {kind}" if len(ranks) > 1 else kind
        document = profile(telltale, truth["files"])
        if len(ranks) == 1:
            check_steps(name, kind, truth, baseline, document)
        case = Case(name, label, truth, baseline, document)
        cases.append((case.row(), case.named, case.close, case.close != (case.limit() is not None)))
        shutil.rmtree(out)
    return cases, [f"{name}: no {', '.join(kinds)}: {reason}" for reason, kinds in refused.items()]


def check_files(job):
    """All kinds on one trace, or one set of ranks; a rank of a distributed run also as two of them."""
    telltale, name, paths, kinds = job
    with tempfile.TemporaryDirectory(prefix="telltale_causes_") as folder:
        try:
            ranks = [Rank(path) for path in paths]
        except ValueError as reason:
            return [], [f"{name}: {reason}"]
        if not ranks[0].complete:
            return [], [f"{name}: no steps"]
        if ranks[0].whole and not ranks[0].one_at_a_time:
            return [], [f"{name}: its threads work at once and do not wait for each other"]
        chosen = ranked(kinds) if len(ranks) > 1 else of_whole(kinds) if ranks[0].whole else kinds
        cases, notes = check_ranks(telltale, name, ranks, paths, chosen, folder)
        info = ranks[0].header.get("distributedInfo") or {}
        if len(ranks) == 1 and len(ranks[0].complete) > 1 and ranks[0].collectives and info.get("world_size", 1) > 1:
            if "host" in {place for place, _ in ranks[0].collectives}:
                notes.append(f"{name}: not taken twice: its ranks are there")
            elif ranked(kinds):
                both = twice(ranks[0], folder)
                untouched = os.path.join(folder, "untouched")
                inject.write_untouched(both, untouched)
                more, why = check_ranks(telltale, name + ", twice", both, sorted(glob.glob(untouched + "/*.json")),
                                        ranked(kinds), folder)
                cases, notes = cases + more, notes + why
    return cases, notes


def text_bytes(path):
    """Bytes of a trace when unpacked: gzip ends with them."""
    if not path.endswith(".gz"):
        return os.path.getsize(path)
    with open(path, "rb") as file:
        file.seek(-4, os.SEEK_END)
        return int.from_bytes(file.read(), "little")


def find_jobs(options):
    """(jobs, what was left out and why)."""
    jobs, left_out, seen, sets = [], [], {}, {}
    patterns = ("traces/**/*.json", "traces/**/*.json.gz", "torch/**/*.trace.json", "torch/**/*.trace.json.gz")
    paths = sorted(path for pattern in patterns
                   for path in glob.glob(os.path.join(options.data, pattern), recursive=True))
    kinds = options.kind or list(KINDS)
    for path in paths:
        name = os.path.relpath(path, options.data)
        if options.only not in name:
            continue
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        if digest in seen:
            left_out.append(f"{name}: the same bytes as {seen[digest]}")
        elif text_bytes(path) > LARGE_BYTES and not options.all:
            left_out.append(f"{name}: {text_bytes(path) / 1e6:.0f} MB of text (--all takes it, too)")
        else:
            jobs.append((options.telltale, name, [path], kinds))
            if re.match(r"rank\d+\.", os.path.basename(path)):
                sets.setdefault(os.path.dirname(name), []).append(path)
        seen.setdefault(digest, name)
    jobs += [(options.telltale, name, members, kinds) for name, members in sets.items() if len(members) > 1]
    return jobs, left_out


def of_whole(kinds):
    """What is tried in a trace without steps: one of each sort."""
    return [kind for kind in kinds if kind in ("annotation", "host_gap", "dataloader", "cudaMalloc", "copy",
                                               "cudaDeviceSynchronize", "device_gap")]


def ranked(kinds):
    """What makes a rank late; the rest is the same on one rank."""
    return [kind for kind in kinds if kind in ("annotation", "python", "dataloader", "host_gap", "two")]


def table(rows):
    header = ["trace", "kind", "put in ms", "truth ms", "named", "saving ms", "error", "ok"]
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("telltale")
    parser.add_argument("data")
    parser.add_argument("--all", action="store_true", help="large traces, too")
    parser.add_argument("--only", default="", help="only traces whose path contains this text")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="only this kind of delay")
    options = parser.parse_args()
    jobs, left_out = find_jobs(options)
    with multiprocessing.Pool() as pool:
        # The longest first, so that no core waits for the last.
        results = pool.map(check_files, sorted(jobs, key=lambda job: -text_bytes(job[2][0])), chunksize=1)
    results.reverse()
    rows = [entry for found, _ in results for entry in found]
    table([entry[0] for entry in rows])
    print()
    for note in left_out + [note for _, notes in results for note in notes]:
        print(note)
    named, close = sum(entry[1] for entry in rows), sum(entry[2] for entry in rows)
    print(f"\n{len(rows)} cases, {named} named first, {close} within {TOLERANCE * 100:.0f} %")
    unexpected = [entry[0][:2] for entry in rows if not entry[3]]
    for trace, kind in unexpected:
        print(f"other than known: {trace} {kind}")
    sys.exit(1 if unexpected or not rows else 0)


if __name__ == "__main__":
    main()
