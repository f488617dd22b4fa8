#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: PYTHONPATH=BUILD/python PYTHON-WITH-TORCH tests/python/compare_with_torch.py [NAME…]

Makes every call of SummaryWriter with torch's writer and with Telltale's, reads both folders with TensorBoard's own protocol
buffers and compares all events, pictures by their pixels. Where Telltale's differ on purpose, the case says what it writes
instead. Ends with 77 where torch or tensorboard are missing.
"""
import io
import os
import pathlib
import struct
import sys
import tempfile

try:
    import numpy as np
    import torch
    from PIL import Image
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.graph_pb2 import GraphDef
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
    from torch.utils.tensorboard import SummaryWriter as TorchWriter
except ImportError as problem:
    print(f"no torch with tensorboard: {problem}")
    sys.exit(77)

from telltale import SummaryWriter

CASES = []
random = np.random.RandomState(7)


def case(function):
    CASES.append(function)
    return function


def check(good, message):
    if not good:
        raise AssertionError(message)


def events_of(folder):
    """{path below the folder: [Event, …]}; event files get the name `events`, numbered."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_dir():
            continue
        below = path.relative_to(folder)
        if "tfevents" in path.name:
            key = str(below.parent / "events")
            found.setdefault(key, []).extend(Event.FromString(record) for record in RawEventFileLoader(str(path)).Load())
        else:
            found[str(below)] = path.read_bytes()
    return found


def pixels(encoded):
    return np.asarray(Image.open(io.BytesIO(encoded)).convert("RGBA"))


def same_value(tag, torchs, ours):
    if torchs.HasField("image"):
        check((torchs.image.height, torchs.image.width, torchs.image.colorspace) ==
              (ours.image.height, ours.image.width, ours.image.colorspace), f"{tag}: size {ours.image.height}×{ours.image.width}")
        a, b = pixels(torchs.image.encoded_image_string), pixels(ours.image.encoded_image_string)
        check(a.shape == b.shape and (a == b).all(), f"{tag}: pixels differ, {a.shape} and {b.shape}")
        torchs.image.encoded_image_string = ours.image.encoded_image_string = b""
    if torchs.HasField("histo"):
        squares = torchs.histo.sum_squares
        for name in ("sum", "sum_squares"):  # added up in another order
            a, b = getattr(torchs.histo, name), getattr(ours.histo, name)
            scale = (torchs.histo.num * squares) ** 0.5 if name == "sum" else squares
            check(a == b or abs(a - b) <= 1e-12 * scale, f"{tag}: {name} {a} and {b}")
            setattr(torchs.histo, name, 0)
            setattr(ours.histo, name, 0)
    if torchs.metadata.plugin_data.plugin_name == "hparams":
        for value in (torchs, ours):  # maps have no order
            data = HParamsPluginData.FromString(value.metadata.plugin_data.content)
            value.metadata.plugin_data.content = data.SerializeToString(deterministic=True)
    check(torchs.SerializeToString(deterministic=True) == ours.SerializeToString(deterministic=True),
          f"{tag}: torch wrote\n{str(torchs)[:1500]}\nTelltale\n{str(ours)[:1500]}")


def same_event(number, torchs, ours, walltime):
    check(torchs.step == ours.step, f"event {number}: step {torchs.step} and {ours.step}")
    if walltime and not torchs.file_version:
        check(torchs.wall_time == ours.wall_time, f"event {number}: wall time {torchs.wall_time} and {ours.wall_time}")
    check(torchs.WhichOneof("what") == ours.WhichOneof("what"), f"event {number}: {torchs.WhichOneof('what')} and {ours.WhichOneof('what')}")
    if torchs.WhichOneof("what") == "summary":
        check(len(torchs.summary.value) == len(ours.summary.value), f"event {number}: {len(ours.summary.value)} values")
        for a, b in zip(torchs.summary.value, ours.summary.value):
            same_value(f"event {number}, {a.tag}", a, b)
        return
    if torchs.graph_def:
        a, b = (GraphDef.FromString(event.graph_def) for event in (torchs, ours))
        check([node.name for node in a.node] == [node.name for node in b.node],
              f"nodes of torch {[node.name for node in a.node]}\nof Telltale {[node.name for node in b.node]}")
        for one, other in zip(a.node, b.node):
            check(one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True), f"torch {one}\nTelltale {other}")
        check(a.versions == b.versions, "versions differ")
        return
    torchs.wall_time = ours.wall_time = 0
    torchs.ClearField("source_metadata")
    ours.ClearField("source_metadata")
    check(torchs == ours, f"event {number}: torch wrote {torchs}, Telltale {ours}")


