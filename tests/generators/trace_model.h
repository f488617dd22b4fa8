// SPDX-License-Identifier: Apache-2.0
//
// Everything that can appear in a generated trace: operators with their recorded inputs, kernels
// with their launch shapes, runtime calls and Python frames of a decoder-only transformer. Tables,
// mostly: shapes follow the scenario, names follow the era. When they happen is decided in
// trace_training.h.

#ifndef TESTS_GENERATORS_TRACE_MODEL_H_
#define TESTS_GENERATORS_TRACE_MODEL_H_

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "trace_options.h"

namespace generator {

// An operator or annotation with the text of its recorded inputs.
struct OpSite {
  std::string name;
  std::string inputs;
  bool annotation = false;
};

struct PythonSite {
  std::string name;
  std::string call_from;
  int module_id = -1;
};

struct ApiSite {
  std::string name;
  int cbid;
  int64_t cost_ns;
  bool driver = false;
};

// A kernel, copy or fill with its text after "correlation".
struct DeviceSite {
  enum class Kind { kKernel, kMemcpy, kMemset } kind = Kind::kKernel;
  std::string name;
  std::string properties;
  int64_t duration_ns = 0;
  int64_t bytes = 0;     // of a copy or fill
  int64_t elements = 0;  // of a collective
};

struct Tensor {
  std::vector<int64_t> dims;
  std::string type = "c10::BFloat16";
  std::string concrete = {};
  std::vector<int64_t> strides = {};
};

inline std::string ListText(const std::vector<int64_t>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(values[i]);
  }
  return text + "]";
}

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

inline Tensor Scalar(std::string value) { return {{}, "Scalar", std::move(value), {}}; }
inline Tensor ScalarList(std::string value) { return {{}, "ScalarList", std::move(value), {}}; }
inline Tensor Nothing() { return {{}, "", "", {}}; }
inline Tensor Transposed(int64_t rows, int64_t columns) {
  return {{rows, columns}, "c10::BFloat16", "", {1, rows}};
}

inline std::string InputsText(const Options& options, const std::vector<Tensor>& inputs) {
  std::string concrete, types, strides, dims;
  for (const Tensor& input : inputs) {
    const char* comma = dims.empty() ? "" : ", ";
    concrete += std::string(comma) + "\"" + input.concrete + "\"";
    types += std::string(comma) + "\"" + input.type + "\"";
    dims += comma + ListText(input.dims);
    strides +=
        comma + ListText(input.strides.empty() ? ContiguousStrides(input.dims) : input.strides);
  }
  if (options.legacy()) return "\"Input Dims\": [" + dims + "], \"Input type\": [" + types + "]";
  return "\"Concrete Inputs\": [" + concrete + "], \"Input type\": [" + types +
         "], \"Input Strides\": [" + strides + "], \"Input Dims\": [" + dims + "]";
}

// The sites of the model for the given options: shapes follow the scenario, names follow the era.
struct Model {
  explicit Model(const Options& options);

  OpSite Op(std::string name, const std::vector<Tensor>& inputs) const {
    return {std::move(name), InputsText(options, inputs), false};
  }
  static OpSite Annotation(std::string name) { return {std::move(name), "", true}; }
  static OpSite BackwardOp(std::string name) {
    return {"autograd::engine::evaluate_function: " + std::move(name), "", false};
  }
  DeviceSite Kernel(std::string name, int registers, int shared_bytes, std::array<int64_t, 3> grid,
                    std::array<int64_t, 3> block, int occupancy_percent, double work_us) const;
  DeviceSite Gemm(std::string name, int64_t m, int64_t n, int64_t k) const;
  DeviceSite Elementwise(std::string name, int64_t elements, int arrays) const;
  DeviceSite Copy(std::string name, int64_t bytes, double gigabytes_per_second) const;
  PythonSite Module(const std::string& type, int index, std::string call_from) const {
    return {"nn.Module: " + type + "_" + std::to_string(index), std::move(call_from), index};
  }

  const Options& options;
  int layers;
  int64_t batch, sequence, tokens, hidden, feed_forward, heads, vocabulary;
  int64_t activation_bytes, feed_forward_bytes, layer_parameters;

  // Runtime and driver calls.
  ApiSite launch_kernel{"cudaLaunchKernel", 211, 4200};
  ApiSite launch_kernel_ex{"cudaLaunchKernelExC", 430, 5200};
  ApiSite cu_launch_kernel{"cuLaunchKernel", 307, 3600, true};
  ApiSite memcpy_async{"cudaMemcpyAsync", 41, 5600};
  ApiSite memset_async{"cudaMemsetAsync", 51, 4100};
  ApiSite stream_synchronize{"cudaStreamSynchronize", 131, 2500};
  ApiSite device_synchronize{"cudaDeviceSynchronize", 165, 3500};
  ApiSite func_set_attribute{"cudaFuncSetAttribute", 273, 420};
  ApiSite stream_is_capturing{"cudaStreamIsCapturing", 317, 650};
  ApiSite event_record{"cudaEventRecord", 135, 1300};
  ApiSite event_query{"cudaEventQuery", 139, 900};
  ApiSite stream_wait_event{"cudaStreamWaitEvent", 147, 1100};

  // Annotations.
  OpSite data_loader_next =
      Annotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
  OpSite ddp_forward = Annotation("DistributedDataParallel.forward");
  OpSite optimizer_step = Annotation("Optimizer.step#AdamW.step");
  OpSite zero_grad = Annotation("Optimizer.zero_grad#AdamW.zero_grad");
  OpSite nccl_all_reduce = Annotation("nccl:all_reduce");

