# SPDX-License-Identifier: Apache-2.0
class Module:
    training = True

    def parameters(self):
        return iter(getattr(self, "weights", ()))

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def train(self, mode=True):
        self.training = mode
        return self

    def eval(self):
        return self.train(False)

    def zero_grad(self, set_to_none=True):
        pass
