# SPDX-License-Identifier: Apache-2.0
"""Adam with a dozen operators for each of many small parameters; fixed: `fused=True`, one operator for all."""
import torch
from torch.nn import functional

from measure import Measure, arguments
from models import deep_mlp, vectors

BATCH = 64


def main():
    options = arguments().parse_args()
    model = deep_mlp()
    if options.slow:
        optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    else:
        optimizer = torch.optim.Adam(model.parameters(), fused=True)
    measure = Measure(options.out, samples=BATCH)
    for inputs, labels in vectors(BATCH, inputs=64):
        loss = functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if measure.step():
            break


if __name__ == "__main__":
    main()
