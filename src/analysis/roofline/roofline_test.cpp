// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/roofline.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

class Roofline : public testing::Test {
 protected:
  SpanRow Operator(std::string_view name, int64_t start, int64_t end, std::string_view dims,
                   std::string_view types, std::string_view concrete = "", int64_t tid = 1) {
    const SpanRow row = builder_.Operator(name, start, end, tid);
    OperatorDetail& detail = builder_.OperatorDetailOf(row);
    detail.input_dims = builder_.Text(dims);
    detail.input_types = builder_.Text(types);
    if (!concrete.empty()) detail.concrete_inputs = builder_.Text(concrete);
    return row;
  }
  void Launch(int64_t at, int64_t duration, std::string_view kernel = "k", int64_t tid = 1) {
    ++correlation_;
    builder_.Runtime("cudaLaunchKernel", at, at + 1, correlation_, tid);
    builder_.Kernel(kernel, 100'000 + at, 100'000 + at + duration, correlation_);
  }
  void Device(std::string_view name) {
    builder_.trace().devices.push_back({.id = 0, .name = std::string(name)});
  }
  RooflineReport Describe(const RooflineOptions& options = {},
                          const AnalysisOptions& analysis = {}) {
    const TraceContext context = PrepareTrace(builder_.trace(), analysis);
    RooflineReport report = DescribeRoofline(std::span(&context, 1), options);
    // Both lists together are the whole.
    int64_t whole = 0;
    for (size_t i = 0; i < context.links.size(); ++i) {
      if (context.selection.HasDeviceEvent(context.trace, context.tree, context.links, i)) {
        whole += context.trace.spans.duration_ns[context.links.device[i]];
      }
    }
    int64_t sum = 0;
    for (const RooflineRow& row : report.rows) sum += row.time_ns;
    EXPECT_EQ(sum, report.covered_ns);
    for (const NoFormulaRow& row : report.without_formula) sum += row.time_ns;
    EXPECT_EQ(sum, report.total_ns);
    EXPECT_EQ(report.has_device ? sum : 0, whole);
    return report;
  }
  static constexpr std::string_view kDims = "[[1000,1000],[1000,1000]]";
  static constexpr std::string_view kTypes = R"(["c10::Half","c10::Half"])";

  TraceBuilder builder_;
  uint64_t correlation_ = 0;
};

TEST_F(Roofline, ComparesWithThePeaks) {
  Device("NVIDIA H100 80GB HBM3");
  Operator("aten::mm", 0, 100, kDims, kTypes);
  Launch(10, 4000);
  Operator("aten::mm", 200, 300, kDims, kTypes);
  Launch(210, 4000);
  const RooflineReport report = Describe();
  ASSERT_EQ(report.rows.size(), 1U);
  const RooflineRow& row = report.rows[0];
  EXPECT_EQ(row.calls, 2U);
  EXPECT_EQ(row.time_ns, 8000);
  EXPECT_EQ(row.flops, 2'000'000'000);
  EXPECT_EQ(row.bytes, 6'000'000);
  EXPECT_DOUBLE_EQ(*row.flops_per_second, 4e9 / 8e-6);
  EXPECT_DOUBLE_EQ(*row.bytes_per_second, 12e6 / 8e-6);
  EXPECT_EQ(row.peak_kind, PeakKind::kFp16);
  EXPECT_EQ(row.bound, RooflineBound::kCompute);
  EXPECT_EQ(row.ideal_ns, 4043);  // 4e9 / 989.4e12 s
  EXPECT_EQ(row.lost_ns, 8000 - 4043);
  EXPECT_NEAR(*row.roof_share, 4043.0 / 8000, 1e-4);
  EXPECT_EQ(report.devices[0].source, PeakSource::kTable);
}

TEST_F(Roofline, TheUsersPeaksCountInstead) {
  Device("Unheard of");
  Operator("aten::mm", 0, 100, kDims, kTypes);
  Launch(10, 4000);
  EXPECT_EQ(Describe().rows[0].ideal_ns, std::nullopt);
  RooflineOptions options;
  options.peaks = *ParseDevicePeaks("fp16=1e18,memory=2e12");
  const RooflineReport report = Describe(options);
  EXPECT_EQ(report.rows[0].bound, RooflineBound::kMemory);
  EXPECT_EQ(report.rows[0].ideal_ns, 3000);
  EXPECT_EQ(report.devices[0].source, PeakSource::kOption);
}

TEST_F(Roofline, Fp32UsesTensorCoresOnlyWhereTheKernelSaysSo) {
  Device("NVIDIA A100-SXM4-40GB");
  const std::string_view types = R"(["float","float"])";
  Operator("aten::mm", 0, 100, kDims, types);
  Launch(10, 4000, "ampere_sgemm_128x64_nn");
  Operator("aten::mm", 200, 300, "[[1000,1000],[1000,1001]]", types);
  Launch(210, 4000, "ampere_tf32_s1688gemm_fp32_128x128_ldg8_nn_tensorop");
  const RooflineReport report = Describe();
  for (const RooflineRow& row : report.rows) {
    const bool tensor = row.input_shapes.find("1001") != std::string::npos;
    EXPECT_EQ(row.peak_kind, tensor ? PeakKind::kTf32 : PeakKind::kFp32);
  }
}

TEST_F(Roofline, TheOutermostOperatorWithAFormulaCounts) {
  const std::string_view dims = "[[4,6],[],[6],[6],[],[]]";
  const std::string_view types = R"(["float","ScalarList","float","float","Scalar","Scalar"])";
  Operator("aten::layer_norm", 0, 100, dims, types);
  Operator("aten::native_layer_norm", 10, 90, dims, types);
  Launch(20, 50);
  const RooflineReport report = Describe();
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].name, "aten::layer_norm");
}

