# SPDX-License-Identifier: Apache-2.0
from .profiler import ProfilerAction, profile, tensorboard_trace_handler  # noqa: F401
