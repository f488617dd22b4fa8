# SPDX-License-Identifier: Apache-2.0
"""A model of the old TensorBoard viewer's tables in which each of its defects is a switch.

With no defect on, the model computes the contract's numbers in the old viewer's columns; with all on, the old
viewer's own. That makes an explanation testable: a difference is explained by a set of defects exactly when the model
with no defect gives our figure and the model with that set gives the old viewer's.

A model run returns cells: {(table, row, column): value shown}.
"""
from decimal import Decimal

from oracle_path import ORACLE  # noqa: F401
from device_side import argument, properties_of
from intervals import clip, length, union
from old_viewer_host import is_plain_operator
from old_viewer_steps import CATEGORIES, Steps


class Shown:
    """An exact number and the digits after the point that the old viewer prints of it (None: all)."""

    __slots__ = ("value", "digits")

    def __init__(self, value, digits=0):
        self.value, self.digits = value, digits

    def __eq__(self, other):
        return isinstance(other, Shown) and (self.value, self.digits) == (other.value, other.digits)

    def __repr__(self):
        return repr(self.value if self.digits is None else round(self.value, self.digits or None))


class OldViewer(Steps):
    """The model: `OldViewer(trace, defects).cells()`."""

    def us(self, time):
        return time if "double_microseconds" in self.on else time / 1000

    def cells(self):
        cells = {}
        self.step_cells(cells)
        self.gpu_cells(cells)
        self.operator_cells(cells, "operators", lambda n: n.name)
        self.operator_cells(cells, "operators by shape", lambda n: f"{n.name}###{shape_text(n.args)}")
        self.kernel_cells(cells)
        return cells

    def step_cells(self, cells):
        rows = self.breakdown()
        seen = {}
        for name, row in zip(self.names, rows):
            seen[name] = seen.get(name, 0) + 1
            key = name if seen[name] == 1 else f"{name} (again)"
            for category, time in row.items():
                cells["steps", key, category] = Shown(self.us(time), None)
        if rows:
            total = sum(self.us(end - start) for start, end in self.kept)
            cells["average step", "", "Total"] = Shown(total / len(rows))
            for category in CATEGORIES:
                mean = sum(self.us(r[category]) for r in rows) / len(rows)
                cells["average step", "", category] = Shown(mean)

    def gpu_cells(self, cells):
        window = self.window()
        kernels = [n for n in self.devices if n.kind == "kernel"]
        by_device = {}
        for n in kernels:
            if n.on_device is not None:
                by_device.setdefault(n.on_device, []).append(n)
        used = {n.on_device for n in self.devices} - {None}
        for device, nodes in by_device.items():
            entry = properties_of(self.trace, device, used)
            if "properties_by_index" in self.on:
                listed = self.trace.header.get("deviceProperties") or []
                entry = listed[device] if 0 <= device < len(listed) else {}
            put_device_properties(cells, device, entry)
            if window is None or window[0] == window[1]:
                continue
            span = window[1] - window[0]
            busy = length(clip(union((n.start, n.end) for n in nodes), window))
            cells["gpu", str(device), "GPU Utilization"] = percent(busy / span)
            efficiency = self.sm_efficiency(nodes, window)
            if efficiency is not None:
                cells["gpu", str(device), "Est. SM Efficiency"] = percent(efficiency)
            weight = total = 0
            for n in nodes:
                occupancy = argument(n, "est. achieved occupancy %")
                inside = min(n.end, window[1]) - max(n.start, window[0])
                if occupancy is not None and occupancy >= 0 and inside > 0:
                    weight, total = weight + inside, total + float(occupancy) * inside
            if weight:
                cells["gpu", str(device), "Est. Achieved Occupancy"] = Shown(total / weight, 2)

    def sm_efficiency(self, nodes, window):
        changes, found = [], False
        for n in nodes:
            blocks = argument(n, "blocks per SM")
            found = found or blocks is not None
            if blocks is not None and blocks > 0:
                changes += [(max(n.start, window[0]), float(blocks)), (max(n.end, window[0]), -float(blocks))]
        total, running, previous = 0, 0, None
        for moment, change in sorted(changes, key=lambda c: c[0]):
            moment = min(moment, window[1])
            if previous is not None:
                total += min(1.0, running) * (moment - previous)
            running, previous = running + change, moment
        if "missing_metric_is_zero" in self.on:
            found = any(min(n.end, window[1]) > max(n.start, window[0]) and (argument(n, "blocks per SM") or 0) > 0
                        for n in nodes)
        return total / (window[1] - window[0]) if found else None

    def operator_cells(self, cells, table, key):
        show_device = bool(self.devices)
        rows = {}
        for node in self.walk():
            if is_plain_operator(node.kind, node.name):
                row = rows.setdefault(key(node), [0, 0, 0, 0, 0])
                for i, value in enumerate((1, node.device_self, node.device_total, node.host_self, node.duration)):
                    row[i] += value
        for name, row in rows.items():
            cells[table, name, "calls"] = row[0]
            if show_device:
                cells[table, name, "device_self_duration"] = Shown(self.us(row[1]))
                cells[table, name, "device_total_duration"] = Shown(self.us(row[2]))
            cells[table, name, "host_self_duration"] = Shown(self.us(row[3]))
            cells[table, name, "host_total_duration"] = Shown(self.us(row[4]))

    def kernel_cells(self, cells):
        groups, launchers, owned = {}, {}, {}
        for n in self.devices:
            if n.kind == "kernel":
                groups.setdefault(n.name, []).append(n)
        for name, nodes in groups.items():
            times = [n.duration_us for n in nodes]
            cells["kernels", name, "Calls"] = len(nodes)
            cells["kernels", name, "Total Duration (us)"] = Shown(sum(times))
            cells["kernels", name, "Mean Duration (us)"] = Shown(sum(times) / len(times))
            cells["kernels", name, "Max Duration (us)"] = Shown(max(times))
            cells["kernels", name, "Min Duration (us)"] = Shown(min(times))
            for column, arg in (("Mean Blocks Per SM", "blocks per SM"),
                                ("Mean Est. Achieved Occupancy (%)", "est. achieved occupancy %")):
                mean = self.weighted(nodes, times, arg)
                if mean is not None:
                    cells["kernels", name, column] = Shown(mean, 2)
        for call in self.walk():
            operator = call.parent
            while operator is not None and operator.kind == "runtime":
                operator = operator.parent
            for n in call.device:
                if n.kind == "kernel" and operator.kind != "root":
                    owned[n.name] = owned.get(n.name, 0) + 1
                    time = launchers.setdefault(n.name, {})
                    time[operator.name] = time.get(operator.name, 0) + self.us(n.duration)
        for name, nodes in groups.items():
            named = "operatorless_passed_over" in self.on or owned.get(name, 0) == len(nodes)
            cells["kernel launcher", name, "Operator"] = only(launchers.get(name, {})) if named else None

    def weighted(self, nodes, times, arg):
        pairs = [(argument(n, arg), time) for n, time in zip(nodes, times)]
        if "missing_metric_is_zero" in self.on:
            if not any(argument(n, arg) is not None for n in self.devices):
                return None
            pairs = [(value or Decimal(0), time) for value, time in pairs]
        pairs = [(float(value), time) for value, time in pairs if value is not None]
        weight = sum(time for _, time in pairs)
        if not pairs:
            return None
        if weight == 0:
            return 0 if "missing_metric_is_zero" in self.on else sum(v for v, _ in pairs) / len(pairs)
        return sum(value * time for value, time in pairs) / weight


def put_device_properties(cells, device, entry):
    """The lines of the old viewer's GPU panel that come from deviceProperties."""
    if entry.get("name") is not None:
        cells["gpu", str(device), "Name"] = entry["name"]
    if entry.get("totalGlobalMem") is not None:
        cells["gpu", str(device), "Memory"] = Shown(entry["totalGlobalMem"] / 1024 ** 3, 2)
    if entry.get("computeMajor") is not None and entry.get("computeMinor") is not None:
        cells["gpu", str(device), "Compute Capability"] = f"{entry['computeMajor']}.{entry['computeMinor']}"


def shape_text(args):
    dims = args.get("Input Dims", args.get("Input dims"))
    return str([] if dims is None else dims)


def percent(share):
    return Shown(share * 100, 2)


def only(times):
    """The operator, where there is but one; else None."""
    return next(iter(times)) if len(times) == 1 else None
