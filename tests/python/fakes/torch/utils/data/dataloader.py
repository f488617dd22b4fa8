# SPDX-License-Identifier: Apache-2.0
from ._utils import worker


class DataLoader:
    def __init__(self, data, workers=0):
        self.data, self.workers = data, workers

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return _BaseDataLoaderIter(self)


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._items = iter(loader.data)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._items)


run_worker = lambda number, results: worker._worker_loop(number, results)  # noqa: E731
