# SPDX-License-Identifier: Apache-2.0
"""The folder of a run that is not under `telltale run`: making it, its run.json, and finding the program that collects what is
recorded."""
from __future__ import annotations

import os
import re
import socket
import sys
import time
from typing import Any, Dict, Optional, Sequence


def program() -> Optional[str]:
    """The absolute path of `telltale`: as the environment says; else beside this Python, beside this package, on the path."""
    import shutil
    import sysconfig

    given = os.environ.get("TELLTALE_PROGRAM")
    if given is not None:
        return given if os.path.isabs(given) and os.access(given, os.X_OK) else None
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(folder, "telltale") for folder in
              (sysconfig.get_path("scripts"), os.path.join(here, "../../../../bin"), os.path.join(here, "../../bin"))]
    for place in places:
        if os.access(place, os.X_OK) and os.path.isfile(place):
            return os.path.normpath(place)
    found = shutil.which("telltale")
    return os.path.abspath(found) if found else None


def file_name(text: str) -> str:
    """A text as a part of a path: letters, digits and a few signs, not too long."""
    return re.sub(r"[^\w.+=@-]+", "_", text).strip("._")[:80]


def make(root: Optional[str], name: str) -> str:
    """A new folder; OSError if there can be none."""
    above = os.path.abspath(root or os.environ.get("TELLTALE_ROOT") or "runs")
    os.makedirs(above, exist_ok=True)
    first = os.path.join(above, time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime()) + "_" + (file_name(name) or "run"))
    for number in range(1, 100000):
        path = first if number == 1 else f"{first}-{number}"
        try:
            os.mkdir(path)
        except FileExistsError:
            continue
        for below in ("logs", "events", "monitor", "profiler", "outputs"):
            os.mkdir(os.path.join(path, below))
        return path
    raise OSError(f"{first}: too many runs of one second")


def moment(ns: int) -> str:
    """RFC 3339, in UTC, with nanoseconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9)) + f".{ns % 10**9:09d}Z"


def first_record(folder: str, name: str, experiment: Optional[str], group: Optional[str], tags: Sequence[str],
                 note: Optional[str]) -> Dict[str, Any]:
    """What run.json says while the run is alive (docs: schema 1)."""
    from telltale import __version__

    versions = {"telltale": __version__, "python": sys.version.split()[0]}
    for module in ("torch", "numpy", "lightning", "transformers"):
        version = getattr(sys.modules.get(module), "__version__", None)
        if version is not None:
            versions[module] = str(version)
    host = socket.gethostname()
    rank = {"rank": 0, "local_rank": 0, "host": host, "pid": os.getpid(), "status": "Running", "exit_code": None, "signal": None}
    return {"schema": 1, "id": os.path.basename(folder), "name": name, "experiment": experiment, "group": group, "tags": list(tags),
            "note": note, "status": "Running", "command": [sys.executable, *(getattr(sys, "orig_argv", [""])[1:] or sys.argv)],
            "cwd": os.getcwd(), "git": None, "versions": versions, "host": host, "user_id": os.getuid(), "pid": os.getpid(),
            "ranks": [rank], "start": moment(time.time_ns()), "end": None, "exit_code": None, "signal": None, "error": None}


def write_record(folder: str, record: Dict[str, Any], waits_for_disk: bool = True) -> None:
    """Replaced whole: a reader never sees half of it."""
    import json

    path = os.path.join(folder, "run.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(record, file, ensure_ascii=False, indent=1)
        file.write("\n")
        file.flush()
        if waits_for_disk:
            os.fsync(file.fileno())
    os.rename(path + ".new", path)


def write_end(folder: str, exit_code: int) -> None:
    """What this process knows of its end. A collector that still has to bring things in writes it once more, with all it knows."""
    import json

    with open(os.path.join(folder, "run.json"), encoding="utf-8") as file:
        record = json.load(file)
    status = "Failed" if exit_code else "Completed"
    record.update(status=status, end=moment(time.time_ns()), exit_code=exit_code)
    for rank in record["ranks"]:
        if rank["pid"] == os.getpid():
            rank.update(status=status, exit_code=exit_code)
    write_record(folder, record, waits_for_disk=False)  # a program that ends is not held up
