# SPDX-License-Identifier: Apache-2.0
"""Holistic Trace Analysis's critical path by its rules (0.6.1), in plain Python: its graph, its longest path.

Only what its own samples need: one rank, no merging of backward threads. Times are whole microseconds, events are known
by their position in traceEvents, as there.
"""
import functools
import gzip
import json

BLOCKING = {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventQuery", "cudaEventSynchronize", "cudaMemcpy",
            "cudaMemcpyAsync"}
LOCKING = {"cudaHostAlloc", "cudaLaunchKernel", "cudaMemcpyAsync"}
LAUNCHES = {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx", "cudaMemcpyAsync",
            "cudaMemsetAsync"}
LONGEST_KERNEL_GAP_US = 1500


class Event:
    def __init__(self, index, raw):
        arguments = raw.get("args", {})
        self.index, self.name, self.category = index, raw["name"], raw["cat"]
        self.start, self.duration = raw["ts"], raw["dur"]
        self.end = self.start + self.duration
        self.pid, self.tid = raw["pid"], raw["tid"]
        self.correlation = arguments.get("correlation", -1)
        stream = arguments.get("stream", -1)
        self.stream = stream if isinstance(stream, int) else -1
        self.wait_on_stream = arguments.get("wait_on_stream", -1)
        self.record = arguments.get("wait_on_cuda_event_record_corr_id", -1)
        self.partner = None  # launch <-> device event

    def __repr__(self):
        return f"{self.index} {self.name[:40]}"


def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        raw = json.load(file)["traceEvents"]
    events = [Event(i, e) for i, e in enumerate(raw) if "dur" in e and "cat" in e and e["cat"] != "Trace"]
    hosts = {e.correlation: e for e in events if e.category in ("cuda_runtime", "cuda_driver") and e.correlation > 0}
    for event in events:
        if event.category in ("kernel", "gpu_memcpy", "gpu_memset", "cuda_sync"):
            event.partner = hosts.get(event.correlation)
            if event.partner is not None:
                event.partner.partner = event
    return events


class Node:
    def __init__(self, number, event, time, is_start):
        self.number, self.event, self.time, self.is_start = number, event, time, is_start


