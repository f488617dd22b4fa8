# SPDX-License-Identifier: Apache-2.0
"""A dataset that reads each sample from a slow store; fixed: the samples were read beforehand."""
import time

import torch
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from measure import Measure, arguments
from models import CLASSES, IMAGE_SIZE, small_cnn

BATCH = 8


class Images(Dataset):
    def __init__(self, seconds_per_read):
        self.images = torch.randn(64, 3, IMAGE_SIZE, IMAGE_SIZE)
        self.seconds_per_read = seconds_per_read

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        if self.seconds_per_read:
            time.sleep(self.seconds_per_read)
        return self.images[index % len(self.images)], index % CLASSES


def main():
    parser = arguments()
    parser.add_argument("--workers", type=int, default=0)
    options = parser.parse_args()
    # Two workers halve it, and hide as much as the model takes: so that a wait is left.
    seconds = (0.004 if options.workers == 0 else 0.016) if options.slow else 0
    model = small_cnn()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    measure = Measure(options.out, samples=BATCH)
    for images, labels in DataLoader(Images(seconds), BATCH, num_workers=options.workers):
        loss = functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if measure.step():
            break


if __name__ == "__main__":
    main()
