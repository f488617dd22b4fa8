# SPDX-License-Identifier: Apache-2.0
"""The files of TensorBoard's Projector: points of many dimensions with labels and thumbnails, and the list of all of them."""
from __future__ import annotations

import math
import os
from typing import Any, List, NamedTuple, Optional, Sequence

from telltale import _arrays, _codecs, _pictures
from telltale._codecs import Pixels


class Embedding(NamedTuple):
    name: str
    folder: str  # below the log folder
    has_metadata: bool
    thumbnail: Optional["tuple[int, int]"]  # width and height


def _encoded(tag: str) -> str:
    for letter in "%/\\":
        tag = tag.replace(letter, f"%{ord(letter):02x}")
    return tag


def write(log_folder: str, points: Any, metadata: Optional[Sequence[Any]], images: Any, step: Optional[int], tag: str,
          header: Optional[Sequence[str]]) -> Embedding:
    """The files of one embedding; ValueError if there are not as many labels or images as points."""
    found = _arrays.to_array(points)
    if found.ndim != 2:
        raise ValueError(f"expected a matrix with a row for each point, found the shape {tuple(found.shape)}")
    number = str(step or 0).zfill(5)
    folder = f"{number}/{_encoded(tag)}"
    path = os.path.join(log_folder, folder)
    os.makedirs(path, exist_ok=True)
    count, size = found.shape
    if metadata is not None:
        if len(metadata) != count:
            raise ValueError(f"expected a label for each of {count} points, found {len(metadata)}")
        rows: List[Any] = [header, *metadata] if header else list(metadata)
        lines = ["\t".join(str(part) for part in row) if header else str(row) for row in rows]
        _write(path, "metadata.tsv", "".join(line + "\n" for line in lines).encode("utf-8", "replace"))
    thumbnail = None
    if images is not None:
        pictures = _arrays.to_array(images)
        if len(pictures) != count:
            raise ValueError(f"expected an image for each of {count} points, found {len(pictures)}")
        thumbnail = (int(pictures.shape[3]), int(pictures.shape[2]))
        _write(path, "sprite.png", _codecs.png(_sprite(pictures)))
    numbers = _arrays.flat_list(found)
    lines = ["\t".join(str(number) for number in numbers[row * size:row * size + size]) + "\n" for row in range(count)]
    _write(path, "tensors.tsv", "".join(lines).encode())
    return Embedding(f"{tag}:{number}", folder, metadata is not None, thumbnail)


def _write(folder: str, name: str, content: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


def _sprite(pictures: Any) -> Pixels:
    """A square of as many pictures in each direction as are needed."""
    order = _arrays.transpose(pictures, [0, 2, 3, 1])
    height, width, channels = order.shape[1:]
    columns = math.ceil(math.sqrt(len(pictures)))
    scale = 1.0 if _arrays.is_uint8(pictures) else 255.0
    cells = []
    for picture in order:
        data = _arrays.to_bytes(picture, scale)
        cells.append(Pixels(height, width, 3, b"".join(bytes([gray] * 3) for gray in data) if channels == 1 else data))
    grid = _pictures.grid(cells, columns)
    missing = max(0, grid.width - grid.height)
    return Pixels(grid.height + missing, grid.width, 3, grid.data + bytes(missing * grid.width * 3))


def _quoted(text: str) -> str:
    out = ""
    for byte in text.encode("utf-8", "replace"):
        letter = chr(byte)
        out += "\\" + letter if letter in "\"\\'" else letter if 32 <= byte < 127 else f"\\{byte:03o}"
    return f'"{out}"'


def write_list(log_folder: str, embeddings: Sequence[Embedding]) -> None:
    """projector_config.pbtxt, whole."""
    lines = []
    for one in embeddings:
        lines += ["embeddings {", f"  tensor_name: {_quoted(one.name)}"]
        if one.has_metadata:
            lines.append(f"  metadata_path: {_quoted(one.folder + '/metadata.tsv')}")
        if one.thumbnail is not None:
            lines += ["  sprite {", f"    image_path: {_quoted(one.folder + '/sprite.png')}"]
            lines += [f"    single_image_dim: {side}" for side in one.thumbnail] + ["  }"]
        lines += [f"  tensor_path: {_quoted(one.folder + '/tensors.tsv')}", "}"]
    _write(log_folder, "projector_config.pbtxt", "".join(line + "\n" for line in lines).encode())