  // Operators, forward.
  OpSite to, to_copy, empty_strided, copy_, embedding, index_select, layer_norm, native_layer_norm,
      empty, view, reshape, linear, t, transpose2d, as_strided, addmm, linear_ff, addmm_up,
      linear_down, addmm_down, transpose4d, sdpa, flash_attention, contiguous, clone, empty_like,
      dropout, native_dropout, add, gelu, triton_gelu, triton_add_norm, lm_head, matmul_head,
      cross_entropy, log_softmax, nll_loss, item, local_scalar_dense, detach, detach_inner;
  // Operators, backward.
  OpSite ones_like, fill_, addmm_backward, mm_input, mm_weight, sum_bias, t_backward, view_backward,
      transpose_backward, flash_backward, flash_backward_op, dropout_backward, dropout_backward_op,
      add_backward, gelu_backward, triton_gelu_backward, norm_backward, norm_backward_op,
      accumulate_grad, mul_out, mul, all_reduce, record_param_comms, nll_backward, nll_backward_op,
      softmax_backward, softmax_backward_op, embedding_backward, embedding_backward_op, mm_backward;
  OpSite evaluate_addmm, evaluate_t, evaluate_view, evaluate_transpose, evaluate_flash,
      evaluate_dropout, evaluate_add, evaluate_gelu, evaluate_norm, evaluate_accumulate,
      evaluate_nll, evaluate_softmax, evaluate_embedding, evaluate_mm;
  // Operators, optimizer.
  OpSite foreach_add, foreach_mul, foreach_lerp, foreach_addcmul, foreach_sqrt, foreach_div,
      foreach_addcdiv, foreach_norm, zero_, stack_norms;

  // Device work.
  DeviceSite input_copy, layer_norm_kernel, gemm_hidden, gemm_up, gemm_down, flash_kernel,
      copy_kernel, dropout_kernel, add_kernel, gelu_kernel, triton_gelu_kernel, triton_norm_kernel,
      head_gemm, softmax_kernel, nll_kernel, embedding_kernel, scalar_copy, fill_kernel,
      gemm_hidden_dx, gemm_hidden_dw, gemm_up_dx, gemm_up_dw, gemm_down_dx, gemm_down_dw,
      reduce_kernel, reduce_up_kernel, flash_backward_kernel, flash_dot_kernel,
      flash_convert_kernel, dropout_backward_kernel, triton_gelu_backward_kernel,
      norm_backward_kernel, norm_gamma_kernel, bucket_kernel, nccl_kernel, softmax_backward_kernel,
      nll_backward_kernel, head_gemm_dx, head_gemm_dw, embedding_backward_kernel,
      multi_tensor_kernel, workspace_fill;

