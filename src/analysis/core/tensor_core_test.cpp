// SPDX-License-Identifier: Apache-2.0
// Kernel names as they stand in traces of V100, A100, H100, B200, MI210, MI250 and MI300, judged by
// hand.
#include "analysis/core/tensor_core.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace telltale {
namespace {

class OnTensorCores : public testing::TestWithParam<std::string_view> {};
class NotOnTensorCores : public testing::TestWithParam<std::string_view> {};

TEST_P(OnTensorCores, AnswersYes) { EXPECT_TRUE(UsesTensorCores(GetParam())) << GetParam(); }
TEST_P(NotOnTensorCores, AnswersNo) { EXPECT_FALSE(UsesTensorCores(GetParam())) << GetParam(); }

INSTANTIATE_TEST_SUITE_P(
    Nvidia, OnTensorCores,
    testing::Values(
        "volta_h884gemm_256x64_ldg8_tn",
        "volta_fp16_s884cudnn_fp16_256x128_ldg8_relu_exp_small_nhwc_tn_v1",
        "cutlass_70_tensorop_f16_s884gemm_f16_128x128_nn_align8",
        "turing_h1688gemm_128x128_ldg8_nn",
        "turing_fp16_s1688cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc_tn_v1",
        "ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn",
        "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
        "ampere_h16816gemm_64x64_ldg8_nn",
        "void "
        "cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align1>(cutlass_75_"
        "tensorop_bf16_s1688gemm_bf16_128x128_nn_align1::Params)",
        "void "
        "cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_64x1_nn_align8>("
        "cutlass_"
        "80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_64x1_nn_align8::Params)",
        "void "
        "cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_16x6_nt_align4>(cutlass_80_tensorop_"
        "s1688gemm_64x64_16x6_nt_align4::Params)",
        "void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_nt_align1>(…)",
        "void "
        "cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688dgrad_optimized_tf32_64x256_16x4_nhwc_"
        "align4>(cutlass_tensorop_s1688dgrad_optimized_tf32_64x256_16x4_nhwc_align4::Params)",
        "void "
        "cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_"
        "nhwc_"
        "align8>(…)",
        "sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x64x64_"
        "stage4_"
        "warpsize2x2x1_g1_tensor16x8x8_execute_kernel_cudnn_train",
        "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize256x64x32_stage3_"
        "warpsize4x1x1_g1_tensor16x8x16_execute_kernel__5x_cudnn",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
        "segment_k_"
        "off_kernel__5x_cublas",
        "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_"
        "warpgroupsize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn",
        "sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x64x64_stage4_warpsize2x2x1_"
        "tensor16x8x32_"
        "execute_kernel__5x_cublas",
        "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNN", "nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT",
        "nvjet_sm100_tst_64x16_64x16_2x4_2cta_h_bz_splitK_bias_TNT",
        "cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_2x1x1_0_ntn_"
        "align8_"
        "warpspecialized_pingpong_epi_tma",
        "cutlass3x_sm100_tensorop_h256x256x16gemm_f16_f16_f16_f16_f16_256x256x64_0_nnn_align8_2sm",
        "cutlass3x_sm100_bstensorop_s256x128x64gemm_block_scaled_ue4m3xf4_ue4m3xf4_f32_bf16_bf16",
        "sm100_xmma_fprop_implicit_gemm_f16f16_f16f32_nhwc",
        "void "
        "cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::kernel::"
        "GemmUniversal<cute::tuple<int, int, int, int>, "
        "cutlass::gemm::collective::CollectiveMma<cutlass::"
        "gemm::MainloopSm90TmaGmmaWarpSpecializedFP8<7…",
        "_ZN7cutlass13device_kernelIN10flashinfer4gemm50DeviceGemmFp4GemmSm100_float_128_128_256_1_"
        "1_1_"
        "1SM12Sm10x11xOnlyINS_4gemm6kernel13GemmUniversalIN4cute5tupleIJiiiiEEENS5_"
        "10collective13Collective"
        "MmaINS5_46MainloopSm100TmaUmmaWarpSpecializedBlockScaledILi5E…",
        "_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS1_"
        "11threadblock22Implicit"
        "GemmMultistageINS_4gemm9GemmShapeILi64ELi128ELi32EEE…NS_"
        "6layout37TensorOpMultiplicandCongruousILi32…",
        "gemm_bf16_64x256x64_wgmma",
        "void deep_gemm::sm90_fp8_gemm_1d2d_impl<(cute::UMMA::Major)0, 0u…>(…)",
        "void marlin_moe_wna16::Marlin<__nv_bfloat16, 1125899907892224l, 256, 1, 8, 8>(…)"));

INSTANTIATE_TEST_SUITE_P(
    Attention, OnTensorCores,
    testing::Values(
        "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, "
        "4, false, "
        "false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 4, "
        "cutlass::bfloat16_"
        "t> >, false, false, false, false, false, true, false>(pytorch_flash::Flash_fwd_params)",
        "_ZN13pytorch_flash16flash_fwd_kernelINS_23Flash_fwd_kernel_traitsILi64ELi128ELi128ELi4E…",
        "void pytorch_flash::flash_fwd_splitkv_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, "
        "64…>>(…)",
        "void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, 128, 128, "
        "8…>>(…)",
        "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::"
        "CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1> >…",
        "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnBwdSm90<flash::Collective…",
        "kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100_object_at__"
        "tensor0000"
        "o11101213_tensor0000o11101213_tensor0000o10111213_tensor0000o11101213_None_None_None_Non_"
        "0",
        "fmha_cutlassF_f16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::"
        "half_t, "
        "cutlass::arch::Sm80, true, 64, 128, 128, true, true>::Params)",
        "fmha_cutlassF_f32_aligned_64x64_rf_sm80(…)",  // OpMultiplyAddFastF32: three TF32 products
        "fmha_cutlassB_f16_aligned_64x64_k64_sm70(…)",
        "fmha_cutlassB_bf16_aligned_128x128_k128_sm80(…)",
        "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26_64x64x128_1x4x1_"
        "kernel0_0",
        "cudnn_generated_fort_native_sdpa_sm120_flash_fprop_f16_knob_3_64x64x128_4x1x1_cga1x1x1",
        "fmhaSm100fKernel_QkvBfloat16OBfloat16H64PagedKvCausalP64VarSeqQ128Kv128PersistentContext",
        "void flashinfer::BatchPrefillWithRaggedKVCacheKernel<…>(…)"));

INSTANTIATE_TEST_SUITE_P(Triton, OnTensorCores,
                         testing::Values("triton_tem_fused_mm_3", "triton_tem_fused_bmm_0",
                                         "triton_tem_fused__to_copy_addmm_view_17",
                                         "triton_tem_fused_flex_attention_backward_2",
                                         "triton_mm_4", "attn_fwd", "attn_fwd.kd", "bwd_kernel_dq",
                                         "_attn_bwd", "kernel_unified_attention_3d",
                                         "fused_moe_kernel_gptq_awq",
                                         "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1",
                                         "matmul_kernel_tma_persistent"));

INSTANTIATE_TEST_SUITE_P(
    Amd, OnTensorCores,
    testing::Values(
        "Cijk_Ailk_Bjlk_BBS_BH_Bias_HAS_SAV_UserArgs_MT128x64x32_MI32x32x1_SN_LDSB0_AFC1_MIAV0_"
        "MIWT2_1",
        "Cijk_Ailk_Bjlk_BBS_BH_MT32x32x64_MI16x16x16x1_SN_1LDSB0_APM1_ABV0",
        "Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32_MI16x16x1_SN_LDSB0_AFC1",  // FP32 on
                                                                                      // MFMA
        "Custom_Cijk_Alik_Bljk_HHS_BH_UserArgs_MT256x256x64_MI16x16x1_CMS_SN_LDSB1",
        "_ZN2ck16tensor_operation6device37kernel_batched_gemm_xdlops_bwd_weightINS_47GridwiseGemm_"
        "bk0mk1_bk0n"
        "k1_mn_xdlops_bwd_weightILi64Ettft…",
        "void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm_xdl_cshuffle_v3<…>>(…)",
        "gfx90a_gridwise_convolution_igemm_v4r4_xdlops_nchw_kcyx_nkhw",
        "igemm_bwd_gtcx2_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2_ta1x8x2x1_1x4x1x64_"
        "tb1x8x1x2_"
        "1x4x1x64_mh_gkgs",
        "igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt64x32x32_wt16x16x16_ws1x1_wr2x1_gkgs",
        "void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, __hip_bfloat16…>(…)",
        "void ck_tile::kentry<2, "
        "ck_tile::FmhaFwdKernel<ck_tile::BlockFmhaPipelineQRKSVSAsync<…>>>(…)",
        "_ZN5aiter24fmha_fwd_hd128_bf16_rtneE", "aiter::fmha_fwd_hd128_bf16_causal_group",
        "fmha_fwd_hd128_bf16_causal"));

INSTANTIATE_TEST_SUITE_P(
    MatrixProductsOnOrdinaryCores, NotOnTensorCores,
    testing::Values(
        "volta_sgemm_128x64_nn", "volta_sgemm_64x32_sliced1x4_tn",
        "ampere_sgemm_32x32_sliced1x4_tn", "volta_fp16_sgemm_fp16_64x32_sliced1x4_nn",
        "volta_gcgemm_32x32_nt", "ampere_gcgemm_64x64_nt",
        "volta_scudnn_128x64_relu_interior_nn_v1",
        "volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
        "cudnn_infer_ampere_scudnn_128x64_relu_xregs_large_nn_v1",
        "void "
        "cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm_128x32_"
        "8x5_"
        "nn_align1::Params)",
        "cutlass3x_sm100_simt_sgemm_f32_f32_f32_f32_f32_64x32x16_1x1x1_3_tnn_align1_bias_f32_relu",
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_"
        "alignc4_"
        "execute_kernel__5x_cublas",
        "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_simt",
        "sm50_xmma_fprop_conv2d_c1_k1_f32f32_f32_f32_nchwkcrs_nchw_tilesize10x40x8_threadsize4x4_"
        "r3s3_u1v1",
        "Kernel2",
        "void gemmSN_NN_kernel<float, 256, 4, 2, 8, 4, 4, false, "
        "cublasGemvTensorStridedBatched<…>>(…)",
        "void gemmk1_kernel<float, 256, 5, false, false, false, false, cublasGemvTensor…<__half "
        "const>…>(…)",
        "void gemv2T_kernel_val<int, int, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, 128, "
        "16…>(…)",
        "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16…>(…)",
        "void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1, false, true, true>(…)",
        "void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(…)",
        "void cudnn::cnn::wgrad_alg0_engine<float, 128, 5, 5, 3, 3, 3, false, 512>(…)",
        "void conv2d_c1_k1_nhwc_kernel<__half, __half, __half, float, float, 3, 1, 8, 3>(…)",
        "void RNN_blockPersist_fp_LSTM<float, float, float, 128>(…)",
        "fmha_cutlassF_f32_aligned_64x64_rf_sm75(…)",
        "fmha_cutlassB_f16_notaligned_64x64_k64_sm50(…)",
        "void flashinfer::BatchDecodeWithPagedKVCacheKernel<…>(…)",
        "Cijk_Ailk_Bljk_SB_MT64x64x8_SE_K1_MIAV0_MIWT2_1",
        "naive_conv_ab_nonpacked_fwd_nchw_half_double_half",
        "miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1", "miopenGcnAsmConv1x1U",
        "igemm_v4r1_dynamic",
        "void matmul_kernel<float>(float const*, float const*, float*, int)"));

INSTANTIATE_TEST_SUITE_P(
    HelpersOfMatrixProducts, NotOnTensorCores,
    testing::Values(
        "void cublasLt::splitKreduce_kernel<32, 16, int, __nv_bfloat16, __nv_bfloat16, float…>(…)",
        "void "
        "cutlass_cudnn_train::Kernel<cutlass_cudnn_train::reduction::kernel::ReduceSplitK<cutlass_"
        "cudnn_"
        "train::MatrixShape<4, 128>, "
        "cutlass_cudnn_train::epilogue::thread::LinearCombination<float, 4…>>>(…)",
        "cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)",
        "void cudnn::engines_precompiled::nchwToNhwcKernel<__nv_bfloat16, __nv_bfloat16, "
        "float…>(…)",
        "void cudnn::winograd_nonfused::winogradForwardOutput4x4<float, float>(…)",
        "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, "
        "pytorch_flash::Flash_bwd_kernel_traits<64…>>(…)",
        "void "
        "pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_bwd_kernel_traits<64…>>("
        "…)",
        "void "
        "pytorch_flash::flash_fwd_splitkv_combine_kernel<pytorch_flash::Flash_fwd_kernel_traits<"
        "64…>>(…)",
        "void cutlass::device_kernel<flash::FlashAttnFwdCombine<cute::tuple<…>, 256, "
        "cutlass::arch::Sm90>>(…)",
        "void cutlass::device_kernel<flash::FlashAttnBwdPreprocess<…, cutlass::arch::Sm90, true, "
        "false>>(…)",
        "void "
        "cutlass::device_kernel<flash::FlashAttnBwdPostprocessConvertdQ<…cute::TiledMMA<cute::MMA_"
        "Atom<"
        "cute::SM90_64x64x16_F32BF16BF16_SS…>>>(…)",
        "flash::prepare_varlen_num_blocks_kernel(int, int, int)",
        "void cudnn::fusion::compute_dot_do_o_specialized<false, __nv_bfloat16>(…)",
        "fmhaReductionKernel_float16", "triton_tem_fused_addmm_0_reduce_k", "_attn_bwd_preprocess",
        "_finalize_matmul_scatter_bf16", "reduce_segments", "SubTensorOpWithScalar1d",
        "void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16, __hip_bfloat16, 128, 128, 256, "
        "3>(…)",
        "batched_transpose_16x32_half",
        "_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdINS_27Rmsnorm2dFwdPipelineOnePassI…",
        "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_…"));

INSTANTIATE_TEST_SUITE_P(
    EverythingElse, NotOnTensorCores,
    testing::Values(
        "",
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, …>(…)",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, …>>(…)",
        "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, "
        "3…>(…)",
        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
        "float>(…)",
        "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<float, float>(…)",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
        "triton_poi_fused_convolution_relu_0", "triton_red_fused_mm_mean_1",
        "triton_per_fused__softmax_bmm_2", "MIOpenBatchNormFwdTrainSpatial",
        "Memcpy HtoD (Pageable -> Device)", "void vllm::reshape_and_cache_flash_kernel<…>(…)",
        "void compute_summation_kernel<float>(float*)",  // not UMMA
        "kernel_cutlass_kernel_flashinfernormkernelsrmsnormRMSNormKernel_object_at__tensorptrbf16",
        "void histogram<16816, 884>(int*)"));  // not an MMA shape

TEST(TensorCoreRules, EveryExampleIsDecidedAsItsRowSays) {
  for (const TensorCoreRule& rule : TensorCoreRules()) {
    EXPECT_EQ(UsesTensorCores(rule.example), rule.uses_tensor_cores) << rule.pattern;
  }
}

TEST(TensorCoreRules, EveryRuleThatAnswersNoOverridesOneThatAnswersYes) {
  bool yes_seen = false;
  for (const TensorCoreRule& rule : TensorCoreRules()) {
    EXPECT_FALSE(yes_seen && !rule.uses_tensor_cores) << rule.pattern << " stands after a yes";
    yes_seen |= rule.uses_tensor_cores;
  }
}

TEST(TensorCoreRules, EveryRuleIsInTheUsersDocument) {
  std::ifstream file("docs/tensor_cores.md");
  ASSERT_TRUE(file) << "run the tests from the repository\'s root";
  std::stringstream text;
  text << file.rdbuf();
  for (const TensorCoreRule& rule : TensorCoreRules()) {
    EXPECT_NE(text.str().find("`" + std::string(rule.pattern) + "`"), std::string::npos)
        << rule.pattern;
  }
}

TEST(TensorCoreEligible, KnowsProductsConvolutionsAndAttention) {
  for (const char* name : {"aten::mm",
                           "aten::addmm",
                           "aten::bmm",
                           "aten::linear",
                           "aten::conv2d",
                           "aten::_convolution",
                           "aten::cudnn_convolution",
                           "aten::miopen_convolution",
                           "aten::convolution_backward",
                           "aten::scaled_dot_product_attention",
                           "aten::_scaled_dot_product_flash_attention",
                           "aten::_scaled_dot_product_efficient_attention_backward",
                           "aten::_flash_attention_forward",
                           "aten::_scaled_dot_product_cudnn_attention",
                           "aten::_scaled_mm",
                           "aten::_grouped_mm",
                           "aten::_addmm_activation",
                           "MmBackward0",
                           "AddmmBackward0",
                           "BmmBackward0",
                           "ConvolutionBackward0",
                           "CudnnConvolutionBackward",
                           "aten::mm.out",
                           "aten::prelu"}) {
    EXPECT_TRUE(IsTensorCoreEligible(name)) << name;
  }
}

TEST(TensorCoreEligible, LeavesOutTheRest) {
  for (const char* name : {"", "aten::add", "aten::add.Tensor", "aten::softmax", "aten::layer_norm",
                           "mm", "aten::mm2", "aten::embedding", "ReluBackward0", "aten::copy_"}) {
    EXPECT_FALSE(IsTensorCoreEligible(name)) << name;
  }
}

}  // namespace
}  // namespace telltale
