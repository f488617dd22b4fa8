#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `telltale runs --json` with what other tools say of the same folders: TensorBoard's runs and every series it
serves with all points kept, and the stores of W&B, trackio and MLflow with what was logged into them.

usage: tests/evidence/runs.py TELLTALE DATA
"""
import glob
import json
import math
import os
import sqlite3
import subprocess
import sys

failures = []
checks = 0


def check(what, good, detail=""):
    global checks
    checks += 1
    if not good:
        failures.append(f"{what}: {detail}")


def runs_of(program, folder, *options):
    # Its own state folder: nothing that people noted counts here, and nothing is written beside the data.
    done = subprocess.run([program, "runs", folder, "--json", "--no-cache", *options], capture_output=True, check=False,
                          env={**os.environ, "XDG_STATE_HOME": "/nonexistent"})
    check(f"{folder}: exit code", done.returncode == 0, done.stderr.decode()[-300:])
    return json.loads(done.stdout)["runs"] if done.returncode == 0 else []


def number(value):
    return float({"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(value, value))


def same(a, b):
    if a is None or b is None:
        return a is b
    a, b = number(a), number(b)
    return a == b or (math.isnan(a) and math.isnan(b))


def summary(points):
    """Of (step, value) in file order, by the contract."""
    finite = [(step, number(value)) for step, value in points if not math.isnan(number(value))]
    least = min(finite, key=lambda p: p[1]) if finite else (None, None)
    most = max(finite, key=lambda p: p[1]) if finite else (None, None)
    return {"points": len(points), "first_step": points[0][0], "last_step": points[-1][0], "last": points[-1][1],
            "min": least[1], "min_step": least[0], "max": most[1], "max_step": most[0]}


def compare_metric(where, ours, points):
    wanted = summary(points)
    if ours is None:
        return check(where, False, "no such metric")
    for key, value in wanted.items():
        check(f"{where}.{key}", same(ours[key], value), f"{ours[key]} instead of {value}")


def tensorboard(program, data):
    for folder in sorted(glob.glob(f"{data}/tensorboard/events/*/logdir")):
        oracle = os.path.join(os.path.dirname(folder), "oracle", "http_all.jsonl")
        runs = {run["name"]: run for run in runs_of(program, folder, "--raw")}
        served = {}
        for line in open(oracle, encoding="utf-8"):
            answer = json.loads(line)
            if answer["path"] == "/data/runs":
                check(f"{folder}: runs", sorted(runs) == sorted(answer["body"]), f"{sorted(runs)} {sorted(answer['body'])}")
            asked = answer.get("params", {})
            if answer["path"] == "/data/plugin/scalars/scalars" and answer["status"] == 200 and "format" not in asked:
                served[asked["run"], asked["tag"]] = answer["body"]
        # The slow loader drops what a second START of a run overwrote; every point is kept here, so those series differ.
        restarted = set()
        for line in open(os.path.join(os.path.dirname(oracle), "events.jsonl"), encoding="utf-8"):
            event = json.loads(line)
            if event.get("what") == "session_log":
                restarted.add(os.path.dirname(event["file"]))
        for (run, tag), body in served.items():
            if run in restarted or run not in runs:
                continue
            compare_metric(f"{folder} {run} {tag}", runs[run]["metrics"].get(tag), [(p[1], p[2]) for p in body])


def wandb(program, data):
    runs = runs_of(program, f"{data}/trackers/wandb")
    logged = json.load(open(f"{data}/trackers/wandb/logged.json", encoding="utf-8"))
    check("wandb: one run", len(runs) == 1, len(runs))
    run = runs[0]
    check("wandb: kind", run["kind"] == "wandb")
    check("wandb: status", run["status"] == "Completed", run["status"])
    records = [json.loads(line) for line in open(f"{data}/trackers/wandb/records.jsonl", encoding="utf-8")]
    about = next(r["record"]["run"] for r in records if r["type"] == "run")
    for ours, theirs in (("id", "run_id"), ("name", "display_name"), ("experiment", "project"), ("group", "run_group"), ("note", "notes"), ("tags", "tags")):
        check(f"wandb: {ours}", run[ours] == about[theirs], run[ours])
    config = {**logged["config"], **logged["then"]["config"]}
    compare_config("wandb", run["config"], config)
    points = {}
    for record in records:
        if record["type"] != "history":
            continue
        items = {".".join(i["nested_key"]): i["value_json"] for i in record["record"]["history"]["item"]}
        step = int(items["_step"])
        for key, text in items.items():
            value = json.loads(text)
            if isinstance(value, (int, float)) and not key.startswith("_") and "." not in key:
                points.setdefault(key, []).append((step, value))
    for tag, series in points.items():
        compare_metric(f"wandb {tag}", run["metrics"].get(tag), series)
    check("wandb: nested", "nested.a.b" in run["metrics"])


def compare_config(where, ours, wanted, prefix=""):
    for key, value in wanted.items():
        name = prefix + key
        if isinstance(value, dict):
            compare_config(where, ours, value, name + ".")
        elif isinstance(value, list):
            check(f"{where} config {name}", json.loads(ours[name]) == value, ours.get(name))
        else:
            check(f"{where} config {name}", name in ours and ours[name] == value, ours.get(name))


def trackio(program, data):
    runs = {run["name"]: run for run in runs_of(program, f"{data}/trackers/trackio")}
    logged = json.load(open(f"{data}/trackers/trackio/logged.json", encoding="utf-8"))
    check("trackio: runs", sorted(runs) == ["run-0", "run-1"], sorted(runs))
    for number_of, run in ((0, runs["run-0"]), (1, runs["run-1"])):
        compare_config("trackio", run["config"], {**logged["config"], "k": number_of})
        check("trackio: group", run["group"] == "g" and run["experiment"] == "proj21" and run["status"] is None)
        steps = [s for s in logged["steps"] if s["run"] == number_of]
        for tag in ("train/loss", "acc", "epoch"):
            compare_metric(f"trackio {tag}", run["metrics"].get(tag), [(s["step"], s[tag]) for s in steps])
        for tag, last in (("nan", "NaN"), ("inf", "Infinity"), ("ninf", "-Infinity"), ("tiny", 5e-324)):
            check(f"trackio {tag}", same(run["metrics"][tag]["last"], last), run["metrics"][tag])


def mlflow(program, data):
    for folder in ("mlflow_sqlite", "mlflow_file"):
        logged = json.load(open(f"{data}/trackers/{folder}/logged.json", encoding="utf-8"))
        runs = {run["id"]: run for run in runs_of(program, f"{data}/trackers/{folder}")}
        check(f"{folder}: runs", sorted(runs) == sorted(r["run_id"] for r in logged["runs"]), sorted(runs))
        for known in logged["runs"]:
            run = runs[known["run_id"]]
            wanted = {"FINISHED": "Completed", "FAILED": "Failed"}[known["status"]]
            check(f"{folder}: status", run["status"] == wanted, run["status"])
            check(f"{folder}: names", run["experiment"] == "exp Größe" and run["name"].startswith("run-"), run["name"])
            check(f"{folder}: note", run["note"] == "**note**" and run["tags"] == ["t=Größe"], run["tags"])
            for key in ("lr", "flag", "big", "note", "none"):
                check(f"{folder} {key}", run["config"][key] == logged["config"][key], run["config"][key])
            points = {}
            for step in logged["steps"]:
                if step["run"] == known["run_id"]:
                    points.setdefault(step["key"], []).append((step["step"], step["value"]))
            for tag, series in points.items():
                compare_metric(f"{folder} {tag}", run["metrics"].get(tag), series)
            for tag, text in known["latest"].items():
                check(f"{folder} {tag} last", same(run["metrics"][tag]["last"], float(text)), run["metrics"][tag])
            check(f"{folder} same_step", run["metrics"]["same_step"]["points"] == 2)
            check(f"{folder} negative", run["metrics"]["negative_step"]["last_step"] == -5)
    check("mlflow: sqlite is there", sqlite3.sqlite_version_info > (3,))


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    program, data = sys.argv[1:]
    if not os.path.isdir(f"{data}/trackers"):
        print("the tracker data is not here")
        raise SystemExit(77)
    tensorboard(program, data)
    wandb(program, data)
    trackio(program, data)
    mlflow(program, data)
    for failure in failures[:40]:
        print(failure)
    print(f"{checks} comparisons, {len(failures)} differences")
    raise SystemExit(1 if failures else 0)


if __name__ == "__main__":
    main()
