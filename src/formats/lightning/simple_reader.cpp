// SPDX-License-Identifier: Apache-2.0
// SimpleProfiler's report: a table of actions. Actions nest (an epoch holds its batches), but the
// report does not say how: it gives totals, and no times of their own.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/buffered_input.h"
#include "formats/lightning/pstats_row.h"
#include "formats/lightning/reader.h"
#include "formats/memory_meter.h"

namespace telltale {

namespace lightning {
namespace {

constexpr std::string_view kHeadingMark = "Profiler Report";
constexpr size_t kNone = SIZE_MAX;

// Which cell of a row holds what; from the right, for only the name may contain a bar.
struct Layout {
  bool leading_bar = false;
  bool trailing_bar = false;
  size_t cells = 0;  // without the name
  size_t mean = kNone;
  size_t calls = kNone;
  size_t total = kNone;
};

// Cells of a line without the bars around it.
std::string_view Inner(std::string_view line, const Layout& layout) {
  line = Trimmed(line);
  if (layout.leading_bar && line.starts_with('|')) line.remove_prefix(1);
  if (layout.trailing_bar && line.ends_with('|')) line.remove_suffix(1);
  return line;
}

std::optional<Layout> ParseHeader(std::string_view line) {
  line = Trimmed(line);
  Layout layout;
  layout.leading_bar = line.starts_with('|');
  layout.trailing_bar = line.ends_with('|');
  std::string_view rest = Inner(line, layout);
  std::vector<std::string_view> names;
  for (;;) {
    const size_t bar = rest.find('|');
    names.push_back(Trimmed(rest.substr(0, bar)));
    if (bar == std::string_view::npos) break;
    rest.remove_prefix(bar + 1);
  }
  if (names.size() < 3 || names.front() != "Action") return std::nullopt;
  layout.cells = names.size() - 1;
  for (size_t i = 0; i < layout.cells; ++i) {
    const std::string_view name = names[i + 1];
    if (name == "Mean duration (s)") layout.mean = i;
    if (name == "Num calls") layout.calls = i;
    if (name == "Total time (s)") layout.total = i;
  }
  if (layout.mean == kNone || layout.total == kNone) return std::nullopt;
  return layout;
}

struct Row {
  std::string_view action;
  int64_t calls = kNoInt;
  double total_s = 0;
  bool is_total = false;  // the row of the whole run
};

std::optional<Row> ParseRow(std::string_view line, const Layout& layout) {
  std::string_view rest = Inner(line, layout);
  std::vector<std::string_view> cells(layout.cells);
  for (size_t i = layout.cells; i-- > 0;) {
    const size_t bar = rest.rfind('|');
    if (bar == std::string_view::npos) return std::nullopt;
    cells[i] = Trimmed(rest.substr(bar + 1));
    rest = rest.substr(0, bar);
  }
  Row row;
  row.action = Trimmed(rest);
  row.is_total = cells[layout.mean] == "-";
  const auto total = ParseNumber(cells[layout.total]);
  if (row.action.empty() || !total) return std::nullopt;
  if (!row.is_total && !ParseNumber(cells[layout.mean])) return std::nullopt;
  row.total_s = *total;
  if (layout.calls != kNone) {
    const auto calls = ParseNumber(cells[layout.calls]);
    const bool good = calls && *calls >= 0 && std::floor(*calls) == *calls;
    if (!good && !row.is_total) return std::nullopt;
    if (good) row.calls = static_cast<int64_t>(*calls);
  }
  return row;
}

bool IsRule(std::string_view line) {
  line = Trimmed(line);
  return line.size() > 3 && std::ranges::all_of(line, [](char c) { return c == '-'; });
}

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options)
      : source_(source), lines_(source, options), builder_(profile_), held_(options.memory, [this] {
          return profile_.memory_bytes() + builder_.memory_bytes() + MemoryOfNodes(reports_);
        }) {
    profile_.shape = FunctionShape::kPairs;
    profile_.has_self = false;
  }

