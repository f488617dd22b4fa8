# SPDX-License-Identifier: Apache-2.0
"""A small training with a common mistake, and the same training without it: the example of docs/guide.md.

usage: train_mnist.py MNIST-FOLDER LOG-FOLDER [--fixed]

Trains a convolutional network on MNIST (the four idx files as published) and records five steps with PyTorch's profiler.
As written, every image is rotated by Python code that looks innocent. With --fixed the whole batch is rotated at once.
"""
import argparse
import math
import random
import struct
import time
from pathlib import Path

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule, tensorboard_trace_handler
from torch.utils.data import DataLoader, Dataset

BATCH = 128
MEASURED_STEPS = 40


def read_idx(path):
    data = Path(path).read_bytes()
    dimensions = struct.unpack(f">{data[3]}I", data[4 : 4 + 4 * data[3]])
    return torch.frombuffer(bytearray(data[4 + 4 * data[3] :]), dtype=torch.uint8).reshape(dimensions)


def rotation(angle):
    return [[math.cos(angle), -math.sin(angle), 0.0], [math.sin(angle), math.cos(angle), 0.0]]


def rotate(images, angles):
    theta = torch.tensor([rotation(angle) for angle in angles])
    grid = nn.functional.affine_grid(theta, list(images.shape), align_corners=False)
    return nn.functional.grid_sample(images, grid, align_corners=False)


class Digits(Dataset):
    def __init__(self, folder, rotate_each):
        self.images = read_idx(Path(folder) / "train-images-idx3-ubyte")
        self.labels = read_idx(Path(folder) / "train-labels-idx1-ubyte").long()
        self.rotate_each = rotate_each

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index].float()[None] / 255
        if self.rotate_each:
            image = rotate(image[None], [random.uniform(-0.3, 0.3)])[0]
        return image, self.labels[index]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.classify = nn.Linear(32 * 7 * 7, 10)

    def forward(self, images):
        return self.classify(self.features(images).flatten(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mnist")
    parser.add_argument("log")
    parser.add_argument("--fixed", action="store_true")
    arguments = parser.parse_args()

    torch.manual_seed(0)
    random.seed(0)
    loader = DataLoader(Digits(arguments.mnist, rotate_each=not arguments.fixed), batch_size=BATCH, shuffle=True)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def step(images, labels):
        if arguments.fixed:
            with record_function("rotate"):
                images = rotate(images, [random.uniform(-0.3, 0.3) for _ in range(len(images))])
        with record_function("forward"):
            loss = nn.functional.cross_entropy(model(images), labels)
        with record_function("backward"):
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()
        return loss

    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=1, warmup=1, active=5),
        on_trace_ready=tensorboard_trace_handler(arguments.log, use_gzip=True),
        record_shapes=True, profile_memory=True, with_stack=True, with_modules=True,
    ) as prof:
        for number, (images, labels) in enumerate(loader):
            step(images, labels)
            prof.step()
            if number == 7:
                break

    # Again, without the profiler: what a step really takes.
    batches = iter(loader)
    step(*next(batches))
    start = time.perf_counter()
    for _ in range(MEASURED_STEPS):
        loss = step(*next(batches))
    print(f"{(time.perf_counter() - start) / MEASURED_STEPS * 1e3:.1f} ms a step, loss {loss:.3f}")


if __name__ == "__main__":
    main()
