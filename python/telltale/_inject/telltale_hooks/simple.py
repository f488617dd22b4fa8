# SPDX-License-Identifier: Apache-2.0
"""`--profile simple`: what a training does, action by action, as spans. Plain torch: forward (the outermost module that is
called), backward, validation, checkpoints and logging; waiting for data, optimizer steps and zero_grad name themselves
(record_function, on_record_function.py). Lightning: every action that its own profiler interface names. Hugging Face: the
Trainer's steps and events. The collector sums it up (profiler/simple.txt). What happens most is native (native/actions.cpp).

Functions are replaced where they are defined, before anybody can have them; they do and return what they did."""
from . import facts

TOOL = "simple"

# What is imported -> the function here. Old and new names of the same thing; what a program does not import costs nothing.
HOOKS = (
    ("torch.nn.modules.module", "module_imported"),
    ("torch.autograd", "autograd_imported"),
    ("torch.autograd.grad_mode", "grad_mode_imported"),
    ("torch.utils.data.dataloader", "dataloader_imported"),
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
    to forward by itself, or where a module has hooks to what is named for it. It leaves the calls in torch's own files out where
    a module itself is compiled; this one says that it is one of them, in the place of the call that it is around."""
    from torch._C import is_grad_enabled

    record = facts.recorder()
    begin, end = record.module_begin, record.module_end
    record.connect_actions(is_grad_enabled, names_of, called_without_gradients)

    def make(call):
        def __call__(self, *args, **kwargs):
            if begin(self):
                try:
                    return call(self, *args, **kwargs)
                finally:
                    end()
            return call(self, *args, **kwargs)

        __call__._torchdynamo_inline = call
        if hasattr(call, "__code__"):
            code = call.__code__
            __call__.__code__ = __call__.__code__.replace(co_filename=code.co_filename, co_firstlineno=code.co_firstlineno)
            record.advanced_leave_out(__call__.__code__)
        return __call__

    def make_eval(evaluate):
        def eval(self):
            sign_of_validation()
            return evaluate(self)

        eval._torchdynamo_inline = evaluate
        return eval

    facts.replace(module.Module, "__call__", make, TOOL)
    facts.replace(module.Module, "eval", make_eval, TOOL)


def names_of(kind):
    """The actions of a class of modules: without and with gradients."""
    return "validation forward " + kind.__name__, "forward " + kind.__name__


def autograd_imported(module):
    spanned(module, "backward", "backward")


# Validation: while gradients are off, from the first sign of one until they are wanted again. Signs are a loader that is opened, a
# model that is set to eval(), and a model in that mode that has gradients, which is called: one that is only asked by another in
# training (a teacher) has none. Trainers have names of their own for it.

VALIDATION = "validation"
TRAINERS = ("transformers.trainer", "lightning.pytorch.trainer.trainer", "pytorch_lightning.trainer.trainer")


def is_plain():
    from sys import modules

    return not any(name in modules for name in TRAINERS)


def sign_of_validation():
    if is_plain():
        facts.recorder().validation(VALIDATION)


def called_without_gradients(module):
    if not getattr(module, "training", True) and any(parameter.grad is not None for parameter in module.parameters()):
        sign_of_validation()


def grad_mode_imported(module):
    record = facts.recorder()
    off, back = record.gradients_off, record.gradients_back

    def make(is_off):
        def make_enter(enter):
            def __enter__(self):
                result = enter(self)
                if is_off(self):
                    off()
                return result

            return __enter__

        def make_exit(exit_):
            def __exit__(self, *problem):
                if is_off(self):
                    back()
                return exit_(self, *problem)

            return __exit__

        return make_enter, make_exit

    for name, is_off in (("no_grad", lambda context: True), ("inference_mode", lambda context: getattr(context, "mode", True)),
                         ("set_grad_enabled", lambda context: not getattr(context, "mode", True))):  # fmt: skip
        kind = getattr(module, name, None)
        if isinstance(kind, type):
            make_enter, make_exit = make(is_off)
            if facts.replace(kind, "__enter__", make_enter, TOOL):
                facts.replace(kind, "__exit__", make_exit, TOOL)


def dataloader_imported(module):
    def make(iterate):
        def __iter__(self):
            sign_of_validation()
            return iterate(self)

        return __iter__

    facts.replace(module.DataLoader, "__iter__", make, TOOL)


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


def lightning_imported(module):
    Profiler = getattr(module, "Profiler", None)
    if not isinstance(Profiler, type) or "profile" not in vars(Profiler):
        facts.say(TOOL, "Lightning's profiler is not what is known of this library")
        return
    action = facts.recorder().action

    def make(profile):
        def recorded_profile(self, action_name):
            return action(profile(self, action_name), action_name)

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
