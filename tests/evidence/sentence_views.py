# SPDX-License-Identifier: Apache-2.0
"""Reads the sentence of each view of a profile: which clauses it may be made of, and what of the JSON each must agree
with. A clause that nobody reads is a mistake, and so is a cause that another page does not know."""
import os
import re

from sentence_words import QUANTITY, Reading, is_bytes, is_duration, is_name, is_share, kernel_name, ratio

WORTH_SAYING = 0.02
NEARLY_ALL = 0.98
ON_RANK = re.compile(r" on rank \d+$")
IDLE_WORDS = {
    "host_wait": "the host had not launched the next work yet",
    "synchronisation": "the host had waited for the device, so nothing was queued",
    "input": "the host waited for its DataLoader",
    "kernel_wait": "short gaps between kernels that were queued",
    "other": "the work was queued but did not begin, or its launch is not in the trace",
}
# Of the causes that a view may name, by rule.
WAITING = {"dataloader_wait", "allocation_calls", "synchronization", "runtime_call", "host_code", "host_operator",
           "launch_bound", "garbage_collection", "compilation", "profiler_overhead", "unexplained", "late_rank"}
# How a sentence calls a cause that it does not call by name.
PHRASES = {
    "dataloader_wait": r"waiting for the DataLoader",
    "launch_bound": r"the overhead of launching kernels one by one",
    "garbage_collection": r"garbage collection",
    "compilation": r"compiling inside the step",
    "profiler_overhead": r"the profiler's own work",
}
TRACES = ("kineto_json", "perfetto")  # formats whose rows number the files
NOTHING = ("The capture holds no ", "No ", "The capture does not ", "The trace holds ", "The traces hold ",
           "The capture holds device events, but none of the calls")


class Documents:
    """All that the program says of one profile: the reports of its views, by name, each with its sentence."""

    def __init__(self, reports, whole):
        self.reports = reports
        self.whole = whole  # the JSON of everything
        self.files = [file for file in whole["files"] if file["format"] in TRACES] or whole["files"]
        self.causes = (reports.get("causes") or {}).get("causes") or {"rows": [], "average_ns": 0}
        self.steps = self.of("steps", {}) or {}

    def of(self, view, default=None):
        return (self.reports.get(view) or {}).get(view, default)

    def sentence(self, view):
        return self.reports[view]["sentence"]

    def label(self, number):
        """As sentences call the traces: rank, else worker, else file name."""
        file = self.files[number]
        if file["rank"] is not None:
            return f"rank {file['rank']}"
        return file["worker"] or os.path.basename(file["path"])


def names_cause(text, cause):
    """Whether a phrase is about the cause."""
    if cause["rule"] in PHRASES:
        return re.match(PHRASES[cause["rule"]], text) is not None
    what = ON_RANK.sub("", cause["what"])
    slow = re.match(r"(?:(.+) in )?(step .+)$", what) if cause["rule"] == "slow_steps" else None
    if slow:  # "aten::mm in step 2"
        return slow[2] in text and (slow[1] is None or slow[1][:12] in text)
    frame = re.match(r".*?([^/\\]+)\((\d+)\): (.+)$", what)
    if frame:  # "train.py(81): save"
        return f"({frame[1]}:{frame[2]})" in text
    if what.startswith(("unexplained wait", "host code between")):
        return what.split(" after ")[0].split(" of ")[0] in text
    return what[:12] in text


def without(reading, documents, rules=None, names=()):
    """The clause that a page adds about the first cause that it is about: of these rules, or of these names."""
    groups = reading.take(" Without {t:what} a step would take {d:left} instead of {d:now}.",
                          " Without {t:what} the trace would take {d:left} instead of {d:now}.")
    if groups is None:
        groups = reading.take_until(" Nearly all of {t:unit} is {t:what}", r"\.$")
    known = [row for row in documents.causes["rows"] if row["saving_ns"] is not None]
    rules = rules or set()
    about = [row for row in known if row["step_share"] >= WORTH_SAYING
             and (row["rule"] in rules or ON_RANK.sub("", row["what"]) in names)]
    if groups is None:
        reading.check(not about, f"says nothing of {about[0]['what'] if about else ''}")
        return
    named = [row for row in known if names_cause(groups["what"], row)]
    reading.check(named, f"no cause is {groups['what']}")
    reading.check(about, f"{groups['what']} is none of this page")
    reading.check(not named or not about or about[0] in named, f"{groups['what']} is not the first")
    now = documents.causes["average_ns"]
    reading.duration(groups, "now", now)
    if "left" not in groups:
        reading.check(not named or named[0]["step_share"] > NEARLY_ALL, f"{groups['what']} is not nearly all")
    elif named:
        reading.check(any(is_duration(groups["left"], max(0, now - row["saving_ns"])) for row in named),
                      f"{groups['left']} is not {now} without {named[0]['saving_ns']}")


