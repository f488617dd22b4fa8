# SPDX-License-Identifier: Apache-2.0
"""SummaryWriter without numpy, torch and tensorboard: every call writes whole records with right checksums. That they are the same
as torch's is compare_with_torch.py's business."""
import struct
import zlib

import support

EVERY_CALL = """
from telltale import SummaryWriter
w = SummaryWriter("log", filename_suffix=".s")
w.add_scalar("scalar", 0.5, 1, 100.0); w.add_scalar("new", 0.1, 1, new_style=True, double_precision=True)
w.add_scalars("several", {"a": 1, "b": 2.0}, 2)
w.add_tensor("tensor", [[1.0, 2.0], [3.0, 4.0]], 1)
w.add_histogram("histogram", [0.0, 1.0, -1.0, 2.0], 1); w.add_histogram("ten", range(100), 1, bins=10); w.add_histogram("max", range(100), 1, max_bins=5)
w.add_histogram_raw("raw", 0, 3, 4, 6, 14, [1.0, 2.0, 3.0], [1, 1, 2], 1)
w.add_image("image", [[[0.0, 1.0]], [[0.5, 0.5]], [[1.0, 0.0]]], 1); w.add_image("hw", [[0, 0.25], [0.5, 1]], 1, dataformats="HW")
w.add_images("images", [[[[0.0, 1.0]]]] * 3, 1)
w.add_image_with_boxes("boxes", [[[0.0] * 20] * 10] * 3, [[2, 2, 15, 8]], 1)
w.add_video("video", [[[[[0.0, 1.0]]], [[[1.0, 0.0]]]]], 1)
w.add_audio("audio", [0.0, 0.5, -2.0], 1, 8000)
w.add_text("text", "hello", 1)
w.add_embedding([[1.0, 2.0], [3.0, 4.0]], metadata=["a", "b"], label_img=[[[[0.5]]]] * 2, global_step=3)
w.add_pr_curve("pr", [0, 1, 1], [0.1, 0.8, 0.4], 1)
w.add_pr_curve_raw("pr raw", [1], [2], [3], [4], [0.5], [0.5], 1, 1)
w.add_custom_scalars({"c": {"t": ["Multiline", ["a"]]}}); w.add_custom_scalars_multilinechart(["a"]); w.add_custom_scalars_marginchart(["a", "b", "c"])
w.add_mesh("mesh", [[[0.0, 0.0, 1.0]]], faces=[[[0, 0, 0]]])
w.add_hparams({"lr": 0.1, "amp": True, "name": "x"}, {"acc": 1.0}, run_name="trial")
w.flush(); w.close()
"""


