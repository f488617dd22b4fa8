# SPDX-License-Identifier: Apache-2.0
"""The configuration and the summary of a run: dictionaries whose keys are attributes, too. Every change is recorded at once."""
from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, Mapping, MutableMapping, Optional


def as_mapping(values: Any) -> Dict[str, Any]:
    """Of a mapping, the arguments of argparse, a dataclass, pairs, or the path of a JSON file."""
    if values is None:
        return {}
    if isinstance(values, (str, bytes)):
        import json

        with open(values, encoding="utf-8") as file:
            values = json.load(file)
    if hasattr(values, "__dataclass_fields__"):
        return {name: getattr(values, name) for name in values.__dataclass_fields__}
    if hasattr(values, "keys"):
        return {str(key): values[key] for key in values.keys()}
    if hasattr(values, "__dict__"):
        return {name: value for name, value in vars(values).items() if not name.startswith("_")}
    return {str(key): value for key, value in dict(values).items()}


def flat(values: Mapping[str, Any], before: str = "") -> Dict[str, Any]:
    """Keys of what is nested, joined by dots."""
    out: Dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            out.update(flat(value, f"{before}{key}."))
        else:
            out[f"{before}{key}"] = value
    return out


class Settings(MutableMapping[str, Any]):
    """`changed` is called with what is new."""

    def __init__(self, changed: Callable[[Dict[str, Any]], None], look_up: Optional[Callable[[], Dict[str, Any]]] = None) -> None:
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_changed", changed)
        object.__setattr__(self, "_look_up", look_up)

    def _all(self) -> Dict[str, Any]:
        found = self._look_up() if self._look_up is not None else {}
        return {**found, **self._values}

    def __getitem__(self, key: str) -> Any:
        return self._all()[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._values[str(key)] = value
        self._changed({str(key): value})

    def __delitem__(self, key: str) -> None:
        self._values.pop(key, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(key)
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"no {key!r} is set; there is {', '.join(self) or 'nothing'}") from None

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def update(self, values: Any = (), allow_val_change: Optional[bool] = None, **more: Any) -> None:  # type: ignore[override]
        """Of anything that as_mapping takes."""
        try:
            new = {**as_mapping(values), **more}
        except Exception:
            return  # nothing that a training should end for
        self._values.update(new)
        self._changed(new)

    def setdefaults(self, values: Any) -> None:
        self.update({key: value for key, value in as_mapping(values).items() if key not in self})

    def as_dict(self) -> Dict[str, Any]:
        return self._all()

    def __repr__(self) -> str:
        return repr(self._all())
