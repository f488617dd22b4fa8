#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/record/decode_region.py REGION

Prints the records of a region as one JSON document a line, chunk by chunk in the order of serials. Written from
src/record/FORMAT.md alone, to be compared with the reader of the collector.
"""
import bisect
import json
import math
import pathlib
import struct
import sys

HEADER = 65536
CHUNK = 65536
NO_STEP = -(2 ** 63)
KINDS = {2: "scalar", 3: "text", 4: "value", 5: "note", 6: "span_begin", 7: "span_end", 8: "instant", 9: "counter",
         10: "step_begin", 11: "step_end", 12: "heartbeat"}


def text(raw):
    return raw.split(b"\0")[0].decode("utf-8", "replace")


class Region:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.data = self.path.read_bytes()
        magic, layout, header, chunk, self.state, self.pid, self.start, self.made = struct.unpack_from("<8sIIIIQQq", self.data, 0)
        if (magic, layout, header, chunk) != (b"TLTALE01", 1, HEADER, CHUNK):
            raise ValueError(f"{path}: no region of layout 1")
        self.rank, self.local_rank, self.world_size, self.role = struct.unpack_from("<iiiI", self.data, 48)
        self.clock, count = struct.unpack_from("<II", self.data, 64)
        (self.rate,) = struct.unpack_from("<d", self.data, 72)
        self.dropped, self.held, self.lost, self.parent, self.heartbeat = struct.unpack_from("<QQQQQ", self.data, 80)
        self.program = text(self.data[120:152])
        first = max(0, count - 2047)
        self.pairs = sorted(struct.unpack_from("<Qq", self.data, 256 + i % 2048 * 16) for i in range(first, count))
        self.chunks = []
        for number in range((len(self.data) - HEADER) // CHUNK):
            at = HEADER + number * CHUNK
            serial, state, lane, thread, committed, thread_serial, ticks, wall = struct.unpack_from("<QIIQIIQq", self.data, at)
            (released,) = struct.unpack_from("<Q", self.data, at + 64)
            if serial not in (0, released):
                self.chunks.append((serial, lane, thread, at + 128, committed, (ticks, wall)))
        self.chunks.sort()
        self.names = {0: ""}
        for _, lane, _, at, committed, _ in self.chunks:
            if lane == 3:
                for kind, _, name, body in self.records(at, committed):
                    assert kind == 1, kind
                    (size,) = struct.unpack_from("<Q", body)
                    self.names[name] = body[8:8 + size].decode("utf-8", "replace")

    def records(self, at, committed):
        end = at + committed
        while at < end:
            kind, flags, words, name = struct.unpack_from("<BBHI", self.data, at)
            if words == 0 or at + words * 8 > end:
                raise ValueError(f"a record of {words * 8} bytes at {at}")
            yield kind, flags, name, self.data[at + 8:at + words * 8]
            at += words * 8

    def wall(self, ticks, own):
        per_tick = 1e9 / self.rate
        after = bisect.bisect_right([pair[0] for pair in self.pairs], ticks)
        if after == 0:
            base, rate = own, per_tick
        elif after == len(self.pairs):
            base, rate = self.pairs[-1], per_tick
            if base[0] < own[0] <= ticks:
                base = own
        else:
            base, following = self.pairs[after - 1], self.pairs[after]
            rate = (following[1] - base[1]) / (following[0] - base[0])
            if not per_tick * 0.9 < rate < per_tick * 1.1:
                rate = per_tick
        return base[1] + int((ticks - base[0]) * rate)

    def decoded(self):
        for _, lane, thread, at, committed, own in self.chunks:
            if lane == 3:
                continue
            for kind, flags, name, body in self.records(at, committed):
                if kind == 13:
                    (thread,) = struct.unpack_from("<Q", body)
                    continue
                (ticks,) = struct.unpack_from("<Q", body)
                record = {"kind": KINDS[kind], "thread": thread, "name": self.names.get(name, f"unknown/{name}"),
                          "wall_ns": struct.unpack_from("<q", body)[0] if flags & 1 else self.wall(ticks, own),
                          "step": None, "value": None, "bytes": "", "data_wait_ns": -1}
                if kind == 2:
                    record["value"], record["step"] = struct.unpack_from("<dq", body, 8)
                elif kind in (3, 4, 5):
                    record["step"], size = struct.unpack_from("<qQ", body, 8)
                    stored = body[24:24 + size]
                    if flags & 2:
                        number, size = struct.unpack("<QQ", stored)
                        stored = (self.path.parent / f"blob-{self.path.stem}-{number}").read_bytes()
                        assert len(stored) == size
                    record["bytes"] = stored.hex()
                elif kind == 9:
                    (record["value"],) = struct.unpack_from("<d", body, 8)
                elif kind == 10:
                    (record["step"],) = struct.unpack_from("<q", body, 8)
                elif kind == 11:
                    record["step"], begin, record["data_wait_ns"] = struct.unpack_from("<qQq", body, 8)
                    record["value"] = -1.0 if begin == 0 or begin > ticks else float(math.floor((ticks - begin) * 1e9 / self.rate + 0.5))
                if record["step"] == NO_STEP:
                    record["step"] = None
                if record["value"] is not None and not math.isfinite(record["value"]):
                    record["value"] = str(record["value"])
                if kind in (7, 12, 10, 11):
                    record["name"] = ""
                yield record


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    for record in Region(sys.argv[1]).decoded():
        print(json.dumps(record))
    return 0


if __name__ == "__main__":
    sys.exit(main())
