# SPDX-License-Identifier: Apache-2.0
"""Cases of collector.py. What a run says: its folder, its record, points, spans, ranks and nodes."""
import json
import os
import pathlib
import re
import signal
import subprocess

import collector_kit as kit
from collector_kit import (PATIENCE, case, check, children, family, listed, log_of, only_run, record_of, recorders, recording, run,
                           run_folders, scalars, spans, start, wait_for)


@case
def runs_of_one_second_have_folders_of_their_own(folder):
    processes = [start(folder, "sh", "-c", f"echo {i}", options=["-q", "--name", "same"]) for i in range(8)]
    for process in processes:
        process.communicate(timeout=PATIENCE)
    check(len(run_folders(folder)) == 8, run_folders(folder))
    check(sorted(log_of(path)[0] for path in run_folders(folder)) == [b"%d" % i for i in range(8)], "logs")
    check(len({record_of(path)["id"] for path in run_folders(folder)}) == 8, "ids")


@case
def the_record_says_what_ran(folder):
    subprocess.run("git init -q . && git config user.email a@b && git config user.name n && echo 1 > train.sh && git add . "
                   "&& git commit -qm x && printf 'test \"$LEVEL$HF_TOKEN\" = 3s3''cret\\n' > train.sh && chmod +x train.sh", shell=True, cwd=folder, check=True)
    # Nothing of the repository is to run.
    hook = pathlib.Path(folder) / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {folder}/hooked\n", encoding="utf-8")
    hook.chmod(0o755)
    (pathlib.Path(folder) / ".env").write_text("export LEVEL=3\nHF_TOKEN='s3cret'\n", encoding="utf-8")
    environment = dict(os.environ, OMP_NUM_THREADS="2", WANDB_API_KEY="s3cret")
    code, _, _ = run(folder, "sh", "train.sh", "--api-key", "s3cret",
                     options=["-q", "--name", "n", "--experiment", "e", "--group", "g", "--tag", "a", "--tag", "b", "--note", "why",
                              "--env-file", ".env"], env=environment)
    check(code == 0, code)
    text = (only_run(folder) / "run.json").read_text(encoding="utf-8")
    check("s3cret" not in text, text)
    record = json.loads(text)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, check=True).stdout.decode().strip()
    check(record["git"] == {"commit": commit, "branch": record["git"]["branch"], "dirty": True}, record["git"])
    check((record["name"], record["experiment"], record["group"], record["tags"], record["note"]) == ("n", "e", "g", ["a", "b"], "why"), record)
    check(record["status"] == "Completed" and record["exit_code"] == 0 and record["cwd"] == str(folder), record)
    check(record["user_id"] == os.getuid() and record["host"] == os.uname().nodename and record["error"] is None, record)
    check(record["environment"].get("OMP_NUM_THREADS") == "2", record["environment"])
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", record["start"]) and record["start"] <= record["end"], record)
    check("$LEVEL" in (only_run(folder) / "source" / "uncommitted.diff").read_text(encoding="utf-8"), "the diff")
    check(record["script"] == "source/train.sh" and (only_run(folder) / "source" / "train.sh").exists(), record["script"])
    check(not (pathlib.Path(folder) / "hooked").exists(), "a hook ran")


@case
def what_is_recorded_reaches_the_run(folder):
    code = ("note('config', '{\"lr\": 0.1, \"model\": {\"depth\": 3}}')\nnote('versions', '{\"python\": \"3.x\"}')\n"
            "for i in range(5000): scalar('loss', 1.0 / (i + 1), i)\nscalar('loss', float('nan'), 3)\ntext('said', 'hello', 1)\n"
            "for i in range(7): lib.telltale_step_end(i, 1000000)\n")
    done, _, err = run(folder, *recording(code))
    check(done == 0 and b", 7 steps: runs/" in err, err)
    points = scalars(folder, "loss")
    check(len(points) == 5001 and [step for step, _ in points] == list(range(5000)) + [3], len(points))
    check(abs(points[1][1] - 0.5) < 1e-12 and points[3][1] == 0.25, points[:4])
    check([step for step, _ in scalars(folder, "telltale/data_wait_s")] == list(range(7)), "data_wait_s")
    check((only_run(folder) / "args.txt").read_text(encoding="utf-8") == "lr: 0.1\nmodel.depth: 3\n", "args.txt")
    record = record_of(only_run(folder))
    check(record["steps"] == 7 and record["versions"]["python"] == "3.x", record)
    check(not (only_run(folder) / ".live").exists(), ".live is left")
    runs, _ = listed(folder)
    check(runs[0]["config"] == {"lr": 0.1, "model.depth": 3} and runs[0]["status"] == "Completed", runs[0])


