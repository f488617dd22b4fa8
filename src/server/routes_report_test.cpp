// SPDX-License-Identifier: Apache-2.0
// Reports: held against what the engine says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runs/load.h"
#include "server/test_api.h"
#include "views/build_profile.h"
#include "views/profile_json.h"
#include "views/profile_request.h"

namespace telltale {
namespace {

using simdjson::dom::element;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(ApiTest, AnswersWithTheDocumentOfTheCommand) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const std::string id = Load("/a");
  const Json whole = Good("/profiles/" + id + "/report");
  EXPECT_EQ(whole.Int("/schema"), 2);
  EXPECT_EQ(whole.Text("/kernels/0/name"), "gemm");
  EXPECT_TRUE(whole.Has("/idle"));
  EXPECT_THAT(whole.Text("/sentence"), StartsWith("A step takes"));

  ParamValues params;
  ASSERT_TRUE(params.Add(*FindParam(ProfileParams(), "view"), "operators"));
  const std::string path = folder_ / "a.json";
  const Subject subject = std::move(*LoadTraces(std::span(&path, 1), LoadOptions()));
  const ProfileRequest request = *MakeProfileRequest(params, {OutputFormat::kJson});
  const PreparedProfile prepared = PrepareProfile(subject, request.analysis).value();
  const Json expected(ProfileJson(prepared.base, BuildViews(prepared, request, Extent::kWhole)));
  const Json got = Good("/profiles/" + id + "/report?view=operators");
  for (const std::string key : {"/operators", "/files", "/diagnostics"}) {
    EXPECT_EQ(simdjson::minify(got.At(key)), simdjson::minify(expected.At(key)));
  }
  EXPECT_EQ(got.Int("/rows_total/operators"), static_cast<int64_t>(got.Size("/operators")));
}

TEST_F(ApiTest, OverviewHasTheTablesButNotTheSections) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const std::string id = Load("/a");
  const Json overview = Good("/profiles/" + id + "/report?view=overview");
  for (const std::string key : {"/steps", "/devices", "/operators", "/kernels", "/copies",
                                "/recommendations", "/diagnostics"}) {
    EXPECT_TRUE(overview.Has(key)) << key;
  }
  EXPECT_FALSE(overview.Has("/idle"));
  EXPECT_FALSE(overview.Has("/functions"));
}

TEST_F(ApiTest, EveryViewOpensWithASentence) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const std::string id = Load("/a");
  const Json profile = Good("/profiles/" + id);
  for (const element view : simdjson::dom::array(profile.At("/views"))) {
    const Json report =
        Good("/profiles/" + id + "/report?view=" + std::string(std::string_view(view)));
    const std::string answer = report.Text("/sentence");
    EXPECT_THAT(answer, testing::EndsWith(".")) << std::string_view(view);
  }
}

TEST_F(ApiTest, TakesTheOptionsOfTheCommand) {
  folder_.Write("a.json", SmallTrace(4));
  Start();
  const std::string report = "/profiles/" + Load("/a") + "/report";
  EXPECT_EQ(Good(report + "?view=steps&steps=2..3").Size("/steps/rows"), 2U);
  EXPECT_EQ(Good(report + "?view=operators&sort=calls&limit=1").Size("/operators"), 1U);
  const Json page = Good(report + "?view=operators&limit=1&offset=1");
  EXPECT_EQ(page.Size("/operators"), 1U);
  EXPECT_EQ(page.Text("/operators/0/name"),
            Good(report + "?view=operators").Text("/operators/1/name"));
  EXPECT_TRUE(Good(report + "?view=operators&group_by=shape").Has("/operators/0/input_shapes"));
  EXPECT_TRUE(Good(report + "?view=annotations&tree=true").At("/annotations/tree").is_bool());
  EXPECT_EQ(Good(report + "?view=events&limit=2&offset=1").Size("/events"), 2U);
}

TEST_F(ApiTest, ChoosesOneRankOfSeveral) {
  folder_.Write("w0.1700000000000.pt.trace.json", SmallTrace(2, 0));
  folder_.Write("w1.1700000000000.pt.trace.json", SmallTrace(5, 1));
  Start();
  const std::string report = "/profiles/" + Load("") + "/report?view=steps";
  EXPECT_EQ(Good(report).Size("/steps/rows"), 7U);
  EXPECT_EQ(Good(report + "&rank=1").Size("/steps/rows"), 5U);
  EXPECT_THAT(Wrong(report + "&rank=7"), HasSubstr("the ranks here are 0, 1"));
}

TEST_F(ApiTest, WritesCsvForDownload) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const HttpResponse csv = Get("/profiles/" + Load("/a") + "/report.csv?view=kernels");
  EXPECT_EQ(csv.status, 200U);
  EXPECT_EQ(csv.content_type, "text/csv; charset=utf-8");
  EXPECT_THAT(*csv.body, StartsWith("name,kind,calls"));
  EXPECT_THAT(csv.headers,
              Contains(std::pair<std::string, std::string>(
                  "Content-Disposition", "attachment; filename=\"telltale-kernels.csv\"")));
}

TEST_F(ApiTest, ShowsHostileNamesAsText) {
  std::string trace = SmallTrace(1);
  const std::string evil = "<script>alert(1)</script>\\u0000\\u202e\\\"";
  trace.replace(trace.find("aten::mm"), 8, evil);
  folder_.Write("a.json", trace);
  Start();
  const Json report = Good("/profiles/" + Load("/a") + "/report?view=operators");
  EXPECT_THAT(report.Text("/operators/0/name"), StartsWith("<script>alert(1)</script>"));
}

}  // namespace
}  // namespace telltale
