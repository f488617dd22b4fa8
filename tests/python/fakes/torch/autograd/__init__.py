# SPDX-License-Identifier: Apache-2.0
from . import grad_mode, profiler  # noqa: F401


def backward(tensors):
    return "gradients"