TEST_F(Roofline, WrappersStandBack) {
  Operator("aten::linear", 0, 100, "[[2,3],[5,3],[5]]", R"(["float","float","float"])");
  Operator("aten::addmm", 10, 50, "[[5],[2,3],[3,5],[],[]]",
           R"(["float","float","float","Scalar","Scalar"])");
  Launch(20, 50);
  Operator("aten::odd", 60, 80, "[]", "[]");
  Launch(70, 8);
  Operator("aten::linear", 200, 300, "[[2,3],[5,3],[5]]", R"(["float","float","float"])");
  Launch(210, 16);  // nothing inside tells: the wrapper counts
  const RooflineReport report = Describe();
  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_EQ(report.rows[0].name, "aten::addmm");
  EXPECT_EQ(report.rows[1].name, "aten::linear");
  EXPECT_EQ(report.rows[1].time_ns, 16);
  ASSERT_EQ(report.without_formula.size(), 1U);
  EXPECT_EQ(report.without_formula[0].name, "aten::odd");
}

TEST_F(Roofline, ForwardAndBackwardAreRowsOfTheirOwn) {
  Operator("aten::mm", 0, 100, kDims, kTypes);
  Launch(10, 5);
  builder_.Operator("autograd::engine::evaluate_function: MmBackward0", 200, 400, 2);
  Operator("aten::mm", 250, 300, kDims, kTypes, "", 2);
  Launch(260, 7, "k", 2);
  const RooflineReport report = Describe();
  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_TRUE(report.rows[0].backward);
  EXPECT_EQ(report.rows[0].time_ns, 7);
  EXPECT_FALSE(report.rows[1].backward);
}

