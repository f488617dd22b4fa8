# SPDX-License-Identifier: Apache-2.0
from ._utils import worker


class DataLoader:
    """A batch is one item of `data`; what is read is said by the sampler, as in torch."""

    def __init__(self, data, workers=0):
        self.data, self.workers = data, workers

    dataset = property(lambda self: self.data)
    sampler = property(lambda self: range(len(self.data)))
    batch_sampler = None

    @property
    def _index_sampler(self):
        return self.sampler

    def __len__(self):
        return len(self._index_sampler)

    def __iter__(self):
        return _BaseDataLoaderIter(self)


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._loader, self._indices = loader, iter(loader._index_sampler)

    def __iter__(self):
        return self

    def __next__(self):
        return self._loader.data[next(self._indices)]


run_worker = lambda number, results: worker._worker_loop(number, results)  # noqa: E731
