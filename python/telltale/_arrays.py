# SPDX-License-Identifier: Apache-2.0
"""Numbers out of whatever a program has: tensors of torch, arrays of numpy and of others, nested lists, single numbers. Gives
numpy's arrays where the program has numpy, else an `Array` of this module, which does the little that is needed here."""
from __future__ import annotations

import array
import math
import sys
from typing import Any, Iterator, List, Sequence, Tuple


class Array:
    """A shape and its numbers, last index fastest. Only for programs without numpy."""

    def __init__(self, shape: Sequence[int], numbers: List[Any], is_uint8: bool = False) -> None:
        self.shape = tuple(shape)
        self.numbers = numbers
        self.is_uint8 = is_uint8

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def transposed(self, order: Sequence[int]) -> "Array":
        strides = [math.prod(self.shape[axis + 1:]) for axis in range(self.ndim)]
        places = [0]
        for axis in order:
            places = [place + index * strides[axis] for place in places for index in range(self.shape[axis])]
        return Array([self.shape[axis] for axis in order], [self.numbers[place] for place in places], self.is_uint8)

    def reshaped(self, *shape: int) -> "Array":
        return Array(shape, self.numbers, self.is_uint8)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator["Array"]:
        size = math.prod(self.shape[1:])
        for row in range(self.shape[0]):
            yield Array(self.shape[1:], self.numbers[row * size:row * size + size], self.is_uint8)


def numpy() -> Any:
    """The module, if the program has it; it is not worth a try without, nor worth its import before something asks for it."""
    module = sys.modules.get("numpy")
    if module is None:
        try:
            import numpy as module
        except Exception:
            return None
    return module


def _nested(values: Any) -> Array:
    shape: List[int] = []
    level = values
    while isinstance(level, (list, tuple)):
        shape.append(len(level))
        if not level:
            break
        level = level[0]
    flat = [values]
    for size in shape:
        if any(not isinstance(row, (list, tuple)) or len(row) != size for row in flat):
            raise ValueError(f"expected nested lists of one shape, found rows that differ from {shape}")
        flat = [item for row in flat for item in row]
    return Array(shape, [item.item() if hasattr(item, "item") else item for item in flat])


def to_array(values: Any) -> Any:
    """An array of numpy, or an `Array`."""
    if isinstance(values, Array):
        return values
    module = numpy()
    if hasattr(values, "detach"):  # a tensor of torch, wherever it lives
        values = values.detach()
        if hasattr(values, "is_conj") and values.is_conj():
            values = values.resolve_conj()
        values = values.cpu()
        if str(values.dtype) in ("torch.bfloat16",) or str(values.dtype).startswith("torch.float8"):
            values = values.float()
        if module is not None:
            try:
                return values.numpy()
            except Exception:
                return module.asarray(values.tolist())
        is_uint8 = str(values.dtype) == "torch.uint8"
        return Array(tuple(values.shape), values.reshape(-1).tolist(), is_uint8)
    if module is not None:
        return module.asarray(values)
    if isinstance(values, (bytes, bytearray)):
        return Array((len(values),), list(values), True)
    if isinstance(values, (array.array, memoryview)):
        view = memoryview(values)
        return _nested(view.tolist()) if view.format != "B" else Array(view.shape or (1,), list(view.tobytes()), True)
    if hasattr(values, "tolist"):
        return _nested(values.tolist())
    return _nested(list(values) if isinstance(values, (range, map, filter)) else values)


def flat_list(values: Any) -> List[Any]:
    """The numbers of what to_array gave."""
    return values.numbers if isinstance(values, Array) else values.reshape(-1).tolist()


def is_uint8(values: Any) -> bool:
    return values.is_uint8 if isinstance(values, Array) else values.dtype == "uint8"


def transpose(values: Any, order: Sequence[int]) -> Any:
    return values.transposed(order) if isinstance(values, Array) else values.transpose(order)


def reshape(values: Any, *shape: int) -> Any:
    return values.reshaped(*shape) if isinstance(values, Array) else values.reshape(shape)


def to_bytes(values: Any, scale: float = 1.0) -> bytes:
    """Each number times `scale`, cut to 0…255, in the precision that torch uses (float32)."""
    if isinstance(values, Array):
        if values.is_uint8 and scale == 1.0:
            return bytes(values.numbers)
        singles = array.array("f", values.numbers)
        scaled = array.array("f", (number * scale for number in singles))
        return bytes([0 if not number > 0 else 255 if number >= 255 else int(number) for number in scaled])
    module = numpy()
    if values.dtype == "uint8" and scale == 1.0:
        return bytes(values.tobytes())
    with module.errstate(all="ignore"):
        scaled = module.nan_to_num(values.astype(module.float32) * scale, nan=0.0)
        return bytes(scaled.clip(0, 255).astype(module.uint8).tobytes())


def to_number(value: Any) -> float:
    """The one number of anything that holds one; ValueError or TypeError else."""
    if isinstance(value, (int, float)):
        return float(value)
    if hasattr(value, "item"):
        return float(value.item())
    if isinstance(value, (list, tuple)) and len(value) == 1:
        return to_number(value[0])
    return float(value)


def memory_of(values: Any) -> Tuple[int, int, str, Any]:
    """Address, count and type ("f", "d", or an integer type of `struct`) of contiguous numbers, with what keeps them alive."""
    if hasattr(values, "detach") and hasattr(values, "data_ptr"):
        tensor = values.detach()
        if str(tensor.layout) == "torch.strided":
            tensor = tensor.cpu()
            kind = {"torch.float32": "f", "torch.float64": "d", "torch.int64": "q", "torch.int32": "i"}.get(str(tensor.dtype))
            if kind is None:
                tensor, kind = tensor.double(), "d"
            tensor = tensor.contiguous()
            return tensor.data_ptr(), tensor.numel(), kind, tensor
        values = tensor.to_dense()
    found = to_array(values)
    if isinstance(found, Array):
        doubles = array.array("d", found.numbers)
        address, count = doubles.buffer_info()
        return address, count, "d", doubles
    module = numpy()
    if found.dtype not in (module.float32, module.float64) or not found.dtype.isnative:
        found = found.astype(module.float64)
    found = module.ascontiguousarray(found)
    return found.ctypes.data, found.size, "f" if found.dtype == module.float32 else "d", found


