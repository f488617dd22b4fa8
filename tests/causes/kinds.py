# SPDX-License-Identifier: Apache-2.0
"""The kinds of causes that can be put into a trace: each says where its delays lie and what is written for them.

A kind takes a rank, a length and a place (a part of the step), and returns a Plan, or two.
"""
import collections
import re

from places import Inapplicable, below, between, frames_at, gaps, leaves, middle, same_place, works_elsewhere
from replay import Delay, device_type, is_communication
from writer import Writer

ANNOTATION = "log_metrics"
HIDDEN = "beside_the_device"
FRAME = "train.py(81): save_checkpoint"
BUILT_IN = "<built-in method write of _io.BufferedWriter object at 0x7f5c2a3b1e50>"
DATALOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
# Operators that hold no work of the training: what they cost on the host can go.
HOST_OPERATORS = re.compile(
    r"aten::(empty|empty_strided|empty_like|copy_|_to_copy|to|item|_local_scalar_dense|zeros|zero_|resize_|clone|"
    r"detach|view|slice|as_strided|select|t|transpose|expand|reshape|contiguous)$")


MANY = 40                       # short ones in a step
BACKWARD = re.compile(r"autograd::engine::evaluate_function|Backward\d*$")


class Spot:
    """One delay in one step, and what is to be written for it."""

    def __init__(self, delay, write):
        self.delay = delay
        self.write = write


class Plan:
    """The delays of one rank for one kind of cause."""

    def __init__(self, what, accept, spots=(), device_delays=None):
        self.what = what
        self.accept = accept
        self.spots = list(spots)
        self.device_delays = device_delays or {}
        self.slower = {}        # what pieces of device work take longer, by index


def vendor(rank):
    if not rank.device:
        raise Inapplicable("no device work")
    kind = device_type(rank, rank.device)
    if kind not in ("cuda", "hip"):
        raise Inapplicable(f"no names of calls known for a {kind} device")
    return kind


def annotation(rank, length, place, name=ANNOTATION):
    """A range of the user's in which nothing else runs."""
    writer = Writer(rank)
    plan = Plan(name, [name])
    for step, moment in same_place(rank, lambda step: between(rank, step), place):
        delay = Delay(moment, length, step.host_event.thread)
        plan.spots.append(Spot(delay, lambda d, s=step: [writer.annotation(s, name, d)]))
    return plan


def hidden(rank, length, place):
    """As `annotation`, but beside a busy device: the step is hardly longer, so this is no cause."""
    return annotation(rank, length, place, HIDDEN)


def in_frames(rank, length, place, names, accept):
    writer = Writer(rank)
    plan = Plan(names[0], accept)
    for step, moment in same_place(rank, lambda step: between(rank, step), place):
        if not frames_at(rank, step.host_event.thread, moment):
            raise Inapplicable("no Python frames around the moment (with_stack=True records them)")
        plan.spots.append(Spot(Delay(moment, length, step.host_event.thread),
                               lambda d, s=step: writer.frames(s, names, d)))
    return plan


def python(rank, length, place):
    """A function of the user's that waits in a built-in one: the user's is the name."""
    return in_frames(rank, length, place, [FRAME, BUILT_IN], ["save_checkpoint"])


def gc(rank, length, place):
    """As torch records it (record_python_gc_info): a range of the category of Python frames, named so."""
    return in_frames(rank, length, place, ["Python GC"], [r"\bGC\b", "garbage"])


def host_gap(rank, length, place):
    """Time of which the capture says nothing. Its name is what stands around it, or beside it."""
    plan = Plan("(nothing recorded)", [r"python|between|outside|nothing|no operator|not recorded|host|profiler"])
    for step, moment in same_place(rank, lambda step: between(rank, step), place):
        plan.spots.append(Spot(Delay(moment, length, step.host_event.thread), lambda d: []))
        around = sorted((event for event in rank.near(moment) if event.thread == step.host_event.thread),
                        key=lambda event: event.start)
        frames = [frame.name for frame in frames_at(rank, step.host_event.thread, moment)]
        named = {*(event.name for event in around[-1:]), *frames[-6:], *filter(is_own_code, frames)}
        plan.accept += [name_pattern(name) for name in named if not name.startswith("ProfilerStep#")]
    plan.accept = sorted(set(plan.accept))
    return plan


def is_own_code(frame):
    """Not torch's, not built in, and more than the program as a whole."""
    return re.match(r"torch/|<|threading\.py|nn\.Module", frame) is None and not frame.endswith("<module>")


