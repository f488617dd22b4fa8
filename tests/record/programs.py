#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: programs.py FOLDER PYTHON [--telltale PROGRAM] [--keep DIR] [NAME…]
Small trainings whose behaviour is known exactly (FOLDER/truth.json), each run as it is and then recorded, without a change to
it; one table of truth against record: exit, steps, scalars, config, exception, ranks, waiting for data, what it printed and
which files it left. PYTHON has torch 2.x and what the programs need. With --telltale the programs run under `telltale run` and
the run folder is read; without, the hooks write to a stand-in recorder (stand_in.py), which tests the hooks alone.
Ends with 1 when something differs, with 77 where there are no such programs or no such Python."""
import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parent.parent / "python" / "telltale"
sys.path.insert(0, str(HERE))
import run_folder  # noqa: E402


def fresh_copy(folder, scratch):
    target = pathlib.Path(scratch) / "programs"
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("_measure", "out", "__pycache__", "truth.json"))
    return target


def environment(python, cwd, truth, facts_file):
    env = {key: os.environ[key] for key in ("HOME", "LANG") if key in os.environ}
    env.update(
        PATH="%s:/usr/local/bin:/usr/bin:/bin" % pathlib.Path(python).parent,
        OMP_NUM_THREADS="1",
        WANDB_MODE="offline",
        HF_HUB_OFFLINE="1",
        PYTHONDONTWRITEBYTECODE="1",
        PROGRAM_TRUTH=str(facts_file),
    )
    for key, value in truth.get("env", {}).items():
        env[key] = str(cwd / value) if key == "PYTHONPATH" else value
    return env


def command_of(truth, python):
    head, *rest = truth["start"]
    return [{"python": python, "torchrun": str(pathlib.Path(python).parent / "torchrun")}.get(head, head), *rest]


class Outcome:
    """One run of a program: how it ended, what it printed, which files it left and what it counted itself."""

    def __init__(self, done, cwd, facts_file):
        self.exit = done.returncode
        self.out, self.err = done.stdout, done.stderr
        self.files = sorted(shape(str(path.relative_to(cwd))) for path in cwd.rglob("*") if path.is_file())
        self.facts = json.loads(facts_file.read_text()) if facts_file.exists() else None


def shape(text):
    """Without numbers, times and host names, which differ from run to run."""
    return re.sub(r"[a-z0-9]{8}(?=\.wandb|/|$)|[0-9a-f]{16,}|\d+", "#", text)


def start(folder, python, truth, wrap, scratch, seconds=600):
    """`wrap(command, env)` -> the command to run; env may be changed."""
    cwd = fresh_copy(folder, scratch)
    facts_file = pathlib.Path(scratch) / "facts"
    for build in truth.get("build", []):
        subprocess.run(build, cwd=cwd, check=True)
    env = environment(python, cwd, truth, facts_file)
    command = wrap(command_of(truth, python), env)
    with contextlib.ExitStack() as turn:
        if truth["ranks"] > 1:  # Their ports are fixed: one at a time, whoever starts them.
            ports = turn.enter_context(open(os.path.join(tempfile.gettempdir(), "telltale-test-ports.lock"), "w"))
            fcntl.flock(ports, fcntl.LOCK_EX)
        done = subprocess.run(command, cwd=cwd, env=env, input=truth.get("stdin", "").encode(), capture_output=True, timeout=seconds)
    return Outcome(done, cwd, facts_file)


def with_stand_in(scratch, record_dir):
    """The hooks, and a package whose recorder writes JSON lines."""
    package = pathlib.Path(scratch) / "package" / "telltale"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "0"\n')
    shutil.copy(HERE / "stand_in.py", package / "_record.py")
    (package / "_inject").symlink_to(PACKAGE / "_inject")

    def wrap(command, env):
        env["TELLTALE_RUN_DIR"] = str(record_dir)
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(package / "_inject"), env.get("PYTHONPATH")]))
        return command

    return wrap


def with_telltale(telltale, root):
    def wrap(command, env):
        built = pathlib.Path(telltale).resolve().parent.parent / "python"
        if built.is_dir():
            env["TELLTALE_PYTHON_DIR"] = str(built)
        return [telltale, "run", "--root", str(root), "--quiet", "--", *command]

    return wrap


# Checks: each gives (what is shown, whether it is right).


def check_exit(truth, bare, recorded, record):
    want = truth["exit"]
    got, plain = recorded.exit, bare.exit
    if isinstance(want, dict):
        right = got in (-want["signal"], 128 + want["signal"]) and plain == -want["signal"]
        return "%s/%s" % (got, -want["signal"]), right
    return "%s/%s" % (got, want), got == want == plain


def check_steps(truth, bare, recorded, record):
    if truth["family"] == "not Python: C++":  # from outside nobody can know
        return "%s, not judged" % record.steps, record.steps == 0
    all_timed = record.step_times is None or record.step_times == record.steps
    timed = "" if all_timed else ", %d with a time" % record.step_times
    return "%s/%s%s" % (record.steps, truth["steps"], timed), record.steps == truth["steps"] and all_timed


def check_scalars(truth, bare, recorded, record):
    want = dict(truth["scalars"])
    for sub, tags in truth.get("scalars_subruns", {}).items():
        want[sub] = sum(tags.values())
    got = {tag: points for tag, points in record.scalars.items() if not tag.startswith(("telltale/", "monitor/"))}
    wrong = sorted(tag for tag in set(want) | set(got) if want.get(tag) != got.get(tag))
    shown = "%d/%d tags, %d/%d points" % (len(got), len(want), sum(got.values()), sum(want.values()))
    return shown + "".join(" %s:%s≠%s" % (tag, got.get(tag), want.get(tag)) for tag in wrong[:4]), not wrong


def flat(values, prefix=""):
    found = {}
    for key, value in values.items():
        name = prefix + str(key)
        found.update(flat(value, name + ".") if isinstance(value, dict) else {name: value})
    return found


def is_same(want, got):
    """args.txt holds texts: a list comes back as its JSON."""
    if isinstance(want, list) and isinstance(got, str):
        try:
            got = json.loads(got)
        except ValueError:
            return False
    return want == got and isinstance(want, bool) == isinstance(got, bool)


def check_config(truth, bare, recorded, record):
    want = flat(truth["config"])
    if "module globals" in truth["family"]:
        return "not judged", True
    wrong = [key for key, value in want.items() if key not in record.config or not is_same(value, record.config[key])]
    shown = "%d/%d" % (len(want) - len(wrong), len(want))
    return shown + "".join(" %s=%r" % (key, record.config.get(key)) for key in wrong[:4]), not wrong


def check_exception(truth, bare, recorded, record):
    want, got = truth.get("exception"), record.exception
    if want is None:
        return "-" if got is None else got["type"], got is None
    if got is None:
        return "none/" + want["type"], False
    right = got["type"] == want["type"] and got["message"].startswith(want["message_starts"])
    right = right and got["frames"][-1]["function"].endswith(want["last_frame"])
    return got["type"], right


def check_ranks(truth, bare, recorded, record):
    return "%s/%s" % (record.ranks, truth["ranks"]), record.ranks == truth["ranks"]


def check_wait(truth, bare, recorded, record):
    """Against the program's own clock in the same run."""
    if truth["wait_s"] is None:
        return "-", True
    want = (recorded.facts or truth)["wait_s"]
    right = record.wait_s is not None and abs(record.wait_s - want) <= max(0.15, 0.1 * want)
    return "%.2f/%.2f s" % (record.wait_s or 0, want), right


