# SPDX-License-Identifier: Apache-2.0
"""The program's own source with loops that can be ended: `for x in y` becomes `for x in __telltale_loop__(y, number)`, and a
`while` the same over turns without end. Around each stands a handler for loops.EndLoop. Lines, names and everything else stay
as they are. Code comes here when Python compiles it: the script (which is found through sys.path_hooks, as a zip file with a
program is), modules, and what runpy, pdb, debugpy or cProfile compile themselves. Installed libraries and -c are left alone."""
import builtins
import os
import sys

from .. import facts
from ..own_code import INSTALLED, LAUNCHERS
from . import loops

LOOP, WHILE, END, ENDED, TURN = "__telltale_loop__", "__telltale_while__", "__telltale_end__", "__telltale_ended__", "__telltale_turn__"
# They are called for one sample or one pass through a model, and may be compiled: no training is inside.
LEFT_ALONE = frozenset(("forward", "__getitem__", "__len__", "collate_fn"))
# What these decorate is compiled by somebody else, from its bytes (numba) or otherwise.
COMPILED_BY = frozenset(("jit", "njit", "vectorize", "guvectorize", "stencil", "kernel", "script", "compile"))

_compile = builtins.compile
_library = os.__file__.rsplit("/", 1)[0] + "/"
_started_package = None  # `python -m package` of an installed one


def is_own_file(path):
    if not isinstance(path, str) or not path.endswith(".py") or "/telltale/_inject/" in path:
        return False
    if any(part in path for part in INSTALLED):
        return _started_package is not None and "/%s/" % _started_package in path
    return not os.path.abspath(path).startswith(_library) and os.path.isfile(path)


def transformed(source, filename):
    """The tree of the source with loops that can be ended."""
    import ast

    tree = ast.parse(source, filename)
    guards = []

    def catches_the_end(handler):
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        return any(kind is None or getattr(kind, "id", getattr(kind, "attr", "")) in ("StopIteration", "Exception", "BaseException") for kind in kinds)

    def call(name, *arguments):
        return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=list(arguments), keywords=[])

    def cannot_train(node):
        body = [inner for statement in node.body for inner in ast.walk(statement)]
        counts = isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and getattr(node.iter.func, "id", "") == "range"
        return counts and not any(isinstance(inner, (ast.Call, ast.For, ast.While, ast.With, ast.Yield, ast.Await)) for inner in body)

    class Loops(ast.NodeTransformer):
        def visit_FunctionDef(self, node):
            by = {inner.attr if isinstance(inner, ast.Attribute) else inner.id
                  for decorator in node.decorator_list for inner in ast.walk(decorator) if isinstance(inner, (ast.Attribute, ast.Name))}  # fmt: skip
            return node if node.name in LEFT_ALONE or by & COMPILED_BY else self.generic_visit(node)

        def visit_Try(self, node):
            if any(catches_the_end(handler) for handler in node.handlers):
                guards.append((node.body[0].lineno, node.body[-1].end_lineno))
            return self.generic_visit(node)

        def visit_For(self, node):
            self.generic_visit(node)
            if cannot_train(node):
                return node
            number = loops.number_of(filename, node.lineno)
            node.iter = ast.copy_location(call(LOOP, node.iter, ast.Constant(number)), node.iter)
            return ended(node, node, number)

        def visit_While(self, node):
            self.generic_visit(node)
            if node.orelse:
                return node
            number = loops.number_of(filename, node.lineno)
            body = node.body
            if not (isinstance(node.test, ast.Constant) and node.test.value):
                stop = ast.If(test=ast.UnaryOp(op=ast.Not(), operand=node.test), body=[ast.Break()], orelse=[])
                body = [ast.copy_location(stop, node.test), *body]
            turns = ast.copy_location(call(WHILE, ast.Constant(number)), node.test)
            fresh = ast.For(target=ast.Name(id=TURN, ctx=ast.Store()), iter=turns, body=body, orelse=[], type_comment=None)
            return ended(ast.copy_location(fresh, node), node, number)

    def ended(loop, node, number):
        handler = ast.ExceptHandler(
            type=ast.Name(id=END, ctx=ast.Load()), name=None, body=[ast.Expr(value=call(ENDED, ast.Constant(number)))]
        )
        return ast.copy_location(ast.Try(body=[loop], handlers=[handler], orelse=[], finalbody=[]), node)

    tree = ast.fix_missing_locations(Loops().visit(tree))
    loops.guarded(filename, guards)
    return tree


def code_of(source, filename, dont_inherit=True, optimize=-1):
    """None: the code is compiled as it is."""
    try:
        return _compile(transformed(source, filename), filename, "exec", 0, dont_inherit, optimize)
    except SyntaxError:
        return None  # Python says it, of the source as it is written
    except Exception as error:
        facts.trouble("quick", error)
        return None


