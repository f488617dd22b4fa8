#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a small file of samples (src/formats/samples/FORMAT.md), independently of the program's own writer.

    tests/generators/make_samples.py > tests/data/functions/samples.tts

Two minutes from 2026-11-15T14:02:30Z on, a block a second: a minute that loads, then one that trains, beside a
thread that waits.
"""
import struct
import sys

START_NS = 1_794_751_350 * 10**9
TEXTS = ["train.py", "MainThread", "thread 9", "main", "load", "step", "watch"]
FUNCTIONS = [3, 0, 1, 4, 0, 10, 5, 0, 20, 6, 0, 30]  # name, file, line
NODES = [0, 0, 1, 1, 1, 2, 0, 3]  # parent + 1, function


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field * 8) + varint(value)


def data(field, value):
    return varint(field * 8 + 2) + varint(len(value)) + value


def packed(field, values):
    return data(field, b"".join(map(varint, values)))


def crc32c(value):
    crc = 0xFFFFFFFF
    for byte in value:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def block(second):
    payload = b""
    if second == 0:
        payload += number(1, START_NS) + number(2, 10_000_000)
        payload += number(3, 0) + b"".join(data(4, text.encode()) for text in TEXTS)
        payload += number(5, 0) + packed(6, FUNCTIONS)
        payload += number(7, 0) + packed(8, [7, 7, 1, 7, 9, 2])
        payload += number(9, 0) + packed(10, NODES)
    payload += number(11, second * 1_000_000) + number(12, 1_000_000)
    # node, state + 4 × line, samples, µs: a quarter in Python, the rest in native code below it.
    node, line = (1, 12) if second < 60 else (2, 21)
    main = [node, 4 * line, 25, 250_000, node, 4 * (line + 1) + 1, 75, 750_000]
    payload += data(13, number(1, 0) + packed(2, main))
    payload += data(13, number(1, 1) + packed(2, [3, 4 * 31 + 2, 100, 1_000_000]))
    return b"TTS1" + struct.pack("<II", len(payload), crc32c(payload)) + payload


sys.stdout.buffer.write(b"".join(block(second) for second in range(120)))
