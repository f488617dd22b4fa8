# SPDX-License-Identifier: Apache-2.0
"""Calls back when a module has been imported. A finder at the front of sys.meta_path knows the names that are waited for,
lets the finders behind it do the finding, and stands in for `exec_module` on the loader that they gave, for one call:
loader, spec and module are what they are without it, so that inspect, importlib.resources and pickle see no difference.
Callbacks run in the importing thread, under the module's import lock, before anybody else can have the module."""
import sys


class Waiting:
    """The names that are waited for and what to call. Any thread may import; a callback runs once."""

    def __init__(self, trouble):
        self._callbacks = {}  # module name -> list of functions(module)
        self._trouble = trouble  # (name, exception) -> None

    def add(self, name, callback):
        self._callbacks.setdefault(name, []).append(callback)

    def install(self):
        sys.meta_path.insert(0, self)
        for name in list(self._callbacks):
            module = sys.modules.get(name)
            if module is not None:
                self.imported(name, module)

    def find_spec(self, name, path=None, target=None):
        if name not in self._callbacks:
            return None
        finders = list(sys.meta_path)
        if self in finders:
            del finders[: finders.index(self) + 1]
        for finder in finders:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                self._watch(name, spec.loader)
                return spec
        return None

    def _watch(self, name, loader):
        execute = getattr(loader, "exec_module", None)
        if execute is None:
            return

        def exec_module(module):
            try:
                del loader.exec_module
            except AttributeError:
                pass
            execute(module)
            imported(name, module)

        imported = self.imported
        # Python cuts its own import machinery out of the traceback of a failed import. This belongs to it.
        exec_module.__code__ = exec_module.__code__.replace(co_filename="<frozen importlib._bootstrap>")
        try:
            loader.exec_module = exec_module
        except Exception as error:  # A loader that takes no attributes: its module has no hook.
            self._trouble(name, error)

    def imported(self, name, module):
        for callback in self._callbacks.pop(name, ()):
            try:
                # A module may have put another object into its place.
                callback(sys.modules.get(name, module))
            except Exception as error:
                self._trouble(name, error)
        if not self._callbacks:
            try:
                sys.meta_path.remove(self)
            except ValueError:
                pass


class _TelltaleFinder:
    """Finds the package `telltale` where nobody else does: programs may `import telltale` under `telltale run`."""

    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, path=None, target=None):
        if name != "telltale":
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(name, self._folder + "/__init__.py", submodule_search_locations=[self._folder])


def serve_telltale(folder):
    sys.meta_path.append(_TelltaleFinder(folder))


class _WandbFinder:
    """Asked for a module that nobody else has found. Loads the rest when that is wandb."""

    def find_spec(self, name, path=None, target=None):
        if name != "wandb":
            return None
        from . import missing_wandb

        return missing_wandb.Finder().find_spec(name, path, target)


def serve_missing_wandb():
    sys.meta_path.append(_WandbFinder())
