# SPDX-License-Identifier: Apache-2.0
"""SummaryWriter: what torch.utils.tensorboard has under that name, with the same calls and the same files, without torch,
tensorboard or numpy. No call raises for what it is given: what cannot be written is dropped and told to the logger `telltale`.
Only the constructor raises, where its folder cannot be made."""
from __future__ import annotations

import functools
import logging
import os
import socket
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, TypeVar

from telltale import _arrays, _event_writer, _graph, _hparams, _pictures, _projector, _record
from telltale import _summary as summary

_logger = logging.getLogger("telltale")
_Call = TypeVar("_Call", bound=Callable[..., Any])


def _safe(call: _Call) -> _Call:
    """Nothing that goes wrong inside reaches the training."""

    @functools.wraps(call)
    def guarded(*arguments: Any, **options: Any) -> Any:
        try:
            return call(*arguments, **options)
        except Exception as problem:  # noqa: BLE001
            _logger.info("SummaryWriter.%s wrote nothing: %s", call.__name__, problem)
            return None

    return guarded  # type: ignore[return-value]


def _whole(step: Any) -> Optional[int]:
    return None if step is None else int(step)


class SummaryWriter:
    """Writes event files for TensorBoard and `telltale view` into a folder.

    log_dir: default runs/DATE_HOST + comment. purge_step: the training begins there again; what was written for later steps
    is void. max_queue and flush_secs are taken and not needed: nothing waits to be written."""

    def __init__(self, log_dir: Optional["str | os.PathLike[str]"] = None, comment: str = "", purge_step: Optional[int] = None,
                 max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        if not log_dir:
            log_dir = os.path.join("runs", f"{time.strftime('%b%d_%H-%M-%S')}_{socket.gethostname()}{comment}")
        self.log_dir = os.fspath(log_dir)
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: Optional[_event_writer.EventWriter] = None
        self.all_writers: Optional[Dict[str, _event_writer.EventWriter]] = None
        self._embeddings: List[_projector.Embedding] = []
        self._open()

    def _open(self) -> _event_writer.EventWriter:
        if self.file_writer is None:
            self.file_writer = _event_writer.EventWriter(self.log_dir, self.filename_suffix)
            self.all_writers = {self.log_dir: self.file_writer}
            if self.purge_step is not None:
                self.file_writer.session_start(int(self.purge_step))
                self.purge_step = None
        return self.file_writer

    def _write(self, values: Sequence[summary.Value], step: Any, wall: Optional[float]) -> None:
        self._open().values(values, _whole(step), wall)

    @functools.cached_property
    def default_bins(self) -> List[float]:
        return summary.edges()

    def get_logdir(self) -> str:
        return self.log_dir

    @_safe
    def add_scalar(self, tag: str, scalar_value: Any, global_step: Optional[int] = None, walltime: Optional[float] = None,
                   new_style: bool = False, double_precision: bool = False) -> None:
        number = scalar_value if type(scalar_value) is float else _arrays.to_number(scalar_value)
        if new_style:
            self._write([summary.scalar(tag, number, True, double_precision)], global_step, walltime)
        else:
            self._open().scalar(tag, number, _whole(global_step), walltime)

    @_safe
    def add_scalars(self, main_tag: str, tag_scalar_dict: Dict[str, Any], global_step: Optional[int] = None,
                    walltime: Optional[float] = None) -> None:
        """Each key becomes a run of its own below the folder, as in torch, so that one chart shows all."""
        self._open()
        writers = self.all_writers
        assert writers is not None
        for tag, value in tag_scalar_dict.items():
            folder = f"{self.log_dir}/{main_tag.replace('/', '_')}_{tag}"
            writer = writers.get(folder)
            if writer is None:
                writer = writers[folder] = _event_writer.EventWriter(folder, self.filename_suffix)
                writer.records = False
            number = _arrays.to_number(value)
            writer.scalar(main_tag, number, _whole(global_step), walltime)
            if self._open().records:
                _record.scalar(f"{main_tag}/{tag}", number, _whole(global_step), walltime)

    @_safe
    def add_tensor(self, tag: str, tensor: Any, global_step: Optional[int] = None, walltime: Optional[float] = None) -> None:
        self._write([summary.any_tensor(tag, tensor)], global_step, walltime)

    @_safe
    def add_histogram(self, tag: str, values: Any, global_step: Optional[int] = None, bins: Any = "tensorflow",
                      walltime: Optional[float] = None, max_bins: Optional[int] = None) -> None:
        self._write([summary.histogram_of(tag, values, bins, max_bins)], global_step, walltime)

    @_safe
    def add_histogram_raw(self, tag: str, min: float, max: float, num: int, sum: float, sum_squares: float,
                          bucket_limits: Sequence[float], bucket_counts: Sequence[float], global_step: Optional[int] = None,
                          walltime: Optional[float] = None) -> None:
        limits = [float(limit) for limit in _arrays.flat_list(_arrays.to_array(bucket_limits))]
        counts = [float(count) for count in _arrays.flat_list(_arrays.to_array(bucket_counts))]
        if len(limits) != len(counts):
            raise ValueError(f"expected as many counts as limits, found {len(counts)} and {len(limits)}")
        low, high, number, total, squares = (_arrays.to_number(one) for one in (min, max, num, sum, sum_squares))
        self._write([summary.histogram(tag, summary.Buckets(low, high, number, total, squares, limits, counts))], global_step, walltime)

    @_safe
    def add_image(self, tag: str, img_tensor: Any, global_step: Optional[int] = None, walltime: Optional[float] = None,
                  dataformats: str = "CHW") -> None:
        self._write([summary.image(tag, _pictures.from_array(img_tensor, dataformats))], global_step, walltime)

    @_safe
    def add_images(self, tag: str, img_tensor: Any, global_step: Optional[int] = None, walltime: Optional[float] = None,
                   dataformats: str = "NCHW") -> None:
        if isinstance(img_tensor, list):
            module = _arrays.numpy()
            arrays = [_arrays.to_array(one) for one in img_tensor]
            img_tensor = module.stack(arrays) if module is not None else _arrays.Array(
                (len(arrays), *arrays[0].shape), [number for one in arrays for number in one.numbers], arrays[0].is_uint8)
        self._write([summary.image(tag, _pictures.from_array(img_tensor, dataformats))], global_step, walltime)

    @_safe
    def add_image_with_boxes(self, tag: str, img_tensor: Any, box_tensor: Any, global_step: Optional[int] = None,
                             walltime: Optional[float] = None, rescale: float = 1, dataformats: str = "CHW",
                             labels: Any = None) -> None:
        pixels = _pictures.from_array(img_tensor, dataformats)
        names = [labels] if isinstance(labels, str) else labels
        self._write([summary.image(tag, _pictures.with_boxes(pixels, box_tensor, names), rescale)], global_step, walltime)

    @_safe
    def add_figure(self, tag: str, figure: Any, global_step: Optional[int] = None, close: bool = True,
                   walltime: Optional[float] = None) -> None:
        if isinstance(figure, (list, tuple)):
            pixels = _pictures.grid([_pictures.from_figure(one, close) for one in figure])
        else:
            pixels = _pictures.from_figure(figure, close)
        self._write([summary.image(tag, pixels)], global_step, walltime)

    @_safe
    def add_video(self, tag: str, vid_tensor: Any, global_step: Optional[int] = None, fps: float = 4,
                  walltime: Optional[float] = None) -> None:
        self._write([summary.video(tag, _pictures.frames(vid_tensor), fps)], global_step, walltime)

    @_safe
    def add_audio(self, tag: str, snd_tensor: Any, global_step: Optional[int] = None, sample_rate: int = 44100,
                  walltime: Optional[float] = None) -> None:
        self._write([summary.audio(tag, snd_tensor, sample_rate)], global_step, walltime)

    @_safe
    def add_text(self, tag: str, text_string: str, global_step: Optional[int] = None, walltime: Optional[float] = None) -> None:
        self._write([summary.text(tag, str(text_string))], global_step, walltime)

    @_safe
    def add_graph(self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True) -> None:
        graph, run_metadata = _graph.of_module(model, input_to_model, use_strict_trace)
        self._open().graph(graph, run_metadata, None)

    @_safe
    def add_onnx_graph(self, prototxt: Any) -> None:
        self._open().graph(_graph.of_onnx(prototxt), None, None)

    @_safe
    def add_embedding(self, mat: Any, metadata: Optional[Sequence[Any]] = None, label_img: Any = None,
                      global_step: Optional[int] = None, tag: str = "default",
                      metadata_header: Optional[Sequence[str]] = None) -> None:
        one = _projector.write(self.log_dir, mat, metadata, label_img, _whole(global_step), tag, metadata_header)
        self._embeddings.append(one)
        _projector.write_list(self.log_dir, self._embeddings)

    @_safe
    def add_pr_curve(self, tag: str, labels: Any, predictions: Any, global_step: Optional[int] = None, num_thresholds: int = 127,
                     weights: Any = None, walltime: Optional[float] = None) -> None:
        self._write([summary.pr_curve(tag, labels, predictions, num_thresholds, weights)], global_step, walltime)

    @_safe
    def add_pr_curve_raw(self, tag: str, true_positive_counts: Any, false_positive_counts: Any, true_negative_counts: Any,
                         false_negative_counts: Any, precision: Any, recall: Any, global_step: Optional[int] = None,
                         num_thresholds: int = 127, weights: Any = None, walltime: Optional[float] = None) -> None:
        rows = [true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts, precision, recall]
        self._write([summary.pr_curve_raw(tag, rows, num_thresholds)], global_step, walltime)

    @_safe
    def add_custom_scalars(self, layout: Dict[str, Dict[str, Sequence[Any]]]) -> None:
        self._write([summary.custom_scalars(layout)], None, None)

    @_safe
    def add_custom_scalars_multilinechart(self, tags: Sequence[str], category: str = "default", title: str = "untitled") -> None:
        self._write([summary.custom_scalars({category: {title: ["Multiline", tags]}})], None, None)

    @_safe
    def add_custom_scalars_marginchart(self, tags: Sequence[str], category: str = "default", title: str = "untitled") -> None:
        self._write([summary.custom_scalars({category: {title: ["Margin", tags]}})], None, None)

    @_safe
    def add_mesh(self, tag: str, vertices: Any, colors: Any = None, faces: Any = None,
                 config_dict: Optional[Dict[str, Any]] = None, global_step: Optional[int] = None,
                 walltime: Optional[float] = None) -> None:
        self._write(summary.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    @_safe
    def add_hparams(self, hparam_dict: Dict[str, Any], metric_dict: Dict[str, Any],
                    hparam_domain_discrete: Optional[Dict[str, Sequence[Any]]] = None, run_name: Optional[str] = None,
                    global_step: Optional[int] = None) -> None:
        """In a folder of its own below this one, as in torch."""
        values = _hparams.values(hparam_dict, metric_dict, hparam_domain_discrete)
        if self._open().records:
            _record.note("config", hparam_dict)
        with SummaryWriter(os.path.join(self.log_dir, run_name or str(time.time()))) as session:
            session._open().records = False
            for value in values:
                session._write([value], global_step, None)
            for name, number in metric_dict.items():
                session.add_scalar(name, number, global_step)

    def flush(self) -> None:
        """All is in the files already."""

    @_safe
    def close(self) -> None:
        """What is added later opens a new file."""
        for writer in (self.all_writers or {}).values():
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> "SummaryWriter":
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()