def largest(reading, rows, name, time, total):
    """": 60 % of it in aten::mm, 30 % in aten::add": the three largest names."""
    sums = {}
    for row in rows:
        sums[name(row["name"])] = sums.get(name(row["name"]), 0) + row[time]
    order = sorted((value for value in sums.values() if value > 0), reverse=True)[:3]
    for i, value in enumerate(order):
        last = i + 1 == len(order)
        shape = (": {s:share} of it in {t:name}" if i == 0 else ", {s:share} in {t:name}")
        # A name may hold commas: it ends where the next share begins.
        end = r"(?=[.;]( |$)|$|; )" if last else r"(?=, <?[\d.]+ % in )"
        groups = reading.take_until(shape, end)
        if groups is None:
            reading.need("")
            return
        reading.share(groups, "share", ratio(value, total))
        reading.check(any(is_name(groups["name"], known) and sums[known] == value for known in sums),
                      f"{groups['name']} is not number {i + 1}")


def empty(reading, rows):
    """Where there is nothing the sentence says so, and only there."""
    says = reading.text.startswith(NOTHING)
    reading.check(says == (not rows), "says that there is nothing" if says else "does not say that there is nothing")
    if says:
        reading.rest = ""
    return says or not rows


def operators(reading, documents):
    rows = [row for row in documents.of("operators") if row["work"]]
    if empty(reading, rows):
        return
    time = "device_self_ns" if any(row["device_self_ns"] > 0 for row in rows) else "host_self_ns"
    total = sum(row[time] for row in rows)
    groups = reading.need("The operators' kernels ran for {d:time}" if time == "device_self_ns" else
                          "The operators took {d:time} of CPU time")
    reading.duration(groups, "time", total)
    largest(reading, rows, str, time, total)
    reading.need(".")
    without(reading, documents, {"host_operator", "uneven_work"})


def kernels(reading, documents):
    rows = documents.of("kernels")
    if empty(reading, rows):
        return
    total = sum(row["total_ns"] for row in rows)
    groups = reading.need("{n:calls} kernels ran for {d:time}", "{n:calls} kernel ran for {d:time}")
    reading.count(groups, "calls", sum(row["calls"] for row in rows))
    reading.duration(groups, "time", total)
    largest(reading, rows, kernel_name, "total_ns", total)
    while groups := reading.take("; {s:share} of their time is ", ", {s:share} of their time is "):
        what = reading.words("on tensor cores", "communication")
        chosen = [row for row in rows if (row["tensor_core"] if what == "on tensor cores" else
                                          row["kind"] == "communication")]
        reading.share(groups, "share", ratio(sum(row["total_ns"] for row in chosen), total))
    groups = reading.take("; {t:what} bounds {s:share} of their time, at {s:roof} of its roof",
                          ", {t:what} bounds {s:share} of their time, at {s:roof} of its roof")
    if groups:
        reading.check(groups["what"] in ("memory bandwidth", "arithmetic"), f"{groups['what']} bounds nothing")
    reading.need(".")
    without(reading, documents, {"unexplained"})


def copies(reading, documents):
    rows = documents.of("copies")
    if empty(reading, rows):
        return
    total = sum(row["total_ns"] for row in rows)
    calls = sum(row["calls"] for row in rows)
    groups = reading.need("One copy or set took {d:time}" if calls == 1 else "{n:calls} copies and sets took {d:time}")
    reading.count(groups, "calls", calls)
    reading.duration(groups, "time", total)
    largest(reading, rows, str, "total_ns", total)
    pageable = sum(row["total_ns"] for row in rows if row["pageable"])
    groups = reading.take("; {s:share} of it from or to pageable memory")
    reading.check((groups is not None) == (pageable > 0), "pageable memory")
    reading.share(groups, "share", ratio(pageable, total))
    reading.need(".")
    without(reading, documents, {"host_device_copies"})


