# SPDX-License-Identifier: Apache-2.0
"""Takes the norm of every gradient to Python at once; fixed: the norms stay tensors until someone asks for them.

On a GPU every `.item()` waits for the device. On a CPU there is nothing to wait for.
"""
import torch
from torch.nn import functional

from measure import Measure, arguments
from models import deep_mlp, vectors

BATCH = 64


def main():
    options = arguments().parse_args()
    model = deep_mlp()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    measure = Measure(options.out, samples=BATCH)
    for inputs, labels in vectors(BATCH, inputs=64):
        loss = functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        norms = [parameter.grad.norm() for parameter in model.parameters()]
        if options.slow:
            norms = [norm.item() for norm in norms]
        optimizer.step()
        if measure.step():
            break


if __name__ == "__main__":
    main()
