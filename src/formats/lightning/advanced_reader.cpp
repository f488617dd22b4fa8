// SPDX-License-Identifier: Apache-2.0
// AdvancedProfiler's report, and what pstats prints: tables of functions, each under the name of
// its action.
#include <string>
#include <utility>

#include "formats/buffered_input.h"
#include "formats/lightning/pstats_row.h"
#include "formats/lightning/reader.h"
#include "formats/memory_meter.h"

namespace telltale {

namespace lightning {
namespace {

constexpr std::string_view kActionMark = "Profile stats for: ";

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options)
      : source_(source), lines_(source, options), builder_(profile_), held_(options.memory, [this] {
          return profile_.memory_bytes() + builder_.memory_bytes();
        }) {
    profile_.shape = FunctionShape::kPairs;
  }

  Result<FunctionProfile> Read() {
    while (const auto line = lines_.Next()) Line(*line);
    if (lines_.error()) return tl::unexpected<Error>(*lines_.error());
    if (profile_.functions.empty()) {
      return Fail(ErrorCode::kUnreadable,
                  "expected the report of Lightning's AdvancedProfiler or of pstats, found no row "
                  "of a function",
                  0);
    }
    profile_.diagnostics.AddWithDetail(
        DiagnosticKind::kRoundedValues, std::nullopt,
        "the report has times in milliseconds, rounded; AdvancedProfiler(dump_stats=True) writes "
        "exact ones into .prof files");
    profile_.source.events = rows_;
    lines_.Describe(source_, profile_);
    return std::move(profile_);
  }

 private:
  void Line(std::string_view line) {
    if (line.starts_with(kActionMark)) {
      action_ = Trimmed(line.substr(kActionMark.size()));
      in_table_ = false;
      return;
    }
    if (IsPstatsHeader(line)) {
      in_table_ = true;
      return;
    }
    if (Trimmed(line).empty()) {
      in_table_ = false;
      return;
    }
    if (line.find("List reduced from ") != std::string_view::npos) {
      profile_.diagnostics.AddWithDetail(DiagnosticKind::kOtherValues, lines_.offset(),
                                         "the report was limited (" + std::string(Trimmed(line)) +
                                             "); functions beyond that are not in it");
    }
    if (!in_table_) return;
    const auto row = ParsePstatsRow(line);
    if (!row) {
      profile_.diagnostics.Add(
          lines_.unfinished() ? DiagnosticKind::kTruncated : DiagnosticKind::kMalformedRecord,
          lines_.offset());
      return;
    }
    ++rows_;
    const FunctionId id =
        builder_.FunctionOf(row->file, row->line, row->name,
                            action_.empty() ? std::string_view() : std::string_view(action_));
    if (id == profile_.totals.size()) profile_.totals.emplace_back();
    FunctionTotals& totals = profile_.totals[id];
    totals.calls = AddSaturated(totals.calls, row->calls);
    totals.primitive_calls = AddSaturated(totals.primitive_calls, row->primitive_calls);
    totals.self_s += row->self_s;
    totals.total_s += row->total_s;
  }

  ByteSource& source_;
  LineReader lines_;
  FunctionProfile profile_;
  CallTreeBuilder builder_;
  std::string action_;
  bool in_table_ = false;
  uint64_t rows_ = 0;
  HeldMemory held_;
};

bool Matches(std::string_view head, std::string_view /*path*/) {
  bool has_action = false;
  while (!head.empty()) {
    const size_t end = head.find('\n');
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (IsPstatsHeader(line)) return true;
    if (line.starts_with(kActionMark)) has_action = true;
    if (has_action && line.find("function calls") != std::string_view::npos) return true;
  }
  return false;
}

// The table of a single .prof, as pstats prints it, has none.
bool HasAction(std::string_view head) {
  return head.starts_with(kActionMark) ||
         head.find("\n" + std::string(kActionMark)) != std::string_view::npos;
}

Result<FunctionProfile> Read(ByteSource& source, const ReadOptions& options) {
  return Reader(source, options).Read();
}

}  // namespace
}  // namespace lightning

Format LightningAdvancedFormat() {
  return {.name = "lightning_advanced",
          .shown = "a report of Lightning's profilers",
          .endings = {".txt", ".log", ".out"},
          .matches = &lightning::Matches,
          .belongs_in_list = &lightning::HasAction,
          .read = ReadAs<&lightning::Read>};
}

}  // namespace telltale