def _future_flags():
    import __future__

    mask = 0
    for name in __future__.all_feature_names:
        mask |= getattr(__future__, name).compiler_flag
    return mask


def _compiling(source, filename, mode="exec", flags=0, dont_inherit=False, optimize=-1, **more):
    if mode == "exec" and flags == 0 and not more and isinstance(source, (str, bytes)) and is_own_file(filename):
        code = code_of(source, filename, True, optimize)
        if code is not None:
            return code
    if not dont_inherit:  # the caller's `from __future__`, which this frame does not have
        flags |= sys._getframe(1).f_code.co_flags & _future_flags()
    return _compile(source, filename, mode, flags, dont_inherit, optimize, **more)


def _reading_source(get_code):
    """Modules whose compiled code is kept in a file: it has the loops as they were."""

    def source_get_code(self, fullname):
        path = self.get_filename(fullname)
        if is_own_file(path):
            return self.source_to_code(self.get_data(path), path)
        return get_code(self, fullname)

    return source_get_code


class _Script:
    """The importer of a script that was named on the command line: `python train.py`."""

    def __init__(self, path):
        self._path = path

    def find_spec(self, name, target=None):
        if name != "__main__":
            return None
        from importlib.machinery import ModuleSpec

        spec = ModuleSpec(name, self, origin=os.path.abspath(self._path))
        spec.has_location = True
        return spec

    def get_code(self, name):
        path = os.path.abspath(self._path)
        folder = os.path.dirname(os.path.realpath(self._path))
        if sys.path and sys.path[0] == self._path:
            sys.path[0] = folder
        sys.path_importer_cache.pop(self._path, None)
        with open(path, "rb") as file:
            source = file.read()
        tree = transformed(source, path)
        _be_a_script(tree)
        return _compile(tree, path, "exec", 0, True)

    def get_source(self, name):
        return None

    def is_package(self, name):
        return False

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(self.get_code("__main__"), module.__dict__)


def _be_a_script(tree):
    """A script has no spec, and no loader but one of files; multiprocessing looks at that. Said by its first statement."""
    import ast

    at = 0
    for at, statement in enumerate(tree.body):
        is_text = isinstance(statement, ast.Expr) and isinstance(getattr(statement, "value", None), ast.Constant)
        if not (at == 0 and is_text or isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            break
    else:
        at = len(tree.body)
    first = ast.parse("__telltale_script__(globals())").body[0]
    tree.body.insert(at, first)
    for node in ast.walk(first):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = 1
            node.col_offset = node.end_col_offset = 0
    ast.fix_missing_locations(tree)


def _script_globals(namespace):
    from importlib.machinery import SourceFileLoader

    namespace["__spec__"] = None
    namespace["__package__"] = None
    namespace["__loader__"] = SourceFileLoader("__main__", namespace["__file__"])
    namespace["__builtins__"] = builtins


def _script_hook(path):
    if _is_called_from_python() or not is_own_file(path):
        raise ImportError(path)
    try:
        with open(path, "rb") as file:
            transformed(file.read(), os.path.abspath(path))
    except Exception:
        raise ImportError(path) from None  # Python says what is wrong with it
    sys.path_hooks.remove(_script_hook)
    return _Script(path)


def _is_called_from_python():
    """Python asks for the script's importer itself, before it runs anything."""
    try:
        sys._getframe(2)
    except ValueError:
        return False
    return True


def _without_runpy(excepthook):
    """Tracebacks of a script begin with the script, not with what has run it."""

    def shortened(kind, error, traceback):
        inner = traceback
        while inner is not None and inner.tb_frame.f_globals.get("__name__") == "runpy":
            inner = inner.tb_next
        if inner is not None and inner is not traceback:
            error, traceback = error.with_traceback(inner), inner
        excepthook(kind, error, traceback)

    return shortened


def package_of(command):
    """Of `python -m package.module`; None: it is no such command, or the package only starts others."""
    words = iter(command[1:])
    for word in words:
        if word in ("-W", "-X"):
            next(words, None)
        elif word == "-m":
            package = next(words, "").partition(".")[0]
            return None if package in LAUNCHERS else package or None
        elif not word.startswith("-"):
            break
    return None


def install():
    global _started_package
    setattr(builtins, LOOP, loops.loop)
    setattr(builtins, WHILE, loops.turns)
    setattr(builtins, END, loops.EndLoop)
    setattr(builtins, ENDED, loops.ended)
    builtins.__telltale_script__ = _script_globals
    builtins.compile = _compiling
    _started_package = package_of(getattr(sys, "orig_argv", []))
    from importlib.machinery import SourceFileLoader

    SourceFileLoader.get_code = _reading_source(SourceFileLoader.get_code)
    sys.path_hooks.insert(0, _script_hook)
    sys.excepthook = _without_runpy(sys.excepthook)
