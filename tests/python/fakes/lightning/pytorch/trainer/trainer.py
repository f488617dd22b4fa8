# SPDX-License-Identifier: Apache-2.0
class Trainer:
    def __init__(self, *, max_epochs=None, min_epochs=None, max_steps=-1, min_steps=None, max_time=None, fast_dev_run=False,
                 limit_train_batches=1.0, limit_val_batches=1.0, limit_test_batches=1.0, limit_predict_batches=1.0, overfit_batches=0.0,
                 val_check_interval=None, check_val_every_n_epoch=1, num_sanity_val_steps=2, deterministic=None, callbacks=()):  # fmt: skip
        self.given = {name: value for name, value in locals().items() if name not in ("self", "callbacks")}
        self.checkpoint_callbacks = list(callbacks)

    def save_checkpoint(self, filepath):
        with open(filepath, "w") as file:
            file.write("fresh")
