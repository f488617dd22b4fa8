# SPDX-License-Identifier: Apache-2.0
"""What TensorBoard's HParams page reads: the parameters of a session with their types, and the metrics that judge it."""
from __future__ import annotations

import struct
from typing import Any, Dict, List, Optional, Sequence

from telltale import _arrays
from telltale import _proto as proto
from telltale import _summary as summary
from telltale._summary import Value

_STRING, _BOOL, _FLOAT64 = 1, 2, 3  # hparams.DataType
_SUCCESS = 1  # hparams.Status


def _typed(name: str, value: Any) -> "tuple[int, bytes]":
    """Type, and the encoded google.protobuf.Value."""
    if hasattr(value, "detach") or (hasattr(value, "item") and not isinstance(value, (str, bool, int, float))):
        value = _arrays.to_number(value if getattr(value, "ndim", 0) == 0 else _arrays.flat_list(_arrays.to_array(value))[0])
    if isinstance(value, bool):
        return _BOOL, proto.varint(4 << 3) + proto.varint(int(value))
    if isinstance(value, (int, float)):
        return _FLOAT64, proto.varint(2 << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, str):
        return _STRING, proto.message(3, value.encode("utf-8", "replace"))
    raise ValueError(f"expected a number, text, bool or tensor as {name!r}, found {type(value).__name__}")


def values(parameters: Dict[str, Any], metrics: Dict[str, Any],
           discrete: Optional[Dict[str, Sequence[Any]]] = None) -> List[Value]:
    """The three values of a session: the experiment, its start, its end. A parameter that is None is left out."""
    infos = session = b""
    for name, value in parameters.items():
        if value is None:
            continue
        kind, encoded = _typed(name, value)
        session += proto.message(1, proto.text(1, name) + proto.message(2, encoded))
        domain = b""
        if discrete is not None and name in discrete:
            domain = proto.message(5, b"".join(proto.message(1, _typed(name, choice)[1]) for choice in discrete[name]))
        infos += proto.message(4, proto.text(1, name) + proto.integer(4, kind) + domain)
    measures = b"".join(proto.message(5, proto.message(1, proto.text(2, name))) for name in metrics)
    out = []
    for tag, field, content in (("experiment", 2, infos + measures), ("session_start_info", 3, session),
                                ("session_end_info", 4, proto.integer(1, _SUCCESS))):
        full = f"_hparams_/{tag}"
        out.append(Value(full, proto.text(1, full) + summary.metadata("hparams", proto.message(field, content))))
    return out
