#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/evidence/tensorboard_api.py TELLTALE [DATA] [--only CASE] [--all]

Replays every request of TensorBoard's own answers (DATA/tensorboard/events/*/oracle/http_all.jsonl: TensorBoard 2.21, all
points kept) against `telltale view --logdir` and compares the answers line by line: numbers exactly, pictures and sounds by
their bytes. EXPLAINED lists the differences that are meant, each with its reason; one that is not there, or that does not
occur any more, fails.
"""
import argparse
import hashlib
import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.parse

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE = 120.0
PLUGINS = "/data/plugin/"

# (case, path, parameters as a regular expression) -> why the answer differs.
ALL_HPARAMS = ("TensorBoard takes what is varied from one run, the first that the file system lists; here it is that of all runs, "
               "so that no hyper-parameter and no metric is missing")
ACTIVE = "TensorBoard looks for embeddings after the first request and answers it with false; here the answer waits for the look"
EXPLAINED = {
    ("long", "/data/plugin/histograms/histograms", '"h"'): "TensorBoard never answers more than 51 steps; here every step is kept",
    ("long", "/data/plugin/distributions/distributions", '"h"'): "TensorBoard never answers more than 501 steps; here every step is kept",
    ("hparams", "/data/plugin/hparams/experiment", ""): ALL_HPARAMS,
    ("hparams", "/data/plugin/hparams/session_groups", ""): ALL_HPARAMS,
    ("lightning", "/data/plugin/hparams/experiment", ""): ALL_HPARAMS,
    ("lightning", "/data/plugin/hparams/session_groups", ""): ALL_HPARAMS,
    ("embedding", "/data/plugins_listing", ""): ACTIVE,
    ("tensorboardx", "/data/plugins_listing", ""): ACTIVE,
}


class Server:
    """telltale view of a log folder, on the loopback, until the end of the block."""

    def __init__(self, program, logdir):
        self.process = subprocess.Popen([program, "view", "--logdir", str(logdir), "--port", "0", "--quiet"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        address = self.process.stdout.readline()
        found = re.search(r":(\d+)/", address)
        if not found:
            raise SystemExit(f"telltale view {logdir} printed no address, but {address!r}")
        self.connection = http.client.HTTPConnection("127.0.0.1", int(found.group(1)), timeout=PATIENCE)

    def __enter__(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if json.loads(self.raw("/api/v1/runs?limit=1")[2]).get("searching") is False:
                return self
            time.sleep(0.02)
        raise SystemExit("the folder was not read in time")

    def __exit__(self, *_):
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        self.process.wait(PATIENCE)

    def raw(self, path, params=None, form=None, js=None):
        """(status, content type, body)"""
        body, headers = None, {}
        if params:
            path += "?" + urllib.parse.urlencode(params)
        if form is not None:
            body, headers = urllib.parse.urlencode(form), {"Content-Type": "application/x-www-form-urlencoded"}
        if js is not None:
            body, headers = json.dumps(js), {"Content-Type": "application/json"}
        self.connection.request("GET" if body is None else "POST", path, body, headers)
        answer = self.connection.getresponse()
        return answer.status, answer.headers.get("Content-Type"), answer.read()


def compact(body):
    """As the oracle does it: of long lists of large items the number, the steps and the ends."""
    if isinstance(body, list) and len(body) == 1 and isinstance(body[0], dict) and "runToSeries" in body[0]:
        series = body[0]["runToSeries"]
        return [{**body[0], "runToSeries": {run: compact(values) for run, values in series.items()}}]
    if isinstance(body, list) and len(body) > 200 and len(json.dumps(body[0])) > 200:
        steps = [entry.get("step") if isinstance(entry, dict) else entry[1] for entry in body]
        return {"shortened": True, "count": len(body), "steps": steps, "first": body[:2], "last": body[-2:]}
    return body


def digest(data):
    return hashlib.sha256(data).hexdigest()


def blobs(server, path, params, entries):
    """The bytes that each entry leads to, and the entries without the way there."""
    answers = []
    for entry in entries:
        query = entry.pop("query", "")
        if path.endswith("meshes"):
            kind = ("UNDEFINED", "VERTEX", "FACE", "COLOR")[entry["content_type"]]
            status, _, data = server.raw(PLUGINS + "mesh/data", {
                "run": params["run"], "tag": params["tag"], "sample": params["sample"], "step": entry["step"],
                "content_type": kind})
            answers.append({"status": status, "content_type": kind, "step": entry["step"], "bytes": len(data),
                            "sha256": digest(data)})
            continue
        if path.endswith("audio"):
            query += "&" + urllib.parse.urlencode({"content_type": entry["contentType"]})
        one = "audio/individualAudio" if path.endswith("audio") else "images/individualImage"
        status, kind, data = server.raw(f"{PLUGINS}{one}?{query}")
        answers.append({"status": status, "content_type": kind, "bytes": len(data), "sha256": digest(data)})
    return answers


def ask(server, row):
    """The row as telltale answers it."""
    path, params = row["path"], row.get("params")
    form = row.get("form")
    if form and not isinstance(form.get("requests", ""), str):
        form = {**form, "requests": json.dumps(form["requests"])}
    status, kind, data = server.raw(path, params, form, row.get("json"))
    answer = {key: value for key, value in row.items() if key not in ("status", "body", "blobs")}
    answer["status"] = status
    kind = kind or ""
    if kind.startswith("text/csv"):
        answer["body"] = data.decode()
    elif "json" in kind:
        body = json.loads(data)
        if path == "/data/plugins_listing":
            body = {name: plugin["enabled"] for name, plugin in body.items()}
        if "blobs" in row and isinstance(body, list):
            answer["blobs"] = blobs(server, path, params, body)
        if path.endswith("projector/info"):
            body.pop("modelCheckpointPath", None)
        if form and form.get("requests", "").find('"images"') >= 0:
            for values in body[0].get("runToSeries", {}).values():
                for entry in values:
                    entry.pop("imageId", None)
        answer["body"] = compact(body)
    elif "text/plain" in kind and status != 200:
        answer["body"] = data.decode(errors="replace")[:300]
    else:
        answer["body"] = {"content_type": kind, "bytes": len(data), "sha256": digest(data)}
        if path.endswith("/graph"):
            answer["body"]["nodes"] = len(re.findall(rb"(?m)^node \{", data))
    return answer


def first_difference(want, got, where=""):
    """Where two answers differ first; None: nowhere. 1 and 1.0 are the same number."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key in [*want, *(key for key in got if key not in want)]:
            if key not in want or key not in got:
                return f"{where}/{key}: {'missing' if key not in got else 'too many'}"
            found = first_difference(want[key], got[key], f"{where}/{key}")
            if found:
                return found
        return None
    if isinstance(want, list) and isinstance(got, list):
        for index, (left, right) in enumerate(zip(want, got)):
            found = first_difference(left, right, f"{where}/{index}")
            if found:
                return found
        return None if len(want) == len(got) else f"{where}: {len(want)} expected, {len(got)} answered"
    if isinstance(want, bool) != isinstance(got, bool) or want != got:
        return f"{where}: expected {json.dumps(want)[:160]}, answered {json.dumps(got)[:160]}"
    return None


