#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""convert.py TELLTALE DATA [FILTER]: every trace there goes from JSON to Perfetto and back, and from JSON to JSON.

Three comparisons a file, all as multisets of events read with Python's own json and with libprotobuf and
Perfetto's published schema (`pip install perfetto`), never with Telltale:
  json      the rewritten JSON holds the same events, arguments and top-level values
  pftrace   the slices, instants, counters, flows and annotations in the Perfetto file are those of the JSON
  back      the JSON made from the Perfetto file holds them again
and `telltale profile --json` gives the same numbers for all three. Then --redact: no absolute path and no private
top-level value of the original may stand anywhere in the result. Exit code 1 if anything differs.
"""

import collections
import decimal
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

NAMES = {"process_name", "process_labels", "process_sort_index", "thread_name", "thread_sort_index"}


def load_json(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    document = json.loads(data.decode("utf-8", "replace"), strict=False, parse_float=decimal.Decimal)
    if isinstance(document, list):
        return document, {}
    events = document.pop("traceEvents", None)
    return (events, document) if isinstance(events, list) else (None, None)


def ns(value):
    return int((decimal.Decimal(str(value)) * 1000).to_integral_value(rounding=decimal.ROUND_HALF_UP))


def key(value):
    """A pid or tid: 7, "7" and 7.0 are one."""
    if value is None:
        return ""
    try:
        return str(int(value))
    except ValueError:
        return str(value)


def canonical(value):
    """Arguments as text: numbers by value (1 and 1.0 differ), order of keys without meaning."""
    if isinstance(value, decimal.Decimal):
        return repr(float(value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{canonical(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return json.dumps(value)


def describe(events):
    """Multisets of what a list of Chrome events says."""
    said = collections.defaultdict(collections.Counter)
    names = {}  # of a name given twice the last one counts
    for event in events:
        phase = event.get("ph")
        place = (key(event.get("pid")), key(event.get("tid")))
        args = event.get("args") or {}
        if phase == "M":
            if event["name"] in NAMES:
                where = place if event["name"].startswith("thread") else place[0]
                value = next(iter(args.values()), None)
                names[(event["name"], where)] = str(value)
            else:
                said["metadata events"][canonical(event)] += 1
            continue
        if "ts" not in event:
            said["without time"][canonical(event)] += 1
            continue
        time = ns(event["ts"])
        others = {k: v for k, v in event.items() if k not in ("ph", "ts", "dur", "pid", "tid", "name", "cat", "args")}
        if phase == "X":
            said["slices"][(place, time, ns(event.get("dur", 0)), event.get("name"), event.get("cat"),
                            canonical(args), canonical(others))] += 1
        elif phase == "C":
            for series, value in args.items():
                said["counters"][(place, time, event["name"], event.get("cat"), series, canonical(value))] += 1
        elif phase in "stf":
            said["flows"][(phase, place, time, event.get("name"), event.get("cat"), canonical(args),
                           canonical(others))] += 1
        else:
            said["instants"][(phase, place, time, event.get("name"), event.get("cat"), canonical(args),
                              canonical(others))] += 1
    said["names"].update(names.items())
    return said


def annotation_value(annotation, texts):
    kind = annotation.WhichOneof("value")
    if annotation.dict_entries:
        return {annotation_name(a, texts): annotation_value(a, texts) for a in annotation.dict_entries}
    if annotation.array_values:
        return [annotation_value(a, texts) for a in annotation.array_values]
    if kind == "string_value_iid":
        return texts["debug_annotation_string_values"][annotation.string_value_iid]
    if kind == "legacy_json_value":
        return json.loads(annotation.legacy_json_value, parse_float=decimal.Decimal)
    return getattr(annotation, kind)


def annotation_name(annotation, texts):
    return texts["debug_annotation_names"].get(annotation.name_iid, "") if annotation.name_iid else annotation.name


def decode_pftrace(path, schema):
    """The same description, from the Perfetto file, by Perfetto's rules."""
    data = open(path, "rb").read()
    trace = schema.Trace()
    trace.ParseFromString(data)
    places, counters = {}, {}
    said = collections.defaultdict(collections.Counter)
    sequences = collections.defaultdict(lambda: collections.defaultdict(dict))
    marks, offset, kinds, top = [], 0, [], {}
    records = []

    def place_of(descriptor, fields):
        if descriptor.HasField("thread"):
            return key(descriptor.thread.pid), key(descriptor.thread.tid)
        return key(fields.get("pid")), key(fields.get("tid"))

    for packet in trace.packet:
        texts = sequences[packet.trusted_packet_sequence_id]
        if packet.sequence_flags & 1:
            texts.clear()
        for table in ("event_names", "event_categories", "debug_annotation_names"):
            for entry in getattr(packet.interned_data, table):
                texts[table][entry.iid] = entry.name
        for entry in packet.interned_data.debug_annotation_string_values:
            texts["debug_annotation_string_values"][entry.iid] = entry.str.decode()
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            fields = json.loads(descriptor.description) if descriptor.description else {}
            places[descriptor.uuid] = place_of(descriptor, fields)
            if descriptor.HasField("counter"):
                counters[descriptor.uuid] = (fields["counter"], fields["series"])
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        if packet.sequence_flags & 2 == 0:
            assert not event.name_iid and not event.category_iids and not event.debug_annotations
        name = texts["event_names"].get(event.name_iid)
        categories = [texts["event_categories"][i] for i in event.category_iids]
        category = ",".join(categories) if categories else None
        args = {annotation_name(a, texts): annotation_value(a, texts) for a in event.debug_annotations}
        if category == "__telltale":
            offset, kinds = args["time_offset"], args.get("flow_kinds", [])
            continue
        if category == "__metadata":
            top.update(args)
            continue
        time = packet.timestamp - offset
        if category == "__chrome_event":
            records.append((time, args))
            continue
        if event.type == schema.TrackEvent.TYPE_COUNTER:
            kind = event.WhichOneof("counter_value_field")
            counter, series = counters[event.track_uuid]
            said["counters"][(places[event.track_uuid], time, counter, category, series,
                              canonical(getattr(event, kind)))] += 1
            continue
        marks.append((time, event.track_uuid, event.type, name, category, args, list(event.flow_ids),
                      list(event.terminating_flow_ids), event.legacy_event))

    open_slices = collections.defaultdict(list)
    flows = collections.Counter()
    for mark in sorted(marks, key=lambda m: m[0]):  # stable: ties in file order
        time, uuid, kind, name, category, args, begins, ends, legacy = mark
        extra = args.pop("__chrome_fields", {})
        if kind == schema.TrackEvent.TYPE_SLICE_BEGIN:
            open_slices[uuid].append((time, name, category, args, extra))
            for flow_ids, phase in ((begins, "s"), (ends, "f")):
                for flow in flow_ids:
                    flows[(phase, places[uuid], time, flow)] += 1
        elif kind == schema.TrackEvent.TYPE_SLICE_END:
            start, name, category, args, extra = open_slices[uuid].pop()
            said["slices"][(places[uuid], start, time - start, extra.pop("name", name), category,
                            canonical(extra.pop("args", args)), canonical(extra))] += 1
        elif kind == schema.TrackEvent.TYPE_INSTANT:
            extra.setdefault("s", "t")
            if extra["s"] is None:
                del extra["s"]
            said["instants"][("i", places[uuid], time, name, category, canonical(args), canonical(extra))] += 1
        else:
            extra["id"] = legacy.unscoped_id
            said["instants"][(chr(legacy.phase), places[uuid], time, name, category, canonical(args),
                              canonical(extra))] += 1
    for uuid, rest in open_slices.items():
        assert not rest, f"{len(rest)} slices never end on track {uuid}"

    chrome = []
    for time, fields in records:
        fields = dict(fields)
        flow = fields.pop("flow_id", None)
        if flow is not None:
            spot = (fields["ph"], (key(fields["pid"]), key(fields["tid"])), time, flow)
            assert flows[spot] > 0, spot
            flows[spot] -= 1
        if "ts" in fields:
            del fields["ts"]
        else:
            fields["ts"] = decimal.Decimal(time) / 1000
        chrome.append(fields)
    for phase, place, time, flow in flows.elements():
        category = kinds[(flow >> 56) - 1]
        chrome.append({"ph": phase, "pid": place[0], "tid": place[1], "ts": decimal.Decimal(time) / 1000,
                       "cat": category, "name": "launch" if category == "async" else category,
                       "id": flow & (1 << 56) - 1, **({"bp": "e"} if phase == "f" else {})})
    for kind, counts in describe(chrome).items():
        said[kind].update(counts)
    return said, top


