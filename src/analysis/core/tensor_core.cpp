// SPDX-License-Identifier: Apache-2.0
// The table of kernel names that use tensor or matrix cores, and the list of operators that could.
#include "analysis/core/tensor_core.h"

#include <algorithm>
#include <array>

namespace telltale {

namespace {

using enum NameMatch;

constexpr bool kYes = true;
constexpr bool kNo = false;

// The rules that answer no come first and stand only where a rule below would answer yes;
// everything that matches nothing (elementwise, reductions, softmax, gemv, copies, NCCL, Winograd
// …) is no anyway. TF32, FP16, BF16, FP8, FP4, INT8, FP64 and complex products on these units all
// count.
constexpr auto kRules = std::to_array<TensorCoreRule>({
    // No: helpers and CUDA-core variants of what follows.
    {kNo, kWord, "triton_poi_", "", "Inductor pointwise", "triton_poi_fused_convolution_relu_3"},
    {kNo, kWord, "triton_red_", "", "Inductor reduction", "triton_red_fused_mm_mean_1"},
    {kNo, kWord, "triton_per_", "", "Inductor persistent reduction",
     "triton_per_fused_bmm_softmax_2"},
    {kNo, kContains, "_reduce_k", "triton_tem_", "Inductor split-K: the sum after the product",
     "triton_tem_fused_addmm_0_reduce_k"},
    {kNo, kAnyCase, "simt", "", "CUTLASS on CUDA cores",
     "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(…)"},
    {kNo, kContains, "_ffma_", "", "cuBLAS and cuDNN xmma on CUDA cores",
     "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_"
     "alignc4_execute_kernel__5x_cublas"},
    {kNo, kContains, "UniversalFMA", "", "CUTLASS 3 on CUDA cores",
     "void cutlass::device_kernel<…MainloopSm80CpAsync…cute::MMA_Atom<cute::UniversalFMA<float…"},
    {kNo, kContains, "sm50_xmma", "", "Maxwell has no tensor cores",
     "sm50_xmma_fprop_implicit_gemm_f32f32_f32_f32_nchwkcrs_nchw_tilesize128x64x8"},
    {kNo, kContains, "sm60_xmma", "", "Pascal has no tensor cores",
     "sm60_xmma_fprop_implicit_gemm_f16f16_f16_f16_nchwkcrs_nchw"},
    {kNo, kContains, "conv2d_c1_k1", "", "cuDNN depthwise: no matrix product",
     "void conv2d_c1_k1_nhwc_kernel<__half, 5, 7, 3, 3>(…)"},
    {kNo, kContains, "FlashAttnBwdPostprocess", "", "FlashAttention 3: converts dQ",
     "void cutlass::device_kernel<flash::FlashAttnBwdPostprocessConvertdQ<…GMMA…>>"},
    {kNo, kContains, "BackwardPostprocess", "", "FlashAttention 4: converts dQ",
     "kernel_cutlass_kernel_flash_attncuteflash_bwd_postprocessFlashAttentionBackwardPostprocess_"
     "…"},
    {kNo, kContains, "SplitKVCombine", "", "Composable Kernel: joins partial results",
     "void ck_tile::kentry<2, ck_tile::FmhaFwdSplitKVCombineKernel<…WarpGemmMfma…>>"},
    {kNo, kContains, "AppendKV", "", "Composable Kernel: writes the key/value cache",
     "void ck_tile::kentry<2, ck_tile::FmhaFwdAppendKVKernel<…>>(…)"},
    {kNo, kContains, "bwd_preprocess", "", "Triton attention: rowwise product sums",
     "_attn_bwd_preprocess"},
    {kNo, kContains, "_odo", "fmha_bwd", "AITER: rowwise product of O and dO",
     "_ZN5aiter23fmha_bwd_hd128_odo_bf16E"},
    {kNo, kContains, "dq_convert", "fmha_bwd", "AITER: converts dQ",
     "_ZN5aiter30fmha_bwd_hd128_dq_convert_bf16E"},
    {kNo, kContains, "dq_shuffle", "fmha_bwd", "AITER: converts dQ",
     "_ZN5aiter25fmha_bwd_hd128_dq_shuffleE"},

    // NVIDIA: the MMA instruction's shape in the name.
    {kYes, kMmaShape, "884", "", "Volta FP16; Ampere FP64",
     "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"},
    {kYes, kMmaShape, "1688", "", "Turing FP16; Ampere TF32",
     "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn"},
    {kYes, kMmaShape, "8816", "", "Turing INT8",
     "turing_int8_i8816cudnn_int8_256x128_ldg16_relu_small_nt_v1"},
    {kYes, kMmaShape, "8832", "", "Turing INT4",
     "turing_int4_i8832cudnn_int4_256x128_ldg16_relu_nt_v1"},
    {kYes, kMmaShape, "16816", "", "Ampere FP16 and BF16",
     "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn"},
    {kYes, kMmaShape, "16832", "", "Ampere INT8; Ada FP8",
     "ampere_int8_i16832gemm_int8_128x128_ldg16_stages_64x3_tn"},
    {kYes, kMmaShape, "161616", "", "WMMA",
     "void "
     "cutlass::Kernel2<cutlass_75_wmma_tensorop_bf16_s161616gemm_bf16_32x32_32x1_nn_align1>(…)"},
    {kYes, kAnyCase, "hmma", "", "Volta and later",
     "void xmma_cudnn::gemm::kernel<…Ampere_hmma_fp16_traits…>(…)"},
    {kYes, kContains, "wmma", "", "cuDNN, CUTLASS; AMD RDNA WMMA",
     "cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_f16_knob_3_64x64x128_4x1x1_kernel0_0"},

    // NVIDIA: cuBLAS and cuDNN.
    {kYes, kContains, "xmma_", "", "cuBLAS, cuDNN, sm70 to sm120",
     "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
     "segment_"
     "k_off_kernel__5x_cublas"},
    {kYes, kWord, "nvjet_", "", "cuBLAS on Hopper and Blackwell",
     "nvjet_sm100_tst_128x256_64x6_2x1_2cta_v_bz_TNT"},
    {kYes, kWord, "dgrad_1x1_stride_2x2", "", "cuDNN 7 and 8",
     "void dgrad_1x1_stride_2x2<__half…>(…)"},
    {kYes, kContains, "first_layer_wgrad_kernel", "", "cuDNN 7 and 8",
     "void cudnn::cnn::first_layer_wgrad_kernel<…>(…)"},
    {kYes, kWord, "conv1x1", "", "cuDNN 7 and 8", "void conv1x1_kernel<__half…>(…)"},
    {kYes, kContains, "direct_group", "", "cuDNN 7 and 8", "turing_direct_group_conv_fp16_nhwc"},

    // NVIDIA: CUTLASS.
    {kYes, kContains, "tensorop", "", "CUTLASS, cuBLAS, cuDNN",
     "void "
     "cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_nhwc_"
     "align8>(…)"},
    {kYes, kContains, "MmaTensorOp", "", "CUTLASS 2, full name",
     "_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolutionI…11MmaTensorOpI…"},
    {kYes, kContains, "OpClassTensorOp", "", "CUTLASS 2 and 3, full name",
     "void cutlass::Kernel<…cutlass::arch::OpClassTensorOp…>(…)"},
    {kYes, kContains, "TensorOpMultiplicand", "", "CUTLASS 2, full name",
     "void cutlass::Kernel<…cutlass::layout::TensorOpMultiplicandCongruous<32, 32>…>(…)"},
    {kYes, kContains, "MainloopSm", "", "CUTLASS 3, sm80 to sm120",
     "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, "
     "int>, "
     "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<"
     "7…"},
    {kYes, kAnyCase, "gmma", "", "Hopper", "gemm_bf16_128x128x64_wgmma"},
    {kYes, kContains, "SM80_16x8", "", "CuTe atom, Ampere",
     "void kernel<…cute::MMA_Atom<cute::SM80_16x8x16_F32BF16BF16F32_TN>…>(…)"},
    {kYes, kContains, "SM90_64x", "", "CuTe atom, Hopper",
     "void kernel<…cute::SM90_64x128x16_F32BF16BF16_SS<…>…>(…)"},
    {kYes, kContains, "SM100_MMA", "", "CuTe atom, Blackwell",
     "void kernel<…cute::SM100_MMA_F16BF16_SS<…>…>(…)"},
    {kYes, kContains, "SM120_16x8", "", "CuTe atom, Blackwell RTX",
     "void kernel<…cute::SM120_16x8x32_TN<…>…>(…)"},
    {kYes, kWord, "kernel_cutlass", "Gemm", "CuTe DSL",
     "kernel_cutlass_kernel___main__PersistentDenseGemmKernel_object_at__…"},
    {kYes, kWord, "kernel_cutlass", "gemm", "CuTe DSL", "kernel_cutlass_kernel_blackwell_gemm_…"},

    // NVIDIA: Blackwell.
    {kYes, kAnyCase, "utcmma", "", "Blackwell", "sm100_gemm_utcmma_f16_128x256"},
    {kYes, kAnyCase, "tcgen05", "", "Blackwell", "matmul_tcgen05_kernel"},
    {kYes, kContains, "UMMA", "", "Blackwell, CuTe and DeepGEMM",
     "void deep_gemm::sm100_bf16_gemm_impl<(cute::UMMA::Major)0, (cute::UMMA::Major)0, 0u…>(…)"},
    {kYes, kContains, "_umma", "", "Blackwell", "gemm_umma_bf16_kernel"},
    {kYes, kWord, "sm100_", "gemm", "Blackwell", "sm100_fp4_grouped_gemm"},
    {kYes, kWord, "sm100_", "fmha", "Blackwell", "sm100_fmha_fwd_kernel_tma_warpspecialized"},
    {kYes, kWord, "sm120_", "gemm", "Blackwell RTX", "sm120_gemm_fp8_blockwise"},
    {kYes, kWord, "bmm_", "_sm100", "TensorRT-LLM, Blackwell",
     "bmm_E2m1_E2m1E2m1_Fp32_Ab16_Bb16_Cb16_t128x8x512_s5_et128x8_m128x8x64_…_dynBatch_sm100f"},

    // Attention.
    {kYes, kWord, "flash_fwd_kernel", "", "FlashAttention 2",
     "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, "
     "4…>(…)"},
    {kYes, kWord, "flash_fwd_splitkv_kernel", "", "FlashAttention 2",
     "void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4…>(…)"},
    {kYes, kWord, "flash_fwd_splitkv_mla_kernel", "", "FlashMLA",
     "void flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<576, 64, 64, 8…>(…)"},
    {kYes, kWord, "flash_bwd_dq_dk_dv", "", "FlashAttention 2",
     "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<…>(…)"},
    {kYes, kContains, "FlashAttnFwdSm", "", "FlashAttention 3",
     "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<…"},
    {kYes, kContains, "FlashAttnBwdSm", "", "FlashAttention 3",
     "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnBwdSm90<…"},
    {kYes, kContains, "FlashAttentionForwardSm", "", "FlashAttention 4",
     "kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100_object_at__"
     "tensor…"},
    {kYes, kContains, "FlashAttentionBackwardSm", "", "FlashAttention 4",
     "kernel_cutlass_kernel_flash_attncuteflash_bwd_sm100FlashAttentionBackwardSm100_object_at__"
     "tensor…"},
    {kYes, kContains, "cudnn_generated_fort_native_sdpa", "", "cuDNN attention",
     "cudnn_generated_fort_native_sdpa_sm100_flash_fprop_f16_knob_3_64x64x128_4x1x1"},
    {kYes, kWord, "fmha_cutlass", "_sm80", "memory-efficient attention; FP32 runs as 3×TF32",
     "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<…>::"
     "Params)"},
    {kYes, kWord, "fmha_cutlassF_f16", "_sm7", "memory-efficient attention, Volta and Turing",
     "fmha_cutlassF_f16_aligned_64x64_rf_sm75(…)"},
    {kYes, kWord, "fmha_cutlassB_f16", "_sm7", "memory-efficient attention, Volta and Turing",
     "fmha_cutlassB_f16_aligned_64x64_k64_sm70(…)"},
    {kYes, kContains, "AttentionKernel<", "arch::Sm80", "xFormers",
     "void attention_kernel_batched_impl<AttentionKernel<cutlass::half_t, "
     "cutlass::arch::Sm80…>>(…)"},
    {kYes, kContains, "AttentionBackwardKernel<", "arch::Sm80", "xFormers",
     "void "
     "attention_kernel_backward_batched_impl<AttentionBackwardKernel<cutlass::arch::Sm80…>>(…)"},
    {kYes, kWord, "fmha_v2_flash_attention", "", "TensorRT-LLM, Transformer Engine",
     "fmha_v2_flash_attention_bf16_64_128_S_128_causal_sm90_kernel"},
    {kYes, kWord, "fmhaSm1", "", "TensorRT-LLM, Blackwell",
     "fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvCausalP64VarSeqQ128Kv128PersistentContext"},
    {kYes, kWord, "fmha_fwd_loop_kernel", "", "FlashAttention 1",
     "void fmha_fwd_loop_kernel<…>(…)"},
    {kYes, kWord, "fmha_bwd_dq_dk_dv_loop_kernel", "", "FlashAttention 1",
     "void fmha_bwd_dq_dk_dv_loop_kernel<…>(…)"},
    {kYes, kContains, "PrefillWith", "", "FlashInfer; Composable Kernel",
     "void flashinfer::BatchPrefillWithPagedKVCacheKernel<…>(…)"},
    {kYes, kWord, "qk_int8_sv_", "", "SageAttention",
     "void qk_int8_sv_f8_accum_f32_attn_kernel<…>(…)"},

    // Low precision and grouped products.
    {kYes, kContains, "deep_gemm", "_impl", "DeepGEMM",
     "void deep_gemm::sm90_fp8_gemm_1d2d_impl<…>(…)"},
    {kYes, kContains, "deep_gemm", "gemm_kernel", "DeepGEMM",
     "void deep_gemm::fp8_gemm_kernel<7168u, 2048u, 128u…>(…)"},
    {kYes, kWord, "Marlin", "", "Marlin",
     "void marlin::Marlin<__nv_bfloat16, 1125899907892224l, 256…>(…)"},
    {kYes, kContains, "tinygemm_m16n8k16", "", "torch INT4 product",
     "void at::native::tinygemm_m16n8k16_chunk_kernel<…>(…)"},

    // Triton: kernels built on tl.dot, which compiles to MMA or MFMA.
    {kYes, kWord, "triton_tem_", "", "Inductor templates: mm, bmm, conv, flex_attention",
     "triton_tem_fused_flex_attention_0"},
    {kYes, kTriton, "triton_mm", "", "Inductor autotuning", "triton_mm_12"},
    {kYes, kTriton, "triton_bmm", "", "Inductor autotuning", "triton_bmm_3"},
    {kYes, kTriton, "triton_addmm", "", "Inductor autotuning", "triton_addmm_7"},
    {kYes, kTriton, "triton_convolution", "", "Inductor autotuning", "triton_convolution2d_4"},
    {kYes, kTriton, "triton_flex_", "", "Inductor autotuning", "triton_flex_attention_0"},
    {kYes, kTriton, "attn_fwd", "", "AOTriton", "attn_fwd"},
    {kYes, kTriton, "bwd_kernel_d", "", "AOTriton", "bwd_kernel_dk_dv"},
    {kYes, kTriton, "bwd_kernel_fuse", "", "AOTriton", "bwd_kernel_fuse"},
    {kYes, kTriton, "_attn_fwd", "", "Triton attention", "_attn_fwd"},
    {kYes, kTriton, "_attn_bwd", "", "Triton attention", "_attn_bwd"},
    {kYes, kTriton, "kernel_unified_attention", "", "vLLM", "kernel_unified_attention_2d"},
    {kYes, kTriton, "fused_moe_kernel", "", "vLLM, SGLang", "fused_moe_kernel"},
    {kYes, kTriton, "_matmul_ogs", "", "triton_kernels",
     "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu"},
    {kYes, kTriton, "_p_matmul_ogs", "", "triton_kernels",
     "_p_matmul_ogs_NNT_bf16xbf16xmxfp4_32x256"},
    {kYes, kTriton, "_w8a8_block_fp8_matmul", "", "vLLM, SGLang", "_w8a8_block_fp8_matmul"},
    {kYes, kTriton, "matmul_kernel", "", "Triton", "matmul_kernel_persistent"},

    // AMD.
    {kYes, kContains, "Cijk_", "_MI16x16", "Tensile: rocBLAS, hipBLASLt",
     "Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT16x16x256_MI16x16x1_SN_LDSB1_…"},
    {kYes, kContains, "Cijk_", "_MI32x32", "Tensile: rocBLAS, hipBLASLt",
     "Cijk_Ailk_Bjlk_BBS_BH_Bias_HAS_SAV_UserArgs_MT128x64x32_MI32x32x1_SN_LDSB0_…"},
    {kYes, kContains, "Cijk_", "_MI4x4", "Tensile: rocBLAS, hipBLASLt",
     "Cijk_Ailk_Bljk_HBH_MT16x64x32_MI4x4x4x16_SE_1LDSB0_…"},
    {kYes, kAnyCase, "mfma", "", "AMD",
     "void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, __hip_bfloat16…>(…)"},
    {kYes, kAnyCase, "xdl", "", "Composable Kernel, MIOpen",
     "_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3I…"},
    {kYes, kWord, "igemm_", "_gtcx", "MIOpen implicit GEMM on MFMA",
     "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2_…_gkgs"},
    {kYes, kContains, "FmhaFwd", "ck_tile", "Composable Kernel attention",
     "void ck_tile::kentry<2, ck_tile::FmhaFwdKernel<ck_tile::BlockFmhaPipelineQRKSVSAsync<…>>(…)"},
    {kYes, kContains, "FmhaBwdDQDKDV", "", "Composable Kernel attention",
     "void ck_tile::kentry<1, ck_tile::FmhaBwdDQDKDVKernel<…>>(…)"},
    {kYes, kContains, "GemmKernel", "ck_tile", "Composable Kernel",
     "void ck_tile::kentry<1, ck_tile::GemmKernel<…>>(…)"},
    {kYes, kWord, "fmha_fwd_hd", "", "AITER", "_ZN5aiter24fmha_fwd_hd128_bf16_rtneE"},
    {kYes, kWord, "fmha_bwd_hd", "", "AITER",
     "_ZN5aiter45fmha_bwd_hd128_bf16_causal_a32_rtne_psskddvE"},
    {kYes, kWord, "bf16gemm_", "aiter", "AITER", "aiter::bf16gemm_fp32bf16_tn_64x64_splitk_clean"},
    {kYes, kWord, "f4gemm_", "aiter", "AITER", "aiter::f4gemm_bf16_per1x32Fp4_BpreShuffle_256x256"},
    {kYes, kWord, "fmoe_", "aiter", "AITER",
     "aiter::fmoe_bf16_blockscaleFp8_g1u1_novs_silu_1tg_32x256"},
    {kYes, kWord, "mla_a", "aiter", "AITER", "aiter::mla_a16w16_qh16_m16x4_n16x1_coex0_mask1"},
});

// Sorted, for binary search. The list of the old TensorBoard plugin, prelu and the matrix-vector
// products included, then what torch 2 added.
constexpr auto kEligible = std::to_array<std::string_view>({
    "AddbmmBackward",
    "AddbmmBackward0",
    "AddmmBackward",
    "AddmmBackward0",
    "AddmmBackward1",
    "AddmvBackward",
    "AddmvBackward0",
    "BaddbmmBackward0",
    "BmmBackward0",
    "ConvolutionBackward0",
    "ConvolutionBackwardBackward0",
    "CudnnConvolutionBackward",
    "CudnnConvolutionBackward0",
    "CudnnConvolutionTransposeBackward",
    "CudnnConvolutionTransposeBackward0",
    "FlashAttnFunc",
    "FlashAttnFuncBackward",
    "FlashAttnVarlenFunc",
    "FlashAttnVarlenFuncBackward",
    "GroupedMmBackward0",
    "LinearBackward0",
    "MatmulBackward0",
    "MiopenConvolutionBackward0",
    "MkldnnConvolutionBackward0",
    "MmBackward",
    "MmBackward0",
    "MvBackward",
    "MvBackward0",
    "ScaledDotProductCudnnAttentionBackward0",
    "ScaledDotProductEfficientAttentionBackward0",
    "ScaledDotProductFlashAttentionBackward0",
    "aten::_addmm_activation",
    "aten::_convolution",
    "aten::_convolution_double_backward",
    "aten::_cudnn_attention_backward",
    "aten::_cudnn_attention_forward",
    "aten::_cudnn_rnn",
    "aten::_cudnn_rnn_backward",
    "aten::_efficient_attention_backward",
    "aten::_efficient_attention_forward",
    "aten::_flash_attention_backward",
    "aten::_flash_attention_forward",
    "aten::_grouped_mm",
    "aten::_int_mm",
    "aten::_scaled_dot_product_attention_math",
    "aten::_scaled_dot_product_cudnn_attention",
    "aten::_scaled_dot_product_cudnn_attention_backward",
    "aten::_scaled_dot_product_efficient_attention",
    "aten::_scaled_dot_product_efficient_attention_backward",
    "aten::_scaled_dot_product_flash_attention",
    "aten::_scaled_dot_product_flash_attention_backward",
    "aten::_scaled_dot_product_fused_attention_overrideable",
    "aten::_scaled_dot_product_fused_attention_overrideable_backward",
    "aten::_scaled_grouped_mm",
    "aten::_scaled_mm",
    "aten::_slow_conv2d_backward",
    "aten::_slow_conv2d_forward",
    "aten::_thnn_fused_gru_cell",
    "aten::_thnn_fused_lstm_cell",
    "aten::_weight_int4pack_mm",
    "aten::_weight_int8pack_mm",
    "aten::addbmm",
    "aten::addmm",
    "aten::addmm_",
    "aten::addmv",
    "aten::addr",
    "aten::baddbmm",
    "aten::baddbmm_",
    "aten::bilinear",
    "aten::bmm",
    "aten::chain_matmul",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::conv_tbc",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d",
    "aten::conv_transpose3d",
    "aten::convolution",
    "aten::convolution_backward",
    "aten::convolution_overrideable",
    "aten::cudnn_convolution",
    "aten::cudnn_convolution_add_relu",
    "aten::cudnn_convolution_backward",
    "aten::cudnn_convolution_backward_input",
    "aten::cudnn_convolution_backward_weight",
    "aten::cudnn_convolution_relu",
    "aten::cudnn_convolution_transpose",
    "aten::cudnn_convolution_transpose_backward",
    "aten::cudnn_convolution_transpose_backward_input",
    "aten::cudnn_convolution_transpose_backward_weight",
    "aten::einsum",
    "aten::gru_cell",
    "aten::linalg_multi_dot",
    "aten::linear",
    "aten::linear_backward",
    "aten::lstm_cell",
    "aten::matmul",
    "aten::matmul_backward",
    "aten::miopen_convolution",
    "aten::miopen_convolution_add_relu",
    "aten::miopen_convolution_backward",
    "aten::miopen_convolution_relu",
    "aten::miopen_convolution_transpose",
    "aten::miopen_depthwise_convolution",
    "aten::mkldnn_convolution",
    "aten::mm",
    "aten::mv",
    "aten::prelu",
    "aten::rnn_relu_cell",
    "aten::rnn_tanh_cell",
    "aten::scaled_dot_product_attention",
    "aten::slow_conv3d",
    "aten::slow_conv3d_forward",
    "aten::slow_conv_transpose2d",
    "aten::slow_conv_transpose3d",
    "aten::thnn_conv2d",
});
static_assert(std::is_sorted(kEligible.begin(), kEligible.end()));

constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool IsLetter(char c) { return Lower(c) >= 'a' && Lower(c) <= 'z'; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool ContainsAnyCase(std::string_view name, std::string_view lower_pattern) {
  return std::search(name.begin(), name.end(), lower_pattern.begin(), lower_pattern.end(),
                     [](char a, char b) { return Lower(a) == b; }) != name.end();
}

bool ContainsWord(std::string_view name, std::string_view pattern) {
  for (size_t at = name.find(pattern); at != name.npos; at = name.find(pattern, at + 1)) {
    if (at == 0 || !(IsLetter(name[at - 1]) || name[at - 1] == '_')) return true;
  }
  return false;
}

bool IsTritonName(std::string_view name, std::string_view pattern) {
  return name.starts_with(pattern) && std::all_of(name.begin(), name.end(), [](char c) {
           return IsLetter(c) || IsDigit(c) || c == '_';
         });
}

// The letter before the shape is the accumulator's type (h, s, i, c, d); before that letter the
// name of another part ends, so that 884 inside a number or hash does not count.
bool ContainsMmaShape(std::string_view name, std::string_view digits) {
  constexpr std::string_view kTypeLetters = "hsicd";
  for (size_t at = name.find(digits); at != name.npos; at = name.find(digits, at + 1)) {
    const size_t after = at + digits.size();
    if (at < 1 || after >= name.size() || !IsLetter(name[after])) continue;
    if (kTypeLetters.find(name[at - 1]) == kTypeLetters.npos) continue;
    if (at == 1 || !(IsLetter(name[at - 2]) || IsDigit(name[at - 2]))) return true;
  }
  return false;
}

bool MatchesPattern(const TensorCoreRule& rule, std::string_view name) {
  switch (rule.match) {
    case kContains:
      return name.find(rule.pattern) != name.npos;
    case kAnyCase:
      return ContainsAnyCase(name, rule.pattern);
    case kWord:
      return ContainsWord(name, rule.pattern);
    case kTriton:
      return IsTritonName(name, rule.pattern);
    case kMmaShape:
      return ContainsMmaShape(name, rule.pattern);
  }
  return false;
}

bool Matches(const TensorCoreRule& rule, std::string_view name) {
  return MatchesPattern(rule, name) && (rule.also.empty() || name.find(rule.also) != name.npos);
}

}  // namespace

std::span<const TensorCoreRule> TensorCoreRules() { return kRules; }

bool UsesTensorCores(std::string_view kernel_name) {
  // How ROCm may call a kernel's descriptor.
  if (kernel_name.ends_with(".kd")) kernel_name.remove_suffix(3);
  for (const TensorCoreRule& rule : kRules) {
    if (Matches(rule, kernel_name)) return rule.uses_tensor_cores;
  }
  return false;
}

bool IsTensorCoreEligible(std::string_view operator_name) {
  const std::string_view without_overload = operator_name.substr(0, operator_name.find('.'));
  return std::binary_search(kEligible.begin(), kEligible.end(), without_overload);
}

}  // namespace telltale