def devices(reading, documents):
    rows = documents.of("devices")
    if empty(reading, rows):
        return
    shares = [row["utilization_share"] for row in rows]
    whole = "the trace" if documents.steps.get("source") == "whole_trace" else "the steps' time"
    if len(rows) == 1:
        groups = reading.need(f"Device {rows[0]['id']} ({{t:name}}) runs kernels for {{s:share}} of {whole}.",
                              f"Device {rows[0]['id']} runs kernels for {{s:share}} of {whole}.")
        reading.share(groups, "share", shares[0])
        return
    groups = reading.need(f"{{n:count}} devices run kernels for {{s:least}} to {{s:most}} of {whole}; ")
    reading.count(groups, "count", len(rows))
    reading.share(groups, "least", min(shares))
    reading.share(groups, "most", max(shares))
    row = rows[shares.index(min(shares))]
    device_name(reading, documents, row | {"device": row["id"]})
    reading.need(f" ({row['name']}) the least." if row["name"] else " the least.")


def device_name(reading, documents, row):
    """"Device 0", of several traces "Device 0 of rank 3"."""
    several = f" of {documents.label(row['file'])}" if len(documents.files) > 1 else ""
    reading.need(f"Device {row['device']}{several}")


def steps_take(reading, window, whole):
    """Beside a device's own time, where it is much less, that of the steps."""
    groups = reading.take("; the steps take {d:whole}", "; the trace takes {d:whole}")
    reading.check((groups is not None) == (window <= whole // 10 * 9), "how long the steps take")
    reading.duration(groups, "whole", whole)


def idle(reading, documents):
    rows = [row for row in documents.of("idle")["rows"] if row["scope"] == "device"]
    if empty(reading, rows):
        return
    worst = max(rows, key=lambda row: row["idle_share"])
    device_name(reading, documents, worst)
    whole = sum(row["duration_ns"] for row in documents.steps["rows"] if (row.get("file") or 0) == worst["file"])
    if worst["idle_ns"] == 0:
        groups = reading.need(" was never idle from its first to its last event ({d:window}")
        reading.duration(groups, "window", worst["window_ns"])
        steps_take(reading, worst["window_ns"], whole)
        reading.need(").")
        without(reading, documents, WAITING)
        return
    groups = reading.need(" was idle {s:share} of the time from its first to its last event ({d:time} of {d:window}, "
                          "{n:gaps} gaps",
                          " was idle {s:share} of the time from its first to its last event ({d:time} of {d:window}, "
                          "{n:gaps} gap")
    steps_take(reading, worst["window_ns"], whole)
    part = reading.need("). {s:part} of that: ")
    reading.share(groups, "share", ratio(worst["idle_ns"], worst["window_ns"]))
    reading.duration(groups, "time", worst["idle_ns"])
    reading.duration(groups, "window", worst["window_ns"])
    reading.count(groups, "gaps", worst["gaps"])
    most = max(worst[f"{cause}_ns"] for cause in IDLE_WORDS)
    reading.share(part, "part", ratio(most, worst["idle_ns"]))
    words = reading.words(*IDLE_WORDS.values())
    reading.check(any(IDLE_WORDS[cause] == words and worst[f"{cause}_ns"] == most for cause in IDLE_WORDS),
                  f"“{words}” is not the most")
    reading.need(".")
    without(reading, documents, WAITING)


def launches(reading, documents):
    section = documents.of("launches")
    files = [file for file in section["files"] if file["launches"] > 0]
    if empty(reading, files):
        return
    for i, file in enumerate(files):
        if len(documents.files) > 1:
            reading.need(f"{' ' if i else ''}{documents.label(file['file'])}: ")
        groups = reading.need("{n:launches} launches", "{n:launches} launch")
        reading.count(groups, "launches", file["launches"])
        groups = reading.take(" ({n:each} a step)")
        if groups:
            reading.check(abs(float(groups["each"].replace(",", "")) - file["launches_per_step"]) <=
                          max(0.5, 0.005 * file["launches_per_step"]), f"{groups['each']} a step")
        groups = reading.take(", {n:graphs} of graphs with {n:events} device events,",
                              ", {n:graphs} of graphs with {n:events} device event,")
        reading.check((groups is not None) == (file["graph_launches"] > 0), "graphs")
        reading.count(groups, "graphs", file["graph_launches"])
        reading.count(groups, "events", file["graph_device_events"])
        groups = reading.need(" took the host {d:time}; {s:short} of them took longer to launch than to run.")
        reading.duration(groups, "time", file["host_total_ns"])
        reading.share(groups, "short", ratio(file["short_launches"], file["launches"]))
        groups = reading.take(" A queue was full for {d:full}.")
        if groups:
            reading.check(any(queue["file"] == file["file"] and is_duration(groups["full"], queue["full_ns"])
                              for queue in section["queues"]), f"no queue was full for {groups['full']}")
    without(reading, documents, {"launch_bound"}, {row["name"] for row in section["rows"]})


def streams(reading, documents):
    rows = documents.of("streams")["rows"]
    if empty(reading, rows):
        return
    of_device = {}
    for row in rows:
        of_device.setdefault((row["file"], row["device"]), []).append(row)
    sums = {}
    for key, members in of_device.items():
        busiest = max(members, key=lambda row: row["busy_ns"])
        others = [row for row in members if row is not busiest]
        sums[key] = (sum(row["alone_ns"] for row in others), sum(row["busy_ns"] for row in others), busiest, members)
    if all(len(members) == 1 for members in of_device.values()):
        if len(sums) > 1:
            reading.need("Each device")
        else:
            device_name(reading, documents, rows[0])
        reading.need(" used one stream, so nothing ran side by side on it.")
        return
    most = max(value[:2] for value in sums.values())
    for alone, busy, busiest, members in sums.values():
        if (alone, busy) != most or not reading.rest:
            continue
        if f"Device {busiest['device']} " not in reading.rest:
            continue
        device_name(reading, documents, busiest)
        groups = reading.need(" used {n:streams} streams. Stream {n:stream} was the busiest ({d:busy} of {d:window}); of "
                              "the {d:others} on the others, {s:beside} ran beside another stream, and {d:alone} alone.",
                              " used {n:streams} streams. The unnamed one was the busiest ({d:busy} of {d:window}); of "
                              "the {d:others} on the others, {s:beside} ran beside another stream, and {d:alone} alone.")
        reading.count(groups, "streams", len(members))
        reading.count(groups, "stream", busiest["stream"])
        reading.duration(groups, "busy", busiest["busy_ns"])
        reading.duration(groups, "window", busiest["window_ns"])
        reading.duration(groups, "others", busy)
        reading.share(groups, "beside", ratio(busy - alone, busy))
        reading.duration(groups, "alone", alone)
        return


def device_memory(reading, documents, device, leaks):
    """The sentence of one device of the view memory."""
    label = memory_label(device)
    segments = device.get("segments")
    groups = reading.take(f"{{b:allocated}} were allocated of {{b:reserved}} reserved on {label} when the snapshot was "
                          "taken; it has no history (torch.cuda.memory._record_memory_history() before the work adds it).")
    if groups:
        reading.bytes(groups, "allocated", segments["allocated_bytes"])
        reading.bytes(groups, "reserved", segments["reserved_bytes"])
        return
    if reading.take(f"No memory of {label} was allocated or released in the selected time."):
        reading.check(device["peak_ns"] is None, "there is a peak")
        return
    peak = device["peak_allocated_bytes"]
    groups = reading.need(f"Up to {{b:peak}} more than when the recording began on {label}", f"Peak {{b:peak}} on {label}")
    reading.bytes(groups, "peak", peak)
    reading.check(peak is None or peak >= 0, "a negative peak")
    if len(documents.files) > 1:
        reading.need(f" of {documents.label(device['file'])}")
    if device["peak_step"] is not None:
        reading.need(f" in step {device['peak_step']}")
    groups = reading.take(" ({s:share} of the device)")
    if groups:
        reading.share(groups, "share", ratio(peak, device["memory_bytes"]))
    at_peak = device["at_peak"] or {}
    known = [("", row) for row in at_peak.get("categories") or []]
    known += [("of ", row) for kind in ("operators", "frames") for row in at_peak.get(kind) or []]
    while groups := reading.take(": {s:share} ", ", {s:share} "):
        if reading.take("from before the recording"):
            reading.share(groups, "share", ratio(at_peak["before_bytes"], peak))
            continue
        fits = [row for of, row in known if reading.rest.startswith(of + (row["name"] or "none"))
                and is_share(groups["share"], ratio(row["bytes"], peak))]
        best = max(fits, key=lambda row: len(row["name"] or ""), default=None)
        if best is None:
            return reading.check(False, f"nothing holds {groups['share']} of the peak: “{reading.rest}”")
        reading.take("of ")
        reading.need(best["name"])
    reading.need(".")
    groups = reading.take(" Every step leaves {b:left} of {t:who} behind.")
    reading.check(groups or not leaks, "says nothing of what steps leave behind")
    if groups:
        reading.check(any(is_bytes(groups["left"], row["bytes"] / max(1, len(row["steps"])))
                          and (is_name(groups["who"], row["operator"] or "memory")) for row in leaks),
                      f"no step leaves {groups['left']} of {groups['who']} behind")


def memory_label(device):
    if device["type"] is None:
        return "the device"
    if device["type"] == "cpu":
        return "CPU"
    word = "GPU" if device["type"] in ("cuda", "hip") else device["type"]
    return word if device["id"] is None else f"{word} {device['id']}"


def memory(reading, documents):
    section = documents.of("memory")
    rows = (section or {}).get("devices") or []
    if empty(reading, rows):
        return
    leaks = [row for file in section["leaks"] for row in file["rows"]]
    on_device = [row for row in rows if row["type"] != "cpu"] or rows
    best = max(on_device, key=lambda row: row["peak_allocated_bytes"] or 0)
    reading.check(reading.text == best["sentence"], "is not that of the device that matters")
    for row in rows:
        for key in ("peak_allocated_bytes", "peak_reserved_bytes", "fragmentation_at_peak_bytes"):
            reading.check((row[key] or 0) >= 0, f"{key} of {memory_label(row)} is {row[key]}")
        one = Reading(row["sentence"])
        own = [leak for leak in leaks if (leak["device_type"], leak["device_id"]) == (row["type"], row["id"])]
        device_memory(one, documents, row, own)
        if row is best:
            without(one, documents, {"allocation_calls"})
        reading.wrong += [f"{memory_label(row)}: {wrong}" for wrong in one.end()]
    reading.rest = ""


def module_sentence(reading, section, side, word):
    rows, whole = section["rows"], section[f"{side}_ns"]
    inside = [row for row in rows if row["class"] is not None]
    time = sum(row[f"{side}_self_ns"] for row in inside)
    groups = reading.need(f"Modules take {{s:share}} of the {word} time ({{d:inside}} of {{d:whole}}).")
    reading.share(groups, "share", ratio(time, whole))
    reading.duration(groups, "inside", time)
    reading.duration(groups, "whole", whole)
    most = max((row[f"{side}_self_ns"] for row in inside), default=0)
    groups = reading.take(" The most of it in one module itself: {t:path}, {s:share} ({d:forward} forward, {d:backward} "
                          "backward).")
    reading.check((groups is not None) == (most > 0), "the most")
    if groups:
        row = next((row for row in inside if row["path"] == groups["path"]), None)
        reading.check(row is not None and row[f"{side}_self_ns"] == most, f"{groups['path']} is not the most")
        reading.share(groups, "share", ratio(most, whole))
        if row:
            reading.duration(groups, "forward", row[f"forward_{side}_self_ns"])
            reading.duration(groups, "backward", row[f"backward_{side}_self_ns"])


def modules(reading, documents):
    section = documents.of("modules")
    if empty(reading, section["rows"]):
        return
    on_device = section["device_ns"] > 0
    module_sentence(reading, section, "device" if on_device else "host", "device" if on_device else "CPU")
    host = Reading(section["host_sentence"])
    module_sentence(host, section, "host", "CPU")
    reading.wrong += host.end()


def distributed(reading, documents):
    section = documents.of("distributed")
    if empty(reading, section["collectives"]):
        without(reading, documents)
        return
    stragglers = section["stragglers"]
    if stragglers["rows"]:
        worst = stragglers["rows"][0]
        label = documents.label(worst["file"])
        reading.need(label[0].upper() + label[1:])
        groups = reading.need(" keeps the others waiting: it came last in {n:last} of {n:all} collectives, and they waited "
                              "{d:waited} for it",
                              " keeps the others waiting: it came last in {n:last} of {n:all} collective, and they waited "
                              "{d:waited} for it")
        reading.count(groups, "last", worst["last"])
        reading.count(groups, "all", stragglers["decided"] + stragglers["undecided"])
        reading.duration(groups, "waited", worst["others_waited_ns"])
        if worst["meanwhile"]:
            most = worst["meanwhile"][0]
            groups = reading.take_until(". Meanwhile it spent {d:more} more than the others in {t:name}",
                                        r"(?=\.( Without |$))")
            reading.check(groups is not None, "what it did meanwhile")
            reading.duration(groups, "more", most["time_ns"] - most["others_ns"])
            reading.name(groups, "name", most["name"])
        reading.need(".")
        late = [row for row in documents.causes["rows"] if row["rule"] == "late_rank"]
        reading.check(not late or late[0]["what"] == label, f"the causes say {late[0]['what'] if late else ''}")
    elif not reading.take("Collectives were called, but their kernels are not in the capture: how long they took is not "
                          "known."):
        whole = sum(row["average_ns"] for row in section["ranks"])
        groups = reading.need("Communication takes {s:alone} of an average step without computation at the same time")
        reading.share(groups, "alone", ratio(sum(row["communication_ns"] for row in section["ranks"]), whole))
        hidden = sum(row["overlap_ns"] for row in section["ranks"])
        if hidden == 0:
            reading.need("; none of it is hidden behind computation.")
        else:
            groups = reading.need(", and {s:hidden} more is hidden behind computation.")
            reading.share(groups, "hidden", ratio(hidden, whole))
    without(reading, documents, {"late_rank", "collective_wait"})


PATH_WORDS = {"operator": "operators", "host_other": "code outside any operator", "data_loading": "data loading",
              "runtime": "runtime calls", "launch_delay": "launch delays", "kernel": "kernels",
              "communication": "communication", "memcpy": "copies", "memset": "memory sets",
              "kernel_gap": "gaps between kernels", "synchronization": "waiting calls", "idle": "unexplained"}


def critical_path(reading, documents):
    section = documents.of("critical_path")
    if not section["regions"]:
        reading.check(reading.text.startswith(("No complete step", "The trace has no")), "does not say why")
        reading.rest = ""
        return
    groups = reading.need("{s:share} of the {t:unit}'s critical path ({d:time}) is ")
    if groups is None:
        return
    reading.duration(groups, "time", section["average_ns"])
    elsewhere = reading.take("{t:name} on another thread.")
    if elsewhere:
        waits = [row for row in documents.causes["rows"] if row["saving_ns"] is None]
        reading.check(any(is_name(elsewhere["name"], row["what"]) and is_share(groups["share"], row["step_share"])
                          for row in waits), f"{elsewhere['name']} is no cause")
    else:
        words = reading.words(*PATH_WORDS.values())
        best = max(section["shares"].values())
        reading.share(groups, "share", best)
        named = {cause for cause, said in PATH_WORDS.items() if said == words}
        reading.check(any(section["shares"].get(cause) == best for cause in named), f"{words} are not the most")
        reading.need(".")
    without(reading, documents, {row["rule"] for row in documents.causes["rows"]})


def roofline(reading, documents):
    section = documents.of("roofline")
    if not section["rows"]:
        reading.check(reading.text.startswith(("No operator", "The capture does not hold")), "does not say why")
        reading.rest = ""
        return
    word = "device" if section["time"] == "device" else "operator"
    groups = reading.need(f"{{s:share}} of the {word} time has a formula")
    reading.share(groups, "share", ratio(section["covered_ns"], section["total_ns"]))
    judged = [row for row in section["rows"] if row["ideal_ns"] is not None]
    if not judged:
        reading.need("; the device's peaks are not known.")
        return
    groups = reading.need("; at the device's peaks it would take {d:ideal} instead of {d:time}.")
    reading.duration(groups, "ideal", sum(row["ideal_ns"] for row in judged))
    reading.duration(groups, "time", sum(row["time_ns"] for row in judged))
    groups = reading.take(" The most is lost in {t:name} ({t:phase}): {d:lost}, {s:roof} of its roof.")
    if groups:
        most = max(row["lost_ns"] for row in judged)
        reading.duration(groups, "lost", most)
        worst = [row for row in judged if row["lost_ns"] == most]
        reading.check(any(is_name(groups["name"], row["name"]) and is_share(groups["roof"], row["roof_share"])
                          for row in worst), f"the most is lost in {worst[0]['name']}")


def annotations(reading, documents):
    rows = documents.of("annotations")["rows"]
    if not rows:
        reading.rest = ""
        return
    own = [row for row in rows if row["name"] != "ProfilerStep*" and row["calls"] > 0]
    if not own:
        reading.need("The only ranges are the steps.")
        return
    groups = reading.need("{t:name} takes the most: ")
    if groups and groups["name"] == "A range without a name":
        groups["name"] = ""
    on_device = any(row["device_total_ns"] > 0 for row in own)
    time = "device_total_ns" if on_device else "host_total_ns"
    most = max(row[time] for row in own)
    row = next((row for row in own if groups and is_name(groups["name"], row["name"]) and row[time] == most), None)
    reading.check(row is not None, "another takes the most")
    if row is None:
        reading.rest = ""
        return
    if on_device:
        groups = reading.need("{d:device} on the device ({s:share} of its work), ")
        reading.duration(groups, "device", row["device_total_ns"])
        reading.share(groups, "share", row["device_share"])
    groups = reading.need("{d:host} on the CPU")
    reading.duration(groups, "host", row["host_total_ns"])
    groups = reading.take(" ({s:share} of the steps)")
    reading.share(groups, "share", row["step_share"])
    groups = reading.need(", in {n:calls} calls.", ", in {n:calls} call.")
    reading.count(groups, "calls", row["calls"])
    without(reading, documents, names={row["name"] for row in rows})


def simple(reading, documents):
    rows = documents.of("simple")["rows"]
    if not rows:
        reading.rest = ""
        return
    groups = reading.need("{t:name} takes the most by itself: {d:self} of {d:wall}")
    if groups and groups["name"] == "An action without a name":
        groups["name"] = ""
    most = max(row["self_ns"] for row in rows)
    row = next((row for row in rows if groups and is_name(groups["name"], row["name"]) and row["self_ns"] == most), None)
    reading.check(row is not None, "another takes the most")
    if row is None:
        reading.rest = ""
        return
    reading.duration(groups, "self", row["self_ns"])
    reading.duration(groups, "wall", row["wall_ns"])
    groups = reading.need(*(of + ", in {n:calls} " + word for of in (" of {t:file}", "") for word in ("calls.", "call.")))
    reading.count(groups, "calls", row["calls"])


def function_row(reading, text, rows):
    """The row that a sentence calls "save (train.py:81)"."""
    for row in rows:
        place = os.path.basename((row["file"] or "").replace("\\", "/"))
        line = f":{row['line']}" if row["line"] is not None else ""
        name = row["name"]
        plain = [name, name.strip("<>")] if row["file"] in ("~", None, "") else []
        if any(is_name(text, one) for one in plain + [f"{name} ({place}{line})"]):
            return row
    reading.check(False, f"no function is {text}")
    return None


def functions(reading, documents):
    section = documents.of("functions")
    if not section or not section["rows"]:
        reading.rest = ""
        return
    if section.get("unit") or section["total_ns"] is None:
        reading.rest = ""  # samples, bytes and totals alone: read by the tests of those formats
        return
    groups = reading.need("The profiled code ran for {d:time}")
    reading.duration(groups, "time", section["total_ns"])
    thread = reading.take_until(" on {t:thread}", r"(?=: |, (?:<?[\d.]+ %|a |half|two |three |all ))")
    if thread:
        reading.check(any(is_name(thread["thread"], row["name"]) for row in section.get("threads") or []),
                      f"no thread is {thread['thread']}")
    whole = section["total_ns"]
    if reading.take(", {s:share} of it waiting for other threads or processes",
                    ", {s:share} waiting for other threads or processes"):
        if reading.take("."):
            return
        reading.need("; of the rest ")
        whole = None  # the JSON has no sum of what waits
    else:
        reading.need(": ")
    if reading.take("spread over {n:functions} functions, none above 5 %."):
        return
    while True:
        groups = reading.take_until("{s:share} in {t:name}", r"(?=( itself)?(, (<?[\d.]+ %|a |half|two |three |all )|\.$))")
        if groups is None:
            break
        row = function_row(reading, groups["name"], section["rows"])
        if row and whole:
            reading.share(groups, "share", ratio(row["self_ns"], whole))
        reading.take(" itself")
        reading.take(", ")
    reading.need(".")


def numbers_of(documents, keys):
    """Every number below the given keys of a report, and those that follow by simple sums."""
    found = []

    def walk(value):
        if isinstance(value, dict):
            for one in value.values():
                walk(one)
        elif isinstance(value, list):
            for one in value:
                walk(one)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found.append(value)

    for key in keys:
        walk(documents.of(key))
    return found


def answer(reading, documents):
    """The sentences about steps and causes: each quantity is one of the steps or of the causes."""
    causes, steps = documents.causes, documents.steps
    average = steps.get("average_ns") or causes["average_ns"]
    times = set(numbers_of(documents, ["steps"])) | {average, causes["average_ns"]}
    for row in causes["rows"]:
        times |= {row["saving_ns"] or 0, row["left_ns"], row["path_ns"], max(0, average - (row["saving_ns"] or 0)),
                  average - causes["average_ns"] + row["left_ns"]}
    times |= {row["evidence"]["more_ns"] for row in documents.whole.get("recommendations") or []
              if row["rule"] == "slow_steps"}
    rows = [row["duration_ns"] for row in steps.get("rows") or []]
    by_file = {}
    for row in steps.get("rows") or []:
        by_file.setdefault(row.get("file"), []).append(row["duration_ns"])
    times |= {sum(of) // len(of) for of in by_file.values()}
    times |= {a - b for a in rows[:50] for b in rows[:50] if a > b}
    # A step that is slower than usual is so in one category.
    categories = [row["categories"] for row in (steps.get("rows") or [])[:50]]
    times |= {abs(a[key] - b[key]) for a in categories for b in categories for key in a}
    for match in QUANTITY.finditer(reading.text):
        if match[1] and match[1].split()[-1] in ("ns", "µs", "ms", "s", "min"):
            reading.check(any(is_duration(match[1], time) for time in times), f"{match[1]} is none of the JSON")
    for match in re.finditer(r"without (.+?) (?:it would take|as well) ", reading.text):
        known = [row for row in causes["rows"] if row["saving_ns"] is not None]
        reading.check(any(names_cause(match[1], row) for row in known), f"no cause is {match[1]}")
    reading.rest = ""


READERS = {"operators": operators, "kernels": kernels, "copies": copies, "devices": devices, "idle": idle,
           "launches": launches, "streams": streams, "simple": simple, "memory": memory, "modules": modules, "distributed": distributed,
           "critical_path": critical_path, "roofline": roofline, "annotations": annotations, "functions": functions,
           "overview": answer, "steps": answer, "causes": answer}


def read(view, documents):
    """What is wrong with the sentence of a view."""
    reading = Reading(documents.sentence(view))
    READERS[view](reading, documents)
    return reading.end()


def contradictions(documents):
    """Where two pages, or a page and the JSON, say different things about the same."""
    whole, rows = documents.whole, documents.causes["rows"]
    said = whole.get("answer")
    if said is None:
        return
    for view in ("overview", "causes"):
        if view in documents.reports and documents.sentence(view) != said["text"]:
            yield f"{view} says another sentence than the answer"
    pairs = [(row["rule"], row["what"], row["saving_ns"]) for row in rows]
    if [(row["rule"], row["what"], row["saving_ns"]) for row in said["causes"]] != pairs[:len(said["causes"])]:
        yield "the answer has other causes than their page"
    for advice in whole["recommendations"]:
        for rule, what, saving in pairs:
            if (rule, what) == (advice["rule"], advice["what"]) and saving != advice["saving_ns"]:
                yield f"{what} saves {saving} as a cause, {advice['saving_ns']} as advice"
    if "idle" in documents.reports:
        yield from input_contradictions(documents, rows)


def input_contradictions(documents, rows):
    """The overview says the DataLoader, idle the host, or the other way round."""
    text = documents.sentence("idle")
    devices = [row for row in documents.of("idle")["rows"] if row["scope"] == "device"]
    waits = [row for row in rows if row["rule"] == "dataloader_wait" and row["saving_ns"] is not None]
    if IDLE_WORDS["input"] in text and not waits:
        worst = max(devices, key=lambda row: row["idle_share"])
        if ratio(worst["input_ns"], worst["window_ns"]) >= 0.05:
            yield "idle: the DataLoader; no cause is"
    # What one step or a whole trace loads first comes before the device's first event, where nothing is idle yet.
    if len(documents.steps.get("rows") or []) > 1 and waits and rows[0] == waits[0] and waits[0]["step_share"] >= 0.2 and devices and \
            not any(row["input_ns"] > 0 for row in devices):
        yield "the first cause is the DataLoader; idle knows nothing of it"
