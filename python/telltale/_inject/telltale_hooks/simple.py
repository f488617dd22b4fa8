# SPDX-License-Identifier: Apache-2.0
"""`--profile simple`: what a training does, action by action, as spans. Plain torch: forward (the outermost module that is
called), backward, checkpoints and logging; waiting for data, optimizer steps and zero_grad name themselves (record_function,
on_record_function.py). Lightning: every action that its own profiler interface names. Hugging Face: the Trainer's steps and
events. What runs while gradients are off is said to be validation. The collector sums it up (profiler/simple.txt).

Functions are replaced where they are defined, before anybody can have them; they do and return what they did."""
from _thread import get_ident

from . import facts

TOOL = "simple"

# What is imported -> the function here. Old and new names of the same thing; what a program does not import costs nothing.
HOOKS = (
    ("torch.nn.modules.module", "module_imported"),
    ("torch.autograd", "autograd_imported"),
    ("torch.serialization", "serialization_imported"),
    ("torch.utils.tensorboard.writer", "tensorboard_imported"),
    ("tensorboardX.writer", "tensorboard_imported"),
    ("wandb.sdk.wandb_run", "wandb_imported"),
    ("lightning.pytorch.profilers.profiler", "lightning_imported"),
    ("pytorch_lightning.profilers.profiler", "lightning_imported"),
    ("lightning.pytorch.loops.training_epoch_loop", "loop_imported"),
    ("lightning.pytorch.loops.evaluation_loop", "loop_imported"),
    ("lightning.pytorch.loops.prediction_loop", "loop_imported"),
    ("pytorch_lightning.loops.training_epoch_loop", "loop_imported"),
    ("pytorch_lightning.loops.evaluation_loop", "loop_imported"),
    ("pytorch_lightning.loops.prediction_loop", "loop_imported"),
    ("transformers.trainer", "trainer_imported"),
    ("transformers.trainer_callback", "callbacks_imported"),
)

# Methods of Hugging Face's Trainer that are actions.
TRAINER_ACTIONS = ("get_train_dataloader", "get_eval_dataloader", "get_batch_samples", "training_step", "prediction_step", "compute_loss",
                   "evaluate", "predict", "_save_checkpoint", "_prepare_inputs")  # fmt: skip


def spanned(owner, name, action):
    """owner.name, as a span."""
    record = facts.recorder()
    begin, end = record.span_begin, record.span_end  # neither raises

    def make(function):
        def call(*args, **kwargs):
            begin(action)
            try:
                return function(*args, **kwargs)
            finally:
                end()

        return call

    return facts.replace(owner, name, make, TOOL)


# torch.


def module_imported(module):
    """Module.__call__ is patched before torch's compiler looks at it: it takes what it finds for the usual call, and goes on
    to forward by itself."""
    record = facts.recorder()
    begin, end = record.span_begin, record.span_end
    running = set()  # threads that are in a module; faster than a local of each
    enter, leave = running.add, running.discard
    from torch._C import is_grad_enabled

    names = {}  # class -> its two actions: of validation, of training

    def names_of(kind):
        found = names[kind] = ("validation forward " + kind.__name__, "forward " + kind.__name__)
        return found

    def make(call):
        def __call__(self, *args, **kwargs):
            thread = get_ident()
            if thread in running:
                return call(self, *args, **kwargs)
            enter(thread)
            begin((names.get(type(self)) or names_of(type(self)))[is_grad_enabled()])
            try:
                return call(self, *args, **kwargs)
            finally:
                end()
                leave(thread)

        return __call__

    facts.replace(module.Module, "__call__", make, TOOL)


def autograd_imported(module):
    spanned(module, "backward", "backward")


def serialization_imported(module):
    spanned(module, "save", "save checkpoint")


# Logging.


def tensorboard_imported(module):
    Writer = getattr(module, "SummaryWriter", None)
    for name in [name for name in vars(Writer) if name.startswith("add_")] if isinstance(Writer, type) else ():
        spanned(Writer, name, "log to TensorBoard")


def wandb_imported(module):
    Run = getattr(module, "Run", None)
    if isinstance(Run, type) and "log" in vars(Run):
        spanned(Run, "log", "log to W&B")


# Lightning: all its hooks go through Profiler.profile(name), whichever profiler there is, or none.


class _Action:
    __slots__ = ("name", "inner", "begin", "end")

    def __init__(self, name, inner, begin, end):
        self.name, self.inner, self.begin, self.end = name, inner, begin, end

    def __enter__(self):
        result = self.inner.__enter__()
        self.begin(self.name)
        return result

    def __exit__(self, kind, error, traceback):
        self.end()
        return self.inner.__exit__(kind, error, traceback)


def lightning_imported(module):
    Profiler = getattr(module, "Profiler", None)
    if not isinstance(Profiler, type) or "profile" not in vars(Profiler):
        facts.say(TOOL, "Lightning's profiler is not what is known of this library")
        return
    record = facts.recorder()
    begin, end = record.span_begin, record.span_end

    def make(profile):
        def recorded_profile(self, action_name):
            return _Action(action_name, profile(self, action_name), begin, end)

        return recorded_profile

    facts.replace(Profiler, "profile", make, TOOL)


def loop_imported(module):
    """Batches: the loops of 2.x call start and stop of the profiler themselves."""
    record = facts.recorder()
    begin, end = record.span_begin, record.span_end

    def name_of(loop):
        if module.__name__.endswith("training_epoch_loop"):
            what = "train_dataloader"
        elif module.__name__.endswith("prediction_loop"):
            what = "predict"
        else:
            what = loop._stage.dataloader_prefix
        return "[%s].%s_next" % (type(loop).__name__, what)

    def make_before(before):
        def _on_before_fetch(self):
            before(self)
            begin(facts.guarded(TOOL, name_of, self) or "[Loop].next")

        return _on_before_fetch

    def make_after(after):
        def _on_after_fetch(self):
            end()
            after(self)

        return _on_after_fetch

    for kind in list(vars(module).values()):
        if isinstance(kind, type) and "_on_before_fetch" in vars(kind) and "_on_after_fetch" in vars(kind):
            facts.replace(kind, "_on_before_fetch", make_before, TOOL)
            facts.replace(kind, "_on_after_fetch", make_after, TOOL)


# Hugging Face.


def trainer_imported(module):
    Trainer = getattr(module, "Trainer", None)
    for name in TRAINER_ACTIONS if isinstance(Trainer, type) else ():
        if name in vars(Trainer):
            spanned(Trainer, name, "[Trainer]" + name)


def callbacks_imported(module):
    Handler = getattr(module, "CallbackHandler", None)
    if not isinstance(Handler, type) or "call_event" not in vars(Handler):
        facts.say(TOOL, "Hugging Face's callbacks are not what is known of this library")
        return
    record = facts.recorder()
    begin, end = record.span_begin, record.span_end

    def make(call_event):
        def recorded_call_event(self, event, *args, **kwargs):
            begin("[Callback]" + event)
            try:
                return call_event(self, event, *args, **kwargs)
            finally:
                end()

        return recorded_call_event

    facts.replace(Handler, "call_event", make, TOOL)
