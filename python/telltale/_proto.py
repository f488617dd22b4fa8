# SPDX-License-Identifier: Apache-2.0
"""Protocol buffers, as much of them as event files need: writing messages, and reading their outermost fields. Every function
gives encoded fields, which are joined by `+`; a field that has proto3's default value is left out, as other writers do."""
from __future__ import annotations

import struct
from typing import Iterable, Iterator, Sequence, Tuple, Union

# Types of tensors (tensorflow's types.proto).
DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, DT_STRING = 1, 2, 3, 4, 5, 6, 7
DT_COMPLEX64, DT_INT64, DT_BOOL, DT_BFLOAT16, DT_UINT16, DT_COMPLEX128 = 8, 9, 10, 14, 17, 18
DT_HALF, DT_UINT32, DT_UINT64 = 19, 22, 23


def varint(value: int) -> bytes:
    """Negative numbers take ten bytes, as int32 and int64 want it."""
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value) if value else b""


def double(field: int, value: float) -> bytes:
    return varint(field << 3 | 1) + struct.pack("<d", value) if value or value != value else b""


def single(field: int, value: float) -> bytes:
    """A float, written even if it is 0."""
    return varint(field << 3 | 5) + packed_float(value)


def packed_float(value: float) -> bytes:
    """What is too large for a float becomes infinite."""
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", float("inf") if value > 0 else float("-inf"))


def message(field: int, content: bytes) -> bytes:
    """A message, string or byte string, written even if it is empty."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field: int, value: Union[str, bytes]) -> bytes:
    content = value.encode("utf-8", "replace") if isinstance(value, str) else value
    return message(field, content) if content else b""


def doubles(field: int, values: Sequence[float]) -> bytes:
    """Packed, whatever their number."""
    return message(field, struct.pack(f"<{len(values)}d", *values)) if values else b""


def floats(field: int, values: Iterable[float]) -> bytes:
    content = b"".join(packed_float(value) for value in values)
    return message(field, content) if content else b""


def integers(field: int, values: Iterable[int]) -> bytes:
    content = b"".join(varint(value) for value in values)
    return message(field, content) if content else b""


def shape(sizes: Iterable[int]) -> bytes:
    """A TensorShapeProto."""
    return b"".join(message(2, integer(1, size)) for size in sizes)


def fields(content: bytes) -> Iterator[Tuple[int, Union[int, bytes]]]:
    """Numbers and contents of the fields of a message that was written here: no damaged input is expected."""
    place = 0

    def number() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = content[place]
            place += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    while place < len(content):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
            continue
        size = {1: 8, 5: 4}.get(key & 7) or number()
        yield key >> 3, content[place:place + size]
        place += size
