# SPDX-License-Identifier: Apache-2.0
from . import profiler  # noqa: F401


def backward(tensors):
    return "gradients"
