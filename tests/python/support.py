# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share: reading event files and regions without any of the package's own code, and running
programs in processes of their own."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["TELLTALE_PYTHON_BUILD"])


def varint(content, place):
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place


def fields(content):
    """{field: [values]} of a protocol buffer message: integers, or bytes."""
    found, place = {}, 0
    while place < len(content):
        key, place = varint(content, place)
        kind = key & 7
        if kind == 0:
            value, place = varint(content, place)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, place = varint(content, place)
            value = content[place:place + size]
            if len(value) != size:
                raise ValueError("a field is cut")
            place += size
        found.setdefault(key >> 3, []).append(value)
    return found


def crc32c(content):
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(path):
    """The events of a file; ValueError for a wrong frame."""
    content, place = pathlib.Path(path).read_bytes(), 0
    while place < len(content):
        (size,) = struct.unpack_from("<Q", content, place)
        head, event = content[place:place + 8], content[place + 12:place + 12 + size]
        if struct.unpack_from("<I", content, place + 8)[0] != crc32c(head):
            raise ValueError(f"{path}: the length at {place} has a wrong checksum")
        if struct.unpack_from("<I", content, place + 12 + size)[0] != crc32c(event):
            raise ValueError(f"{path}: the event at {place} has a wrong checksum")
        yield fields(event)
        place += 16 + size


def event_files(folder):
    return sorted(pathlib.Path(folder).rglob("*tfevents*"))


def values(folder):
    """[(tag, step, {field: …} of the value)] of all event files below a folder."""
    found = []
    for path in event_files(folder):
        for event in records(path):
            for summary in event.get(5, []):
                for value in fields(summary).get(1, []):
                    parts = fields(value)
                    found.append((parts[1][0].decode(), event.get(2, [0])[0], parts))
    return found


class Program:
    """What a Python program did."""

    def __init__(self, done):
        self.output, self.errors, self.code = done.stdout, done.stderr, done.returncode

    def json(self):
        return json.loads(self.output.splitlines()[-1])


class Case(unittest.TestCase):
    """A folder of its own for each test."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_program(self, source, recorded=False, expect=0, **environment):
        """Runs the source in the test's folder; `recorded`: as below `telltale run`."""
        surroundings = {key: value for key, value in os.environ.items() if not key.startswith("TELLTALE_")}
        surroundings.update(PYTHONPATH=str(BUILD), PATH="/usr/bin:/bin", TELLTALE_PROGRAM="", **environment)
        if recorded:
            surroundings["TELLTALE_RUN_DIR"] = str(self.folder / "run")
        done = subprocess.run([sys.executable, "-c", source], cwd=self.folder, env=surroundings, capture_output=True, text=True,
                              check=False, timeout=120)
        if expect is not None and done.returncode != expect:
            self.fail(f"the program ended with {done.returncode}:\n{done.stderr}")
        return Program(done)

    def recorded(self, folder=None):
        """What the processes of the run left in their regions: [{kind, name, value, step, bytes}], names given as text."""
        live = pathlib.Path(folder or self.folder / "run") / ".live"
        return [record for path in sorted(live.glob("*.ring")) for record in region(path)]


KINDS = {1: "name", 2: "scalar", 3: "text", 4: "value", 5: "note", 6: "span_begin", 7: "span_end", 8: "instant", 9: "counter",
         10: "step_begin", 11: "step_end", 12: "heartbeat", 13: "thread"}
NO_STEP = -2**63


def region(path):
    """The records of a region in the order of their chunks (src/record/FORMAT.md)."""
    content = path.read_bytes()
    if content[:8] != b"TLTALE01":
        raise ValueError(f"{path} is no region")
    header, chunk = struct.unpack_from("<II", content, 12)
    chunks = []
    for start in range(header, len(content), chunk):
        serial, _, lane, _, committed = struct.unpack_from("<QIIQI", content, start)
        if serial:
            chunks.append((serial, lane, content[start + 128:start + 128 + committed]))
    names, found = {}, []
    for _, _, records_of in sorted(chunks):
        place = 0
        while place < len(records_of):
            kind, flags, words, name = struct.unpack_from("<BBHI", records_of, place)
            body = records_of[place + 8:place + 8 * words]
            place += 8 * words
            record = {"kind": KINDS[kind], "name": name, "flags": flags}
            if kind == 1:
                (size,) = struct.unpack_from("<Q", body)
                names[name] = body[8:8 + size].decode()
                continue
            record["ticks"] = struct.unpack_from("<Q", body)[0]
            if kind == 2:
                record["value"], record["step"] = struct.unpack_from("<dq", body, 8)
            elif kind in (3, 4, 5):
                record["step"], size = struct.unpack_from("<qQ", body, 8)
                record["bytes"] = body[24:24 + size]
                if flags & 2:
                    number, _ = struct.unpack("<QQ", record["bytes"])
                    record["bytes"] = path.with_name(f"blob-{path.stem}-{number}").read_bytes()
            elif kind == 9:
                (record["value"],) = struct.unpack_from("<d", body, 8)
            elif kind == 10:
                (record["step"],) = struct.unpack_from("<q", body, 8)
            elif kind == 11:
                record["step"], _, record["data_wait_ns"] = struct.unpack_from("<qQq", body, 8)
            found.append(record)
    for record in found:
        record["name"] = names.get(record["name"])
    return found