  // Python frames that do not belong to a module.
  PythonSite module_script{"train.py(212): <module>", "train.py:212", -1};
  PythonSite main_function{"train.py(148): main", "train.py:209", -1};
  PythonSite train_epoch{"train.py(97): train_one_epoch", "train.py:181", -1};
  PythonSite profiler_step{"torch/profiler/profiler.py(1520): step", "train.py:131", -1};
  PythonSite profiler_enter{"torch/autograd/profiler.py(941): __enter__",
                            "torch/profiler/profiler.py:1548", -1};
  PythonSite profiler_exit{"torch/autograd/profiler.py(955): __exit__",
                           "torch/profiler/profiler.py:1531", -1};
  PythonSite ops_call{"torch/_ops.py(1338): __call__", "torch/autograd/profiler.py:942", -1};
  PythonSite record_enter{
      "<built-in method _record_function_enter_new of "
      "pybind11_builtins.pybind11_detail_function_record_"
      "v1_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1 object at 0x7fd507b46b30>",
      "torch/_ops.py:1350", -1};
  PythonSite loader_next{"torch/utils/data/dataloader.py(720): __next__", "train.py:101", -1};
  PythonSite next_data{"torch/utils/data/dataloader.py(1491): _next_data",
                       "torch/utils/data/dataloader.py:733", -1};
  PythonSite get_data{"torch/utils/data/dataloader.py(1443): _get_data",
                      "torch/utils/data/dataloader.py:1500", -1};
  PythonSite try_get_data{"torch/utils/data/dataloader.py(1284): _try_get_data",
                          "torch/utils/data/dataloader.py:1456", -1};
  PythonSite queue_get{"queue.py(154): get", "torch/utils/data/dataloader.py:1297", -1};
  PythonSite condition_wait{"threading.py(288): wait", "queue.py:180", -1};
  PythonSite lock_acquire{"<method 'acquire' of '_thread.lock' objects>", "threading.py:324", -1};
  PythonSite monotonic{"<built-in function monotonic>", "queue.py:176", -1};
  PythonSite process_data{"torch/utils/data/dataloader.py(1568): _process_data",
                          "torch/utils/data/dataloader.py:1529", -1};
  PythonSite try_put_index{"torch/utils/data/dataloader.py(1536): _try_put_index",
                           "torch/utils/data/dataloader.py:1570", -1};
  PythonSite sampler_next{"torch/utils/data/sampler.py(336): __iter__",
                          "torch/utils/data/dataloader.py:744", -1};
  PythonSite queue_put{"multiprocessing/queues.py(86): put", "torch/utils/data/dataloader.py:1557",
                       -1};
  PythonSite tensor_to{"<built-in method to of Tensor object at 0x7fd4f6a33cf0>", "train.py:104",
                       -1};
  PythonSite tensor_view{"<built-in method view of Tensor object at 0x7fd4f6b0c9a0>", "model.py:58",
                         -1};
  PythonSite tensor_transpose{"<built-in method transpose of Tensor object at 0x7fd4f6b0ca40>",
                              "model.py:59", -1};
  PythonSite tensor_contiguous{"<built-in method contiguous of Tensor object at 0x7fd4f6b0cb80>",
                               "model.py:66", -1};
  PythonSite tensor_size{"<built-in method size of Tensor object at 0x7fd4f6b0c950>", "model.py:54",
                         -1};
  PythonSite tensor_item{"<built-in method item of Tensor object at 0x7fd4f6c07420>",
                         "train.py:126", -1};
  PythonSite builtin_linear{"<built-in function linear>", "torch/nn/modules/linear.py:134", -1};
  PythonSite builtin_sdpa{"<built-in function scaled_dot_product_attention>", "model.py:62", -1};
  PythonSite builtin_gelu{"<built-in function gelu>", "torch/nn/modules/activation.py:824", -1};
  PythonSite builtin_isinstance{"<built-in function isinstance>", "torch/_compile.py:51", -1};
  PythonSite builtin_getattr{"<built-in function getattr>", "torch/_dynamo/eval_frame.py:838", -1};
  PythonSite builtin_hasattr{"<built-in function hasattr>", "torch/nn/parallel/distributed.py:1529",
                             -1};
  PythonSite builtin_len{"<built-in function len>", "torch/optim/adam.py:183", -1};
  PythonSite builtin_next{"<built-in function next>", "contextlib.py:137", -1};
  PythonSite list_append{"<method 'append' of 'list' objects>", "torch/optim/adam.py:158", -1};
  PythonSite dict_get{"<method 'get' of 'dict' objects>", "torch/utils/_foreach_utils.py:41", -1};
  PythonSite is_tracing{
      "<built-in method _is_tracing of pybind11_builtins.pybind11_detail_function_record_v1_system_"
      "libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1 object at 0x7fd507b46ab0>",
      "torch/nn/modules/module.py:1792", -1};
  PythonSite has_torch_function{"<built-in function _has_torch_function_unary>",
                                "torch/nn/functional.py:1434", -1};
  PythonSite call_impl{"torch/nn/modules/module.py(1791): _call_impl",
                       "torch/nn/modules/module.py:1787", -1};
  PythonSite get_attribute{"torch/nn/modules/module.py(1963): __getattr__",
                           "torch/nn/modules/linear.py:134", -1};
  PythonSite linear_forward{"torch/nn/modules/linear.py(130): forward",
                            "torch/nn/modules/module.py:1798", -1};
  PythonSite norm_forward{"torch/nn/modules/normalization.py(229): forward",
                          "torch/nn/modules/module.py:1798", -1};
  PythonSite functional_norm{"torch/nn/functional.py(2905): layer_norm",
                             "torch/nn/modules/normalization.py:230", -1};
  PythonSite builtin_norm{"<built-in method layer_norm of type object at 0x7fd5434bc100>",
                          "torch/nn/functional.py:2926", -1};
  PythonSite dropout_forward{"torch/nn/modules/dropout.py(75): forward",
                             "torch/nn/modules/module.py:1798", -1};
  PythonSite functional_dropout{"torch/nn/functional.py(1418): dropout",
                                "torch/nn/modules/dropout.py:79", -1};
  PythonSite builtin_dropout{"<built-in method dropout of type object at 0x7fd5434bc100>",
                             "torch/nn/functional.py:1441", -1};
  PythonSite gelu_forward{"torch/nn/modules/activation.py(823): forward",
                          "torch/nn/modules/module.py:1798", -1};
  PythonSite attention_forward{"model.py(52): forward", "torch/nn/modules/module.py:1798", -1};
  PythonSite mlp_forward{"model.py(84): forward", "torch/nn/modules/module.py:1798", -1};
  PythonSite block_forward{"model.py(103): forward", "torch/nn/modules/module.py:1798", -1};
  PythonSite model_forward{"model.py(141): forward", "torch/nn/modules/module.py:1798", -1};
  PythonSite embedding_forward{"torch/nn/modules/sparse.py(189): forward",
                               "torch/nn/modules/module.py:1798", -1};
  PythonSite builtin_embedding{"<built-in method embedding of type object at 0x7fd5434bc100>",
                               "torch/nn/functional.py:2551", -1};
  PythonSite ddp_module_forward{"torch/nn/parallel/distributed.py(1640): forward",
                                "torch/nn/modules/module.py:1798", -1};
  PythonSite ddp_pre_forward{"torch/nn/parallel/distributed.py(1526): _pre_forward",
                             "torch/nn/parallel/distributed.py:1642", -1};
  PythonSite triton_run{"torch/_inductor/runtime/triton_heuristics.py(1292): run",
                        "/tmp/torchinductor_user/k3/ck3v.py:87", -1};
  PythonSite triton_launcher{"<string>(5): launcher",
                             "torch/_inductor/runtime/triton_heuristics.py:1349", -1};
  PythonSite compiled_call{"torch/_inductor/output_code.py(584): __call__",
                           "torch/_functorch/_aot_autograd/runtime_wrappers.py:364", -1};
  PythonSite compiled_graph{"/tmp/torchinductor_user/k3/ck3v.py(71): call",
                            "torch/_inductor/utils.py:2962", -1};
  PythonSite runtime_wrapper{
      "torch/_functorch/_aot_autograd/runtime_wrappers.py(335): runtime_wrapper",
      "torch/_dynamo/eval_frame.py:1005", -1};
  PythonSite dynamo_eval{"torch/_dynamo/eval_frame.py(817): compile_wrapper",
                         "torch/nn/modules/module.py:1798", -1};
  PythonSite check_arguments{"transformers/utils/generic.py(940): wrapper", "model.py:103", -1};
  PythonSite autocast_enter{"torch/amp/autocast_mode.py(377): __enter__", "train.py:108", -1};
  PythonSite autocast_exit{"torch/amp/autocast_mode.py(432): __exit__", "train.py:108", -1};
  PythonSite contextlib_enter{"contextlib.py(132): __enter__", "torch/_dynamo/eval_frame.py:841",
                              -1};
  PythonSite contextlib_exit{"contextlib.py(141): __exit__", "torch/_dynamo/eval_frame.py:841", -1};
  PythonSite device_function{"torch/utils/_device.py(110): __torch_function__",
                             "torch/nn/functional.py:1434", -1};
  PythonSite device_constructors{"torch/utils/_device.py(20): _device_constructors",
                                 "torch/utils/_device.py:112", -1};
  PythonSite handle_torch_function{"torch/overrides.py(1691): handle_torch_function",
                                   "torch/nn/functional.py:1436", -1};
  PythonSite overloaded_args{"torch/overrides.py(1613): _get_overloaded_args",
                             "torch/overrides.py:1730", -1};
  PythonSite mode_enabled{"<built-in function _is_torch_function_mode_enabled>",
                          "torch/overrides.py:1736", -1};
  PythonSite contextlib_helper{"contextlib.py(299): helper", "torch/overrides.py:1740", -1};
  PythonSite contextlib_init{"contextlib.py(104): __init__", "contextlib.py:302", -1};
  PythonSite pop_mode_temporarily{"torch/overrides.py(2099): _pop_mode_temporarily",
                                  "contextlib.py:137", -1};
  PythonSite pop_mode{"torch/overrides.py(2094): _pop_mode", "torch/overrides.py:2102", -1};
  PythonSite push_mode{"torch/overrides.py(2090): _push_mode", "torch/overrides.py:2106", -1};
  PythonSite pop_stack{"<built-in function _pop_torch_function_stack>", "torch/overrides.py:2095",
                       -1};
  PythonSite push_stack{"<built-in function _push_on_torch_function_stack>",
                        "torch/overrides.py:2091", -1};
  PythonSite loss_forward{"torch/nn/modules/loss.py(1397): forward",
                          "torch/nn/modules/module.py:1798", -1};
  PythonSite builtin_cross_entropy{"<built-in function cross_entropy_loss>",
                                   "torch/nn/functional.py:3494", -1};
  PythonSite tensor_backward{"torch/_tensor.py(566): backward", "train.py:114", -1};
  PythonSite autograd_backward{"torch/autograd/__init__.py(255): backward", "torch/_tensor.py:630",
                               -1};
  PythonSite engine_backward{"torch/autograd/graph.py(1100): _engine_run_backward",
                             "torch/autograd/__init__.py:361", -1};
  PythonSite run_backward{
      "<built-in method run_backward of torch._C._EngineBase object at 0x7fd5befa71a0>",
      "torch/autograd/graph.py:1111", -1};
  PythonSite clip_grad{"torch/nn/utils/clip_grad.py(183): clip_grad_norm_", "train.py:117", -1};
  PythonSite scheduler_wrapper{"torch/optim/lr_scheduler.py(148): wrapper", "train.py:119", -1};
  PythonSite optimizer_wrapper{"torch/optim/optimizer.py(546): wrapper",
                               "torch/optim/lr_scheduler.py:151", -1};
  PythonSite use_grad{"torch/optim/optimizer.py(59): _use_grad", "torch/optim/optimizer.py:568",
                      -1};
  PythonSite adam_step{"torch/optim/adam.py(215): step", "torch/optim/optimizer.py:84", -1};
  PythonSite init_group{"torch/optim/adam.py(141): _init_group", "torch/optim/adam.py:237", -1};
  PythonSite multi_tensor_adam{"torch/optim/adam.py(563): _multi_tensor_adam",
                               "torch/optim/adam.py:957", -1};
  PythonSite group_tensors{"torch/utils/_foreach_utils.py(34): _group_tensors_by_device_and_dtype",
                           "torch/optim/adam.py:604", -1};
  PythonSite zero_grad_function{"torch/optim/optimizer.py(985): zero_grad", "train.py:112", -1};
  PythonSite foreach_call{"<built-in method _foreach_lerp_ of type object at 0x7fd5434bc100>",
                          "torch/optim/adam.py:667", -1};
  PythonSite ddp_module, transformer_module, embedding_module, head_module, final_norm_module,
      loss_module;

