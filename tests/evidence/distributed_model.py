# SPDX-License-Identifier: Apache-2.0
"""The view distributed for the traces of several ranks, written from docs/analyses/distributed.md, slow and plain."""
import json
import re
from collections import defaultdict

from oracle_path import ORACLE  # noqa: F401
from device_side import is_communication, link_launches
from host_tree import nest
from intervals import clip, length, union
from steps import find_steps
from trace_reader import Trace

KINDS = (("barrier", "barrier"), ("allreduce", "all_reduce"), ("reducescatter", "reduce_scatter"),
         ("allgather", "all_gather"), ("alltoall", "all_to_all"), ("sendrecv", "send_recv"),
         ("broadcast", "broadcast"), ("bcast", "broadcast"), ("gather", "gather"), ("scatter", "scatter"),
         ("reduce", "reduce"), ("send", "send"), ("recv", "recv"))
SYNCHRONISING = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "barrier"}
EQUAL_SIZES = {"all_reduce", "broadcast", "reduce", "barrier"}
UNMATCHED = {"send", "recv", "send_recv"}
ELEMENT_BYTES = {"float": 4, "double": 8, "half": 2, "bfloat16": 2, "byte": 1, "char": 1, "bool": 1, "short": 2,
                 "int": 4, "long": 8, "long int": 8, "signed char": 1, "unsigned char": 1}
HOST_LIBRARIES = ("gloo:", "mpi:", "ucc:")
RANGES = ("nccl:", "c10d::") + HOST_LIBRARIES
WAITING_CALLS = ("cudaMemcpy", "hipMemcpy", "hipMemcpyWithStream", "cuMemcpyDtoH_v2", "cuMemcpyHtoD_v2")
MOST_EXPLAINED, MOST_ACTIVITIES = 8, 10


def kind_of_name(name):
    text = re.split(r"[(<]", name)[0].replace("_", "").lower()
    return next((kind for word, kind in KINDS if word in text), None)


def communicates(event):
    return event.kind in ("operator", "annotation") and (event.name == "record_param_comms"
                                                         or event.name.startswith(RANGES))


def integer(value):
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class Call:
    def __init__(self):
        self.name = self.dtype = self.group = self.ranks = None
        self.group_size = self.sequence = self.inputs = self.outputs = None
        self.issued = self.start = self.end = self.span = None
        self.on_device = False

    def use_args(self, args):
        def take(field, value):
            if getattr(self, field) is None and value not in (None, ""):
                setattr(self, field, value)
        take("name", args.get("Collective name"))
        take("dtype", args.get("dtype"))
        take("group", args.get("Process Group Name"))
        ranks = args.get("Process Group Ranks")
        take("ranks", ranks if isinstance(ranks, str) or ranks is None else json.dumps(ranks))
        take("group_size", integer(args.get("Group size")))
        take("sequence", integer(args.get("Seq")))
        take("inputs", integer(args.get("In msg nelems")))
        take("outputs", integer(args.get("Out msg nelems")))

    @property
    def kind(self):
        return kind_of_name(self.name)

    @property
    def label(self):
        return self.kind or self.name

    @property
    def bytes(self):
        known = [n for n in (self.inputs, self.outputs) if n is not None]
        dtype = (self.dtype or "").removeprefix("c10::").lower()
        if not known or dtype not in ELEMENT_BYTES:
            return None
        elements = max(known)
        if self.kind == "all_gather" and self.outputs is None:
            if self.group_size is None:
                return None
            elements *= self.group_size
        return elements * ELEMENT_BYTES[dtype]


