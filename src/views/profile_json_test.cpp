// SPDX-License-Identifier: Apache-2.0
#include "views/profile_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "views/field_value.h"
#include "views/sample_profile.h"
#include "views/sample_views.h"
#include "views/validate/validate.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> KeysOf(simdjson::dom::object object) {
  std::vector<std::string> keys;
  for (const auto& field : object) keys.emplace_back(field.key);
  return keys;
}

std::string JsonOf(const Profile& profile, std::string_view view = "overview", int64_t limit = 0) {
  const SampleViews views(profile, view);
  return ProfileJson(views.profile(), views.built(), limit);
}

class ProfileJsonTest : public testing::Test {
 protected:
  simdjson::dom::element Parse(std::string text) {
    text_ = std::move(text);
    return parser_.parse(text_);
  }
  simdjson::dom::parser parser_;
  std::string text_;
};

TEST_F(ProfileJsonTest, HasTheContractsKeysInTheirOrder) {
  const simdjson::dom::element document = Parse(JsonOf(SampleGpuProfile()));
  EXPECT_THAT(KeysOf(document),
              ElementsAre("telltale", "schema", "files", "diagnostics", "devices", "steps",
                          "operators", "kernels", "copies", "answer", "recommendations"));
  EXPECT_EQ(std::string_view(document["telltale"]), "0.2.0");
  EXPECT_EQ(int64_t(document["schema"]), 2);
  EXPECT_THAT(KeysOf(document.at_pointer("/files/0")),
              ElementsAre("path", "format", "compression", "bytes", "decoded_bytes", "events",
                          "worker", "rank", "span", "start_ns", "end_ns"));
  EXPECT_THAT(KeysOf(document.at_pointer("/diagnostics/0")),
              ElementsAre("severity", "kind", "count", "first_offset", "message", "file"));
  EXPECT_THAT(KeysOf(document["steps"]),
              ElementsAre("source", "average_ns", "range_ns", "starts_late_ns", "ends_late_ns",
                          "typical", "categories", "rows", "other_inside"));
  EXPECT_THAT(KeysOf(document.at_pointer("/steps/categories")),
              ElementsAre("kernel", "memcpy", "memset", "communication", "runtime", "dataloader",
                          "cpu_exec", "other"));
  EXPECT_THAT(KeysOf(document.at_pointer("/operators/0")),
              ElementsAre("name", "kind", "input_shapes", "stack", "calls", "host_total_ns",
                          "host_self_ns", "device_total_ns", "device_self_ns", "memory_total_bytes",
                          "memory_self_bytes", "flops", "tensor_core_eligible",
                          "tensor_core_self_share", "tensor_core_total_share", "work"));
  EXPECT_THAT(KeysOf(document.at_pointer("/kernels/0")),
              ElementsAre("name", "kind", "calls", "total_ns", "mean_ns", "min_ns", "max_ns",
                          "mean_blocks_per_sm", "mean_achieved_occupancy_share", "tensor_core",
                          "operator"));
  EXPECT_THAT(KeysOf(document.at_pointer("/recommendations/0")),
              ElementsAre("rule", "severity", "what", "saving_ns", "text", "evidence", "remedy",
                          "threshold", "title", "views", "example"));
  EXPECT_THAT(KeysOf(document.at_pointer("/recommendations/0/evidence")),
              ElementsAre("dataloader_share", "dataloader_ns", "worst_step"));
}

TEST_F(ProfileJsonTest, AViewKeepsItsSectionAlone) {
  const simdjson::dom::element document = Parse(JsonOf(SampleGpuProfile(), "kernels", 2));
  EXPECT_THAT(KeysOf(document),
              ElementsAre("telltale", "schema", "files", "diagnostics", "kernels"));
  EXPECT_EQ(simdjson::dom::array(document["kernels"]).size(), 2u);
}

TEST_F(ProfileJsonTest, ALimitOnTheWholeDocumentSparesSteps) {
  const simdjson::dom::element document = Parse(JsonOf(SampleGpuProfile(), "overview", 1));
  EXPECT_EQ(simdjson::dom::array(document["operators"]).size(), 1u);
  EXPECT_EQ(simdjson::dom::array(document.at_pointer("/steps/rows")).size(), 4u);
}

TEST_F(ProfileJsonTest, WhatTheCaptureLacksIsNull) {
  Profile profile = SampleCpuProfile();
  profile.files[0].start_ns.reset();
  profile.report.steps.rows[0].complete = false;
  DeviceRow device;
  device.type = "other";
  profile.report.devices = {device};
  const simdjson::dom::element document = Parse(JsonOf(profile));
  for (const char* pointer :
       {"/files/0/worker", "/files/0/rank", "/files/0/span", "/files/0/start_ns",
        "/steps/average_ns", "/steps/categories/kernel", "/devices/0/name",
        "/devices/0/compute_capability", "/devices/0/memory_bytes", "/operators/0/stack",
        "/operators/0/input_shapes", "/operators/0/flops"}) {
    EXPECT_TRUE(document.at_pointer(pointer).is_null()) << pointer;
  }
}

TEST_F(ProfileJsonTest, ShapesAreArraysUnlessTheyAreBroken) {
  Profile profile = SampleCpuProfile();
  profile.report.operators[0].input_shapes = "[[64,3,224,224],[],\"x\"]";
  profile.report.operators[1].input_shapes = "[[64,3,";
  const simdjson::dom::element document = Parse(JsonOf(profile));
  EXPECT_EQ(int64_t(document.at_pointer("/operators/0/input_shapes/0/3")), 224);
  EXPECT_EQ(std::string_view(document.at_pointer("/operators/1/input_shapes")), "[[64,3,");
}

TEST_F(ProfileJsonTest, PathsThatAreNotUtf8StillGiveADocument) {
  Profile profile = SampleCpuProfile();
  profile.files[0].source.path = "bad\xFFname.json";
  EXPECT_EQ(std::string_view(Parse(JsonOf(profile)).at_pointer("/files/0/path")),
            "bad\uFFFDname.json");
}

TEST_F(ProfileJsonTest, LaunchGroupsHaveTheirConfiguration) {
  Profile profile = SampleGpuProfile();
  profile.kernel_grouping = KernelGrouping::kLaunch;
  profile.report.kernels[0].grid = "[512, 1, 1]";
  profile.report.kernels[0].registers_per_thread = 32;
  const simdjson::dom::element document = Parse(JsonOf(profile, "kernels", 0));
  EXPECT_EQ(int64_t(document.at_pointer("/kernels/0/grid/0")), 512);
  EXPECT_EQ(int64_t(document.at_pointer("/kernels/0/registers_per_thread")), 32);
  EXPECT_TRUE(document.at_pointer("/kernels/1/block").is_null());
}

TEST_F(ProfileJsonTest, EventsEndTheDocument) {
  const std::string text = JsonOf(SampleGpuProfile(), "events", 0);
  EXPECT_TRUE(text.ends_with(std::string("\"events\": [") + std::string(JsonTailOfEvents())));
}

TEST_F(ProfileJsonTest, ValidateIsOkWithoutErrors) {
  Profile findings = SampleGpuProfile();
  EXPECT_THAT(KeysOf(Parse(ValidateJson(findings))),
              ElementsAre("schema", "ok", "files", "findings"));
  EXPECT_TRUE(bool(Parse(ValidateJson(findings))["ok"]));
  findings.diagnostics.push_back(
      {Severity::kError, "bad", 1, std::nullopt, "it is", ArtifactId{0}});
  EXPECT_FALSE(bool(Parse(ValidateJson(findings))["ok"]));
}

}  // namespace
}  // namespace telltale
