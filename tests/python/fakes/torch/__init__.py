# SPDX-License-Identifier: Apache-2.0
"""The outside of torch that the hooks touch: optimizers with global post-step hooks, loaders, process groups,
the profiler."""

__version__ = "2.99.0"


def save(obj, f):
    with open(f, "w") as file:
        file.write(repr(obj))


def load(f):
    with open(f) as file:
        return file.read()


from . import autograd, compiler, nn, optim, profiler  # noqa: E402, F401
from .autograd.grad_mode import inference_mode, is_grad_enabled, no_grad, set_grad_enabled  # noqa: E402, F401
