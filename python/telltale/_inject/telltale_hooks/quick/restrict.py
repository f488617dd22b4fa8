# SPDX-License-Identifier: Apache-2.0
"""--restrict-subjects: the first samples of a set, and no others. A loader reads its indices as it would, in its own order, but
for those of other samples; of a training on several ranks each has its part of them."""
import math

from . import asked

ROLES = ("train", "val", "test")


def subjects(role):
    """How many samples the set of this role may have; None: all."""
    counts = asked.value("restrict_subjects")
    return None if counts is None or role not in ROLES else counts[ROLES.index(role)]


class _Batches:
    """Batches of the indices that are left."""

    def __init__(self, batch_sampler, sampler, count):
        self._batches, self._sampler, self._count = batch_sampler, sampler, count

    def _indices(self):
        ranks = getattr(self._sampler, "num_replicas", None)
        if ranks is None:
            return [index for index in self._sampler if index < self._count]
        size = math.ceil(self._count / ranks)
        return [(self._sampler.rank + ranks * at) % self._count for at in range(size)] if self._count else []

    def __iter__(self):
        indices, size = self._indices(), self._batches.batch_size
        for at in range(0, len(indices), size):
            batch = indices[at : at + size]
            if len(batch) == size or not self._batches.drop_last:
                yield batch

    def __len__(self):
        ranks = getattr(self._sampler, "num_replicas", None)
        count = min(self._count, len(self._sampler)) if ranks is None else math.ceil(self._count / ranks)
        size = self._batches.batch_size
        return count // size if self._batches.drop_last else math.ceil(count / size)

    def __getattr__(self, name):
        return getattr(self._batches, name)


def restricted(loader, sampler, role_of):
    if asked.value("restrict_subjects") is None:
        return sampler
    count = subjects(role_of(loader))
    if count is None:
        return sampler
    batch_sampler = loader.batch_sampler
    if batch_sampler is None or not hasattr(batch_sampler, "batch_size") or not hasattr(loader.dataset, "__getitem__"):
        asked.not_applied("restrict_subjects", "a loader does not read its samples by their number")
        return sampler
    asked.applied("restrict_subjects")
    return _Batches(batch_sampler, loader.sampler, count)
