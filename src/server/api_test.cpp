// SPDX-License-Identifier: Apache-2.0
// The routes through the handler, without sockets: what they answer is read back with simdjson and
// held against what the engine says.
#include "server/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <atomic>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/largest_answer.h"
#include "server/test_folder.h"
#include "views/build_profile.h"
#include "views/profile_json.h"
#include "views/profile_request.h"

namespace telltale {
namespace {

using simdjson::dom::element;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A document that stays alive with its parser.
class Json {
 public:
  explicit Json(const std::string& text) : parser_(std::make_unique<simdjson::dom::parser>()) {
    EXPECT_EQ(parser_->parse(text).get(root_), simdjson::SUCCESS) << text.substr(0, 300);
  }
  // By a JSON pointer, "/error/code".
  [[nodiscard]] element At(std::string_view pointer) const {
    element out;
    EXPECT_EQ(root_.at_pointer(pointer).get(out), simdjson::SUCCESS) << pointer;
    return out;
  }
  [[nodiscard]] bool Has(std::string_view pointer) const {
    return root_.at_pointer(pointer).error() == simdjson::SUCCESS;
  }
  [[nodiscard]] std::string Text(std::string_view pointer) const {
    return std::string(std::string_view(At(pointer)));
  }
  [[nodiscard]] int64_t Int(std::string_view pointer) const { return int64_t(At(pointer)); }
  [[nodiscard]] size_t Size(std::string_view pointer) const {
    return simdjson::dom::array(At(pointer)).size();
  }

 private:
  std::unique_ptr<simdjson::dom::parser> parser_;
  element root_;
};

class ApiTest : public testing::Test {
 protected:
  void Start() {
    CatalogueOptions options;
    options.roots = {*MakeRoot("runs", folder_.path().string())};
    options.threads = 1;
    catalogue_ = std::make_unique<Catalogue>(options);
    catalogue_->Scan();
    handler_ = MakeApi(*catalogue_, {.title = "Test <b>"});
  }

  [[nodiscard]] std::string Id(std::string_view name) const {
    for (const ProfileStatus& status : catalogue_->List()) {
      if (status.name.ends_with(name)) return status.id;
    }
    ADD_FAILURE() << "no profile " << name;
    return "";
  }
  std::string Load(std::string_view name) {
    std::string id = Id(name);
    static_cast<void>(catalogue_->Get(id));
    while (catalogue_->LoadNext()) {
    }
    return id;
  }

  // "path?a=b&c=d", nothing encoded.
  HttpResponse Get(std::string_view target, std::string method = "GET", std::string body = {},
                   std::vector<std::pair<std::string, std::string>> headers = {}) {
    HttpRequest request;
    request.method = std::move(method);
    request.body = std::move(body);
    request.headers = std::move(headers);
    const size_t mark = std::min(target.find('?'), target.size());
    request.path = "/api/v1" + std::string(target.substr(0, mark));
    std::istringstream query{std::string(target.substr(std::min(mark + 1, target.size())))};
    for (std::string pair; std::getline(query, pair, '&');) {
      const size_t equals = std::min(pair.find('='), pair.size());
      request.query.emplace_back(pair.substr(0, equals),
                                 pair.substr(std::min(equals + 1, pair.size())));
    }
    return handler_(request);
  }
  Json Good(std::string_view target) {
    const HttpResponse response = Get(target);
    EXPECT_EQ(response.status, 200U) << target << "\n" << *response.body;
    EXPECT_EQ(response.content_type, "application/json");
    return Json(*response.body);
  }
  // The status and the message.
  std::string Wrong(std::string_view target) {
    const HttpResponse response = Get(target);
    return std::to_string(response.status) + " " + Json(*response.body).Text("/error/message");
  }

