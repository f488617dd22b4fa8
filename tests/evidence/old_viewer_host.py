# SPDX-License-Identifier: Apache-2.0
"""The old viewer's host side: which events it reads, how it nests and links them, each defect a switch.

Part of the model in old_viewer.py; what each switch means is listed in defects.py.
"""
import re

from oracle_path import ORACLE  # noqa: F401
from backward_regrouping import regroup
from device_side import device_of
from trace_reader import DEVICE_KINDS

_READ_KINDS = frozenset(("operator", "annotation", "runtime") + DEVICE_KINDS)
_FIVE = ("broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter")
FIVE_NAMES = {f"{library}:{name}" for library in ("nccl", "gloo") for name in _FIVE}


class Node:
    """A host event in the model. `kind` adds step, module and root to the reader's kinds."""

    __slots__ = ("kind", "name", "start", "end", "thread", "external", "args", "index", "children", "device",
                 "device_self", "device_total", "host_self", "parent", "duration_us", "on_device")

    def __init__(self, kind, name, start, end, thread, external, args, index):
        self.kind, self.name, self.start, self.end, self.thread = kind, name, start, end, thread
        self.external, self.args, self.index = external, args, index
        self.children, self.device = [], []
        self.device_self = self.device_total = self.host_self = 0
        self.parent = None

    @property
    def duration(self):
        return self.end - self.start


def is_dataloader(name):
    return name.startswith(("enumerate(DataLoader)#", "enumerate(DataPipe)#"))


def is_plain_operator(kind, name):
    """The rows of the old operator table."""
    return (kind == "operator" and not is_dataloader(name) and not name.startswith(("Optimizer.", "ProfilerStep#"))
            and name not in ("DataParallel.forward", "DistributedDataParallel.forward"))


class Read:
    """What every run of the model wants to know of an event, found once for a trace."""

    __slots__ = ("event", "category", "is_step", "is_module", "external", "device")

    def __init__(self, event):
        self.event = event
        self.category = event.category.lower()
        self.is_step = re.fullmatch(r"ProfilerStep#\d+", event.name) is not None
        self.is_module = event.args.get("Python module id") is not None
        self.external = event.args.get("external id", event.args.get("External id"))
        self.device = device_of(event) if event.kind in DEVICE_KINDS else None


def read(trace):
    """The events in order of their start; a trace is explained by dozens of runs."""
    if not hasattr(trace, "read"):
        trace.read = [Read(event) for event in sorted(trace.events, key=lambda e: e.start)]
    return trace.read


class HostSide:
    """Host nodes in trees, device nodes hung on their launching calls."""

    def __init__(self, trace, defects):
        self.trace = trace
        self.on = frozenset(defects)
        self.read_events()
        self.build_trees()

    def times(self, event):
        if "double_microseconds" in self.on:
            start = event.start / 1000
            return start, start + event.duration / 1000
        return event.start, event.end

    def read_events(self):
        """Host nodes and device nodes in time order, device nodes hung on their launching calls."""
        self.host, self.devices = [], []
        for known in read(self.trace):
            kind = self.kind_of(known)
            if kind is None:
                continue
            event = known.event
            start, end = self.times(event)
            thread = event.thread[1] if "threads_by_tid" in self.on else event.thread
            external = None if kind == "module" else known.external
            node = Node(kind, event.name, start, end, thread, external, event.args, event.index)
            node.duration_us = event.duration / 1000
            node.on_device = known.device
            (self.devices if kind in DEVICE_KINDS else self.host).append(node)
        calls = {}
        for node in sorted(self.host, key=lambda n: n.index):
            if node.kind == "runtime" and node.args.get("correlation") is not None:
                calls.setdefault(node.args["correlation"], node)
        for node in self.devices:
            launch = calls.get(node.args.get("correlation"))
            node.parent = launch
            if launch is not None:
                launch.device.append(node)

    def kind_of(self, known):
        event = known.event
        if "driver_calls_ignored" in self.on and known.category.endswith("_driver"):
            return None
        if "mtia_unknown" in self.on and known.category == "mtia_ccp_events":
            return None
        if event.kind == "gpu_annotation":
            if "gpu_lane_annotations" not in self.on:
                return None
            return "step" if event.name.startswith("ProfilerStep#") else "annotation"
        if known.is_step and event.kind in ("operator", "annotation"):
            return "step"
        if event.kind == "python":
            return "module" if known.is_module and "modules_nested" in self.on else None
        return event.kind if event.kind in _READ_KINDS else None

    def build_trees(self):
        by_external = "external_id_link" in self.on
        threads, loose = {}, {}
        for node in self.host:
            if node.kind == "runtime" and by_external:
                loose.setdefault(node.external, []).append(node)
            elif not self.left_out_of_tree(node):
                threads.setdefault(node.thread, []).append(node)
        linked = {}
        if by_external:
            for nodes in threads.values():
                for node in nodes:
                    if node.external in loose:
                        linked[node.index] = loose.pop(node.external)
        self.roots = []
        for nodes in threads.values():
            nodes.sort(key=lambda n: (n.start, -n.end, n.index))
            root = Node("root", "CallTreeRoot", None, None, None, None, {}, -1)
            self.nest(root, nodes)
            self.roots.append(root)
            for node in nodes:
                node.children += linked.get(node.index, [])
            self.fold(nodes)
            self.fill(root)
        self.regroup_backward()

    def left_out_of_tree(self, node):
        if node.kind != "annotation" or "annotations_not_nested" not in self.on:
            return False
        return not (is_dataloader(node.name) or node.name.startswith("Optimizer.step") or node.name in FIVE_NAMES)

    def nest(self, root, nodes):
        still_open = []
        for node in nodes:
            still_open = [other for other in still_open if other.end > node.start]
            if "partial_overlap_dropped" in self.on:
                if still_open and still_open[-1].end < node.end:
                    continue
                parent = still_open[-1] if still_open else root
            else:
                parent = next((other for other in reversed(still_open) if other.end >= node.end), root)
            parent.children.append(node)
            still_open.append(node)

    def fold(self, nodes):
        gone = set()
        for node in nodes:
            while node.index not in gone:
                children = node.children
                if "fold_loses_launches" in self.on:
                    children = [child for child in children if child.kind != "runtime"]
                    if node.kind != "operator":
                        break
                if len(children) != 1 or (children[0].name, children[0].kind) != (node.name, node.kind):
                    break
                gone.add(children[0].index)
                node.children = children[0].children
                node.device = node.device + children[0].device

    def fill(self, root):
        """Self and total times, children before parents."""
        order, stack = [], [root]
        while stack:
            node = stack.pop()
            order.append(node)
            for child in node.children:
                child.parent = node
                stack.append(child)
        for node in reversed(order):
            if node is not root:
                node.host_self = node.duration - sum(child.duration for child in node.children)
            node.device_total = node.device_self = sum(device.duration for device in node.device)
            for child in node.children:
                node.device_total += child.device_total
                if child.kind == "runtime":
                    node.device_self += child.device_self

    def regroup_backward(self):
        if "backward_regrouped" not in self.on or not self.trace.forward_backward:
            return
        flows = self.trace.forward_backward.items()
        if "double_microseconds" in self.on:
            flows = [(forward / 1000, back / 1000) for forward, back in flows]
        regroup(self.roots, flows, lambda name, start, end: Node("synthetic", name, start, end, None, None, {}, -2),
                is_plain_operator)

    def walk(self):
        stack = list(self.roots)
        while stack:
            node = stack.pop()
            stack += node.children
            yield node
