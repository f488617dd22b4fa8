# SPDX-License-Identifier: Apache-2.0
"""Whether code is the program's own: neither Python's nor an installed library's, or that of the installed package that
was started. Launchers (torchrun, accelerate …) are started too, and are not the program."""
import sys

LAUNCHERS = frozenset(("torch", "accelerate", "deepspeed", "horovod", "ray", "lightning", "lightning_sdk", "pytorch_lightning", "hydra",
                       "wandb", "mlflow", "pytest", "IPython", "ipykernel", "debugpy", "coverage", "pdb", "cProfile", "runpy"))  # fmt: skip
INSTALLED = ("/site-packages/", "/dist-packages/")
_library = __import__("os").__file__.rsplit("/", 1)[0] + "/"


def _top(name):
    return (name or "").partition(".")[0]


def is_own(file, module_name):
    """`file`: where the code stands; `module_name`: its module's __name__."""
    if not file:
        return False
    if file.startswith("<"):  # -c, an editor's cell
        return module_name in ("__main__", "__mp_main__")
    if "/telltale_hooks/" in file:
        return False
    installed = any(part in file for part in INSTALLED)
    if not installed:
        return not file.startswith(_library)
    top = _top(module_name)
    main = sys.modules.get("__main__")
    if main is None or top in LAUNCHERS:
        return False
    if module_name == "__main__":
        return _top(getattr(getattr(main, "__spec__", None), "name", None)) not in LAUNCHERS
    if _top(getattr(main, "__package__", None)) == top:
        return True  # python -m package
    # A console script imports its package's function.
    return not getattr(main, "__package__", None) and any(
        _top(getattr(value, "__module__", None)) == top for value in list(vars(main).values()) if callable(value)
    )


def caller_is_own(frame, passed_by):
    """Whether the nearest frame, from this one outwards, that is not of a module in `passed_by`, is the program's."""
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        file = frame.f_code.co_filename
        if name.partition(".")[0] not in passed_by and name not in passed_by and "/telltale_hooks/" not in file:
            return is_own(file, name)
        frame = frame.f_back
    return False
