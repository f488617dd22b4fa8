# SPDX-License-Identifier: Apache-2.0
"""Device events: which call launched them, which device ran them, and the devices' rows."""
import re
from decimal import Decimal

from intervals import clip, length, union
from tensor_core import uses_tensor_core
from trace_reader import DEVICE_KINDS

_COMMUNICATION = re.compile(r"nccl|rccl|hccl|oneccl|msccl", re.IGNORECASE)


def link_launches(trace):
    """Joins device events to launching calls by correlation; returns (device events, launch_missing)."""
    calls = {}
    for call in trace.of_kind("runtime"):
        correlation = call.args.get("correlation")
        if correlation is not None:
            calls.setdefault(correlation, call)     # the first in the file, should two carry one id
    device_events = trace.of_kind(*DEVICE_KINDS)
    for event in device_events:
        event.launch = calls.get(event.args.get("correlation"))
        if event.launch is not None:
            event.launch.launches.append(event)
    return device_events, sum(event.launch is None for event in device_events)


def is_communication(kernel):
    return bool(_COMMUNICATION.search(kernel.name)) or "Collective name" in kernel.args


def device_of(event):
    """The device id: the `device` argument, else the pid when it is a number."""
    device = event.args.get("device")
    if isinstance(device, int):
        return device
    pid = event.thread[0]
    return int(pid) if re.fullmatch(r"-?\d+", pid) else None


def argument(kernel, name):
    """A numeric kernel argument as Decimal, or None where the capture has no such number."""
    value = kernel.args.get(name)
    return Decimal(value) if isinstance(value, (int, Decimal)) and not isinstance(value, bool) else None


def device_type(trace, device_events):
    if any(event.category.lower().startswith("mtia_") for event in device_events):
        return "mtia"
    calls = trace.of_kind("runtime")
    if any(call.category.lower().startswith("xpu_") for call in calls):
        return "xpu"
    properties = " ".join(str(entry.get("name", "")) for entry in device_properties(trace)).lower()
    if (any(key in trace.header for key in ("hip_runtime_version", "hip_driver_version", "roctracer_version"))
            or any(word in properties for word in ("amd", "radeon", "instinct"))
            or any(call.name.startswith("hip") for call in calls)):
        return "hip"
    if ("cuda_runtime_version" in trace.header or "cuda_driver_version" in trace.header
            or any(word in properties for word in ("nvidia", "tesla", "geforce", "quadro"))
            or any(call.name.startswith("cu") for call in calls)):
        return "cuda"
    return "other"


def device_properties(trace):
    found = trace.header.get("deviceProperties", trace.header.get("computeProperties"))
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def properties_of(trace, device, used_devices):
    """The entry with this `id` (its position where no id is written), or the only entry for the only device."""
    entries = device_properties(trace)
    for position, entry in enumerate(entries):
        if entry.get("id", position) == device:
            return entry
    return entries[0] if len(entries) == 1 and len(used_devices) == 1 else {}


def sm_efficiency(kernels, window):
    """Mean over the window of min(1, sum of `blocks per SM` of the kernels running at each moment)."""
    changes = []
    for kernel in kernels:
        blocks = argument(kernel, "blocks per SM")
        if blocks is not None and blocks > 0:
            for start, end in clip([(kernel.start, kernel.end)], window):
                changes += [(start, blocks), (end, -blocks)]
    total, running, previous = Decimal(0), Decimal(0), None
    for moment, change in sorted(changes, key=lambda c: c[0]):
        if previous is not None:
            total += min(Decimal(1), running) * (moment - previous)
        running, previous = running + change, moment
    return float(total / (window[1] - window[0]))


def achieved_occupancy(kernels, window):
    """Mean `est. achieved occupancy %` weighted by the time inside the window, as a share."""
    weight, total = 0, Decimal(0)
    for kernel in kernels:
        occupancy = argument(kernel, "est. achieved occupancy %")
        if occupancy is not None and occupancy >= 0:
            inside = length(clip([(kernel.start, kernel.end)], window))
            weight, total = weight + inside, total + occupancy * inside
    return float(total / weight / 100) if weight else None


def device_rows(trace, device_events, window):
    by_device = {}
    for event in device_events:
        if device_of(event) is not None:
            by_device.setdefault(device_of(event), []).append(event)
    kind = device_type(trace, device_events)
    rows = []
    for device in sorted(by_device):
        kernels = [event for event in by_device[device] if event.kind == "kernel"]
        entry = properties_of(trace, device, by_device)
        measurable = window is not None and window[1] > window[0]
        busy = length(clip(union((k.start, k.end) for k in kernels), window)) if measurable else None
        kernel_time = sum(k.duration for k in kernels)
        major, minor = entry.get("computeMajor"), entry.get("computeMinor")
        has_blocks = any(argument(k, "blocks per SM") is not None for k in kernels)
        rows.append({
            "id": device, "type": kind, "name": entry.get("name"),
            "memory_bytes": entry.get("totalGlobalMem"),
            "compute_capability": None if major is None or minor is None else f"{major}.{minor}",
            "kernel_count": len(kernels),
            "utilization_share": busy / (window[1] - window[0]) if measurable else None,
            "sm_efficiency_share": sm_efficiency(kernels, window) if measurable and has_blocks else None,
            "achieved_occupancy_share": achieved_occupancy(kernels, window) if measurable else None,
            "tensor_core_share": (sum(k.duration for k in kernels if uses_tensor_core(k.name)) / kernel_time
                                  if kernel_time else None),
        })
    return rows
