# SPDX-License-Identifier: Apache-2.0
"""Two ranks, one of which writes a checkpoint to a slow disk in every step; fixed: it does not."""
import os
import socket
import time

import torch
from torch import distributed, multiprocessing
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import record_function

from measure import Measure, arguments
from models import vectors, wide_mlp

BATCH = 64
CHECKPOINT_SECONDS = 0.04


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def largest(value):
    """Of the values that the ranks have."""
    tensor = torch.tensor(value)
    distributed.all_reduce(tensor, distributed.ReduceOp.MAX)
    return tensor.item()


def train(rank, options, port):
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    distributed.init_process_group("gloo", rank=rank, world_size=2)
    model = DistributedDataParallel(wide_mlp(width=512))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    measure = Measure(options.out, rank, samples=2 * BATCH, worst=largest)
    for inputs, labels in vectors(BATCH):
        loss = functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if options.slow and rank == 1:
            with record_function("write_checkpoint"):
                time.sleep(CHECKPOINT_SECONDS)
        if measure.step():
            break
    distributed.destroy_process_group()


def main():
    options = arguments().parse_args()
    multiprocessing.spawn(train, (options, free_port()), nprocs=2)


if __name__ == "__main__":
    main()
