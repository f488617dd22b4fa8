# SPDX-License-Identifier: Apache-2.0
"""A transformer that is given two sentences at a time; fixed: eight times as many."""
import torch
from torch.nn import functional

from measure import Measure, arguments
from models import TokenClassifier, sentences


def main():
    options = arguments().parse_args()
    batch = 2 if options.slow else 16
    model = TokenClassifier(layers=10)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    measure = Measure(options.out, samples=batch)
    for tokens, labels in sentences(batch):
        loss = functional.cross_entropy(model(tokens), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if measure.step():
            break


if __name__ == "__main__":
    main()
