# SPDX-License-Identifier: Apache-2.0
"""What was recorded of one program, as programs.py compares it: from the stand-in recorder's lines, or from a run folder."""
import collections
import json
import pathlib
import subprocess


class Record:
    def __init__(self):
        self.steps = 0
        self.scalars = {}  # tag -> points
        self.config = {}
        self.exception = None
        self.ranks = 1
        self.wait_s = None
        self.processes = 0
        self.workers = 0
        self.hooks = {}
        self.quick_run = {}  # {"applied": {flag: value}, "not_applied": {flag: why}}
        self.step_times = None  # points of telltale/step_time_s; None: nobody writes them
        self.status = None
        self.left_over = False  # .live is still there


def of_stand_in(folder):
    record = Record()
    scalars = collections.Counter()
    best, ranks, first_exception = None, set(), None
    for path in sorted(pathlib.Path(folder).glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        record.processes += 1
        role, rank, waits = {}, None, []
        for line in lines:
            if line["kind"] == "scalar":
                scalars[line["tag"]] += 1
            elif line["kind"] == "step_end":
                assert line["step"] == len(waits), "steps are numbered from 0"
                waits.append(line["data_wait_ns"])
            elif line["kind"] == "note":
                key, value = line["key"], line["value"]
                if key == "config":
                    record.config.update(value)
                elif key == "rank":
                    role = value
                elif key == "hooks":
                    record.hooks.update(value)
                elif key == "quick_run":
                    for part, said in value.items():
                        record.quick_run.setdefault(part, {}).update(said)
                elif key == "exception" and (first_exception is None or line["at"] < first_exception):
                    first_exception, record.exception = line["at"], value
        if role.get("role") == "rank":
            rank = role["rank"]
            ranks.add(rank)
        record.workers += role.get("role") == "worker"
        order = (rank is None, rank or 0, -len(waits))
        if waits and (best is None or order < best[0]):
            best = (order, waits)
    record.scalars = dict(scalars)
    record.ranks = max(1, len(ranks))
    if best is not None:
        record.steps = len(best[1])
        known = [wait for wait in best[1] if wait >= 0]
        record.wait_s = sum(known) / 1e9 if known else None
    return record


def _ask(telltale, *arguments):
    done = subprocess.run([telltale, *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (arguments, done.stderr))
    return json.loads(done.stdout)


def read(root, telltale):
    """The one run below `root`, as run.json has it and as the program itself reads it."""
    record = Record()
    (folder,) = [path.parent for path in pathlib.Path(root).glob("*/run.json")]
    facts = json.loads((folder / "run.json").read_text())
    (listed,) = _ask(telltale, "runs", str(root), "--json")["runs"]
    record.steps = facts.get("steps") or 0
    record.ranks = max(1, len(facts["ranks"]))
    record.exception = facts["error"]
    record.status = facts["status"]
    record.quick_run = facts.get("quick_run") or {}
    record.config = listed["config"]
    record.scalars = {tag: metric["points"] for tag, metric in listed["metrics"].items()}
    record.left_over = (folder / ".live").exists()
    record.step_times = record.scalars.get("telltale/step_time_s", 0)
    sums = "select sum(value) as s, count(*) as n from scalars where tag = 'telltale/data_wait_s'"
    (row,) = _ask(telltale, "query", str(root), sums, "--json")
    record.wait_s = row["s"] if row["n"] else None
    return record