def compare(write, walltime=False, **options):
    with tempfile.TemporaryDirectory() as folder:
        torch_folder, our_folder = os.path.join(folder, "torch"), os.path.join(folder, "telltale")
        torchs = TorchWriter(torch_folder, **options)
        write(torchs)
        torchs.close()
        ours = SummaryWriter(our_folder, **options)
        guarded_failures.clear()
        write(ours)
        ours.close()
        check(not guarded_failures, f"Telltale wrote nothing: {guarded_failures}")
        a, b = events_of(torch_folder), events_of(our_folder)
        check(sorted(a) == sorted(b), f"files of torch {sorted(a)}, of Telltale {sorted(b)}")
        for name in a:
            if name.endswith(".png"):
                check((pixels(a[name]) == pixels(b[name])).all(), f"{name}: pixels differ")
            elif isinstance(a[name], bytes):
                check(a[name] == b[name], f"{name}: torch wrote {a[name][:300]!r}, Telltale {b[name][:300]!r}")
            else:
                check(len(a[name]) == len(b[name]), f"{name}: {len(a[name])} and {len(b[name])} events")
                for number, (one, other) in enumerate(zip(a[name], b[name])):
                    same_event(number, one, other, walltime)


def ours_only(write):
    """The events of Telltale's writer, where torch's are not what is wanted."""
    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(folder) as writer:
            guarded_failures.clear()
            write(writer)
        check(not guarded_failures, f"Telltale wrote nothing: {guarded_failures}")
        return [event for events in events_of(folder).values() for event in events if not event.file_version]


class Failures(list):
    """What the guard of the writer swallowed."""


guarded_failures = Failures()


@case
def scalars():
    def write(w):
        for step, value in enumerate([0.5, 1, -3, 1e-30, 3e38, 1e300, float("nan"), float("inf"), 0.0, True, np.float32(2.5), np.int64(7),
                                      torch.tensor(1.25), torch.tensor([[4.0]], requires_grad=True), np.array([9.0]), torch.tensor(3, dtype=torch.bfloat16)]):
            w.add_scalar("a/scalar", value, step, 1000.0 + step)
        w.add_scalar("no step", 1.0, walltime=5.5)
        w.add_scalar("far", 1.0, 2**40, walltime=5.5)
        w.add_scalar("negative", 1.0, -3, walltime=5.5)
        w.add_scalar("новый/тег", 1.0, 1, walltime=5.5)
        w.add_scalar("new", 0.1, 3, 7.0, new_style=True)
        w.add_scalar("new double", 0.1, 3, 7.0, new_style=True, double_precision=True)
        w.add_scalar("old double", 0.1, 3, 7.0, double_precision=True)
    compare(write, walltime=True)


@case
def several_scalars():
    def write(w):
        for step in range(3):
            w.add_scalars("run/loss", {"train": step * 0.5, "val/a": torch.tensor(2.0)}, step)
    compare(write)


@case
def histograms():
    bins = summary_edges()
    samples = [random.randn(10000), random.randn(3, 5, 7).astype(np.float32), np.zeros(10), np.ones(1),
               np.array([1e-12, -1e-12, 1.1e-12, -1.1e-12, 0.0, -0.0, 5e-324]), random.randn(100) * 1e20, np.arange(20),
               torch.randn(1000), torch.randn(100).half(), torch.randn(100).bfloat16(), torch.arange(7),
               torch.randn(30, requires_grad=True), torch.randn(20, 30).t(), np.array([True, False]), np.float64(3.5),
               np.array([bins[5], bins[1000], bins[-1], bins[0]])]

    def write(w):
        for number, values in enumerate(samples):
            w.add_histogram(f"h/{number}", values, number)
        w.add_histogram("max", np.linspace(-3, 8, 999), 1, max_bins=10)
        for bins in ("auto", "fd", "sturges", 10, [-1.0, 0.0, 0.25, 4.0], np.linspace(-2, 2, 9)):
            w.add_histogram(f"bins {bins}", np.linspace(-3, 8, 1234) ** 3, 1, bins=bins)
        w.add_histogram("bins and max", np.linspace(-3, 8, 1234), 1, bins=100, max_bins=7)
    compare(write)


