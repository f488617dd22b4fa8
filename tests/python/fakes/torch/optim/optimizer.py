# SPDX-License-Identifier: Apache-2.0
from functools import wraps

_hooks = []


def register_optimizer_step_post_hook(hook):
    _hooks.append(hook)


class Optimizer:
    def __init__(self, params, defaults):
        self.params, self.defaults = params, defaults
        if not getattr(self.__class__.step, "hooked", None):
            self.__class__.step = self.profile_hook_step(self.__class__.step)
            self.__class__.step.hooked = True

    @staticmethod
    def profile_hook_step(function):
        @wraps(function)
        def wrapper(self, *args, **kwargs):
            from torch.autograd.profiler import record_function

            with record_function("Optimizer.step#" + type(self).__name__):
                result = function(self, *args, **kwargs)
                for hook in _hooks:
                    hook(self, args, kwargs)
            return result

        return wrapper


class SGD(Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    def step(self, closure=None):
        for _ in range(3 if closure else 0):
            closure()
        return "stepped"