class Graph:
    def __init__(self, events, annotation, instance):
        self.events = events
        if annotation:
            ranges = [e for e in events if annotation in e.name][instance]
            self.window = (ranges.start, ranges.end)
        else:
            self.window = (min(e.start for e in events), max(e.end for e in events))
        inside = lambda e: self.window[0] <= e.start <= self.window[1] and e.duration > 0
        self.clipped = [e for e in events
                        if (e.stream == -1 and inside(e)) or
                        (e.stream != -1 and (e.name == "Stream Wait Event" or (e.partner is not None and inside(e.partner))))]
        self.successors, self.predecessors, self.order, self.kinds = {}, {}, {}, {}
        self.make_nodes()
        self.runtime_lock()
        self.call_stacks()
        self.device()

    # Nodes and edges ---------------------------------------------------------------------------------------------------

    def make_nodes(self):
        wanted = [e for e in self.clipped if e.category in ("cpu_op", "cuda_runtime", "cuda_driver") or
                  (e.stream != -1 and e.partner is not None)]
        both = [(e.start, e.index, e, True) for e in wanted] + [(e.end, e.index, e, False) for e in wanted]
        both.sort(key=lambda n: n[:2])
        self.nodes = [Node(i, event, time, is_start) for i, (time, _, event, is_start) in enumerate(both)]
        self.start_of = {n.event.index: n for n in self.nodes if n.is_start}
        self.end_of = {n.event.index: n for n in self.nodes if not n.is_start}

    def edge(self, a, b, kind, zero=False):
        weight = 0 if zero or kind in ("dependency", "sync") else b.time - a.time
        for node in (a, b):
            self.order.setdefault(node.number, None)
        self.successors.setdefault(a.number, {})[b.number] = weight
        self.predecessors.setdefault(b.number, {})[a.number] = max(weight, 0)
        self.kinds[a.number, b.number] = (kind, weight)

    def runtime_lock(self):
        """Calls that take the runtime's lock are chained by the order of their ends."""
        open_starts, last = [], None
        for node in self.nodes:
            if node.event.name not in LOCKING:
                continue
            if node.is_start:
                open_starts.append(node)
            else:
                while open_starts:
                    before = open_starts.pop()
                    self.edge(before, node, "span" if before.event is node.event else "dependency")
                if last is not None and not last.is_start:
                    self.edge(last, node, "dependency")
            last = node

    def call_stacks(self):
        threads = {}
        for event in self.clipped:
            if event.stream == -1 and event.category != "cuda_sync":
                threads.setdefault((event.pid, event.tid), []).append(event)
        for key in sorted(threads, key=str):
            self.call_stack(threads[key])

    def call_stack(self, events):
        def before(x, y):
            (a, a_time, a_start), (b, b_time, b_start) = x, y
            if a is b:
                return -1 if a_start else 1
            if a_time != b_time:
                return -1 if a_time < b_time else 1
            if a_start != b_start:
                return 1 if a_start else -1
            if a.duration != b.duration:
                return (-1 if a.duration > b.duration else 1) * (1 if a_start else -1)
            return (-1 if a.index < b.index else 1) * (1 if a_start else -1)

        moments = [(e, e.start, True) for e in events] + [(e, e.end, False) for e in events]
        moments.sort(key=functools.cmp_to_key(before))
        # Ends close whatever is open last, as there.
        children, stack = {None: []}, []
        for event, _, is_start in moments:
            if is_start:
                children.setdefault(stack[-1].index if stack else None, []).append(event)
                stack.append(event)
            elif stack:
                stack.pop()
        self.last, self.depth = None, 0
        work = [(child, False) for child in reversed(children[None])]
        while work:
            event, left = work.pop()
            if event.index in self.start_of:
                self.leave(event) if left else self.enter(event)
            if not left:
                work.append((event, True))
                work.extend((child, False) for child in reversed(children.get(event.index, [])))

    def share_lock(self, a, b):
        return a.event.name in LOCKING and b.event.name in LOCKING and (a.is_start or not b.is_start)

    def enter(self, event):
        node = self.start_of[event.index]
        if self.last is not None and not self.share_lock(self.last, node):
            self.edge(self.last, node, "dependency" if self.depth == 0 else "span")
        self.last, self.depth = node, self.depth + 1

    def leave(self, event):
        node = self.end_of[event.index]
        if self.last is not None and not self.share_lock(self.last, node):
            self.edge(self.last, node, "span", zero=event.name in BLOCKING)
        self.last, self.depth = node, self.depth - 1

    # The device --------------------------------------------------------------------------------------------------------

    def queue_lengths(self):
        """Outstanding work per stream, at each launch and each start."""
        launches = [e for e in self.events if e.name in LAUNCHES and e.partner is not None and e.stream == -1]
        changes = [(e.start, e.partner.stream, e.index, 1) for e in launches]
        changes += [(e.partner.start, e.partner.stream, e.partner.index, -1) for e in launches]
        changes.sort(key=lambda c: c[0])
        lengths, running = {}, {}
        for _, stream, index, step in changes:
            running[stream] = lengths[index] = running.get(stream, 0) + step
        return lengths

    def event_sources(self):
        """Correlation of a cudaEventRecord -> the last work launched on its stream before."""
        streams = {e.record: (e.pid, e.wait_on_stream) for e in self.events if e.wait_on_stream > -1}
        launches = sorted((e for e in self.events if e.name in LAUNCHES and e.partner is not None and e.stream == -1),
                          key=lambda e: e.start)
        sources = {}
        for record in (e for e in self.events if e.name == "cudaEventRecord" and e.correlation in streams):
            before = [e.partner for e in launches
                      if e.start <= record.start and (e.partner.pid, e.partner.stream) == streams[record.correlation]]
            sources[record.correlation] = before[-1] if before else None
        return sources, launches

    def device(self):
        lengths = self.queue_lengths()
        sources, launches = self.event_sources()
        rows = [e for e in self.clipped
                if (e.stream != -1 or e.name in ("Event Sync", "Context Sync")) and e.partner is not None]
        rows.sort(key=lambda e: e.end if e.category == "cuda_sync" else e.start)
        last, awaited = {}, {}
        for event in rows:
            if event.category == "cuda_sync":
                self.sync(event, sources, launches, last, awaited)
            else:
                self.kernel(event, lengths, last, awaited)

    def sync(self, event, sources, launches, last, awaited):
        if event.name in ("Stream Wait Event", "Event Sync"):
            source = sources.get(event.record)
            if source is None:
                return
            if event.name == "Stream Wait Event":
                call = event.partner
                after = [e.partner for e in launches
                         if e.start >= call.start and (e.pid, e.tid) == (call.pid, call.tid) and
                         e.partner.stream == event.stream]
                if after:
                    awaited[after[0].index] = source
            elif source.index in self.end_of:
                self.sync_edge(self.end_of[source.index], event.partner)
            return
        nodes = list(last.values()) if event.name == "Context Sync" else [last.get(event.stream)]
        for node in nodes:
            if node is not None:
                self.sync_edge(node, event.partner)

    def sync_edge(self, node, call):
        if call.index in self.end_of:
            self.edge(node, self.end_of[call.index], "sync")

    def kernel(self, event, lengths, last, awaited):
        if event.index not in self.start_of:
            return
        start, end = self.start_of[event.index], self.end_of[event.index]
        self.edge(start, end, "span")
        source = awaited.pop(event.index, None)
        source_end = self.end_of.get(source.index) if source is not None else None
        if source_end is not None:
            self.edge(source_end, start, "sync")
        ahead, launch = last.get(event.stream), event.partner
        if (lengths.get(launch.index) == 1 and lengths.get(event.index) == 0 and
                (ahead is None or ahead.time < launch.start) and
                (source_end is None or source_end.time < launch.start)):
            self.edge(self.start_of[launch.index], start, "launch")
        elif (ahead is not None and start.time - ahead.time < LONGEST_KERNEL_GAP_US and
              (source_end is None or source_end.time < ahead.time)):
            self.edge(ahead, start, "gap")
        last[event.stream] = end

    # The path ----------------------------------------------------------------------------------------------------------

    def longest_path(self):
        """By generations, the first of equals winning: networkx's dag_longest_path."""
        degree = {n: len(self.predecessors.get(n, {})) for n in self.order}
        ready = [n for n in self.order if degree[n] == 0]
        best, order = {}, []
        while ready:
            following = []
            for node in ready:
                order.append(node)
                for after in self.successors.get(node, {}):
                    degree[after] -= 1
                    if degree[after] == 0:
                        following.append(after)
            ready = following
        if len(order) != len(self.order):
            raise SystemExit("the graph has a cycle")
        for node in order:
            choices = [(best[p][0] + w, p) for p, w in self.predecessors.get(node, {}).items()]
            best[node] = max(choices, key=lambda c: c[0]) if choices else (0, node)
        node, path = max(best, key=lambda n: best[n][0]), []
        while not path or path[-1] != node:
            path.append(node)
            node = best[node][1]
        return [self.nodes[n] for n in reversed(path)]
