# SPDX-License-Identifier: Apache-2.0
"""The old viewer's tensor-core rules by name, kept until the contract states new ones."""

_KERNEL_TOKENS = """h884 s884 h1688 s1688 hmma i8816 16816 dgrad_1x1_stride_2x2 first_layer_wgrad_kernel conv1x1
    conv2d_c1_k1 direct_group xmma_implicit_gemm xmma_sparse_conv xmma_warp_specialized_implicit_gemm xmma_gemm
    xmma_sparse_gemm c1688""".split()

_ELIGIBLE = {"aten::" + name for name in """_convolution conv1d conv2d conv3d conv_tbc conv_transpose1d
    conv_transpose2d conv_transpose3d convolution cudnn_convolution cudnn_convolution_transpose prelu addmm addmv addr
    matmul mm mv linear addbmm baddbmm bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell
    lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell cudnn_convolution_backward cudnn_convolution_backward_weight
    cudnn_convolution_backward_input cudnn_convolution_transpose_backward cudnn_convolution_transpose_backward_weight
    cudnn_convolution_transpose_backward_input addmm_""".split()}
_ELIGIBLE |= {name + "Backward" for name in
              "CudnnConvolution CudnnConvolutionTranspose Mm Addmv Mv Addmm Addbmm".split()} | {"BmmBackward0"}


def uses_tensor_core(kernel_name):
    return any(token in kernel_name for token in _KERNEL_TOKENS)


def eligible_by_name(operator_name):
    return operator_name in _ELIGIBLE