def check_output(truth, bare, recorded, record):
    if truth["stdout_lines"] is None:
        return "varies", True

    def printed(data):
        text = data.decode("utf-8", "replace")
        # torchrun starts its ranks unbuffered: print writes a line and its end apart, and another rank may come between.
        return sorted(re.sub(r"\d+", "#", text) if truth["ranks"] > 1 else shape(text).split("\n"))

    same = printed(bare.out) == printed(recorded.out)
    same = same and bare.out.count(b"\n") == recorded.out.count(b"\n") == truth["stdout_lines"]
    return "same" if same else "differs", same


def check_run(truth, bare, recorded, record):
    """The run's state, and that nothing of it is left in memory."""
    if record.status is None:
        return "-", True
    want = "Completed" if truth["exit"] == 0 else "Failed"
    shown = record.status + (", .live is left over" if record.left_over else "")
    return shown, record.status == want and not record.left_over


def check_files(truth, bare, recorded, record):
    same = bare.files == recorded.files
    differing = sorted(set(bare.files) ^ set(recorded.files))
    return "same" if same else "differ: " + " ".join(differing[:3]), same


CHECKS = (("exit", check_exit), ("steps", check_steps), ("scalars", check_scalars), ("config", check_config), ("exception", check_exception),
          ("ranks", check_ranks), ("waiting", check_wait), ("output", check_output), ("files", check_files),
          ("run", check_run))  # fmt: skip


