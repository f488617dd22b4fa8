# SPDX-License-Identifier: Apache-2.0
"""Pixels out of arrays, figures and PIL's images: axes put in order, several pictures in one grid, frames of a film, boxes drawn
in, sizes changed. Encoding them is _codecs' business."""
from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence

from telltale import _arrays
from telltale._codecs import Pixels


def from_array(values: Any, axes: str) -> Pixels:
    """`axes`: the meaning of each axis, of N, C, H and W in any order. Numbers are 0…255 in an array of uint8, else 0…1. One channel
    becomes three equal ones; several pictures become a grid, eight in a row."""
    found = _arrays.to_array(values)
    axes = axes.upper()
    if len(axes) != found.ndim or len(set(axes)) != len(axes):
        raise ValueError(f"expected an axis for each letter of {axes!r}, found the shape {tuple(found.shape)}")
    scale = 1.0 if _arrays.is_uint8(found) else 255.0
    if "N" in axes:
        found = _arrays.transpose(found, [axes.index(axis) for axis in "NHWC"])
        count, height, width, channels = found.shape
        pictures = [Pixels(height, width, channels, _arrays.to_bytes(picture, scale)) for picture in found]
        if channels not in (1, 3):
            raise ValueError(f"expected 1 or 3 channels in a grid of pictures, found {channels}")
        return grid([_coloured(picture) for picture in pictures])
    if "C" in axes:
        found = _arrays.transpose(found, [axes.index(axis) for axis in "HWC"])
    else:
        found = _arrays.transpose(found, [axes.index(axis) for axis in "HW"])
        found = _arrays.reshape(found, *found.shape, 1)
    height, width, channels = found.shape
    if not 1 <= channels <= 4:
        raise ValueError(f"expected 1 to 4 channels, found {channels}")
    return _coloured(Pixels(height, width, channels, _arrays.to_bytes(found, scale)))


def _coloured(pixels: Pixels) -> Pixels:
    if pixels.channels != 1:
        return pixels
    data = bytearray(len(pixels.data) * 3)
    for channel in range(3):
        data[channel::3] = pixels.data
    return Pixels(pixels.height, pixels.width, 3, bytes(data))


def grid(pictures: Sequence[Pixels], columns: int = 8) -> Pixels:
    """Of one size and one number of channels; what is over is black."""
    height, width, channels, _ = pictures[0]
    columns = min(columns, len(pictures))
    rows = math.ceil(len(pictures) / columns)
    line = width * channels
    data = bytearray(rows * height * columns * line)
    for number, picture in enumerate(pictures):
        row, column = divmod(number, columns)
        for y in range(height):
            start = ((row * height + y) * columns + column) * line
            data[start:start + line] = picture.data[y * line:y * line + line]
    return Pixels(rows * height, columns * width, channels, bytes(data))