def name_pattern(name):
    """Of a frame, its file and its function in any order; of all others, the name."""
    frame = re.fullmatch(r"(?:.*/)?([^/]+)\(\d+\): (.+)", name)
    return "".join(f"(?=.*{re.escape(part)})" for part in frame.groups()) if frame else re.escape(name)


def dataloader(rank, length, place):
    """A longer range of the loader where there is one, else a new one."""
    writer = Writer(rank)
    plan = Plan("DataLoader", ["DataLoader", "DataPipe"])

    def inside(step):
        ranges = [event for event in below(step.host_event) if event.name.startswith("enumerate(Data")]
        return [moment for event in ranges for moment in gaps(rank, event, lambda child: False)]

    new = not all(inside(step) for step in rank.complete)
    for step, moment in same_place(rank, lambda step: between(rank, step) if new else inside(step), place):
        plan.spots.append(Spot(Delay(moment, length, step.host_event.thread),
                               lambda d, s=step: [writer.annotation(s, DATALOADER, d)] if new else []))
    return plan


def runtime_call(rank, length, place, name):
    """A call inside an operator. Allocation waits for nothing; freeing and synchronising wait for all work given."""
    name = name.replace("cuda", vendor(rank))
    drains = "lloc" not in name
    writer = Writer(rank)
    plan = Plan(name, [name])
    for step, moment in same_place(rank, lambda step: leaves(rank, step), place):
        plan.spots.append(Spot(Delay(moment, length, step.host_event.thread, drains=drains),
                               lambda d, s=step: [writer.call(s, name, d.start, d.end)]))
    return plan


def operator_slow(rank, length, place):
    """An operator that is no work of the training takes longer on the host."""
    vendor(rank)
    found = [[moment.label[1] for moment in leaves(rank, step, HOST_OPERATORS)] for step in rank.complete]
    shared = set.intersection(*map(set, found)) if found else set()
    if not shared:
        raise Inapplicable("no operator in every step that is no work of the training")
    name = max(sorted(shared), key=lambda n: sum(f.count(n) for f in found))
    plan = Plan(name, [re.escape(name)])
    chosen = re.compile(re.escape(name) + "$")
    for step, moment in same_place(rank, lambda step: leaves(rank, step, chosen), place):
        plan.spots.append(Spot(Delay(moment, length, step.host_event.thread), lambda d: []))
    return plan


def copy(rank, length, place):
    """A copy from pageable memory, which the host waits for."""
    kind = vendor(rank)
    writer = Writer(rank)
    stream = max(rank.streams.values(), key=len)
    sample = rank.raw[stream[0].index]
    plan = Plan("Memcpy HtoD", ["[Mm]emcpy", "[Cc]op(y|ies)", "[Pp]ageable"])

    def write(delay, step):
        start, end = delay.start, delay.end
        nested = ["aten::to", "aten::_to_copy", "aten::copy_"]
        events = [writer.event("operator", "cpu_op", step.host_event, name, start, end) for name in nested]
        if kind == "hip":
            call = writer.call(step, "hipMemcpyWithStream", start, end)
            name = "Memcpy HtoD (Host -> Device)"
        else:
            call = writer.call(step, "cudaMemcpyAsync", start, delay.copy_end + 1000)
            events.append(writer.call(step, "cudaStreamSynchronize", delay.copy_end + 1000, end))
            name = "Memcpy HtoD (Pageable -> Device)"
        args = {key: sample["args"][key] for key in ("device", "context", "stream") if key in sample.get("args", {})}
        args.update({"correlation": call["args"]["correlation"], "bytes": delay.length * 6,
                     "memory bandwidth (GB/s)": 6.0})
        old = "Memcpy" if sample["cat"] == "Kernel" else "gpu_memcpy"
        device = writer.event("memcpy", old, stream[0], name, delay.copy_start, delay.copy_end, args)
        flow = {"ph": "s", "id": args["correlation"], "pid": call["pid"], "tid": call["tid"], "start": start,
                "cat": "ac2g", "name": "ac2g"}
        arrival = {"ph": "f", "id": args["correlation"], "pid": device["pid"], "tid": device["tid"],
                   "start": delay.copy_start, "cat": "ac2g", "name": "ac2g", "bp": "e"}
        return events + [call, device, flow, arrival]

    for step, moment in same_place(rank, lambda step: between(rank, step), place):
        delay = Delay(moment, length, step.host_event.thread, copies_on=stream[0].thread)
        plan.spots.append(Spot(delay, lambda d, s=step: write(d, s)))
    return plan


