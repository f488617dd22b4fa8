# SPDX-License-Identifier: Apache-2.0
class _Config(dict):
    def __init__(self, callback, values):
        super().__init__(values)
        self._callback = callback

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self._callback(key=key, val=value)

    def as_dict(self):
        return dict(self)


class Run:
    def __init__(self, config, identity="abc"):
        self.id, self.name, self.kept = identity, "calm-sea-1", []
        self.config = _Config(self._config_callback, config or {})

    def log(self, data, step=None, commit=None):
        if not isinstance(data, dict):
            raise TypeError("wandb.log must be passed a dictionary")
        self.kept.append((data, step, commit))

    def _config_callback(self, key=None, val=None, data=None):
        pass

    def _summary_update_callback(self, summary_record):
        pass
