# SPDX-License-Identifier: Apache-2.0
"""Idle time, launches and queues of one trace, written from docs/analyses/ and read by its own reader.

Switches turn our definitions into those of HTA (Holistic Trace Analysis 0.6.1), one by one; without any the numbers
are those of `telltale profile --view idle` and `--view launches`.
"""
import math
import re
from collections import defaultdict

from oracle_path import ORACLE  # noqa: F401
from device_side import device_of, link_launches
from intervals import clip, length, union
from trace_reader import Trace

CAUSES = ("host_wait", "synchronisation", "input", "kernel_wait", "other")
KERNEL_WAIT_NS = 30_000
FULL_QUEUE = 1024
LOADERS = ("enumerate(DataLoader)#", "enumerate(DataPipe)#")
COPIES_THAT_WAIT = ("cudaMemcpy", "hipMemcpy", "hipMemcpyWithStream", "cuMemcpyDtoH_v2", "cuMemcpyHtoD_v2")
HTA_QUEUE_CALLS = {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx", "cudaMemcpyAsync",
                   "cudaMemsetAsync", "runFunction - job_prep_and_submit_for_execution", "hipLaunchKernel",
                   "hipExtModuleLaunchKernel", "hipMemcpyAsync", "hipMemsetAsync", "hipMemcpyWithStream"}

SWITCHES = {
    "whole_us": "HTA rounds starts up and ends down to whole microseconds",
    "previous_event": "HTA measures a gap from the end of the event before, even if an earlier one still runs: overlap "
                      "becomes negative idle time",
    "three_causes": "HTA knows neither synchronisation nor input, and does not ask how soon in the gap the launch came: all "
                    "are host_wait",
    "points": "HTA averages a queue's length over its changes, not over time; changes at one moment come in any order, "
              "so its mean lies between those of the two orders",
    "named_calls": "HTA counts only calls it knows by name (no graph launches)",
}


def stream_of(event):
    stream = event.args.get("stream")
    if isinstance(stream, int):
        return stream
    if isinstance(stream, str) and re.fullmatch(r"-?\d+", stream):
        return int(stream)
    number = re.search(r"-?\d+", event.thread[1])
    return int(number.group()) if number else None


def rounded(event):
    """Start and end in whole microseconds, as HTA has them: by way of doubles, which near 1e15 us know quarters."""
    start = event.start / 1000
    return math.ceil(start) * 1000, math.floor(start + event.duration / 1000) * 1000


