#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: tests/record/collector.py TELLTALE LIBRARY [NAME…]

`telltale run` as its user sees it: output and exit codes as without it, terminals, signals, full disks, two runs in one
second, killed collectors. LIBRARY is libtelltale-record.so, with which small programs record. Every case whose name
contains NAME runs, all without one.
"""
import os
import pathlib
import signal
import sys
import tempfile

import collector_kit as kit

# Each adds its cases.
import collector_killed  # noqa: F401
import collector_recorded  # noqa: F401
import collector_streams  # noqa: F401
import collector_trouble  # noqa: F401


def main():
    # Whoever runs the tests in the background, or through nohup, has them ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    kit.program, kit.library = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    os.environ.pop("TELLTALE_RUN_DIR", None)
    os.environ.pop("TELLTALE_ROOT", None)
    failed = 0
    for function in kit.CASES:
        name = function.__name__
        if len(sys.argv) > 3 and not any(word in name for word in sys.argv[3:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(pathlib.Path(folder).resolve())
                print(f"ok      {name}")
            except Exception as problem:  # noqa: BLE001: every case is told
                failed += 1
                print(f"FAILED  {name}: {type(problem).__name__}: {problem}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
