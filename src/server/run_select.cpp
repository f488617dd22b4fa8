// SPDX-License-Identifier: Apache-2.0
#include "server/run_select.h"

#include <optional>

#include "views/runs/run_field.h"
#include "views/runs/runs_table.h"
#include "views/runs/where.h"

namespace telltale {

Result<SelectedRuns> SelectRuns(const RunList& list, std::string_view where, std::string_view sort,
                                bool deleted, std::string_view group) {
  const bool names_things = !where.empty() || !sort.empty() || !group.empty();
  const RunNames names = names_things ? NamesOf(list) : RunNames();
  std::optional<RunFilter> filter;
  if (!where.empty()) {
    Result<RunFilter> parsed = RunFilter::Parse(where, names);
    if (!parsed) return tl::unexpected(parsed.error());
    filter.emplace(std::move(*parsed));
  }
  std::vector<RunRow> rows;
  for (const std::shared_ptr<const ListedRun>& run : list.runs) {
    if (run->info.deleted == deleted && (!filter || filter->Matches(*run))) rows.push_back({run});
  }
  // The group last: what is equal there stays in the order it had.
  for (std::string_view by : {sort, group}) {
    if (by.empty()) continue;
    const bool down = by.starts_with('-');
    if (down) by.remove_prefix(1);
    const Result<RunField> field = RunField::Find(by, names);
    if (!field) return tl::unexpected(field.error());
    SortRuns(rows, *field, down);
  }
  SelectedRuns selected;
  selected.reserve(rows.size());
  for (RunRow& row : rows) selected.push_back(std::move(row.run));
  return selected;
}

}  // namespace telltale
