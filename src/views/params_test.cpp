// SPDX-License-Identifier: Apache-2.0
#include "views/params.h"

#include <gtest/gtest.h>

#include "views/part.h"
#include "views/profile_request.h"

namespace telltale {
namespace {

const std::vector<ParamSpec>& Specs() {
  static const std::vector<ParamSpec> specs = {
      {.name = "view", .type = ParamType::kChoice, .choices = {"operators", "critical_path"}},
      {.name = "row-limit", .type = ParamType::kInteger, .least = 1, .aliases = {"top"}},
      {.name = "width", .type = ParamType::kInteger, .least = 1, .most = 9, .rounds = true},
      {.name = "restrict", .type = ParamType::kText, .repeats = true},
      {.name = "nodes", .type = ParamType::kInteger, .least = 1, .most = 50, .clamps = true},
  };
  return specs;
}

std::string MessageOf(Spelling spelling, std::string_view name, std::string_view text) {
  ParamValues values(spelling);
  const Result<void> added = values.Add(*FindParam(Specs(), name), text);
  if (added) return "no error";
  EXPECT_EQ(added.error().code, ErrorCode::kUsage);
  EXPECT_FALSE(values.Has(name));
  return added.error().message;
}

TEST(ParamValues, SaysWhatIsWrongInTheWordsOfWhoAsks) {
  const auto option = [](std::string_view name, std::string_view text) {
    return MessageOf(Spelling::kOption, name, text);
  };
  const auto parameter = [](std::string_view name, std::string_view text) {
    return MessageOf(Spelling::kParameter, name, text);
  };
  EXPECT_EQ(option("view", "operator"),
            "--view 'operator' is not known; did you mean 'operators'?\n"
            "valid: operators, critical_path");
  EXPECT_EQ(parameter("view", "operator"),
            "view 'operator' is not known; did you mean 'operators'?\n"
            "valid: operators, critical_path");
  EXPECT_EQ(option("row-limit", "0"), "--row-limit takes a number from 1 up, not 0");
  EXPECT_EQ(parameter("row-limit", "0"), "row-limit takes a number from 1 up, not 0");
  EXPECT_EQ(parameter("row-limit", "1.5"), "row-limit takes a whole number, not '1.5'");
  EXPECT_EQ(parameter("width", "9.9e0x"), "width takes a whole number, not '9.9e0x'");
  EXPECT_EQ(parameter("width", "10"), "width takes a number from 1 to 9, not 10");
  EXPECT_EQ(parameter("nodes", "0"), "nodes takes a number from 1 up, not 0");
  EXPECT_EQ(parameter("width", "inf"), "width takes a whole number, not 'inf'");
}

TEST(ParamValues, ALargerNumberCountsAsTheLargest) {
  ParamValues values;
  ASSERT_TRUE(values.Add(*FindParam(Specs(), "nodes"), "1000"));
  EXPECT_EQ(values.Integer("nodes"), 50);
}

TEST(ParamValues, HoldsWhatWasGiven) {
  ParamValues values;
  for (const auto& [name, text] : {std::pair{"view", "critical-path"},
                                   {"top", "3"},
                                   {"row_limit", "4"},
                                   {"width", "2.9"},
                                   {"restrict", "a"},
                                   {"restrict", "b"}}) {
    ASSERT_TRUE(values.Add(*FindParam(Specs(), name), text)) << name;
  }
  EXPECT_EQ(values.Text("view"), "critical_path");
  EXPECT_EQ(values.Integer("row-limit"), 4);
  EXPECT_EQ(values.Integer("width"), 2);
  EXPECT_EQ(values.All("restrict").size(), 2U);
  EXPECT_EQ(values.Text("nothing"), "");
  EXPECT_EQ(values.Integer("nothing"), std::nullopt);
  EXPECT_EQ(FindParam(Specs(), "rows"), nullptr);
}

TEST(ParamValues, TheSameValuesHaveTheSameKey) {
  const auto key = [](const std::vector<std::pair<const char*, const char*>>& given) {
    ParamValues values;
    for (const auto& [name, text] : given) {
      EXPECT_TRUE(values.Add(*FindParam(Specs(), name), text));
    }
    return values.Key();
  };
  EXPECT_EQ(key({{"view", "operators"}, {"top", "+3"}}),
            key({{"row_limit", "3"}, {"view", "operators"}}));
  EXPECT_NE(key({{"restrict", "a"}, {"restrict", "b"}}),
            key({{"restrict", "b"}, {"restrict", "a"}}));
  EXPECT_NE(key({{"restrict", "a"}}), key({{"restrict", ""}}));
}

// What goes wrong behind the parameters' own checks.
TEST(MakeProfileRequest, NamesNoOptionsOverHttp) {
  std::vector<ParamSpec> specs = ProfileParams();
  for (ParamSpec& param : SectionParams()) specs.push_back(std::move(param));
  const auto message = [&](Spelling spelling,
                           const std::vector<std::pair<const char*, const char*>>& given) {
    ParamValues values(spelling);
    for (const auto& [name, text] : given) EXPECT_TRUE(values.Add(*FindParam(specs, name), text));
    const Result<ProfileRequest> request = MakeProfileRequest(values, {OutputFormat::kCsv});
    return request ? "no error" : request.error().message;
  };
  const std::vector<std::pair<const char*, const char*>> wrong[] = {
      {{"view", "overview"}},
      {{"view", "operators"}, {"sort", "nonsense"}},
      {{"view", "functions"}, {"sort", "nonsense"}},
      {{"view", "diagnostics"}, {"sort", "name"}},
      {{"view", "kernels"}, {"group-by", "shape"}},
      {{"view", "events"}, {"steps", "3"}},
      {{"view", "events"}, {"inside", "a"}},
      {{"steps", "5..3"}},
      {{"steps", "x"}},
      {{"inside", ""}},
      {{"inside", "("}},
      {{"step-annotation", "("}},
      {{"instance", "1"}},
      {{"view", "annotations"}, {"tree", ""}, {"sort", "calls"}},
      {{"depth", "1"}},
      {{"callers", "("}},
      {{"restrict", "("}},
      {{"restrict", "1.5"}},
      {{"device-peak", "x"}},
  };
  for (const auto& given : wrong) {
    const std::string over_http = message(Spelling::kParameter, given);
    EXPECT_NE(over_http, "no error") << given.back().first;
    EXPECT_EQ(over_http.find("--"), std::string::npos) << over_http;
    EXPECT_NE(message(Spelling::kOption, given), "no error");
  }
  EXPECT_EQ(message(Spelling::kOption, wrong[7]),
            "--steps 5..3 is empty: it ends before it begins");
  EXPECT_EQ(message(Spelling::kParameter, wrong[7]),
            "steps 5..3 is empty: it ends before it begins");
}

TEST(StepRange, ReadsAllForms) {
  EXPECT_EQ(ParseStepRange("3..5")->first, 3);
  EXPECT_EQ(ParseStepRange("3..5")->last, 5);
  EXPECT_EQ(ParseStepRange("7")->first, 7);
  EXPECT_EQ(ParseStepRange("7")->last, 7);
  EXPECT_EQ(ParseStepRange("3..")->last, std::nullopt);
  EXPECT_EQ(ParseStepRange("..5")->first, std::nullopt);
  for (const char* wrong : {"", "..", "a..b", "3-5", "3...5", "5..3", "3..5..7"}) {
    EXPECT_FALSE(ParseStepRange(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace telltale
