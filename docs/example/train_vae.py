# SPDX-License-Identifier: Apache-2.0
"""A variational autoencoder with ranges of its own and a common mistake, and the same training without it: the example of
"Run it short" and "Turn a profiler on" in docs/guide.md.

usage: train_vae.py [--epochs N] [--seed N] [--fixed]

The images are strokes on 28 x 28 pixels, drawn here, so nothing is downloaded. As written, every image is made a tensor of
floats, scaled and binarized when it is asked for; with --fixed all of them are, once. The numbers are the same.
"""
import argparse
import time

import torch
from torch import nn
from torch.profiler import record_function
from torch.utils.data import DataLoader, Dataset, TensorDataset

PIXELS = 28 * 28


def draw(count, seed):
    """`count` images of one thick stroke each, as bytes."""
    generator = torch.Generator().manual_seed(seed)
    ends = torch.rand(count, 4, 1, 1, generator=generator) * 20 + 4
    y, x = torch.meshgrid(torch.arange(28.0), torch.arange(28.0), indexing="ij")
    from_x, from_y, to_x, to_y = ends.unbind(1)
    along = ((x - from_x) * (to_x - from_x) + (y - from_y) * (to_y - from_y)) / ((to_x - from_x) ** 2 + (to_y - from_y) ** 2 + 1e-3)
    along = along.clamp(0, 1)
    distance = ((x - from_x - along * (to_x - from_x)) ** 2 + (y - from_y - along * (to_y - from_y)) ** 2).sqrt()
    return ((2.5 - distance).clamp(0, 1) * 255).to(torch.uint8)


def prepare(image):
    """What torchvision's transforms do to an image, step by step."""
    image = image.to(torch.float32).div(255)
    image = (image - 0.1307).div(0.3081)
    image = image.mul(0.3081).add(0.1307)
    return image.gt(0.5).to(torch.float32).flatten(-2)


class Strokes(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return (prepare(self.images[index]),)


class Vae(nn.Module):
    def __init__(self, hidden=64, latent=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(PIXELS, hidden), nn.ReLU(), nn.Linear(hidden, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, PIXELS))

    def forward(self, x):
        with record_function("encode"):
            mean, log_variance = self.encoder(x).chunk(2, dim=1)
        with record_function("reparameterize"):
            z = mean + torch.randn_like(mean) * (log_variance / 2).exp()
        with record_function("decode"):
            return self.decoder(z), mean, log_variance


def loss_of(output, x):
    logits, mean, log_variance = output
    with record_function("loss"):
        reconstruction = nn.functional.binary_cross_entropy_with_logits(logits, x, reduction="sum")
        divergence = -0.5 * torch.sum(1 + log_variance - mean**2 - log_variance.exp())
        return (reconstruction + divergence) / len(x)


def loader_of(count, seed, fixed, shuffle=False):
    images = draw(count, seed)
    data = TensorDataset(prepare(images)) if fixed else Strokes(images)
    return DataLoader(data, batch_size=100, shuffle=shuffle)


def evaluate(model, loader):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for (x,) in loader:
            total += loss_of(model(x), x).item()
    model.train()
    return total / len(loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fixed", action="store_true")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(1)
    train = loader_of(6000, 1, arguments.fixed, shuffle=True)
    val, test = loader_of(1000, 2, arguments.fixed), loader_of(1000, 3, arguments.fixed)
    model = Vae()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    batches, began = 0, time.perf_counter()
    for epoch in range(arguments.epochs):
        with record_function("epoch"):
            for (x,) in train:
                with record_function("train batch"):
                    optimizer.zero_grad()
                    loss = loss_of(model(x), x)
                    loss.backward()
                    optimizer.step()
                batches += 1
        seconds = time.perf_counter() - began
        print(f"epoch {epoch}: loss {evaluate(model, val):.3f}, {seconds / max(batches, 1) * 1e3:.2f} ms a batch so far", flush=True)
        torch.save(model.state_dict(), "vae.pt")
    print(f"test: loss {evaluate(model, test):.3f}")


if __name__ == "__main__":
    main()
