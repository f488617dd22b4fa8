# SPDX-License-Identifier: Apache-2.0
"""psutil_sample.py [CHILDREN [SAMPLES]]: what psutil needs for most readings of bench/monitor_sample.cpp.

The same machine and the same tree of processes: this one with CHILDREN idle children, looked for at every sample. psutil
has no pressure and no control groups. Prints one JSON object of
microseconds of processor time; the best, the median and the mean of all samples.
"""

import json
import os
import signal
import statistics
import sys
import time

import psutil


def Sample(root: psutil.Process) -> int:
    psutil.cpu_percent()
    psutil.cpu_percent(percpu=True)
    psutil.cpu_times_percent()
    psutil.virtual_memory()
    psutil.swap_memory()
    psutil.disk_io_counters(perdisk=True)
    psutil.net_io_counters(pernic=True)
    found = 0
    for process in [root, *root.children(recursive=True)]:
        try:
            with process.oneshot():
                process.cpu_times()
                process.memory_info()
                process.num_threads()
                process.io_counters()
            found += 1
        except psutil.NoSuchProcess:
            pass
    return found


def main() -> int:
    children = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    pids = []
    for _ in range(children):
        pid = os.fork()
        if pid == 0:
            signal.pause()
            os._exit(0)
        pids.append(pid)
    root = psutil.Process()
    Sample(root)
    costs = []
    found = 0
    for _ in range(samples):
        start = time.thread_time_ns()
        found = Sample(root)
        costs.append((time.thread_time_ns() - start) / 1000)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    print(json.dumps({"processes": found, "samples": samples, "best_us": round(min(costs), 1),
                      "usual_us": round(statistics.median(costs), 1), "all_us": round(statistics.fmean(costs), 1)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
