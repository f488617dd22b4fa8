#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/record/odd_programs.py TELLTALE [NAME…]

Programs that start, print or end in unusual ways. Each runs as it is and then under `telltale run`, in a folder of its own: exit code,
output and the files that it leaves must be the same, and run.json must tell the truth. Every case whose name contains NAME runs.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import zipapp

PATIENCE = 120.0
CASES = {}
telltale = ""

# A training without torch: what it logs and how it is configured comes through argparse and the package.
TRAIN = """
import argparse, sys
parser = argparse.ArgumentParser()
parser.add_argument('--lr', type=float, default=0.1)
args = parser.parse_args()
import telltale
for i in range(5):
    telltale.log({'loss': 1.0 / (i + 1)}, step=i)
    telltale.step()
print('lr', args.lr)
"""
TRAINED = {"steps": 5, "status": "Completed", "points": {"loss": 5, "telltale/step_time_s": 5}, "config": {"lr": 0.2}}


def case(name, words, *, files=None, stdin=b"", env=None, want=None, python_is_heard=True, prepare=None):
    """`want`: what run.json and the run's curves must have; words: the command, %PYTHON% is this interpreter."""
    CASES[name] = {"words": words, "files": files or {}, "stdin": stdin, "env": env or {}, "want": want or {},
                   "python_is_heard": python_is_heard, "prepare": prepare}


def make_zipapp(folder):
    (folder / "app").mkdir()
    (folder / "app" / "__main__.py").write_text(TRAIN, encoding="utf-8")
    zipapp.create_archive(folder / "app", folder / "app.pyz")


PY = "%PYTHON%"
case("module", [PY, "-m", "package.train", "--lr", "0.2"], files={"package/__init__.py": "", "package/train.py": TRAIN}, want=TRAINED)
case("folder", [PY, "place", "--lr", "0.2"], files={"place/__main__.py": TRAIN}, want=TRAINED)
case("zip", [PY, "app.pyz", "--lr", "0.2"], prepare=make_zipapp, want=TRAINED)
case("code", [PY, "-c", TRAIN, "--lr", "0.2"], want=TRAINED)
case("from_standard_input", [PY, "-", "--lr", "0.2"], stdin=TRAIN.encode(), want=TRAINED)
case("through_a_shell", ["sh", "-c", "exec \"$0\" train.py --lr 0.2", PY], files={"train.py": TRAIN}, want=TRAINED)
case("script_with_interpreter", ["./train.py", "--lr", "0.2"], files={"train.py": "#!/usr/bin/env python3\n" + TRAIN}, want=TRAINED)
case("own_sitecustomize", [PY, "train.py", "--lr", "0.2"], env={"PYTHONPATH": "own"}, want=TRAINED,
     files={"train.py": TRAIN, "own/sitecustomize.py": "print('mine')\n"})
case("python_path_unset", [PY, "-c", "import os, subprocess, sys\nos.environ.pop('PYTHONPATH', None)\n"
     "sys.exit(subprocess.call([sys.executable, '-c', 'print(1)']))"], want={"status": "Completed"})
for flag in ("-I", "-E", "-S"):
    case("isolated" + flag, [PY, flag, "-c", "print('fine')"], want={"status": "Completed"}, python_is_heard=False)

case("leaves_at_once", [PY, "-c", "import os, telltale\ntelltale.log({'loss': 1.0}, step=0)\nos._exit(9)"],
     want={"status": "Failed", "exit_code": 9, "points": {"loss": 1}})
case("crashes", [PY, "-c", "import ctypes, telltale\ntelltale.log({'loss': 1.0}, step=0)\nctypes.string_at(0)"],
     want={"status": "Failed", "signal": 11, "exit_code": None, "points": {"loss": 1}})
