#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens what `telltale convert` writes in torch_tb_profiler and HTA: the same figures as from the original file.

For each trace: rewritten as JSON, by way of Perfetto, redacted, and cut to one step; for two ranks: merged into one file.
Needs the environment that `scripts/bench --peers` makes (build/bench-venv), or TELLTALE_PEERS=PYTHON.
"""
import collections
import gzip
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from common import REPOSITORY, Report, arguments
from trace_cut import cut, step_ranges

# Eras, vendors and shapes: each with something that the others lack.
TRACES = [
    "kineto/old_branches/samples/resnet50_num_workers_0/worker0.pt.trace.json.gz",                # V100, torch 1.8
    "kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",     # V100, torch 1.9
    "hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz",                       # ns, NCCL
    "hta/nccl_parser_config/nccl_data.json.gz",
    "hta/critical_path/alexnet/benchmark_result_2869224_1695835535_trace.json.gz",                # A100
    "hta/critical_path/cuda_event_sync_multi_stream/event_sync_trace.json.gz",
    "hta/triton_example/triton_example.json.gz",
    "hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz",                                   # ROCm
    "hta/mtia_inference_trace/mtia_inference_rank_0.json.gz",                                     # MTIA
    "hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",                                 # no device
    "hta/rank_non_gpu/rank_non_gpu.json.gz",
    "TraceLens/h100/gaunernst_bert-small-uncased__1016001.json.gz",                               # H100, Python frames
    "TraceLens/h100/Falconsai_nsfw_image_detection__1016002.json.gz",
    "TraceLens/mi300/gaunernst_bert-small-uncased__1016001.json.gz",                              # MI300X
    "TraceLens/mi210/gpu_only_trace/gpu_only_trace.json.gz",                                      # no host
    "TraceLens/inference/vllm_decode_full/graph_execution.json.gz",                               # CUDA graphs
]
RANKS = ["hta/trace_filter/sampled_rank-0.json.gz", "hta/trace_filter/sampled_rank-1.json.gz"]
PEERS = {"tb": "torch_tb_profiler", "hta": "HTA"}


class Peers:
    """The figures of both tools, each in a process of its own."""

    def __init__(self):
        default = os.path.join(REPOSITORY, "build", "bench-venv", "bin", "python")
        self.python = os.environ.get("TELLTALE_PEERS", default)

    def available(self):
        if not os.access(self.python, os.X_OK):
            print(f"skipped: {self.python} is missing; `scripts/bench --only-peers` makes it, TELLTALE_PEERS names another")
            return []
        found = []
        for peer, name in PEERS.items():
            module = {"tb": "torch_tb_profiler", "hta": "hta"}[peer]
            if subprocess.run([self.python, "-I", "-c", f"import {module}"], capture_output=True, check=False).returncode:
                print(f"skipped: {name} (not installed for {self.python})")
            else:
                found.append(peer)
        return found

    def figures(self, peer, path):
        # -I: beside this script are modules with the names of the peers.
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers", "figures.py")
        done = subprocess.run([self.python, "-I", script, peer, path], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)


def same(left, right):
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        # Sums of doubles in another order; the plugin keeps some as 32-bit numbers.
        return math.isclose(left, right, rel_tol=1e-6, abs_tol=1e-6)
    return left == right


def differences(ours, theirs, explain=lambda key, left, right: None):
    keys = list(theirs) + [key for key in ours if key not in theirs]
    return len(keys), [(key[:200], ours.get(key), theirs.get(key), explain(key, ours.get(key), theirs.get(key)))
                       for key in keys if not same(ours.get(key), theirs.get(key))]


def convert(telltale, sources, target, *options):
    subprocess.run([telltale, "convert", *sources, target, "--quiet", "--force", *options], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return target


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return json.loads(file.read().decode("utf-8", "replace"), strict=False)


def write(path, document):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return path


def with_numbers(document):
    """Pids and tids that are numbers in quotes as numbers: for Telltale they are one, for torch_tb_profiler they are not."""
    changed = 0
    for event in document["traceEvents"]:
        for key in ("pid", "tid"):
            if isinstance(event.get(key), str) and event[key].isdecimal():
                event[key] = int(event[key])
                changed += 1
    return changed


def added(cells):
    """What two ranks in one file must add up to: calls, times, rows by name, whatever their clocks and ids."""
    sums = collections.Counter()
    for key, value in cells.items():
        parts = key.split(" / ")
        if parts[0] in ("operator", "operator and shape", "kernel") and re.search("(?i)calls|total.duration|host", parts[-1]):
            sums[key] += value
        elif parts[0] == "frame":
            fields = re.search(r"cat=(.*?) collective_name=.* dur=(.*?) end=.* name=(.*) out_msg_nelems=", key)
            sums["frame / " + " ".join(fields.groups())] += value
        elif key == "rows" or parts[0] == "link":
            sums[key] += value
    return sums


def without_folders(cells):
    """Names of Python frames without the folders that --redact takes out; frames that become equal are added."""
    result = {}
    for key, value in cells.items():
        short = re.sub(r"(cat=python_function .* name=)(?:(?!out_msg_nelems=).)*/", r"\1", key)
        result[short] = value if short not in result else result[short] + value
    return result


def compare_one(telltale, path, folder, peers, names, report):
    def target(name):
        return os.path.join(folder, name)

    packed = convert(telltale, [path], target("a.pftrace"))
    files = {"json": convert(telltale, [path], target("a.json")),
             "back from Perfetto": convert(telltale, [packed], target("b.json")),
             "redacted": convert(telltale, [path], target("c.json"), "--redact")}
    document = read(path)
    numbered = path
    if with_numbers(document):
        print("  pids and tids are texts here: by way of Perfetto they come back as numbers, and are compared with those")
        numbered = write(target("numbers.json"), document)
    steps = sorted(step_ranges(document["traceEvents"]))
    if steps:
        step = steps[len(steps) // 2]
        events = cut(document["traceEvents"], step)
        files[f"step {step}"] = convert(telltale, [numbered], target("d.json"), "--steps", str(step))
        cut_by_hand = write(target("cut.json"), dict(document, traceEvents=events))
    for peer in names:
        theirs = peers.figures(peer, path)
        for what, file in files.items():
            wanted = theirs
            if what == "back from Perfetto" and numbered != path:
                wanted = peers.figures(peer, numbered)
            if what.startswith("step"):
                wanted = peers.figures(peer, cut_by_hand)
            ours = peers.figures(peer, file)
            if what == "redacted":
                ours, wanted = without_folders(ours), without_folders(wanted)
            report.table(f"{PEERS[peer]}, {what}", *differences(ours, wanted))


def compare_merged(telltale, paths, folder, peers, names, report):
    merged = convert(telltale, paths, os.path.join(folder, "merged.json"))
    for peer in names:
        wanted = collections.Counter()
        for path in paths:
            wanted.update(added(peers.figures(peer, path)))
        report.table(f"{PEERS[peer]}, merged", *differences(added(peers.figures(peer, merged)), wanted))


def main():
    options = arguments(__doc__.split("\n\n")[0])
    if options.oracle:
        print("only for the program")
        return 0
    peers, report = Peers(), Report(options.all)
    names = peers.available()
    if not names:
        return 77  # as scripts/test takes it: left out
    with tempfile.TemporaryDirectory() as folder:
        for trace in TRACES:
            path = os.path.join(options.data, "traces", trace)
            if options.only in trace and os.path.exists(path):
                print(trace, flush=True)
                compare_one(options.telltale, path, folder, peers, names, report)
        paths = [os.path.join(options.data, "traces", trace) for trace in RANKS]
        if options.only in RANKS[0] and all(map(os.path.exists, paths)):
            print(" + ".join(RANKS), flush=True)
            compare_merged(options.telltale, paths, folder, peers, names, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
