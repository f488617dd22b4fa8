# SPDX-License-Identifier: Apache-2.0
"""The memory section by its definitions (docs/analyses/memory.md), from the raw JSON: plain and slow on purpose."""
from oracle_path import ORACLE  # noqa: F401
from host_tree import fold_only_children, nest
from steps import find_steps
from device_side import link_launches
from trace_reader import Trace, thread_of, to_ns

TYPES = ["cpu", "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip", "fpga", "maia", "xla", "vulkan", "metal", "xpu",
         "mps", "meta", "hpu", "ve", "lazy", "ipu", "mtia", "privateuseone"]
MOST_POINTS = 2000
LARGEST_BLOCKS = 20
LEAST_LEAK_STEPS = 3


class Instant:
    def __init__(self, index, raw):
        args = raw.get("args") or {}
        self.index = index
        self.thread = thread_of(raw)
        self.time = to_ns(raw["ts"])
        self.bytes = int(args.get("Bytes", 0))
        self.address = int(args["Addr"]) if "Addr" in args else None
        self.allocated = args.get("Total Allocated")
        self.reserved = args.get("Total Reserved")
        self.place = (int(args.get("Device Type", -1)), int(args.get("Device Id", -1)))
        self.owner = None


class Block:
    def __init__(self, allocated=None, released=None):
        self.allocated = allocated
        self.released = released

    @property
    def bytes(self):
        return self.allocated.bytes if self.allocated else -self.released.bytes


def module_name(event):
    if event.kind == "python" and event.name.startswith("nn.Module: "):
        return event.name[len("nn.Module: "):]
    if event.kind == "annotation" and event.name.startswith("[pl][module]"):
        return event.name.partition(": ")[2]
    return None


def is_plain(event):
    return (event.kind == "operator" and not event.name.startswith(("ProfilerStep#", "Optimizer."))
            and not event.name.startswith(("enumerate(DataLoader)#", "enumerate(DataPipe)#")))


