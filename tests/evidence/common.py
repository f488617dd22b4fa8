# SPDX-License-Identifier: Apache-2.0
"""What the evidence scripts share: arguments, running the program or the oracle, and the traces with their extras."""
import argparse
import csv
import io
import json
import os
import subprocess

from oracle_path import ORACLE  # noqa: F401
import contract_profile
from trace_reader import Trace, to_ns

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEFAULT_DATA = os.path.join(REPOSITORY, "..", "shared", "data")


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("telltale", nargs="?", help="the telltale program")
    parser.add_argument("data", nargs="?", default=DEFAULT_DATA, help="the folder with traces/, expected/ and torch/")
    parser.add_argument("--oracle", action="store_true", help="check the Python oracle instead of the program")
    parser.add_argument("--only", default="", help="only inputs whose path contains this text")
    parser.add_argument("--all", action="store_true", help="print every difference, not the first of each kind")
    options = parser.parse_args()
    if options.oracle and options.telltale and os.path.isdir(options.telltale):
        options.data, options.telltale = options.telltale, None
    if not options.oracle and not options.telltale:
        parser.error("give the telltale program, or --oracle")
    return options


class Source:
    """Profiles of a trace, from the program or from the oracle."""

    def __init__(self, options):
        self.program = None if options.oracle else options.telltale
        self.cached = (None, None)

    def profile(self, path, group_by="name", like_torch=False):
        if self.program is None:
            if like_torch:
                return None
            return self.oracle(path).document(group_by)
        command = [self.program, "profile", path, "--json", "--group-by", group_by]
        return json.loads(self.run(command + (["--like", "torch"] if like_torch else [])))

    def oracle(self, path):
        if self.cached[0] != path:
            self.cached = (path, contract_profile.Profile(path))
        return self.cached[1]

    def events(self, path):
        """Rows of the event dump, as dictionaries of text."""
        if self.program is None:
            import event_dump
            return event_dump.rows(self.oracle(path))
        text = self.run([self.program, "profile", path, "--view", "events", "--csv"])
        return list(csv.DictReader(io.StringIO(text)))

    @staticmethod
    def run(command):
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}")
        return done.stdout.decode("utf-8", errors="replace")


class TraceWithFlows(Trace):
    """A trace that also keeps its flows: forward start -> backward start (ns), and the ids of launch flow starts."""

    def keep_raw(self, raw_events):
        starts, ends = {}, {}
        self.launch_flows = set()
        for raw in raw_events:
            if not isinstance(raw, dict):
                continue
            if raw.get("cat") == "ac2g" and raw.get("ph") == "s":
                self.launch_flows.add(str(raw["id"]))
            elif raw.get("cat") == "fwdbwd":
                if raw.get("ph") == "s":
                    starts[raw["id"]] = to_ns(raw["ts"])
                elif raw.get("ph") == "f":
                    ends[raw["id"]] = to_ns(raw["ts"])
        self.forward_backward = {start: ends[key] for key, start in starts.items() if key in ends}


class Report:
    """Collects differences per table and prints them with their explanations."""

    def __init__(self, show_all):
        self.show_all = show_all
        self.failed = False
        self.totals = {}

    def table(self, name, compared, differences):
        """differences: list of (where, ours, theirs, explanation or None)."""
        if not differences:
            print(f"  {name}: equal ({compared} values)")
            return
        print(f"  {name}: {compared - len(differences)} of {compared} values equal")
        groups = {}
        for where, ours, theirs, explanation in differences:
            reason = " + ".join(explanation) if explanation else "NOT EXPLAINED"
            groups.setdefault(reason, []).append((where, ours, theirs))
            self.failed = self.failed or not explanation
        for reason, members in groups.items():
            self.totals[reason] = self.totals.get(reason, 0) + len(members)
            print(f"    {len(members)} x {reason}")
            shown = len(members) if self.show_all or reason == "NOT EXPLAINED" else 2
            for where, ours, theirs in members[:shown]:
                print(f"      {where}: ours {ours!r}, expected {theirs!r}")

    def finish(self):
        print("Differences by explanation:" if self.totals else "No difference.")
        for reason, count in sorted(self.totals.items(), key=lambda item: -item[1]):
            print(f"  {count} x {reason}")
        return 1 if self.failed else 0
