#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/server/runs.py TELLTALE [NAME…]

Runs and curves under clients and files that mean no good: hostile tags, ids and numbers, parameters that name files, keys
that lead elsewhere, a folder that comes later, files that grow. After each case a plain request must still be answered.
"""
import contextlib
import json
import os
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

import harness
from harness import CHANGES, PATIENCE, Server, case, check

TABLE = []
for number in range(256):
    for _ in range(8):
        number = (number >> 1) ^ (0x82F63B78 if number & 1 else 0)
    TABLE.append(number)


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def record(payload):
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked_crc(length)) + payload + struct.pack("<I", masked_crc(payload))


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def scalar(tag, step, value, wall=1790000000.0):
    summary = field(1, field(1, tag.encode() if isinstance(tag, str) else tag) + b"\x15" + struct.pack("<f", value))
    return record(b"\x09" + struct.pack("<d", wall) + b"\x10" + varint(step) + field(5, summary))


def image(tag, step, data):
    value = field(1, tag.encode()) + field(4, b"\x08\x01\x10\x01" + field(4, data))
    return record(b"\x09" + struct.pack("<d", 1790000000.0) + b"\x10" + varint(step) + field(5, field(1, value)))


VERSION = record(b"\x09" + struct.pack("<d", 1790000000.0) + field(3, b"brain.Event:2"))


def write_run(folder, records, name="events.out.tfevents.1790000000.lab.1.0"):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(VERSION + b"".join(records))
    return folder / name


def ask(server, target, params=None, method="GET", body=None, **headers):
    if params:
        target += "?" + urllib.parse.urlencode(params)
    return server.get(target, method, body, **headers)


def wait_for(server, count):
    """The list, once it has so many runs."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        runs = json.loads(ask(server, "/api/v1/runs")[2])
        if not runs["searching"] and runs["total"] >= count:
            return runs["runs"]
    raise AssertionError(f"{count} runs were not found in time")


HOSTILE = ["", "../../etc/passwd", "/etc/passwd", "a\u202eb", "<script>alert(1)</script>", "'; DROP TABLE runs; --", "%00", "\\",
           "a" * 4000, "(" * 500, "$(id)", "{}", "[]", "null", "\U0001f680", "-1", "9" * 400, "1e999", "NaN", "../" * 500]


@case
def hostile_parameters_get_an_answer():
    with tempfile.TemporaryDirectory() as folder:
        write_run(pathlib.Path(folder, "run"), [scalar("<img src=x onerror=alert(1)>", 2**62, 1.0), scalar("a\tb", -5, 2.0)])
        with Server(paths=(folder,)) as server:
            wait_for(server, 1)
            routes = {"scalars/scalars": ("run", "tag", "format"), "histograms/histograms": ("run", "tag"),
                      "images/images": ("run", "tag", "sample"), "images/individualImage": ("blob_key",),
                      "audio/individualAudio": ("blob_key", "content_type"), "text/text": ("run", "tag"),
                      "graphs/graph": ("run", "tag", "limit_attr_size"), "pr_curves/pr_curves": ("run", "tag"),
                      "custom_scalars/scalars": ("run", "tag"), "mesh/data": ("run", "tag", "content_type", "step", "sample"),
                      "projector/tensor": ("run", "name", "num_rows"), "projector/metadata": ("run", "name"),
                      "timeseries/imageData": ("imageId",), "timeseries/timeSeries": ("requests",), "hparams/experiment": ("request",)}
            for route, names in routes.items():
                for value in HOSTILE:
                    status, headers, body = ask(server, "/data/plugin/" + route, {name: value for name in names})
                    check(status in (200, 400, 404, 414), f"{route} {value[:40]!r}: {status} {body[:100]!r}")
                    check("html" not in headers.get("Content-Type", ""), f"{route} {value[:40]!r} is HTML")
                    check(b"root:" not in body, f"{route} {value[:40]!r} read a file")
            ours = {"runs": ("where", "sort", "metrics"), "series/tags": ("runs", "where"), "series/media": ("run", "tag"),
                    "series/blob": ("run", "tag"), "series/texts": ("run", "tag"), "series/graph": ("run", "scope"),
                    "series/embeddings": ("run", "name"), "series/hparams": ("where", "metrics")}
            for route, names in ours.items():
                for value in HOSTILE:
                    status, _, body = ask(server, "/api/v1/" + route, {name: value for name in names})
                    check(status in (200, 400, 404, 414), f"{route} {value[:40]!r}: {status} {body[:100]!r}")
            for value in HOSTILE:
                status, _, _ = ask(server, "/api/v1/runs/" + urllib.parse.quote(value, safe="") + "/files")
                check(status in (400, 404, 414), f"runs/{value[:40]!r}: {status}")
            server.check_alive()


