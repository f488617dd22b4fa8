// SPDX-License-Identifier: Apache-2.0
// The expected tables have the form that torch 2.15 printed for such values; tests/evidence
// compares whole tables of real runs.
#include "views/operators/torch_table.h"

#include <gtest/gtest.h>

#include "views/sample_profile.h"

namespace telltale {
namespace {

OperatorRow Row(std::string name, uint64_t calls, int64_t self_ns, int64_t total_ns,
                uint64_t first) {
  OperatorRow row;
  row.name = std::move(name);
  row.calls = calls;
  row.host_self_ns = self_ns;
  row.host_total_ns = total_ns;
  row.first_event = first;
  return row;
}

Profile Sample() {
  Profile profile;
  profile.files.push_back(SampleFile("trace.json", false));
  profile.report.operators = {Row("aten::mm", 27, 8'962'000, 8'972'073, 1),
                              Row("ProfilerStep*", 3, 181'693, 52'551'000, 0)};
  return profile;
}

TEST(TorchTable, PrintsAsTorchDoes) {
  EXPECT_EQ(TorchTable(Sample(), {}),
            "-----------------  ------------  ------------  ------------  ------------  "
            "------------  ------------  \n"
            "             Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time "
            "avg    # of Calls  \n"
            "-----------------  ------------  ------------  ------------  ------------  "
            "------------  ------------  \n"
            "    ProfilerStep*         1.99%     181.693us       574.72%      52.551ms      "
            "17.517ms             3  \n"
            "         aten::mm        98.01%       8.962ms        98.12%       8.972ms     "
            "332.299us            27  \n"
            "-----------------  ------------  ------------  ------------  ------------  "
            "------------  ------------  \n"
            "Self CPU time total: 9.144ms\n");
}

TEST(TorchTable, SortsDescendingAndLimits) {
  const std::string table = TorchTable(Sample(), {"host_self_ns", 1});
  EXPECT_NE(table.find("aten::mm"), std::string::npos);
  EXPECT_EQ(table.find("ProfilerStep*"), std::string::npos);
}

TEST(TorchTable, HasMemoryAndFlopsWhereRecorded) {
  Profile profile = Sample();
  profile.files[0].has_memory = true;
  profile.files[0].with_flops = true;
  profile.report.operators[0].memory_total_bytes = 5'567'938;
  profile.report.operators[0].memory_self_bytes = -240;
  profile.report.operators[0].flops = 240'648'192;
  const std::string table = TorchTable(profile, {"host_self_ns", -1});
  EXPECT_NE(
      table.find("  CPU time avg       CPU Mem  Self CPU Mem    # of Calls  Total MFLOPs  \n"),
      std::string::npos);
  EXPECT_NE(
      table.find("     332.299us       5.31 MB        -240 B            27       240.648  \n"),
      std::string::npos);
  EXPECT_NE(
      table.find("      17.517ms           0 B           0 B             3            --  \n"),
      std::string::npos);
}

TEST(TorchTable, ShapesAndStacksHaveTheirColumns) {
  Profile profile = Sample();
  profile.operator_grouping = OperatorGrouping::kShape;
  profile.report.operators[0].input_shapes = "[[28,28],[],[[2],[3]]]";
  EXPECT_NE(TorchTable(profile, {}).find("            27      [[28, 28], [], []]  \n"),
            std::string::npos);
  EXPECT_NE(TorchTable(profile, {}).find("             3                      []  \n"),
            std::string::npos);

  profile = Sample();
  profile.report.operators[0].stack = "a.py(1): f;b.py(2): g";
  EXPECT_NE(TorchTable(profile, {})
                .find("            27  a.py(1): f      \n" + std::string(103, ' ') + "b.py(2): g"),
            std::string::npos)
      << TorchTable(profile, {});
}

TEST(TorchTable, CutsLongNames) {
  Profile profile;
  profile.files.push_back(SampleFile("trace.json", false));
  profile.report.operators = {Row("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 3,
                                  228'317, 19'315'000, 0)};
  EXPECT_NE(
      TorchTable(profile, {}).find("\nenumerate(DataLoader)#_SingleProcessDataLoaderIter._...  "),
      std::string::npos);
}

TEST(TorchTable, KernelsAreRowsWithDeviceColumns) {
  Profile profile = Sample();
  profile.report.operators[0].device_self_ns = 2'000'000;
  profile.report.operators[0].device_total_ns = 2'000'000;
  profile.report.kernels = {SampleKernel("gemm", 27, 2'000)};
  const std::string table = TorchTable(profile, {});
  EXPECT_NE(table.find("     Self CUDA   Self CUDA %    CUDA total  CUDA time avg    # of Calls"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("             gemm         0.00%       0.000us         0.00%       0.000us  "
                       "     0.000us       "
                       "2.000ms       100.00%       2.000ms      74.074us            27  \n"),
            std::string::npos)
      << table;
  EXPECT_TRUE(table.ends_with("Self CPU time total: 9.144ms\nSelf CUDA time total: 2.000ms\n"));
}

TEST(TorchTable, NoRowsNoTable) { EXPECT_EQ(TorchTable(Profile(), {}), ""); }

TEST(TorchShapes, SpellsAsPython) {
  EXPECT_EQ(TorchShapes("[]"), "[]");
  EXPECT_EQ(TorchShapes("[[]]"), "[[]]");
  EXPECT_EQ(TorchShapes("[[64,3],[],[1]]"), "[[64, 3], [], [1]]");
  EXPECT_EQ(TorchShapes("[[[1,2],[3]],[4]]"), "[[], [4]]");
}

}  // namespace
}  // namespace telltale
