# SPDX-License-Identifier: Apache-2.0
"""Quick runs: what `telltale run --fast-dev-run` and its like change in a Python training that nobody changed. Unlike the
other hooks these are asked to change what the program does; they still raise nothing of their own into it, but for one
exception that only loops see which this package has put there (loops.py).

asked.py    what was asked for, and the note `quick_run`: what is in force, what is not and why
source.py   the program's own source: its loops become ones that can be ended
loops.py    those loops while they run
roles.py    which loader trains, validates, tests
training.py epochs and steps of a training, and how it is brought to its own end
loaders.py  torch's DataLoaders, shortened
lightning.py, transformers.py   arguments of the two Trainers
saves.py    no checkpoint over one that was there before
anomaly.py  NaN and Inf, with the operator and the line
settings.py seeds, determinism, workers, the debugger

Nothing of it is loaded unless TELLTALE_QUICK is set."""

# Flags that end loops of the program's own.
SHORTENING = ("fast_dev_run", "limit_train_batches", "limit_val_batches", "limit_test_batches", "overfit_batches", "max_epochs",
              "max_steps", "max_time", "restrict_subjects")  # fmt: skip

HOOKS = (
    ("torch.utils.data.dataloader", "loaders", "dataloader_imported", SHORTENING + ("num_workers",)),
    ("torch.optim.optimizer", "training", "optimizer_imported", SHORTENING),
    ("torch.nn.modules.module", "roles", "module_imported", SHORTENING),
    ("torch", "training", "torch_imported", SHORTENING),
    ("torch", "saves", "torch_imported", ("fast_dev_run",)),
    ("torch", "settings", "torch_imported", ("seed", "deterministic")),
    ("torch", "anomaly", "torch_imported", ("detect_anomaly",)),
    ("numpy", "settings", "numpy_imported", ("seed",)),
    ("torch.distributed.distributed_c10d", "settings", "distributed_imported", ("debug_ddp",)),
    ("lightning.pytorch.trainer.trainer", "lightning", "trainer_imported", None),
    ("pytorch_lightning.trainer.trainer", "lightning", "trainer_imported", None),
    ("transformers.trainer", "transformers", "trainer_imported", None),
)


def _hook(module_name, function_name):
    def call(module):
        getattr(__import__("telltale_hooks.quick." + module_name, None, None, [function_name]), function_name)(module)

    return call


def install(text, waiting):
    """`text`: TELLTALE_QUICK; `waiting`: imports.Waiting, not installed yet."""
    from . import asked

    asked.load(text)
    if asked.any_of(SHORTENING):
        from . import source

        source.install()
    for name, module, function, flags in HOOKS:
        if flags is None or asked.any_of(flags):
            waiting.add(name, _hook(module, function))
    if asked.any_of(("seed", "deterministic", "pdb")):
        from . import settings

        settings.install()
