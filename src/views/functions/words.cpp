// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "analysis/functions/waits.h"
#include "views/answer.h"
#include "views/functions/function_view.h"
#include "views/render/display.h"
#include "views/render/unit_column.h"
#include "views/render/units.h"

namespace telltale {

namespace {

// Functions the sentence names, and the share from which one is worth it.
constexpr size_t kNamed = 3;
constexpr double kWorthNaming = 0.05;

std::string Amount(int64_t value, ValueUnit unit, bool unicode) {
  switch (unit) {
    case ValueUnit::kNanoseconds:
      return FormatDuration(value, unicode);
    case ValueUnit::kBytes:
      return FormatBytes(value);
    case ValueUnit::kSamples:
      return fmt::format("{} sample{}", FormatCount(value), value == 1 ? "" : "s");
    case ValueUnit::kCount:
      return FormatCount(value);
  }
  return FormatCount(value);
}

// "sin" of "{built-in method math.sin}": what a sentence calls a function.
std::string ShortName(const FunctionRow& row, bool unicode) {
  std::string name = Printable(row.name, unicode);
  if (row.file == "~" && name.size() > 2 && name.front() == '<' && name.back() == '>') {
    name = name.substr(1, name.size() - 2);
  }
  name = ShortenMiddle(name, 40, unicode);
  if (row.file == "~" || row.file.data() == nullptr || row.file.empty()) return name;
  const size_t slash = row.file.find_last_of("/\\");
  const std::string_view file =
      slash == std::string_view::npos ? row.file : row.file.substr(slash + 1);
  const std::string place = ShortenMiddle(Printable(file, unicode), 30, unicode);
  return row.line == kNoInt ? fmt::format("{} ({})", name, place)
                            : fmt::format("{} ({}:{})", name, place, row.line);
}

std::string WholeOf(const FunctionTable& table, const std::optional<TimeCut>& cut, bool unicode) {
  // Only times can be cut.
  if (cut) {
    return fmt::format("{} the profiled code ran for {}", cut->Phrase(unicode),
                       FormatDuration(table.total, unicode));
  }
  switch (table.unit) {
    case ValueUnit::kNanoseconds:
      return fmt::format("The profiled code ran for {}", FormatDuration(table.total, unicode));
    case ValueUnit::kSamples:
      return fmt::format("The profile has {}", Amount(table.total, table.unit, unicode));
    case ValueUnit::kBytes:
      return fmt::format("The profile counts {}", FormatBytes(table.total));
    case ValueUnit::kCount:
      break;
  }
  return fmt::format("The profile counts {}", FormatCount(table.total));
}

// Of a profile that has no function's own time.
std::string TotalsSentence(const FunctionView& view, bool unicode) {
  const FunctionTable& table = view.table;
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i].in_profile) rows.push_back(i);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return table.rows[a].values.total > table.rows[b].values.total;
  });
  std::vector<std::string> phrases;
  for (size_t i = 0; i < std::min(rows.size(), kNamed); ++i) {
    const FunctionRow& row = table.rows[rows[i]];
    phrases.push_back(fmt::format("{} {}", ShortName(row, unicode),
                                  Amount(row.values.total.value_or(0), table.unit, unicode)));
  }
  return fmt::format("Totals of functions that may contain one another, the longest first: {}.",
                     fmt::join(phrases, ", "));
}

}  // namespace

