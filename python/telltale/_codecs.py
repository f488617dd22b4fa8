# SPDX-License-Identifier: Apache-2.0
"""Pictures, films and sound as files: PNG, animated GIF and WAV, with the standard library and a few native loops alone. What
comes in are plain bytes: rows of pixels from the top, samples in the order of time."""
from __future__ import annotations

import struct
import zlib
from typing import List, NamedTuple, Sequence

from telltale import _native


class Pixels(NamedTuple):
    """8 bits a channel, channels of a pixel together: 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA."""

    height: int
    width: int
    channels: int
    data: bytes


def png(pixels: Pixels) -> bytes:
    height, width, channels, data = pixels
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    rows = _native.png_filter(data, width * channels, channels) if data else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b"")


def gif(frames: Sequence[Pixels], frames_per_second: float) -> bytes:
    """Endless. Colours are exact where a film has 256 or fewer, else the nearest of a cube of 6 × 7 × 6."""
    height, width = frames[0].height, frames[0].width
    # Hundredths of a second; browsers play 0 and 1 slowly.
    delay = max(2, round(100 / frames_per_second)) if frames_per_second > 0 else 25
    palette, pictures = _native.gif_indices([_rgb(frame) for frame in frames])
    bits = max(2, (len(palette) // 3 - 1).bit_length())
    palette += bytes(3 * (1 << bits) - len(palette))
    out = [b"GIF89a", struct.pack("<HHBBB", width, height, 0xF0 | bits - 1, 0, 0), palette,
           b"\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00"]
    for picture in pictures:
        out.append(b"\x21\xF9\x04\x04" + struct.pack("<H", delay) + b"\x00\x00")
        out.append(b"\x2C" + struct.pack("<HHHHB", 0, 0, width, height, 0) + bytes([bits]))
        codes = _native.gif_compress(picture, bits)
        out.extend(bytes([len(codes[at:at + 255])]) + codes[at:at + 255] for at in range(0, len(codes), 255))
        out.append(b"\x00")
    return b"".join(out) + b"\x3B"


def _rgb(pixels: Pixels) -> bytes:
    data, channels = pixels.data, pixels.channels
    if channels == 3:
        return data
    out = bytearray(pixels.height * pixels.width * 3)
    for channel in range(3):
        out[channel::3] = data[channel if channels == 4 else 0::channels]
    return bytes(out)


def wav(samples: bytes, channels: int, rate: int) -> bytes:
    """`samples`: 16 bits each, little-endian, channels of a moment together."""
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(samples), b"WAVE", b"fmt ", 16, 1, channels, rate,
                       rate * channels * 2, channels * 2, 16, b"data", len(samples))
    return head + samples


def size_of(content: bytes) -> "List[int]":
    """Width and height that a PNG, GIF or JPEG says of itself; zeros for anything else."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) >= 24:
        return list(struct.unpack(">II", content[16:24]))
    if content[:4] == b"GIF8" and len(content) >= 10:
        return list(struct.unpack("<HH", content[6:10]))
    if content[:2] == b"\xff\xd8":
        at = 2
        while at + 9 < len(content) and content[at] == 0xFF:
            if 0xC0 <= content[at + 1] <= 0xCF and content[at + 1] not in (0xC4, 0xC8, 0xCC):
                height, width = struct.unpack(">HH", content[at + 5:at + 9])
                return [width, height]
            at += 2 + struct.unpack(">H", content[at + 2:at + 4])[0]
    return [0, 0]
