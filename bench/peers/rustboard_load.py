# SPDX-License-Identifier: Apache-2.0
"""usage: rustboard_load.py SERVER DIR

TensorBoard's fast loader (tensorboard-data-server) on one folder, all points kept: seconds from its start to the end of its
first pass over all files, its processor time until then, and its highest resident memory. It says itself when the pass has ended.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import time


def Main() -> int:
    server, folder = sys.argv[1:3]
    start = time.perf_counter()
    process = subprocess.Popen([server, "--logdir", folder, "--reload", "once", "--port", "0", "-v",
                                "--samples-per-plugin", "scalars=1000000000"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if "load cycle" in line.lower() and "finished" in line.lower():
                break
        else:
            print("it ended before it had read everything", file=sys.stderr)
            return 1
        seconds = time.perf_counter() - start
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        peak = next(int(row.split()[1]) * 1024 for row in status.splitlines() if row.startswith("VmHWM:"))
        # User and system time, the 12th and 13th field behind the name, which may have spaces.
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        print(json.dumps({"seconds": seconds, "cpu_seconds": ticks / os.sysconf("SC_CLK_TCK"), "peak_bytes": peak}))
        return 0
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    sys.exit(Main())
