#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/record/compare_histograms.py LIBRARY

Compares the event files of telltale_writer_histogram (LIBRARY is libtelltale-record.so) with those of torch's SummaryWriter, and
the time that both take for a million floats. Limits, counts, least, most and sum must be the same to the last bit; the sum of
squares, whose order of additions is that of the installed BLAS, within 1e-12. Needs torch and tensorboard; without them it
ends with 77.
"""
import ctypes
import math
import pathlib
import sys
import tempfile
import time

try:
    import numpy
    import torch
    from tensorboard.compat.proto.event_pb2 import Event
    from torch.utils.tensorboard import SummaryWriter
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def events(path):
    """The Events of a file, whose checksums TensorBoard's own reader checks elsewhere."""
    data = path.read_bytes()
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at:at + 8], "little")
        yield Event.FromString(data[at + 12:at + 12 + size])
        at += size + 16


def histograms(folder):
    found = []
    for path in sorted(pathlib.Path(folder).rglob("*tfevents*")):
        found += [value.histo for event in events(path) for value in event.summary.value if value.HasField("histo")]
    return found


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def cases():
    random = numpy.random.default_rng(20)
    yield "normal", random.normal(size=100_000).astype(numpy.float32)
    yield "normal, double", random.normal(size=99_991)
    yield "wide", (10.0 ** random.uniform(-14, 22, size=50_000)) * random.choice([-1, 1], size=50_000)
    yield "one", numpy.array([3.5], dtype=numpy.float32)
    yield "zero", numpy.zeros(7)
    yield "negative zero", numpy.array([-0.0, -0.0])
    yield "signs", numpy.array([-1.0, 0.0, 1.0])
    for count in (2, 7, 8, 9, 127, 128, 129, 130, 255, 1000, 65537):
        yield f"{count} values", random.normal(size=count) * 1e3
    yield "with NaN and infinity", numpy.array([1.0, numpy.nan, numpy.inf, -numpy.inf, 2.0])
    yield "integers", numpy.arange(-500, 500).astype(numpy.float32)
    edges = []
    edge = 1e-12
    while edge < 1e20:
        edges.append(edge)
        edge *= 1.1
    edges = numpy.array(edges)
    yield "edges", numpy.concatenate([-edges, edges, [0.0]])
    yield "beside edges", numpy.concatenate([numpy.nextafter(edges, 0), numpy.nextafter(edges, numpy.inf),
                                             -numpy.nextafter(edges, 0), -numpy.nextafter(edges, numpy.inf)])


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    library = ctypes.CDLL(sys.argv[1])
    library.telltale_writer_open.restype = ctypes.c_void_p
    own = {numpy.dtype(numpy.float32): library.telltale_writer_histogram,
           numpy.dtype(numpy.float64): library.telltale_writer_histogram_double}
    for function in own.values():
        function.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t,
                             ctypes.c_int64, ctypes.c_double]
    library.telltale_writer_close.argtypes = [ctypes.c_void_p]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = pathlib.Path(folder, "ours"), pathlib.Path(folder, "theirs")
        ours.mkdir()
        writer = library.telltale_writer_open(str(ours / "events.out.tfevents.1.test").encode())
        peer = SummaryWriter(str(theirs))
        names = []
        for name, values in cases():
            names.append(name)
            assert own[values.dtype](writer, b"tag", 3, values.ctypes.data, len(values), 5, 1.0) == 0, name
            peer.add_histogram("tag", values, 5, walltime=1.0)
        peer.close()
        found, expected = histograms(ours), histograms(theirs)
        assert len(found) == len(expected) == len(names), (len(found), len(expected))
        for name, mine, other in zip(names, found, expected):
            wrong = [field for field in ("min", "max", "num", "sum") if not same(getattr(mine, field), getattr(other, field))]
            if list(mine.bucket_limit) != list(other.bucket_limit):
                wrong.append("bucket_limit")
            if list(mine.bucket) != list(other.bucket):
                wrong.append("bucket")
            if not (same(mine.sum_squares, other.sum_squares)
                    or math.isclose(mine.sum_squares, other.sum_squares, rel_tol=1e-12)):
                wrong.append("sum_squares")
            failed += bool(wrong)
            print(f"{name}: {'ok' if not wrong else 'FAILED: ' + ', '.join(wrong)}")
        values = torch.randn(1_000_000)
        array = values.numpy()
        peer = SummaryWriter(str(theirs / "timed"))
        mine, other = [], []
        for _ in range(7):
            start = time.process_time()
            own[array.dtype](writer, b"tag", 3, array.ctypes.data, len(array), 5, 1.0)
            mine.append(time.process_time() - start)
            start = time.process_time()
            peer.add_histogram("tag", values, 5)
            other.append(time.process_time() - start)
        print(f"a million floats: torch {min(other) * 1e3:.1f} ms, telltale {min(mine) * 1e3:.2f} ms, "
              f"ratio {min(other) / min(mine):.0f}")
        library.telltale_writer_close(writer)
        peer.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
