// SPDX-License-Identifier: Apache-2.0
#include "views/page_tables.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace telltale {
namespace {

struct Row {
  std::string name;
  std::optional<int64_t> size;
  int64_t time_ns = 0;
  bool whole = false;
};

TableSpec<Row> Table() {
  TableSpec<Row> spec;
  spec.columns = {
      Field("whole", Quantity::kFlag, Get<&Row::whole>),
      Field("size_bytes", Quantity::kBytes, Get<&Row::size>,
            {.title = "size", .importance = 40, .presence = Presence::kAnyValue})
          .WithHelp("as written"),
      Field("time_ns", Quantity::kDuration, Get<&Row::time_ns>,
            {.title = "time", .importance = Shown::kAlways})
          .NoSum(),
      Field("name", Quantity::kName, Get<&Row::name>,
            {.title = "kernel", .importance = Shown::kAlways})
          .Names(Naming::kKernel),
      BarOf<Row>("bar", "time_ns", {.importance = 50}),
  };
  spec.order = {"name", "size_bytes", "time_ns", "bar"};
  return spec;
}

TEST(PageTables, RowsHaveTheTypesOfTheirMembers) {
  EXPECT_EQ(TypeScriptOf(ForPage("", "Row", Table())),
            "\nexport interface Row {\n"
            "  readonly whole: boolean;\n"
            "  readonly size_bytes: number | null;\n"
            "  readonly time_ns: number;\n"
            "  readonly name: string;\n"
            "}\n");
}

TEST(PageTables, ColumnsStandInTheOrderForPeople) {
  const std::string text = TypeScriptOf(ForPage("ROWS", "Row", Table()));
  EXPECT_EQ(
      text.substr(text.find("export const")),
      "export const ROWS: TableDescription<Row> = [\n"
      "  { key: \"name\", title: \"Kernel\", quantity: \"name\", names: \"kernel\" },\n"
      "  { key: \"size_bytes\", title: \"Size\", quantity: \"bytes\", spare: 60, presence: "
      "\"value\", help: \"As written\" },\n"
      "  { key: \"time_ns\", title: \"Time\", quantity: \"duration\", bar: true, sum: false },\n"
      "];\n");
}

TEST(PageTables, ValuesOfFunctionsMayBeMissingUnlessTheySayOtherwise) {
  TableSpec<Row> spec;
  const auto get = [](const Row& row) -> FieldValue { return row.time_ns; };
  spec.columns = {Field<Row>("a", Quantity::kDuration, get),
                  Field<Row>("b", Quantity::kDuration, get).Known(),
                  Field<Row>("c", Quantity::kCount, get).Known().Sometimes()};
  spec.columns[1].group = "times";
  EXPECT_EQ(TypeScriptOf(ForPage("", "Row", spec)),
            "\nexport interface Row {\n"
            "  readonly a: number | null;\n"
            "  readonly times: {\n"
            "    readonly b: number;\n"
            "  };\n"
            "  readonly c?: number;\n"
            "}\n");
}

TEST(PageTables, ThePageHasThemAsTheyAre) {
  std::ifstream file("web/src/api/generated.ts");
  const std::string held((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(held == PageTablesSource()) << "the page's tables are stale: run scripts/generate";
}

TEST(PageTables, ThePagesOfRunsHaveTheirsAsTheyAre) {
  std::ifstream file("web/src/api/runs.generated.ts");
  const std::string held((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(held == RunTablesSource()) << "the tables of runs are stale: run scripts/generate";
}

}  // namespace
}  // namespace telltale
