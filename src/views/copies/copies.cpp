// SPDX-License-Identifier: Apache-2.0
// The view `copies`: memory copies and sets by direction.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "views/largest.h"
#include "views/page_causes.h"
#include "views/torch_names.h"
#include "views/view_list.h"
#include "views/words.h"

namespace telltale {

namespace {

using enum Quantity;

constexpr std::array<SortAlias, 3> kAliases = {{
    {"device_time_total", "total_ns"},
    {"self_device_time_total", "total_ns"},
    {"count", "calls"},
}};

TableSpec<CopyRow> CopyTable() {
  using R = CopyRow;
  constexpr int kAlways = Shown::kAlways;
  constexpr Presence kAnyValue = Presence::kAnyValue;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.name); };
  ColumnSpec<R> bar;
  bar.key = "bar";
  bar.quantity = kBar;
  bar.shown = {.importance = 65, .of = "total_ns"};
  bar.ink = [](const R& row) { return row.direction == "memset" ? Ink::kMemset : Ink::kMemcpy; };
  bar.for_programs = false;
  ColumnSpec<R> pageable = Field("pageable", kFlag, Get<&R::pageable>, {.importance = 50})
                               .OnPage("Pageable")
                               .WithHelp(
                                   "host memory that is not pinned: slow, and the host "
                                   "waits. –: the trace does not tell");
  pageable.shown.presence = Presence::kAnyKnown;
  pageable.text = [](const R& row, const OutputStyle&) -> std::string {
    return !row.pageable ? "" : *row.pageable ? "pageable" : "pinned";
  };
  pageable.ink = [](const R& row) {
    return row.pageable.value_or(false) ? Ink::kWarning : Ink::kPlain;
  };
  spec.columns = {
      Field("name", kName, Get<&R::name>,
            {.title = "copy", .importance = kAlways, .least_width = 30})
          .Names(Naming::kEvent)
          .OnPage("Copy or set"),
      Field("direction", kText, Get<&R::direction>,
            {.title = "direction", .importance = 45, .terminal = false}),
      std::move(pageable),
      Field("calls", kCount, Get<&R::calls>, {.title = "calls", .importance = 80}),
      Field("total_ns", kDuration, Get<&R::total_ns>, {.title = "total", .importance = kAlways}),
      PartOf<R>("share", "total_ns", {.title = "share", .importance = 90}),
      std::move(bar),
      Field("min_ns", kDuration, Get<&R::min_ns>, {.title = "min", .importance = 30})
          .NoSum()
          .OnPage("Shortest"),
      Field("max_ns", kDuration, Get<&R::max_ns>, {.title = "max", .importance = 35})
          .NoSum()
          .OnPage("Longest"),
      Field("bytes", kBytes, Get<&R::bytes>,
            {.title = "size", .importance = 70, .presence = kAnyValue}),
      Field("bandwidth_gb_per_s", kRate, Get<&R::bandwidth_gb_per_s>,
            {.title = "GB/s", .importance = 75, .presence = kAnyValue, .decimals = 2}),
  };
  spec.order = {"name",   "calls", "total_ns",           "share",    "bar",      "min_ns",
                "max_ns", "bytes", "bandwidth_gb_per_s", "pageable", "direction"};
  return spec;
}

std::string Sentence(const Profile& profile, const OutputStyle& style) {
  const std::vector<CopyRow>& rows = profile.report.copies;
  if (rows.empty()) return "No memory copies or sets in the trace.";
  int64_t total = 0;
  int64_t pageable = 0;
  uint64_t calls = 0;
  for (const CopyRow& row : rows) {
    total += row.total_ns;
    calls += row.calls;
    if (row.pageable.value_or(false)) pageable += row.total_ns;
  }
  std::string text = fmt::format(
      "{} took {}{}",
      calls == 1 ? "One copy or set"
                 : fmt::format("{} copies and sets", FormatCount(static_cast<int64_t>(calls))),
      FormatDuration(total, style.unicode),
      LargestNames(
          rows, total, [](const CopyRow& row) { return row.total_ns; },
          [](const CopyRow& row) { return row.name; }, style));
  if (pageable > 0) {
    text += fmt::format("; {} of it from or to pageable memory",
                        FormatShare(Ratio(pageable, total), 0));
  }
  return text + "." + CauseSentence(profile, {CauseKind::kCopy}, style);
}

Document Build(const ViewInput& input) {
  const std::vector<CopyRow>& rows = input.profile.report.copies;
  Document document("Copies and sets", [&profile = input.profile](const OutputStyle& style) {
    return Sentence(profile, style);
  });
  document.SetBare();
  if (rows.empty()) document.SetEmpty();
  document.AddRowsOfProfile(
      "rows", CopyTable(), rows, input.sort_field,
      {.title = "Copies and sets",
       .remark = input.sort_field ? fmt::format("by {}", *input.sort_field) : "by total time",
       .main = true});
  return document;
}

}  // namespace

ViewSpec DescribeCopies() {
  ViewSpec spec;
  spec.name = "copies";
  spec.needs = {.part = "device_events", .words = ViewNeeds::kDeviceEvents};
  spec.scope = ViewScope::kBasic;
  spec.long_table = true;
  spec.help = "memory copies and sets by direction";
  spec.sort_fields = CopyTable().keys();
  spec.sort_key = [](std::string_view text) {
    return SortFieldOf("copies", CopyTable().keys(), kAliases, text);
  };
  spec.build = Build;
  spec.tables = [] { return std::vector{ForPage("COPIES", "CopyRow", CopyTable())}; };
  return spec;
}

}  // namespace telltale
