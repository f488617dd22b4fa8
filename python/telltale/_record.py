# SPDX-License-Identifier: Apache-2.0
"""Writing to the run that this process belongs to, for the rest of the package and for the hooks that `telltale run`
injects. Every function may be called from any thread, returns at once, raises nothing and prints nothing; where nothing is
recorded it does nothing: also where the native module cannot be loaded, on a machine that it was not built for. Knows no
torch, no numpy and no configuration: values come ready."""
from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which takes long to import
if TYPE_CHECKING:
    from typing import Any, Optional

__all__ = ["counter", "counts_steps", "heartbeat", "instant", "name", "note", "note_json", "recording", "scalar", "span_begin", "span_end",
           "step_begin", "step_end", "text", "value"]

try:
    from telltale._native import (counter, counts_steps, heartbeat, instant, name, note_json, recording, scalar, span_begin,
                                  span_end, step_begin, step_end, text, value)
except ImportError:
    def recording() -> bool:
        """Whether what is said here is kept."""
        return False

    def counts_steps() -> bool:
        """Whether the program itself called telltale.step()."""
        return False

    def name(tag: str) -> int:
        """The number of a name, the same for the life of the process; 0 while nothing is recorded."""
        return 0

    def scalar(tag: str, value: float, step: Optional[int], wall: Optional[float] = None) -> None:
        """A point of a curve. `step` None: it has none; `wall`: seconds since 1970, now unless given."""

    def text(tag: str, text: str, step: Optional[int]) -> None:
        """A text, Markdown if one likes."""

    def value(tag: str, summary_value: bytes, step: Optional[int], wall: Optional[float] = None) -> None:
        """Anything else that an event file holds: an encoded Summary.Value."""

    def note_json(key: str, json: str) -> None:
        """A fact of the process, as JSON."""

    def step_begin(step: int) -> None:
        """A step begins on this thread."""

    def step_end(step: int, data_wait_ns: int = -1) -> None:
        """A step ends on this thread; `data_wait_ns` of it went into waiting for data, -1 where nobody knows."""

    def span_begin(name: str) -> None:
        """What this thread does from now on, until span_end; spans nest."""

    def span_end() -> None:
        """The innermost span of this thread ends."""

    def instant(name: str) -> None:
        """Something that happened now."""

    def counter(name: str, value: float) -> None:
        """A quantity over time, dropped when there is no room, unlike a scalar."""

    def heartbeat() -> None:
        """This process is alive and gets on."""


def note(key: str, obj: Any) -> None:
    """A fact of the process, kept as JSON: config, rank, exception, versions, summary, finish. What JSON does not know is written
    as text."""
    if not recording():
        return
    try:
        import json

        note_json(key, json.dumps(_plain(obj), ensure_ascii=False, default=_text))
    except Exception:
        pass  # a cycle, a key that cannot be turned into text: nothing that a training could mend


def _plain(obj: Any) -> Any:
    """Keys of dictionaries as texts, numbers that JSON does not have as the texts that the contract names."""
    if isinstance(obj, float):
        return obj if obj - obj == 0 else "NaN" if obj != obj else "Infinity" if obj > 0 else "-Infinity"
    if isinstance(obj, dict):
        return {str(key): _plain(item) for key, item in obj.items()}
    if isinstance(obj, (list, tuple, set, frozenset)):
        return [_plain(item) for item in obj]
    return obj


def _text(obj: Any) -> Any:
    """One number of numpy or torch is that number."""
    try:
        if hasattr(obj, "item") and getattr(obj, "ndim", 0) == 0:
            return _plain(obj.item())
        return str(obj)
    except Exception:
        return f"<{type(obj).__name__}>"
