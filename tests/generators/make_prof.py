#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: make_prof.py OUT.prof [--functions N] [--seed N]

Writes a .prof file as cProfile does, with the times of an invented program. Without --functions: a small training loop
(tests/data/train.prof). With it: a call graph of that many functions, for measuring speed (bench/).
"""
import argparse
import marshal
import random

HOME = "/home/ann/vision/"
TORCH = "/usr/lib/python3.11/site-packages/torch/"
LIBRARY = "/usr/lib/python3.11/"

# name: (file, line, own time of one call in ns, [(callee, calls of it in one call)])
TRAINING = {
    "<module>": (HOME + "train.py", 1, 41_000, [("main", 1)]),
    "main": (HOME + "train.py", 60, 212_500, [("load", 1), ("epoch", 2)]),
    "load": (HOME + "data.py", 12, 93_250, [("listdir", 1), ("walk", 1)]),
    "walk": (HOME + "data.py", 30, 8_125, []),  # calls itself, see WALK
    "epoch": (HOME + "train.py", 33, 1_406_000, [("batches", 20), ("step", 20)]),
    "batches": (HOME + "data.py", 48, 61_400, [("decode", 32), ("stack", 1)]),
    "decode": (HOME + "data.py", 55, 402_700, [("read", 1), ("crop", 1)]),
    "crop": (HOME + "data.py", 71, 61_300, [("resize", 1)]),
    "step": (HOME + "train.py", 18, 72_900, [("__call__", 1), ("backward", 1), ("crop", 1)]),
    "__call__": (TORCH + "nn/modules/module.py", 1494, 35_000, [("forward", 1)]),
    "forward": (HOME + "model.py", 22, 97_000, [("conv2d", 4), ("linear", 1)]),
    "backward": (TORCH + "_tensor.py", 428, 18_000, [("run_backward", 1)]),
    "listdir": ("~", 0, 52_000, []),
    "read": ("~", 0, 36_900, []),
    "stack": ("~", 0, 640_000, []),
    "conv2d": ("~", 0, 1_250_000, []),
    "linear": ("~", 0, 210_000, []),
    "run_backward": ("~", 0, 7_800_000, []),
    "resize": ("~", 0, 119_000, []),
}
BUILT_IN = {
    "listdir": "<built-in method posix.listdir>",
    "read": "<method 'read' of '_io.BufferedReader' objects>",
    "stack": "<built-in method torch.stack>",
    "conv2d": "<built-in method torch.conv2d>",
    "linear": "<built-in method torch._C._nn.linear>",
    "run_backward": "<method 'run_backward' of 'torch._C._EngineBase' objects>",
    "resize": "<method 'resize' of 'ImagingCore' objects>",
}
WALK_CALLS, WALK_DEPTH = 13, 3  # of walk in all, one below the other


def training():
    calls, total = {"<module>": 1}, {}
    order = ["<module>", "main", "load", "walk", "epoch", "batches", "decode", "step", "crop", "__call__", "forward",
             "backward", "listdir", "read", "stack", "conv2d", "linear", "run_backward", "resize"]
    for name in order:  # callers before their callees
        for callee, count in TRAINING[name][3]:
            calls[callee] = calls.get(callee, 0) + calls[name] * count
    for name in reversed(order):
        total[name] = TRAINING[name][2] + sum(total[callee] * count for callee, count in TRAINING[name][3])
    total["walk"] = TRAINING["walk"][2] * WALK_CALLS

    def key(name):
        return (TRAINING[name][0], TRAINING[name][1], BUILT_IN.get(name, name))
    stats = {}
    for name in order:
        own = TRAINING[name][2]
        callers = {}
        for caller in order:
            for callee, count in TRAINING[caller][3]:
                if callee == name:
                    n = calls[caller] * count
                    callers[key(caller)] = (n, n, n * own / 1e9, n * total[name] / 1e9)
        n = calls[name]
        stats[key(name)] = (n, n, n * own / 1e9, n * total[name] / 1e9, callers)
    # A recursive function: all calls but one come from itself, and time counts once.
    own = TRAINING["walk"][2]
    inner = WALK_CALLS - 1
    stats[key("walk")] = (1, WALK_CALLS, WALK_CALLS * own / 1e9, WALK_CALLS * own / 1e9, {
        key("load"): (1, 1, own / 1e9, WALK_CALLS * own / 1e9),
        key("walk"): (inner, WALK_DEPTH, inner * own / 1e9, inner * own / 1e9)})
    return stats


def large(functions, seed):
    rng = random.Random(seed)
    keys = []
    for i in range(functions):
        folder = rng.choice((HOME, TORCH, LIBRARY))
        if i % 9 == 8:
            keys.append(("~", 0, f"<built-in method torch.op_{i}>"))
        else:
            keys.append((f"{folder}part_{i // 40}/module_{i // 8}.py", 1 + i % 8 * 30, f"function_{i}"))
    stats = {}
    for i, key in enumerate(keys):
        callers, total_calls = {}, 0
        own = rng.randrange(100, 1_000_000) / 1e9
        for _ in range(rng.randrange(1, 6) if i else 0):
            n = rng.randrange(1, 1000)
            total_calls += n
            callers[keys[rng.randrange(max(0, i - 500), i)]] = (n, n, own * n, own * n * 3)
        total_calls = sum(value[0] for value in callers.values()) or 1
        stats[key] = (total_calls, total_calls, own * total_calls, own * total_calls * 3, callers)
    return stats


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--functions", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    stats = large(options.functions, options.seed) if options.functions else training()
    with open(options.out, "wb") as file:
        # As cProfile writes it: version 4, whatever this Python would write.
        marshal.dump(stats, file, 4)


main()
