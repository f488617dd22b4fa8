# SPDX-License-Identifier: Apache-2.0
class CallbackHandler:
    def __init__(self, callbacks, model):
        self.callbacks, self.model = callbacks, model

    def on_train_begin(self, args, state, control):
        return control

    def on_log(self, args, state, control, logs, **kwargs):
        for callback in self.callbacks:
            callback(state, logs)
        logs.pop("total_flos", None)
        return control

    def call_event(self, event, args, state, control, **kwargs):
        return control