class Writer(support.Case):
    def test_every_call_writes_whole_records(self):
        done = self.run_program("import logging\nlogging.basicConfig(level=logging.DEBUG)\n" + EVERY_CALL)
        self.assertEqual((done.output, done.errors), ("", ""))
        found = support.values(self.folder / "log")
        tags = [tag for tag, _, _ in found]
        for tag in ("scalar", "new", "several", "tensor", "histogram", "ten", "max", "raw", "image", "hw", "images", "boxes", "video", "audio",
                    "text/text_summary", "pr", "pr raw", "custom_scalars__config__", "mesh_VERTEX", "mesh_FACE", "_hparams_/experiment",
                    "_hparams_/session_start_info", "_hparams_/session_end_info", "acc"):
            self.assertIn(tag, tags)
        for path in support.event_files(self.folder / "log"):
            first = next(iter(support.records(path)))
            self.assertEqual(first[3], [b"brain.Event:2"])
        self.assertEqual((self.folder / "log" / "00003" / "default" / "tensors.tsv").read_text(), "1.0\t2.0\n3.0\t4.0\n")
        self.assertEqual(sorted(path.name for path in (self.folder / "log").iterdir() if path.is_dir()), ["00003", "several_a", "several_b", "trial"])

    def test_a_picture_has_its_pixels(self):
        done = self.run_program("import logging\nlogging.basicConfig(level=logging.INFO)\nfrom telltale import SummaryWriter\nSummaryWriter('log').add_image('i', [[[0.0, 1.0], [0.5, 0.25]]] * 2 + [[[1.0, 1.0], [0.0, 0.0]]])")
        self.assertEqual(done.errors, "")
        ((_, _, value),) = support.values(self.folder / "log")
        picture = support.fields(value[4][0])[4][0]
        data, place = b"", 8
        while place < len(picture):
            (size,) = struct.unpack_from(">I", picture, place)
            kind, content = picture[place + 4:place + 8], picture[place + 8:place + 8 + size]
            self.assertEqual(struct.unpack_from(">I", picture, place + 8 + size)[0], zlib.crc32(kind + content))
            data += content if kind == b"IDAT" else b""
            place += 12 + size
        self.assertEqual(unfiltered(zlib.decompress(data), 6, 3), bytes([0, 0, 255, 255, 255, 255, 127, 127, 0, 63, 63, 0]))

    def test_what_cannot_be_written_does_not_stop_the_training(self):
        done = self.run_program("""
from telltale import SummaryWriter
w = SummaryWriter("log")
w.add_scalar("a", "no number", 1); w.add_scalar("a", [1, 2], 1); w.add_scalar("a", 1.0, "x"); w.add_histogram("h", []); w.add_histogram("h", [float("nan")])
w.add_image("i", [[1.0]]); w.add_image("i", [[[1.0]] * 2, [[1.0]]]); w.add_figure("f", None); w.add_video("v", [1]); w.add_audio("a", "x")
w.add_graph(None); w.add_onnx_graph("missing"); w.add_embedding([1.0]); w.add_mesh("m", "x"); w.add_hparams({"a": object()}, {}); w.add_scalars("s", {"a": None})
w.add_pr_curve("p", [1], [1, 2]); w.add_custom_scalars_marginchart(["a"]); w.add_tensor("t", "x"); w.add_histogram_raw("h", 0, 0, 0, 0, 0, [1], [1, 2])
w.add_scalar("good", 1.0, 1); w.close(); w.add_scalar("later", 1.0, 2); w.close(); w.close()
""")
        self.assertEqual((done.output, done.errors), ("", ""))
        self.assertEqual([tag for tag, _, _ in support.values(self.folder / "log")], ["h", "good", "later"])

    def test_a_killed_program_has_written_all(self):
        self.run_program("import os, signal\nfrom telltale import SummaryWriter\nw = SummaryWriter('log')\nfor step in range(1000):\n    w.add_scalar('a', step, step)\n"
                         "os.kill(os.getpid(), signal.SIGKILL)", expect=-9)
        self.assertEqual([step for _, step, _ in support.values(self.folder / "log")], list(range(1000)))

    def test_forked_processes_and_threads_do_not_mix_their_records(self):
        self.run_program("""
import os, threading
from telltale import SummaryWriter
w = SummaryWriter("log")
children = []
for child in range(3):
    pid = os.fork()
    if pid == 0:
        for step in range(300): w.add_scalar(f"child {child}", step, step); w.add_text("t", "x" * 200, step)
        os._exit(0)
    children.append(pid)
def work(number):
    for step in range(300): w.add_scalar(f"thread {number}", step, step)
threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
[t.start() for t in threads]; [t.join() for t in threads]; [os.waitpid(p, 0) for p in children]
""")
        self.assertEqual(len(support.values(self.folder / "log")), 3 * 600 + 3 * 300)

    def test_a_full_disk_leaves_a_file_that_can_be_read(self):
        done = self.run_program("""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from telltale import SummaryWriter
w = SummaryWriter("log")
for step in range(100): w.add_scalar("a", step, step)
print(w.file_writer.failed() > 0)
""")
        self.assertEqual(done.output, "True\n")
        found = [step for _, step, _ in support.values(self.folder / "log")]
        self.assertEqual(found, list(range(len(found))))
        self.assertGreater(len(found), 5)

    def test_a_folder_that_cannot_be_made_is_told_at_once(self):
        (self.folder / "file").write_text("")
        self.assertIn("NotADirectoryError", self.run_program("from telltale import SummaryWriter\nSummaryWriter('file/below')", expect=1).errors)

    def test_under_a_run_values_reach_its_curves_once(self):
        self.run_program("""
import os
from telltale import SummaryWriter
w = SummaryWriter("log"); w.add_scalar("a", 1.0, 1); w.add_scalars("m", {"x": 2.0}, 1); w.add_text("t", "x", 1); w.add_hparams({"lr": 0.1}, {"acc": 0.5})
inside = SummaryWriter(os.path.join(os.environ["TELLTALE_RUN_DIR"], "events")); inside.add_scalar("already there", 1.0, 1)
""", recorded=True)
        found = self.recorded()
        self.assertEqual([(one["name"], one["value"]) for one in found if one["kind"] == "scalar"], [("a", 1.0), ("m/x", 2.0)])
        self.assertEqual([one["name"] for one in found if one["kind"] == "value"], ["t/text_summary"])
        self.assertEqual([one["bytes"] for one in found if one["kind"] == "note"], [b'{"lr": 0.1}'])


def unfiltered(rows, stride, pixel):
    """The pixels of PNG's filtered rows."""
    out, above = b"", bytes(stride)
    for start in range(0, len(rows), stride + 1):
        kind, row = rows[start], bytearray(rows[start + 1:start + 1 + stride])
        for at in range(stride):
            left, up, corner = (row[at - pixel] if at >= pixel else 0), above[at], (above[at - pixel] if at >= pixel else 0)
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[at] = (row[at] + (0, left, up, (left + up) // 2, paeth)[kind]) & 0xFF
        out, above = out + bytes(row), bytes(row)
    return out


if __name__ == "__main__":
    support.unittest.main()
