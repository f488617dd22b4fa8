# SPDX-License-Identifier: Apache-2.0
from .writer import SummaryWriter  # noqa: F401