  TestFolder folder_;
  std::unique_ptr<Catalogue> catalogue_;
  HttpHandler handler_;
};

TEST_F(ApiTest, ListsProfiles) {
  folder_.Write("resnet/worker0.1700000000000.pt.trace.json", SmallTrace());
  Start();
  Json list = Good("/profiles");
  EXPECT_EQ(list.Text("/title"), "Test <b>");
  EXPECT_EQ(list.Text("/version"), kVersion);
  EXPECT_EQ(list.Size("/profiles"), 1U);
  EXPECT_EQ(list.Text("/profiles/0/name"), "runs/resnet/worker0");
  EXPECT_EQ(list.Text("/profiles/0/folder"), "runs/resnet");
  EXPECT_EQ(list.Text("/profiles/0/kind"), "trace");
  EXPECT_EQ(list.Text("/profiles/0/state"), "found");
  EXPECT_TRUE(list.At("/profiles/0/error").is_null());
  const std::string id = Load("worker0");
  list = Good("/profiles/" + id);
  EXPECT_EQ(list.Text("/state"), "ready");
  EXPECT_EQ(list.Int("/events"), 15);
  const auto texts = [&](std::string_view key) {
    std::vector<std::string> all;
    for (const element text : simdjson::dom::array(list.At(key))) {
      all.emplace_back(std::string_view(text));
    }
    return all;
  };
  const std::vector<std::string> views = texts("/views");
  EXPECT_THAT(texts("/captured"), ElementsAre("operators", "device_events", "steps", "shapes"));
  EXPECT_THAT(views, Contains("overview"));
  EXPECT_THAT(views, Contains("critical_path"));
  EXPECT_THAT(Wrong("/profiles/none"), StartsWith("404 "));
}

TEST_F(ApiTest, SaysWhatIsNotReady) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("bad.1.pt.trace.json", "not a trace");
  Start();
  const HttpResponse waiting = Get("/profiles/" + Id("/a") + "/report?view=overview");
  EXPECT_EQ(waiting.status, 202U);
  EXPECT_THAT(waiting.headers, Contains(std::pair<std::string, std::string>("Retry-After", "1")));
  const Json progress(*waiting.body);
  EXPECT_EQ(progress.Text("/error/code"), "loading");
  EXPECT_EQ(progress.Text("/profile/state"), "loading");
  EXPECT_TRUE(catalogue_->LoadNext());
  EXPECT_EQ(Get("/profiles/" + Id("/a") + "/report?view=overview").status, 200U);
  Load("bad");
  EXPECT_THAT(Wrong("/profiles/" + Id("bad") + "/report"), StartsWith("422 "));
  EXPECT_THAT(Wrong("/profiles/none/report"), StartsWith("404 "));
}

TEST_F(ApiTest, AnswersWithTheDocumentOfTheCommand) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const std::string id = Load("/a");
  const Json whole = Good("/profiles/" + id + "/report");
  EXPECT_EQ(whole.Int("/schema"), 1);
  EXPECT_EQ(whole.Text("/kernels/0/name"), "gemm");
  EXPECT_TRUE(whole.Has("/idle"));
  EXPECT_THAT(whole.Text("/answer"), StartsWith("A step takes"));

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
    const std::string answer = report.Text("/answer");
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

TEST_F(ApiTest, RefusesWhatMakesNoSense) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("f.prof", std::string("{0", 2));
  Start();
  const std::string report = "/profiles/" + Load("/a") + "/report";
  EXPECT_THAT(Wrong(report + "?view=nothing"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?width=80"), HasSubstr("there is no parameter 'width'"));
  EXPECT_THAT(Wrong(report + "?json"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?threads=9"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?like=torch"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?viev=steps"), HasSubstr("view"));
  EXPECT_THAT(Wrong(report + "?steps=9..12"), HasSubstr("matches no step"));
  EXPECT_THAT(Wrong(report + "?inside=nowhere"), HasSubstr("matches no range"));
  EXPECT_THAT(Wrong(report + "?rank=3"), HasSubstr("rank 3"));
  EXPECT_THAT(Wrong(report + "?inside=["), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?offset=-1"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?=x"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + ".csv?view=overview"), StartsWith("400 "));
  EXPECT_THAT(Wrong("/nothing"), StartsWith("404 "));
  EXPECT_THAT(Wrong("/profiles//report"), StartsWith("404 "));
  const HttpResponse method = Get("/profiles", "DELETE");
  EXPECT_EQ(method.status, 405U);
  EXPECT_THAT(method.headers, Contains(std::pair<std::string, std::string>("Allow", "GET, HEAD")));
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

TEST_F(ApiTest, KeepsAnswersWhateverTheOrderOfParameters) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const std::string report = "/profiles/" + Load("/a") + "/report";
  const HttpResponse first = Get(report + "?view=operators&limit=2");
  const HttpResponse second = Get(report + "?limit=2&view=operators");
  EXPECT_EQ(first.body, second.body) << "the same object, not a copy";
}

TEST_F(ApiTest, TagsAnswersThatItKeeps) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const std::string report = "/profiles/" + Load("/a") + "/report?view=overview";
  const HttpResponse first = Get(report);
  std::string tag;
  for (const auto& [name, value] : first.headers) {
    if (name == "ETag") tag = value;
  }
  ASSERT_FALSE(tag.empty());
  EXPECT_THAT(Get(report).headers, Contains(std::pair<std::string, std::string>("ETag", tag)));
  EXPECT_EQ(*Get(report, "HEAD").body, *first.body) << "the protocol leaves it out";
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

TEST_F(ApiTest, ComparesTwoProfiles) {
  folder_.Write("a.json", SmallTrace(4));
  folder_.Write("b.json", SmallTrace(6));
  Start();
  const std::string diff = "/diff?before=" + Id("/a") + "&after=" + Id("/b");
  EXPECT_EQ(Get(diff).status, 202U);
  while (catalogue_->LoadNext()) {
  }
  const Json both = Good(diff);
  EXPECT_EQ(both.Text("/before"), "runs/a");
  EXPECT_EQ(both.Text("/after"), "runs/b");
  EXPECT_EQ(both.Int("/samples_after"), 6);
  EXPECT_FALSE(both.Text("/answer").empty());
  EXPECT_EQ(Good(diff + "&steps=1..2").Int("/samples_before"), 2);
  EXPECT_THAT(Wrong("/diff?before=" + Id("/a")), HasSubstr("before and after"));
  EXPECT_THAT(Wrong(diff + "&markdown"), StartsWith("400 "));
  EXPECT_THAT(Wrong("/diff?before=none&after=" + Id("/a")), StartsWith("404 "));
}

TEST_F(ApiTest, AnswersSql) {
  folder_.Write("a.json", SmallTrace(4));
  Start();
  const std::string query = "/profiles/" + Load("/a") + "/query";
  const auto ask = [&](const std::string& body) { return Get(query, "POST", body); };
  const HttpResponse good =
      ask(R"({"sql": "SELECT name, duration_ns FROM kernels ORDER BY 2", "limit": 3})");
  ASSERT_EQ(good.status, 200U) << *good.body;
  const Json rows(*good.body);
  EXPECT_EQ(rows.Text("/columns/0"), "name");
  EXPECT_EQ(rows.Size("/rows"), 3U);
  EXPECT_EQ(rows.Text("/rows/0/0"), "gemm");
  EXPECT_EQ(rows.Int("/rows/0/1"), 300000);
  EXPECT_TRUE(bool(rows.At("/truncated")));

  const HttpResponse wrong = ask(R"({"sql": "SELECT nam FROM kernels"})");
  EXPECT_EQ(wrong.status, 400U);
  const Json error(*wrong.body);
  EXPECT_EQ(error.Text("/error/code"), "wrong_sql");
  EXPECT_THAT(error.Text("/error/message"), HasSubstr("did you mean 'name'"));
  EXPECT_THAT(error.Text("/error/message"), HasSubstr("\nGET /api/v1/schema lists the columns"));
  EXPECT_EQ(error.Int("/error/offset"), 7);
  for (const std::string_view body :
       {"", "SELECT 1", "{", R"({"sql": 3})", R"({"sql": "SELECT 1", "limit": 0})",
        R"({"sql": "DROP TABLE x"})", R"({"sql": "SELECT 1; SELECT 2"})", R"({"other": 1})"}) {
    EXPECT_EQ(ask(std::string(body)).status, 400U) << body;
  }
  EXPECT_GT(Good("/schema").Size(""), 3U);
}

TEST_F(ApiTest, StopsARunawayQueryAtItsRows) {
  folder_.Write("a.json", SmallTrace(1));
  Start();
  const HttpResponse endless = Get(
      "/profiles/" + Load("/a") + "/query", "POST",
      R"({"sql": "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT x FROM t"})");
  EXPECT_EQ(endless.status, 200U);
  EXPECT_TRUE(bool(Json(*endless.body).At("/truncated")));
}

TEST_F(ApiTest, SqlEndsWhenItsClientLeaves) {
  folder_.Write("a.json", SmallTrace(1));
  Start();
  HttpRequest request;
  request.method = "POST";
  request.path = "/api/v1/profiles/" + Load("/a") + "/query";
  request.body =
      R"({"sql": "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT sum(x) FROM t"})";
  request.abandoned = std::make_shared<const std::atomic<bool>>(true);
  const HttpResponse left = handler_(request);
  EXPECT_EQ(left.status, 503U);
  EXPECT_EQ(Json(*left.body).Text("/error/code"), "canceled");
}

TEST_F(ApiTest, AReportEndsWhenItsClientLeavesAndIsMadeForTheNext) {
  folder_.Write("a.json", SmallTrace(1));
  Start();
  HttpRequest request;
  request.method = "GET";
  request.path = "/api/v1/profiles/" + Load("/a") + "/report";
  request.query = {{"view", "critical_path"}};
  request.abandoned = std::make_shared<const std::atomic<bool>>(true);
  const HttpResponse left = handler_(request);
  EXPECT_EQ(left.status, 503U);
  EXPECT_EQ(Json(*left.body).Text("/error/code"), "canceled");
  request.abandoned = std::make_shared<const std::atomic<bool>>(false);
  EXPECT_EQ(handler_(request).status, 200U);
}

TEST_F(ApiTest, ARowThatDoesNotFitIsNoAnswer) {
  folder_.Write("a.json", SmallTrace(1));
  Start();
  const std::string query = "/profiles/" + Load("/a") + "/query";
  std::string columns = "printf('%.*c', 999000, char(1))";  // six bytes each in JSON
  for (int i = 1; i < 6; ++i) columns += ", printf('%.*c', 999000, char(1))";
  const HttpResponse response = Get(query, "POST", R"({"sql": "SELECT )" + columns + R"("})");
  EXPECT_EQ(response.status, 503U);
  EXPECT_EQ(Json(*response.body).Text("/error/code"), "too_large");
  const HttpResponse rows =
      Get(query, "POST",
          R"({"sql": "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 9) )"
          R"(SELECT printf('%.*c', 999000, char(1)) FROM t"})");
  EXPECT_EQ(rows.status, 200U);
  EXPECT_TRUE(bool(Json(*rows.body).At("/truncated")));
  EXPECT_EQ(Json(*rows.body).Size("/rows"), 5U);
  EXPECT_LT(rows.body->size(), size_t{33} << 20U);
}

