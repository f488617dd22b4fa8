# SPDX-License-Identifier: Apache-2.0
"""init, finish and what is around them, shaped like W&B's so that its programs run with `import telltale as wandb`. Nothing
here raises into a training: what cannot be done is left, and said to the logger `telltale` and in the run."""
from __future__ import annotations

import atexit
import functools
import logging
import os
import sys
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from telltale import _native, _record, _run_folder
from telltale._artifact import Artifact
from telltale._config import Settings as _Mapping
from telltale._config import as_mapping, flat
from telltale._log_value import log_value

_logger = logging.getLogger("telltale")
_run: "Optional[Run]" = None
_was_finished = False
_said: "set[str]" = set()


class Settings:
    """Takes whatever W&B's does; nothing of it is needed here."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


def _say_once(sentence: str) -> None:
    """In the run, for who wonders why something is not there."""
    if sentence not in _said:
        _said.add(sentence)
        _record.text("telltale/remarks", sentence, None)
        _logger.info("%s", sentence)


def _config_changed(new: Dict[str, Any]) -> None:
    _record.note("config", flat(new))


def _summary_changed(new: Dict[str, Any]) -> None:
    _record.note("summary", flat(new))


_config = _Mapping(_config_changed)
_summary = _Mapping(_summary_changed, _native.last)


def current(name: str) -> Any:
    """`run`, `config` or `summary` of the package."""
    return {"run": _run, "config": _config, "summary": _summary}[name]


def _decorated(span: _native.Span, function: Callable[..., Any]) -> Callable[..., Any]:
    """Coroutines are not spans of one thread: theirs begin and end with each of their stretches' caller."""
    @functools.wraps(function)
    def with_span(*arguments: Any, **options: Any) -> Any:
        with span:
            return function(*arguments, **options)

    return with_span


def _log_first() -> None:
    """A log outside of `telltale run`, without init: there is to be a run."""
    if _was_finished or _run is not None:
        _native.restart(True)
    else:
        init()


def _outputs() -> Optional[str]:
    folder = _run.folder if _run is not None else os.environ.get("TELLTALE_RUN_DIR")
    return os.path.join(folder, "outputs") if folder else None


def _log_other(key: Any, value: Any, step: int) -> None:
    try:
        log_value(str(key), value, step, _outputs())
    except Exception as problem:
        _logger.info("%s was not logged: %s", key, problem)
        _say_once(f"`{key}` was not logged at step {step}: {problem}")


_native.connect(_log_other, _log_first, _decorated)


class Run:
    """What init gives. `folder` is the run's; `dir` is where files for it may be put."""

    def __init__(self, folder: Optional[str], name: str, project: Optional[str], group: Optional[str], tags: Sequence[str],
                 notes: Optional[str], job_type: Optional[str], is_own: bool) -> None:
        self.folder = folder
        self.id = os.path.basename(folder) if folder else ""
        self.name = name
        self.project = project
        self.group = group
        self.tags = tuple(tags)
        self.notes = notes
        self.job_type = job_type
        self.entity = ""
        self.url: Optional[str] = None
        self.sweep_id: Optional[str] = None
        self.resumed = False
        self.disabled = folder is None
        self.offline = True
        self.start_time = time.time()
        self.settings = Settings()
        self._is_own = is_own  # not `telltale run`'s
        self._is_finished = False

    @property
    def dir(self) -> str:
        return os.path.join(self.folder, "outputs") if self.folder else os.getcwd()

    @property
    def path(self) -> str:
        return "/".join(part for part in (self.project, self.id) if part)

    @property
    def step(self) -> int:
        """The step that a log without one gets."""
        return _native.log_step()

    @property
    def config(self) -> _Mapping:
        return _config

    @property
    def summary(self) -> _Mapping:
        return _summary

    def log(self, data: Mapping[str, Any], step: Optional[int] = None, commit: Optional[bool] = None,
            sync: Optional[bool] = None) -> None:
        _native.log(data, step, commit)

    def define_metric(self, name: str, step_metric: Optional[str] = None, step_sync: Optional[bool] = None,
                      hidden: Optional[bool] = None, summary: Optional[str] = None, goal: Optional[str] = None,
                      overwrite: Optional[bool] = None) -> None:
        """Kept with the run, for its pages."""
        facts = {"step_metric": step_metric, "hidden": hidden, "summary": summary, "goal": goal}
        _record.note("define_metric", {str(name): {key: value for key, value in facts.items() if value is not None}})

    def alert(self, title: str, text: str = "", level: Any = "INFO", wait_duration: Any = None) -> None:
        alert(title, text, level, wait_duration)

    def watch(self, models: Any, *arguments: Any, **options: Any) -> None:
        watch(models)

    def unwatch(self, models: Any = None) -> None:
        unwatch(models)

    def save(self, glob_str: Any = None, base_path: Any = None, policy: str = "live") -> List[str]:
        return save(glob_str, base_path, policy)

    def log_code(self, root: Any = None, name: Any = None, **options: Any) -> None:
        """The script and what git does not know are kept by `telltale run`."""

    def log_artifact(self, artifact_or_path: Any, name: Optional[str] = None, type: Optional[str] = None,
                     aliases: Any = None, tags: Any = None) -> Artifact:
        return log_artifact(artifact_or_path, name, type, aliases)

    log_model = log_artifact

    def use_artifact(self, artifact_or_name: Any, type: Optional[str] = None, **options: Any) -> Any:
        return use_artifact(artifact_or_name, type)

    def mark_preempting(self) -> None:
        _record.note("preempting", True)

    def get_url(self) -> Optional[str]:
        return None

    def project_name(self) -> str:
        return self.project or ""

    def finish(self, exit_code: Optional[int] = None, quiet: Optional[bool] = None) -> None:
        """Nothing waits: all is recorded already."""
        global _run, _was_finished
        if self._is_finished:
            return
        self._is_finished = True
        code = exit_code or 0
        _record.note("finish", {"exit_code": code})
        if self._is_own and self.folder is not None:
            os.environ.pop("TELLTALE_RUN_DIR", None)
            try:
                _run_folder.write_end(self.folder, code)
            except (OSError, ValueError) as problem:
                _logger.info("run.json was not written: %s", problem)
            _native.stop()
        if _run is self:
            _run = None
            _was_finished = True

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        if problem is not None:
            _note_exception(kind, problem, trace)
        self.finish(0 if problem is None else 1)


