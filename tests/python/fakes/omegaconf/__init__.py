# SPDX-License-Identifier: Apache-2.0
class OmegaConf:
    @staticmethod
    def is_missing(config, key):
        return config[key] == "???"
