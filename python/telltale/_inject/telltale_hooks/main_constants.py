# SPDX-License-Identifier: Apache-2.0
"""Configuration that is written as constants at the top of the script (nanoGPT's way): names that the script itself binds to
a plain literal and never changes while it works, with the values that they have when the first optimizer is made, however
they were overridden. Only where the program has said no other configuration by then."""
import sys

MAX_BYTES = 1 << 20  # of a script
PLAIN = (bool, int, float, str)


def names_in(source):
    """Names that statements at the top level (in `if`, `try` and `with`, too) assign a literal to, and that nothing changes
    while the script works: no loop, and no function that says `global`."""
    import ast

    tree = ast.parse(source)
    found, changing, waiting = [], set(), list(tree.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.For, ast.While, ast.AsyncFor)):
            changing.update(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store))
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            waiting = [inner for inner in ast.iter_child_nodes(node) if isinstance(inner, (ast.stmt, ast.ExceptHandler))] + waiting
        elif isinstance(node, ast.ExceptHandler):
            waiting = node.body + waiting
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and _is_plain(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [target.id for target in targets if isinstance(target, ast.Name)]
    changing.update(name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names)
    return [name for name in dict.fromkeys(found) if not name.startswith("_") and name not in changing]


def _is_plain(expression):
    import ast

    try:
        return isinstance(ast.literal_eval(expression), PLAIN)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False  # computed, or none


def record():
    """Says what the main script's constants are."""
    from . import processes
    from .own_code import is_own
    from .values import flatten

    main = sys.modules.get("__main__")
    path = getattr(main, "__file__", None)
    if processes.has_config() or not path or not path.endswith(".py") or not is_own(path, "__main__"):
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        source = file.read(MAX_BYTES)
    values = {name: vars(main).get(name) for name in names_in(source)}
    processes.config(flatten({name: value for name, value in values.items() if isinstance(value, PLAIN)}))
