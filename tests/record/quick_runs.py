#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: quick_runs.py FOLDER PYTHON [--telltale PROGRAM] [NAME…]
The programs of programs.py, each under every set of quick-run flags of truth.json (`quick`): the batches of each loop, the
optimizer steps and the exit as the program itself counted them, against the truth, in one table; programs without anything to
shorten (`quick` is empty) must be told so. Without --telltale the hooks write to a stand-in recorder, which tests them alone.
Ends with 1 when something differs, with 77 where there are no such programs or no such Python."""
import argparse
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import programs  # noqa: E402
import run_folder  # noqa: E402

# Where nothing can be shortened, these must be said not to be in force.
NOTHING_TO_SHORTEN = "--fast-dev-run=2"
LOOPS = ("train", "val", "test")


def quick_variable(flags):
    """What `telltale run` makes of such flags."""
    values = {}
    for flag in flags.split():
        name, _, text = flag[2:].partition("=")
        values[name.replace("-", "_")] = json.loads(text)
    return json.dumps(values)


def wrap_of(telltale, record_dir, kept, flags):
    if telltale:
        plain = programs.with_telltale(telltale, kept)

        def with_flags(command, env):
            words = plain(command, env)
            at = words.index("--")
            return [*words[:at], *flags.split(), *words[at:]]

        return with_flags
    plain = programs.with_stand_in(record_dir, kept)

    def with_variable(command, env):
        env["TELLTALE_QUICK"] = quick_variable(flags)
        return plain(command, env)

    return with_variable


def accepts(truth, flags, name, want, got):
    """Whether a count is right. A program that cannot bear loops without a batch may have up to one in each later loop; the
    truth has exactly one."""
    if want is None:
        return True
    if "quick_hazard" not in truth or "at most one batch in each later loop" not in truth["quick_hazard"]:
        return got == want
    later = int(truth["epochs"]) - 1
    if name == "optimizer_steps":
        return want <= got <= want + later
    return want - later <= got <= want


def check(truth, flags, want, outcome, record):
    """[(what, shown, whether it is right)]"""
    cells = []
    counted = outcome.facts
    for name in (*LOOPS, "optimizer_steps"):
        if name not in want:
            cells.append((name, "-", True))
            continue
        if counted is None:  # A program that would have said it at its violent end, and does not come to that.
            got = record.steps if name in ("train", "optimizer_steps") else 0
        else:
            got = counted["optimizer_steps"] if name == "optimizer_steps" else counted["batches"][name]
        shown = "%s/%s" % (got, "any" if want[name] is None else want[name])
        cells.append((name, shown, accepts(truth, flags, name, want[name], got)))
    cells.append(("exit", "%s/%s" % (outcome.exit, want["exit"]), outcome.exit == want["exit"]))
    asked = set(json.loads(quick_variable(flags)))
    not_applied = asked & set(record.quick_run.get("not_applied", {}))
    applied = set(record.quick_run.get("applied", {}))
    cells.append(("in force", ", ".join(sorted(applied)) or "-", asked == applied and not not_applied))
    return cells


def check_nothing(truth, flags, outcome, record, has_program):
    want = truth["exit"]
    right = outcome.exit in ((-want["signal"], 128 + want["signal"]) if isinstance(want, dict) else (want,))
    cells = [(name, "-", True) for name in (*LOOPS, "optimizer_steps")]
    cells.append(("exit", "%s/%s" % (outcome.exit, want), right))
    said = "fast_dev_run" in record.quick_run.get("not_applied", {}) and b"not applied to this program: --fast-dev-run" in outcome.err
    in_force = bool(record.quick_run.get("applied"))
    cells.append(("in force", "-, and it is said" if said else "-", not in_force and (said or not has_program)))
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("python")
    parser.add_argument("--telltale")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    why = programs.what_is_missing(options.folder, options.python, 2)
    if why:
        print("skipped: " + why)
        return 77
    folder = pathlib.Path(options.folder).resolve()
    telltale = options.telltale and str(pathlib.Path(options.telltale).resolve())
    rows, failed = [], 0
    for name, truth in json.loads((folder / "truth.json").read_text()).items():
        if options.names and name not in options.names:
            continue
        for flags, want in (truth["quick"] or {NOTHING_TO_SHORTEN: None}).items():
            with tempfile.TemporaryDirectory() as scratch:
                record_dir = pathlib.Path(scratch, "record")
                kept = record_dir / "kept"
                kept.mkdir(parents=True)
                outcome = programs.start(folder, options.python, truth, wrap_of(telltale, record_dir, kept, flags), record_dir, 1500)
                record = run_folder.read(kept, telltale) if telltale else run_folder.of_stand_in(kept)
            if want is None:
                cells = check_nothing(truth, flags, outcome, record, bool(telltale))
            else:
                cells = check(truth, flags, want, outcome, record)
            wrong = [title for title, _, right in cells if not right]
            rows.append([name, flags, *(shown if right else shown + " ✗" for _, shown, right in cells)])
            failed += bool(wrong)
            print("%s %s: %s" % (name, flags, "wrong: " + ", ".join(wrong) if wrong else "right"), flush=True)
            for tool, trouble in sorted(record.hooks.items()):
                print("  %s: %s" % (tool, trouble))
            if wrong:
                print(outcome.err.decode("utf-8", "replace")[-1500:])
    titles = ["program", "flags", *LOOPS, "steps", "exit", "in force"]
    widths = [max(len(row[at]) for row in [titles, *rows]) for at in range(len(titles))]
    for row in [titles, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print("%d quick runs, %d right, %d wrong" % (len(rows), len(rows) - failed, failed))
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
