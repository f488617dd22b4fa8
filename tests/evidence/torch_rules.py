# SPDX-License-Identifier: Apache-2.0
"""A model of torch's key_averages in which each rule that differs from the contract is a switch.

With no rule on it computes the contract's operator figures, with all on torch's. As in old_viewer.py, a difference is
explained by a set of rules exactly when the model without them shows our figure and with them torch's.
"""
import bisect

from oracle_path import ORACLE  # noqa: F401
from flops import flops

RULES = {
    "hidden_names": "torch leaves aten::is_leaf, aten::output_nr, aten::_version and profiler::_record_function_* out.",
    "step_star": "torch shows every ProfilerStep#N as ProfilerStep*.",
    "python_frames_nest": "torch counts Python frames as children, which takes self time from ranges.",
    "async_outside_tree": "torch keeps asynchronous ranges (not marked in the file) out of the tree, no self time.",
    "memory_of_all_threads": "torch takes an event's memory from the instants of all threads.",
    "memory_by_difference": "torch's self memory is the event's minus its children's, also where these overlap.",
    "unclaimed_memory_rows": "torch makes a [memory] row of the instants that lie in no event.",
    "overloads_stripped": "torch shows aten::add.Tensor as aten::add.",
    "open_range_to_trace_end": "torch lets a range that was never closed run to the end of the Trace span.",
    "fold_any_kind": "torch folds an only child of the same name whatever its kind.",
    "tensor_lists_empty": "torch shows the shapes of a TensorList as [].",
    "no_shapes_empty": "torch shows [] where no shapes were recorded.",
    "no_memory_is_zero": "torch gives 0 bytes where the file has no [memory] instant at all.",
    "no_formula_is_zero": "torch gives 0 flops where it has no formula.",
}

_HIDDEN = {"profiler::_record_function_enter", "profiler::_record_function_enter_new",
           "profiler::_record_function_exit", "aten::is_leaf", "aten::output_nr", "aten::_version"}
COLUMNS = ("count", "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage", "flops")


class Node:
    __slots__ = ("name", "kind", "thread", "start", "end", "args", "children", "parent", "memory", "self_memory",
                 "asynchronous", "index")

    def __init__(self, name, kind, thread, start, end, args, index):
        self.name, self.kind, self.thread, self.index = name, kind, thread, index
        self.start, self.end, self.args = start, end, args
        self.children, self.parent = [], None
        self.memory = self.self_memory = 0
        self.asynchronous = False

    @property
    def duration(self):
        return self.end - self.start


