// SPDX-License-Identifier: Apache-2.0
#include "views/steps/other_inside.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/frame_name.h"
#include "views/render/unit_column.h"
#include "views/words.h"

namespace telltale {

namespace {

using enum Quantity;

// "load (data.py:7)" of a function, else the name.
std::string NameForPeople(const OtherRow& row) {
  if (row.kind != OtherKind::kPython) return row.what;
  const FrameName frame = SplitFrameName(row.what);
  const std::string place = PlaceOf(frame);
  return place.empty() ? row.what : fmt::format("{} ({})", frame.name, place);
}

}  // namespace

TableSpec<OtherRow> OtherTable() {
  using R = OtherRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.what); };
  spec.columns = {
      Field("what", kName, Get<&R::what>,
            {.title = "the host is in", .importance = kAlways, .least_width = 24})
          .WithText([](const R& row, const OutputStyle& style) {
            return Printable(NameForPeople(row), style.unicode);
          })
          .WithHelp("the innermost range or own Python function around it, else its place among "
                    "the operators"),
      Field("kind", kText, Get<&R::kind>, {.title = "kind", .importance = 70, .ink = Ink::kDim})
          .OfType("\"annotation\" | \"python\" | \"operator_gap\" | \"unknown\""),
      Field("ns", kDuration, Get<&R::ns>, {.title = "per step", .importance = kAlways})
          .OnPage("Per average step"),
      PartOf<R>("share", "ns", {.title = "share", .importance = 80}),
      BarOf<R>("bar", "ns", {.importance = 50, .ink = Ink::kOther}),
      Field("longest_ns", kDuration, Get<&R::longest_ns>, {.title = "longest", .importance = 60})
          .NoSum()
          .WithHelp("the longest single stretch, in any step"),
      Field("longest_start_ns", kMoment, Get<&R::longest_start_ns>,
            {.title = "longest at", .importance = 40, .terminal = false}),
      Field("file", kFile, Get<&R::file>,
            {.title = "file",
             .importance = 45,
             .least_width = 8,
             .presence = Presence::kSeveralFiles})
          .OnPage("Longest in")
          .WithHelp("the file of the longest stretch"),
  };
  return spec;
}

std::span<const OtherRow> OtherRows(const StepReport& steps) {
  const auto& rows = steps.other_inside;
  const auto end =
      std::find_if(rows.begin(), rows.end(), [](const OtherRow& r) { return r.ns == 0; });
  return {rows.begin(), end};
}

std::string OtherWords(const StepReport& steps, const OutputStyle& style) {
  // Of the step: what is less is not worth a line.
  constexpr double kWorthALine = 0.01;
  // Of all: what is less is not worth a name.
  constexpr double kWorthAName = 0.05;
  constexpr size_t kMostNames = 3;
  const int64_t all = steps.average[static_cast<size_t>(StepCategory::kOther)];
  if (Ratio(all, steps.average_ns) < kWorthALine) return "";
  std::vector<std::string> parts;
  int64_t left = all;
  for (const OtherRow& row : OtherRows(steps)) {
    if (parts.size() == kMostNames || Ratio(row.ns, all) < kWorthAName) break;
    left -= row.ns;
    parts.push_back(fmt::format("{} {}", NameInSentence(NameForPeople(row), style),
                                FormatDuration(row.ns, style.unicode)));
  }
  if (left > 0 && !parts.empty())
    parts.push_back(fmt::format("the rest {}", FormatDuration(left, style.unicode)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace telltale
