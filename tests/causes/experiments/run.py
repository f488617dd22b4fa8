#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicted against real: trains the slow and the fixed version of each experiment, and compares what telltale says about
the slow one with what the fix has brought. docs/experiments.md tells what the columns mean.

usage: run.py TELLTALE [--out DIR] [--python PYTHON] [--repeats N] [--only NAME…] [--reuse] [--undisturbed] [--check]

PYTHON (or TELLTALE_TORCH_PYTHON) is an interpreter that has torch; without one the experiments are left out (77).
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from undisturbed import write_undisturbed

FOLDER = pathlib.Path(__file__).resolve().parent
CAPTURES = ("plain", "stack")
VERSIONS = ("slow", "fixed")
MEDIAN_LIMIT = 0.10
WAITED_LIMIT = 0.10  # of a part's time without a processor, above which it says more about other programs


@dataclasses.dataclass(frozen=True)
class Case:
    """`plain` and `stack`: what the first cause must be called in the capture without and with Python frames. A capture
    without frames knows that no operator ran, not what ran instead."""
    name: str
    program: str
    plain: str
    stack: str
    options: tuple[str, ...] = ()
    saves: bool = True  # whether the fix is known to bring anything

    def expected(self, capture):
        return getattr(self, capture)


NO_OPERATOR = r"host|python|outside|between operators"
DATALOADER = r"dataloader|__getitem__"
ITEM = r"aten::(item|argmax|_local_scalar_dense)"
NO_ITEM = r"^(?!.*(\bitem\b|_local_scalar_dense))"
SMALL_OPERATORS = r"small operators|overhead|larger batch"
CASES = (
    Case("slow_getitem_0_workers", "slow_getitem", DATALOADER, DATALOADER, ("--workers", "0")),
    Case("slow_getitem_2_workers", "slow_getitem", DATALOADER, DATALOADER, ("--workers", "2")),
    Case("item", "gradient_norms", NO_ITEM, NO_ITEM, saves=False),
    Case("item_per_sample", "item_per_sample", f"{ITEM}|{NO_OPERATOR}", f"{ITEM}|count_right"),
    Case("python_loop", "python_loop", NO_OPERATOR, r"count_pairs"),
    Case("gc_collect", "gc_collect", NO_OPERATOR, r"garbage|\bgc\b|collect"),
    Case("gc_storm", "gc_storm", NO_OPERATOR, r"garbage|\bgc\b|collect"),
    Case("sleeping_rank", "sleeping_rank", r"write_checkpoint", r"write_checkpoint"),
    Case("unfused_optimizer", "unfused_optimizer", r"optimizer|adam", r"optimizer|adam"),
    Case("log_each_step", "log_each_step", NO_OPERATOR, r"log"),
    Case("small_batches", "small_batches", SMALL_OPERATORS, SMALL_OPERATORS),
)


@dataclasses.dataclass
class Row:
    """One line of the table; times in ns per step of the slow version."""
    case: Case
    capture: str
    slow_ns: float
    fixed_ns: float
    clock_saving_ns: float
    cause: str
    predicted_ns: float | None

    @property
    def saving_ns(self):
        return self.slow_ns - self.fixed_ns

    @property
    def named(self):
        return re.search(self.case.expected(self.capture), self.cause, re.IGNORECASE) is not None

    def error_against(self, saving_ns):
        if not self.case.saves or self.predicted_ns is None:
            return None
        return self.predicted_ns / saving_ns - 1

    @property
    def error(self):
        return self.error_against(self.saving_ns)


def train(python, case, version, folder):
    """Once: a process of its own, which leaves steps.json and a folder for each capture."""
    command = [python, FOLDER / f"{case.program}.py", f"--{version}", "--out", folder, *case.options]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                           env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
    if ended.returncode != 0:
        sys.exit(f"{case.name}, {version}, ended with {ended.returncode}:\n{ended.stdout[-4000:]}")


def undisturbed(folder):
    """The folder with what other programs took from the capture taken out; the same one where that cannot be done."""
    files = sorted(folder.glob("*.pt.trace.json"))
    other = folder.parent / f"{folder.name}_undisturbed"
    return other if len(files) == 1 and write_undisturbed(files[0], other / files[0].name) else folder


def profile(telltale, folder):
    files = sorted(folder.glob("*.pt.trace.json"))
    ended = subprocess.run([telltale, "profile", *files, "--json"], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"telltale ended with {ended.returncode} on {folder}:\n{ended.stderr}")
    return json.loads(ended.stdout)


def step_ns(document):
    """The mean, as the saving is one of an average step."""
    return statistics.fmean(row["duration_ns"] for row in document["steps"]["rows"] if row["complete"])


def first_cause(document):
    """Name and saving of what the sentence names first."""
    causes = document.get("answer", {}).get("causes", [])
    if not causes:
        return "nothing", None
    return f"{causes[0]['rule']}: {causes[0]['what']}", causes[0]["saving_ns"]


def measured(folder):
    return json.loads((folder / "steps.json").read_text())


def calm(folders, part):
    """Those in which others did not disturb the part; all if there is none."""
    return [folder for folder in folders if measured(folder)["waited_share"][part] <= WAITED_LIMIT] or folders


def clock(folders):
    """The median over the runs of their mean step without a profiler, and the samples of a step."""
    runs = [measured(folder) for folder in calm(folders, "clock")]
    return statistics.median(statistics.fmean(run["step_ns"]) for run in runs), runs[0]["samples"]


