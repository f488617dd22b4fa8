# SPDX-License-Identifier: Apache-2.0
"""--detect-anomaly: the first NaN ends the program, and so does an Inf that reaches a module's output, a loss or a gradient;
with the operator that made it out of finite numbers, and the line of the program that called it, for a backward pass that of
the forward call. An Inf on the way is no error: masks are made of them."""
import sys

from .. import facts
from ..own_code import is_own
from . import asked

# They make numbers out of nothing, or put those in that the program names: masks.
MADE_ON_PURPOSE = ("empty", "full", "fill", "masked_fill", "where", "zeros", "ones", "new_", "scalar_tensor", "lift", "_to_copy", "copy_",
                   "detach", "clone", "view", "expand", "resize", "set_", "index_put", "slice_scatter", "tri", "arange")  # fmt: skip

_infinite = None  # the first operator that made an Inf: (name, line)


class Anomaly(FloatingPointError):
    """As the program's traceback shows it: telltale.Anomaly."""

    __module__ = "telltale"


def _line():
    frame = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if is_own(code.co_filename, frame.f_globals.get("__name__")):
            return "line %d of %s, in %s" % (frame.f_lineno, code.co_filename, code.co_name)
        frame = frame.f_back
    return "code of a library"


def _forward_line():
    """Of the forward call whose backward pass is under way."""
    import torch

    current = getattr(torch._C, "_current_autograd_node", lambda: None)()
    while current is not None:
        for text in reversed(current.metadata.get("traceback_", [])):
            head = text.strip().splitlines()[0] if text.strip() else ""
            if head.startswith('File "') and is_own(head.split('"')[1], "__main__"):
                file, rest = head.split('"')[1], head.split('"')[2]
                return "line %s of %s" % (rest.split("line ")[1].split(",")[0], file), current.name()
        current = current.metadata.get("parent_")
    return None, None


def _where(function):
    name = str(function).replace("aten.", "aten::", 1).rpartition(".")[0] or str(function)
    line, node = _forward_line()
    if line is None:
        return name, _line()
    return "%s (the backward of %s)" % (name, node.replace("Backward0", "")), line


def _bad(torch, tensor):
    """None, "NaN" or "Inf"."""
    if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point() or tensor.device.type == "meta" or tensor.numel() == 0:
        return None
    if bool(torch.isfinite(tensor).all()):
        return None
    return "NaN" if bool(torch.isnan(tensor).any()) else "Inf"


def _leaves(value):
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        yield from _leaves(list(value.values()))
    else:
        yield value


def _worst(torch, value):
    found = {_bad(torch, leaf) for leaf in _leaves(value)}
    return "NaN" if "NaN" in found else "Inf" if "Inf" in found else None


def torch_imported(torch):
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            global _infinite
            result = function(*args, **(kwargs or {}))
            name = str(function).replace("aten.", "", 1)
            if name.startswith(MADE_ON_PURPOSE):
                return result
            bad = _worst(torch, result)
            if bad is None or _worst(torch, [args, kwargs or {}]) == bad:
                return result
            if bad == "NaN":
                made, line = _where(function)
                raise Anomaly("NaN: %s made it at %s" % (made, line) + _of_inf())
            if _infinite is None:
                _infinite = _where(function)
            return result

    def check_output(module, inputs, output):
        if _infinite is not None and _worst(torch, output) is not None:
            raise Anomaly("Inf in the output of %s: %s made it at %s" % (type(module).__name__, *_infinite))

    def make_backward(backward):
        def checked_backward(tensors, *args, **kwargs):
            if _infinite is not None and _worst(torch, tensors if isinstance(tensors, (list, tuple)) else [tensors]):
                raise Anomaly("Inf in the loss: %s made it at %s" % _infinite)
            return backward(tensors, *args, **kwargs)

        return checked_backward

    def check_gradients(optimizer, args, kwargs):
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                bad = _bad(torch, parameter.grad) if parameter.grad is not None else None
                if bad is not None:
                    shape = tuple(parameter.shape)
                    raise Anomaly("%s in the gradient of a parameter of shape %s%s" % (bad, shape, _of_inf()))

    torch.autograd.set_detect_anomaly(True, check_nan=False)  # keeps the line of each forward call
    facts.replace(torch.autograd, "backward", make_backward, "quick")
    from torch.nn.modules.module import register_module_forward_hook
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    register_module_forward_hook(check_output)
    register_optimizer_step_pre_hook(check_gradients)
    Watch().__enter__()
    asked.applied("detect_anomaly")


def _of_inf():
    return "" if _infinite is None else "; before it, %s had made an Inf at %s" % _infinite
