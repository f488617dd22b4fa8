# SPDX-License-Identifier: Apache-2.0
"""What stands in for the native functions of the package where they cannot be loaded: nothing is recorded, and nothing fails."""
from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def log(data: Mapping[str, Any], step: Optional[int] = None, commit: Optional[bool] = None, sync: Optional[bool] = None) -> None:
    """Nothing is recorded."""


def step(number: Optional[int] = None, data_wait_s: Optional[float] = None) -> None:
    """Nothing is recorded."""


class span:
    """Nothing is recorded."""

    def __init__(self, name: str) -> None:
        pass

    def __enter__(self) -> "span":
        return self

    def __exit__(self, *problem: Any) -> None:
        pass

    def __call__(self, function: _Function) -> _Function:
        return function
