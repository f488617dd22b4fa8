#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks a running `telltale view` for the timeline of every trace and holds the answers against an independent model."""
import http.client
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import time
import urllib.parse

from common import Report, arguments
from timeline_model import Timeline
from trace_reader import Trace

SAMPLES = 60
# The model is quadratic here and there.
MOST_EVENTS = 200_000


def traces(data):
    for folder in ("traces", "torch"):
        for where, _, files in sorted(os.walk(os.path.join(data, folder))):
            for name in sorted(files):
                if name.endswith((".json", ".json.gz")):
                    yield os.path.join(where, name)


class View:
    """`telltale view` with one file, for the time of a block."""

    def __init__(self, program, path):
        self.process = subprocess.Popen([program, "view", path, "--port", "0"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)/", line).group(1)) if line else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.process.stdout.close()

    def get(self, path, **query):
        """The body; waits while the profile is being loaded; None for any other answer than 200."""
        target = "/api/v1" + path + ("?" + urllib.parse.urlencode(query) if query else "")
        for _ in range(600):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            connection.request("GET", target, headers={"Host": f"localhost:{self.port}"})
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            if answer.status == 200:
                return body
            if answer.status != 202:
                return None
            time.sleep(0.05)
        return None

    def timeline(self):
        if self.port is None:
            return None
        for profile in json.loads(self.get("/profiles"))["profiles"]:
            base = f"/profiles/{profile['id']}/timeline"
            layout = self.get(base)
            return (base, json.loads(layout)) if layout else None
        return None


def decode_spans(data):
    """[(track, depth, start, duration, event, count, name, category)] as docs/http-api.md has them, and their total."""
    magic, row_count, count, name_count, _, total = struct.unpack_from("<4s5I", data)
    if magic != b"TTS2":
        raise ValueError("no TTS2")
    at = 24
    rows = [struct.unpack_from("<4I", data, at + 16 * row) for row in range(row_count)]
    at += 16 * row_count
    columns = []
    for code, size in (("d", 8), ("d", 8), ("I", 4), ("I", 4), ("I", 4), ("B", 1)):
        columns.append(struct.unpack_from(f"<{count}{code}", data, at))
        at += size * count
    at += -at % 4
    names = json.loads(data[at:])
    if len(names) != name_count:
        raise ValueError("wrong number of names")
    boxes = []
    for track, depth, first, size in rows:
        for i in range(first, first + size):
            start, duration, event, events, name, category = (column[i] for column in columns)
            boxes.append((track, depth, start, duration, event, events, names[name], category))
    if len(boxes) != count:
        raise ValueError("rows do not sum to the spans")
    return boxes, total


def all_spans(view, base, **query):
    boxes, total = decode_spans(view.get(base + "/spans", **query))
    while len(boxes) < total:
        boxes += decode_spans(view.get(base + "/spans", skip=len(boxes), **query))[0]
    return boxes


class Comparison:
    def __init__(self):
        self.compared = 0
        self.differences = []

    def equal(self, where, ours, expected):
        self.compared += 1
        if ours != expected:
            self.differences.append((where, ours, expected, None))


def compare_counts(view, base, layout, model, found):
    shown = [track for track in layout["tracks"] if track["kind"] in ("thread", "python", "stream", "annotations")]
    found.equal("spans in the layout", sum(track["spans"] for track in shown), len(model.placed))
    if not shown:
        return
    first, last = min(t["first_ns"] for t in shown), max(t["last_ns"] for t in shown)
    ids = ",".join(str(track["id"]) for track in shown)
    for width in (1, 90, 1900):
        boxes = all_spans(view, base, start=first, end=last + 1, width=width, tracks=ids)
        sums = {}
        for box in boxes:
            sums[box[0]] = sums.get(box[0], 0) + box[5]
        for track in shown:
            found.equal(f"events shown in {track['name']} at {width}", sums.get(track["id"], 0), track["spans"])
        rows = {}
        for box in boxes:
            rows.setdefault(box[:2], []).append(box)
        for (track, depth), row in rows.items():
            apart = all(a[2] + a[3] <= b[2] for a, b in zip(row, row[1:]))
            found.equal(f"boxes of track {track} row {depth} are apart at {width}", apart, True)
            found.equal(f"boxes of track {track} row {depth} fit {width} pixels", len(row) <= 3 * width + 4, True)


def compare_events(view, base, origin, trace, model, found, choose):
    """Where single events are, and what is around them. Returns thread and part -> track."""
    tracks = {}
    wanted = set(choose.sample(range(len(model.placed)), min(SAMPLES, len(model.placed))))
    for row, placed in enumerate(model.placed):
        if (placed.event.thread, placed.part) not in tracks:
            tracks[placed.event.thread, placed.part] = None
            wanted.add(row)
    for row in sorted(wanted):
        placed = model.placed[row]
        event = placed.event
        got = json.loads(view.get(base + "/event", file=0, row=row))
        label = f"event {row} {event.name[:40]}"
        tracks[event.thread, placed.part] = got["track"]
        found.equal(label + " name", got["name"], event.name)
        found.equal(label + " time", int(got["time_ns"]), event.start + trace.base_ns)
        found.equal(label + " start", got["start_ns"], event.start + trace.base_ns - origin)
        found.equal(label + " duration", got["duration_ns"], event.duration)
        found.equal(label + " depth", got["depth"], placed.row)
        found.equal(label + " self", got["self_ns"], model.self_time(placed))
        found.equal(label + " children", got["child_count"], model.children(placed))
        found.equal(label + " parents", [parent["start_ns"] + origin - trace.base_ns for parent in got["parents"]],
                    [parent.event.start for parent in model.parents(placed)])
        found.equal(label + " arguments", set(got["arguments"] or {}), set(event.args))
        if event.kind != "python":
            frames = [frame["row"] for frame in got["stack"] if frame["row"] is not None]
            if frames and event.kind not in ("kernel", "memcpy", "memset"):
                members = model.tracks[event.thread, "python"]
                running = [p for p in members if p.event.start <= event.start < p.event.end]
                found.equal(label + " stack", [model.placed[frame].event.name for frame in reversed(frames)],
                            [p.event.name for p in running])
    return tracks


def compare_sums(view, base, origin, trace, model, tracks, found, choose):
    first = min(placed.event.start for placed in model.placed)
    last = max(placed.event.end for placed in model.placed)
    for _ in range(3):
        start, end = sorted(choose.randint(first, last) for _ in range(2))
        end = max(end, start + 1)
        names, covered = model.sums(start, end)
        shift = trace.base_ns - origin
        got = json.loads(view.get(base + "/selection", start=start + shift, end=end + shift, limit=10000))
        ours = {}
        for row in got["names"]:
            count, total = ours.get(row["name"], (0, 0))
            ours[row["name"]] = (count + row["count"], total + row["total_ns"])
        if got["names_total"] <= 10000:
            for name in set(ours) | set(names):
                found.equal(f"sum of {name[:40]} in a range", ours.get(name), names.get(name))
        busy = {row["track"]: row["busy_ns"] for row in got["tracks"]}
        for key, time_ns in covered.items():
            found.equal(f"busy time of {key}", busy.get(tracks[key]), time_ns)
    for placed in choose.sample(model.placed, min(3, len(model.placed))):
        text = placed.event.name[:12]
        if not text:
            continue
        got = json.loads(view.get(base + "/search", q=text.upper() if text.isascii() else text, limit=5))
        matches = sorted(p.event.start for p in model.placed if text.lower() in p.event.name.lower())
        found.equal(f"matches of {text}", got["total"], len(matches))
        found.equal(f"first matches of {text}", [match["start_ns"] for match in got["matches"]],
                    [time_ns + trace.base_ns - origin for time_ns in matches[:5]])


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        print("only for the program: the model is the oracle")
        return 0
    report = Report(options.all)
    for path in traces(options.data):
        label = os.path.relpath(path, options.data)
        if options.only not in label:
            continue
        try:
            trace = Trace(path)
        except ValueError:
            continue  # other JSON, or a broken file
        if len(trace.events) > MOST_EVENTS:
            print(f"  {label}: {len(trace.events)} events, left out")
        if not 0 < len(trace.events) <= MOST_EVENTS:
            continue
        model = Timeline(trace.events)
        found = Comparison()
        choose = random.Random(7)
        with View(options.telltale, path) as view:
            answer = view.timeline()
            if answer is None:
                print(f"  {label}: no timeline")
                continue
            base, layout = answer
            origin = int(layout["origin_ns"])
            compare_counts(view, base, layout, model, found)
            if not found.differences:
                tracks = compare_events(view, base, origin, trace, model, found, choose)
                compare_sums(view, base, origin, trace, model, tracks, found, choose)
        report.table(f"{label} ({len(model.placed)} events)", found.compared, found.differences)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