def compare(what, ours, theirs, skip=()):
    differences = 0
    for kind in sorted(set(ours) | set(theirs)):
        if kind in skip:
            continue
        missing, extra = theirs[kind] - ours[kind], ours[kind] - theirs[kind]
        if not missing and not extra:
            continue
        differences += 1
        print(f"    {what}: {kind}: {sum(missing.values())} missing, {sum(extra.values())} extra")
        for label, some in (("missing", missing), ("extra", extra)):
            for item in list(some)[:2]:
                print(f"      {label} {str(item)[:400]}")
    return differences


def profile(telltale, path):
    run = subprocess.run([telltale, "profile", path, "--json", "--quiet"], capture_output=True, text=True)
    if run.returncode:
        return run.stderr
    report = json.loads(run.stdout, object_hook=lambda o: {k: v for k, v in o.items() if k not in ("example_offset", "example", "row")})
    report.pop("files")
    # Formats differ in how many events say the same.
    if "answer" in report:
        report["answer"]["text"] = re.sub(r"holds [\d,]+ event", "holds some event", report["answer"]["text"])
    # A rank that the file does not say comes from its name, which is another one here.
    for rank in (report.get("distributed") or {}).get("ranks", []):
        rank.pop("rank", None)
    for diagnostic in report["diagnostics"]:
        diagnostic.pop("first_offset", None)
    # What is wrong with the text of one format is not wrong with that of another.
    text = {"trailing_comma", "unescaped_quote", "control_character", "invalid_utf8", "invalid_escape", "bare_word",
            "trailing_data", "second_document", "missing_comma", "zero_bytes", "skipped_text", "truncated", "missing_name", "malformed_event", "not_an_object",
            "missing_duration", "missing_time"}
    report["diagnostics"] = [d for d in report["diagnostics"] if d["kind"] not in text]
    return report


