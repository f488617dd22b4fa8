# SPDX-License-Identifier: Apache-2.0
"""Logs a line for each sample in every step; fixed: one line for the step."""
import logging

import torch
from torch.nn import functional

from measure import Measure, arguments
from models import vectors, wide_mlp

BATCH = 512


def log_samples(log, losses):
    for sample, loss in enumerate(losses.tolist()):
        log.info("sample %d: loss %.5f", sample, loss)


def main():
    options = arguments().parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(filename=options.out / "train.log", level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    log = logging.getLogger("train")
    model = wide_mlp(width=256)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    measure = Measure(options.out, samples=BATCH)
    for inputs, labels in vectors(BATCH):
        losses = functional.cross_entropy(model(inputs), labels, reduction="none")
        loss = losses.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if options.slow:
            log_samples(log, losses.detach())
        else:
            log.info("loss %.5f", loss.item())
        if measure.step():
            break


if __name__ == "__main__":
    main()
