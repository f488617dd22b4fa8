// SPDX-License-Identifier: Apache-2.0
// docs/rules.md lists exactly the rules there are, with their thresholds and reasons.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "health/rules.h"

namespace telltale::health {
namespace {

std::string Document() {
  std::ifstream file("docs/rules.md");
  EXPECT_TRUE(file) << "run the tests from the repository's root";
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string TableOfRules() {
  std::string table = "| rule | views | needs | speaks when | because |\n|---|---|---|---|---|\n";
  for (const Rule& rule : AllRules()) {
    table += fmt::format("| `{}` | {} | {} | {} | {} |\n", rule.id, fmt::join(rule.views, ", "),
                         rule.needs, rule.threshold, rule.reason);
  }
  return table;
}

TEST(RulesDocument, HoldsTheTableOfAllRules) {
  const std::string document = Document();
  const std::string begin = "<!-- rules -->\n";
  const size_t first = document.find(begin);
  const size_t last = document.find("<!-- /rules -->");
  ASSERT_NE(first, std::string::npos);
  ASSERT_NE(last, std::string::npos);
  const size_t start = first + begin.size();
  EXPECT_EQ(document.substr(start, last - start), TableOfRules());
}

TEST(RulesDocument, HasASectionForEveryRuleAndNoOther) {
  const std::string document = Document();
  std::set<std::string> sections;
  std::istringstream lines(document.substr(0, document.find("# Findings of `telltale validate`")));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## `") || line.starts_with("### `")) {
      const size_t tick = line.find('`') + 1;
      sections.insert(line.substr(tick, line.rfind('`') - tick));
    }
  }
  std::set<std::string> rules;
  for (const Rule& rule : AllRules()) rules.insert(std::string(rule.id));
  EXPECT_EQ(sections, rules);
}

TEST(Rules, HaveAllTheirWords) {
  std::set<std::string_view> ids;
  for (const Rule& rule : AllRules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_FALSE(rule.title.empty()) << rule.id;
    EXPECT_FALSE(rule.needs.empty()) << rule.id;
    EXPECT_FALSE(rule.threshold.empty()) << rule.id;
    EXPECT_FALSE(rule.reason.empty()) << rule.id;
    EXPECT_FALSE(rule.views.empty()) << rule.id;
    EXPECT_EQ((rule.remedy != nullptr) + (rule.of_rank != nullptr) + (rule.of_subject != nullptr),
              1)
        << rule.id;
    // What one view asks for must not need the others' analyses.
    EXPECT_EQ(rule.of_subject == nullptr, rule.views.front() == "overview") << rule.id;
    EXPECT_TRUE(rule.unless.empty() || ids.contains(rule.unless)) << rule.id;
  }
}

}  // namespace
}  // namespace telltale::health
