# SPDX-License-Identifier: Apache-2.0
"""What an event file says of a scalar, histogram, picture, film, sound, text, tensor, curve or mesh: each function gives an
encoded tensorflow Summary.Value with its tag, as TensorBoard's plugins expect it. Opens no files; what cannot be
encoded is a ValueError or TypeError."""
from __future__ import annotations

import json
import math
import struct
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from telltale import _arrays, _codecs, _native, _pictures
from telltale import _proto as proto
from telltale._codecs import Pixels


class Value(NamedTuple):
    """`content`: the message with its tag and its metadata."""

    tag: str
    content: bytes


# Fields of Summary.Value, and those of SummaryMetadata and TensorProto that are used here.
_TAG, _SIMPLE, _IMAGE, _HISTOGRAM, _AUDIO, _TENSOR, _METADATA = 1, 2, 4, 5, 6, 8, 9


def metadata(plugin: str, content: bytes = b"") -> bytes:
    """The field of a value that names the plugin that shows it."""
    return proto.message(_METADATA, proto.message(1, proto.text(1, plugin) + proto.text(2, content)))


def tensor(kind: int, sizes: Sequence[int], numbers: bytes) -> bytes:
    """The field of a value with a TensorProto; `numbers` is the encoded field for the tensor's type. A tensor without
    dimensions has a shape, too."""
    return proto.message(_TENSOR, proto.integer(1, kind) + proto.message(2, proto.shape(sizes)) + numbers)


def scalar(tag: str, number: float, new_style: bool = False, double_precision: bool = False) -> Value:
    name = proto.text(_TAG, tag)
    if not new_style:
        return Value(tag, name + proto.single(_SIMPLE, number))
    if double_precision:
        content = proto.integer(1, proto.DT_DOUBLE) + proto.doubles(6, [number])
    else:
        content = proto.integer(1, proto.DT_FLOAT) + proto.floats(5, [number])
    return Value(tag, name + proto.message(_TENSOR, content) + metadata("scalars"))


def text(tag: str, content: str) -> Value:
    tag += "/text_summary"
    string = proto.message(8, content.encode("utf-8", "replace"))
    return Value(tag, proto.text(_TAG, tag) + tensor(proto.DT_STRING, [1], string) + metadata("text"))


class Buckets(NamedTuple):
    """Counts of values up to each limit, and beyond the one before it."""

    low: float
    high: float
    number: float
    total: float
    squares: float
    limits: Sequence[float]
    counts: Sequence[float]


def histogram(tag: str, found: Buckets) -> Value:
    content = (proto.double(1, found.low) + proto.double(2, found.high) + proto.double(3, found.number) +
               proto.double(4, found.total) + proto.double(5, found.squares) +
               proto.doubles(6, found.limits) + proto.doubles(7, found.counts))
    return Value(tag, proto.text(_TAG, tag) + proto.message(_HISTOGRAM, content))


def edges() -> List[float]:
    """TensorBoard's own bins: 1e-12 and more, each a tenth wider than the one before, and the same below 0."""
    positive = []
    edge = 1e-12
    while edge < 1e20:
        positive.append(edge)
        edge *= 1.1
    return [-edge for edge in reversed(positive)] + [0.0] + positive


def histogram_of(tag: str, values: Any, bins: Any = "tensorflow", max_bins: Optional[int] = None) -> Value:
    """`bins`: "tensorflow", the number of bins, their edges, or the name of one of numpy's rules. Bins without values at both
    ends are left out, but for one before the first."""
    address, size, kind, keep = _arrays.memory_of(values)
    if size == 0:
        raise ValueError("expected values, found none: a histogram of nothing says nothing")
    is_default = isinstance(bins, str) and bins == "tensorflow"
    if is_default and max_bins is None and kind in "fd":
        content = _native.histogram_value(address, size, kind, tag)
        if content is not None:
            return Value(tag, content)
    limits = edges() if is_default else _edges(values, address, size, kind, bins)
    low, high, total, squares, found = _native.histogram(address, size, kind, limits)
    del keep
    counts: List[float] = list(found)
    if max_bins is not None and len(counts) > max_bins:
        group = len(counts) // max_bins
        counts = [sum(counts[at:at + group]) for at in range(0, len(counts), group)]
        limits = limits[:-1:group] + limits[-1:]
    filled = [at for at, count in enumerate(counts) if count]
    if not filled:  # all outside of the bins, or no numbers
        return histogram(tag, Buckets(low, high, size, total, squares, [limits[-1]], [0]))
    first, last = filled[0], filled[-1] + 1
    counts = counts[first - 1:last] if first > 0 else [0, *counts[:last]]
    return histogram(tag, Buckets(low, high, size, total, squares, limits[first:last + 1], counts))