  Result<FunctionProfile> Read() {
    while (const auto line = lines_.Next()) Line(*line);
    if (lines_.error()) return tl::unexpected<Error>(*lines_.error());
    if (profile_.functions.empty()) {
      return Fail(ErrorCode::kUnreadable,
                  "expected the report of Lightning's SimpleProfiler, found no row of an action",
                  0);
    }
    profile_.diagnostics.AddWithDetail(
        DiagnosticKind::kRoundedValues, std::nullopt,
        "the report has five significant digits of each time; actions contain one another, so "
        "their shares add up to more than 100 %");
    profile_.source.events = profile_.functions.size();
    lines_.Describe(source_, profile_);
    return std::move(profile_);
  }

 private:
  void Line(std::string_view line) {
    if (const size_t mark = line.find(kHeadingMark); mark != std::string_view::npos) {
      // "FIT Profiler Report"; on a console a progress bar may stand before it.
      std::string_view stage = Trimmed(line.substr(0, mark));
      stage = stage.substr(stage.find_last_of(" \t\r") + 1);
      heading_ = stage;
      layout_.reset();
      return;
    }
    if (const auto layout = ParseHeader(line)) {
      BeginTable(*layout);
      return;
    }
    if (!layout_ || IsRule(line)) {
      if (!layout_ && !Trimmed(line).empty() && !IsRule(line)) Foreign();
      return;
    }
    if (Trimmed(line).empty()) {
      layout_.reset();
      return;
    }
    const auto row = ParseRow(line, *layout_);
    if (!row) {
      if (lines_.unfinished()) {
        profile_.diagnostics.Add(DiagnosticKind::kTruncated, lines_.offset());
      } else if (line.find('|') != std::string_view::npos) {
        profile_.diagnostics.Add(DiagnosticKind::kMalformedRecord, lines_.offset());
      } else {
        Foreign();
      }
      return;
    }
    if (!row->is_total) Add(*row);
  }

  void Foreign() { profile_.diagnostics.Add(DiagnosticKind::kForeignLine, lines_.offset()); }

  // Reports are appended to a file, and later ones repeat what earlier ones counted: each is kept
  // apart.
  void BeginTable(const Layout& layout) {
    layout_ = layout;
    const uint64_t number = ++reports_[heading_];
    report_ = heading_;
    if (number > 1) report_ += (report_.empty() ? "#" : " #") + std::to_string(number);
    heading_.clear();
  }

  void Add(const Row& row) {
    const FunctionId id = builder_.FunctionOf(
        {}, kNoInt, row.action, report_.empty() ? std::string_view() : std::string_view(report_));
    if (id < profile_.totals.size()) {
      profile_.diagnostics.Add(DiagnosticKind::kMalformedRecord, lines_.offset());
      return;
    }
    profile_.totals.push_back({row.calls, row.calls, 0, row.total_s});
  }

  ByteSource& source_;
  LineReader lines_;
  FunctionProfile profile_;
  CallTreeBuilder builder_;
  std::optional<Layout> layout_;  // inside a table
  std::string heading_;
  std::string report_;
  std::map<std::string, uint64_t, std::less<>> reports_;  // by heading
  HeldMemory held_;
};

bool Matches(std::string_view head, std::string_view /*path*/) {
  while (!head.empty()) {
    const size_t end = head.find('\n');
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (ParseHeader(line)) return true;
  }
  return false;
}

Result<FunctionProfile> Read(ByteSource& source, const ReadOptions& options) {
  return Reader(source, options).Read();
}

}  // namespace
}  // namespace lightning

Format LightningSimpleFormat() {
  return {.name = "lightning_simple",
          .shown = "a report of Lightning's profilers",
          .endings = {".txt", ".log", ".out"},
          .matches = &lightning::Matches,
          .read = ReadAs<&lightning::Read>};
}

}  // namespace telltale
