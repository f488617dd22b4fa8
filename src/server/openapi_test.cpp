// SPDX-License-Identifier: Apache-2.0
// The tables of the routes against docs/openapi.json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "server/api.h"
#include "server/test_api.h"

namespace telltale {
namespace {

using simdjson::dom::element;

Json Document() {
  std::ifstream file("docs/openapi.json");
  std::stringstream text;
  text << file.rdbuf();
  return Json(text.str());
}

// Every route is in docs/openapi.json, and the other way round.
TEST(OpenApi, HasTheRoutesThatThereAre) {
  const Json document = Document();
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

// The query parameters of a route, as the document describes them.
std::map<std::string, element> Described(const Json& document, const Route& route) {
  std::string path(route.pattern);
  for (size_t at = 0; (at = path.find('/', at)) != std::string::npos; at += 2)
    path.replace(at, 1, "~1");
  std::string method(route.method);
  for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string place = "/paths/" + path + "/" + method + "/parameters";
  std::map<std::string, element> params;
  if (!document.Has(place)) return params;
  for (const element listed : simdjson::dom::array(document.At(place))) {
    element param = listed;
    if (std::string_view target; listed["$ref"].get(target) == simdjson::SUCCESS)
      param = document.At(std::string(target.substr(1)));
    if (std::string_view(param["in"]) != "query") continue;
    params.emplace(std::string_view(param["name"]), param);
  }
  return params;
}

std::string Texts(const element& of, std::string_view key) {
  element value;
  if (of[key].get(value) != simdjson::SUCCESS) return "";
  return value.is_string() ? std::string(std::string_view(value)) : simdjson::minify(value);
}

// What is said of a value: its type, smallest, largest and usual one. Of texts the document may say
// more (a number with a fraction, its range) than the table, which leaves that to the route.
std::string InWords(const ParamSpec& spec, const element& schema) {
  const std::string type = Texts(schema, "type");
  std::string words = type;
  if (spec.type == ParamType::kInteger) {
    words = (type == "number" ? "integer" : type) + " from " + Texts(schema, "minimum") + " to " +
            Texts(schema, "maximum");
  } else if (type == "number") {
    words = "string";
  }
  if (element choices; schema["enum"].get(choices) == simdjson::SUCCESS) {
    for (const element choice : simdjson::dom::array(choices)) {
      words += " " + std::string(std::string_view(choice));
    }
  }
  return words + ", usual " + Texts(schema, "default");
}

std::string InWords(const ParamSpec& spec, bool with_choices) {
  std::string words = spec.type == ParamType::kFlag ? "boolean" : "string";
  if (spec.type == ParamType::kInteger) {
    words = "integer from " + (spec.least == INT64_MIN ? "" : std::to_string(spec.least)) + " to " +
            (spec.most == INT64_MAX ? "" : std::to_string(spec.most));
  }
  for (size_t i = 0; with_choices && i < spec.choices.size(); ++i) {
    words += " " + std::string(spec.choices[i]);
  }
  return words + ", usual " + std::string(spec.usual);
}

// A parameter that is not described is one that nobody looks at when safety is tried.
TEST(OpenApi, EveryParameterOfEveryRouteIsDescribed) {
  const Json document = Document();
  for (const Route& route : ApiRoutes()) {
    const std::map<std::string, element> described = Described(document, route);
    EXPECT_EQ(described.size(), route.params().size()) << route.pattern;
    for (const ParamSpec& spec : route.params()) {
      SCOPED_TRACE(std::string(route.pattern) + " " + std::string(spec.name));
      const auto at = described.find(std::string(spec.name));
      ASSERT_NE(at, described.end());
      EXPECT_EQ(Texts(at->second, "required") == "true", spec.required);
      const element schema = at->second["schema"];
      const bool has_choices = schema["enum"].error() == simdjson::SUCCESS;
      EXPECT_EQ(InWords(spec, schema), InWords(spec, has_choices));
    }
  }
}

// What is about files and terminals is no parameter of any route.
TEST(OpenApi, NoRouteTakesWhatOnlyACommandHas) {
  for (const Route& route : ApiRoutes()) {
    for (const std::string_view option : {"json", "csv", "markdown", "color", "no-color", "quiet",
                                          "threads", "like", "help", "h", "to", "logdir"}) {
      EXPECT_EQ(FindParam(route.params(), option), nullptr) << route.pattern << " " << option;
    }
  }
}

}  // namespace
}  // namespace telltale
