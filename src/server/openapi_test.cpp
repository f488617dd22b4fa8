// SPDX-License-Identifier: Apache-2.0
// The tables of the routes against docs/openapi.json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "server/api.h"
#include "server/test_api.h"

namespace telltale {
namespace {

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
TEST(OpenApi, EveryParameterOfEveryRouteIsDescribed) {
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
