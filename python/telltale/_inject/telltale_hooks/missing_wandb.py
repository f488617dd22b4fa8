# SPDX-License-Identifier: Apache-2.0
"""`import wandb` where W&B is not installed: gives the package telltale, which has W&B's calls, to a program that would
otherwise end at that line. Only there: for an import statement of the program itself that no try around it, in any of the
program's functions on the way, would catch. Libraries and programs that look whether W&B is there find that it is not."""
import sys

from . import facts
from .own_code import is_own

CATCHING = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException"))
_machinery = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")


def _catches(handler_type):
    import ast

    if handler_type is None:
        return True
    kinds = handler_type.elts if isinstance(handler_type, ast.Tuple) else [handler_type]
    return any(getattr(kind, "id", getattr(kind, "attr", None)) in CATCHING for kind in kinds)


def _parts(node):
    """(child, whether the node catches a failed import in it)"""
    import ast

    tries = (ast.Try, getattr(ast, "TryStar", ast.Try))
    for field, value in ast.iter_fields(node):
        caught = isinstance(node, tries) and field == "body" and any(_catches(handler.type) for handler in node.handlers)
        if isinstance(node, (ast.With, ast.AsyncWith)) and field == "body":
            caught = any("suppress" in ast.dump(item.context_expr) or "raises" in ast.dump(item.context_expr) for item in node.items)
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child, caught


def is_guarded(source, line, imports_wandb=False):
    """Whether a statement on this line stands in a try that catches a failed import. `imports_wandb`: it must be an import
    statement of wandb, otherwise it counts as guarded."""
    import ast

    found = []

    def walk(node, guarded):
        inside = getattr(node, "lineno", 0) <= line <= (getattr(node, "end_lineno", None) or line)
        if not inside and not isinstance(node, ast.Module):
            return
        if isinstance(node, ast.stmt):
            names = [alias.name for alias in getattr(node, "names", ()) if isinstance(alias, ast.alias)]
            names.append(getattr(node, "module", None) or "")
            is_import = isinstance(node, (ast.Import, ast.ImportFrom)) and any(name.partition(".")[0] == "wandb" for name in names)
            found.append((guarded, is_import))
        for child, caught in _parts(node):
            walk(child, guarded or caught)

    walk(ast.parse(source), False)
    if not found:
        return True
    guarded, is_import = found[-1]
    return guarded or (imports_wandb and not is_import)


def would_end_program(frame):
    """`frame`: inside the import system. Whether the failed import would pass through all of the program's code."""
    while frame is not None and (frame.f_code.co_filename in _machinery or "/telltale_hooks/" in frame.f_code.co_filename):
        frame = frame.f_back
    first = True
    while frame is not None:
        file = frame.f_code.co_filename
        own = is_own(file, frame.f_globals.get("__name__"))
        if own and not file.startswith("<"):
            with open(file, encoding="utf-8") as text:
                if is_guarded(text.read(), frame.f_lineno, imports_wandb=first):
                    return False
        elif first or not (own or file in _machinery or file.startswith("<frozen ")):
            # A library, or the lookup of a library, or code whose text nobody has.
            return False
        first = False
        frame = frame.f_back
    return True


class Finder:
    """Behind all others: who comes here was found nowhere."""

    def find_spec(self, name, path=None, target=None):
        if name != "wandb":
            return None
        try:
            if not would_end_program(sys._getframe(1)):
                return None
        except Exception as error:
            facts.trouble("wandb", error)
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, origin="telltale")

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        import telltale

        sys.modules["wandb"] = telltale
        facts.say("wandb", "is not installed: what the program logs to it goes to this run alone")

