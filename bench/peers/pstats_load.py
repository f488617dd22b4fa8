# SPDX-License-Identifier: Apache-2.0
"""Python's pstats on one .prof file: load it and sort it, print the seconds.

Starting Python and importing are not in the time, which is the most favourable to it; no text is printed.
"""

from __future__ import annotations

import json
import pstats
import sys
import time


def Main() -> int:
    start = time.perf_counter()
    stats = pstats.Stats(sys.argv[1])
    loaded = time.perf_counter()
    stats.sort_stats("tottime")
    print(json.dumps({"functions": len(stats.stats), "load_seconds": loaded - start,
                      "sorted_seconds": time.perf_counter() - start}))
    return 0


if __name__ == "__main__":
    sys.exit(Main())