@case
def every_edge_of_the_default_bins():
    bins = np.array(summary_edges())
    near = np.concatenate([bins, np.nextafter(bins, -np.inf), np.nextafter(bins, np.inf)])
    compare(lambda w: w.add_histogram("edges", near, 1))


def summary_edges():
    from telltale import _summary
    return _summary.edges()


@case
def raw_histograms():
    compare(lambda w: w.add_histogram_raw("raw", min=0, max=3.5, num=4, sum=6, sum_squares=14, bucket_limits=[0.5, 1.5, 4.0],
                                          bucket_counts=[1, 1, 2], global_step=2))


@case
def images():
    bytes_hwc = random.randint(0, 256, (13, 17, 3), dtype=np.uint8)

    def write(w):
        w.add_image("hwc", bytes_hwc, 1, dataformats="HWC")
        w.add_image("chw", bytes_hwc.transpose(2, 0, 1), 2)
        w.add_image("wch", bytes_hwc.transpose(1, 2, 0), 2, dataformats="WCH")
        w.add_image("float", torch.rand(3, 9, 5, generator=torch.Generator().manual_seed(1)) * 1.2 - 0.1, 2)
        w.add_image("half", torch.rand(3, 9, 5, generator=torch.Generator().manual_seed(1)).half(), 2)
        w.add_image("one", random_gray, 3)
        w.add_image("hw", random_gray[0], 3, dataformats="HW")
        w.add_image("rgba", np.dstack([bytes_hwc, bytes_hwc[:, :, 0]]), 3, dataformats="HWC")
        w.add_image("batch by its letters", np.stack([bytes_hwc] * 3), 3, dataformats="NHWC")
        w.add_images("grid", torch.rand(11, 3, 6, 7, generator=torch.Generator().manual_seed(1)), 4)
        w.add_images("gray grid", np.stack([random_gray] * 2), 4)
        w.add_images("nhwc", np.stack([bytes_hwc] * 9), 4, dataformats="NHWC")
        w.add_image("large", np.linspace(0, 1, 3 * 100 * 120).reshape(3, 100, 120), 4)
    random_gray = random.rand(1, 8, 6)
    compare(write)


@case
def images_with_boxes():
    picture = random.randint(0, 256, (3, 60, 80), dtype=np.uint8)

    def write(w):
        w.add_image_with_boxes("boxes", picture, np.array([[5, 6, 40, 30], [1.0, 2.0, 70.0, 50.0]]), 1)
        w.add_image_with_boxes("labels", picture, torch.tensor([[5, 6, 40, 30], [10, 20, 70, 50]]), 1, labels=["cat", "a dog"])
        w.add_image_with_boxes("scaled", picture / 255.0, np.array([[5, 6, 40, 30]]), 1, rescale=2)
        w.add_image_with_boxes("hwc", picture.transpose(1, 2, 0), np.array([[5, 6, 40, 30]]), 1, dataformats="HWC", labels="x")
    compare(write)


@case
def figures():
    try:
        import matplotlib
    except ImportError:
        return "no matplotlib"
    matplotlib.use("Agg")
    from matplotlib import pyplot

    def figure(slope):
        made, axes = pyplot.subplots(figsize=(2, 1.5))
        axes.plot([0, slope, 2])
        return made

    def write(w):
        w.add_figure("one", figure(1), 1)
        w.add_figure("several", [figure(2), figure(3)], 2)
        kept = figure(4)
        w.add_figure("kept", kept, 3, close=False)
        check(pyplot.fignum_exists(kept.number), "the figure was closed")
        pyplot.close(kept)
        check(not pyplot.get_fignums(), "a figure was left open")
    compare(write)
    return None


