# SPDX-License-Identifier: Apache-2.0
"""Hugging Face's Trainer: its arguments and its model's configuration when training begins (what is not the default, and
what everybody asks for), and its logs where no tool got them (rule 3 of curves.py), under the names that its TensorBoard
callback gives them. Steps are the optimizer's own (on_torch.py)."""
from . import curves, facts, processes
from .on_wandb import number_of

TOOL = "transformers"

# Said also when they have their default.
WELL_KNOWN = ("num_train_epochs", "max_steps", "learning_rate", "per_device_train_batch_size", "per_device_eval_batch_size",
              "gradient_accumulation_steps", "seed", "weight_decay", "warmup_steps", "warmup_ratio", "lr_scheduler_type", "optim",
              "max_grad_norm", "fp16", "bf16")  # fmt: skip
# Where and how it runs, not what is trained.
LEFT_OUT = ("local_rank", "deepspeed_plugin", "distributed_state", "accelerator_config", "_n_gpu", "__cached__setup_devices")


def arguments_of(arguments):
    """{name: value} of a TrainingArguments."""
    found = {}
    for name, field in getattr(type(arguments), "__dataclass_fields__", {}).items():
        if name in LEFT_OUT or name.startswith("_"):
            continue
        value = getattr(arguments, name, None)
        default = getattr(field, "default", None)
        if type(default).__name__ == "_MISSING_TYPE":
            factory = getattr(field, "default_factory", None)
            default = factory() if callable(factory) else None
        if name in WELL_KNOWN or not (value is default or value == default):
            found[name] = value
    return found


def model_values(model):
    """{name: value} of a model's configuration that is not the default of its kind, and its sizes."""
    config = getattr(model, "config", None)
    if config is None or not hasattr(config, "to_diff_dict"):
        return {}
    found = dict(config.to_diff_dict())
    for name in ("model_type", "hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"):
        value = getattr(config, name, None)
        if value is not None:
            found[name] = value
    found.pop("transformers_version", None)
    return found


def _record_config(arguments, model):
    from .values import flatten

    values = flatten(model_values(getattr(model, "module", model)))
    values.update(flatten(arguments_of(arguments)))
    processes.config(values)


def tag_of(key):
    for prefix in ("eval", "test"):
        if key.startswith(prefix + "_"):
            return "%s/%s" % (prefix, key[len(prefix) + 1 :])
    return "train/" + key


def _record_logs(state, logs):
    if not getattr(state, "is_world_process_zero", True):
        return
    source = curves.source(TOOL, "trainer")
    for key, value in logs.items():
        number = number_of(value)
        if number is not None:
            curves.scalar(source, tag_of(key), number, int(state.global_step))


def callback_imported(module):
    Handler = getattr(module, "CallbackHandler", None)
    if Handler is None:
        facts.say(TOOL, "its callback handler is not what is known of this library")
        return

    def make_begin(on_train_begin):
        def recorded_begin(self, args, state, control, *rest, **kwargs):
            facts.guarded(TOOL, _record_config, args, getattr(self, "model", None))
            return on_train_begin(self, args, state, control, *rest, **kwargs)

        return recorded_begin

    def make_log(on_log):
        def recorded_log(self, args, state, control, logs, *rest, **kwargs):
            # Callbacks may take values out of it.
            all_logs, before = facts.guarded(TOOL, dict, logs), curves.recorded()
            result = on_log(self, args, state, control, logs, *rest, **kwargs)
            if all_logs and curves.recorded() == before:
                facts.guarded(TOOL, _record_logs, state, all_logs)
            return result

        return recorded_log

    facts.replace(Handler, "on_train_begin", make_begin, TOOL)
    facts.replace(Handler, "on_log", make_log, TOOL)