def compare(telltale, case, folders, prepare):
    """Rows of a case; `folders` has those of all runs by version. Each figure is the median over the calm runs.
    `prepare` gives the folder that is judged instead of a capture's own."""
    slow_clock_ns, slow_samples = clock(folders["slow"])
    fixed_clock_ns, fixed_samples = clock(folders["fixed"])
    # Where the fixed version does more in a step, what it would take for the samples of a slow one.
    scale = slow_samples / fixed_samples
    for capture in CAPTURES:
        slow, fixed = ([profile(telltale, prepare(folder / capture)) for folder in calm(folders[version], capture)]
                       for version in VERSIONS)
        causes = [first_cause(document) for document in slow]
        name = statistics.mode(name for name, _ in causes)
        predicted = [saving_ns for cause, saving_ns in causes if cause == name and saving_ns is not None]
        yield Row(case, capture, statistics.median(map(step_ns, slow)), scale * statistics.median(map(step_ns, fixed)),
                  slow_clock_ns - scale * fixed_clock_ns, name, statistics.median(predicted) if predicted else None)


def table(rows):
    def ms(value_ns):
        return "–" if value_ns is None else f"{value_ns / 1e6:.2f}"

    yield "| experiment | capture | slow ms | fixed ms | saved ms | saved ms, no profiler | first cause | predicted ms | error |"
    yield "|---|---|--:|--:|--:|--:|---|--:|--:|"
    for row in rows:
        cause = row.cause if row.named else f"{row.cause} (wrong)"
        error = "–" if row.error is None else f"{row.error:+.0%}"
        yield (f"| {row.case.name} | {row.capture} | {ms(row.slow_ns)} | {ms(row.fixed_ns)} | {ms(row.saving_ns)} | "
               f"{ms(row.clock_saving_ns)} | {cause} | {ms(row.predicted_ns)} | {error} |")


def verdict(rows):
    """Prints how good the predictions are; true if they are within the limits."""
    wrong = [row for row in rows if not row.named]
    unknown = [row for row in rows if row.case.saves and row.error is None]
    errors = [abs(row.error) for row in rows if row.error is not None]
    for what, those in (("named wrongly", wrong), ("without a prediction", unknown)):
        if those:
            print(f"{what}: {', '.join(f'{row.case.name} ({row.capture})' for row in those)}")
    if not errors:
        print("no prediction at all")
        return False
    median = statistics.median(errors)
    worst = max((row for row in rows if row.error is not None), key=lambda row: abs(row.error))
    print(f"median error {median:.1%} (limit {MEDIAN_LIMIT:.0%}), worst {worst.error:+.0%}: {worst.case.name} ({worst.capture})")
    for capture in CAPTURES:
        real = [abs(row.error_against(row.clock_saving_ns)) for row in rows if row.capture == capture and row.error is not None]
        if real:
            print(f"against the clock without a profiler, {capture}: median error {statistics.median(real):.0%}")
    return median <= MEDIAN_LIMIT and not wrong and not unknown


def has_torch(python):
    return subprocess.run([python, "-c", "import torch"], capture_output=True, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("telltale")
    parser.add_argument("--out", type=pathlib.Path, help="keep the captures here, in CASE/slow/RUN and CASE/fixed/RUN")
    parser.add_argument("--python", default=os.environ.get("TELLTALE_TORCH_PYTHON", sys.executable))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[case.name for case in CASES])
    parser.add_argument("--reuse", action="store_true", help="train what is not yet in --out only")
    parser.add_argument("--undisturbed", action="store_true",
                        help="judge the captures without what other programs took from them (undisturbed.py)")
    parser.add_argument("--check", action="store_true", help="fail if the predictions are not within the limits")
    options = parser.parse_args()
    if not has_torch(options.python):
        print(f"skipped: no torch in {options.python} (TELLTALE_TORCH_PYTHON names a python that has it)")
        return 77
    cases = [case for case in CASES if not options.only or case.name in options.only]
    with tempfile.TemporaryDirectory(prefix="telltale_experiments_") as temporary:
        out = options.out or pathlib.Path(temporary)
        runs = [(run, case) for run in range(options.repeats) for case in cases]
        # Slow and fixed in turn, each first as often as the other: the machine is not equally fast all the time.
        for run, case in runs:
            for version in VERSIONS if run % 2 == 0 else reversed(VERSIONS):
                folder = out / case.name / version / str(run)
                if not (options.reuse and (folder / "steps.json").exists()):
                    train(options.python, case, version, folder)
        rows, noisy = [], []
        for case in cases:
            folders = {version: [out / case.name / version / str(run) for run in range(options.repeats)]
                       for version in VERSIONS}
            rows += compare(options.telltale, case, folders, undisturbed if options.undisturbed else lambda folder: folder)
            noisy += [f"{case.name}/{version} ({part})" for version in VERSIONS for part in ("clock", *CAPTURES)
                      if all(measured(folder)["waited_share"][part] > WAITED_LIMIT for folder in folders[version])]
    print("\n".join(table(rows)))
    if noisy:
        print(f"disturbed by other programs in every run: {', '.join(noisy)}")
    within = verdict(rows)
    return 1 if options.check and not within else 0


if __name__ == "__main__":
    sys.exit(main())
