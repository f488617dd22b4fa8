# SPDX-License-Identifier: Apache-2.0
def _worker_loop(number, results):
    results.append(number)