@case
def spans_reach_the_run(folder):
    code = ("import threading\ndef work():\n  for i in range(1000):\n    begin('outer'); begin('inner'); end(); end()\n"
            "t = threading.Thread(target=work); t.start(); t.join()\nwork()\nlib.telltale_instant(name('saved'))\n"
            "lib.telltale_counter(name('queue'), 2.5)\nfor i in range(3): lib.telltale_step_end(i, -1)\n")
    run(folder, *recording(code), options=["--no-sample"])
    profiler = only_run(folder) / "profiler"
    check(sorted(path.name for path in profiler.iterdir()) == ["simple.txt", "spans.pftrace"], "a file of spans, and what they come to")
    rows = [line.split() for line in (profiler / "simple.txt").read_text(encoding="utf-8").splitlines()[1:4]]
    check([(row[0], row[2]) for row in rows] == [("Total", "4000"), ("outer", "2000"), ("inner", "2000")], rows)
    found, wrong = spans(folder)
    steps = {f"ProfilerStep#{number}": 1 for number in range(3)}
    check(found == {"outer": 2000, "inner": 2000, **steps} and wrong == {}, (found, wrong))
    done = subprocess.run([kit.program, "profile", only_run(folder), "--view", "annotations"], capture_output=True, check=False, timeout=PATIENCE)
    check(done.returncode == 0 and b"outer" in done.stdout and b"inner" in done.stdout, done.stdout + done.stderr)


@case
def ranks_have_a_file_of_spans_each(folder):
    code = ("import subprocess\nif 'RANK' not in os.environ:\n  sys.exit(max(p.wait() for p in [subprocess.Popen([sys.executable, '-c', "
            "open('/proc/self/cmdline').read().split(chr(0))[2]], env=dict(os.environ, RANK=str(r), LOCAL_RANK=str(r), WORLD_SIZE='2')) for r in (0, 1)]))\n"
            "for i in range(10 + int(os.environ['RANK'])): begin('work'); end()\n")
    run(folder, *recording(code))
    for rank in (0, 1):
        found, wrong = spans(folder, f"spans-rank{rank}.pftrace")
        check(found == {"work": 10 + rank} and wrong == {}, (found, wrong))


@case
def killed_program_keeps_its_spans(folder):
    code = "begin('epoch')\nfor i in range(50000):\n  begin('step'); end()\nbegin('last')\nos.kill(os.getpid(), 9)"
    done, _, _ = run(folder, *recording(code))
    found, wrong = spans(folder)
    check(done == 137 and found == {"epoch": 1, "step": 50000, "last": 1} and wrong == {}, (done, found, wrong))


@case
def spans_beyond_the_size_are_counted(folder):
    code = "for i in range(60000):\n  begin('step'); end()"
    run(folder, *recording(code), env=dict(os.environ, TELLTALE_SPANS_MIB="1"))
    found, wrong = spans(folder)
    check(found["step"] + wrong["dropped_spans"] == 60000 and found["step"] > 30000, (found, wrong))
    check((only_run(folder) / "profiler" / "spans.pftrace").stat().st_size < 1.01 * 2**20, "its size")
    check(any("spans were recorded but not kept" in remark for remark in record_of(only_run(folder))["remarks"]), record_of(only_run(folder)))
    (folder / "none").mkdir()
    run(folder / "none", *recording(code), options=["--no-sample"], env=dict(os.environ, TELLTALE_SPANS_MIB="0"))
    check(list((only_run(folder / "none") / "profiler").iterdir()) == [], "no file where none are wanted")


SPANNING = ("print('ready', flush=True)\nbegin('epoch')\nfor i in range(5):\n  begin('round')\n  for j in range(1000): begin('step'); end()\n"
            "  print('round', i, flush=True)\n  sys.stdin.readline()\n  end()\nend()\n")


SPANNED = {"epoch": 1, "round": 5, "step": 5000}


