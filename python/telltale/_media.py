# SPDX-License-Identifier: Apache-2.0
"""What can be logged besides numbers: Image, Histogram, Table, Audio, Video, Html, shaped like W&B's. A medium takes what it is given
and is encoded when it is logged. What event files cannot hold becomes a file in the run's outputs/media, and a text that
names it."""
from __future__ import annotations

import math
import os
from typing import Any, Iterable, List, NamedTuple, Optional, Sequence, Union

from telltale import _arrays, _codecs, _pictures
from telltale import _proto as proto
from telltale import _summary as summary
from telltale._codecs import Pixels
from telltale._summary import Value


class File(NamedTuple):
    """For the run's outputs: the ending of its name, and what is in it."""

    ending: str
    content: bytes


class Encoded(NamedTuple):
    values: List[Value]
    file: Optional[File] = None


def _described(value: Value, caption: Optional[str]) -> Value:
    """The caption as TensorBoard's description."""
    return value if not caption else Value(value.tag, value.content + proto.message(9, proto.text(3, caption)))


def _is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def _read(path: Any) -> bytes:
    with open(path, "rb") as file:
        return file.read()


class Medium:
    """Of a kind below."""

    def encode(self, tag: str) -> Encoded:
        raise NotImplementedError


class Image(Medium):
    """A picture: an array (height × width, with channels last, or first as torch has them), a PIL image, a figure of matplotlib, the
    path or the bytes of a PNG, JPEG or GIF. Numbers are 0…255 in arrays of uint8; else 0…1, or -1…1 where there are negative
    ones, or 0…255 where there are larger ones."""

    def __init__(self, data_or_path: Any, mode: Optional[str] = None, caption: Optional[str] = None, grouping: Any = None,
                 classes: Any = None, boxes: Any = None, masks: Any = None, file_type: Optional[str] = None,
                 normalize: bool = True) -> None:
        self.data, self.mode, self.caption, self.normalize = data_or_path, mode, caption, normalize
        self.boxes, self.masks, self.classes = boxes, masks, classes

    def pixels(self) -> Pixels:
        data = self.data
        if hasattr(data, "gcf"):  # matplotlib.pyplot itself
            data = data.gcf()
        if hasattr(data, "savefig") or hasattr(data, "get_figure"):
            return _pictures.from_figure(data if hasattr(data, "savefig") else data.get_figure(), close=False)
        if hasattr(data, "tobytes") and hasattr(data, "getbands"):
            return _pictures.from_pil(data.convert(self.mode) if self.mode else data)
        found = _arrays.to_array(data)
        sizes = tuple(found.shape)
        if hasattr(data, "detach"):
            axes = {2: "HW", 3: "CHW", 4: "NCHW"}.get(len(sizes), "")
        else:
            axes = {2: "HW", 3: "HWC", 4: "NHWC"}.get(len(sizes), "")
            if len(sizes) == 3 and sizes[2] not in (1, 2, 3, 4) and sizes[0] in (1, 3, 4):
                axes = "CHW"
        return _pictures.from_array(self._spread(found), axes)

    def _spread(self, found: Any) -> Any:
        """Numbers of another range, as 0…1."""
        if _arrays.is_uint8(found) or not self.normalize:
            return found
        if isinstance(found, _arrays.Array):
            low, high = min(found.numbers, default=0), max(found.numbers, default=0)
            if low < 0 and high <= 1 and low >= -1:
                return _arrays.Array(found.shape, [(number + 1) / 2 for number in found.numbers])
            return _arrays.Array(found.shape, [number / 255 for number in found.numbers]) if high > 1 else found
        low, high = (found.min(), found.max()) if found.size else (0, 0)
        if low < 0 and high <= 1 and low >= -1:
            return (found + 1) / 2
        return found / 255.0 if high > 1 else found

    def encode(self, tag: str) -> Encoded:
        if _is_path(self.data) or isinstance(self.data, (bytes, bytearray)):
            content = _read(self.data) if _is_path(self.data) else bytes(self.data)
            width, height = _codecs.size_of(content)
            if not width:
                raise ValueError("expected a PNG, JPEG or GIF")
            value = summary.encoded_image(tag, height, width, 3, content)
        else:
            value = summary.image(tag, self.pixels())
        return Encoded([_described(value, self.caption)])


class Histogram(Medium):
    """Of numbers, or of counts and edges that somebody else made."""

    def __init__(self, sequence: Any = None, np_histogram: Any = None, num_bins: int = 64) -> None:
        self.sequence, self.np_histogram, self.bins = sequence, np_histogram, min(num_bins, 512)

    def encode(self, tag: str) -> Encoded:
        if self.np_histogram is None:
            return Encoded([summary.histogram_of(tag, self.sequence, self.bins)])
        counts, edges = ([float(number) for number in _arrays.flat_list(_arrays.to_array(part))] for part in self.np_histogram)
        middles = [(left + right) / 2 for left, right in zip(edges, edges[1:])]
        total = math.fsum(count * middle for count, middle in zip(counts, middles))
        squares = math.fsum(count * middle * middle for count, middle in zip(counts, middles))
        return Encoded([summary.histogram(tag, summary.Buckets(edges[0], edges[-1], sum(counts), total, squares, edges, [0.0, *counts]))])


