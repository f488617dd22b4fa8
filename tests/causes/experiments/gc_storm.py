# SPDX-License-Identifier: Apache-2.0
"""Builds many small objects in each step, so that Python looks for garbage all the time; fixed: the objects that live for
ever are frozen, and the collector is off while a step runs (reference counts free all of this)."""
import gc

import torch
from torch.nn import functional

from measure import Measure, arguments
from models import vectors, wide_mlp

BATCH = 256
WORDS_PER_SAMPLE = 400


def describe(batch):
    """The records of a batch, as a tokenizer makes them."""
    return [[{"sample": sample, "place": [word, word + 1]} for word in range(WORDS_PER_SAMPLE)] for sample in range(batch)]


def main():
    options = arguments().parse_args()
    model = wide_mlp()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    measure = Measure(options.out, samples=BATCH)
    if not options.slow:
        gc.freeze()
        gc.disable()
    for inputs, labels in vectors(BATCH):
        records = describe(BATCH)
        loss = functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        del records
        if measure.step():
            break


if __name__ == "__main__":
    main()
