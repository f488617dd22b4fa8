# SPDX-License-Identifier: Apache-2.0
from .core import Command  # noqa: F401
