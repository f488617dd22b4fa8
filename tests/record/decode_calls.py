#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: decode_calls.py FILE.calls
The calls of a process (src/record/CALLS.md), read a second time, independently of src/collect: prints each path with its
calls and nanoseconds. `decode(bytes)` is for tests."""
import struct
import sys

EXTENT = 1 << 20
HEADER = struct.Struct("<8s6I2Qq Qd Q")
NODE = struct.Struct("<2I3Q32x")
FUNCTION = struct.Struct("<2Ii3IQ")
THREAD, PYTHON, NATIVE, ACTION = 1, 2, 3, 4


def decode(data):
    """(header, functions, nodes): header a dict; functions [(kind, file, line, name, uncounted)]; nodes [(parent or None,
    function, calls, ticks, entered)]."""
    names = ("magic", "version", "extent_bytes", "state", "extent_count", "node_count", "function_count", "pid", "first_ticks",
             "first_wall_ns", "last_ticks", "ticks_per_second", "uncounted")  # fmt: skip
    header = dict(zip(names, HEADER.unpack_from(data)))
    assert header["magic"] == b"TLCALL01" and header["version"] == 1 and header["extent_bytes"] == EXTENT
    kinds = data[HEADER.size : HEADER.size + header["extent_count"]]
    functions, nodes = [], []
    for number, kind in enumerate(kinds):
        at, end = number * EXTENT, (number + 1) * EXTENT
        while kind == 1 and at < end and len(nodes) < header["node_count"]:
            parent, function, calls, ticks, entered = NODE.unpack_from(data, at)
            nodes.append((parent - 1 if parent else None, function, calls, ticks, entered))
            at += 64
        while kind == 2 and at + FUNCTION.size <= end and len(functions) < header["function_count"]:
            size, what, line, file_size, name_size, _, uncounted = FUNCTION.unpack_from(data, at)
            if size == 0:
                break
            text = at + FUNCTION.size
            functions.append((what, data[text : text + file_size].decode("utf-8", "replace"), line,
                              data[text + file_size : text + file_size + name_size].decode("utf-8", "replace"), uncounted))  # fmt: skip
            at += size
    return header, functions, nodes


def main():
    with open(sys.argv[1], "rb") as file:
        header, functions, nodes = decode(file.read())
    ns = 1e9 / header["ticks_per_second"]
    depth = []
    for parent, function, calls, ticks, entered in nodes:
        depth.append(0 if parent is None else depth[parent] + 1)
        if entered:
            ticks += max(0, header["last_ticks"] - entered)
        kind, file, line, name, _ = functions[function]
        print("%s%s %s:%d calls %d, %d ns" % ("  " * depth[-1], name, file, line, calls, ticks * ns))
    print(header)


if __name__ == "__main__":
    main()