TEST_F(ApiTest, ListsTheCallsOfAnOperator) {
  folder_.Write("a.json", SmallTrace(3));
  Start();
  const std::string calls = "/profiles/" + Load("/a") + "/calls";
  const Json mm = Good(calls + "?operator=aten::mm");
  EXPECT_EQ(mm.Int("/total"), 3);
  EXPECT_EQ(mm.Int("/calls/0/duration_ns"), 202000);
  EXPECT_EQ(mm.Int("/calls/0/start_ns"), 2100000);
  EXPECT_EQ(mm.Int("/calls/0/input_shapes/0/1"), 4);
  EXPECT_EQ(mm.Int("/calls/0/kernel_count"), 1);
  EXPECT_EQ(mm.Text("/calls/0/kernels/0/name"), "gemm");
  EXPECT_EQ(Good(calls + "?operator=aten::mm&limit=1").Size("/calls"), 1U);
  EXPECT_EQ(Good(calls + "?operator=aten::mm&shape=[[8,4],[4,2]]").Int("/total"), 3);
  EXPECT_EQ(Good(calls + "?operator=aten::mm&shape=[[1]]").Int("/total"), 0);
  const Json step = Good(calls + "?operator=ProfilerStep#1");
  EXPECT_EQ(step.Text("/calls/0/kernels/0/name"), "gemm") << "also what is launched below";

  const Json gemm = Good(calls + "?kernel=gemm");
  EXPECT_EQ(gemm.Int("/total"), 3);
  EXPECT_EQ(gemm.Int("/calls/0/duration_ns"), 302000);
  EXPECT_EQ(gemm.Text("/calls/0/operator/name"), "aten::mm");
  EXPECT_EQ(gemm.Text("/calls/0/launch/name"), "cudaLaunchKernel");
  EXPECT_EQ(gemm.Int("/calls/0/stream"), 7);
  EXPECT_THAT(Wrong(calls), StartsWith("400 "));
  EXPECT_THAT(Wrong(calls + "?operator=a&kernel=b"), StartsWith("400 "));
  EXPECT_THAT(Wrong(calls + "?operatr=a"), HasSubstr("did you mean 'operator'"));
}

