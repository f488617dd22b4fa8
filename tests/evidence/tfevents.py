#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every value of every sample event file with two others' reading of it, and tells what becomes of damaged files.

1. A decoder of its own (below: framing, checksums, protocol buffers), on all files: points with every bit, and the place of
   each value that is no scalar.
2. TensorBoard's own decoded events (tensorboard/events/*/oracle/events.jsonl).
3. tensorboard/damaged/cases: what TensorBoard's two loaders show of each, what we show and say, as a table. No case may show
   fewer points than TensorBoard's better loader, and none with a loss may be silent.
"""
import json
import math
import os
import re
import struct
import subprocess
import sys

from common import Report, arguments

CRC_TABLE = []
for index in range(256):
    crc = index
    for _ in range(8):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    CRC_TABLE.append(crc)


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """(offset of the payload, payload) of all records up to the first damage; those with a wrong payload are left out."""
    at = 0
    while at + 12 <= len(data):
        length, crc = struct.unpack_from("<QI", data, at)
        if masked_crc(data[at:at + 8]) != crc or at + 16 + length > len(data):
            return
        payload = data[at + 12:at + 12 + length]
        if masked_crc(payload) == struct.unpack_from("<I", data, at + 12 + length)[0]:
            yield at + 12, payload
        at += 16 + length


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value & (1 << 64) - 1, at


def fields(data, base=0):
    """(number, wire type, value, offset) of a message; a group is passed over."""
    at, depth = 0, 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, end = varint(data, at)
        elif kind in (1, 5):
            end = at + (8 if kind == 1 else 4)
            value = data[at:end]
        elif kind == 2:
            size, at = varint(data, at)
            end = at + size
            value = data[at:end]
        else:
            depth += 1 if kind == 3 else -1
            continue
        if depth == 0:
            yield number, kind, value, base + at
        at = end


def signed(value):
    return value - (1 << 64) if value >> 63 else value


FORMATS = {1: "f", 2: "d", 3: "i", 4: "B", 5: "h", 6: "b", 9: "q", 10: "?", 17: "H", 19: "e", 22: "I", 23: "Q"}


def numbers_of_tensor(data):
    """The numbers of a tensor, None if it holds none."""
    dtype = next((value for number, _, value, _ in fields(data) if number == 1), 0)
    numbers = []
    for number, kind, value, _ in fields(data):
        if number == 4 and value:
            if dtype == 14:
                numbers += [struct.unpack("<f", b"\0\0" + value[i:i + 2])[0] for i in range(0, len(value), 2)]
            elif dtype in FORMATS:
                numbers += struct.unpack(f"<{len(value) // struct.calcsize(FORMATS[dtype])}{FORMATS[dtype]}", value)
        elif number in (5, 6):
            form = "f" if number == 5 else "d"
            numbers += struct.unpack(f"<{len(value) // struct.calcsize(form)}{form}", value)
        elif number in (7, 10, 11, 13, 16, 17):
            items = [value]
            if kind == 2:
                items, at = [], 0
                while at < len(value):
                    item, at = varint(value, at)
                    items.append(item)
            for item in items:
                if number == 13:
                    form = ("<f", struct.pack("<I", item)) if item > 65535 else ("<e", struct.pack("<H", item))
                    item = struct.unpack(*form)[0]
                numbers.append(signed(item) if number in (7, 10) else item)
        elif number == 8:
            return None
    return numbers


def text(data):
    """As Unicode's replacement: one for each byte that is no UTF-8."""
    out, at = "", 0
    while at < len(data):
        for size in (1, 2, 3, 4):
            try:
                out += data[at:at + size].decode()
                at += size
                break
            except UnicodeDecodeError:
                pass
        else:
            out += "\ufffd"
            at += 1
    return out


