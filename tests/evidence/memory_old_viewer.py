# SPDX-License-Identifier: Apache-2.0
"""The memory view of the old TensorBoard viewer beside ours: statistics, peaks, curves and the first blocks."""
import math
from bisect import bisect_left

DEFECTS = {
    "only_cpu_and_cuda": "Memory of device types other than 0 and 1 (ROCm writes 6) has no name and is left out.",
    "calls_near_memory": "Calls are counted only where every operator and module around the call has memory events.",
    "backward_regrouped": "Backward operators are moved to their modules, and with modules captured not counted here.",
    "range_as_parent": "The parent shown with aten::empty may be an annotation such as ProfilerStep.",
    "no_curve_without_address": "Without addresses (torch 1.9) there are neither curve nor blocks.",
}
COLUMNS = ("calls", "size increase", "self size increase", "allocation count", "self allocation count",
           "allocation size", "self allocation size")
FIELDS = ("calls", "size_increase_bytes", "self_size_increase_bytes", "allocation_count", "self_allocation_count",
          "allocation_bytes", "self_allocation_bytes")


def device_name(device):
    return {"cpu": "CPU", "cuda": f"GPU{device['id']}"}.get(device["type"])


def printed(value, shown):
    """Whether a number is what the viewer printed: two decimals, or more for small ones."""
    return shown is not None and math.isclose(value, shown, rel_tol=1e-3, abs_tol=0.0051)


def calls_near_memory(model, regrouped=False):
    """Calls as the old viewer counts them, by name; with `regrouped` without those inside autograd's functions."""
    moments, threads, calls = {}, {}, {}
    for instant in model.instants:
        moments.setdefault(instant.thread, []).append(instant.time)     # in order of time
    modules = [event for event in model.of_kind("python") if event.args.get("Python module id") is not None]
    for event in model.operators + modules:
        threads.setdefault(event.thread, []).append(event)
    for thread, events in threads.items():
        times = moments.get(thread, [])
        events.sort(key=lambda e: (e.start, -e.duration, e.index))
        still_open = []
        for event in events:
            still_open = [other for other in still_open if other.end > event.start]
            around = [other for other in still_open if other.end >= event.end]
            backward = any(other.name.startswith("autograd::engine::evaluate_function") for other in around)
            if event.kind == "operator" and not (regrouped and backward) and all(
                    bisect_left(times, other.start) < bisect_left(times, other.end) for other in around):
                calls[event.name] = calls.get(event.name, 0) + 1
            still_open.append(event)
    return calls


def compare_with_old_viewer(memory, expected, model, report):
    compare_statistics(memory, expected, model, report)
    if "memory_error" not in expected:
        compare_curves(memory, expected, report)
        compare_blocks(memory, expected, report)


def compare_statistics(memory, expected, model, report):
    theirs = {(name, row[0]): row[1:] for name, table in expected["memory_stats"]["rows"].items() for row in table}
    near, regrouped = calls_near_memory(model), calls_near_memory(model, regrouped=True)
    compared, differences, seen = 0, [], set()
    for device in memory["devices"]:
        name = device_name(device)
        for row in device["operators"]:
            seen.add((name, row["name"]))
            other = theirs.get((name, row["name"]))
            if other is None:
                compared += 1
                reason = ["only_cpu_and_cuda"] if name is None else None
                differences.append((f"{device['type']} / {row['name']}", "a row", None, reason))
                continue
            for column, field, shown in zip(COLUMNS, FIELDS, other):
                compared += 1
                value = row[field] / 1024 if field.endswith("_bytes") else row[field]
                if printed(value, shown):
                    continue
                reason = None
                if field == "calls" and near.get(row["name"]) == shown:
                    reason = ["calls_near_memory"]
                elif field == "calls" and regrouped.get(row["name"]) == shown:
                    reason = ["backward_regrouped"]
                differences.append((f"{name} / {row['name']} / {column}", value, shown, reason))
    for key in theirs:
        if key not in seen:
            compared += 1
            differences.append((" / ".join(key), None, "a row", None))
    report.table("statistics", compared, differences)


def compare_curves(memory, expected, report):
    compared, differences = 0, []
    peaks = expected["memory_curve_meta"]["peaks"]
    for device in memory["devices"]:
        name = device_name(device)
        compared += 2
        # The viewer draws steps: each moment but the first is two points.
        points = 2 * device["curve"]["point_count"] - 1
        shown = expected["memory_curve_points"].get(name)
        missing = ["no_curve_without_address"] if not device["curve"]["captured"] else None
        if points != shown:
            differences.append((f"{name} / points", points, shown, missing if not shown else None))
        peak = f"Peak Memory Usage: {device['peak_allocated_bytes'] / 2**20:.1f}MB"
        if peak != peaks.get(name):
            differences.append((f"{name} / peak", peak, peaks.get(name), missing))
    report.table("curves", compared, differences)


def compare_blocks(memory, expected, report):
    ours = {}
    for row in memory["allocations"]:
        if row["device_type"] in ("cpu", "cuda") and row["address"] is not None:
            ours.setdefault("CPU" if row["device_type"] == "cpu" else f"GPU{row['device_id']}", []).append(row)
    compared, differences = 0, []
    for name, count in expected["memory_events_count"].items():
        compared += 1
        if len(ours.get(name, [])) != count:
            differences.append((f"{name} / blocks", len(ours.get(name, [])), count, None))
        for shown in expected["memory_events_head"].get(name, []):
            compared += 1
            if not any(is_block(row, shown) for row in ours.get(name, [])):
                without = [shown[0].split(" (")[-1].rstrip(")")] + shown[1:]
                range_parent = any(is_block(row, without) and row["parent_operator"] is None
                                   for row in ours.get(name, []))
                differences.append((f"{name} / block", None, shown, ["range_as_parent"] if range_parent else None))
    report.table("blocks", compared, differences)


def is_block(row, shown):
    op = row["operator"] or "<unknown>"
    if op.startswith("aten::empty") and row["parent_operator"]:
        op = f"{row['parent_operator']} ({op})"
    life = None if row["life_ns"] is None else row["life_ns"] / 1e6
    same_life = shown[4] is None if life is None else printed(life, shown[4])
    return (op == shown[0] or row["allocated_ns"] is None) and printed(row["bytes"] / 1024, shown[1]) and same_life
