# SPDX-License-Identifier: Apache-2.0
"""Importing this makes the modules of ../oracle importable."""
import os
import sys

ORACLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle")
if ORACLE not in sys.path:
    sys.path.insert(0, ORACLE)