def decode(data):
    """What our reader should say: {(tag, plugin): [values]}; a value is ("point", step, wall, value) or ("at", …)."""
    series, plugins = {}, {}
    for offset, payload in records(data):
        step, wall, summaries, others = 0, 0.0, [], []
        for number, kind, value, at in fields(payload, offset):
            if number == 1 and kind == 1:
                wall = struct.unpack("<d", value)[0]
            elif number == 2 and kind == 0:
                step = signed(value)
            elif number == 5 and kind == 2:
                summaries.append((value, at))
            elif number in (4, 8, 9) and kind == 2:
                others.append((number, value, at))

        def stored(tag, plugin, at, size, step=step, wall=wall):
            series.setdefault((tag, plugin), []).append(("at", step, wall, at, size))

        for number, value, at in others:
            if number == 8:
                parts = {n: (v, o) for n, k, v, o in fields(value, at) if k == 2}
                body, place = parts.get(2, (b"", at + len(value)))
                stored(text(parts.get(1, (b"", 0))[0]), "graph_tagged_run_metadata", place, len(body))
            else:
                stored(*(("__run_graph__", "graphs") if number == 4 else ("__meta_graph__", "meta_graphs")), at, len(value))
        for summary, place in summaries:
            for number, kind, value, at in fields(summary, place):
                if number != 1 or kind != 2:
                    continue
                tag, plugin, what, content = b"", None, None, None
                for part, form, bytes_, _ in fields(value):
                    if part == 1 and form == 2 or part == 7 and form == 2 and not tag:
                        tag = bytes_
                    elif part == 2 and form == 5 or part in (3, 4, 5, 6, 8) and form == 2:
                        what, content = part, bytes_
                    elif part == 9 and form == 2:
                        for n, k, data_of_plugin, _ in fields(bytes_):
                            if n == 1 and k == 2:
                                plugin = next((v.decode() for m, _, v, _ in fields(data_of_plugin) if m == 1), None)
                tag = text(tag)
                plugin = {2: "scalars", 4: "images", 5: "histograms", 6: "audio"}.get(what, plugin or plugins.get(tag, ""))
                if what not in (3, None) or plugin:
                    plugins.setdefault(tag, plugin)
                number = None
                if what == 2:
                    number = struct.unpack("<f", content)[0]
                elif what == 8 and plugin == "scalars":
                    found = numbers_of_tensor(content)
                    number = float(found[0]) if found and len(found) == 1 else None
                    plugin = plugin if number is not None else "tensor"
                if number is None:
                    stored(tag, plugin, at, len(value))
                else:
                    series.setdefault((tag, plugin), []).append(("point", step, wall, number))
    return series


def unquoted(value):
    return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}[value] if isinstance(value, str) else float(value)


def ours(program, path, suffix=()):
    done = subprocess.run([program, "convert", path, "-", "--to", "jsonl", "--quiet", *suffix], capture_output=True,
                          check=False)
    series = {}
    for line in done.stdout.decode().splitlines():
        row = json.loads(line)
        key = row["tag"], row["plugin"]
        wall = unquoted(row["wall_time"])
        if "value" in row:
            series.setdefault(key, []).append(("point", row["step"], wall, unquoted(row["value"])))
        else:
            series.setdefault(key, []).append(("at", row["step"], wall, row["offset"], row["bytes"]))
    return series


def bits(value):
    """Comparable: floats by their bits, all NaN alike."""
    def one(item):
        if not isinstance(item, float):
            return item
        return "nan" if math.isnan(item) else struct.pack("<d", item)
    return tuple(one(item) for item in value)


def differences(mine, theirs, where):
    found, compared = [], 0
    for key in sorted(set(mine) | set(theirs)):
        left, right = mine.get(key, []), theirs.get(key, [])
        compared += max(len(left), len(right))
        for i in range(max(len(left), len(right))):
            a = left[i] if i < len(left) else None
            b = right[i] if i < len(right) else None
            if a is None or b is None or bits(a) != bits(b):
                found.append((f"{where} {key} {i}", a, b, None))
    return compared, found


