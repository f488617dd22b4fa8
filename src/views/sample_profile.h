// SPDX-License-Identifier: Apache-2.0
// Profiles made by hand for the tests of this folder: what a trace of a small training run gives.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "views/profile.h"

namespace telltale {

inline constexpr int64_t kMicro = 1'000;
inline constexpr int64_t kMilli = 1'000'000;

inline FileFacts SampleFile(std::string path, bool device, int64_t rank = kNoInt) {
  FileFacts file;
  file.source.path = std::move(path);
  file.source.format = "kineto_json";
  file.source.compression = "gzip";
  file.source.bytes = 1'159'569;
  file.source.decoded_bytes = 35'154'637;
  file.source.events = 75'718;
  file.source.rank = rank;
  file.start_ns = 1'000;
  file.end_ns = 1'000 + 1'000 * kMilli;
  file.has_host_events = true;
  file.has_device_events = device;
  return file;
}

// Times in the order of StepCategory, in microseconds.
inline StepRow SampleStep(std::string name, const StepTimes& times_us, uint32_t file = 0,
                          bool complete = true) {
  StepRow row;
  row.name = std::move(name);
  row.complete = complete;
  row.file = file;
  for (size_t c = 0; c < kStepCategoryCount; ++c) {
    row.categories[c] = times_us[c] * kMicro;
    row.duration_ns += row.categories[c];
  }
  return row;
}

// Fills in averages over complete steps, as the analysis does.
inline void SetAverages(StepReport& steps) {
  int64_t count = 0;
  steps.average = {};
  steps.average_ns = 0;
  for (const StepRow& row : steps.rows) {
    if (!row.complete) continue;
    ++count;
    steps.average_ns += row.duration_ns;
    for (size_t c = 0; c < kStepCategoryCount; ++c) steps.average[c] += row.categories[c];
  }
  if (count == 0) return;
  steps.average_ns /= count;
  for (int64_t& time : steps.average) time /= count;
}

inline OperatorRow SampleOperator(std::string name, uint64_t calls, int64_t host_self_us,
                                  int64_t device_self_us,
                                  OperatorKind kind = OperatorKind::kOperator) {
  OperatorRow row;
  row.name = std::move(name);
  row.kind = kind;
  row.calls = calls;
  row.host_self_ns = host_self_us * kMicro;
  row.host_total_ns = 2 * row.host_self_ns;
  row.device_self_ns = device_self_us * kMicro;
  row.device_total_ns = row.device_self_ns;
  return row;
}

inline KernelRow SampleKernel(std::string name, uint64_t calls, int64_t total_us) {
  KernelRow row;
  row.name = std::move(name);
  row.calls = calls;
  row.total_ns = total_us * kMicro;
  row.mean_ns = row.total_ns / static_cast<int64_t>(calls);
  row.min_ns = row.mean_ns / 2;
  row.max_ns = row.mean_ns * 2;
  return row;
}

// A GPU run that waits for its input: 177.6 ms a step.
inline Profile SampleGpuProfile() {
  Profile profile;
  profile.files.push_back(SampleFile("logs/worker0.1623143089861.pt.trace.json.gz", true));
  ProfileReport& report = profile.report;
  report.steps.source = StepSource::kProfilerStep;
  report.steps.rows = {
      SampleStep("10", {96'000, 1'200, 300, 0, 4'100, 63'000, 9'000, 2'000}),
      SampleStep("11", {97'000, 1'300, 300, 0, 4'000, 61'200, 9'000, 2'100}),
      SampleStep("12", {98'000, 1'100, 400, 0, 3'900, 68'400, 9'800, 2'300}),
      SampleStep("13", {20'000, 200, 100, 0, 900, 62'000, 2'000, 500}, 0, false),
  };
  SetAverages(report.steps);

  DeviceRow device;
  device.type = "cuda";
  device.name = "Tesla V100-DGXS-32GB";
  device.has_name = true;
  device.memory_bytes = 34'084'028'416;
  device.compute_capability = "7.0";
  device.kernel_count = 8772;
  device.utilization_share = 0.549;
  device.sm_efficiency_share = 0.511;
  device.achieved_occupancy_share = 0.469;
  device.tensor_core_share = 0.0;
  report.devices = {device};

  report.operators = {
      SampleOperator("aten::cudnn_convolution_backward", 318, 40'120, 118'400),
      SampleOperator("aten::cudnn_convolution", 318, 21'300, 74'100),
      SampleOperator("aten::cudnn_batch_norm", 318, 9'800, 31'900),
      SampleOperator("aten::add_", 1'908, 12'700, 19'050),
      SampleOperator("autograd::engine::evaluate_function: CudnnConvolutionBackward", 318, 8'020,
                     0),
      SampleOperator("ProfilerStep#10", 1, 1'500, 0, OperatorKind::kAnnotation),
  };
  report.operators[0].tensor_core_self_share = 0.25;
  report.kernels = {
      SampleKernel("void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float, "
                   "float, float)",
                   318, 60'300),
      SampleKernel("volta_scudnn_128x64_relu_interior_nn_v1", 204, 41'200),
      SampleKernel(
          "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", 60,
          9'000),
  };
  report.kernels[0].op = "aten::cudnn_batch_norm_backward";
  report.kernels[0].mean_blocks_per_sm = 12.8;
  report.kernels[0].mean_achieved_occupancy_share = 0.61;
  report.kernels[1].tensor_core = true;
  report.kernels[2].kind = KernelKind::kCommunication;

  CopyRow copy;
  copy.name = "Memcpy HtoD (Pageable -> Device)";
  copy.direction = "HtoD";
  copy.pageable = true;
  copy.calls = 12;
  copy.total_ns = 7'200 * kMicro;
  copy.min_ns = 1 * kMicro;
  copy.max_ns = 1'300 * kMicro;
  copy.bytes = 77'070'336;
  copy.bandwidth_gb_per_s = 10.7;
  report.copies = {copy};

  Recommendation advice;
  advice.rule = "dataloader_wait";
  advice.severity = AdviceSeverity::kHigh;
  advice.text =
      "Each step waits 64.2 ms (36 %) for the DataLoader. Load the data in worker processes: "
      "DataLoader(num_workers=4, pin_memory=True, persistent_workers=True).";
  advice.remedy = "Load the data in worker processes.";
  advice.threshold = "dataloader > 5 % of the step";
  advice.evidence = {{"dataloader_share", 0.361},
                     {"dataloader_ns", int64_t{64'200'000}},
                     {"worst_step", std::string("12")}};
  profile.recommendations = {advice};

  profile.diagnostics.push_back(
      {Severity::kInfo, "partial_overlap", 3, 1'234'567,
       "events on one thread overlap without one containing the other; each was kept under "
       "the innermost event that contains it whole",
       ArtifactId{0}});
  profile.diagnostics.push_back(
      {Severity::kLoss, "truncated", 1, 35'154'637,
       "the file ends in the middle of the document; everything before that was read",
       ArtifactId{0}});
  return profile;
}

// A CPU run without steps.
inline Profile SampleCpuProfile() {
  Profile profile;
  profile.files.push_back(SampleFile("resnet18.trace.json", false));
  ProfileReport& report = profile.report;
  report.steps.source = StepSource::kWholeTrace;
  report.steps.rows = {SampleStep("0", {0, 0, 0, 0, 0, 0, 900'000, 100'000})};
  SetAverages(report.steps);
  report.operators = {
      SampleOperator("aten::mkldnn_convolution", 200, 600'000, 0),
      SampleOperator("aten::max_pool2d_with_indices", 10, 150'000, 0),
      SampleOperator("aten::relu_", 170, 150'000, 0),
  };
  return profile;
}

}  // namespace telltale
