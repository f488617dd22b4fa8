# SPDX-License-Identifier: Apache-2.0
"""What Python imports by itself when it starts under `telltale run`: PYTHONPATH names this folder first. Puts the hooks in
place, takes this folder out of sys.path again (PYTHONPATH keeps it, so that child processes are recorded, too), and then
is the sitecustomize that Python would have found without it, or none. Nothing else may ever be imported from this folder."""
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _is_here(folder: object) -> bool:
    return isinstance(folder, str) and (folder == _here or (folder != "" and os.path.abspath(folder) == _here))


try:
    if os.environ.get("TELLTALE_RUN_DIR") and "telltale_hooks" not in sys.modules:
        import telltale_hooks

        telltale_hooks.install(os.path.dirname(_here))
except Exception:  # Whatever goes wrong here must not be noticed by the program.
    pass

sys.path[:] = [folder for folder in sys.path if not _is_here(folder)]
del sys.modules["sitecustomize"]
# The one that this file hides. Without one this raises what Python expects from a machine that has none, and passes over.
import sitecustomize  # noqa: E402, F401
