// SPDX-License-Identifier: Apache-2.0
// The tables of the view `functions`. Rows are views into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/functions/tree.h"
#include "views/functions/function_view.h"
#include "views/table_spec.h"

namespace telltale {

// A row of the table, or a row with the values of its calls by, or of, another one.
struct ShownFunction {
  enum class Role : uint8_t { kItself, kCaller, kCallee };

  const FunctionView* view = nullptr;
  uint32_t number = 0;  // of the table's rows
  const FunctionValues* values = nullptr;
  Role role = Role::kItself;
  [[nodiscard]] const FunctionRow& row() const { return view->table.rows[number]; }
};
// What a view has; the fields of any without one.
[[nodiscard]] TableSpec<ShownFunction> FunctionRowTable(const FunctionView& view = {});
[[nodiscard]] std::vector<ShownFunction> FunctionRows(const FunctionView& view);

[[nodiscard]] TableSpec<FunctionThread> FunctionThreadTable();

// Shares are of `total`.
[[nodiscard]] TableSpec<FunctionLine> FunctionLineTable(int64_t total = 0);

struct ShownNode : FunctionTreeNode {
  const FunctionTable* table = nullptr;
  [[nodiscard]] const FunctionRow& function() const { return table->rows[row]; }
};
[[nodiscard]] TableSpec<ShownNode> FunctionTreeTable(ValueUnit unit);
[[nodiscard]] std::vector<ShownNode> FunctionNodes(const FunctionTable& table,
                                                   const FunctionTreeOptions& options);

// For the terminal. Each of the first `count` functions with those that called it, or that it
// called, below it.
[[nodiscard]] std::string RelatedText(const FunctionView& view, ShownFunction::Role role,
                                      size_t count, const OutputStyle& style);
// The largest paths; `limit` <= 0: of any number.
[[nodiscard]] std::string FunctionTreeText(const FunctionView& view, std::optional<int64_t> limit,
                                           const OutputStyle& style);

}  // namespace telltale