case("aborts", [PY, "-c", "import os\nos.abort()"], want={"status": "Failed", "signal": 6})
case("exits_with_a_text", [PY, "-c", "import sys\nsys.exit('no data')"], want={"status": "Failed", "exit_code": 1, "error": None})
case("exits_with_a_large_number", [PY, "-c", "import sys\nsys.exit(300)"], want={"exit_code": 44})
case("error_in_a_thread", [PY, "-c", "import threading\ndef f(): raise KeyError('k')\nt = threading.Thread(target=f, name='reader')\nt.start()\nt.join()"],
     want={"status": "Completed", "exit_code": 0, "error": None, "remark": "thread reader of process"})
case("interrupted_by_itself", [PY, "-c", "raise KeyboardInterrupt"], want={"status": "Canceled", "error_type": "KeyboardInterrupt"})
case("error", [PY, "-c", "def f(): raise ValueError('bad')\nf()"], want={"status": "Failed", "exit_code": 1, "error_type": "ValueError"})
case("error_that_is_caught", [PY, "-c", "try: 1 / 0\nexcept ZeroDivisionError: pass"], want={"status": "Completed", "error": None})
case("error_in_a_child", [PY, "-c", "import subprocess, sys\nsubprocess.call([sys.executable, '-c', '1 / 0'])"],
     want={"status": "Completed", "error": None})
case("exits_in_atexit", [PY, "-c", "import atexit, os\natexit.register(os._exit, 5)"], want={"status": "Failed", "exit_code": 5})

case("says_how_it_is_called", [PY, "-c", "import telltale\ntelltale.init(project='mnist', name='warm', group='g', tags=['a'], notes='why', config={'lr': 0.2})\n"
     "telltale.define_metric('loss', summary='min')\ntelltale.alert('hot', 'very')\ntelltale.log({'loss': 1.0})\ntelltale.finish()"],
     want={"status": "Completed", "name": "warm", "experiment": "mnist", "group": "g", "tags": ["a"], "note": "why",
           "metrics": {"loss": {"summary": "min"}}, "config": {"lr": 0.2}, "points": {"loss": 1}})
case("much_on_one_line", [PY, "-c", "import sys\nsys.stdout.write('x' * 20000000)"], want={"status": "Completed"})
case("binary", [PY, "-c", "import sys\nsys.stdout.buffer.write(bytes(range(256)) * 1000)"], want={"status": "Completed"})
case("no_newline_at_the_end", ["printf", "a\\nb"], want={"log": ["a", "b"]})
case("progress", ["printf", "10%%\\r50%%\\r100%%\\nend\\n"], want={"log": ["100%", "end"]})
case("reads_all", ["cat"], stdin=b"line\n" * 100000, want={"status": "Completed"})
case("closes_its_output", [PY, "-c", "import os, time\nos.close(1)\nos.close(2)\ntime.sleep(0.2)"], want={"status": "Completed", "exit_code": 0})
case("long_words", ["sh", "-c", "echo ${#1}", "x", "y" * 120000], want={"status": "Completed"})
case("many_words", ["sh", "-c", "echo $#", "x", *map(str, range(20000))], want={"status": "Completed"})
case("odd_words", ["printf", "%s\n", "", " ", "a\nb", "\t", "\u00fc", "'\"\\"], want={"status": "Completed"})
case("other_folder", ["sh", "-c", "mkdir -p sub; cd sub; \"$0\" ../train.py --lr 0.2", PY], files={"train.py": TRAIN}, want=TRAINED)
case("no_variables", ["env", "-i", PY, "-c", "print('alone')"], want={"status": "Completed"}, python_is_heard=False)


def environment(folder, more):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("TELLTALE", "PYTHON"))}
    built = pathlib.Path(telltale).parent.parent / "python"
    # The bare program imports the package, too, and makes no run of it.
    env.update(PYTHONPATH=str(built), TELLTALE_MODE="disabled", PYTHONDONTWRITEBYTECODE="1")
    for key, value in more.items():
        env[key] = os.pathsep.join([value, env[key]]) if key == "PYTHONPATH" else value
    if built.is_dir():
        env["TELLTALE_PYTHON_DIR"] = str(built)
    env["PATH"] = f"{pathlib.Path(sys.executable).parent}:{env.get('PATH', '')}"
    return env


