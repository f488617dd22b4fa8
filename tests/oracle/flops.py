# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations of one call, by torch's own formulas, from the arguments in the trace."""
import json
from math import prod


def flops(name, args):
    """Operations of this call, or None where the formula or its inputs are missing."""
    dims = args.get("Input Dims", args.get("Input dims"))
    name = name.split(".")[0]                           # aten::add.Tensor counts as aten::add
    if not dims:
        return None
    try:
        if name in ("aten::add", "aten::mul"):
            return 0 if args["Input type"][0] in ("", "Scalar") else prod(dims[0])
        if name in ("aten::mm", "aten::addmm"):
            left, right = dims[:2] if name == "aten::mm" else dims[1:3]
            return 2 * left[0] * left[1] * right[1] if len(left) == len(right) == 2 else 0
        if name in ("aten::bmm", "aten::baddbmm"):
            left, right = dims[:2] if name == "aten::bmm" else dims[1:3]
            return 2 * left[0] * left[1] * left[2] * right[2]
        if name == "aten::conv2d":
            return _conv2d(dims, args["Concrete Inputs"])
    except (KeyError, IndexError, ValueError, TypeError):
        return None
    return None


def _conv2d(dims, concrete):
    batch, in_channels, height, width = dims[0]
    out_channels, _, kernel_height, kernel_width = dims[1]
    stride, padding, dilation = (_pair(json.loads(concrete[i])) for i in (3, 4, 5))
    groups = int(concrete[6])
    out_height = (height + 2 * padding[0] - dilation[0] * (kernel_height - 1) - 1) // stride[0] + 1
    out_width = (width + 2 * padding[1] - dilation[1] * (kernel_width - 1) - 1) // stride[1] + 1
    return (2 * batch * out_height * out_width * kernel_height * kernel_width * in_channels * out_channels) // groups


def _pair(values):
    return values * 2 if len(values) == 1 else values