def _edges(values: Any, address: int, size: int, kind: str, bins: Any) -> List[float]:
    module = _arrays.numpy()
    if module is not None:
        return [float(edge) for edge in module.histogram_bin_edges(_arrays.to_array(values).reshape(-1).astype(float), bins=bins)]
    if isinstance(bins, int):
        return _even_edges(*_native.histogram(address, size, kind, [0.0, 1.0])[:2], bins)
    if isinstance(bins, str):
        raise ValueError(f"expected a number of bins or their edges: the rule {bins!r} needs numpy")
    return [float(edge) for edge in bins]


def _even_edges(low: float, high: float, count: int) -> List[float]:
    if low == high:
        low, high = low - 0.5, high + 0.5
    return [low + (high - low) * at / count for at in range(count)] + [high]


def encoded_image(tag: str, height: int, width: int, channels: int, encoded: bytes) -> Value:
    content = (proto.integer(1, height) + proto.integer(2, width) + proto.integer(3, channels) + proto.text(4, encoded))
    return Value(tag, proto.text(_TAG, tag) + proto.message(_IMAGE, content))


def image(tag: str, pixels: Pixels, rescale: float = 1.0) -> Value:
    """Height and width are those before `rescale`, as torch writes them."""
    shown = pixels if rescale == 1 else _pictures.rescaled(pixels, rescale)
    return encoded_image(tag, pixels.height, pixels.width, pixels.channels, _codecs.png(shown))


def video(tag: str, frames: Sequence[Pixels], frames_per_second: float) -> Value:
    first = frames[0]
    return encoded_image(tag, first.height, first.width, first.channels, _codecs.gif(frames, frames_per_second))


