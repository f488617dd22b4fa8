# SPDX-License-Identifier: Apache-2.0
"""Collects garbage after every step, as is done against a fear of full memory; fixed: does not."""
import gc

import torch
from torch.nn import functional

from measure import Measure, arguments
from models import vectors, wide_mlp

BATCH = 128


def main():
    options = arguments().parse_args()
    model = wide_mlp()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    measure = Measure(options.out, samples=BATCH)
    for inputs, labels in vectors(BATCH):
        loss = functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if options.slow:
            gc.collect()
        if measure.step():
            break


if __name__ == "__main__":
    main()