def frames(values: Any) -> List[Pixels]:
    """Of films with the axes N, T, C, H, W: those of a batch are shown side by side, their number filled up to a power of two."""
    found = _arrays.to_array(values)
    if found.ndim != 5:
        raise ValueError(f"expected the five axes N, T, C, H and W, found the shape {tuple(found.shape)}")
    scale = 1.0 if _arrays.is_uint8(found) else 255.0
    found = _arrays.transpose(found, [1, 0, 3, 4, 2])
    batch, height, width, channels = found.shape[1:]
    rows = 2 ** ((batch.bit_length() - 1) // 2)
    places = 1 << (batch - 1).bit_length()
    empty = Pixels(height, width, channels, bytes(height * width * channels))
    out = []
    for moment in found:
        pictures = [Pixels(height, width, channels, _arrays.to_bytes(picture, scale)) for picture in moment]
        out.append(grid(pictures + [empty] * (places - batch), places // rows))
    return out


def from_figure(figure: Any, close: bool = True) -> Pixels:
    """A figure of matplotlib, without its transparency."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    width, height = canvas.get_width_height()
    data = bytes(canvas.buffer_rgba())
    if close:
        from matplotlib import pyplot

        pyplot.close(figure)
    pixels = Pixels(height, width, 4, data)
    return _without_alpha(pixels)


def _without_alpha(pixels: Pixels) -> Pixels:
    data = bytearray(pixels.height * pixels.width * 3)
    for channel in range(3):
        data[channel::3] = pixels.data[channel::4]
    return Pixels(pixels.height, pixels.width, 3, bytes(data))


def from_pil(picture: Any) -> Pixels:
    modes = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}
    if picture.mode not in modes:
        picture = picture.convert("RGBA" if "transparency" in picture.info else "RGB")
    return Pixels(picture.height, picture.width, modes[picture.mode], picture.tobytes())


def _to_pil(pixels: Pixels) -> Any:
    """None where the program has no PIL."""
    try:
        from PIL import Image
    except Exception:
        return None
    mode = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[pixels.channels]
    return Image.frombytes(mode, (pixels.width, pixels.height), pixels.data)


def rescaled(pixels: Pixels, factor: float) -> Pixels:
    """With PIL's best filter, or without PIL the nearest pixels."""
    height, width = max(1, int(pixels.height * factor)), max(1, int(pixels.width * factor))
    picture = _to_pil(pixels)
    if picture is not None:
        from PIL import Image

        return from_pil(picture.resize((width, height), getattr(Image, "Resampling", Image).LANCZOS))
    size = pixels.channels
    data = bytearray()
    for y in range(height):
        row = int(y / factor) * pixels.width
        for x in range(width):
            at = (row + int(x / factor)) * size
            data += pixels.data[at:at + size]
    return Pixels(height, width, size, bytes(data))


def with_boxes(pixels: Pixels, boxes: Any, labels: Optional[Sequence[str]]) -> Pixels:
    """Red frames, two pixels thick, at left, top, right, bottom of each row of `boxes`; labels need PIL."""
    found = _arrays.to_array(boxes)
    corners = _arrays.flat_list(found)
    rows = [corners[at:at + 4] for at in range(0, len(corners), 4)]
    if labels is not None and len(labels) != len(rows):
        labels = None
    picture = _to_pil(pixels)
    if picture is not None:
        return _drawn_by_pil(picture, rows, labels)
    data = bytearray(pixels.data)
    colour = {1: b"\xff", 2: b"\xff\xff", 3: b"\xff\0\0", 4: b"\xff\0\0\xff"}[pixels.channels]

    def fill(left: int, top: int, right: int, bottom: int) -> None:
        left, right = max(0, left), min(pixels.width - 1, right)
        for y in range(max(0, top), min(pixels.height - 1, bottom) + 1):
            start = (y * pixels.width + left) * pixels.channels
            count = max(0, right - left + 1)
            data[start:start + count * pixels.channels] = colour * count

    for row in rows:
        left, top, right, bottom = (int(number) for number in row)
        for x in (left, right):
            fill(x - 1, top, x, bottom)
        for y in (top, bottom):
            fill(left, y - 1, right, y)
    return Pixels(pixels.height, pixels.width, pixels.channels, bytes(data))


def _drawn_by_pil(picture: Any, rows: Sequence[Sequence[float]], labels: Optional[Sequence[str]]) -> Pixels:
    from PIL import ImageDraw, ImageFont

    draw = ImageDraw.Draw(picture)
    for number, (left, top, right, bottom) in enumerate(rows):
        draw.line([(left, top), (left, bottom), (right, bottom), (right, top), (left, top)], width=2, fill="Red")
        if labels is not None and labels[number]:
            # The label stands on the lower edge, on red, with a twentieth of its height as margin.
            font = ImageFont.load_default()
            ink = font.getbbox(labels[number])
            text_width, text_height = ink[2] - ink[0], ink[3] - ink[1]
            margin = math.ceil(0.05 * text_height)
            draw.rectangle([(left, bottom - text_height - 2 * margin), (left + text_width, bottom)], fill="Red")
            draw.text((left + margin, bottom - text_height - margin), labels[number], fill="black", font=font)
    return from_pil(picture)
