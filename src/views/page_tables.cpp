// SPDX-License-Identifier: Apache-2.0
#include "views/page_tables.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "views/runs/hardware.h"
#include "views/view.h"

namespace telltale {

namespace {

constexpr std::string_view kHead = R"(// SPDX-License-Identifier: Apache-2.0
// What tables hold and how they are shown. Made by scripts/generate from the descriptions in src/views: change those.
import type { DefaultPage, TableDescription } from "../lib/table_description";
)";

constexpr std::string_view kRunsHead = R"(// SPDX-License-Identifier: Apache-2.0
// What tables of runs hold and how they are shown. Made by scripts/generate from the descriptions in src/views/runs.
import type { TableDescription } from "../lib/table_description";
)";

std::string_view TypeOf(const ColumnFacts& column) {
  if (!column.json_type.empty()) return column.json_type;
  switch (column.quantity) {
    case Quantity::kText:
    case Quantity::kName:
    case Quantity::kProse:
      return "string";
    case Quantity::kFlag:
      return "boolean";
    case Quantity::kJson:
      return "unknown";
    default:
      return "number";
  }
}

std::string MemberOf(const ColumnFacts& column) {
  const std::string_view type = TypeOf(column);
  return fmt::format("readonly {}{}: {}{};\n", column.key, column.sometimes ? "?" : "", type,
                     column.nullable && type != "unknown" ? " | null" : "");
}

std::string RowType(const PageTable& table) {
  std::string out = fmt::format("\nexport interface {} {{\n", table.row);
  std::string_view group;
  for (const ColumnFacts& column : table.columns) {
    if (!column.for_programs) continue;
    if (column.group != group) {
      if (!group.empty()) out += "  };\n";
      group = column.group;
      if (!group.empty()) out += fmt::format("  readonly {}: {{\n", group);
    }
    out += (group.empty() ? "  " : "    ") + MemberOf(column);
  }
  if (!group.empty()) out += "  };\n";
  return out + "}\n";
}

std::string Quoted(std::string_view text) {
  JsonWriter json;
  json.String(text);
  std::string quoted = json.Take();
  quoted.pop_back();  // the newline
  return quoted;
}

// Words of the terminal begin as they are; on the page they begin a line.
std::string Capital(std::string_view words) {
  std::string text(words);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

std::string TitleOf(const ColumnFacts& column) {
  return column.page_title.empty() ? Capital(column.shown.title) : std::string(column.page_title);
}

std::string TypeScriptOf(const PageWords& words) {
  std::string out = fmt::format("\nexport const {} = {{\n", words.name);
  for (const auto& [value, word] : words.words)
    out += fmt::format("  {}: {},\n", value, Quoted(word));
  return out + "} as const;\n";
}

bool OnPage(const ColumnFacts& column) {
  return column.shown.page && column.quantity != Quantity::kPart &&
         column.quantity != Quantity::kBar && !TitleOf(column).empty();
}

// A version number has no unit and no sum, but dots.
Quantity PageQuantity(const ColumnFacts& column) {
  return column.quantity == Quantity::kId && TypeOf(column).starts_with("string") ? Quantity::kText
                                                                                  : column.quantity;
}

std::string DescriptionOf(const ColumnFacts& column, const PageTable& table, bool hidden) {
  const Shown& shown = column.shown;
  std::string out = fmt::format("  {{ key: \"{}\", title: {}, quantity: \"{}\"", column.key,
                                Quoted(TitleOf(column)), NameOf(PageQuantity(column)));
  const auto add = [&](std::string_view key, std::string_view value) {
    out += fmt::format(", {}: {}", key, value);
  };
  if (!column.group.empty()) add("group", Quoted(column.group));
  if (!column.for_programs) add("derived", "true");
  if (hidden) add("hidden", "true");
  if (!hidden && shown.importance < Shown::kAlways)
    add("spare", std::to_string(Shown::kAlways - shown.importance));
  if (shown.presence != Presence::kAlways) add("presence", Quoted(NameOf(shown.presence)));
  if (std::any_of(table.columns.begin(), table.columns.end(), [&](const ColumnFacts& other) {
        return other.quantity == Quantity::kBar && other.shown.of == column.key;
      }))
    add("bar", "true");
  if (!shown.unit_of.empty()) add("like", Quoted(shown.unit_of));
  if (!column.adds_up) add("sum", "false");
  if (column.naming != Naming::kNothing) add("names", Quoted(NameOf(column.naming)));
  if (!column.help.empty()) add("help", Quoted(Capital(column.help)));
  return out + " },\n";
}

// What a row is called, then the order for people, then what the page has for who asks for it.
std::vector<const ColumnFacts*> InOrder(const PageTable& table) {
  std::vector<const ColumnFacts*> columns;
  for (const ColumnFacts& column : table.columns) {
    if (OnPage(column)) columns.push_back(&column);
  }
  const auto place = [&](const ColumnFacts* column) {
    const auto end = static_cast<std::ptrdiff_t>(table.order.size());
    if (column->shown.importance == Shown::kNever) return end + 1;
    if (column->quantity == Quantity::kName && column->shown.importance == Shown::kAlways)
      return std::ptrdiff_t{-1};
    return std::find(table.order.begin(), table.order.end(), column->key) - table.order.begin();
  };
  std::stable_sort(columns.begin(), columns.end(),
                   [&](const auto* a, const auto* b) { return place(a) < place(b); });
  return columns;
}

// Views without a page of their own: name, title, and the table that is shown.
std::string DefaultPages() {
  std::string out = "\nexport const DEFAULT_PAGES: readonly DefaultPage[] = [\n";
  for (const ViewSpec& view : Views()) {
    if (view.title.empty()) continue;
    out += fmt::format("  {{ name: \"{}\", title: {}, table: {} }},\n", view.name,
                       Quoted(view.title), view.tables().front().name);
  }
  return out + "];\n";
}

}  // namespace

std::string TypeScriptOf(const PageTable& table, bool with_row) {
  std::string out = with_row ? RowType(table) : "";
  if (table.name.empty()) return out;
  out += fmt::format("export const {}: TableDescription<{}> = [\n", table.name, table.row);
  for (const ColumnFacts* column : InOrder(table)) {
    const bool for_people = table.order.empty() || std::find(table.order.begin(), table.order.end(),
                                                             column->key) != table.order.end();
    out += DescriptionOf(*column, table, !for_people || column->shown.importance == Shown::kNever);
  }
  return out + "];\n";
}

std::string PageTablesSource() {
  std::string out(kHead);
  std::set<std::string_view> rows;
  for (const ViewSpec& view : Views()) {
    if (view.words != nullptr) {
      for (const PageWords& words : view.words()) out += TypeScriptOf(words);
    }
    if (view.tables == nullptr) continue;
    for (const PageTable& table : view.tables()) {
      out += TypeScriptOf(table, rows.insert(table.row).second);
    }
  }
  out += DefaultPages();
  return out;
}

std::string RunTablesSource() {
  std::string out(kRunsHead);
  return out + TypeScriptOf(ForPage("HARDWARE", "HardwareRow", HardwareTable()));
}

}  // namespace telltale
