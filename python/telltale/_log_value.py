# SPDX-License-Identifier: Apache-2.0
"""What becomes of a logged value that is no plain number: a point, a text, a medium, several of them."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional

from telltale import _native, _record


def _is_one_number(value: Any) -> bool:
    if not hasattr(value, "item"):
        return False
    count = value.numel() if callable(getattr(value, "numel", None)) else getattr(value, "size", 0)
    return bool(count == 1)


def log_value(key: str, value: Any, step: int, outputs: Optional[str]) -> None:
    """`outputs`: where files go. ValueError, TypeError or OSError if it cannot be logged."""
    if value is None:
        return
    if isinstance(value, (bool, int, float)) or _is_one_number(value):
        number = float(value) if isinstance(value, (bool, int, float)) else float(value.item())
        _record.scalar(key, number, step)
        _native.last()[key] = number
    elif isinstance(value, str):
        _record.text(key, value, step)
        _native.last()[key] = value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            log_value(f"{key}.{name}", part, step, outputs)
    else:
        _log_medium(key, value, step, outputs)


def _log_medium(key: str, value: Any, step: int, outputs: Optional[str]) -> None:
    from telltale import _media

    if isinstance(value, (list, tuple)) and value and all(isinstance(part, (_media.Medium, str)) for part in value):
        for number, part in enumerate(value):
            log_value(f"{key}/{number}", part, step, outputs)
        return
    medium = value if isinstance(value, _media.Medium) else _as_medium(value)
    encoded = medium.encode(key)
    for one in encoded.values:
        _record.value(one.tag, one.content, step)
    if encoded.file is not None and outputs is not None:
        from telltale import _run_folder

        folder = os.path.join(outputs, "media")
        os.makedirs(folder, exist_ok=True)
        name = f"{_run_folder.file_name(key) or 'value'}_{step}{encoded.file.ending}"
        with open(os.path.join(folder, name), "wb") as file:
            file.write(encoded.file.content)
        if not encoded.values:
            _record.text(key, f"outputs/media/{name}", step)


def _as_medium(value: Any) -> Any:
    from telltale import _media

    if any(hasattr(value, name) for name in ("savefig", "getbands", "get_figure")):  # of matplotlib and PIL
        return _media.Image(value)
    if hasattr(value, "to_html") and hasattr(value, "to_plotly_json"):
        return _media.Html(value.to_html(), data_is_not_path=True)
    if hasattr(value, "columns") and hasattr(value, "values"):  # of pandas
        return _media.Table(dataframe=value)
    return _media.Histogram(value)  # numbers, as many as there are
