# SPDX-License-Identifier: Apache-2.0
"""W&B's Histogram and Image as an event file holds them: an encoded tensorflow Summary.Value. Layout of what is written:
Summary.Value { tag = 1; image = 4; histo = 5 }, Image { height = 1; width = 2; colorspace = 3; encoded_image_string = 4 },
HistogramProto { min = 1; max = 2; num = 3; sum = 4; sum_squares = 5; packed bucket_limit = 6; packed bucket = 7 }.
Other kinds of media are left out."""
import struct


def _varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _bytes(field, data):
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _double(field, number):
    return _varint(field << 3 | 1) + struct.pack("<d", number)


def _doubles(field, numbers):
    return _bytes(field, struct.pack("<%dd" % len(numbers), *numbers))


def tag_field(tag):
    return _bytes(1, tag.encode())


def histogram(tag, edges, counts):
    """W&B keeps edges and counts: sums are those of the buckets' middles."""
    edges, counts = [float(edge) for edge in edges], [float(count) for count in counts]
    middles = [(left + right) / 2 for left, right in zip(edges, edges[1:])]
    body = (
        _double(1, edges[0])
        + _double(2, edges[-1])
        + _double(3, sum(counts))
        + _double(4, sum(count * middle for count, middle in zip(counts, middles)))
        + _double(5, sum(count * middle * middle for count, middle in zip(counts, middles)))
        + _doubles(6, edges)  # the first bucket ends where the values begin: nothing is in it
        + _doubles(7, [0.0] + counts)
    )
    return tag_field(tag) + _bytes(5, body)


def image(tag, height, width, encoded, colorspace=3):
    body = b"".join(_varint(field << 3) + _varint(number) for field, number in ((1, height), (2, width), (3, colorspace)))
    return tag_field(tag) + _bytes(4, body + _bytes(4, encoded))


def summary_values(tag, value):
    """What can be shown of a value given to log(); a list of images is one for each."""
    if isinstance(value, (list, tuple)):
        return [encoded for item in value for encoded in summary_values(tag, item)][:64]
    kind = type(value)
    if kind.__module__.partition(".")[0] != "wandb":
        return []
    if kind.__name__ == "Histogram":
        edges, counts = getattr(value, "bins", None), getattr(value, "histogram", None)
        if edges is not None and counts is not None and len(edges) == len(counts) + 1 > 1:
            return [histogram(tag, edges, counts)]
    if kind.__name__ == "Image":
        picture = getattr(value, "_image", None) or getattr(value, "image", None)
        if picture is not None and hasattr(picture, "save"):
            from io import BytesIO

            buffer = BytesIO()
            picture.save(buffer, format="PNG")
            return [image(tag, picture.height, picture.width, buffer.getvalue())]
    return []