@case
def only_files_of_the_run_are_read():
    with tempfile.TemporaryDirectory() as folder:
        write_run(pathlib.Path(folder, "logs", "run"), [scalar("loss", 0, 1.0)])
        secret = pathlib.Path(folder, "secret.txt")
        secret.write_text("secret words")
        os.symlink(secret, pathlib.Path(folder, "logs", "run", "link.txt"))
        pathlib.Path(folder, "logs", "run", "page.html").write_text("<script>alert(1)</script>")
        with Server(paths=(pathlib.Path(folder, "logs"),)) as server:
            run = wait_for(server, 1)[0]["id"]
            for path in ("../../secret.txt", "link.txt", str(secret), "..", "./../../secret.txt", "x/../../../secret.txt", "/etc/passwd"):
                status, _, body = ask(server, f"/api/v1/runs/{run}/file", {"path": path})
                check(status in (400, 404) and b"secret words" not in body, f"{path}: {status} {body[:80]!r}")
            status, headers, body = ask(server, f"/api/v1/runs/{run}/file", {"path": "page.html"})
            check(status == 200 and headers["Content-Type"].startswith("text/plain"), f"{status} {headers['Content-Type']}")
            check(headers["X-Content-Type-Options"] == "nosniff", "sniffing is allowed")
            names = [entry["name"] for entry in json.loads(ask(server, f"/api/v1/runs/{run}/files")[2])["files"]]
            check("link.txt" not in names and "page.html" in names, f"{names}")


@case
def what_could_run_is_never_sent_as_such():
    with tempfile.TemporaryDirectory() as folder:
        svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
        write_run(pathlib.Path(folder, "run"), [image("picture", 0, svg), image("picture", 1, b"<html><script>alert(1)</script>"),
                                               image("picture", 2, b"\x89PNG\r\n\x1a\n" + bytes(40))])
        with Server(paths=(folder,)) as server:
            run = wait_for(server, 1)[0]["id"]
            kinds = []
            for index in range(3):
                status, headers, _ = ask(server, "/api/v1/series/blob", {"run": run, "tag": "picture", "index": index})
                check(status == 200, f"{index}: {status}")
                kinds.append(headers["Content-Type"])
            check(kinds == ["application/octet-stream", "application/octet-stream", "image/png"], f"{kinds}")
            entries = json.loads(ask(server, "/data/plugin/images/images", {"run": "run", "tag": "picture", "sample": 0})[2])
            for entry, kind in zip(entries, kinds):
                status, headers, _ = server.get("/data/plugin/images/individualImage?" + entry["query"])
                check(status == 200 and headers["Content-Type"] == kind, f"{entry}: {status} {headers['Content-Type']}")