# Of a table, as many rows are shown with the run; the file has all.
_SHOWN_ROWS = 200


class Table(Medium):
    """Rows of anything, in named columns. Shown as a table of text; all of it is in a CSV file."""

    def __init__(self, columns: Optional[Sequence[Any]] = None, data: Any = None, rows: Any = None, dataframe: Any = None,
                 dtype: Any = None, optional: Any = True, allow_mixed_types: bool = False, log_mode: Optional[str] = None) -> None:
        frame = dataframe if dataframe is not None else data if hasattr(data, "columns") else None
        if frame is not None:
            self.columns: List[str] = [str(column) for column in frame.columns]
            self.data: List[List[Any]] = [list(row) for row in frame.values.tolist()]
            return
        found = data if data is not None else rows
        self.data = [] if found is None else [list(row) for row in (found.tolist() if hasattr(found, "tolist") else found)]
        self.columns = [str(column) for column in columns] if columns is not None else ["Input", "Output", "Expected"]

    def add_data(self, *row: Any) -> None:
        self.data.append(list(row))

    add_row = add_data

    def add_column(self, name: str, data: Iterable[Any]) -> None:
        values = list(data)
        self.data += [[] for _ in range(len(values) - len(self.data))]
        for row, value in zip(self.data, values):
            row.append(value)
        self.columns.append(str(name))

    def get_column(self, name: str) -> List[Any]:
        place = self.columns.index(name)
        return [row[place] for row in self.data]

    def encode(self, tag: str) -> Encoded:
        import csv
        import io

        def line(cells: Iterable[Any]) -> str:
            return "| " + " | ".join(_cell(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

        shown = [line(self.columns), "|" + " --- |" * len(self.columns), *(line(row) for row in self.data[:_SHOWN_ROWS])]
        if len(self.data) > _SHOWN_ROWS:
            shown += ["", f"{_SHOWN_ROWS} of {len(self.data)} rows"]
        file = io.StringIO()
        writer = csv.writer(file)
        writer.writerow(self.columns)
        writer.writerows([_cell(cell) for cell in row] for row in self.data)
        return Encoded([summary.text(tag, "\n".join(shown))], File(".csv", file.getvalue().encode("utf-8", "replace")))


def _cell(value: Any) -> str:
    if isinstance(value, Medium):
        caption = getattr(value, "caption", None)
        return f"({type(value).__name__}{f': {caption}' if caption else ''})"
    return str(value)


class Audio(Medium):
    """Sound: an array between -1 and 1, or the path of a file."""

    def __init__(self, data_or_path: Any, sample_rate: Optional[int] = None, caption: Optional[str] = None) -> None:
        self.data, self.rate, self.caption = data_or_path, sample_rate, caption

    def encode(self, tag: str) -> Encoded:
        if _is_path(self.data):
            return _as_file(tag, self.data, self.caption)
        return Encoded([_described(summary.audio(tag, self.data, self.rate or 44100), self.caption)])


class Video(Medium):
    """A film: an array of time, channel, height, width, with a batch in front if one likes; or the path of a file, of which GIFs
    are shown."""

    def __init__(self, data_or_path: Any, caption: Optional[str] = None, fps: Optional[float] = None,
                 format: Optional[str] = None) -> None:
        self.data, self.caption, self.fps = data_or_path, caption, fps or 4

    def encode(self, tag: str) -> Encoded:
        if _is_path(self.data):
            content = _read(self.data)
            if content[:3] == b"GIF":
                return Image(content, caption=self.caption).encode(tag)
            return _as_file(tag, self.data, self.caption)
        found = _arrays.to_array(self.data)
        if found.ndim == 4:
            found = _arrays.reshape(found, 1, *found.shape)
        return Encoded([_described(summary.video(tag, _pictures.frames(self._spread(found)), self.fps), self.caption)])

    @staticmethod
    def _spread(found: Any) -> Any:
        """Integers of any size are 0…255."""
        if isinstance(found, _arrays.Array):
            is_whole = all(isinstance(number, int) for number in found.numbers)
            return _arrays.Array(found.shape, [min(255, max(0, number)) for number in found.numbers], True) if is_whole else found
        return found.clip(0, 255).astype("uint8") if found.dtype.kind in "iu" else found


class Html(Medium):
    """A page: its text, a file that is open, or the path of one."""

    def __init__(self, data: Union[str, Any], inject: bool = True, data_is_not_path: bool = False) -> None:
        if hasattr(data, "read"):
            data = data.read()
        elif _is_path(data) and not data_is_not_path and len(os.fspath(data)) < 4096 and os.path.exists(data):
            data = _read(data).decode("utf-8", "replace")
        self.html = data.decode("utf-8", "replace") if isinstance(data, bytes) else str(data)

    def encode(self, tag: str) -> Encoded:
        return Encoded([], File(".html", self.html.encode("utf-8", "replace")))


def _as_file(tag: str, path: Any, caption: Optional[str]) -> Encoded:
    values = [summary.text(tag, caption)] if caption else []
    return Encoded(values, File(os.path.splitext(os.fspath(path))[1] or ".bin", _read(path)))