def oracle_points(path):
    """Scalars by file and tag, as TensorBoard's classes decode them."""
    files, plugins = {}, {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            for value in event.get("values", []):
                key = event["file"], value["tag"]
                plugin = value.get("metadata", {}).get("plugin")
                if value["kind"] == "simple_value":
                    plugin = "scalars"
                plugins.setdefault(key, plugin)
                plugin = plugin or plugins[key]
                if value["kind"] == "simple_value":
                    number = value["value"]
                elif value["kind"] == "tensor" and plugin == "scalars" and len(value["tensor"].get("values", [])) == 1:
                    number = value["tensor"]["values"][0]
                else:
                    continue
                points = files.setdefault(event["file"], {}).setdefault((value["tag"], "scalars"), [])
                points.append(("point", event["step"], unquoted(event["wall_time"]), unquoted(number)))
    return files


def event_files(folder):
    return sorted(os.path.join(root, name) for root, _, names in os.walk(folder) for name in names if "tfevents" in name)


def compare_samples(program, data, only, report):
    for top in ("tfevents", "tensorboard/events"):
        compared, found = 0, []
        for path in event_files(os.path.join(data, top)):
            if only not in path:
                continue
            with open(path, "rb") as stream:
                theirs = decode(stream.read())
            more, differ = differences(ours(program, path), theirs, os.path.relpath(path, data))
            compared, found = compared + more, found + differ
        report.table(f"{top}, by a second decoder", compared, found)


def compare_oracles(program, data, only, report):
    events = os.path.join(data, "tensorboard", "events")
    compared, found = 0, []
    for case in sorted(os.listdir(events)):
        oracle = os.path.join(events, case, "oracle", "events.jsonl")
        if only not in case or not os.path.exists(oracle):
            continue
        for name, theirs in oracle_points(oracle).items():
            path = os.path.join(events, case, "logdir", name)
            mine = {key: values for key, values in ours(program, path).items() if key[1] == "scalars"}
            if case == "long":  # its oracle has the first and last events of each file only
                mine = {key: [v for v in values if v in theirs.get(key, [])] for key, values in mine.items() if key in theirs}
            more, differ = differences(mine, theirs, f"{case} {name}")
            compared, found = compared + more, found + differ
    report.table("tensorboard/events, by TensorBoard's classes", compared, found)


def findings(program, path):
    done = subprocess.run([program, "validate", "--json", "--quiet", path], capture_output=True, check=False)
    if not done.stdout:
        return "refused: " + done.stderr.decode().strip().splitlines()[-1][:90] if done.stderr else "refused"
    document = json.loads(done.stdout)
    return ", ".join(f"{f['kind']} {f['count']}" + (f" @{f['first_offset']}" if f["first_offset"] is not None else "")
                     for f in document["findings"]) or "sound"


def counted(words):
    """Points by tag in a cell of the table: "acc 32, loss 33"."""
    if not re.match(r"\d+ runs?:", words):
        return {}  # it ended
    return {tag: int(count) for tag, count in re.findall(r"(\w+) (\d+)", words.split("says:")[0].split(":", 1)[-1])}


def damaged_table(program, data, report):
    folder = os.path.join(data, "tensorboard", "damaged")
    cases = os.path.join(folder, "cases")
    theirs = {}
    with open(os.path.join(folder, "TABLE.md"), encoding="utf-8") as lines:
        for line in lines:
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            if len(cells) == 3:
                theirs[cells[0].strip("| ")] = cells[1:]
    found, compared = [], 0
    print("| case | TensorBoard, slow loader | TensorBoard, fast loader | Telltale shows | Telltale says |")
    print("|---|---|---|---|---|")
    for case in sorted(os.listdir(cases)):
        counts, said = {}, set()
        for path in event_files(os.path.join(cases, case)):
            for (tag, plugin), values in ours(program, path).items():
                if plugin == "scalars":
                    counts[tag] = counts.get(tag, 0) + len(values)
            said.add(findings(program, path))
        slow, fast = theirs.get(case, ["", ""])
        shown = ", ".join(f"{tag} {count}" for tag, count in sorted(counts.items())) or "no points"
        print(f"| {case} | {slow[:60]} | {fast[:60]} | {shown} | {'; '.join(sorted(said))} |")
        compared += 1
        if "runs:" in slow:
            continue  # several runs in one folder
        best = {}
        # A flipped bit that nobody checks is no point, and a value under a wrong tag is none of it.
        loaders = (slow,) if case in ("bad_payload_crc", "flipped_value_bit", "bad_crc_first_record") else (slow, fast)
        for cell in loaders:
            for tag, count in counted(cell).items():
                best[tag] = max(best.get(tag, 0), count)
        for tag, count in best.items():
            if counts.get(tag, 0) < count:
                found.append((f"{case} {tag}", counts.get(tag, 0), count, None))
        if sum(counts.values()) < 76 and said == {"sound"} and case not in ("empty_file", "version_only", "profile_empty"):
            found.append((case, "silent", "a word about what is missing", None))
    report.table("damaged files", compared, found)


def main():
    options = arguments(__doc__.splitlines()[0])
    if options.oracle or not os.path.isdir(os.path.join(options.data, "tensorboard")):
        print("skipped: no program, or no event files in", options.data)
        return 0
    report = Report(options.all)
    compare_samples(options.telltale, options.data, options.only, report)
    compare_oracles(options.telltale, options.data, options.only, report)
    if not options.only:
        damaged_table(options.telltale, options.data, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
