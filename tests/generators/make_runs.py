#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: make_runs.py FOLDER

A small log folder with runs of several tools, the same bytes every time: tests/data/runs is its output. Writes event files
with its own encoder (TFRecord framing, CRC32C, protocol buffers), independent of the program's.
"""
import json
import struct
import sys
from pathlib import Path

START = 1790000000.0


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def message(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


class EventFile:
    """An event file that grows record by record."""

    def __init__(self, path, start=START):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.start, self.data = path, start, b""
        self.event(start, 0, message(3, b"brain.Event:2"))

    def event(self, wall, step, content):
        record = b"\x09" + struct.pack("<d", wall) + (b"\x10" + varint(step) if step else b"") + content
        length = struct.pack("<Q", len(record))
        self.data += length + struct.pack("<I", masked(length)) + record + struct.pack("<I", masked(record))

    def scalar(self, tag, step, value):
        content = message(1, tag.encode()) + b"\x15" + struct.pack("<f", value)
        self.event(self.start + step, step, message(5, message(1, content)))

    def hparams(self, values):
        """session_start_info of TensorBoard's plugin, as add_hparams writes it."""
        entries = b""
        for name, value in values.items():
            held = message(3, value.encode()) if isinstance(value, str) else b"\x11" + struct.pack("<d", value)
            entries += message(1, message(1, name.encode()) + message(2, held))
        plugin = message(1, b"hparams") + message(2, message(3, entries))
        content = message(1, b"_hparams_/session_start_info") + message(9, message(1, plugin))
        self.event(self.start, 0, message(5, message(1, content)))

    def close(self, cut=0):
        self.path.write_bytes(self.data[: len(self.data) - cut])


def curve(path, tag_values, start=START, hparams=None, cut=0):
    file = EventFile(path, start)
    if hparams:
        file.hparams(hparams)
    for tag, values in tag_values.items():
        for step, value in enumerate(values):
            file.scalar(tag, step * 10, value)
    file.close(cut)


def text(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    top = Path(sys.argv[1])
    name = "events.out.tfevents.1790000000.lab.1.0"
    nan = float("nan")
    curve(top / "lr=0.1" / name, {"train/loss": [2, 1.5, 1.25], "val/loss": [2.5, 2]}, hparams={"lr": 0.1, "opt": "adam"})
    curve(top / "lr=0.5" / name, {"train/loss": [2, 4, nan], "val/loss": [2.5, 3]}, START + 60, {"lr": 0.5, "opt": "adam"})
    for key in ("cat", "dog"):
        curve(top / "lr=0.5" / f"acc_{key}" / name, {"acc": [0.25, 0.5]}, START + 60)
    curve(top / "cut" / name, {"train/loss": [1, 1, 1]}, START + 120, cut=5)

    logs = top / "lightning_logs"
    for version, rate in ((2, 0.1), (10, 0.01)):
        text(logs / f"version_{version}" / "hparams.yaml", f"lr: {rate}\nmodel:\n  name: vae\n  sizes: [8, 16]\n")
        text(logs / f"version_{version}" / "metrics.csv", "epoch,step,train_loss,val_loss\n0,9,1.5,\n0,9,,1.75\n1,19,0.5,\n")

    run = top / "2026-11-15T204501Z_vae"
    document = {"schema": 1, "id": "vae-1", "name": "vae", "experiment": "mnist", "group": None, "tags": ["baseline"],
                "note": "first try", "status": "Failed", "command": ["python3", "train.py"], "host": "lab",
                "start": "2026-11-15T20:45:01.000000000Z", "end": "2026-11-15T20:47:31.500000000Z", "exit_code": 1}
    text(run / "run.json", json.dumps(document, indent=1) + "\n")
    text(run / "args.txt", "lr: 0.05\nmax_epochs: 3\nmodel: vae_mnist\n")
    curve(run / "events" / name, {"train/loss": [3, 2.75]}, 1794775501.0)
    curve(run / "monitor" / name, {"monitor/cpu_percent": [10, 90]}, 1794775501.0)

    job = top / "outputs" / "2026-11-15" / "12-00-00"
    text(job / ".hydra" / "config.yaml", "trainer:\n  max_epochs: 5\nlr: 0.02\n")
    curve(job / "tb" / name, {"train/loss": [5, 4.5]}, START + 300)


if __name__ == "__main__":
    main()