@case
def a_killed_collectors_spans_are_continued(folder):
    process = start(folder, *recording(SPANNING), stdin=subprocess.PIPE)
    check(process.stdout.readline() == b"ready\n", "not ready")
    guard, collector, training = family(process.pid)
    for number in range(5):
        check(process.stdout.readline() == b"round %d\n" % number, "no round")
        if number in (1, 3):  # whatever it has taken by now
            os.kill(collector, signal.SIGKILL)
            (collector,) = wait_for(lambda gone=collector: [child for child in children(guard) if child not in (gone, training)], "another one")
        process.stdin.write(b"\n")
        process.stdin.flush()
    process.communicate(timeout=PATIENCE)
    found, wrong = spans(folder)
    check(found == SPANNED and wrong == {}, (found, wrong))


@case
def spans_that_both_left_are_brought_in_once(folder):
    code = ("begin('epoch')\ndef work():\n  begin('round')\n  for j in range(1000): begin('step'); end()\nwork(); end()\nprint('ready', flush=True)\n"
            "while not os.path.exists('go'): time.sleep(0.01)\nwork()\nopen('done', 'w').close()\ntime.sleep(1000)")
    process = start(folder, *recording(code))
    check(process.stdout.readline() == b"ready\n", "not ready")
    ours, training = recorders(process.pid)
    for pid in ours:
        os.kill(pid, signal.SIGKILL)
    (folder / "go").touch()
    wait_for((folder / "done").exists, "the program, which goes on")
    os.kill(training, signal.SIGKILL)
    wait_for(lambda: listed(folder)[0][0]["status"] == "Lost", "its end")
    found, wrong = spans(folder)
    check(found == {"epoch": 1, "round": 2, "step": 2000} and wrong == {}, (found, wrong))


@case
def spans_without_a_place_stop_nothing(folder):
    code = ("import shutil\nscalar('loss', 1.0, 0)\nshutil.rmtree(os.environ['TELLTALE_RUN_DIR'] + '/profiler')\n"
            "for i in range(100): begin('step'); end()\nscalar('loss', 2.0, 1)\n")
    done, _, err = run(folder, *recording(code), options=["--no-sample"])
    check(done == 0 and len(scalars(folder, "loss")) == 2, err)
    check(b"spans are lost until it can be written" in err, err)


@case
def an_exception_is_told(folder):
    code = "note('exception', '{\"type\": \"ValueError\", \"message\": \"bad\", \"frames\": []}')\nsys.exit(1)"
    run(folder, *recording(code))
    record = record_of(only_run(folder))
    check(record["error"]["type"] == "ValueError" and record["status"] == "Failed", record)


@case
def ranks_are_one_run(folder):
    code = ("import subprocess\nif 'RANK' not in os.environ:\n  sys.exit(max(p.wait() for p in [subprocess.Popen([sys.executable, '-c', "
            "open('/proc/self/cmdline').read().split(chr(0))[2]], env=dict(os.environ, RANK=str(r), LOCAL_RANK=str(r), WORLD_SIZE='2')) for r in (0, 1)]))\n"
            "r = int(os.environ['RANK'])\nscalar('rank%d' % r, 1.0, 0)\nfor i in range(3 + r): lib.telltale_step_end(i, -1)\n")
    run(folder, *recording(code))
    record = record_of(only_run(folder))
    check([(rank["rank"], rank["status"]) for rank in record["ranks"]] == [(0, "Completed"), (1, "Completed")], record["ranks"])
    check(record["steps"] == 3 and len(scalars(folder, "rank1")) == 1, record["steps"])
    check(len(scalars(folder, "telltale/step_time_s")) == 3, scalars(folder, "telltale/step_time_s"))


def on_host(name, *words):
    """On a machine of that name, where the right to rename one can be had."""
    return ["unshare", "--uts", "sh", "-c", f'hostname {name} && exec "$0" "$@"', *map(str, words)]


def can_rename():
    return subprocess.run(on_host("node1", "true"), capture_output=True, check=False).returncode == 0


def run_on_nodes(folder, code, environments, options=()):
    """`telltale run` on each of the nodes at once, all with the same folder for runs; their exit codes."""
    processes = []
    for number, environment in enumerate(environments):
        words = on_host(f"node{number}", kit.program, "run", "-q", *options, "--", *recording(code))
        processes.append(subprocess.Popen(words, cwd=folder, env=dict(os.environ, **environment), stdin=subprocess.DEVNULL))
    return [process.wait(timeout=PATIENCE) for process in processes]


