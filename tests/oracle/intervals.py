# SPDX-License-Identifier: Apache-2.0
"""Small arithmetic on lists of half-open integer intervals [start, end)."""


def union(intervals):
    """Sorted, disjoint intervals that cover the same moments; empty ones vanish."""
    merged = []
    for start, end in sorted(intervals):
        if end <= start:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def clip(intervals, window):
    """The parts of the intervals inside the window."""
    low, high = window
    return [(max(start, low), min(end, high)) for start, end in intervals if max(start, low) < min(end, high)]


def subtract(intervals, removed):
    """What remains of disjoint sorted `intervals` without disjoint sorted `removed`."""
    remaining = []
    position = 0
    for start, end in intervals:
        while position < len(removed) and removed[position][1] <= start:
            position += 1
        scan = position
        while scan < len(removed) and removed[scan][0] < end:
            if removed[scan][0] > start:
                remaining.append((start, removed[scan][0]))
            start = max(start, removed[scan][1])
            scan += 1
        if start < end:
            remaining.append((start, end))
    return remaining


def length(intervals):
    return sum(end - start for start, end in intervals)