  // Python frames of one transformer block.
  struct Block {
    PythonSite block, attention, mlp, norm1, norm2, query, key, value, projection, up, down, gelu,
        dropout1, dropout2;
  };
  std::vector<Block> blocks;
};

inline DeviceSite Model::Kernel(std::string name, int registers, int shared_bytes,
                                std::array<int64_t, 3> grid, std::array<int64_t, 3> block,
                                int occupancy_percent, double work_us) const {
  const double blocks_per_sm =
      static_cast<double>(grid[0] * grid[1] * grid[2]) / options.sm_count();
  const double warps_per_sm =
      blocks_per_sm * static_cast<double>((block[0] * block[1] * block[2] + 31) / 32);
  std::array<char, 512> text{};
  const bool wide = options.era == Era::k1_9 || options.era == Era::k1_12;
  const char* gap = wide ? ",\n      " : options.era == Era::kNew ? ", " : ",      ";
  std::snprintf(text.data(), text.size(),
                "\"registers per thread\": %d%s\"shared memory\": %d%s\"blocks per SM\": %.6f%s"
                "\"warps per SM\": %.6f%s\"grid\": [%" PRId64 ", %" PRId64 ", %" PRId64
                "]%s\"block\": [%" PRId64 ", %" PRId64 ", %" PRId64
                "]%s\"est. achieved occupancy %%\": %d",
                registers, gap, shared_bytes, gap, blocks_per_sm, gap, warps_per_sm, gap, grid[0],
                grid[1], grid[2], gap, block[0], block[1], block[2], gap, occupancy_percent);
  return {DeviceSite::Kind::kKernel,
          std::move(name),
          text.data(),
          static_cast<int64_t>((1.6 + work_us) * 1000.0),
          0,
          0};
}

inline DeviceSite Model::Gemm(std::string name, int64_t m, int64_t n, int64_t k) const {
  constexpr double kFlopsPerMicrosecond = 6.0e8;  // 600 TFLOP/s, a good bf16 rate on an H100
  const double work_us = 2.0 * static_cast<double>(m) * static_cast<double>(n) *
                         static_cast<double>(k) / kFlopsPerMicrosecond;
  return Kernel(std::move(name), 168, 231424, {(m + 127) / 128, (n + 127) / 128, 1}, {384, 1, 1},
                19, work_us);
}

inline DeviceSite Model::Elementwise(std::string name, int64_t elements, int arrays) const {
  constexpr double kBytesPerMicrosecond = 2.4e6;  // 2.4 TB/s of HBM3
  return Kernel(std::move(name), 24, 0, {(elements + 511) / 512, 1, 1}, {128, 1, 1},
                elements > 65536 ? 100 : 7,
                2.0 * static_cast<double>(elements) * arrays / kBytesPerMicrosecond);
}

inline DeviceSite Model::Copy(std::string name, int64_t bytes, double gigabytes_per_second) const {
  const auto duration_ns =
      static_cast<int64_t>(1100.0 + static_cast<double>(bytes) / gigabytes_per_second);
  const auto kind =
      name.starts_with("Memset") ? DeviceSite::Kind::kMemset : DeviceSite::Kind::kMemcpy;
  return {kind, std::move(name), "", duration_ns, bytes, 0};
}

