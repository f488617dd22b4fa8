// SPDX-License-Identifier: Apache-2.0
#include "formats/importtime/reader.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "formats/buffered_input.h"
#include "formats/memory_meter.h"

namespace telltale {

namespace importtime {
namespace {

constexpr std::string_view kMark = "import time:";

struct Row {
  int64_t self_ns = 0;
  size_t depth = 0;
  std::string_view module;
};

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// "cached": loaded before (-X importtime=2).
std::optional<int64_t> Microseconds(std::string_view cell) {
  cell = Trimmed(cell);
  if (cell == "cached") return 0;
  return MicrosecondsToNs(cell);
}

bool IsHeader(std::string_view cells) {
  return cells.find("self [us]") != std::string_view::npos &&
         cells.find("cumulative") != std::string_view::npos;
}

// `cells` is what follows the mark: self | cumulative | module, two blanks a level.
std::optional<Row> Parse(std::string_view cells) {
  const size_t first = cells.find('|');
  if (first == std::string_view::npos) return std::nullopt;
  const size_t second = cells.find('|', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto self = Microseconds(cells.substr(0, first));
  const auto cumulative = Microseconds(cells.substr(first + 1, second - first - 1));
  std::string_view module = cells.substr(second + 1);
  if (module.starts_with(' ')) module.remove_prefix(1);
  size_t blanks = 0;
  while (blanks < module.size() && module[blanks] == ' ') ++blanks;
  module = Trimmed(module);
  if (!self || !cumulative || module.empty()) return std::nullopt;
  return Row{*self, blanks / 2, module};
}

bool Matches(std::string_view head, std::string_view /*path*/) {
  size_t rows = 0;
  for (size_t at = head.find(kMark); at != std::string_view::npos;
       at = head.find(kMark, at + kMark.size())) {
    const std::string_view cells =
        head.substr(at + kMark.size(), head.find('\n', at) - at - kMark.size());
    if (IsHeader(cells)) return true;
    if (Parse(cells) && ++rows >= 2) return true;
  }
  return false;
}

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options)
      : source_(source), lines_(source, options), builder_(profile_), held_(options.memory, [this] {
          return profile_.memory_bytes() + builder_.memory_bytes() +
                 rows_.size() * 2 * sizeof(HeldRow);
        }) {}

  Result<FunctionProfile> Read() {
    while (const auto line = lines_.Next()) Line(*line);
    if (lines_.error()) return tl::unexpected<Error>(*lines_.error());
    AddTree();
    if (profile_.tree.size() == 0) {
      return Fail(ErrorCode::kUnreadable,
                  "expected the log of python -X importtime, found no line with the time of an "
                  "import",
                  0);
    }
    lines_.Describe(source_, profile_);
    return std::move(profile_);
  }

 private:
  void Line(std::string_view line) {
    // The program's own output may end without a line end.
    const size_t mark = line.find(kMark);
    if (mark != 0 && !line.empty()) {
      profile_.diagnostics.Add(DiagnosticKind::kForeignLine, lines_.offset());
    }
    if (mark == std::string_view::npos) return;
    const std::string_view cells = line.substr(mark + kMark.size());
    if (IsHeader(cells)) {
      AddTree();  // another process begins
      return;
    }
    auto row = Parse(cells);
    if (!row) {
      profile_.diagnostics.Add(
          lines_.unfinished() ? DiagnosticKind::kTruncated : DiagnosticKind::kMalformedRecord,
          lines_.offset());
      return;
    }
    if (row->self_ns < 0) {
      profile_.diagnostics.AddWithDetail(
          DiagnosticKind::kNegativeDuration, lines_.offset(),
          "imports of several threads at once are mixed in the log: some modules took less than "
          "nothing; their own time was taken as 0");
      row->self_ns = 0;
    }
    rows_.push_back({row->self_ns, row->depth, profile_.strings.Intern(row->module)});
    ++profile_.source.events;
  }

  // A module stands behind those it imports, which are indented deeper. From the end, parents come
  // first.
  void AddTree() {
    std::vector<std::pair<size_t, CallNodeId>> open;  // depth, node
    for (size_t i = rows_.size(); i-- > 0;) {
      while (!open.empty() && open.back().first >= rows_[i].depth) open.pop_back();
      const CallNodeId parent = open.empty() ? kNoCallNode : open.back().second;
      const CallNodeId node = builder_.Child(
          parent, builder_.FunctionOf({}, kNoInt, profile_.strings.Get(rows_[i].module)));
      profile_.tree.self[node] = AddSaturated(profile_.tree.self[node], rows_[i].self_ns);
      ++profile_.tree.calls[node];
      open.emplace_back(rows_[i].depth, node);
    }
    rows_.clear();
  }

  struct HeldRow {
    int64_t self_ns;
    size_t depth;
    StringId module;
  };

  ByteSource& source_;
  LineReader lines_;
  FunctionProfile profile_;
  CallTreeBuilder builder_;
  std::vector<HeldRow> rows_;  // of one process
  HeldMemory held_;
};

Result<FunctionProfile> Read(ByteSource& source, const ReadOptions& options) {
  return Reader(source, options).Read();
}

}  // namespace
}  // namespace importtime

Format ImportTimeFormat() {
  return {.name = "importtime",
          .shown = "a log of -X importtime",
          .endings = {".importtime", ".log", ".txt", ".out"},
          .matches = &importtime::Matches,
          .read = ReadAs<&importtime::Read>};
}

}  // namespace telltale