std::string FunctionSentence(const FunctionView& view, bool unicode) {
  const FunctionTable& table = view.table;
  if (view.all_rows == 0) {
    return view.only_traces ? "The trace has no Python functions: record them with with_stack=True."
                            : "The profile holds no functions: nothing was recorded.";
  }
  if (!table.has_self) return TotalsSentence(view, unicode);
  std::vector<uint32_t> rows;
  int64_t waiting = 0;
  for (uint32_t i = 0; i < table.rows.size(); ++i) {
    const FunctionRow& row = table.rows[i];
    if (!row.in_profile || row.values.self.value_or(0) <= 0) continue;
    // Small ones do not change the sentence.
    if (Ratio(*row.values.self, table.total) >= kWorthNaming / 10 && IsWait(row.file, row.name)) {
      AddTo(waiting, *row.values.self);
    } else {
      rows.push_back(i);
    }
  }
  const size_t named = std::min(rows.size(), kNamed);
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(named), rows.end(),
                    [&](uint32_t a, uint32_t b) {
                      const auto& x = table.rows[a];
                      const auto& y = table.rows[b];
                      if (x.values.self != y.values.self) return x.values.self > y.values.self;
                      return x.name < y.name;
                    });
  std::string text = WholeOf(table, view.cut, unicode);
  if (view.thread && view.threads.size() > 1)
    text += fmt::format(" on {}", Printable(view.threads[*view.thread].name, unicode));
  const double waited = Ratio(waiting, table.total);
  int64_t whole = table.total;
  if (waited >= kWorthNaming) {
    text += fmt::format(", {} waiting for other threads or processes",
                        waited >= 0.995 ? "all of it" : SharePhrase(waited) + " of it");
    whole -= waiting;
  }
  std::vector<std::string> phrases;
  for (size_t i = 0; i < named; ++i) {
    const FunctionRow& row = table.rows[rows[i]];
    const double share = Ratio(*row.values.self, whole);
    if (share < kWorthNaming) break;
    phrases.push_back(fmt::format("{} in {}{}", SharePhrase(share), ShortName(row, unicode),
                                  phrases.empty() ? " itself" : ""));
  }
  if (waited >= 0.995) return text + ".";
  text += waited >= kWorthNaming ? "; of the rest " : ": ";
  if (phrases.empty()) {
    return fmt::format("{}spread over {} functions, none above {}.", text,
                       FormatCount(static_cast<int64_t>(view.all_rows)),
                       FormatShare(kWorthNaming, 0));
  }
  return fmt::format("{}{}.", text, fmt::join(phrases, ", "));
}

std::string CutRemark(const FunctionView& view, bool unicode) {
  const TimeCut& cut = *view.cut;
  std::string text = fmt::format(
      "{} from {} after the start{}",
      FormatDuration(cut.covered.end_ns - cut.covered.start_ns, unicode),
      FormatDuration(cut.covered.start_ns, unicode),
      cut.whole_slots ? ": whole parts of the file, which has sums of about a second each" : "");
  if (cut.without_times > 0) {
    text += fmt::format("; {} of the profiles {} not say when functions ran and {} left out",
                        cut.without_times, cut.without_times == 1 ? "does" : "do",
                        cut.without_times == 1 ? "is" : "are");
  }
  return text + ".";
}

std::string FunctionSources(const FunctionView& view, const OutputStyle& style) {
  std::vector<std::string> parts;
  uint64_t bytes = 0;
  for (const ProfileSource& file : view.files) bytes += file.decoded_bytes;
  if (view.files.size() == 1) {
    const std::string& path = view.files[0].path;
    const size_t slash = path.find_last_of('/');
    parts.push_back(ShortenMiddle(
        Printable(path == "-"
                      ? "standard input"
                      : std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1),
                  style.unicode),
        style.width / 2, style.unicode));
  } else {
    parts.push_back(fmt::format("{} profiles", view.files.size()));
  }
  parts.push_back(fmt::format("{} function{}", FormatCount(static_cast<int64_t>(view.all_rows)),
                              view.all_rows == 1 ? "" : "s"));
  parts.push_back(FormatBytes(static_cast<int64_t>(bytes)));
  if (view.table.source == FunctionShape::kTree) {
    parts.emplace_back("whole call paths");
  } else {
    parts.emplace_back(view.table.has_calls ? "callers and callees, no paths"
                                            : "totals, no callers");
  }
  return fmt::format("{}", fmt::join(parts, style.unicode ? " · " : ", "));
}

std::string OwnCodeRemark(const FunctionTable& table, const OutputStyle& style) {
  const FoldedTime& folded = *table.folded;
  const auto amount = [&](int64_t value) {
    return fmt::format("{} ({})", Amount(value, table.unit, style.unicode),
                       FormatShare(Ratio(value, table.total), 0));
  };
  std::string text = fmt::format("Libraries took {}", amount(folded.library));
  if (folded.library == 0) return "No library function is in the profile.";
  const int64_t given = folded.library - folded.undetermined - folded.without_owner;
  text += fmt::format("; {} of it is given to the own functions that called them",
                      given == folded.library ? "all" : amount(given));
  if (folded.undetermined > 0) {
    text += fmt::format(
        "; {} stays with the library because several own functions lead there and the profile "
        "keeps "
        "pairs, not paths",
        amount(folded.undetermined));
  }
  if (folded.without_owner > 0) {
    text += fmt::format("; {} has no own function above it", amount(folded.without_owner));
  }
  return text + ".";
}

}  // namespace telltale
