# SPDX-License-Identifier: Apache-2.0
"""Holistic Trace Analysis (traceinsight) on one trace: load it, print the number of rows.

Only loading, no analysis: what every use of the library pays, and the most favourable to it. A process of
its own, so that start-up is part of the time. scripts/bench runs it inside build/bench-venv.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)

from hta.trace_analysis import TraceAnalysis  # noqa: E402


def Main() -> int:
    path = os.path.abspath(sys.argv[1])
    analysis = TraceAnalysis(trace_files={0: path}, trace_dir="/", include_last_profiler_step=True)
    print(json.dumps({"rows": len(analysis.t.traces[0])}))
    return 0


if __name__ == "__main__":
    sys.exit(Main())
