# SPDX-License-Identifier: Apache-2.0
def backward(tensors):
    return "gradients"
