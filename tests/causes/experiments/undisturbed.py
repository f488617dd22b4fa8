# SPDX-License-Identifier: Apache-2.0
"""A capture as a machine with nothing else to do would show it: steps in which every stretch is as short as it ever was
in the captured ones. What other programs take from a step, they take from some of its stretches, and from others in the
next. Only for programs that do the same in every step, on one thread.
"""
import collections
import json

STEP = "ProfilerStep#"
ALIKE = 5           # steps that must be alike
STEPS = 3           # that are written


def spans(events):
    """Those that nest on the steps' thread, outermost first; frames that cross an operator are left out."""
    steps = sorted((event for event in events if event["name"].startswith(STEP)), key=lambda event: event["ts"])
    if not steps:
        return [], []
    thread = (steps[0]["pid"], steps[0]["tid"])
    mine = sorted((event for event in events if (event["pid"], event["tid"]) == thread
                   and not event["name"].startswith(STEP)),
                  key=lambda event: (event["ts"], -event["dur"]))
    crossing, around = set(), []
    for event in mine:
        while around and end(around[-1]) <= event["ts"]:
            around.pop()
        for outer in reversed(around):
            if end(event) <= end(outer):
                break
            crossing.add(id(outer if outer["cat"] == "python_function" else event))
        around.append(event)
    return steps, [event for event in mine if id(event) not in crossing]


def end(event):
    return event["ts"] + event["dur"]


def bounds(step, mine):
    """(moment, "begins" or "ends", event) of all that lies in a step, in order."""
    found, around = [], []
    for event in mine:
        if event["ts"] < step["ts"] or end(event) > end(step):
            continue
        while around and end(around[-1]) <= event["ts"]:
            found.append((end(around[-1]), "ends", around.pop()))
        found.append((event["ts"], "begins", event))
        around.append(event)
    while around:
        found.append((end(around[-1]), "ends", around.pop()))
    return found


def shortest(steps, mine):
    """(the bounds of a usual step, the shortest of each stretch between them); None if too few steps are alike."""
    by_kind = collections.defaultdict(list)
    for step in steps:
        found = bounds(step, mine)
        by_kind[tuple((kind, event["name"]) for _, kind, event in found)].append((step, found))
    alike = max(by_kind.values(), key=len)
    if len(alike) < ALIKE:
        return None
    stretches = []
    for step, found in alike:
        moments = [step["ts"], *(moment for moment, _, _ in found), end(step)]
        stretches.append([max(0, later - earlier) for earlier, later in zip(moments, moments[1:])])
    return alike[0][1], [min(column) for column in zip(*stretches)]


def write_undisturbed(source, target):
    """False, and nothing is written, where the steps are not alike."""
    document = json.loads(source.read_text())
    events = [event for event in document["traceEvents"] if event.get("ph") == "X" and "dur" in event]
    steps, mine = spans(events)
    if len({(event["pid"], event["tid"]) for event in events if event["cat"] == "cpu_op"}) != 1:
        return False
    found = shortest(steps, mine) if steps else None
    if found is None:
        return False
    usual, stretches = found
    length, first = sum(stretches), steps[0]["ts"]
    written = [{**frame, "ts": first - 1, "dur": STEPS * length + 2} for frame in mine
               if frame["ts"] <= first and end(frame) >= end(steps[-1])]
    for number in range(STEPS):
        moment, begun = first + number * length, []
        written.append({**steps[0], "name": f"{STEP}{number}", "ts": moment, "dur": length})
        for stretch, (_, kind, event) in zip(stretches, usual):
            moment += stretch
            if kind == "begins":
                begun.append(moment)
            else:
                start = begun.pop()
                written.append({**event, "ts": start, "dur": moment - start})
    document["traceEvents"] = [event for event in document["traceEvents"] if event.get("ph") == "M"] + written
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document))
    return True