def differing(a, b, path=""):
    if type(a) is not type(b):
        return f"{path}: {str(a)[:80]} / {str(b)[:80]}"
    if isinstance(a, dict):
        for k in sorted(set(a) | set(b)):
            if k not in a or k not in b:
                return f"{path}.{k} only in one"
            found = differing(a[k], b[k], f"{path}.{k}")
            if found:
                return found
        return ""
    if isinstance(a, list):
        if len(a) != len(b):
            return f"{path}: {len(a)} / {len(b)} rows"
        return next((f for i, (x, y) in enumerate(zip(a, b)) if (f := differing(x, y, f"{path}[{i}]"))), "")
    return "" if a == b else f"{path}: {str(a)[:80]} / {str(b)[:80]}"


def check(telltale, path, folder, schema):
    events, top = load_json(path)
    wanted = describe([e for e in events if isinstance(e, dict)])
    wanted.pop("without time", None)
    rewritten, packed, back = (os.path.join(folder, n) for n in ("rewritten.json", "packed.pftrace", "back.json.gz"))
    for source, target in ((path, rewritten), (path, packed), (packed, back)):
        run = subprocess.run([telltale, "convert", source, target, "--force", "--quiet"], capture_output=True, text=True)
        if run.returncode:
            print("    convert failed:", run.stderr.strip())
            return 1
    bad = 0
    for what, target in (("json", rewritten), ("back", back)):
        got_events, got_top = load_json(target)
        bad += compare(what, describe(got_events), wanted)
        if canonical(got_top) != canonical(top):
            bad += 1
            print(f"    {what}: top-level values differ")
    if schema is not None:
        got, got_top = decode_pftrace(packed, schema)
        bad += compare("pftrace", got, wanted, skip=("names",))
        if canonical(got_top) != canonical(top):
            bad += 1
            print("    pftrace: top-level values differ")
    reports = [profile(telltale, p) for p in (path, rewritten, packed, back)]
    for what, report in zip(("json", "pftrace", "back"), reports[1:]):
        difference = differing(reports[0], report)
        if difference:
            bad += 1
            print(f"    profile --json of {what} differs: {difference}")
    return bad


PRIVATE = re.compile(r"host_name|username|trace_id|traceName|PT_PROFILER_JOB|mast|^tw_|job|user", re.I)
PATH = re.compile(r"(?<![\w/<>.)-])(?:~|\.\.?)?/(?:[\w.+@-]+/)+[\w.+@-]+|[\w.-]+/[\w./-]*\.py\b|[A-Za-z]:\\\\\\\\[\w.]+")


def check_redacted(telltale, path, top, folder):
    bad = 0
    for name in ("redacted.json", "redacted.pftrace"):
        target = os.path.join(folder, name)
        run = subprocess.run([telltale, "convert", path, target, "--force", "--quiet", "--redact"], capture_output=True,
                             text=True)
        if run.returncode:
            print("    convert --redact failed:", run.stderr.strip())
            return 1
        text = open(target, "rb").read().decode("utf-8", "replace")
        secrets = {str(v) for k, v in top.items() if PRIVATE.search(k) and len(str(v)) >= 4 and isinstance(v, str)}
        for secret in secrets:
            if secret in text:
                bad += 1
                print(f"    {name}: {secret!r} is still there")
        paths = PATH.findall(text) if name.endswith(".json") else []
        if paths:
            bad += 1
            print(f"    {name}: {len(paths)} paths are still there, such as {paths[0]!r}")
    return bad


def main():
    telltale, data = sys.argv[1:3]
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
    except ImportError:
        schema = None
        print("no Perfetto schema (pip install perfetto): the middle of the round trip is not decoded independently")
    files = bad = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for root in ("traces", "torch", "other_profilers"):
            for place, _, names in sorted(os.walk(os.path.join(data, root))):
                for name in sorted(names):
                    path = os.path.join(place, name)
                    if wanted not in path or not name.endswith((".json", ".json.gz")):
                        continue
                    try:
                        events, top = load_json(path)
                    except ValueError:
                        continue
                    if not events or not any(isinstance(e, dict) and e.get("ph") in ("X", "C") for e in events):
                        continue
                    if any(isinstance(e, dict) and e.get("ph") in ("B", "E") for e in events):
                        continue  # pairs are written as complete events
                    files += 1
                    total += len(events)
                    print(os.path.relpath(path, data), len(events), flush=True)
                    bad += check(telltale, path, folder, schema)
                    bad += check_redacted(telltale, path, top, folder)
    print(f"{files} files, {total} events, {bad} differences")
    sys.exit(1 if bad or not files else 0)


if __name__ == "__main__":
    main()
