# SPDX-License-Identifier: Apache-2.0
"""Inputs that hurt: each shape is a function from a size to files, {name: bytes}. They are well-formed; what is unusual about
them is how much of one thing they hold: depth, one id shared by all, threads, one address, steps that overlap."""
import json
import marshal

HOST, DEVICE = 100, 0


def span(cat, name, start, duration, tid=1, pid=HOST, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": args}


def launch(start, correlation, tid=1, duration=1):
    return span("cuda_runtime", "cudaLaunchKernel", start, duration, tid, correlation=correlation)


def kernel(name, start, duration, correlation, stream=7, **args):
    return span("kernel", name, start, duration, stream, DEVICE, correlation=correlation, device=DEVICE, stream=stream, **args)


def trace(events, **header):
    return {"trace.json": document(events, **header)}


def document(events, **header):
    properties = [{"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 80 << 30, "computeMajor": 8, "computeMinor": 0,
                   "numSms": 108, "warpSize": 32}]
    return json.dumps({"schemaVersion": 1, "deviceProperties": properties, **header, "traceEvents": events}).encode()


def step(number, start, duration, tid=1):
    return span("user_annotation", f"ProfilerStep#{number}", start, duration, tid)


def deep_operators(n):
    events = [span("cpu_op", f"op{i % 50}", i, 2 * n - 2 * i, **{"Input Dims": [[i % 9, 4]]}) for i in range(n)]
    return trace(events + [launch(n, 5), kernel("k", n + 5, 10, 5)])


def deep_annotations(n):
    return trace([span("user_annotation", f"range {i % 7}", i, 2 * n - 2 * i) for i in range(n)])


def deep_same_name(n):
    """Only children of the same name: all of them fold into one."""
    return trace([span("cpu_op", "again", i, 2 * n - 2 * i) for i in range(n)] + [launch(n, 5), kernel("k", n + 5, 10, 5)])


def deep_python(n):
    events = [span("python_function", f"file.py({i % 90}): f{i % 90}", i, 2 * n - 2 * i,
                   **{"Python id": i + 1, "Python parent id": i}) for i in range(n)]
    return trace(events + [span("cpu_op", "aten::mm", n, 1)], with_stack=1)


def deep_modules(n):
    events = [span("python_function", f"nn.Module: Block_{i % 40}", i, 2 * n - 2 * i,
                   **{"Python id": i + 1, "Python parent id": i, "Python module id": i % 40}) for i in range(n)]
    return trace(events + [span("cpu_op", "aten::mm", n, 1), launch(n, 5), kernel("k", n + 5, 10, 5)], with_stack=1)


def staircase(n):
    """Every event overlaps the next half, and none contains another."""
    return trace([span("cpu_op", f"op{i % 5}", i, n) for i in range(n)])


def same_start(n):
    return trace([span("cpu_op", f"op{i % 5}", 0, i + 1) for i in range(n)])


def no_length(n):
    return trace([span("cpu_op", f"op{i % 5}", 7, 0) for i in range(n)])


def hot_correlation(n):
    events = [step(1, 0, 4 * n)] + [launch(2 * i, 42) for i in range(n // 4)]
    return trace(events + [kernel(f"k{i % 3}", 2 * i, 1, 42) for i in range(n)])


def tiny_kernels(n):
    events = [step(i, i * n // 4, n // 4) for i in range(4)]
    for i in range(n // 3):
        events += [span("cpu_op", "aten::add", 3 * i, 2), launch(3 * i, i + 1), kernel("k", 3 * i + 3, 1, i + 1)]
    return trace(events)


def queue(n):
    """All launches first, then all kernels: the queue grows as long as the trace."""
    events = [step(1, 0, 8 * n)] + [launch(i, i + 1) for i in range(n // 2)]
    return trace(events + [kernel(f"k{i % 3}", n + 3 * i, 2, i + 1) for i in range(n // 2)])


def streams(n):
    events = []
    for i in range(n // 2):
        events += [launch(2 * i, i + 1), kernel("k", 2 * i + 1, n, i + 1, stream=i)]
    return trace(events)


def syncs(n):
    events = []
    for i in range(n // 3):
        events += [launch(4 * i, i + 1), kernel("k", 4 * i + 2, 1, i + 1, stream=i % 8),
                   span("cuda_runtime", "cudaDeviceSynchronize", 4 * i + 2, 2, correlation=n + i)]
    return trace(events)


def threads(n):
    events = []
    for i in range(n // 2):
        events += [span("cpu_op", "aten::add", i % 100, 9, tid=i), span("python_function", "f.py(1): f", i % 100, 9, tid=i)]
    return trace(events, with_stack=1)


def memory(n, address):
    events, total = [span("cpu_op", "aten::empty", 0, 2 * n)], 0
    for i in range(n):
        size = 512 if i % 2 == 0 else -512
        total += size
        events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": HOST, "tid": 1, "ts": i,
                       "args": {"Addr": address(i), "Bytes": size, "Total Allocated": total, "Total Reserved": 1 << 20,
                                "Device Type": 1, "Device Id": 0}})
    return trace(events)


def one_address(n):
    return memory(n, lambda i: 4096)


def never_freed(n):
    events, total = [], 0
    for i in range(n):
        total += 512
        events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": HOST, "tid": 1, "ts": i,
                       "args": {"Addr": 4096 + 512 * i, "Bytes": 512, "Total Allocated": total, "Total Reserved": 2 * total,
                                "Device Type": 1, "Device Id": 0}})
    return trace([step(i, i * n // 8, n // 8) for i in range(8)] + events)


def one_flow(n):
    events = [span("cpu_op", "aten::add", 0, 2 * n)]
    for i in range(n):
        events.append({"ph": "s" if i % 2 == 0 else "f", "bp": "e", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": HOST, "tid": 1,
                       "ts": i})
    return trace(events)


def backward(n):
    """One sequence number for all forward and backward operators."""
    events = []
    for i in range(n // 2):
        events += [span("cpu_op", "aten::mm", 3 * i, 2, **{"Sequence number": 5, "Fwd thread id": 0}),
                   span("cpu_op", "autograd::engine::evaluate_function: MmBackward0", 3 * i, 2, tid=2,
                        **{"Sequence number": 5, "Fwd thread id": 1})]
    return trace(events)


def overlapping_steps(n):
    return trace([step(i, i, n) for i in range(n // 2)] + [launch(i, i + 1) for i in range(n // 4)]
                 + [kernel("k", i + 1, 1, i + 1) for i in range(n // 4)])


def names(n):
    return trace([span("cpu_op", f"operator number {i}", 2 * i, 1, **{"Input Dims": [[i, i]]}) for i in range(n // 2)]
                 + [kernel(f"kernel number {i}", 2 * i, 1, i) for i in range(n // 2)])


def collectives(n, sequence):
    files = {}
    for rank in range(2):
        events = [step(1, 0, 10 * n)]
        for i in range(n // 6):
            args = {"Collective name": "allreduce", "Process Group Name": "0", "Group size": 2, "dtype": "Float",
                    "In msg nelems": 1024, "Out msg nelems": 1024, "Process Group Ranks": "[0, 1]", "Seq": sequence(i)}
            events += [span("cpu_op", "record_param_comms", 10 * i, 3, **args), launch(10 * i + 1, i + 1),
                       kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 10 * i + 4 + rank, 5, i + 1, stream=20, **args)]
        files[f"rank{rank}.json"] = document(events, distributedInfo={"backend": "nccl", "rank": rank, "world_size": 2})
    return files


def many_collectives(n):
    return collectives(n, lambda i: i)


def one_collective(n):
    return collectives(n, lambda i: 1)


def counters(n):
    return trace([{"ph": "C", "name": "c", "pid": HOST, "tid": 1, "ts": i, "args": {"v": i % 5}} for i in range(n)])


def begins(n):
    """B and E, all begins first."""
    events = [{"ph": "B", "cat": "cpu_op", "name": f"op{i % 9}", "pid": HOST, "tid": 1, "ts": i} for i in range(n // 2)]
    return trace(events + [{"ph": "E", "pid": HOST, "tid": 1, "ts": n + i} for i in range(n // 2)])


def deep_stack(n):
    return {"stacks.txt": ("main;f0 1\n" + ";".join(f"f{i}" for i in range(n)) + " 5\n").encode()}


def recursive_stack(n):
    return {"stacks.txt": ("main;f0 1\n" + ";".join(f"f{i % 2}" for i in range(n)) + " 5\n").encode()}


def many_callers(n):
    """One function that all others call, and that calls them."""
    centre = ("hub.py", 1, "hub")
    others = [("file.py", i, f"f{i}") for i in range(n // 4)]
    stats = {other: (1, 1, 0.5, 1.0, {centre: (1, 1, 0.5, 1.0)}) for other in others}
    stats[centre] = (len(others), 1, 0.5, 1.0, {other: (1, 1, 0.25, 0.5) for other in others})
    return {"hub.prof": marshal.dumps(stats)}


def chain_of_callers(n):
    keys = [("file.py", i, f"f{i}") for i in range(n // 4)]
    stats = {}
    for i, key in enumerate(keys):
        callers = {keys[i - 1]: (1, 1, 0.5, 1.0 * (len(keys) - i))} if i > 0 else {}
        stats[key] = (1, 1, 0.5, 1.0 * (len(keys) - i), callers)
    return {"chain.prof": marshal.dumps(stats)}


SHAPES = {shape.__name__: shape for shape in (
    deep_operators, deep_annotations, deep_same_name, deep_python, deep_modules, staircase, same_start, no_length, hot_correlation,
    tiny_kernels, queue, streams, syncs, threads, one_address, never_freed, one_flow, backward, overlapping_steps, names,
    many_collectives, one_collective, counters, begins, deep_stack, recursive_stack, many_callers, chain_of_callers)}