def init(entity: Any = None, project: Optional[str] = None, dir: Any = None, id: Optional[str] = None, name: Optional[str] = None,
         notes: Optional[str] = None, tags: Sequence[str] = (), config: Any = None, config_exclude_keys: Sequence[str] = (),
         config_include_keys: Optional[Sequence[str]] = None, allow_val_change: Any = None, group: Optional[str] = None,
         job_type: Optional[str] = None, mode: Optional[str] = None, reinit: Any = None, **others: Any) -> Run:
    """Begins a run, or joins the one that `telltale run` began. W&B's other arguments are taken and not needed.

    dir: the folder above the run's own, default $TELLTALE_ROOT or ./runs. mode="disabled": nothing is recorded. A second init
    gives the same run, unless it was finished or reinit is "finish_previous" or True."""
    global _run
    try:
        if _run is not None and reinit in (True, "finish_previous", "create_new"):
            _run.finish()
        if _run is None:
            _run = _begin(project, None if dir is None else os.fspath(dir), name or id, group, tuple(tags or ()), notes, job_type, mode)
        values = as_mapping(config)
        wanted = values.keys() if config_include_keys is None else config_include_keys
        chosen = {key: value for key, value in values.items() if key in wanted and key not in config_exclude_keys}
        if chosen:
            _config.update(chosen)
    except Exception as problem:
        _logger.info("init: %s", problem)
    return _run if _run is not None else Run(None, name or "", project, group, (), notes, job_type, False)


def _begin(project: Optional[str], root: Optional[str], name: Optional[str], group: Optional[str], tags: Sequence[str],
           notes: Optional[str], job_type: Optional[str], mode: Optional[str]) -> Run:
    is_off = "disabled" in (mode, os.environ.get("TELLTALE_MODE"))
    _native.restart(is_off)
    _said.clear()
    _config._values.clear()
    _summary._values.clear()
    facts = {"experiment": project, "name": name, "group": group, "tags": list(tags), "note": notes, "job_type": job_type}
    if is_off:
        return Run(None, name or "", project, group, tags, notes, job_type, False)
    given = os.environ.get("TELLTALE_RUN_DIR")
    script = os.path.splitext(os.path.basename(sys.argv[0] if sys.argv and sys.argv[0] not in ("", "-c", "-m") else "run"))[0]
    shown = name or project or script or "run"
    if given and _record.recording():
        _record.note("run", {key: value for key, value in facts.items() if value})
        return Run(given, shown, project, group, tags, notes, job_type, False)
    folder = _run_folder.make(root, shown)
    _run_folder.write_record(folder, _run_folder.first_record(folder, shown, project, group, tags, notes))
    found = _run_folder.program()
    if found is not None:
        os.environ["TELLTALE_PROGRAM"] = found
    if not _native.start(folder):
        _logger.info("%s: nothing can be recorded there", folder)
    os.environ["TELLTALE_RUN_DIR"] = folder  # for the processes that this one starts
    _watch_exceptions()
    return Run(folder, shown, project, group, tags, notes, job_type, True)


