# SPDX-License-Identifier: Apache-2.0
class Module:
    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)
