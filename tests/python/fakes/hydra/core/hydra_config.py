# SPDX-License-Identifier: Apache-2.0
class HydraConfig:
    def set_config(self, cfg):
        self.cfg = cfg