@case
def a_film_is_an_animated_picture_with_all_its_frames():
    """torch writes it only with moviepy 1, and then the same kind of value."""
    film = np.zeros((3, 5, 3, 16, 20), dtype=np.uint8)
    for moment in range(5):
        film[:, moment, 0, :, moment * 4:moment * 4 + 4] = 200
        film[1, moment, 1] = 50 * moment
    value = ours_only(lambda w: w.add_video("film", film, 3, fps=10))[0].summary.value[0]
    check((value.image.height, value.image.width, value.image.colorspace) == (16, 80, 3), f"{value.image.height}×{value.image.width}")
    picture = Image.open(io.BytesIO(value.image.encoded_image_string))
    check(picture.n_frames == 5 and picture.info["duration"] == 100, f"{picture.n_frames} frames, {picture.info}")
    for moment in range(5):
        picture.seek(moment)
        shown = np.asarray(picture.convert("RGB"))
        wanted = np.concatenate([film[number, moment] for number in range(3)] + [np.zeros_like(film[0, 0])], axis=2).transpose(1, 2, 0)
        check((shown == wanted).all(), f"frame {moment} differs")
    noise = random.rand(1, 2, 3, 64, 64)
    encoded = ours_only(lambda w: w.add_video("noise", noise, 1))[0].summary.value[0].image.encoded_image_string
    shown = np.asarray(Image.open(io.BytesIO(encoded)).convert("RGB")).astype(int)
    check(np.abs(shown - (noise[0, 0].transpose(1, 2, 0) * 255)).max() <= 27, "colours are not the nearest of the cube")


@case
def audio():
    sound = np.sin(np.arange(2000) / 20)

    def write(w):
        w.add_audio("sine", sound, 1)
        w.add_audio("tensor", torch.tensor(sound).float().reshape(1, -1), 2, sample_rate=8000)
        w.add_audio("loud", sound * 1.5, 3)
    compare(write)


@case
def texts():
    def write(w):
        w.add_text("t", "**bold** and more\n| a |", 1, 12.0)
        w.add_text("empty", "", 2, 12.0)
        w.add_text("unicode", "шаг ✓", walltime=12.0)
    compare(write, walltime=True)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Dropout(), torch.nn.Linear(8, 3))
        self.scale = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        return self.body(x) * self.scale + 1


class TwoIn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.head = Net()

    def forward(self, image, numbers):
        return self.conv(image).mean(), self.head(numbers), torch.zeros(2)


@case
def graphs():
    torch.manual_seed(1)
    net = Net().train()
    compare(lambda w: w.add_graph(net, torch.randn(2, 4)))
    check(net.training and net.body.training, "the model was left in evaluation")
    compare(lambda w: w.add_graph(TwoIn(), (torch.randn(1, 3, 8, 8), torch.randn(2, 4))))
    compare(lambda w: w.add_graph(torch.nn.Linear(2, 1), torch.randn(5, 2)))
    compare(lambda w: w.add_graph(torch.nn.LSTM(3, 4, 2), torch.randn(5, 1, 3)))
    compare(lambda w: w.add_graph(torch.nn.TransformerEncoderLayer(8, 2, 16), torch.randn(5, 1, 8)))


@case
def onnx_graphs():
    try:
        import onnx
        from onnx import TensorProto, helper
    except ImportError:
        return "no onnx"
    graph = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3], auto_pad="SAME_UPPER"),
                               helper.make_node("LeakyRelu", ["y"], ["z"], alpha=0.25)], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
                              [helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, 3, 8, 8])])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.onnx")
        onnx.save(helper.make_model(graph), path)
        compare(lambda w: w.add_onnx_graph(path))
    return None


@case
def embeddings():
    points = random.randn(5, 3)
    pictures = torch.rand(5, 3, 4, 6, generator=torch.Generator().manual_seed(1))

    def write(w):
        w.add_embedding(torch.tensor(points))
        w.add_embedding(torch.tensor(points).float(), metadata=list("abcde"), label_img=pictures, global_step=12, tag="a/b%c")
        w.add_embedding(points, metadata=[[n, "x y"] for n in range(5)], metadata_header=["number", "text"], global_step=3, tag='qu"ote')
    compare(write)


