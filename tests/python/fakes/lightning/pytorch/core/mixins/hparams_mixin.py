# SPDX-License-Identifier: Apache-2.0
class HyperparametersMixin:
    def _set_hparams(self, hp):
        self.hparams = hp