class File:
    def __init__(self, path):
        self.trace = Trace(path)
        self.info = self.trace.header.get("distributedInfo") or {}
        self.rank, self.world = self.info.get("rank"), self.info.get("world_size")
        self.device_events, _ = link_launches(self.trace)
        self.host, _ = nest(self.trace)
        self.source, self.steps = find_steps(self.host, self.device_events)
        self.kernels = [e for e in self.device_events if e.kind == "kernel"]
        self.calls = self.find_calls()
        if self.world is not None and not any(c.group or c.group_size for c in self.calls):
            for call in self.calls:
                call.group_size = self.world

    def outermost(self, event):
        found = None
        while event is not None:
            if communicates(event):
                found = event
            event = event.parent
        return found

    def find_calls(self):
        groups, calls = {}, []
        communication = [k for k in self.kernels if is_communication(k)]
        for kernel in communication:
            host = self.outermost(kernel.launch) if kernel.launch is not None else None
            groups.setdefault(("host", host.index) if host else ("kernel", kernel.index), (host, []))[1].append(kernel)
        inside = defaultdict(list)      # by the outermost event, in order of the nesting
        for event in sorted(self.host, key=lambda e: (e.start, -e.end, e.index)):
            if communicates(event):
                inside[self.outermost(event).index].append(event)
        for host, kernels in groups.values():
            call = Call()
            first = min(kernels, key=lambda k: k.start)
            call.on_device, call.span = True, first.index
            call.start, call.end = first.start, max(k.end for k in kernels)
            call.issued = (host.start if host else kernels[0].launch.start if kernels[0].launch else call.start)
            call.use_args(first.args)
            if host:
                self.use_host(call, inside[host.index])
            call.name = call.name or first.name
            calls.append(call)
        with_kernel = {host.index for host, _ in groups.values() if host}
        for index, events in inside.items():
            library = next((e for e in events if e.name.startswith(("nccl:",) + HOST_LIBRARIES)), None)
            if library is None or index in with_kernel or (library.name.startswith("nccl:") and communication):
                continue
            call = Call()
            call.span, call.issued = library.index, events[0].start
            if library.name.startswith(HOST_LIBRARIES):
                call.start, call.end = library.start, library.end
            self.use_host(call, events)
            calls.append(call)
        calls.sort(key=lambda c: (c.issued, c.start if c.start is not None else c.issued, c.span))
        return calls

    @staticmethod
    def use_host(call, events):
        named = next((e for e in events if e.args.get("Collective name")), None)
        if named:
            call.use_args(named.args)
        library = next((e for e in events if e.name.startswith(("nccl:",) + HOST_LIBRARIES)), None)
        call.name = call.name or (library or events[0]).name
        if call.inputs is None and library is not None:
            dims = library.args.get("Input Dims", library.args.get("Input dims"))
            if isinstance(dims, list) and all(isinstance(d, list) and all(isinstance(n, int) for n in d) for d in dims):
                call.inputs = 0
                for dim in dims:
                    product = 1
                    for n in dim:
                        product *= n
                    call.inputs += product
                if not dims:
                    call.inputs = None
            types = library.args.get("Input type")
            if call.dtype is None and dims is not None and isinstance(types, list) and types:
                call.dtype = types[0] or None

    def step_of(self, time, named):
        """The step's number, "before", "after", or 0 where steps do not count."""
        if not named:
            return 0
        started = [s for s in self.steps if s.host_start <= time]
        if not started:
            return "before"
        if started[-1] is self.steps[-1] and time >= started[-1].host_end:
            return "after"
        return started[-1].name

    def computation(self, issuing_calls=False):
        """`issuing_calls`: c10d::* compute, as the old viewer has it."""
        if self.kernels:
            return union((k.start, k.end) for k in self.kernels if not is_communication(k))
        return union((e.start, e.end) for e in self.host if e.kind == "operator"
                     and (not communicates(e) or (issuing_calls and e.name.startswith("c10d::"))))

    def communication(self):
        return union([(k.start, k.end) for k in self.kernels if is_communication(k)]
                     + [(c.start, c.end) for c in self.calls if c.start is not None and not c.on_device])


