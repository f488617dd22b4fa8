# SPDX-License-Identifier: Apache-2.0
"""Counts what the model got right sample by sample, with an `.item()` each; fixed: one comparison for the batch, and one `.item()`."""
import torch
from torch.nn import functional

from measure import Measure, arguments
from models import vectors, wide_mlp

BATCH = 1024


def count_right(outputs, labels):
    right = 0
    for output, label in zip(outputs, labels):
        if output.argmax().item() == label.item():
            right += 1
    return right


def count_right_at_once(outputs, labels):
    return (outputs.argmax(dim=1) == labels).sum().item()


def main():
    options = arguments().parse_args()
    count = count_right if options.slow else count_right_at_once
    model = wide_mlp(width=128)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    measure = Measure(options.out, samples=BATCH)
    right = 0
    for inputs, labels in vectors(BATCH):
        outputs = model(inputs)
        loss = functional.cross_entropy(outputs, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        right += count(outputs.detach(), labels)
        if measure.step():
            break


if __name__ == "__main__":
    main()