@case
def pr_curves():
    labels = random.randint(0, 2, 500)
    guesses = np.clip(labels * 0.3 + random.rand(500) * 0.7, 0, 1)

    def write(w):
        w.add_pr_curve("pr", labels, guesses, 1)
        w.add_pr_curve("few", torch.tensor(labels), torch.tensor(guesses), 1, num_thresholds=11)
        w.add_pr_curve("many", labels, guesses, 1, num_thresholds=1000)
        w.add_pr_curve("weights", labels, guesses, 1, weights=random_weights)
        rows = [np.arange(5) * number for number in range(1, 7)]
        w.add_pr_curve_raw("raw", *rows, 3, 5)
    random_weights = random.rand(500)
    compare(write)


@case
def custom_scalars():
    def write(w):
        w.add_custom_scalars({"Taiwan": {"twse": ["Multiline", ["twse/0050", "twse/2330"]]},
                              "USA": {"dow": ["Margin", ["dow/aaa", "dow/bbb", "dow/ccc"]], "nasdaq": ["Margin", ["a", "b", "c"]]}})
    compare(write)
    compare(lambda w: w.add_custom_scalars_multilinechart(["a", "b"], "cat", "title"))
    compare(lambda w: w.add_custom_scalars_marginchart(["a", "b", "c"]))


@case
def meshes():
    vertices = torch.tensor([[[1.0, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]]])
    colors = torch.tensor([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 0, 255]]])
    faces = torch.tensor([[[0, 2, 3], [0, 3, 1], [0, 1, 2], [1, 3, 2]]])

    def write(w):
        w.add_mesh("all", vertices, colors, faces, {"camera": {"cls": "PerspectiveCamera", "fov": 75}}, 1)
        w.add_mesh("points", vertices)
    compare(write)


@case
def tensors():
    def write(w):
        w.add_tensor("float", torch.randn(2, 3, generator=torch.Generator().manual_seed(1)), 1)
        w.add_tensor("double", torch.arange(3, dtype=torch.float64), 1)
        w.add_tensor("long", torch.tensor([1, -2, 3]), 1)
        w.add_tensor("int", torch.tensor([1, -2, 3], dtype=torch.int32), 1)
        w.add_tensor("bool", torch.tensor([True, False]), 1)
        w.add_tensor("one", torch.tensor(1.5), 1)
    compare(write)


@case
def tensors_that_torch_writes_wrongly_can_be_decoded():
    from tensorboard.util import tensor_util
    for given in (torch.tensor([1.5, -2.25]).half(), torch.tensor([1, 255, 7], dtype=torch.uint8), torch.tensor([[1], [-2]], dtype=torch.int8)):
        value = ours_only(lambda w, given=given: w.add_tensor("t", given, 1))[0].summary.value[0]
        found = tensor_util.make_ndarray(value.tensor)
        check(found.dtype == given.numpy().dtype and (found == given.numpy()).all(), f"{given} became {found}")


@case
def hparams():
    def write(w):
        w.add_hparams({"lr": 0.1, "layers": 3, "name": "adam", "none": None, "tensor": torch.tensor([2.0])},
                      {"accuracy": 0.5, "loss/val": torch.tensor(2.0)}, {"lr": [0.1, 0.2], "name": ["adam", "sgd"]}, "trial", 4)
    compare(write)


@case
def hparams_keep_bools():
    """torch writes them as numbers."""
    events = ours_only(lambda w: w.add_hparams({"amp": True}, {"a": 1.0}, run_name="t"))
    start = next(value for event in events for value in event.summary.value if value.tag.endswith("session_start_info"))
    data = HParamsPluginData.FromString(start.metadata.plugin_data.content)
    check(data.session_start_info.hparams["amp"].bool_value is True, str(data))


@case
def purges_and_names():
    compare(lambda w: w.add_scalar("a", 1.0, 9), purge_step=7, filename_suffix=".suffix")
    with tempfile.TemporaryDirectory() as folder:
        SummaryWriter(folder, filename_suffix=".mine").close()
        (name,) = os.listdir(folder)
        check(name.endswith(".mine") and name.startswith("events.out.tfevents."), name)