@case
def tables_and_pages_of_trackers_are_texts():
    with tempfile.TemporaryDirectory() as folder:
        page = "<script>alert(1)</script>"
        media = pathlib.Path(folder, "media", "page.html")
        media.parent.mkdir()
        media.write_text(page, encoding="utf-8")
        logged = {"table": {"_type": "trackio.table", "_value": [{"a": 1, "b": page}, {"a": 2.5}]},
                  "page": {"_type": "trackio.html", "file_path": "page.html"}, "point": {"_type": "own", "x": 1}}
        with contextlib.closing(sqlite3.connect(pathlib.Path(folder, "project.db"))) as database:
            database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT)")
            database.execute("INSERT INTO metrics VALUES (1, '2026-11-15T20:45:01', 'first', 3, ?)", (json.dumps(logged),))
            database.commit()
        with Server(paths=(folder,)) as server:
            run = wait_for(server, 1)[0]["id"]
            texts = {}
            for tag in logged:
                status, _, answer = ask(server, "/api/v1/series/texts", {"run": run, "tag": tag})
                check(status == 200, f"{tag}: {status} {answer[:200]!r}")
                texts[tag] = json.loads(answer)
            check(texts["table"]["plugin"] == "table", f"{texts['table']}")
            step = texts["table"]["steps"][0]
            check(step["rows"] == [["a", "b"], ["1", page], ["2.5", ""]] and step["table_rows"] == 2, f"{step}")
            check(texts["page"]["plugin"] == "html" and texts["page"]["steps"][0]["rows"] == [[page]], f"{texts['page']}")
            check(json.loads(texts["point"]["steps"][0]["rows"][0][0]) == logged["point"], f"{texts['point']}")
            status, headers, _ = ask(server, "/api/v1/series/blob", {"run": run, "tag": "page"})
            check(status == 200 and headers["Content-Type"] == "application/octet-stream", f"{status} {headers['Content-Type']}")


@case
def a_folder_of_links_that_lead_out_of_it_says_so():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        write_run(pathlib.Path(other, "run"), [scalar("loss", 0, 1.0)])
        link = pathlib.Path(folder, "linked")
        link.symlink_to(other)
        done = subprocess.run([harness.program(), "view", folder, "--port", "0"], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=PATIENCE)
        check(done.returncode == 3 and str(link) in done.stderr, f"{done.returncode} {done.stderr}")
        with Server(paths=(folder, other)) as server:
            wait_for(server, 1)


@case
def a_folder_that_comes_later_is_waited_for():
    with tempfile.TemporaryDirectory() as folder:
        logs = pathlib.Path(folder, "not", "yet")
        with Server("--logdir", str(logs), paths=()) as server:
            check(json.loads(ask(server, "/data/runs")[2]) == [], "runs where there is no folder")
            write_run(logs / "first", [scalar("loss", 0, 1.0)])
            check(wait_for(server, 1)[0]["name"] == "first", "the run has another name")


@case
def appended_points_are_told():
    with tempfile.TemporaryDirectory() as folder:
        path = write_run(pathlib.Path(folder, "run"), [scalar("loss", 0, 1.0)])
        with Server(paths=(folder,)) as server:
            run = wait_for(server, 1)[0]["id"]
            with server.connect() as stream:
                stream.sendall(harness.request(CHANGES))
                stream.settimeout(PATIENCE)
                with path.open("ab") as file:
                    file.write(scalar("loss", 1, 0.5))
                seen = b""
                while b'"points":2' not in seen:
                    part = stream.recv(65536)
                    check(part, f"the stream ended: {seen[-300:]!r}")
                    seen += part
            check(run.encode() in seen, "another run was told")
            points = json.loads(ask(server, "/data/plugin/scalars/scalars", {"run": "run", "tag": "loss"})[2])
            check([point[1:] for point in points] == [[0, 1.0], [1, 0.5]], f"{points}")


@case
def strangers_change_nothing_and_wrong_changes_are_said():
    with tempfile.TemporaryDirectory() as folder:
        write_run(pathlib.Path(folder, "run"), [scalar("loss", 0, 1.0)])
        with Server(paths=(folder,)) as server:
            run = wait_for(server, 1)[0]["id"]
            for body in (b"", b"[]", b"{", b'{"ids": 1, "set": {}}', b'{"ids": ["' + run.encode() + b'"], "set": {"color": "red;x:url(//e)"}}',
                         b'{"ids": ["' + run.encode() + b'"], "set": {"title": "x"}}', b"[" * 100_000):
                status, _, answer = server.get("/api/v1/runs/edit", "POST", body)
                check(status == 400, f"{body[:60]!r}: {status} {answer[:100]!r}")
            for body in (b"", b"{", b'{"charts": 7}', b'{"charts": [{"tag": "loss", "runs": [7]}], "width": -1}', b"[" * 100_000):
                status, _, answer = server.get("/api/v1/series/points", "POST", body)
                check(status == 400, f"{body[:60]!r}: {status} {answer[:100]!r}")
            server.check_alive()


if __name__ == "__main__":
    sys.exit(harness.main(__doc__))