def compilation(rank, length, place):
    """A frame compiled anew in every step, as torch.compile shows it."""
    writer = Writer(rank)
    plan = Plan("compilation", ["[Cc]ompil", "dynamo"])
    phases = [f"{phase} (dynamo_timed)" for phase in
              ("_compile.compile_inner", "entire_frame_compile", "backend_compile")]
    for step, moment in same_place(rank, lambda step: between(rank, step), place):
        delay = Delay(moment, length, step.host_event.thread)
        plan.spots.append(Spot(delay, lambda d, s=step: [writer.annotation(s, phase, d) for phase in phases]))
    return plan


def device_gap(rank, length, place):
    """Work that was launched in time begins late: the device did something that the capture does not hold."""
    plan = Plan("(before the device work)", [
        "untraced|unknown|unexplained|gap|delay|before", "not (in|traced|captured|recorded|shown)"])
    for step in rank.complete:
        # Not the first of its stream: to begin late it must have something to be late after.
        candidates = [event for event in step.device_events
                      if event.kind == "kernel" and event.index in rank.ahead
                      and not is_communication(event)]
        if not candidates:
            raise Inapplicable(f"no kernels launched in step {step.name}")
        wanted = step.start + place * (step.end - step.start)
        plan.device_delays[min(candidates, key=lambda e: abs(e.start - wanted)).index] = length
    return plan