@case
def all_public_names_are_there():
    """Of torch's writer, and its arguments in their order."""
    import inspect
    for name, function in inspect.getmembers(TorchWriter, inspect.isfunction):
        if name.startswith("_") and name != "__init__":
            continue
        check(hasattr(SummaryWriter, name), f"{name} is missing")
        wanted = list(inspect.signature(function).parameters)
        found = list(inspect.signature(getattr(SummaryWriter, name)).parameters)
        check(found == wanted, f"{name}: torch takes {wanted}, Telltale {found}")


@case
def tensorboard_serves_the_same():
    """What its loaders make of a folder: every tag of every kind."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    def write(w):
        for step in range(5):
            w.add_scalar("loss", 1.0 / (step + 1), step)
            w.add_histogram("weights", np.linspace(-1, step + 1, 100), step)
        w.add_image("picture", np.zeros((3, 4, 4)), 1)
        w.add_audio("sound", np.zeros(10), 1)
        w.add_text("words", "hello", 1)
        w.add_graph(torch.nn.Linear(2, 1), torch.randn(5, 2))

    tags = []
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate((TorchWriter, SummaryWriter)):
            with kind(os.path.join(folder, str(number))) as writer:
                write(writer)
            accumulator = EventAccumulator(os.path.join(folder, str(number))).Reload()
            tags.append(accumulator.Tags())
            check([event.value for event in accumulator.Scalars("loss")] == [struct.unpack("f", struct.pack("f", 1 / (step + 1)))[0] for step in range(5)],
                  "the curve differs")
    check(tags[0] == tags[1], f"torch: {tags[0]}\nTelltale: {tags[1]}")


@case
def media_of_torch_numpy_and_others():
    """Pixels and counts of what programs log."""
    import telltale

    def shown(data):
        (value,) = telltale.Image(data).encode("t").values
        return pixels(Event.FromString(summary_event(value.content)).summary.value[0].image.encoded_image_string)[:, :, :3]

    def summary_event(content):
        from telltale import _proto
        return _proto.message(5, _proto.message(1, content))

    array = random.randint(0, 256, (6, 7, 3), dtype=np.uint8)
    check((shown(array) == array).all(), "uint8")
    check((shown(array.transpose(2, 0, 1)) == array).all(), "channels first")
    check((shown(torch.tensor(array.transpose(2, 0, 1))) == array).all(), "a tensor")
    check((shown(Image.fromarray(array)) == array).all(), "PIL")
    check((shown(array.astype(float)) == array).all(), "0 to 255 as floats")
    check((np.abs(shown(array / 255.0).astype(int) - array) <= 1).all(), "0 to 1")
    check((np.abs(shown(array / 127.5 - 1).astype(int) - array) <= 1).all(), "-1 to 1")
    check(shown(torch.rand(10, 3, 4, 5)).shape == (8, 40, 3), "a batch")
    (value,) = telltale.Histogram(np_histogram=np.histogram([1.0, 2.0, 2.5, 4.0], bins=3)).encode("t").values
    histogram = Event.FromString(summary_event(value.content)).summary.value[0].histo
    check(list(histogram.bucket) == [0, 1, 2, 1] and list(histogram.bucket_limit) == [1, 2, 3, 4], str(histogram))
    check(telltale.plot.confusion_matrix(y_true=np.array([0, 1, 1]), preds=torch.tensor([0, 1, 0])).get_column("nPredictions") == [1, 0, 1, 1], "confusion")


def main():
    import logging

    class Collect(logging.Handler):
        def emit(self, record):
            guarded_failures.append(record.getMessage())

    logger = logging.getLogger("telltale")
    logger.setLevel(logging.DEBUG)
    logger.addHandler(Collect())
    logger.propagate = False
    failed = 0
    for function in CASES:
        if sys.argv[1:] and function.__name__ not in sys.argv[1:]:
            continue
        random.seed(7)
        try:
            why_not = function()
            print(f"skipped: {function.__name__} ({why_not})" if why_not else f"{function.__name__}: ok")
        except Exception as problem:
            failed += 1
            print(f"{function.__name__}: FAILED: {type(problem).__name__}: {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