TEST_F(ApiTest, SendsCallTrees) {
  folder_.Write("a.folded", "main;run;read 30\nmain;run;work 60\nmain;idle 10\nmain;run 1\n");
  Start();
  const std::string profile = "/profiles/" + Load("a.folded");
  const Json tree = Good(profile + "/calltree");
  EXPECT_EQ(tree.Text("/source"), "tree");
  EXPECT_EQ(tree.Text("/unit"), "count");
  EXPECT_EQ(tree.Int("/total"), 101);
  EXPECT_EQ(tree.Size("/nodes/id"), 5U);
  EXPECT_EQ(tree.Int("/nodes/parent/0"), -1);
  EXPECT_EQ(tree.Int("/nodes/total_high/0"), 101);
  EXPECT_EQ(tree.Int("/nodes/total_high/1"), 91) << "children by their time";
  EXPECT_EQ(tree.Int("/nodes/self/1"), 1);
  EXPECT_EQ(tree.Text("/functions/1/name"), "run");

  EXPECT_EQ(Good(profile + "/calltree?min_share=0.2").Size("/nodes/id"), 4U);
  EXPECT_EQ(Good(profile + "/calltree?min_share=0.2").Int("/nodes/hidden/0"), 1);
  EXPECT_EQ(Good(profile + "/calltree?nodes=2").Size("/nodes/id"), 2U);
  const Json below = Good(profile + "/calltree?root=" + std::to_string(tree.Int("/nodes/id/1")));
  EXPECT_EQ(below.Size("/nodes/id"), 3U);
  EXPECT_EQ(below.Int("/nodes/total_high/0"), 91);
  EXPECT_THAT(Wrong(profile + "/calltree?root=99"), StartsWith("404 "));
  EXPECT_THAT(Wrong(profile + "/calltree?min_share=2"), StartsWith("400 "));

  const int64_t run = tree.Int("/functions/1/function");
  const Json one = Good(profile + "/functions/" + std::to_string(run));
  EXPECT_EQ(one.Text("/function/name"), "run");
  EXPECT_EQ(one.Size("/callers/id"), 2U);
  EXPECT_EQ(one.Int("/callers/total_high/1"), 91);
  EXPECT_EQ(one.Size("/callees/id"), 3U);
  EXPECT_EQ(one.Int("/callees/total_high/1"), 60);
  EXPECT_THAT(Wrong(profile + "/functions/99"), StartsWith("404 "));
  EXPECT_THAT(Wrong(profile + "/functions/x"), StartsWith("404 "));
  EXPECT_THAT(Wrong(profile + "/calls?operator=x"), StartsWith("400 "));
  EXPECT_EQ(Good(profile + "/report?view=overview").Int("/rows_total/functions"), 5);
}