def once(make):
    """The same in one step alone, as much longer as there are steps."""
    def in_one_step(rank, length, place):
        if len(rank.complete) < 3:
            raise Inapplicable("fewer than three steps: none is usual")
        plan = make(rank, length * len(rank.complete), place)
        plan.spots = plan.spots[len(plan.spots) // 2:][:1]
        return plan
    return in_one_step


def at_start(rank, length, _):
    """Before anything of a step is launched."""
    return annotation(rank, length, 0.0)


def scattered(rank, step, candidates):
    """MANY moments of a step, evenly among those at which no other thread works."""
    moments = [moment.at for moment in candidates if not works_elsewhere(rank, step, moment)]
    if len(moments) < MANY:
        raise Inapplicable(f"fewer than {MANY} places in step {step.name}")
    return [moments[number * len(moments) // MANY] for number in range(MANY)]


def many(rank, length, _):
    """A short range again and again."""
    writer = Writer(rank)
    plan = Plan(ANNOTATION, [ANNOTATION])
    for step in rank.complete:
        for moment in scattered(rank, step, between(rank, step)):
            plan.spots.append(Spot(Delay(moment, max(length // MANY, 1), step.host_event.thread),
                                   lambda d, s=step: [writer.annotation(s, ANNOTATION, d)]))
    return plan


def many_python(rank, length, _):
    """A short function of the user's again and again: a line of a log for every layer."""
    writer = Writer(rank)
    plan = Plan(FRAME, ["save_checkpoint"])
    for step in rank.complete:
        for moment in scattered(rank, step, between(rank, step)):
            if not frames_at(rank, step.host_event.thread, moment):
                raise Inapplicable("no Python frames around the moment (with_stack=True records them)")
            plan.spots.append(Spot(Delay(moment, max(length // MANY, 1), step.host_event.thread),
                                   lambda d, s=step: writer.frames(s, [FRAME, BUILT_IN], d)))
    return plan


def many_calls(rank, length, _, name):
    """A storm of short calls of the runtime, each inside an operator: empty_cache() or .item() in a loop."""
    name = name.replace("cuda", vendor(rank))
    writer = Writer(rank)
    plan = Plan(name, [name])
    for step in rank.complete:
        for moment in scattered(rank, step, leaves(rank, step)):
            plan.spots.append(Spot(Delay(moment, max(length // MANY, 1), step.host_event.thread,
                                         drains="lloc" not in name),
                                   lambda d, s=step: [writer.call(s, name, d.start, d.end)]))
    return plan


class Elsewhere:
    """A step as seen by a writer that writes on another thread."""

    def __init__(self, host_event):
        self.host_event = host_event


def in_backward(rank, length, place, name):
    """In the thread that runs backward, while the step's thread waits for it: a range, or a call."""
    calls = name.startswith("cuda")
    name = name.replace("cuda", vendor(rank)) if calls else name
    writer = Writer(rank)
    plan = Plan(name, [name])
    for step in rank.complete:
        own = step.host_event.thread
        backward = [event for event in rank.host_sorted if event.thread != own and BACKWARD.search(event.name)
                    and step.host_start <= event.start and event.end <= step.host_end]
        moments = []
        for event in backward:
            for leaf in (inner for inner in below(event) if not inner.children and inner.kind == "operator"):
                at = middle(rank, leaf.start, leaf.end)
                if at is not None and all(other.thread == event.thread or other.kind == "annotation"
                                          or other.name.startswith("ProfilerStep#") for other in rank.near(at)):
                    moments.append((at, leaf))
        if not moments:
            raise Inapplicable(f"no backward thread that the step's waits for in step {step.name}")
        wanted = step.host_start + place * (step.host_end - step.host_start)
        at, leaf = min(moments, key=lambda moment: abs(moment[0] - wanted))
        where = Elsewhere(leaf)
        write = (lambda d, s=where: [writer.call(s, name, d.start, d.end)]) if calls else (
            lambda d, s=where: [writer.annotation(s, name, d)])
        plan.spots.append(Spot(Delay(at, length, leaf.thread), write))
    return plan


def slow_kernel(rank, length, place):
    """One call of a kernel that is called often takes far longer than the others."""
    def like(event):
        return event.name, str(event.args.get("grid"))

    alike = collections.Counter(like(event) for event in rank.device
                                if event.kind == "kernel" and not is_communication(event))
    plan = None
    for step in rank.complete:
        kernels = [event for event in step.device_events if alike[like(event)] >= 5 * len(rank.complete)
                   and event.kind == "kernel" and not is_communication(event)]
        if plan is not None:
            kernels = [event for event in kernels if event.name == plan.what]
        if not kernels:
            raise Inapplicable(f"no kernel that is often called in step {step.name}")
        wanted = step.start + place * (step.end - step.start)
        chosen = min(kernels, key=lambda event: abs(event.start - wanted))
        plan = plan or Plan(chosen.name, [re.escape(chosen.name)])
        plan.slower[chosen.index] = length
    return plan


def two(rank, length, place):
    """A range of the user and, half as long and elsewhere, a second cause."""
    first = annotation(rank, length, place)
    for make in (lambda n, p: runtime_call(rank, n, p, "cudaMalloc"), lambda n, p: python(rank, n, p),
                 lambda n, p: dataloader(rank, n, p)):
        try:
            second = make(max(length // 2 // 1000 * 1000, 1000), 0.1 if place > 0.3 else 0.7)
            break
        except Inapplicable:
            continue
    if {spot.delay.moment for spot in first.spots} & {spot.delay.moment for spot in second.spots}:
        raise Inapplicable("no two places in the step")
    return [first, second]


KINDS = {
    "annotation": annotation,
    "host_gap": host_gap,
    "dataloader": dataloader,
    "python": python,
    "gc": gc,
    "compilation": compilation,
    "operator_slow": operator_slow,
    "cudaMalloc": lambda *a: runtime_call(*a, name="cudaMalloc"),
    "cudaFree": lambda *a: runtime_call(*a, name="cudaFree"),
    "cudaDeviceSynchronize": lambda *a: runtime_call(*a, name="cudaDeviceSynchronize"),
    "cudaStreamSynchronize": lambda *a: runtime_call(*a, name="cudaStreamSynchronize"),
    "copy": copy,
    "device_gap": device_gap,
    "two": two,
    "at_start": at_start,
    "many": many,
    "many_python": many_python,
    "free_storm": lambda *a: many_calls(*a, name="cudaFree"),
    "malloc_storm": lambda *a: many_calls(*a, name="cudaMalloc"),
    "sync_storm": lambda *a: many_calls(*a, name="cudaStreamSynchronize"),
    "once": once(annotation),
    "once_dataloader": once(dataloader),
    "once_malloc": once(lambda *a: runtime_call(*a, name="cudaMalloc")),
    "once_gap": once(host_gap),
    "backward": lambda *a: in_backward(*a, name="custom_backward"),
    "backward_malloc": lambda *a: in_backward(*a, name="cudaMalloc"),
    "cudaHostAlloc": lambda *a: runtime_call(*a, name="cudaHostAlloc"),
    "slow_kernel": slow_kernel,
    "hidden": hidden,
}
