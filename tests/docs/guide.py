#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/docs/guide.py TELLTALE [PYTHON_WITH_TORCH]

Runs every command of "Run it short" and "Turn a profiler on" in docs/guide.md, in their order and in one folder, on the program that
they are about (docs/example/train_vae.py, as train.py), and looks whether what the guide says of them is so: how many batches,
which actions, which functions and operators. No times are compared.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECTIONS = ("Run it short", "Turn a profiler on")
SECONDS = 900

# Words of a command -> what its output must have, each as a regular expression. All words of a command must be there.
EXPECTED = {
    ("--fast-dev-run=2",): (r"epoch 0: ", r"test: loss ", r"(?s)^(?!.*epoch 1: )"),
    ("--limit-train-batches=4", "--max-epochs=4"): (r"epoch 3: ", r"test: loss ", r"(?s)^(?!.*epoch 4: )"),
    ("--overfit-batches=2",): (r"epoch 29: ", r"(?s)^(?!.*epoch 30: )"),
    ("--detect-anomaly",): (r"epoch 0: ", r"(?s)^(?!.*epoch 1: )"),
    ("--restrict-subjects=200,100,100",): (r"epoch 0: ", r"(?s)^(?!.*epoch 1: )"),
    ("--profile simple", "--name slow"): (r"Percentage %", r"wait for data"),
    ("_slow ", "--tree", "--view simple"): (r"\n +epoch ", r"\n +train batch ", r"forward Vae", r"encode", r"backward", r"optimizer step Adam",
                                           r"\n +validation ", r"save checkpoint"),
    ("--like lightning",): (r"^Profiler Report\n\n-+\n\|  Action +\t\|  Mean duration \(s\)\t\|", r"\|  validation +\t\|  \S+ +\t\|  4 +\t\|",
                            r"\|  train batch +\t\|  \S+ +\t\|  180 +\t\|", r"\|  forward Vae +\t\|  \S+ +\t\|  180 +\t\|"),
    ("samples.tts", "--own-code", "--limit 5"): (r"prepare",),
    ("samples.tts", "--tree"): (r"__getitem__",),
    ("--profile advanced",): (r"ncalls  tottime  percall", r"\(<module>\)"),
    ("_exact ", "--own-code"): (r"prepare +[\d,]+ ",),
    ("backward.prof", "--like pstats"): (r"autograd.__init__.py:\d+\(backward\)",),
    ("train.prof", "tottime"): (r"prepare",),
    ("train.prof", "--like pstats"): (r"ncalls  tottime  percall  cumtime  percall filename:lineno\(function\)",),
    ("--profile ops", "--name slow_ops "): (r"A step takes", r"DataLoader"),
    ("_slow_ops ", "--like torch", "self_cpu_time_total"): (r"Self CPU %", r"aten::"),
    ("_slow_ops ", "--group-by shape"): (r"aten::\S+ .*\[\[",),
    ("_slow_ops ", "self_cpu_memory_usage"): (r"CPU Mem", r"aten::"),
    ("_slow_ops ", "--view annotations"): (r"encode", r"decode", r"train batch"),
    ("_fixed ", "--view simple"): (r"wait for data", r"train batch"),
    ("telltale diff",): (r"A step takes \S+ \S+ instead of",),
}


def commands(text):
    for title in SECTIONS:
        section = re.search(rf"^## {title}\n(.*?)(?=^## )", text, re.M | re.S)
        assert section, f"docs/guide.md has no section {title}"
        for block in re.findall(r"^```sh\n(.*?)^```", section[1], re.M | re.S):
            for line in block.replace("\\\n", " ").splitlines():
                line = re.sub(r"\s+#.*", "", line).strip()
                if line:
                    yield line


def serve(command, folder, environment):
    """A server: its page must come; then Ctrl-C ends it."""
    process = subprocess.Popen(["bash", "-c", f"exec {command} --port 0"], cwd=folder, env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    address = process.stdout.readline().strip()
    try:
        with urllib.request.urlopen(address, timeout=60) as page:
            found = page.read().decode("utf-8", "replace")
    finally:
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    return process.returncode, found, said


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program = pathlib.Path(sys.argv[1]).resolve()
    python = sys.argv[2] if len(sys.argv) == 3 and sys.argv[2] else sys.executable
    if subprocess.run([python, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
        print(f"{python} has no torch: TELLTALE_TORCH_PYTHON does not name a python that has it")
        return 77
    failures, ran, left = [], 0, dict(EXPECTED)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        binaries = folder / "bin"
        binaries.mkdir()
        (binaries / "python").write_text(f'#!/bin/sh\nexec "{python}" "$@"\n')
        (binaries / "python").chmod(0o755)
        work = folder / "work"
        work.mkdir()
        shutil.copy(ROOT / "docs" / "example" / "train_vae.py", work / "train.py")
        environment = dict(os.environ, PATH=f"{binaries}:{program.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8", OMP_NUM_THREADS="1")
        for variable in ("COLUMNS", "TELLTALE_ROOT", "TELLTALE_RUN_DIR"):
            environment.pop(variable, None)
        for command in commands((ROOT / "docs" / "guide.md").read_text(encoding="utf-8")):
            ran += 1
            if command.startswith("telltale view"):
                code, out, said = serve(command, work, environment)
            else:
                done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, check=False, timeout=SECONDS)
                # What a run says of itself stands on standard error.
                code, out, said = done.returncode, done.stdout + (done.stderr if command.startswith("telltale run") else ""), done.stderr
            if code != 0:
                failures.append(f"{command}\n  ends with {code}: {said.strip()}")
                continue
            for words, patterns in EXPECTED.items():
                if not all(word in command + " " for word in words):
                    continue
                left.pop(words, None)
                failures += [f"{command}\n  lacks {pattern!r} in\n{out}" for pattern in patterns if not re.search(pattern, out)]
            print(f"ok: {command}", flush=True)
    failures += [f"no command of the guide has {words}" for words in left]
    for failure in failures:
        print(failure)
    print(f"{ran} commands, {len(failures)} failures")
    return 1 if failures or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