TEST_F(ApiTest, TakesFilesOfItsOwnUserAlone) {
  folder_.Write("f.folded", "main;run 30\n");
  Start();
  const auto post = [&](const std::string& path, const std::string& body, bool owner) {
    HttpRequest request;
    request.method = "POST";
    const size_t mark = path.find('?');
    request.path = "/api/v1" + path.substr(0, mark);
    if (mark != std::string::npos) {
      std::stringstream pairs(path.substr(mark + 1));
      for (std::string pair; std::getline(pairs, pair, '&');) {
        request.query.emplace_back(pair.substr(0, pair.find('=')), pair.substr(pair.find('=') + 1));
      }
    }
    request.body = body;
    request.of_owner = owner;
    return handler_(request);
  };
  EXPECT_EQ(post("/given?name=a.folded&bytes=10", "", true).status, 404U) << "no folder for it";

  const std::unique_ptr<GivenFiles> given = std::move(*GivenFiles::Make());
  CatalogueOptions options;
  options.roots = {*MakeRoot("dropped", given->folder())};
  catalogue_ = std::make_unique<Catalogue>(options);
  handler_ = MakeApi(*catalogue_, {"Telltale", given.get()});
  EXPECT_EQ(post("/given?name=a.folded&bytes=10", "", false).status, 403U);
  EXPECT_EQ(post("/given?name=a.folded", "", true).status, 400U);
  EXPECT_EQ(post("/given?name=a.folded&bytes=99999999999", "", true).status, 400U);
  const auto begin = [&](size_t bytes) {
    return Json(*post("/given?name=../a.folded&bytes=" + std::to_string(bytes), "", true).body)
        .Text("/id");
  };
  const std::string text = "main;run 30\n";
  const std::string id = begin(text.size());
  EXPECT_EQ(post("/given/" + id + "?offset=0", text.substr(0, 5), false).status, 403U);
  EXPECT_EQ(post("/given/" + id + "?offset=0", text.substr(0, 5), true).status, 200U);
  EXPECT_EQ(post("/given/" + id + "?offset=9", text.substr(5), true).status, 400U);
  EXPECT_EQ(post("/given/" + id + "/done", "", true).status, 400U);
  EXPECT_EQ(post("/given/" + id + "?offset=5", text.substr(5), true).status, 200U);
  const HttpResponse done = post("/given/" + id + "/done", "", true);
  EXPECT_EQ(done.status, 200U);
  catalogue_->Scan();
  ASSERT_EQ(catalogue_->List().size(), 1U);
  EXPECT_EQ(catalogue_->List()[0].paths[0], Json(*done.body).Text("/path"));

  const std::string other = begin(3);
  EXPECT_EQ(post("/given/" + other + "?offset=0", "\x01\x02\x03", true).status, 200U);
  EXPECT_EQ(post("/given/" + other + "/done", "", true).status, 422U) << "no profile";
  EXPECT_EQ(post("/given/nothing/done", "", true).status, 400U);
}

