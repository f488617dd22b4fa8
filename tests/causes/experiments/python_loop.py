# SPDX-License-Identifier: Apache-2.0
"""Counts the pairs of neighbouring words of each batch in a Python loop; fixed: `torch.bincount`."""
import torch
from torch import nn
from torch.nn import functional

from measure import Measure, arguments
from models import CLASSES, sentences

BATCH, LENGTH, WORDS, BUCKETS = 256, 512, 1000, 4096


def count_pairs(tokens):
    counts = [0] * BUCKETS
    for row in tokens.tolist():
        before = 0
        for word in row:
            counts[(before * WORDS + word) % BUCKETS] += 1
            before = word
    return torch.tensor(counts)


def count_pairs_at_once(tokens):
    before = functional.pad(tokens[:, :-1], (1, 0))
    return torch.bincount(((before * WORDS + tokens) % BUCKETS).flatten(), minlength=BUCKETS)


def main():
    options = arguments().parse_args()
    count = count_pairs if options.slow else count_pairs_at_once
    model = nn.Sequential(nn.EmbeddingBag(WORDS, 256), nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, CLASSES))
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    measure = Measure(options.out, samples=BATCH)
    counts = torch.zeros(BUCKETS, dtype=torch.int64)
    for tokens, labels in sentences(BATCH, LENGTH, WORDS):
        loss = functional.cross_entropy(model(tokens), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        counts += count(tokens)
        if measure.step():
            break


if __name__ == "__main__":
    main()
