# SPDX-License-Identifier: Apache-2.0
class Module:
    def train(self, mode=True):
        self.training = mode
        return self

    def eval(self):
        return self.train(False)
