# SPDX-License-Identifier: Apache-2.0
import sys


def run_and_report(func):
    try:
        return func()
    except Exception as error:
        print("Error executing job: %s" % error, file=sys.stderr)
        sys.exit(1)
