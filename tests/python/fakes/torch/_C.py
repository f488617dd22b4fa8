# SPDX-License-Identifier: Apache-2.0
def is_grad_enabled():
    import torch

    return torch.is_grad_enabled()
