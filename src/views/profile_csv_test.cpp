// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "views/render/document.h"
#include "views/render/output.h"
#include "views/sample_profile.h"
#include "views/sample_views.h"

namespace telltale {
namespace {

std::string Csv(const Profile& profile, std::string_view view, int64_t limit = 0) {
  StringOutput output;
  WriteDocumentCsv(*SampleViews(profile, view).built().Find(view), limit, output);
  return output.text();
}

TEST(ProfileCsv, HeaderIsTheContractsFieldNames) {
  Profile profile;
  EXPECT_EQ(
      Csv(profile, "operators"),
      "name,kind,input_shapes,stack,calls,host_total_ns,host_self_ns,device_total_ns,device_self_"
      "ns,"
      "memory_total_bytes,memory_self_bytes,flops,tensor_core_eligible,tensor_core_self_share,"
      "tensor_core_total_share,work\n");
  EXPECT_EQ(Csv(profile, "steps"),
            "name,start_ns,duration_ns,complete,kernel,memcpy,memset,communication,runtime,"
            "dataloader,cpu_exec,"
            "other,range_ns,starts_late_ns,ends_late_ns,device_events,file\n");
}

TEST(ProfileCsv, QuotesAsRfc4180AsksAndLeavesMissingValuesEmpty) {
  Profile profile;
  profile.report.kernels = {SampleKernel("void f<int, 2>(\"x\")", 2, 10)};
  profile.report.kernels[0].mean_blocks_per_sm = 12.5;
  EXPECT_EQ(Csv(profile, "kernels"),
            "name,kind,calls,total_ns,mean_ns,min_ns,max_ns,mean_blocks_per_sm,mean_achieved_"
            "occupancy_share,"
            "tensor_core,operator\n"
            "\"void f<int, 2>(\"\"x\"\")\",compute,2,10000,5000,2500,10000,12.5,,false,\n");
}

TEST(ProfileCsv, NoTextIsAFormula) {
  const auto cell = [](const FieldValue& value) {
    std::string out;
    AppendCsv(value, out);
    return out;
  };
  EXPECT_EQ(cell(std::string_view("=1+1")), "'=1+1");
  EXPECT_EQ(cell(std::string_view("+x")), "'+x");
  EXPECT_EQ(cell(std::string_view("-x")), "'-x");
  EXPECT_EQ(cell(std::string_view("@SUM(A1)")), "'@SUM(A1)");
  EXPECT_EQ(cell(std::string_view("\t=1")), "'\t=1");
  EXPECT_EQ(cell(std::string_view("\r=1")), "\"'\r=1\"");
  EXPECT_EQ(cell(std::string_view("=HYPERLINK(\"a\",1)")), "\"'=HYPERLINK(\"\"a\"\",1)\"");
  EXPECT_EQ(cell(JsonText{"-[1]"}), "'-[1]");
  // Numbers are none, also those that are kept as text.
  EXPECT_EQ(cell(int64_t{-1}), "-1");
  EXPECT_EQ(cell(-0.5), "-0.5");
  EXPECT_EQ(cell(std::string_view("-1")), "-1");
  EXPECT_EQ(cell(std::string_view("a=1")), "a=1");
  EXPECT_EQ(cell(std::string_view("")), "");
}

TEST(ProfileCsv, HonoursTheLimit) {
  const std::string text = Csv(SampleGpuProfile(), "operators", 2);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST(ProfileCsv, EvidenceIsOneCell) {
  const std::string text = Csv(SampleGpuProfile(), "recommendations");
  EXPECT_NE(text.find("\"{\"\"dataloader_share\"\":0.361,\"\"dataloader_ns\"\":64200000,\"\"worst_"
                      "step\"\":\"\"12\"\"}\""),
            std::string::npos);
}

}  // namespace
}  // namespace telltale
