# SPDX-License-Identifier: Apache-2.0
"""Telltale shows why a training run is slow, wrong or stuck. This package records one:

    import telltale                                  # or: import telltale as wandb
    run = telltale.init(project="mnist", config={"lr": 1e-3})
    telltale.log({"train/loss": 0.3})
    with telltale.span("augment"): ...

Under `telltale run` no init is needed, and much is recorded without any call. No function raises into the training or prints."""
from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which takes long to import

try:
    from telltale._native import log, span, step
except ImportError:  # a machine that the native module was not built for: nothing is recorded
    from telltale._off import log, span, step  # type: ignore[assignment]

if TYPE_CHECKING:
    from typing import Any

    from telltale._api import (Run, Settings, alert, define_metric, finish, init, log_artifact, login, save, setup, unwatch,
                               use_artifact, watch)
    from telltale._artifact import Artifact
    from telltale._config import Settings as _Mapping
    from telltale._media import Audio, Histogram, Html, Image, Table, Video
    from telltale._writer import SummaryWriter

    run: "Run | None"
    config: _Mapping
    summary: _Mapping

__version__ = "0.2.0"
__all__ = ["Artifact", "Audio", "Histogram", "Html", "Image", "Run", "Settings", "SummaryWriter", "Table", "Video", "alert", "config",
           "define_metric", "finish", "init", "log", "log_artifact", "login", "run", "save", "setup", "span", "step", "summary",
           "unwatch", "use_artifact", "watch"]

# Loaded when they are asked for: a program that only logs does not wait for the rest.
_WHERE = {"SummaryWriter": "_writer", "Artifact": "_artifact", **dict.fromkeys(("Audio", "Histogram", "Html", "Image", "Table", "Video"), "_media")}


def __getattr__(name: str) -> Any:
    if name not in __all__ and name != "plot":
        raise AttributeError(f"telltale has no {name!r}")
    from importlib import import_module

    if name == "plot":
        return import_module("telltale._plot")
    found = getattr(import_module(f"telltale.{_WHERE.get(name, '_api')}"), "current" if name in ("run", "config", "summary") else name)
    if name in ("run", "config", "summary"):  # of the run of this moment
        return found(name)
    globals()[name] = found
    return found