def audio(tag: str, sound: Any, rate: float = 44100) -> Value:
    """Samples between -1 and 1, one channel; what is beyond is cut."""
    samples = _samples(_arrays.to_array(sound))
    content = (proto.single(1, rate) + proto.integer(2, 1) + proto.integer(3, len(samples) // 2) +
               proto.text(4, _codecs.wav(samples, 1, int(rate))) + proto.text(5, "audio/wav"))
    return Value(tag, proto.text(_TAG, tag) + proto.message(_AUDIO, content))


def _samples(sound: Any) -> bytes:
    """16 bits each, little-endian, computed in the precision of what is given."""
    module = _arrays.numpy()
    if module is not None and not isinstance(sound, _arrays.Array):
        return bytes((module.nan_to_num(sound.reshape(-1)).clip(-1, 1) * 32767).astype("<i2").tobytes())
    limited = [0.0 if number != number else min(1.0, max(-1.0, number)) for number in sound.numbers]
    return struct.pack(f"<{len(limited)}h", *(int(number * 32767) for number in limited))


def any_tensor(tag: str, values: Any) -> Value:
    """All numbers of a tensor, in its own type; no dashboard shows it, other programs read it."""
    kind, numbers, sizes = _typed_numbers(values)
    return Value(tag, proto.text(_TAG, tag) + tensor(kind, sizes, numbers) + metadata("tensor"))


def _typed_numbers(values: Any) -> "tuple[int, bytes, tuple[int, ...]]":
    wants_half = str(getattr(values, "dtype", "")).rsplit(".", 1)[-1] == "bfloat16"
    found = _arrays.to_array(values)
    flat = _arrays.flat_list(found)
    sizes = tuple(found.shape)
    if isinstance(found, _arrays.Array):
        name = ("uint8" if found.is_uint8 else "bool" if flat and all(isinstance(number, bool) for number in flat) else
                "int64" if all(isinstance(number, int) for number in flat) else "float64")
    else:
        name = found.dtype.name
    if wants_half:  # the upper half of a float
        return proto.DT_BFLOAT16, proto.integers(13, (struct.unpack("<I", proto.packed_float(number))[0] >> 16 for number in flat)), sizes
    if name == "float16":
        return proto.DT_HALF, proto.integers(13, (struct.unpack("<H", struct.pack("<e", number))[0] for number in flat)), sizes
    if name == "float32":
        return proto.DT_FLOAT, proto.floats(5, flat), sizes
    if name == "float64":
        return proto.DT_DOUBLE, proto.doubles(6, flat), sizes
    if name in ("complex64", "complex128"):
        parts = [part for number in flat for part in (number.real, number.imag)]
        return ((proto.DT_COMPLEX64, proto.floats(9, parts), sizes) if name == "complex64" else
                (proto.DT_COMPLEX128, proto.doubles(12, parts), sizes))
    kinds = {"int8": (proto.DT_INT8, 7), "int16": (proto.DT_INT16, 7), "int32": (proto.DT_INT32, 7), "uint8": (proto.DT_UINT8, 7),
             "uint16": (proto.DT_UINT16, 7), "int64": (proto.DT_INT64, 10), "bool": (proto.DT_BOOL, 11),
             "uint32": (proto.DT_UINT32, 16), "uint64": (proto.DT_UINT64, 17)}
    if name not in kinds:
        raise TypeError(f"expected numbers, found {name}")
    kind, field = kinds[name]
    return kind, proto.integers(field, (int(number) for number in flat)), sizes


# More thresholds make the messages too large for TensorBoard.
_MOST_THRESHOLDS = 127


def pr_curve(tag: str, labels: Any, predictions: Any, thresholds: int = _MOST_THRESHOLDS, weights: Any = None) -> Value:
    """Each prediction, between 0 and 1, falls under one of `thresholds` evenly spread ones."""
    thresholds = min(thresholds, _MOST_THRESHOLDS)
    truth = _arrays.flat_list(_arrays.to_array(labels))
    guesses = _arrays.flat_list(_arrays.to_array(predictions))
    weight = [1.0] * len(truth) if weights is None else _arrays.flat_list(_arrays.to_array(weights))
    if len(weight) == 1:
        weight *= len(truth)
    if not len(truth) == len(guesses) == len(weight):
        raise ValueError(f"expected as many predictions and weights as labels, found {len(guesses)}, {len(weight)} and {len(truth)}")
    positive, negative = [0.0] * thresholds, [0.0] * thresholds
    for is_true, guess, share in zip(truth, guesses, weight):
        bin_number = math.floor(guess * (thresholds - 1)) if math.isfinite(guess) else -1
        if 0 <= bin_number < thresholds:
            positive[bin_number] += is_true * share
            negative[bin_number] += (1.0 - is_true) * share
    for counts in (positive, negative):  # of this threshold and all above
        for at in range(thresholds - 2, -1, -1):
            counts[at] += counts[at + 1]
    least = 1e-7  # so that nothing is divided by 0
    rows = [positive, negative, [negative[0] - count for count in negative], [positive[0] - count for count in positive],
            [tp / max(least, tp + fp) for tp, fp in zip(positive, negative)],
            [tp / max(least, positive[0]) for tp in positive]]
    return pr_curve_raw(tag, rows, thresholds)


def pr_curve_raw(tag: str, rows: Sequence[Any], thresholds: int = _MOST_THRESHOLDS) -> Value:
    """Rows: true and false positives, true and false negatives, precision, recall."""
    lists = [_arrays.flat_list(_arrays.to_array(row)) for row in rows]
    content = proto.integer(2, min(thresholds, _MOST_THRESHOLDS))
    numbers = proto.floats(5, (number for row in lists for number in row))
    return Value(tag, proto.text(_TAG, tag) + tensor(proto.DT_FLOAT, [len(lists), len(lists[0])], numbers) + metadata("pr_curves", content))


def mesh(tag: str, vertices: Any, colors: Any, faces: Any, config: Optional[Dict[str, Any]]) -> List[Value]:
    """Up to three values: the corners, what joins them, their colours."""
    parts = [(kind, name, values) for kind, name, values in ((1, "VERTEX", vertices), (2, "FACE", faces), (3, "COLOR", colors))
             if values is not None]
    components = sum(1 << kind for kind, _, _ in parts)
    values = []
    for kind, name, numbers in parts:
        found = _arrays.to_array(numbers)
        content = (proto.text(2, tag) + proto.integer(3, kind) + proto.text(5, json.dumps(config or {}, sort_keys=True)) +
                   proto.integers(6, found.shape) + proto.integer(7, components))
        full = f"{tag}_{name}"
        flat = proto.floats(5, _arrays.flat_list(found))
        values.append(Value(full, proto.text(_TAG, full) + tensor(proto.DT_FLOAT, found.shape, flat) + metadata("mesh", content)))
    return values


def custom_scalars(layout: Dict[str, Dict[str, Sequence[Any]]]) -> Value:
    """`layout`: {category: {title of a chart: ["Multiline" or "Margin", tags]}}."""
    categories = b""
    for category, charts in layout.items():
        encoded = proto.text(1, category)
        for title, (kind, tags, *_) in charts.items():
            if kind == "Margin":
                if len(tags) != 3:
                    raise ValueError(f"expected three tags for a margin chart (value, lower, upper), found {len(tags)}")
                series = b"".join(proto.text(at + 1, tag) for at, tag in enumerate(tags))
                content = proto.message(3, proto.message(1, series))
            else:
                content = proto.message(2, b"".join(proto.message(1, tag.encode()) for tag in tags))
            encoded += proto.message(2, proto.text(1, title) + content)
        categories += proto.message(2, encoded)
    tag = "custom_scalars__config__"
    return Value(tag, proto.text(_TAG, tag) + tensor(proto.DT_STRING, [], proto.message(8, categories)) + metadata("custom_scalars"))