class TorchModel:
    def __init__(self, trace, rules, async_names=()):
        self.trace, self.on, self.async_names = trace, frozenset(rules), async_names
        self.nodes = self.read()
        self.nest()
        self.fold()
        self.assign_memory()

    def read(self):
        trace_end = max((e.end for e in self.trace.events if e.kind == "trace"), default=None)
        nodes = []
        for event in self.trace.events:
            wanted = ("operator", "annotation", "runtime")
            if "python_frames_nest" in self.on:
                wanted += ("python",)
            if event.kind not in wanted or ("hidden_names" in self.on and event.name in _HIDDEN):
                continue
            name = event.name
            if "step_star" in self.on and name.startswith("ProfilerStep#"):
                name = "ProfilerStep*"
            if "overloads_stripped" in self.on and event.kind == "operator" and "::" in name and " " not in name:
                space, _, operator = name.rpartition("::")
                name = f"{space}::{operator.split('.')[0]}"
            end = event.end
            if ("open_range_to_trace_end" in self.on and event.args.get("finished") is False
                    and trace_end is not None):
                end = trace_end
            node = Node(name, event.kind, event.thread, event.start, end, event.args, event.index)
            node.asynchronous = "async_outside_tree" in self.on and name in self.async_names
            nodes.append(node)
        return nodes

    def nest(self):
        threads = {}
        for node in self.nodes:
            if not node.asynchronous:
                threads.setdefault(node.thread, []).append(node)
        for nodes in threads.values():
            nodes.sort(key=lambda n: (n.start, -n.end, n.index))
            still_open = []
            for node in nodes:
                still_open = [other for other in still_open if other.end > node.start]
                node.parent = next((other for other in reversed(still_open) if other.end >= node.end), None)
                if node.parent is not None:
                    node.parent.children.append(node)
                still_open.append(node)

    def fold(self):
        gone = set()
        for node in sorted(self.nodes, key=lambda n: (n.start, -n.end, n.index)):
            while id(node) not in gone and len(node.children) == 1:
                child = node.children[0]
                if child.name != node.name or ("fold_any_kind" not in self.on and child.kind != node.kind):
                    break
                gone.add(id(child))
                node.children = child.children
                for grandchild in node.children:
                    grandchild.parent = node
        self.nodes = [node for node in self.nodes if id(node) not in gone]

    def assign_memory(self):
        """Memory of events by prefix sums over the instants (of the thread, or of all)."""
        everywhere = "memory_of_all_threads" in self.on
        instants = {}
        for thread, moment, size in self.trace.memory:
            instants.setdefault(None if everywhere else thread, []).append((moment, size))
        tables = {}
        for thread, found in instants.items():
            found.sort()
            sums = [0]
            for _, size in found:
                sums.append(sums[-1] + size)
            tables[thread] = ([moment for moment, _ in found], sums)

        def inside(node):
            moments, sums = tables.get(None if everywhere else node.thread, ([], [0]))
            first, last = bisect.bisect_left(moments, node.start), bisect.bisect_right(moments, node.end)
            return moments, sums, first, last

        claimed = set()
        for node in self.nodes:
            moments, sums, first, last = inside(node)
            node.memory = sums[last] - sums[first]
            if everywhere and "unclaimed_memory_rows" in self.on:
                claimed.update(range(first, last))
        for node in self.nodes:
            if "memory_by_difference" in self.on:
                node.self_memory = node.memory - sum(child.memory for child in node.children)
                continue
            moments, sums, first, last = inside(node)
            taken = set()
            for child in operator_children(node):
                _, _, low, high = inside(child)
                taken.update(range(max(low, first), min(high, last)))
            node.self_memory = sum(sums[i + 1] - sums[i] for i in range(first, last) if i not in taken)
        if everywhere and "unclaimed_memory_rows" in self.on and None in tables:
            moments, sums = tables[None]
            for i, moment in enumerate(moments):
                if i not in claimed:
                    row = Node("[memory]", "operator", None, moment, moment, {}, -1)
                    row.memory = row.self_memory = sums[i + 1] - sums[i]
                    self.nodes.append(row)

    def shapes(self, node):
        dims = node.args.get("Input Dims", node.args.get("Input dims"))
        if dims is None:
            return [] if "no_shapes_empty" in self.on else None
        if "tensor_lists_empty" in self.on:
            return [[] if value and isinstance(value[0], list) else value for value in dims]
        return dims

    def cells(self):
        cells = {}
        self.put(cells, "key_averages", lambda node: node.name)
        self.put(cells, "by shape", lambda node: f"{node.name} {self.shapes(node)}")
        return cells

    def put(self, cells, table, key):
        rows = {}
        known = 0 if self.trace.memory or "no_memory_is_zero" in self.on else None
        for node in self.nodes:
            if node.kind in ("python", "runtime"):
                continue
            row = rows.setdefault(key(node), [0, 0, 0, known, known, None])
            counted = flops(node.name, node.args)
            row[0] += 1
            row[1] += node.duration
            row[2] += 0 if node.asynchronous else node.duration - sum(child.duration for child in node.children)
            if known is not None:
                row[3] += node.memory
                row[4] += 0 if node.asynchronous else node.self_memory
            if counted is not None or "no_formula_is_zero" in self.on:
                row[5] = (row[5] or 0) + (counted or 0)
        for name, row in rows.items():
            for column, value in zip(COLUMNS, row):
                cells[table, name, column] = value


def operator_children(node):
    """Direct children, looking through runtime calls."""
    for child in node.children:
        if child.kind == "runtime":
            yield from operator_children(child)
        else:
            yield child