def _note_exception(kind: Any, problem: BaseException, trace: Any) -> None:
    import traceback

    frames = [{"file": frame.filename, "line": frame.lineno, "function": frame.name} for frame in traceback.extract_tb(trace)[-20:]]
    _record.note("exception", {"type": kind.__name__, "message": str(problem)[:4000], "frames": frames})


_is_watching = False
_failed = False


def _watch_exceptions() -> None:
    """What ends the program is told in run.json; who watched before is asked, too."""
    global _is_watching
    if _is_watching:
        return
    _is_watching = True
    before = sys.excepthook

    def hook(kind: Any, problem: BaseException, trace: Any) -> None:
        global _failed
        try:
            _failed = True
            _note_exception(kind, problem, trace)
        finally:
            before(kind, problem, trace)

    sys.excepthook = hook
    atexit.register(_at_exit)


def _at_exit() -> None:
    if _run is not None:
        _run.finish(1 if _failed else 0)


def finish(exit_code: Optional[int] = None, quiet: Optional[bool] = None) -> None:
    """Ends the run; nothing waits."""
    if _run is not None:
        _run.finish(exit_code)


def alert(title: str, text: str = "", level: Any = "INFO", wait_duration: Any = None) -> None:
    """Something that people are to see: with the run's texts, and on its time axis."""
    name = str(getattr(level, "value", level)).upper()
    _record.text("telltale/alerts", f"**{name}**: {title}\n\n{text}" if text else f"**{name}**: {title}", _native.log_step())
    _record.instant(f"alert: {title}")
    _record.note("alert", {"title": str(title), "text": str(text), "level": name, "time": time.time()})


def define_metric(name: str, step_metric: Optional[str] = None, **options: Any) -> None:
    """Kept with the run, for its pages."""
    (_run or Run(None, "", None, None, (), None, None, False)).define_metric(name, step_metric, **options)


def watch(models: Any = None, *arguments: Any, **options: Any) -> None:
    """Does nothing, and says so in the run."""
    _say_once("`watch` was called: gradients and parameters are not recorded by it; `SummaryWriter.add_histogram` does that.")


def unwatch(models: Any = None) -> None:
    """Does nothing, as watch."""


def save(glob_str: Any = None, base_path: Any = None, policy: str = "live") -> List[str]:
    """Copies files into the run's outputs, as they are now."""
    import glob
    import shutil

    target = _outputs()
    copied: List[str] = []
    if target is None or glob_str is None:
        return copied
    try:
        for path in sorted(glob.glob(os.fspath(glob_str), recursive=True)):
            below = os.path.relpath(path, base_path) if base_path else os.path.basename(path)
            place = os.path.normpath(os.path.join(target, below))
            if os.path.isfile(path) and place.startswith(target + os.sep) and os.path.abspath(path) != place:
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copy2(path, place)
                copied.append(place)
    except OSError as problem:
        _say_once(f"`save` could not copy {glob_str}: {problem}")
    return copied


def log_artifact(artifact_or_path: Any, name: Optional[str] = None, type: Optional[str] = None, aliases: Any = None) -> Artifact:
    """Copies its files into the run's outputs/artifacts."""
    artifact = artifact_or_path
    if not isinstance(artifact, Artifact):
        artifact = Artifact(name or os.path.basename(os.fspath(artifact_or_path)), type or "unspecified")
        artifact.add(os.fspath(artifact_or_path))
    target = _outputs()
    try:
        if target is not None:
            artifact.copy_to(os.path.join(target, "artifacts", _run_folder.file_name(artifact.name) or "artifact"))
            _record.note("artifact", {"name": artifact.name, "type": artifact.type, "metadata": artifact.metadata})
    except OSError as problem:
        _say_once(f"the artifact {artifact.name} was not copied: {problem}")
    return artifact


def use_artifact(artifact_or_name: Any, type: Optional[str] = None) -> Any:
    """There is no store to take one from: gives what it is given, and says so."""
    _say_once(f"`use_artifact` was called for {artifact_or_name}: there is no store of artifacts to take it from.")
    return artifact_or_name if isinstance(artifact_or_name, Artifact) else Artifact(str(artifact_or_name), type or "unspecified")


def login(*arguments: Any, **options: Any) -> bool:
    """There is nobody to sign in to."""
    return True


def setup(*arguments: Any, **options: Any) -> None:
    """Nothing has to be set up."""
