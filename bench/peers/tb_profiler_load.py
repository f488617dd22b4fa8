# SPDX-License-Identifier: Apache-2.0
"""torch_tb_profiler on one trace, without TensorBoard: parse it and compute the views, print the counts.

The same two classes the plugin runs for each worker; a process of its own, so that start-up is part of
the time. scripts/bench runs it inside build/bench-venv.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile

logging.disable(logging.CRITICAL)

from torch_tb_profiler.profiler.data import RunProfileData  # noqa: E402
from torch_tb_profiler.profiler.run_generator import RunGenerator  # noqa: E402


def Main() -> int:
    with tempfile.TemporaryDirectory() as cache:
        data = RunProfileData.parse("worker", None, sys.argv[1], cache)
        profile = RunGenerator("worker", None, data).generate_run_profile()
    print(json.dumps({"events": len(data.events), "views": [view.display_name for view in profile.views]}))
    return 0


if __name__ == "__main__":
    sys.exit(Main())