class MemoryTrace(Trace):
    def keep_raw(self, raw_events):
        self.instants = sorted((Instant(index, raw) for index, raw in enumerate(raw_events)
                                if isinstance(raw, dict) and raw.get("ph") in ("i", "I")
                                and raw.get("name") == "[memory]"), key=lambda i: (i.time, i.index))
        host, _ = nest(self)
        link_launches(self)
        folded = fold_only_children(host)
        self.source, self.steps = find_steps(host, self.of_kind("kernel", "memcpy", "memset"))
        self.operators = [event for event in folded if is_plain(event)]
        self.own(host)
        self.places = sorted({instant.place for instant in self.instants},
                             key=lambda place: (place[0] == 0, place))
        self.blocks = {place: self.pair(place) for place in self.places}
        self.modules = {}
        for event in self.events:
            name = module_name(event)
            if name:
                self.modules.setdefault(event.thread, []).append((event.start, -event.duration, event.index, name, event))

    def module_at(self, instant):
        """The innermost module call around an instant: the dotted name inside a frame of the class names the frame."""
        calls = [call for call in self.modules.get(instant.thread, [])
                 if call[4].start <= instant.time < call[4].end]
        return max(calls)[3] if calls else None

    def own(self, host):
        """The innermost plain operator around each instant, and around each operator."""
        by_thread = {}
        for event in host:
            if is_plain(event):
                by_thread.setdefault(event.thread, []).append(event)
        self.outer = {}     # by index of an operator: the operator around it
        for events in by_thread.values():
            still_open = []
            for event in events:
                still_open = [other for other in still_open if other.end > event.start]
                around = [other for other in still_open if other.end >= event.end]
                if around:
                    self.outer[event.index] = around[-1].folded_into or around[-1]
                still_open.append(event)
        for thread, events in by_thread.items():
            instants = [instant for instant in self.instants if instant.thread == thread]
            position, still_open = 0, []
            for instant in instants:
                while position < len(events) and events[position].start <= instant.time:
                    still_open.append(events[position])
                    position += 1
                still_open = [event for event in still_open if event.end > instant.time]
                if still_open:
                    instant.owner = still_open[-1].folded_into or still_open[-1]

    def pair(self, place):
        blocks, open_blocks = [], {}
        for instant in self.instants:
            if instant.place != place or instant.bytes == 0:
                continue
            if instant.bytes > 0:
                blocks.append(Block(allocated=instant))
                if instant.address is not None:
                    open_blocks[instant.address] = blocks[-1]
            elif instant.address is not None and instant.address in open_blocks:
                open_blocks.pop(instant.address).released = instant
            elif instant.address is not None:
                blocks.append(Block(released=instant))
        return blocks

    def step_at(self, time):
        if self.source == "whole_trace":
            return None
        started = [step for step in self.steps if step.host_start <= time]
        return started[-1] if started and time < started[-1].host_end else None

    def step_name(self, time):
        step = self.step_at(time)
        return step.name if step else None

    def absolute(self, time):
        return time + self.base_ns

    def paired(self, place):
        return any(i.address is not None and i.bytes != 0 for i in self.instants if i.place == place)

    # What the section shows

    def devices(self):
        return [self.device(place) for place in self.places]

    def device(self, place):
        instants = [instant for instant in self.instants if instant.place == place]
        relative = all(instant.allocated is None for instant in instants)
        points, total = [], 0
        for instant in instants:
            total += instant.bytes
            if relative or instant.allocated is not None:
                points.append((instant, total if relative else instant.allocated, instant.reserved))
        less = not relative and any(reserved is not None and reserved < allocated for _, allocated, reserved in points)
        if less or not any(reserved for _, _, reserved in points):
            points = [(instant, allocated, None) for instant, allocated, _ in points]
        peak = max(points, key=lambda point: point[1])      # the first of equals
        unused = [reserved - allocated for _, allocated, reserved in points if reserved is not None]
        name, memory = None, None
        for properties in self.header.get("deviceProperties") or []:
            if place[0] != 0 and properties.get("id") == place[1]:
                name, memory = properties.get("name") or None, properties.get("totalGlobalMem")
        blocks, paired = self.blocks[place], self.paired(place)
        return {
            "file": 0, "type": TYPES[place[0]] if 0 <= place[0] < len(TYPES) else "other",
            "id": place[1] if place[1] >= 0 else None, "name": name, "memory_bytes": memory,
            "peak_allocated_bytes": peak[1], "peak_ns": self.absolute(peak[0].time),
            "peak_step": self.step_name(peak[0].time),
            "peak_reserved_bytes": max((p[2] for p in points if p[2] is not None), default=None),
            "fragmentation_at_peak_bytes": None if peak[2] is None else peak[2] - peak[1],
            "fragmentation_max_bytes": max(unused, default=None),
            "allocation_count": sum(instant.bytes > 0 for instant in instants),
            "release_count": sum(instant.bytes < 0 for instant in instants),
            "released_from_before_count": sum(b.allocated is None for b in blocks) if paired else None,
            "never_released_count": sum(b.released is None for b in blocks) if paired else None,
            "curve": self.curve(points, relative),
            "segments": None,
            "at_peak": self.at_peak(place, peak, relative) if paired else None,
            "operators": self.operator_rows(instants),
        }

    def curve(self, points, relative):
        kept = points
        if len(points) > MOST_POINTS:
            kept, begin = [], points[0][0].time
            width = (points[-1][0].time - begin) // (MOST_POINTS // 4) + 1
            stretches = {}
            for index, point in enumerate(points):
                stretches.setdefault((point[0].time - begin) // width, []).append(index)
            for indices in stretches.values():
                keep = {min(indices, key=lambda i: points[i][1]), max(indices, key=lambda i: points[i][1]),
                        max(indices, key=lambda i: points[i][2] or 0), indices[-1]}
                kept += [points[i] for i in sorted(keep)]
        reserved = [point[2] for point in kept]
        return {"captured": not relative, "point_count": len(points),
                "times_ns": [self.absolute(point[0].time) for point in kept],
                "allocated_bytes": [point[1] for point in kept],
                "reserved_bytes": None if all(value is None for value in reserved) else reserved, "categories": None}

    def at_peak(self, place, peak, relative):
        moment = (peak[0].time, peak[0].index)
        alive = [block for block in self.blocks[place]
                 if block.allocated and (block.allocated.time, block.allocated.index) <= moment
                 and not (block.released and (block.released.time, block.released.index) <= moment)]
        known = sum(block.bytes for block in alive)
        largest = sorted(alive, key=lambda b: (-b.bytes, b.allocated.time, b.allocated.index))[:LARGEST_BLOCKS]
        return {"known_bytes": known, "before_bytes": None if relative else peak[1] - known,
                "operators": shares(alive, lambda b: self.shown(b.allocated.owner)),
                "modules": shares(alive, lambda b: self.module_at(b.allocated), needs_one=True),
                "steps": shares(alive, lambda b: self.step_name(b.allocated.time), needs_one=True),
                "frames": None, "categories": None, "largest": [self.allocation(block) for block in largest]}

    def operator_rows(self, instants):
        rows, sums = {}, {}
        for instant in instants:
            event, own = instant.owner, True
            while event is not None:
                entry = sums.setdefault(event.index, [event] + [0] * 6)
                entry[1] += instant.bytes
                entry[2] += instant.bytes if own else 0
                if instant.bytes > 0:
                    entry[3] += 1
                    entry[4] += 1 if own else 0
                    entry[5] += instant.bytes
                    entry[6] += instant.bytes if own else 0
                event, own = self.outer.get(event.index), False
        for event, *numbers in sums.values():
            row = rows.setdefault(event.name, [0] * 6)
            for index, number in enumerate(numbers):
                row[index] += number
        calls = {}
        for event in self.operators:
            calls[event.name] = calls.get(event.name, 0) + 1
        return [{"name": name, "calls": calls[name], "size_increase_bytes": row[0],
                 "self_size_increase_bytes": row[1], "allocation_count": row[2], "self_allocation_count": row[3],
                 "allocation_bytes": row[4], "self_allocation_bytes": row[5]}
                for name, row in sorted(rows.items(), key=lambda item: (-item[1][1], item[0].encode()))
                if any(row)]

    def allocation(self, block):
        place = (block.allocated or block.released).place
        address = (block.allocated or block.released).address
        allocated, released = block.allocated, block.released
        owner = allocated.owner if allocated else None
        return {"file": 0, "device_type": TYPES[place[0]] if 0 <= place[0] < len(TYPES) else "other",
                "device_id": place[1] if place[1] >= 0 else None, "bytes": block.bytes, "address": address,
                "allocated_ns": self.absolute(allocated.time) if allocated else None,
                "released_ns": self.absolute(released.time) if released else None,
                "life_ns": released.time - allocated.time if allocated and released else None,
                "operator": owner.name if owner else None,
                "parent_operator": self.outer[owner.index].name if owner and owner.index in self.outer else None,
                "module": self.module_at(allocated) if allocated else None,
                "step": self.step_name(allocated.time) if allocated else None, "frame": None}

    def allocation_texts(self):
        rows = [(self.allocation(block), number) for number, place in enumerate(self.places)
                for block in self.blocks[place]]
        rows.sort(key=lambda row: (row[0]["allocated_ns"] or row[0]["released_ns"]))
        return [{key: "" if value is None else str(value) for key, value in row.items()} for row, _ in rows]

    def shown(self, owner):
        if owner is None:
            return None
        if owner.name.startswith("aten::empty") and owner.index in self.outer:
            return f"{self.outer[owner.index].name} ({owner.name})"
        return owner.name

    def leaks(self):
        checked = [step for step in self.steps[1:-1] if step.complete] if self.source != "whole_trace" else []
        if len(checked) < LEAST_LEAK_STEPS or not any(self.paired(place) for place in self.places):
            return []
        rows = []
        for place in self.places:
            if not self.paired(place):
                continue
            groups = {}
            for block in self.blocks[place]:
                if block.released is None and self.step_at(block.allocated.time) in checked:
                    steps = groups.setdefault((self.shown(block.allocated.owner), self.module_at(block.allocated)), {})
                    steps.setdefault(self.step_name(block.allocated.time), []).append(block.bytes)
            for (name, module), steps in groups.items():
                if len(steps) == len(checked):
                    rows.append({"device_type": TYPES[place[0]], "device_id": place[1] if place[1] >= 0 else None,
                                 "operator": name, "module": module,
                                 "bytes": sum(sum(sizes) for sizes in steps.values()),
                                 "count": sum(len(sizes) for sizes in steps.values()),
                                 "steps": [{"step": step, "bytes": sum(sizes), "count": len(sizes)}
                                           for step, sizes in steps.items()]})
        rows.sort(key=lambda row: -row["bytes"])
        return [{"file": 0, "checked_steps": len(checked), "rows": rows}]


def shares(blocks, key, needs_one=False):
    sums = {}
    for block in blocks:
        entry = sums.setdefault(key(block), [0, 0])
        entry[0] += block.bytes
        entry[1] += 1
    if not sums or (needs_one and set(sums) == {None}):
        return None
    return [{"name": name, "bytes": size, "count": count}
            for name, (size, count) in sorted(sums.items(), key=lambda item: (-item[1][0], (item[0] or "").encode()))]