def run(folder, entry, recorded):
    for name, text in entry["files"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    if entry["prepare"]:
        entry["prepare"](folder)
    words = [sys.executable if word == PY else word for word in entry["words"]]
    env = environment(folder, entry["env"])
    if recorded:
        env.pop("TELLTALE_MODE")
        words = [telltale, "run", "--quiet", "--root", str(folder.parent / "runs"), "--", *words]
    return subprocess.run(words, cwd=folder, env=env, input=entry["stdin"], capture_output=True, timeout=PATIENCE, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))


def ask(*words):
    done = subprocess.run([telltale, *words, "--json"], capture_output=True, timeout=PATIENCE, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return json.loads(done.stdout)


def differences(entry, top):
    """Sentences."""
    places = [top / "bare", top / "recorded"]
    for place in places:
        place.mkdir()
    bare, recorded = (run(place, entry, place.name == "recorded") for place in places)
    expected_code = bare.returncode if bare.returncode >= 0 else 128 - bare.returncode
    if recorded.returncode != expected_code:
        yield f"ends with {recorded.returncode} instead of {expected_code}: {recorded.stderr[-300:]!r}"
    for name, mine, other in (("output", recorded.stdout, bare.stdout), ("errors", recorded.stderr, bare.stderr)):
        # Processes' numbers and addresses differ from run to run.
        plain = [re.sub(rb"0x[0-9a-f]+|\b\d{3,}\b", b"#", text.replace(str(place).encode(), b"HERE"))
                 for text, place in ((mine, places[1]), (other, places[0]))]
        if plain[0] != plain[1]:
            yield f"{name}: {mine[-200:]!r} instead of {other[-200:]!r}"
    files = [sorted(str(path.relative_to(place)) for path in place.rglob("*")) for place in places]
    if files[0] != files[1]:
        yield f"files: {sorted(set(files[0]) ^ set(files[1]))}"
    folders = [path for path in (top / "runs").iterdir() if not path.name.startswith(".")]
    if len(folders) != 1:
        yield f"runs: {folders}"
        return
    record = json.loads((folders[0] / "run.json").read_text(encoding="utf-8"))
    want = dict(entry["want"])
    points, config, log, error_type, remark = (want.pop(key, None) for key in ("points", "config", "log", "error_type", "remark"))
    if remark and not any(remark in one for one in record["remarks"]):
        yield f"remarks: {record['remarks']}"
    for key, value in want.items():
        if record.get(key) != value:
            yield f"run.json: {key} is {record.get(key)!r} instead of {value!r}"
    if error_type and (record["error"] or {}).get("type") != error_type:
        yield f"run.json: error is {record['error']}"
    if (folders[0] / ".live").exists():
        yield ".live is left"
    if any(word == PY for word in entry["words"]) and ("python" in record["versions"]) != entry["python_is_heard"]:
        yield f"versions: {record['versions']}"
    if any("nothing was heard" in remark for remark in record["remarks"]) == ("python" in record["versions"]):
        yield f"remarks: {record['remarks']}"
    (listed,) = ask("runs", str(top / "runs"))["runs"]
    if points is not None:
        found = {tag: metric["points"] for tag, metric in listed["metrics"].items() if not tag.startswith("monitor/")}
        if found != points:
            yield f"points: {found} instead of {points}"
    if config is not None and listed["config"] != config:
        yield f"config: {listed['config']}"
    if log is not None:
        lines = (folders[0] / "logs" / "driver.log").read_text(encoding="utf-8").splitlines()
        if [line[25:] for line in lines] != log:
            yield f"log: {lines}"


def main():
    global telltale
    telltale = str(pathlib.Path(sys.argv[1]).resolve())
    failed = 0
    for name, entry in CASES.items():
        if len(sys.argv) > 2 and not any(word in name for word in sys.argv[2:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                problems = list(differences(entry, pathlib.Path(folder).resolve()))
            except Exception as problem:  # noqa: BLE001: every case is told
                problems = [f"{type(problem).__name__}: {problem}"]
        failed += bool(problems)
        print(f"{'FAILED' if problems else 'ok':<8}{name}")
        for problem in problems:
            print(f"        {problem}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
