# SPDX-License-Identifier: Apache-2.0
_gradients = [True]


def is_grad_enabled():
    return _gradients[-1]


class no_grad:
    def __enter__(self):
        _gradients.append(False)

    def __exit__(self, exc_type, exc_value, traceback):
        _gradients.pop()


class inference_mode(no_grad):
    def __init__(self, mode=True):
        self.mode = mode

    def __enter__(self):
        _gradients.append(not self.mode)

    def __exit__(self, exc_type, exc_value, traceback):
        _gradients.pop()


class set_grad_enabled(inference_mode):
    def __enter__(self):
        _gradients.append(self.mode)

    def __exit__(self, exc_type, exc_value, traceback):
        _gradients.pop()