inline Model::Model(const Options& opts) : options(opts), layers(opts.layers) {
  const bool small = opts.scenario == Scenario::kLaunchBound || !opts.gpu;
  // With synchronisations a step must be short enough for the device to run dry at each of them.
  batch = small ? 1 : opts.scenario == Scenario::kSync ? 2 : 16;
  sequence = small ? 128 : 1024;
  hidden = small ? 512 : 1024;
  heads = 16;
  feed_forward = 4 * hidden;
  vocabulary = 32000;
  tokens = batch * sequence;
  activation_bytes = tokens * hidden * 2;
  feed_forward_bytes = tokens * feed_forward * 2;
  layer_parameters = 12 * hidden * hidden + 13 * hidden;

  const int64_t head_size = hidden / heads;
  const Tensor x{{batch, sequence, hidden}};
  const Tensor x2{{tokens, hidden}};
  const Tensor up{{tokens, feed_forward}};
  const Tensor w{{hidden, hidden}};
  const Tensor bias{{hidden}};
  const Tensor q{{batch, heads, sequence, head_size},
                 "c10::BFloat16",
                 "",
                 {sequence * hidden, head_size, hidden, 1}};
  const Tensor ids{{batch, sequence}, "long int", "", {}};
  const Tensor logits{{tokens, vocabulary}};
  const Tensor labels{{tokens}, "long int", "", {}};
  const Tensor loss{{}, "float", "", {}};
  const Tensor list{{}, "TensorList", "", {}};

  to = Op("aten::to",
          {ids, Nothing(), Scalar("cuda:0"), Scalar("True"), Scalar("False"), Nothing()});
  to_copy = Op("aten::_to_copy",
               {ids, Nothing(), Nothing(), Scalar("cuda:0"), Nothing(), Scalar("True"), Nothing()});
  empty_strided = Op("aten::empty_strided",
                     {ScalarList(ListText(ids.dims)), ScalarList(ListText({sequence, 1})),
                      Scalar("4"), Scalar("0"), Scalar("cuda:0"), Nothing()});
  copy_ = Op("aten::copy_", {ids, ids, Scalar("True")});
  embedding = Op("aten::embedding",
                 {{{vocabulary, hidden}}, ids, Scalar("-1"), Scalar("False"), Scalar("False")});
  index_select = Op("aten::index_select", {{{vocabulary, hidden}}, Scalar("0"), labels});
  layer_norm = Op("aten::layer_norm", {x, ScalarList(ListText({hidden})), bias, bias,
                                       Scalar("1.0000000000000001e-05"), Scalar("True")});
  native_layer_norm = Op("aten::native_layer_norm", {x, ScalarList(ListText({hidden})), bias, bias,
                                                     Scalar("1.0000000000000001e-05")});
  empty = Op("aten::empty", {ScalarList(ListText(x2.dims)), Scalar("15"), Scalar("0"),
                             Scalar("cuda:0"), Nothing(), Nothing()});
  view = Op("aten::view", {x, ScalarList(ListText({batch, sequence, heads, head_size}))});
  reshape = Op("aten::reshape", {x, ScalarList(ListText({-1, hidden}))});
  linear = Op("aten::linear", {x, w, bias});
  t = Op("aten::t", {w});
  transpose2d = Op("aten::transpose", {w, Scalar("0"), Scalar("1")});
  as_strided = Op("aten::as_strided", {w, ScalarList(ListText({hidden, hidden})),
                                       ScalarList(ListText({1, hidden})), Nothing()});
  addmm = Op("aten::addmm", {bias, x2, Transposed(hidden, hidden), Scalar("1"), Scalar("1")});
  linear_ff = Op("aten::linear", {x, {{feed_forward, hidden}}, {{feed_forward}}});
  addmm_up = Op("aten::addmm",
                {{{feed_forward}}, x2, Transposed(hidden, feed_forward), Scalar("1"), Scalar("1")});
  linear_down =
      Op("aten::linear", {{{batch, sequence, feed_forward}}, {{hidden, feed_forward}}, bias});
  addmm_down =
      Op("aten::addmm", {bias, up, Transposed(feed_forward, hidden), Scalar("1"), Scalar("1")});
  transpose4d =
      Op("aten::transpose", {{{batch, sequence, heads, head_size}}, Scalar("1"), Scalar("2")});
  sdpa = Op("aten::scaled_dot_product_attention",
            {q, q, q, Nothing(), Scalar("0."), Scalar("True"), Nothing(), Scalar("False")});
  flash_attention = Op("aten::_scaled_dot_product_flash_attention",
                       {q, q, q, Scalar("0."), Scalar("True"), Scalar("False"), Nothing()});
  contiguous = Op("aten::contiguous", {q, Scalar("0")});
  clone = Op("aten::clone", {q, Scalar("0")});
  empty_like = Op("aten::empty_like",
                  {q, Scalar("15"), Scalar("0"), Scalar("cuda:0"), Scalar("False"), Scalar("0")});
  dropout = Op("aten::dropout", {x, Scalar("0.10000000000000001"), Scalar("True")});
  native_dropout = Op("aten::native_dropout", {x, Scalar("0.10000000000000001"), Scalar("True")});
  add = Op("aten::add", {x, x, Scalar("1")});
  gelu = Op("aten::gelu", {{{batch, sequence, feed_forward}}, Scalar("none")});
  const std::string kernel_file =
      "\"kernel_hash\": \"cqaokwf2bph4egogzevc22vluasiyuui4i54zpemp6knbsggfbuu\", \"grid\": "
      "\"grid(" +
      std::to_string(tokens * feed_forward) +
      ",)\", \"stream\": 7, \"kernel_file\": "
      "\"/tmp/torchinductor_user/qa/cqaokwf2bph4egogzevc22vluasiyuui4i54zpemp6knbsggfbuu.py\", "
      "\"kernel_backend\": \"triton\", ";
  triton_gelu =
      Op("triton_poi_fused_gelu_1", {up, up, Scalar(std::to_string(tokens * feed_forward))});
  triton_gelu.inputs = kernel_file + triton_gelu.inputs;
  triton_add_norm =
      Op("triton_red_fused_add_native_layer_norm_0",
         {x2, x2, bias, bias, x2, Scalar(std::to_string(tokens)), Scalar(std::to_string(hidden))});
  triton_add_norm.inputs = kernel_file + triton_add_norm.inputs;
  lm_head = Op("aten::linear", {x, {{vocabulary, hidden}}, Nothing()});
  matmul_head = Op("aten::mm", {x2, Transposed(hidden, vocabulary)});
  cross_entropy = Op("aten::cross_entropy_loss",
                     {logits, labels, Nothing(), Scalar("1"), Scalar("-100"), Scalar("0.")});
  log_softmax = Op("aten::_log_softmax", {logits, Scalar("1"), Scalar("False")});
  nll_loss = Op("aten::nll_loss_forward", {logits, labels, Nothing(), Scalar("1"), Scalar("-100")});
  item = Op("aten::item", {loss});
  local_scalar_dense = Op("aten::_local_scalar_dense", {loss});
  detach = Op("aten::detach", {w});
  detach_inner = Op("detach", {w});

  ones_like = Op("aten::ones_like",
                 {loss, Scalar("6"), Scalar("0"), Scalar("cuda:0"), Scalar("False"), Scalar("1")});
  fill_ = Op("aten::fill_", {loss, Scalar("1")});
  addmm_backward = Op("AddmmBackward0", {x2});
  mm_input = Op("aten::mm", {x2, w});
  mm_weight = Op("aten::mm", {Transposed(hidden, tokens), x2});
  sum_bias = Op("aten::sum", {x2, ScalarList("[0]"), Scalar("True"), Nothing()});
  t_backward = Op("TBackward0", {Transposed(hidden, hidden)});
  view_backward = Op("ViewBackward0", {x});
  transpose_backward = Op("TransposeBackward0", {q});
  flash_backward =
      Op("ScaledDotProductFlashAttentionBackward0", {q, Nothing(), Nothing(), Nothing()});
  flash_backward_op = Op("aten::_scaled_dot_product_flash_attention_backward",
                         {q,
                          q,
                          q,
                          q,
                          q,
                          {{batch, heads, sequence}, "float", "", {}},
                          Nothing(),
                          Nothing(),
                          Scalar(std::to_string(sequence)),
                          Scalar(std::to_string(sequence)),
                          Scalar("0."),
                          Scalar("True"),
                          Nothing(),
                          Nothing(),
                          Nothing()});
  dropout_backward = Op("NativeDropoutBackward0", {x, Nothing()});
  dropout_backward_op =
      Op("aten::native_dropout_backward",
         {x, {{batch, sequence, hidden}, "bool", "", {}}, Scalar("1.1111111111111112")});
  add_backward = Op("AddBackward0", {x});
  gelu_backward = Op("CompiledFunctionBackward", {up});
  triton_gelu_backward = Op("triton_poi_fused_gelu_backward_2",
                            {up, up, Scalar(std::to_string(tokens * feed_forward))});
  triton_gelu_backward.inputs = kernel_file + triton_gelu_backward.inputs;
  norm_backward = Op("NativeLayerNormBackward0", {x, Nothing(), Nothing()});
  const Tensor statistics{{batch, sequence, 1}, "float", "", {}};
  norm_backward_op = Op("aten::native_layer_norm_backward",
                        {x, x, ScalarList(ListText({hidden})), statistics, statistics, bias, bias,
                         ScalarList("[True, True, True]")});
  accumulate_grad = Op("torch::autograd::AccumulateGrad", {w});
  mul_out = Op("torch::distributed::reducer::mul_out", {{{hidden * hidden}}, w, loss});
  mul = Op("aten::mul", {w, loss});
  Tensor bucket{{layer_parameters}, "TensorList", "", {}};
  all_reduce = Op("c10d::allreduce_",
                  {bucket, Nothing(), Nothing(), Nothing(), Scalar("True"), Scalar("-1")});
  record_param_comms =
      Op("record_param_comms",
         {bucket, Scalar("118"), ScalarList("[0, default_pg]"),
          Scalar(std::to_string(options.rank)), Scalar("allreduce"), ScalarList("[]"),
          ScalarList("[]"), Scalar("0"), Scalar("1"), Scalar(std::to_string(options.world))});
  nll_backward = Op("NllLossBackward0", {loss});
  nll_backward_op = Op("aten::nll_loss_backward",
                       {loss, logits, labels, Nothing(), Scalar("1"), Scalar("-100"), loss});
  softmax_backward = Op("LogSoftmaxBackward0", {logits});
  softmax_backward_op =
      Op("aten::_log_softmax_backward_data", {logits, logits, Scalar("1"), Scalar("15")});
  embedding_backward = Op("EmbeddingBackward0", {x});
  embedding_backward_op =
      Op("aten::embedding_dense_backward",
         {x, ids, Scalar(std::to_string(vocabulary)), Scalar("-1"), Scalar("False")});
  mm_backward = Op("MmBackward0", {logits});
  evaluate_addmm = BackwardOp("AddmmBackward0");
  evaluate_t = BackwardOp("TBackward0");
  evaluate_view = BackwardOp("ViewBackward0");
  evaluate_transpose = BackwardOp("TransposeBackward0");
  evaluate_flash = BackwardOp("ScaledDotProductFlashAttentionBackward0");
  evaluate_dropout = BackwardOp("NativeDropoutBackward0");
  evaluate_add = BackwardOp("AddBackward0");
  evaluate_gelu = BackwardOp("CompiledFunctionBackward");
  evaluate_norm = BackwardOp("NativeLayerNormBackward0");
  evaluate_accumulate = BackwardOp("torch::autograd::AccumulateGrad");
  evaluate_nll = BackwardOp("NllLossBackward0");
  evaluate_softmax = BackwardOp("LogSoftmaxBackward0");
  evaluate_embedding = BackwardOp("EmbeddingBackward0");
  evaluate_mm = BackwardOp("MmBackward0");

  foreach_add = Op("aten::_foreach_add_", {list, Scalar("1")});
  foreach_mul = Op("aten::_foreach_mul_", {list, Scalar("0.99990000000000001")});
  foreach_lerp = Op("aten::_foreach_lerp_", {list, list, Scalar("0.10000000000000009")});
  foreach_addcmul =
      Op("aten::_foreach_addcmul_", {list, list, list, Scalar("0.0010000000000000009")});
  foreach_sqrt = Op("aten::_foreach_sqrt", {list});
  foreach_div =
      Op("aten::_foreach_div_", {list, ScalarList("[0.031606961258558236, 0.031606961258558236]")});
  foreach_addcdiv =
      Op("aten::_foreach_addcdiv_", {list, list, list, ScalarList("[-0.00059, -0.00059]")});
  foreach_norm = Op("aten::_foreach_norm", {list, Scalar("2"), Nothing()});
  zero_ = Op("aten::zero_", {w});
  stack_norms = Op("aten::stack", {list, Scalar("0")});

  // Kernel names as nvcc and the libraries spell them.
  const bool hopper = !options.legacy();
  const std::string array2 = hopper ? "std::array<char*, 2ul>" : "at::detail::Array<char*, 2>";
  const std::string array3 = hopper ? "std::array<char*, 3ul>" : "at::detail::Array<char*, 3>";
  const auto vectorized = [](const std::string& functor, const std::string& array) {
    return "void at::native::vectorized_elementwise_kernel<4, " + functor + ", " + array +
           " >(int, " + functor + ", " + array + ")";
  };
  const auto gemm_name = [hopper](std::string new_name, std::string old_name) {
    return hopper ? new_name : old_name;
  };
  const std::string gemm_tn = gemm_name(
      "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
      "segment_k_off_"
      "kernel__5x_cublas",
      "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn");
  const std::string gemm_up_name =
      gemm_name("nvjet_tst_128x256_64x4_2x1_v_bz_coopA_bias_TNN",
                "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_tn");
  const std::string gemm_down_name =
      gemm_name("nvjet_tst_192x192_64x4_1x2_h_bz_coopB_bias_TNN",
                "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn");
  const std::string gemm_nn =
      gemm_name("nvjet_tst_256x128_64x4_2x1_v_bz_coopA_NNN",
                "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x4_nn");
  const std::string gemm_nt =
      gemm_name("nvjet_tst_128x128_64x6_2x1_v_bz_splitK_NTT",
                "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x4_nt");
  const std::string copy_lambda =
      "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
      "const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}";
  const std::string gelu_lambda =
      "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
      "at::native::GeluType)::{lambda()#2}::operator()() "
      "const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}";
  const std::string adam_functor =
      "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
      "namespace)::TensorListMetadata<3>, at::native::(anonymous "
      "namespace)::PointwiseOpScalarFunctor<float, 3, 3, "
      "0>, std::multiplies<float>, float>(at::native::(anonymous "
      "namespace)::TensorListMetadata<3>, "
      "at::native::(anonymous namespace)::PointwiseOpScalarFunctor<float, 3, 3, 0>, "
      "std::multiplies<float>, float)";
  const int64_t n = tokens * hidden;
  const int64_t n_up = tokens * feed_forward;

  input_copy = Copy(options.scenario == Scenario::kSync ? "Memcpy HtoD (Pageable -> Device)"
                                                        : "Memcpy HtoD (Pinned -> Device)",
                    tokens * 8, options.scenario == Scenario::kSync ? 6.0 : 24.0);
  scalar_copy = Copy("Memcpy DtoH (Device -> Pageable)", 4, 4.0);
  workspace_fill = Copy("Memset (Device)", 4096, 900.0);
  embedding_kernel = Elementwise(
      "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned "
      "int, 2, 2, -2, "
      "true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, "
      "at::cuda::detail::TensorInfo<c10::BFloat16 "
      "const, unsigned int>, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, "
      "unsigned int, "
      "unsigned int, long)",
      n, 2);
  layer_norm_kernel = Kernel(
      "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
      "float>(int, float, "
      "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, "
      "c10::BFloat16*)",
      34, 24, {tokens, 1, 1}, {32, 4, 1}, 75, 4.0 * static_cast<double>(n) / 2.4e6);
  gemm_hidden = Gemm(gemm_tn, tokens, hidden, hidden);
  gemm_up = Gemm(gemm_up_name, tokens, feed_forward, hidden);
  gemm_down = Gemm(gemm_down_name, tokens, hidden, feed_forward);
  const double attention_us = 4.0 * static_cast<double>(tokens) * static_cast<double>(sequence) *
                              static_cast<double>(hidden) / 2.0 / 4.0e8;
  flash_kernel = Kernel(
      "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
      "cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, "
      "true, false, false, "
      "true, true, false, false>(pytorch_flash::Flash_fwd_params)",
      255, 49152, {(sequence + 127) / 128, batch, heads}, {128, 1, 1}, 19, attention_us);
  copy_kernel = Elementwise(
      "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<" +
          copy_lambda + ">(at::TensorIteratorBase&, " + copy_lambda +
          " const&)::{lambda(int)#1}>(int, "
          "at::native::gpu_kernel_impl_nocast<" +
          copy_lambda + ">(at::TensorIteratorBase&, " + copy_lambda + " const&)::{lambda(int)#1})",
      n, 2);
  dropout_kernel = Elementwise(
      "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<c10::BFloat16, float, "
      "unsigned int, 1, 8, "
      "bool>(at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, "
      "at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, "
      "at::cuda::detail::TensorInfo<bool, unsigned int>, "
      "unsigned int, float, at::PhiloxCudaState)",
      n, 3);
  add_kernel = Elementwise(vectorized("at::native::CUDAFunctor_add<c10::BFloat16>", array3), n, 3);
  gelu_kernel = Elementwise(vectorized(gelu_lambda, array2), n_up, 2);
  triton_gelu_kernel = Elementwise("triton_poi_fused_gelu_1", n_up, 2);
  triton_norm_kernel = Elementwise("triton_red_fused_add_native_layer_norm_0", n, 4);
  head_gemm = Gemm(gemm_up_name, tokens, vocabulary, hidden);
  softmax_kernel = Elementwise(
      "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, "
      "c10::BFloat16, "
      "at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(c10::BFloat16*, c10::BFloat16 "
      "const*, int)",
      tokens * vocabulary, 2);
  nll_kernel = Elementwise(
      "void at::native::(anonymous "
      "namespace)::nll_loss_forward_reduce_cuda_kernel_2d<c10::BFloat16, float, "
      "long>(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 "
      "const*, bool, long, "
      "long, long, long)",
      tokens * 16, 1);
  fill_kernel =
      Elementwise(vectorized("at::native::FillFunctor<float>", "std::array<char*, 1ul>"), 1, 1);
  gemm_hidden_dx = Gemm(gemm_nn, tokens, hidden, hidden);
  gemm_hidden_dw = Gemm(gemm_nt, hidden, hidden, tokens);
  gemm_up_dx = Gemm(gemm_nn, tokens, hidden, feed_forward);
  gemm_up_dw = Gemm(gemm_nt, feed_forward, hidden, tokens);
  gemm_down_dx = Gemm(gemm_nn, tokens, feed_forward, hidden);
  gemm_down_dw = Gemm(gemm_nt, hidden, feed_forward, tokens);
  const std::string reduce =
      "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
      "at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
      "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, "
      "c10::BFloat16, 4, 4> "
      ">(at::native::ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, "
      "at::native::sum_functor<c10::BFloat16, float, "
      "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, "
      "float)#1}>, unsigned int, c10::BFloat16, 4, 4>)";
  reduce_kernel = Elementwise(reduce, n, 1);
  reduce_up_kernel = Elementwise(reduce, n_up, 1);
  flash_dot_kernel = Elementwise(
      "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, 128, 128, "
      "8, 4, 4, 4, false, "
      "false, cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> > "
      ">(pytorch_flash::Flash_bwd_params)",
      n, 3);
  flash_backward_kernel = Kernel(
      "void "
      "pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, "
      "128, 128, 8, 4, "
      "4, 4, false, false, cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 8, "
      "cutlass::bfloat16_t> >, false, "
      "true, false, false, true, true, false>(pytorch_flash::Flash_bwd_params)",
      255, 147456, {(sequence + 127) / 128, batch, heads}, {256, 1, 1}, 13, attention_us * 2.5);
  flash_convert_kernel = Elementwise(
      "void pytorch_flash::flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<64, 128, 128, 8, 4, "
      "4, 4, false, "
      "false, cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 8, cutlass::bfloat16_t> > "
      ">(pytorch_flash::Flash_bwd_params, int)",
      n, 3);
  dropout_backward_kernel = Elementwise(
      vectorized("at::native::(anonymous namespace)::masked_scale_kernel<bool, c10::BFloat16, "
                 "float>(at::Tensor&, at::Tensor const&, at::Tensor const&, "
                 "float)::{lambda(c10::BFloat16, bool)#1}",
                 array3),
      n, 3);
  triton_gelu_backward_kernel = Elementwise("triton_poi_fused_gelu_backward_2", n_up, 3);
  norm_backward_kernel = Elementwise(
      "void at::native::(anonymous "
      "namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, "
      "float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
      "c10::BFloat16 const*, "
      "c10::BFloat16*, int)",
      n, 3);
  norm_gamma_kernel = Elementwise(
      "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, "
      "float, 32u, 8u, "
      "64u, false, true, true>(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float "
      "const*, float const*, "
      "c10::BFloat16*, c10::BFloat16*)",
      n, 2);
  bucket_kernel = Elementwise(
      vectorized("at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
                 "at::native::binary_internal::MulFunctor<float> >",
                 array3),
      hidden * hidden, 2);
  nccl_kernel = Kernel(
      options.era == Era::kNew || options.era == Era::k2_4 || options.era == Era::k2_4Absolute
          ? "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
          : "ncclKernel_AllReduce_RING_LL_Sum_bf16(ncclWorkElem)",
      96, 87568, {24, 1, 1}, {544, 1, 1}, 0, 0.0);
  nccl_kernel.elements = layer_parameters;
  softmax_backward_kernel = Elementwise(
      "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, c10::BFloat16, float, "
      "c10::BFloat16, "
      "at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(c10::BFloat16*, "
      "c10::BFloat16 const*, "
      "c10::BFloat16 const*, int)",
      tokens * vocabulary, 3);
  nll_backward_kernel = Elementwise(
      "void at::native::(anonymous "
      "namespace)::nll_loss_backward_reduce_cuda_kernel_2d<c10::BFloat16, "
      "long>(c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, "
      "c10::BFloat16 const*, bool, int, "
      "int, long, long)",
      tokens * 16, 1);
  head_gemm_dx = Gemm(gemm_nn, tokens, hidden, vocabulary);
  head_gemm_dw = Gemm(gemm_nt, vocabulary, hidden, tokens);
  embedding_backward_kernel = Elementwise(
      "void at::native::(anonymous namespace)::compute_grad_weight<c10::BFloat16, long>(long "
      "const*, c10::BFloat16 "
      "const*, long const*, long, long, long const*, long const*, long const*, float*, long)",
      n, 3);
  multi_tensor_kernel = Kernel(adam_functor, 48, 0, {320, 1, 1}, {512, 1, 1}, 100,
                               static_cast<double>(layer_parameters) * 12.0 / 2.4e6);

  const auto module = [this](const char* type, int index, const char* from) {
    return Module(type, index, from);
  };
  ddp_module = module("DistributedDataParallel", 0, "train.py:109");
  transformer_module = module("Transformer", 0, "torch/nn/parallel/distributed.py:1644");
  embedding_module = module("Embedding", 0, "model.py:143");
  final_norm_module = module("LayerNorm", 2 * layers, "model.py:151");
  head_module = module("Linear", 6 * layers, "model.py:152");
  loss_module = module("CrossEntropyLoss", 0, "train.py:110");
  for (int i = 0; i < layers; ++i) {
    blocks.push_back(
        {module("Block", i, "model.py:148"), module("Attention", i, "model.py:104"),
         module("MLP", i, "model.py:105"), module("LayerNorm", 2 * i, "model.py:104"),
         module("LayerNorm", 2 * i + 1, "model.py:105"), module("Linear", 6 * i, "model.py:55"),
         module("Linear", 6 * i + 1, "model.py:56"), module("Linear", 6 * i + 2, "model.py:57"),
         module("Linear", 6 * i + 3, "model.py:67"), module("Linear", 6 * i + 4, "model.py:85"),
         module("Linear", 6 * i + 5, "model.py:87"), module("GELU", i, "model.py:86"),
         module("Dropout", 2 * i, "model.py:68"), module("Dropout", 2 * i + 1, "model.py:88")});
  }
}

}  // namespace generator

#endif  // TESTS_GENERATORS_TRACE_MODEL_H_
