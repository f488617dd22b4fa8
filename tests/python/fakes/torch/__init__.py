# SPDX-License-Identifier: Apache-2.0
"""The outside of torch that the hooks touch: optimizers with global post-step hooks, loaders, process groups,
the profiler."""
import contextlib

__version__ = "2.99.0"
_gradients = [True]


def is_grad_enabled():
    return _gradients[-1]


@contextlib.contextmanager
def no_grad():
    _gradients.append(False)
    try:
        yield
    finally:
        _gradients.pop()


from . import autograd, compiler, optim, profiler  # noqa: E402, F401
