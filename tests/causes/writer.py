# SPDX-License-Identifier: Apache-2.0
"""New events in the dialect of a trace: its categories, its pids and tids, ids that are not taken."""
from places import frames_at


class Writer:
    """Raw events in the dialect of the trace."""

    def __init__(self, rank):
        self.rank = rank
        self.category = {}
        for event in rank.events:
            self.category.setdefault(event.kind, event.category)
        self.last_id = {}

    def next_id(self, argument):
        if argument not in self.last_id:
            self.last_id[argument] = max([event.args[argument] for event in self.rank.events
                                          if isinstance(event.args.get(argument), int)], default=0)
        self.last_id[argument] += 1
        return self.last_id[argument]

    def event(self, kind, fallback, like, name, start, end, args=None):
        """`like`: the event whose thread it is on."""
        raw = self.rank.raw[like.index]
        return {"ph": "X", "cat": self.category.get(kind, fallback), "name": name, "pid": raw["pid"],
                "tid": raw["tid"], "start": start, "end": end, "args": args or {}}

    def annotation(self, step, name, delay):
        old = "Operator" if self.category.get("operator") == "Operator" else "user_annotation"
        return self.event("annotation", old, step.host_event, name, delay.start, delay.end)

    def frames(self, step, names, delay):
        """One inside the other, the outermost first."""
        parent = frames_at(self.rank, step.host_event.thread, delay.moment)[-1].args.get("Python id")
        written = []
        for name in names:
            args = {"Python parent id": parent, "Python id": self.next_id("Python id")}
            written.append(self.event("python", "python_function", step.host_event, name, delay.start, delay.end, args))
            parent = args["Python id"]
        return written

    def call(self, step, name, start, end):
        args = {"correlation": self.next_id("correlation")}
        return self.event("runtime", "cuda_runtime", step.host_event, name, start, end, args)