def what_is_missing(folder, python, torch_version):
    if not pathlib.Path(folder, "truth.json").exists():
        return "no programs at %s" % folder
    if not python or not shutil.which(python):
        return "TELLTALE_TORCH_PYTHON names no python that has torch 2.x"
    done = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
    if done.returncode != 0 or int(done.stdout.split(".")[0]) < torch_version:
        return "%s has no torch %d.x" % (python, torch_version)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("python")
    parser.add_argument("--telltale")
    parser.add_argument("--keep", help="leave what was recorded there")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    why = what_is_missing(options.folder, options.python, 1 if options.names else 2)
    if why:
        print("skipped: " + why)
        return 77
    folder = pathlib.Path(options.folder).resolve()
    # Absolute, but not resolved: the link is what makes it the Python of its virtual environment.
    python = os.path.abspath(shutil.which(options.python))
    telltale = options.telltale and os.path.abspath(options.telltale)
    every = json.loads((folder / "truth.json").read_text())
    rows, failed = [], 0
    for name, truth in every.items():
        if options.names and name not in options.names:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            bare_dir, record_dir = pathlib.Path(scratch, "bare"), pathlib.Path(scratch, "record")
            record_dir.mkdir()
            bare_dir.mkdir()
            bare = start(folder, python, truth, lambda command, env: command, bare_dir)
            kept = record_dir / "kept"
            kept.mkdir()
            wrap = with_telltale(telltale, kept) if telltale else with_stand_in(record_dir, kept)
            recorded = start(folder, python, truth, wrap, record_dir)
            record = run_folder.read(kept, telltale) if telltale else run_folder.of_stand_in(kept)
            cells, wrong = [], []
            for title, check in CHECKS:
                shown, right = check(truth, bare, recorded, record)
                cells.append(shown if right else shown + " ✗")
                if not right:
                    wrong.append(title)
            rows.append([name, *cells])
            failed += bool(wrong)
            if options.keep:
                shutil.copytree(kept, pathlib.Path(options.keep, name), dirs_exist_ok=True)
                pathlib.Path(options.keep, name + ".err").write_bytes(recorded.err)
            print("%s: %s" % (name, "wrong: " + ", ".join(wrong) if wrong else "right"), flush=True)
            for tool, why in sorted(record.hooks.items()):
                print("  %s: %s" % (tool, why))
            if wrong and recorded.err != bare.err:
                print(recorded.err.decode("utf-8", "replace")[-600:])
    titles = ["program", *(title for title, _ in CHECKS)]
    widths = [max(len(row[at]) for row in [titles, *rows]) for at in range(len(titles))]
    for row in [titles, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print("%d programs, %d right, %d wrong" % (len(rows), len(rows) - failed, failed))
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
