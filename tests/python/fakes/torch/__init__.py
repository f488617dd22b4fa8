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


def save(obj, f):
    with open(f, "w") as file:
        file.write(repr(obj))


def load(f):
    with open(f) as file:
        return file.read()


from . import autograd, compiler, nn, optim, profiler  # noqa: E402, F401