TEST_F(ApiTest, ThreadsAreToldApartAndTheirCallsOrderedInTime) {
  const std::string frame = R"({"ph": "X", "cat": "python_function", "pid": 1, "name": )";
  folder_.Write("a.json", R"({"traceEvents": [)" + frame +
                              R"("a.py(1): main", "tid": 1, "ts": 0, "dur": 100},)" + frame +
                              R"("a.py(2): step", "tid": 1, "ts": 10, "dur": 30},)" + frame +
                              R"("a.py(2): step", "tid": 1, "ts": 50, "dur": 30},)" + frame +
                              R"("threading.py(312): wait", "tid": 2, "ts": 0, "dur": 500}]})");
  folder_.Write("f.folded", "main;run 30\n");
  Start();
  const std::string profile = "/profiles/" + Load("/a");
  EXPECT_EQ(Good(profile + "/calltree").Int("/total"), 600'000) << "all, unless one is asked for";
  EXPECT_EQ(Good(profile + "/calltree?thread=main").Int("/total"), 100'000);
  EXPECT_EQ(Good(profile + "/calltree?thread=1").Int("/total"), 500'000);
  EXPECT_THAT(Wrong(profile + "/calltree?thread=2"), StartsWith("400 "));
  const Json report = Good(profile + "/report?view=functions&thread=main");
  EXPECT_EQ(report.Int("/functions/total_ns"), 100'000);
  EXPECT_EQ(report.Int("/functions/thread"), 0);
  EXPECT_EQ(report.Size("/functions/threads"), 2U);

  const Json order = Good(profile + "/callorder");
  EXPECT_EQ(order.Text("/thread"), "thread 1") << "the one that worked";
  EXPECT_EQ(order.Int("/whole"), 100'000);
  EXPECT_EQ(order.Int("/levels"), 2);
  EXPECT_EQ(order.Size("/boxes/start"), 3U);
  EXPECT_EQ(order.Int("/boxes/start/1"), 50'000);
  EXPECT_EQ(order.Text("/functions/0/name"), "step");
  EXPECT_EQ(Good(profile + "/callorder?start=40000&end=50000").Size("/boxes/start"), 1U);
  EXPECT_THAT(Wrong(profile + "/callorder?start=x"), StartsWith("400 "));
  EXPECT_THAT(Wrong("/profiles/" + Load("f.folded") + "/callorder"),
              HasSubstr("not when they ran"));
}

TEST_F(ApiTest, CallTreesAreOfThePartThatIsAskedFor) {
  const std::string frame = R"({"ph": "X", "cat": "python_function", "pid": 1, "tid": 1, "name": )";
  std::string trace = SmallTrace(2);
  trace.resize(trace.size() - 2);
  trace += "," + frame + R"("a.py(1): first", "ts": 10, "dur": 500},)" + frame +
           R"("b.py(1): second", "ts": 1010, "dur": 300}]})";
  folder_.Write("a.json", trace);
  folder_.Write("f.folded", "main;run 30\n");
  Start();
  const std::string profile = "/profiles/" + Load("/a");
  EXPECT_EQ(Good(profile + "/calltree").Size("/functions"), 2U);
  const Json second = Good(profile + "/calltree?steps=2");
  EXPECT_EQ(second.Size("/functions"), 1U);
  EXPECT_EQ(second.Text("/functions/0/name"), "second");
  EXPECT_EQ(second.Int("/nodes/total_high/0"),
            Good(profile + "/report?view=functions&steps=2").Int("/functions/rows/0/total_ns"));
  const std::string function = std::to_string(second.Int("/functions/0/function"));
  EXPECT_EQ(Good(profile + "/functions/" + function + "?steps=2").Text("/function/name"), "second");
  EXPECT_THAT(Wrong(profile + "/calltree?steps=9"), HasSubstr("matches no step"));
  EXPECT_THAT(Wrong(profile + "/calltree?steps=x"), StartsWith("400 "));
  EXPECT_THAT(Wrong(profile + "/calltree?rank=3"), HasSubstr("rank 3"));
  EXPECT_THAT(Wrong(profile + "/calltree?inside=nowhere"), HasSubstr("matches no range"));
  EXPECT_THAT(Wrong(profile + "/calltree?file=9"), StartsWith("400 "));
  EXPECT_THAT(Wrong(profile + "/calltree?sort=calls"), HasSubstr("there is no parameter 'sort'"));
  EXPECT_THAT(Wrong("/profiles/" + Load("f.folded") + "/calltree?steps=2"),
              HasSubstr("needs a PyTorch trace"));
}

TEST_F(ApiTest, SaysThatItIsStillLooking) {
  CatalogueOptions options;
  options.roots = {*MakeRoot("runs", folder_.path().string())};
  catalogue_ = std::make_unique<Catalogue>(options);
  handler_ = MakeApi(*catalogue_);
  EXPECT_THAT(Wrong("/profiles/k3f9a2c0/report"), StartsWith("202 it is not found yet"));
  catalogue_->Scan();
  EXPECT_THAT(Wrong("/profiles/k3f9a2c0/report"), StartsWith("404 "));
}

TEST_F(ApiTest, NoAnswerToAPageIsLargerThanAMegabyte) {
  std::string stacks;
  for (int i = 0; i < 30'000; ++i) {
    stacks += "main;a_function_with_a_rather_long_name_" + std::to_string(i) + " 5\n";
  }
  folder_.Write("many.folded", stacks);
  Start();
  const std::string profile = "/profiles/" + Load("many.folded");
  for (const std::string_view path :
       {"/report?view=functions", "/report?view=functions&limit=29000", "/report?view=overview",
        "/calltree?nodes=20000&min_share=0", "/functions/30000?nodes=20000&min_share=0"}) {
    const HttpResponse response = Get(profile + std::string(path));
    EXPECT_EQ(response.status, 200U);
    EXPECT_LE(response.body->size(), kLargestAnswer) << path;
    if (path.starts_with("/report")) {
      EXPECT_EQ(Json(*response.body).Int("/rows_total/functions"), 30'001);
    }
  }
  EXPECT_EQ(Good(profile + "/report?view=functions&limit=0").Size("/functions/rows"), 30'001U);
  const Json page = Good(profile + "/report?view=functions&limit=10&offset=30000");
  EXPECT_EQ(page.Size("/functions/rows"), 1U);
}

TEST_F(ApiTest, ListsOfManyProfilesAreBounded) {
  constexpr int kMany = 10'000;
  for (int i = 0; i < kMany; ++i) folder_.Write(std::to_string(i) + ".folded", "main;work 5\n");
  Start();
  const HttpResponse usual = Get("/profiles");
  EXPECT_LT(usual.body->size(), size_t{1} << 20U);
  EXPECT_EQ(Json(*usual.body).Int("/total"), kMany);
  EXPECT_EQ(Json(*usual.body).Size("/profiles"), 1000U);
  const Json last = Good("/profiles?offset=9995&limit=100");
  EXPECT_EQ(last.Size("/profiles"), 5U);
  EXPECT_EQ(last.Int("/offset"), 9995);
  EXPECT_EQ(Good("/profiles?limit=1000000").Size("/profiles"), 10'000U);
  EXPECT_EQ(Get("/profiles?limit=0").status, 400U);
  EXPECT_EQ(Get("/profiles?page=2").status, 400U);

  // An event has what changed alone.
  EventStream events;
  ListTeller teller(events);
  const auto tell = [&] {
    teller.Tell(*catalogue_, {});
    return *events.Since(0).messages.back();
  };
  EXPECT_THAT(tell(), testing::HasSubstr("\"since\":null"));
  folder_.Remove("77.folded");
  catalogue_->Scan();
  const std::string gone = tell();
  EXPECT_THAT(gone, testing::HasSubstr("\"total\":9999"));
  EXPECT_LT(gone.size(), 2000U);
}

TEST_F(ApiTest, NoExpressionHoldsItUp) {
  std::string trace = SmallTrace(1);
  const std::string name = "aten::mm";
  trace.replace(trace.find(name), name.size(), std::string(100'000, 'x'));
  folder_.Write("a.json", trace);
  Start();
  const std::string profile = "/profiles/" + Load("/a");
  // Backtracking would take longer than anybody lives, and a stack as deep as the name is long.
  for (const std::string_view path :
       {"/report?view=operators&inside=(x+x+)+y", "/report?view=operators&inside=(x*)*(x*)*z",
        "/report?view=steps&step-annotation=(x+x+)+y", "/calltree?inside=(x+x+)+y",
        "/report?view=functions&restrict=(x+x+)+y"}) {
    EXPECT_NE(Get(profile + std::string(path)).status, 500U) << path;
  }
  EXPECT_EQ(Good(profile + "/report?view=operators&inside=x*x").Size("/operators"), 1U);
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

// Many ask while files are replaced and deleted, profiles are loaded and dropped again.
TEST_F(ApiTest, AnswersManyAtOnceWhileFilesChange) {
  folder_.Write("a.json", SmallTrace(2));
  folder_.Write("b.json", SmallTrace(3));
  CatalogueOptions options;
  options.roots = {*MakeRoot("runs", folder_.path().string())};
  options.threads = 1;
  options.memory_budget_bytes = 1;  // whatever nobody holds goes
  catalogue_ = std::make_unique<Catalogue>(options);
  catalogue_->Scan();
  handler_ = MakeApi(*catalogue_);
  const std::vector<std::string> ids = {Id("/a"), Id("/b")};
  std::atomic<bool> done = false;
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!done) {
      if (!catalogue_->LoadNext()) std::this_thread::yield();
    }
  });
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const std::vector<std::string> paths = {
          "/report?view=overview", "/report?view=idle", "/report?view=operators&steps=1..2",
          "/calls?kernel=gemm",    "/calltree",         "/timeline"};
      for (int i = 0; i < 60 || answered == 0; ++i) {
        const std::string& id = ids[static_cast<size_t>(i + t) % 2];
        const HttpResponse response =
            Get("/profiles/" + id + paths[static_cast<size_t>(i) % paths.size()]);
        EXPECT_THAT(response.status, testing::AnyOf(200U, 404U, 202U, 422U)) << *response.body;
        if (response.status == 200) ++answered;
        static_cast<void>(Get("/profiles"));
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    folder_.Replace("a.json", SmallTrace(2 + i % 3));
    catalogue_->Scan();
    if (i % 5 == 4) folder_.Remove("b.json");
    catalogue_->Scan();
    folder_.Write("b.json", SmallTrace(3));
    catalogue_->Scan();
  }
  for (size_t t = 1; t < threads.size(); ++t) threads[t].join();
  done = true;
  threads[0].join();
  EXPECT_GT(answered, 0);
}

// Every route is in docs/openapi.json, and the other way round.
TEST(OpenApi, HasTheRoutesThatThereAre) {
  std::ifstream file("docs/openapi.json");
  std::stringstream text;
  text << file.rdbuf();
  const Json document(text.str());
  std::set<std::string> described;
  // Answered by the server itself: the stream.
  const std::set<std::string> elsewhere = {"GET /api/v1/changes"};
  for (const auto& [path, operations] : simdjson::dom::object(document.At("/paths"))) {
    for (const auto& [method, operation] : simdjson::dom::object(operations)) {
      if (method == "parameters") continue;
      std::string name(method);
      for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      const std::string route = name + " " + std::string(path);
      if (elsewhere.contains(route)) continue;
      described.insert(route);
    }
  }
  std::set<std::string> there;
  for (const Route& route : ApiRoutes()) {
    there.insert(std::string(route.method) + " " + std::string(route.pattern));
  }
  EXPECT_EQ(described, there);
}

// A parameter that is not described is one that nobody looks at when safety is tried.
TEST_F(ApiTest, EveryParameterOfEveryRouteIsDescribed) {
  std::ifstream file("docs/openapi.json");
  std::stringstream text;
  text << file.rdbuf();
  const Json document(text.str());
  const auto described = [&](const Route& route) {
    std::string path(route.pattern);
    for (size_t at = 0; (at = path.find('/', at)) != std::string::npos; at += 2)
      path.replace(at, 1, "~1");
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string place = "/paths/" + path + "/" + method + "/parameters";
    std::set<std::string> words;
    if (!document.Has(place)) return words;
    for (const auto listed : simdjson::dom::array(document.At(place))) {
      simdjson::dom::element param = listed;
      if (std::string_view target; listed["$ref"].get(target) == simdjson::SUCCESS)
        param = document.At(std::string(target.substr(1)));
      if (std::string_view(param["in"]) != "query") continue;
      bool required = false;
      if (param["required"].get(required) != simdjson::SUCCESS) required = false;
      words.insert(std::string(std::string_view(param["name"])) + (required ? ", required" : ""));
    }
    return words;
  };
  for (const Route& route : ApiRoutes()) {
    std::set<std::string> taken;
    for (const ParamSpec& param : route.params())
      taken.insert(std::string(param.name) + (param.required ? ", required" : ""));
    EXPECT_EQ(described(route), taken) << route.pattern;
  }
}

// What is about files and terminals is no parameter of any route.
TEST_F(ApiTest, NoRouteTakesWhatOnlyACommandHas) {
  for (const Route& route : ApiRoutes()) {
    for (const std::string_view option : {"json", "csv", "markdown", "color", "no-color", "quiet",
                                          "threads", "like", "help", "h", "to", "logdir"}) {
      EXPECT_EQ(FindParam(route.params(), option), nullptr) << route.pattern << " " << option;
    }
  }
}

TEST_F(ApiTest, NoMessageNamesAnOption) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const std::string id = Load("/a");
  const std::string report = "/profiles/" + id + "/report?";
  const std::string diff = "/diff?before=" + id + "&after=" + id + "&";
  for (const std::string& target :
       {report + "viewx=operators", report + "view=operator", report + "limit=-2",
        report + "limit=many", report + "tree=maybe", report + "steps=77",
        report + "inside=nowhere", report + "steps=1&step-annotation=nothing",
        report + "view=operators&sort=nonsense", diff + "on=kernels", diff + "fail-above=much",
        diff + "steps=1&step-annotation=nothing", diff + "fail_above=5&on=functions",
        "/profiles/" + id + "/timeline/spans?start=5&end=1",
        "/profiles/" + id + "/timeline/spans?start=5", "/profiles/" + id + "/timeline?start=5"}) {
    const std::string message = Wrong(target);
    EXPECT_THAT(message, StartsWith("400 ")) << target;
    EXPECT_EQ(message.find("--"), std::string::npos) << target << ": " << message;
  }
  EXPECT_THAT(Wrong(report + "viewx=operators"), HasSubstr("there is no parameter 'viewx'; did you "
                                                           "mean 'view'?"));
  EXPECT_EQ(Wrong(report + "limit=-2"), "400 limit takes a number from -1 up, not -2");
}

TEST_F(ApiTest, WhateverAsksForAllRowsIsNoShortWork) {
  const auto lane = [](std::string name, std::string value) {
    HttpRequest request;
    request.method = "GET";
    request.path = "/api/v1/profiles/x/report";
    request.query = {{std::move(name), std::move(value)}};
    return LaneOf(request);
  };
  for (const char* all : {"0", "-1", "+0", "00"})
    EXPECT_EQ(lane("limit", all), Lane::kWhole) << all;
  EXPECT_EQ(lane("row_limit", "0"), Lane::kWhole);
  EXPECT_EQ(lane("limit", "1"), Lane::kShort);
  EXPECT_EQ(lane("limit", "nonsense"), Lane::kShort);
}

}  // namespace
}  // namespace telltale