class Lanes:
    def __init__(self, path):
        self.trace = Trace(path)
        self.device_events, self.launch_missing = link_launches(self.trace)
        self.waits = {}

    def lanes(self):
        """(device, stream or None for the whole device) -> its events, in file order."""
        lanes = defaultdict(list)
        for event in self.device_events:
            device = device_of(event)
            if device is not None:
                lanes[device, "all"].append(event)
                lanes[device, stream_of(event)].append(event)
        return lanes

    def waits_of(self, thread):
        if thread not in self.waits:
            on = [event for event in self.trace.events if event.thread == thread]
            loads = union((e.start, e.end) for e in on
                          if e.kind in ("operator", "annotation") and e.name.startswith(LOADERS))
            blocks = union((e.start, e.end) for e in on if e.kind == "runtime"
                           and ("Synchronize" in e.name or e.name in COPIES_THAT_WAIT))
            self.waits[thread] = loads, blocks
        return self.waits[thread]

    def times(self, event, switches):
        return rounded(event) if "whole_us" in switches else (event.start, event.end)

    def cause(self, gap, event, switches):
        if event.launch is None:
            # HTA compares with a missing launch: false, so it looks at the length.
            return ("kernel_wait" if "three_causes" in switches and gap[1] - gap[0] < KERNEL_WAIT_NS else "other")
        launched = self.times(event.launch, switches)[0]
        if launched <= gap[0]:
            return "kernel_wait" if gap[1] - gap[0] < KERNEL_WAIT_NS else "other"
        if "three_causes" in switches:
            return "host_wait"
        called = min(event.launch.end, gap[1])
        if gap[1] - called > max(KERNEL_WAIT_NS, called - gap[0]):
            return "other"      # launched in time for most of the gap, and it did not start
        wait = gap[0], min(launched, gap[1])
        loads, blocks = self.waits_of(event.launch.thread)
        if 2 * length(clip(loads, wait)) >= wait[1] - wait[0]:
            return "input"
        return "synchronisation" if any(s <= gap[0] < e for s, e in blocks) else "host_wait"

    def idle(self, events, switches=frozenset()):
        """The row of one lane."""
        events = sorted(events, key=lambda e: self.times(e, switches)[0])
        row = {"events": len(events), "gaps": 0, "idle_ns": 0, "gap_lengths": []}
        row.update({f"{cause}_ns": 0 for cause in CAUSES})
        row.update({f"{cause}_gaps": 0 for cause in CAUSES})
        first, until = self.times(events[0], switches)
        for event in events[1:]:
            start, end = self.times(event, switches)
            if start > until or "previous_event" in switches:
                cause = self.cause((until, start), event, switches)
                row["gaps"] += 1
                row["idle_ns"] += start - until
                row["gap_lengths"].append(start - until)
                row[f"{cause}_ns"] += start - until
                row[f"{cause}_gaps"] += 1
            until = end if "previous_event" in switches else max(until, end)
        row["window_ns"] = until - first
        row["busy_ns"] = row["window_ns"] - row["idle_ns"]
        return row

    def queue(self, events, switches=frozenset()):
        """The row of one stream, or None without launches."""
        entries = {}
        for event in events:
            if event.launch is None:
                continue
            if "named_calls" in switches and event.launch.name not in HTA_QUEUE_CALLS:
                continue
            start, launched = self.times(event, switches)[0], self.times(event.launch, switches)[0]
            at = entries.setdefault(event.launch.index, [launched, start])
            at[1] = min(at[1], start)
        if not entries:
            return None
        changes = []
        for launched, start in entries.values():
            changes += [(launched, 1), (max(launched, start), -1)]
        # At one moment launches come before they go.
        changes.sort(key=lambda c: (c[0], -c[1]))
        lengths, now, area, full = [], 0, 0, 0
        for position, (moment, change) in enumerate(changes):
            now += change
            lengths.append(now)
            until = changes[position + 1][0] if position + 1 < len(changes) else moment
            area += now * (until - moment)
            full += until - moment if now >= FULL_QUEUE else 0
        window = changes[-1][0] - changes[0][0]
        mean = area / window if window else 0.0
        if "points" in switches:
            # HTA sorts by time alone, and a kernel may begin before its launch: -1 before +1.
            goes_first = [(start, -1) for _, start in entries.values()] + [(at, 1) for at, _ in entries.values()]
            goes_first.sort()
            shortest, now = [], 0
            for _, change in goes_first:
                now += change
                shortest.append(now)
            mean = sum(shortest) / len(shortest), sum(lengths) / len(lengths)
        return {"launches": len(entries), "max_length": max(lengths), "mean_length": mean, "window_ns": window,
                "full_ns": full, "lengths": lengths}

    def launch_rows(self):
        """Call name -> row, and the totals."""
        calls = defaultdict(list)
        for event in self.device_events:
            if event.launch is not None:
                calls[event.launch.index].append(event)
        rows = {}
        for events in calls.values():
            call = events[0].launch
            rows.setdefault(call.name, []).append((call.duration, sum(e.duration for e in events),
                                                   max(0, min(e.start for e in events) - call.end), len(events)))
        result = {}
        for name, launches in rows.items():
            delays = sorted(delay for _, _, delay, _ in launches)
            host = [h for h, _, _, _ in launches]
            count = len(launches)
            result[name] = {
                "calls": count, "device_events": sum(n for _, _, _, n in launches), "host_total_ns": sum(host),
                "host_mean_ns": half_up(sum(host), count), "host_max_ns": max(host),
                "device_total_ns": sum(d for _, d, _, _ in launches),
                "delay_mean_ns": half_up(sum(delays), count),
                "delay_median_ns": delays[math.ceil(count * 50 / 100) - 1],
                "delay_p99_ns": delays[math.ceil(count * 99 / 100) - 1], "delay_max_ns": delays[-1],
                "short_calls": sum(d < h for h, d, _, _ in launches),
            }
        return result


def copy_rows(device_events):
    """(name, is a set) -> row of the view copies."""
    groups = defaultdict(list)
    for event in device_events:
        if event.kind != "kernel":
            groups[event.name, event.kind == "memset"].append(event)
    rows = {}
    for (name, is_set), events in groups.items():
        sized = [e for e in events if isinstance(e.args.get("bytes"), int)]
        total, time = sum(e.args["bytes"] for e in sized), sum(e.duration for e in sized)
        way = re.search(r"([HDP])(?:to|2)([HDP])", name)
        rows[name, is_set] = {
            "direction": "memset" if is_set else f"{way[1]}to{way[2]}" if way else "other",
            "pageable": True if "Pageable" in name else False if "Pinned" in name else None,
            "calls": len(events), "total_ns": sum(e.duration for e in events),
            "min_ns": min(e.duration for e in events), "max_ns": max(e.duration for e in events),
            "bytes": total if sized else None, "bandwidth_gb_per_s": total / time if sized and time else None,
        }
    return rows


def half_up(total, count):
    return (2 * total + count) // (2 * count)