TEST_F(Roofline, FamiliesAreSumsOfTheirRows) {
  Device("NVIDIA H100 80GB HBM3");
  Operator("aten::mm", 0, 100, kDims, kTypes);
  Launch(10, 4000);
  Operator("aten::bmm", 100, 200, "[[1,1000,1000],[1,1000,1000]]", kTypes);
  Launch(110, 6000);
  Operator("triton_poi_fused_add_0", 200, 300, kDims, kTypes);
  Launch(210, 3000);
  const RooflineReport report = Describe();
  ASSERT_EQ(report.families.size(), 2U);
  const RooflineFamily& matmul = report.families[0];
  EXPECT_EQ(matmul.family, WorkFamily::kMatmul);
  EXPECT_EQ(matmul.calls, 2U);
  EXPECT_EQ(matmul.time_ns, 10'000);
  EXPECT_DOUBLE_EQ(*matmul.flops_per_second, 4e9 / 10e-6);
  EXPECT_EQ(matmul.ideal_ns, 2 * 2021);  // 2e9 / 989.4e12 s each
  EXPECT_EQ(matmul.lost_ns, 10'000 - 2 * 2021);
  const RooflineFamily& fused = report.families[1];
  EXPECT_EQ(fused.family, WorkFamily::kFused);
  EXPECT_EQ(fused.flops_per_second, std::nullopt);
  EXPECT_EQ(fused.ideal_ns, 1194);  // 4e6 / 3.35e12 s
}

TEST_F(Roofline, SaysWhyThereIsNoFormula) {
  Operator("aten::max_pool2d", 0, 100, "[[4]]", R"(["float"])");
  Launch(10, 1);
  builder_.Operator("aten::mm", 100, 200);  // without shapes
  Launch(110, 2);
  Operator("aten::copy_", 200, 300, "[[4],[4],[]]", R"(["float","float","Scalar"])");
  builder_.Runtime("cudaMemcpyAsync", 210, 211, 900);
  builder_.Memcpy("Memcpy HtoD (Pageable -> Device)", 400, 404, 900);
  builder_.Kernel("lost", 500, 508, 901);
  builder_.Annotation("nccl:all_reduce", 300, 400);
  Launch(310, 16, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  std::string text;
  for (const NoFormulaRow& row : Describe().without_formula) {
    text +=
        row.name + " " + std::string(NameOf(row.reason)) + " " + std::to_string(row.time_ns) + "\n";
  }
  EXPECT_EQ(text,
            "nccl:all_reduce communication 16\n(no operator) no_operator 8\naten::copy_ transfer "
            "4\naten::mm arguments_missing 2\n"
            "aten::max_pool2d no_formula 1\n");
}

TEST_F(Roofline, WithoutADeviceOperatorsTimeCounts) {
  Operator("aten::linear", 0, 100, "[[2,3],[5,3],[5]]", R"(["float","float","float"])");
  Operator("aten::addmm", 10, 60, "[[5],[2,3],[3,5],[],[]]",
           R"(["float","float","float","Scalar","Scalar"])");
  builder_.Operator("aten::expand", 20, 30);
  builder_.Operator("aten::t", 70, 80);
  const RooflineReport report = Describe();
  EXPECT_FALSE(report.has_device);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].time_ns, 50);
  EXPECT_EQ(report.total_ns, 100);
  ASSERT_EQ(report.without_formula.size(), 2U);
  EXPECT_EQ(report.without_formula[0].name, "aten::linear");
  EXPECT_EQ(report.without_formula[0].time_ns, 40);
  EXPECT_EQ(report.rows[0].roof_share, std::nullopt);
}

TEST_F(Roofline, OnlySelectedStepsCount) {
  for (const int64_t i : {0, 1}) {
    builder_.Annotation("ProfilerStep#" + std::to_string(i), i * 1000, i * 1000 + 900);
    Operator("aten::mm", i * 1000 + 100, i * 1000 + 200, kDims, kTypes);
    Launch(i * 1000 + 110, 5 + i);
  }
  AnalysisOptions options;
  options.first_step = 1;
  options.last_step = 1;
  const RooflineReport report = Describe({}, options);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].calls, 1U);
  EXPECT_EQ(report.total_ns, 6);
}

TEST_F(Roofline, TracesWithoutADeviceDoNotMixWithThoseThatHaveOne) {
  Operator("aten::mm", 0, 100, kDims, kTypes);
  std::vector<TraceContext> contexts;
  contexts.push_back(PrepareTrace(builder_.trace(), {}));
  TraceBuilder other;
  other.Operator("aten::odd", 0, 100);
  other.Runtime("cudaLaunchKernel", 10, 11, 1);
  other.Kernel("k", 200, 203, 1);
  contexts.push_back(PrepareTrace(other.trace(), {}));
  const RooflineReport report = DescribeRoofline(contexts);
  EXPECT_TRUE(report.has_device);
  EXPECT_TRUE(report.rows.empty());
  EXPECT_EQ(report.total_ns, 3);
}

TEST_F(Roofline, SeveralTracesAreAdded) {
  Operator("aten::mm", 0, 100, kDims, kTypes);
  Launch(10, 5);
  std::vector<TraceContext> contexts;
  contexts.push_back(PrepareTrace(builder_.trace(), {}));
  contexts.push_back(PrepareTrace(builder_.trace(), {}));
  const RooflineReport report = DescribeRoofline(contexts);
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].calls, 2U);
  EXPECT_EQ(report.total_ns, 10);
}

}  // namespace
}  // namespace telltale
