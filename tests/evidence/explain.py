# SPDX-License-Identifier: Apache-2.0
"""Finds the smallest set of switches of a model that turns our figure into somebody else's.

A set explains a difference only if the model with the base set shows our figure and the model with base + set shows
the other figure. There is no other way for a difference to count as explained.
"""


class Explainer:
    """`cells_of(set)` runs the model; `candidates` are the switches that may matter; `same` compares two values."""

    def __init__(self, cells_of, candidates, same, base=()):
        self.cells_of, self.same = cells_of, same
        self.base = frozenset(base)
        self.candidates = sorted(set(candidates) - self.base)
        self.cache = {}
        self.relevant = None

    def cells(self, switches):
        switches = self.base | frozenset(switches)
        if switches not in self.cache:
            self.cache[switches] = self.cells_of(switches)
        return self.cache[switches]

    def all_relevant(self):
        """The candidates without those that change no cell when switched off."""
        if self.relevant is None:
            chosen = self.candidates
            for switch in list(chosen):
                without = [other for other in chosen if other != switch]
                if self.cells(without) == self.cells(chosen):
                    chosen = without
            self.relevant = chosen
        return self.relevant

    def explain(self, key, ours, theirs):
        """The names of the switches that explain the difference, or None."""
        if not self.same(self.cells(()).get(key), ours):
            return None
        chosen = self.all_relevant()
        for switch in chosen:
            if self.same(self.cells([switch]).get(key), theirs):
                return [switch]
        if not self.same(self.cells(chosen).get(key), theirs):
            return None
        # Most cells need few of all switches. Those that cannot be switched off alone are tried by themselves: the model runs
        # once for each such set, where switching off one after the other would run it for every step of every cell.
        needed = [switch for switch in chosen
                  if not self.same(self.cells([other for other in chosen if other != switch]).get(key), theirs)]
        if self.same(self.cells(needed).get(key), theirs):
            chosen = needed
        for switch in list(chosen):
            without = [other for other in chosen if other != switch]
            if self.same(self.cells(without).get(key), theirs):
                chosen = without
        return chosen
