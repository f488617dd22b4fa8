# SPDX-License-Identifier: Apache-2.0
class _Stage:
    dataloader_prefix = "val"


class _EvaluationLoop:
    _stage = _Stage()

    def _on_before_fetch(self):
        print("before")

    def _on_after_fetch(self):
        print("after")
