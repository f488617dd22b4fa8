# SPDX-License-Identifier: Apache-2.0
"""What happens inside a Python program under `telltale run`, although nobody changed it: this package waits for the
libraries that trainings use and listens to them. It records facts through facts.py and does nothing else: it never raises
into the program, never prints, never changes a value that a library returns or a file that it writes. (Quick runs are asked
to change what the program does, and stand apart.)

imports.py    calls a hook when its library has been imported
facts.py      the way to the recorder, and what is said about the hooks themselves
processes.py  which process this is: rank, role, versions, forks
exceptions.py errors that end the program
simple.py     `--profile simple`: the actions of a training as spans
advanced.py   `--profile advanced`: every call, natively counted
steps.py      from optimizer steps and batches to steps as a person counts them
ops.py        torch's profiler on some of the steps, and the traces of the program's own
ops_schedule.py  which steps those are
curves.py     one curve for each tag, however many tools log it
values.py     configuration as flat JSON values, without secrets
main_constants.py  configuration that is constants of the script
own_code.py   whether a piece of code is the program's own
on_*.py       one library each
quick/        what quick runs change (only where TELLTALE_QUICK asks for it)
missing_wandb.py  what `import wandb` gives where W&B is not installed

This module is imported whenever Python starts, so it imports as little as can be."""
import os

# The modules that are waited for: what is imported -> the hook's module in this package, its function, the part of
# TELLTALE_RECORD that it belongs to (None: always, or several, and the hook looks at it itself).
HOOKS = (
    ("argparse", "on_argparse", "argparse_imported", "config"),
    ("jsonargparse._core", "on_jsonargparse", "core_imported", "config"),
    ("click.core", "on_click", "click_imported", "config"),
    ("hydra.core.hydra_config", "on_hydra", "hydra_config_imported", "config"),
    ("hydra._internal.utils", "on_hydra", "hydra_utils_imported", "exceptions"),
    ("multiprocessing.process", "exceptions", "process_imported", "exceptions"),
    ("threading", "exceptions", "threading_imported", "exceptions"),
    ("torch.autograd.profiler", "on_record_function", "profiler_imported", "spans"),
    ("torch.optim.optimizer", "on_torch", "optimizer_imported", "steps"),
    ("torch.optim.optimizer", "ops", "optimizer_imported", "steps"),
    ("torch.profiler.profiler", "ops", "profiler_imported", None),
    ("torch.autograd.profiler", "ops", "autograd_profiler_imported", None),
    ("torch.autograd", "on_torch", "autograd_imported", "steps"),
    ("torch.nn.modules.module", "on_torch", "module_imported", "steps"),
    ("torch.utils.data.dataloader", "on_torch", "dataloader_imported", "steps"),
    ("torch.utils.data._utils.worker", "on_torch", "worker_imported", None),
    ("torch.distributed.distributed_c10d", "on_torch", "distributed_imported", None),
    ("tensorboard.summary.writer.event_file_writer", "on_tensorboard", "event_file_writer_imported", "trackers"),
    ("torch.utils.tensorboard.writer", "on_tensorboard", "writer_imported", None),
    ("tensorboardX.event_file_writer", "on_tensorboard", "event_file_writer_imported", "trackers"),
    ("tensorboardX.writer", "on_tensorboard", "writer_imported", None),
    ("wandb.sdk.wandb_run", "on_wandb", "run_imported", None),
    ("wandb.sdk.wandb_init", "on_wandb", "init_imported", "config"),
    ("mlflow.tracking.client", "on_mlflow", "client_imported", None),
    ("lightning.pytorch.trainer.connectors.logger_connector.logger_connector", "on_lightning", "connector_imported", "trackers"),
    ("pytorch_lightning.trainer.connectors.logger_connector.logger_connector", "on_lightning", "connector_imported", "trackers"),
    ("lightning.pytorch.core.mixins.hparams_mixin", "on_lightning", "hparams_imported", "config"),
    ("pytorch_lightning.core.mixins.hparams_mixin", "on_lightning", "hparams_imported", "config"),
    ("transformers.trainer_callback", "on_transformers", "callback_imported", None),
)

# Libraries whose version is said when the program imports them.
VERSIONED = (
    "torch", "torchvision", "torchaudio", "numpy", "lightning", "pytorch_lightning", "transformers", "accelerate",
    "deepspeed", "datasets", "diffusers", "peft", "timm", "tensorboard", "tensorboardX", "wandb", "mlflow", "hydra",
    "omegaconf", "click", "jax", "tensorflow", "sklearn",
)  # fmt: skip


def _hook(module_name: str, function_name: str):
    def call(module: object) -> None:
        getattr(__import__("telltale_hooks." + module_name, None, None, [function_name]), function_name)(module)

    return call


def install(package_folder: str) -> None:
    """Once in a process, before the program's first line. `package_folder` holds the telltale package."""
    from . import facts, imports, processes

    profilers = os.environ.get("TELLTALE_PROFILE", "").split(",")
    if "ops" in profilers:
        # Torch's profiler reports on the terminal when it starts and stops; it looks at this when torch is imported.
        os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    said = os.environ.get("TELLTALE_RECORD")
    facts.start(package_folder, None if said is None else {part.strip() for part in said.split(",")})
    processes.introduce()
    imports.serve_telltale(package_folder)
    if facts.wants("exceptions"):
        from . import exceptions

        exceptions.install()
    if facts.wants("trackers"):
        imports.serve_missing_wandb()
    waiting = imports.Waiting(facts.trouble)
    for name in VERSIONED:
        waiting.add(name, processes.version_imported)
    for name, hook_module, function, part in HOOKS:
        if part is None or facts.wants(part):
            waiting.add(name, _hook(hook_module, function))
    # The actions are what advanced tells calls apart by.
    if ("simple" in profilers or "advanced" in profilers) and hasattr(facts.recorder(), "module_begin"):
        from . import simple

        for name, function in simple.HOOKS:
            waiting.add(name, getattr(simple, function))
    quick = os.environ.get("TELLTALE_QUICK")
    if quick:
        from .quick import install as install_quick

        install_quick(quick, waiting)
    if "advanced" in profilers:
        from . import advanced

        waiting.add("threading", advanced.threading_imported)
    waiting.install()
    if "advanced" in profilers:
        advanced.install(package_folder)
