# SPDX-License-Identifier: Apache-2.0
"""Which process of the run this is: the note `rank` (rank, local_rank, world_size, role) and the note `versions`. Roles:
`main` is the first Python process of the run, `rank` one of a distributed training, `worker` reads data for a DataLoader,
`other` is any process that one of these started. A rank's own children inherit its variables and are no ranks."""
import os
import sys

from . import facts

# Where launchers say who a process is: rank, local rank, number of ranks.
LAUNCHERS = (
    ("RANK", "LOCAL_RANK", "WORLD_SIZE"),  # torchrun, accelerate, deepspeed
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_NUM_TASKS"),  # a step's tasks: srun, not the batch script itself
)

# Given to child processes: "PID RANK FOLDER" of the recorded Python process above them (RANK empty: it is none) and of the
# run that this is about: a program may start a run of its own.
ANCESTOR = "TELLTALE_ANCESTOR"
# The run's folder, when a process has said its configuration: what it starts later has one of its own.
CONFIGURED = "TELLTALE_CONFIGURED"
RUN = "TELLTALE_RUN_DIR"

_role = "main"
_rank = None  # {"rank", "local_rank", "world_size"} as far as known
_config_is_others = False
_after_fork = []


def _number(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        return None


def rank_of(environment):
    """{"rank", "local_rank", "world_size"} as the launcher says, or None. A world of one started without a launcher's
    help (no local rank) is a rank, too."""
    for rank_name, local_name, size_name in LAUNCHERS:
        rank, size = _number(environment.get(rank_name)), _number(environment.get(size_name))
        if rank is not None and size is not None and 0 <= rank < size:
            return {"rank": rank, "local_rank": _number(environment.get(local_name)), "world_size": size}
    return None


def role_of(environment):
    """(role, rank or None) of a process that starts with this environment."""
    rank = rank_of(environment)
    above = (environment.get(ANCESTOR) or "").split(" ", 2)
    is_child = len(above) == 3 and above[2] == environment.get(RUN)
    if rank is not None:
        return ("other", None) if is_child and above[1] == str(rank["rank"]) else ("rank", rank)
    return ("other" if is_child else "main"), None


def _tell_children():
    os.environ[ANCESTOR] = "%d %s %s" % (os.getpid(), "" if _rank is None else _rank["rank"], os.environ.get(RUN))


def role():
    return _role


def rank():
    """The number of this process among those that train together, or None."""
    return None if _rank is None else _rank["rank"]


def introduce():
    """Says who this process is, and prepares for children."""
    global _role, _rank, _config_is_others
    _role, _rank = role_of(os.environ)
    _config_is_others = os.environ.get(CONFIGURED) == os.environ.get(RUN) and _role != "rank"
    _say()
    facts.note("versions", {"python": "%d.%d.%d" % sys.version_info[:3]})
    _tell_children()
    if _role != "other":  # how a helper ends is its parent's business
        getattr(facts.recorder(), "keep_exit_code", bool)()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forked)


def _say():
    said = {"role": _role}
    said.update({key: value for key, value in (_rank or {}).items() if value is not None})
    facts.note("rank", said)


def _forked():
    """A child that goes on with this program's memory: it counts its own steps, and is nobody until it says so."""
    global _role, _rank
    try:
        _role, _rank = "other", None
        _tell_children()
        for function in _after_fork:
            function()
        _say()
    except Exception:
        pass


def after_fork(function):
    """Calls it in every forked child."""
    _after_fork.append(function)


def is_worker():
    """This process reads data for a DataLoader."""
    global _role, _rank
    _role, _rank = "worker", None
    _say()


def is_rank(rank, world_size, local_rank=None):
    """The process group says so; what the launcher said is known already."""
    global _role, _rank
    known = _rank if _rank is not None and _rank["rank"] == rank else None
    if local_rank is None and known is not None:
        local_rank = known["local_rank"]
    fresh = {"rank": rank, "local_rank": local_rank, "world_size": world_size}
    if _role == "rank" and fresh == _rank:
        return
    _role, _rank = "rank", fresh
    _tell_children()
    _say()


def config(values):
    """The program's configuration: one process of the run says it, the first rank of several."""
    if not values or not facts.wants("config") or _role == "worker" or _config_is_others or (_rank is not None and _rank["rank"] != 0):
        return
    os.environ[CONFIGURED] = os.environ.get(RUN, "")
    facts.note("config", values)


def has_config():
    """Whether this process, or one above it, has said a configuration."""
    return os.environ.get(CONFIGURED) is not None and os.environ.get(CONFIGURED) == os.environ.get(RUN)


def version_imported(module):
    version = getattr(module, "__version__", None)
    if isinstance(version, str):  # a str of torch's own kind, too
        said = {module.__name__: str(version)}
        cuda = getattr(getattr(module, "version", None), "cuda", None)
        if module.__name__ == "torch" and isinstance(cuda, str):
            said["cuda"] = cuda
        facts.note("versions", said)
