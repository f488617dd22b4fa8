# SPDX-License-Identifier: Apache-2.0
"""The operator and the kernel table."""
import json
from decimal import Decimal

from device_side import argument, is_communication
from flops import flops
from host_tree import enclosing_operator
from steps import mean
from tensor_core import eligible_by_name, uses_tensor_core


class Totals:
    """What one event (after folding) adds to its row."""

    def __init__(self, event):
        self.event = event
        self.self_memory = 0
        self.device_self = self.device_total = 0
        self.tensor_self = self.tensor_total = 0
        self.eligible = eligible_by_name(event.name)
        self.host_self = event.duration - sum(child.duration for child in event.children)


def totals_of(host_events):
    """Totals by event index; parents come before children in host_events, so walk backwards."""
    totals = {event.index: Totals(event) for event in host_events}
    for call in host_events:
        operator = enclosing_operator(call) if call.launches else None
        if operator is not None:
            owner = totals[operator.index]
            for launched in call.launches:
                owner.device_self += launched.duration
                if launched.kind == "kernel" and uses_tensor_core(launched.name):
                    owner.tensor_self += launched.duration
    for event in reversed(host_events):
        own = totals[event.index]
        own.device_total += own.device_self
        own.tensor_total += own.tensor_self
        own.eligible = own.eligible or own.tensor_self > 0
        if event.parent is not None:
            above = totals[event.parent.index]
            above.device_total += own.device_total
            above.tensor_total += own.tensor_total
            above.eligible = above.eligible or own.eligible
    return totals


def memory_of(host_events, instants):
    """Two maps event index -> bytes: total and self. Host events are in nesting order per thread."""
    total, own = {}, {}
    threads = {}
    for event in host_events:
        if event.kind != "runtime":
            threads.setdefault(event.thread, []).append(event)
    by_thread = {}
    for thread, moment, size in instants:
        by_thread.setdefault(thread, []).append((moment, size))
    for thread, moments in by_thread.items():
        moments.sort()
        candidates = threads.get(thread, [])
        still_open, position = [], 0
        for moment, size in moments:
            while position < len(candidates) and candidates[position].start <= moment:
                still_open.append(candidates[position])
                position += 1
            still_open = [event for event in still_open if event.end >= moment]
            parents = set()
            for event in still_open:
                total[event.index] = total.get(event.index, 0) + size
                above = event.parent
                while above is not None and above.kind == "runtime":
                    above = above.parent
                if above is not None:
                    parents.add(above.index)
            for event in still_open:
                if event.index not in parents:
                    own[event.index] = own.get(event.index, 0) + size
    return total, own


def operator_rows(host_events, instants, group_by):
    totals = totals_of(host_events)
    memory_total, memory_self = memory_of(host_events, instants) if instants else ({}, {})
    groups = {}
    for event in sorted(host_events, key=lambda e: e.index):
        if event.kind == "runtime":
            continue
        shapes = stack = None
        if group_by == "shape":
            shapes = event.args.get("Input Dims", event.args.get("Input dims"))
        if group_by == "stack":
            stack = event.args.get("Call stack")
        key = (event.name, event.kind, json.dumps(shapes, default=str), stack)
        groups.setdefault(key, (shapes, stack, []))[2].append(totals[event.index])
    rows = []
    for (name, kind, _, _), (shapes, stack, members) in groups.items():
        counted = [count for count in (flops(t.event.name, t.event.args) for t in members) if count is not None]
        device_self = sum(t.device_self for t in members)
        device_total = sum(t.device_total for t in members)
        rows.append({
            "name": name, "kind": kind, "input_shapes": shapes, "stack": stack, "calls": len(members),
            "host_total_ns": sum(t.event.duration for t in members),
            "host_self_ns": sum(t.host_self for t in members),
            "device_total_ns": device_total, "device_self_ns": device_self,
            "memory_total_bytes": sum(memory_total.get(t.event.index, 0) for t in members) if instants else None,
            "memory_self_bytes": sum(memory_self.get(t.event.index, 0) for t in members) if instants else None,
            "flops": sum(counted) if counted else None,
            "tensor_core_eligible": any(t.eligible for t in members),
            "tensor_core_self_share": sum(t.tensor_self for t in members) / device_self if device_self else None,
            "tensor_core_total_share": sum(t.tensor_total for t in members) / device_total if device_total else None,
        })
    # groups is in order of first occurrence and sort is stable
    rows.sort(key=lambda row: (-row["device_self_ns"], -row["host_self_ns"], row["name"]))
    return rows


def weighted_mean(kernels, name):
    """Duration-weighted mean of an argument over the kernels that carry it; plain mean if all are 0 long."""
    values = [(argument(k, name), k.duration) for k in kernels if argument(k, name) is not None]
    if not values:
        return None
    weight = sum(duration for _, duration in values)
    if weight == 0:
        return sum(value for value, _ in values) / len(values)
    return sum(value * duration for value, duration in values) / Decimal(weight)


def only_operator(kernels):
    """The operator that launched all of these kernels; None where there are several, or one has none."""
    names = set()
    for kernel in kernels:
        operator = enclosing_operator(kernel.launch) if kernel.launch is not None else None
        names.add(operator.name if operator is not None else None)
    return names.pop() if len(names) == 1 else None


def kernel_rows(device_events):
    groups = {}
    for event in device_events:
        if event.kind == "kernel":
            groups.setdefault(event.name, []).append(event)
    rows = []
    for name, kernels in groups.items():
        durations = [kernel.duration for kernel in kernels]
        blocks = weighted_mean(kernels, "blocks per SM")
        occupancy = weighted_mean(kernels, "est. achieved occupancy %")
        rows.append({
            "name": name, "kind": "communication" if any(map(is_communication, kernels)) else "compute",
            "calls": len(kernels), "total_ns": sum(durations), "mean_ns": mean(durations),
            "min_ns": min(durations), "max_ns": max(durations),
            "mean_blocks_per_sm": None if blocks is None else float(blocks),
            "mean_achieved_occupancy_share": None if occupancy is None else float(occupancy / 100),
            "tensor_core": uses_tensor_core(name), "operator": only_operator(kernels),
        })
    rows.sort(key=lambda row: (-row["total_ns"], row["name"]))
    return rows
