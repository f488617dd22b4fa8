# SPDX-License-Identifier: Apache-2.0
"""Small models, and endless random data for them."""
import torch
from torch import nn

CLASSES = 10
IMAGE_SIZE = 64


def wide_mlp(width=1024, inputs=512):
    """Few operators that take long."""
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, CLASSES))


def deep_mlp(layers=150, width=64):
    """Many small parameters."""
    hidden = [part for _ in range(layers) for part in (nn.Linear(width, width), nn.ReLU())]
    return nn.Sequential(*hidden, nn.Linear(width, CLASSES))


def small_cnn():
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(2 * IMAGE_SIZE**2, CLASSES))


class TokenClassifier(nn.Module):
    """A small transformer that gives a class to a sequence of words."""

    def __init__(self, words=1000, width=128, layers=4):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        layer = nn.TransformerEncoderLayer(width, nhead=4, dim_feedforward=2 * width, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.head = nn.Linear(width, CLASSES)

    def forward(self, tokens):
        return self.head(self.encoder(self.embedding(tokens)).mean(dim=1))


def vectors(batch, inputs=512):
    """Batches that cost next to nothing: made once, given for ever."""
    batches = [(torch.randn(batch, inputs), torch.randint(CLASSES, (batch,))) for _ in range(8)]
    while True:
        yield from batches


def sentences(batch, length=32, words=1000):
    batches = [(torch.randint(words, (batch, length)), torch.randint(CLASSES, (batch,))) for _ in range(8)]
    while True:
        yield from batches