def parameters(row):
    return json.dumps(row.get("params") or row.get("form") or row.get("json") or {}, ensure_ascii=False, sort_keys=True)


def explanation(case, row):
    for key, reason in EXPLAINED.items():
        if key[0] == case and key[1] == row["path"] and re.search(key[2], parameters(row)):
            return key, reason
    return None, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("telltale")
    parser.add_argument("data", nargs="?", default=REPOSITORY.parent / "shared" / "data", type=pathlib.Path)
    parser.add_argument("--only", default="", help="only cases whose name contains this text")
    parser.add_argument("--all", action="store_true", help="print every difference, not the first ones of each case")
    options = parser.parse_args()
    oracles = sorted((options.data / "tensorboard" / "events").glob("*/oracle/http_all.jsonl"))
    if not oracles:
        print(f"there are no answers of TensorBoard at {options.data}")
        return 77
    asked = same = 0
    unexplained, seen = [], set()
    for oracle in oracles:
        case = oracle.parent.parent.name
        if options.only not in case:
            continue
        rows = [json.loads(line) for line in oracle.read_text(encoding="utf-8").splitlines()]
        differing = []
        with Server(options.telltale, oracle.parent.parent / "logdir") as server:
            for row in rows:
                asked += 1
                difference = first_difference(row, ask(server, row))
                if difference is None:
                    same += 1
                    continue
                key, reason = explanation(case, row)
                if key is None:
                    differing.append(f"  {row['path']} {parameters(row)[:200]}\n      {difference}")
                else:
                    seen.add(key)
                    print(f"  {case} {row['path']}: differs, {reason}")
        print(f"{case}: {len(rows)} requests, {len(differing)} unexplained differences")
        print("\n".join(differing if options.all else differing[:8]))
        unexplained += differing
    gone = [key for key in EXPLAINED if key not in seen and options.only in key[0]]
    for key in gone:
        print(f"explained, but does not differ any more: {key}")
    print(f"{asked} requests, {same} answered as TensorBoard does, {len(unexplained)} differ without an explanation")
    return 1 if unexplained or gone else 0


if __name__ == "__main__":
    sys.exit(main())
