# SPDX-License-Identifier: Apache-2.0
"""Runs small programs under the hooks, with a stand-in recorder and, where asked for, small fake libraries (fakes/) whose
outside is that of the real ones. Standard library only."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
INJECT = REPOSITORY / "python" / "telltale" / "_inject"
FAKES = HERE / "fakes"


class Recorded:
    """How a program ended and what was recorded of it: processes in the order of their first line."""

    def __init__(self, done, folder):
        self.exit = done.returncode
        scratch = str(folder.parent)  # another one in every run
        self.out, self.err = done.stdout.replace(scratch, "SCRATCH"), done.stderr.replace(scratch, "SCRATCH")
        files = [path.read_text(encoding="utf-8") for path in folder.glob("*.jsonl")]
        self.processes = sorted(([json.loads(line) for line in text.splitlines()] for text in files), key=lambda lines: lines[0]["at"])
        written = sorted((folder / "profiler").glob("*")) if (folder / "profiler").is_dir() else []
        self.profiler_files = {path.name: path.read_text(encoding="utf-8") for path in written}
        self.lines = sorted((line for lines in self.processes for line in lines), key=lambda line: line["at"])

    def notes(self, key):
        return [line["value"] for line in self.lines if line["kind"] == "note" and line["key"] == key]

    def merged(self, key):
        found = {}
        for value in self.notes(key):
            found.update(value)
        return found

    def points(self, tag=None):
        """[(tag, step, value)], or [(step, value)] of one tag."""
        all_points = [(line["tag"], line["step"], line["value"]) for line in self.lines if line["kind"] == "scalar"]
        return all_points if tag is None else [point[1:] for point in all_points if point[0] == tag]

    def of_kind(self, kind):
        return [line for line in self.lines if line["kind"] == kind]

    @property
    def steps(self):
        return len(self.of_kind("step_end"))


def run(source, arguments=(), fakes=True, files=None, env=None, start=None, record=True):
    """The text of main.py, or `start`: the arguments of python. `files`: name -> text, beside main.py."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        package, cwd, kept = scratch / "package" / "telltale", scratch / "cwd", scratch / "kept"
        for folder in (package, cwd, kept):
            folder.mkdir(parents=True)
        (package / "__init__.py").write_text('name = "the package"\n')
        (package / "_record.py").write_text((REPOSITORY / "tests" / "record" / "stand_in.py").read_text())
        (package / "_inject").symlink_to(INJECT)
        for name, text in dict(files or {}, **{"main.py": source}).items():
            (cwd / name).parent.mkdir(parents=True, exist_ok=True)
            (cwd / name).write_text(text, encoding="utf-8")
        clean = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        clean.update(env or {})
        path = [str(package / "_inject")] if record else []
        if clean.get("PYTHONPATH"):
            path.append(str(cwd / clean["PYTHONPATH"]))
        if fakes:
            path.append(str(FAKES))
        clean["PYTHONPATH"] = os.pathsep.join(path)
        if not clean["PYTHONPATH"]:
            del clean["PYTHONPATH"]
        clean["PYTHONDONTWRITEBYTECODE"] = "1"
        if record:
            clean["TELLTALE_RUN_DIR"] = str(kept)
        command = [sys.executable, *(start or ["main.py"]), *arguments]
        done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, encoding="utf-8", timeout=60)
        return Recorded(done, kept)