class Run:
    def __init__(self, paths):
        self.files = [File(path) for path in paths]
        self.matches = self.match()
        self.clock = [{"clock": "wall_clock", "offset": 0, "error": None, "collectives": 0, "contradicted": 0}
                      for _ in self.files]
        self.align()

    def match(self):
        """Lists of (file, call number), by the rules of match_collectives."""
        named = all(f.source == "ProfilerStep" for f in self.files)
        groups, seen = {}, defaultdict(int)
        for number, file in enumerate(self.files):
            capture = seen[file.rank] if file.rank is not None else 0
            seen[file.rank] += 1
            keyed = defaultdict(list)
            for position, call in enumerate(file.calls):
                if call.kind in UNMATCHED:
                    continue
                key = (capture, call.group, call.ranks, call.label)
                if call.sequence is not None:
                    key += ("sequence", call.sequence)
                else:
                    key += (file.step_of(call.issued, named), call.inputs if call.kind in EQUAL_SIZES else 0)
                keyed[key].append(position)
            for key, positions in keyed.items():
                ordered = reversed(positions) if "before" in key else positions
                for occurrence, position in enumerate(ordered):
                    groups.setdefault((key, occurrence), []).append((number, position))
        return sorted(members for members in groups.values() if len(members) > 1)

    def call(self, member):
        return self.files[member[0]].calls[member[1]]

    def wall(self, member):
        call, base = self.call(member), self.files[member[0]].trace.base_ns
        return call.start + base, call.end + base

    def align(self):
        reference = self.files[0].rank
        placed = {n for n, f in enumerate(self.files) if n == 0 or (reference is not None and f.rank == reference)}
        for n in placed:
            self.clock[n].update(clock="reference", error=0)
        usable = [m for m in self.matches if self.call(m[0]).kind in SYNCHRONISING
                  and all(self.call(member).start is not None for member in m)]
        used, wrong, newly = set(), set(), sorted(placed)
        while newly:
            evidence = defaultdict(list)
            for file in newly:
                for index, members in enumerate(usable):
                    here = next((m for m in members if m[0] == file), None)
                    if here is None or index in used:
                        continue
                    used.add(index)
                    start, end = self.wall(here)
                    offset, error = self.clock[file]["offset"], self.clock[file]["error"]
                    for member in members:
                        if member[0] in placed:
                            continue
                        own_start, own_end = self.wall(member)
                        evidence[member[0]].append((end - own_end + offset, start - own_end + offset,
                                                    end - own_start + offset, error, index))
            newly = sorted(evidence)
            for file in newly:
                wrong |= {usable[i][0] for i in self.settle(file, evidence[file])}
                placed.add(file)
        self.matches = [m for m in self.matches if m[0] not in wrong]

    def settle(self, file, evidence):
        def median(values):
            values = sorted(values)
            middle = len(values) // 2
            if len(values) % 2:
                return values[middle]
            return min(values[middle - 1], values[middle], key=abs)
        offset = median([e[0] for e in evidence])
        dropped = []
        if max(e[1] for e in evidence) > min(e[2] for e in evidence):
            dropped = [e[4] for e in evidence if not e[1] <= offset <= e[2]]
            evidence = [e for e in evidence if e[1] <= offset <= e[2]]
            offset = median([e[0] for e in evidence])
        offset = min(max(offset, max(e[1] for e in evidence)), min(e[2] for e in evidence))
        distances = sorted(abs(e[0] - offset) for e in evidence)
        error = distances[(len(distances) * 9 + 9) // 10 - 1] + max(e[3] for e in evidence)
        self.clock[file].update(clock="collectives", offset=offset, error=error, collectives=len(evidence),
                                contradicted=len(dropped))
        return dropped

    def common(self, file, time):
        return time + self.files[file].trace.base_ns + self.clock[file]["offset"]

    def arrival(self, members):
        starts = [(self.common(m[0], self.call(m).start), m[0]) for m in members]
        first, (latest, last) = min(starts)[0], max(starts, key=lambda s: s[0])
        errors = [self.clock[m[0]]["error"] for m in members]
        decided = None not in errors and latest - first > max(errors)
        return first, latest - first, last if decided else None

    def timed_matches(self):
        return [m for m in self.matches if all(self.call(member).start is not None for member in m)]

    def step_rows(self, issuing_calls=False):
        """(file, step name) -> times."""
        transfers = defaultdict(list)
        for members in self.timed_matches():
            shortest = min(self.call(m).end - self.call(m).start for m in members)
            for m in members:
                transfers[m[0]].append((self.call(m).start, self.call(m).end, shortest))
        rows = {}
        for number, file in enumerate(self.files):
            computation, communication = file.computation(issuing_calls), file.communication()
            ranges = union((s, e) for s, e, _ in transfers[number])
            moving = union((e - t, e) for _, e, t in transfers[number])
            for step in file.steps:
                window = step.start, step.end
                c, m = clip(computation, window), clip(communication, window)
                overlap = length(c) + length(m) - length(union(c + m))
                row = {"duration_ns": step.end - step.start, "computation_ns": length(c) - overlap,
                       "overlap_ns": overlap, "communication_ns": length(m) - overlap, "complete": step.complete}
                row["other_ns"] = row["duration_ns"] - length(c) - length(m) + overlap
                row["transfer_ns"] = row["waiting_ns"] = None
                if transfers[number]:
                    row["transfer_ns"] = length(clip(moving, window))
                    row["waiting_ns"] = length(clip(ranges, window)) - row["transfer_ns"]
                rows[number, step.name if file.source != "whole_trace" else "all"] = row
        return rows

    def stragglers(self):
        """(decided, undecided, file -> row)."""
        decided = undecided = 0
        rows = defaultdict(lambda: {"last": 0, "steps_last": 0, "others_waited_ns": 0})
        waits, windows, by_step = defaultdict(list), defaultdict(list), defaultdict(lambda: defaultdict(int))
        for members in self.timed_matches():
            first, skew, last = self.arrival(members)
            if last is None:
                undecided += 1
                continue
            decided += 1
            rows[last]["last"] += 1
            for member in members:
                call, file = self.call(member), self.files[member[0]]
                ends = [c.end for c in file.calls if c.start is not None and c.end <= call.start]
                begin = max(ends) if ends else file.steps[0].start
                if begin < call.start:
                    windows[member[0], last].append((begin, call.start))
                if member[0] != last:
                    waits[member[0], last].append((self.common(member[0], call.start), first + skew))
                else:
                    started = [s for s in file.steps if s.host_start <= call.issued and s.host_event is not None]
                    by_step[started[-1].host_event.name if started else None][last] += skew
        for (_, last), intervals in waits.items():
            rows[last]["others_waited_ns"] += length(union(intervals))
        for step, skews in by_step.items():
            if step is not None:
                rows[min(skews, key=lambda f: (-skews[f], f))]["steps_last"] += 1
        explained = sorted(rows, key=lambda f: (-rows[f]["others_waited_ns"], f))[:MOST_EXPLAINED]
        for last in explained:
            rows[last]["meanwhile"] = self.meanwhile(last, windows)
        return decided, undecided, dict(rows)

    def meanwhile(self, last, windows):
        own, others, other_files = {}, defaultdict(int), 0
        for number, file in enumerate(self.files):
            if (number, last) not in windows:
                continue
            times = self.activities(file, union(windows[number, last]))
            if number == last:
                own = times
            else:
                other_files += 1
                for key, time in times.items():
                    others[key] += time
        result = []
        for key, time in own.items():
            mean = (2 * others[key] + other_files) // (2 * other_files) if others[key] else 0
            if time > mean:
                result.append((key, time, mean))
        result.sort(key=lambda r: -(r[1] - r[2]))
        return result[:MOST_ACTIVITIES]

    @staticmethod
    def activities(file, windows):
        times = defaultdict(int)
        kinds = {}
        for event in file.host:
            kinds.setdefault(event.name, event.kind)
        for event in file.host:
            inside = length(clip(windows, (event.start, event.end)))
            times[kinds[event.name], event.name] += inside
            if event.parent is not None:
                times[kinds[event.parent.name], event.parent.name] -= inside
        for event in file.device_events:
            times[event.kind, event.name] += length(clip(windows, (event.start, event.end)))
        hidden = {key for key in times if times[key] <= 0
                  or (key[0] == "kernel" and re.search("nccl|rccl|hccl|oneccl|msccl", key[1], re.I))
                  or (key[0] == "runtime" and ("Synchronize" in key[1] or key[1] in WAITING_CALLS))
                  or key[1] == "record_param_comms" or key[1].startswith(RANGES)
                  or re.fullmatch(r"ProfilerStep#\d+", key[1])}
        return {key: time for key, time in times.items() if key not in hidden}
