# SPDX-License-Identifier: Apache-2.0
_hooks = []


def register_optimizer_step_post_hook(hook):
    _hooks.append(hook)


class Optimizer:
    def __init__(self, params, defaults):
        self.params, self.defaults = params, defaults


class SGD(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    def step(self, closure=None):
        for _ in range(3 if closure else 0):
            closure()
        for hook in _hooks:
            hook(self, (), {})
        return "stepped"
