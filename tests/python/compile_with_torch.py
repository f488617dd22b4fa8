#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: PYTHON_WITH_TORCH tests/python/compile_with_torch.py TELLTALE

torch.compile makes of a program what it makes without us: `--profile simple` breaks no graph, also where modules have hooks, modes
change and `fullgraph` makes a break an error. The program prints its results and what the compiler counted.
"""
import os
import subprocess
import sys
import tempfile

PROGRAM = """
import torch
import torch._dynamo
class Inner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
    def forward(self, x):
        return self.layer(x).relu()
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Inner(), Inner()
    def forward(self, x):
        return self.second(self.first(x)).sum()
torch.manual_seed(0)
net, x = Net(), torch.ones(2, 4)
net.first.register_forward_hook(lambda module, given, output: output * 2)
def without_gradients(x):
    with torch.no_grad():
        y = net(x)
    return y + net(x)
for name, function in (("module", net), ("function", without_gradients), ("Sequential", torch.nn.Sequential(Inner(), Inner()))):
    compiled = torch.compile(function, backend="eager", fullgraph=True)
    print(name, torch.allclose(compiled(x), function(x)), torch.allclose(compiled(x), function(x)))
net.eval()
print("eval", torch.compile(lambda x: net(x).sin(), backend="eager", fullgraph=True)(x).item())
print(dict(torch._dynamo.utils.counters["graph_break"]), dict(torch._dynamo.utils.counters["stats"]))
"""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().split("\n", 1)[0])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        bare = subprocess.run([sys.executable, path], cwd=folder, capture_output=True, text=True, check=True)
        ours = subprocess.run([os.path.abspath(sys.argv[1]), "run", "--profile", "simple", "--", sys.executable, path], cwd=folder,
                              capture_output=True, text=True, check=False)
    assert (ours.returncode, ours.stdout) == (0, bare.stdout), f"without us\n{bare.stdout}\nwith us, exit code {ours.returncode}\n{ours.stdout}{ours.stderr}"
    print(bare.stdout.strip().splitlines()[-1])


if __name__ == "__main__":
    main()