JOINT = ("r = int(os.environ.get('RANK', os.environ.get('SLURM_PROCID', 0)))\nscalar('rank%d' % r, 1.0, 0)\n"
         "note('config', '{\"lr\": 0.1}')\nprint('node of rank', r, flush=True)\n"
         "for i in range(4): lib.telltale_step_end(i, -1)\n"
         "open('here-%d' % r, 'w').close()\n"
         "while not all(os.path.exists('here-%d' % n) for n in range(2)): time.sleep(0.01)\n"
         "time.sleep(0.3)\nsys.exit(3 if os.environ.get('FAILS') == str(r) else 0)")


@case
def nodes_of_a_job_are_one_run(folder):
    if not can_rename():
        print("skipped: nodes_of_a_job_are_one_run (no right to rename the machine)")
        return
    job = {"SLURM_JOB_ID": "77", "SLURM_STEP_ID": "0", "SLURM_NTASKS": "2"}
    nodes = [dict(job, SLURM_PROCID=str(n), SLURM_LOCALID="0", SLURM_STEP_NUM_TASKS="2") for n in range(2)]
    check(run_on_nodes(folder, JOINT, nodes) == [0, 0], "exit codes")
    record = record_of(only_run(folder))
    check(sorted(record["hosts"]) == ["node0", "node1"], record["hosts"])
    check([(rank["rank"], rank["host"], rank["status"], rank["exit_code"]) for rank in record["ranks"]] ==
          [(0, "node0", "Completed", 0), (1, "node1", "Completed", 0)], record["ranks"])
    check(record["status"] == "Completed" and record["steps"] == 4 and record["exit_code"] == 0 and record["end"], record)
    check(len(scalars(folder, "rank0")) == len(scalars(folder, "rank1")) == 1, "points of both")
    check(len(scalars(folder, "telltale/step_time_s")) == len(scalars(folder, "telltale/rank-1/step_time_s")) == 4, "steps of both")
    lines = b"".join(path.read_bytes() for path in sorted((only_run(folder) / "logs").iterdir()))
    check(b"node of rank 0" in lines and b"node of rank 1" in lines, lines)
    check(len(list((only_run(folder) / "monitor").glob("**/resource_usage.csv"))) == 2, "monitors")
    check((only_run(folder) / "args.txt").read_text(encoding="utf-8") == "lr: 0.1\n", "args.txt")
    check(not list(only_run(folder).glob(".live*")), "something is left")
    runs, said = listed(folder)
    check(len(runs) == 1 and said == "" and runs[0]["status"] == "Completed", (runs, said))
    # The same place once more is another run: the next training of the job's script.
    for path in pathlib.Path(folder).glob("here-*"):
        path.unlink()
    check(run_on_nodes(folder, JOINT, [dict(node, FAILS="1") for node in nodes]) == [0, 3], "exit codes")
    check(len(run_folders(folder)) == 2, run_folders(folder))
    record = record_of(run_folders(folder)[1])
    check(record["status"] == "Failed" and record["exit_code"] == 3 and len(record["ranks"]) == 2, record)
    check([rank["status"] for rank in record["ranks"]] == ["Completed", "Failed"], record["ranks"])


@case
def whoever_has_the_same_id_is_one_run(folder):
    # Also without ranks, and one after the other.
    for number in range(2):
        run(folder, *recording("scalar('loss', 1.0, 0)"), options=["-q"], env=dict(os.environ, TELLTALE_RUN_ID="my-run"))
    record = record_of(only_run(folder))
    check(record["id"] == "my-run" and len(record["ranks"]) == 2 and len(scalars(folder, "loss")) == 2, record)
    # A run inside of a run is one of its own.
    run(folder, kit.program, "run", "-q", "--", "true", options=["-q", "--name", "outer"])
    check(len(run_folders(folder)) == 3, run_folders(folder))


@case
def a_killed_node_is_brought_in(folder):
    code = "print('ready', flush=True)\nfor i in range(100): scalar('loss', i, i)\nopen('done', 'w').close()\ntime.sleep(100)"
    environment = dict(os.environ, TELLTALE_RUN_ID="joint")
    process = start(folder, *recording(code), options=["-q"], env=environment)
    check(process.stdout.readline() == b"ready\n", "not ready")
    wait_for(lambda: (pathlib.Path(folder) / "done").exists(), "its points")
    ours, training = recorders(process.pid)
    for pid in (*ours, training):
        os.kill(pid, signal.SIGKILL)
    process.wait()
    runs, said = listed(folder)
    check(runs[0]["status"] == "Lost" and "collector was killed" in said, (runs[0]["status"], said))
    check(len(scalars(folder, "loss")) == 100 and not list(only_run(folder).glob(".live*")), "points")
