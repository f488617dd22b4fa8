// SPDX-License-Identifier: Apache-2.0
#include "formats/collapsed/reader.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>

#include "base/decimal.h"
#include "base/digits.h"
#include "base/frame_name.h"
#include "formats/buffered_input.h"
#include "formats/collapsed/writer.h"
#include "formats/memory_meter.h"

namespace telltale {

namespace {

// A comment that says what the values are.
constexpr std::string_view kUnitMark = "# unit: ";

struct Line {
  std::string_view stack;
  std::string_view value;  // digits[.digits]
};

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// stack, blanks, number: nothing else behind it.
std::optional<Line> Parse(std::string_view text) {
  text = Trimmed(text);
  size_t digits = text.size();
  while (digits > 0 && (IsDigit(text[digits - 1]) || text[digits - 1] == '.')) --digits;
  const std::string_view value = text.substr(digits);
  if (value.empty() || !IsDigit(value.front()) || std::ranges::count(value, '.') > 1) {
    return std::nullopt;
  }
  if (digits == 0 || !IsBlank(text[digits - 1])) return std::nullopt;
  const std::string_view stack = Trimmed(text.substr(0, digits));
  if (stack.empty()) return std::nullopt;
  return Line{stack, value};
}

// A blank and a value: py-spy's samples of a thread that was in no function.
bool IsWithoutFrames(std::string_view line) {
  const std::string_view value = Trimmed(line);
  return !line.empty() && IsBlank(line.front()) && std::ranges::all_of(value, IsDigit);
}

bool IsIgnored(std::string_view line) {
  return Trimmed(line).empty() || line.starts_with('#') || IsWithoutFrames(line);
}

std::optional<ValueUnit> UnitOf(std::string_view name) {
  for (const ValueUnit unit :
       {ValueUnit::kNanoseconds, ValueUnit::kSamples, ValueUnit::kBytes, ValueUnit::kCount}) {
    if (NameOf(unit) == name) return unit;
  }
  return std::nullopt;
}

// export_stacks writes file.py(12):_name.
bool IsTorchFrame(std::string_view frame) {
  const FrameName split = SplitFrameName(frame);
  return split.line && frame.substr(split.file.size()).starts_with('(');
}

bool IsPySpyFrame(std::string_view frame) {
  const FrameName split = SplitFrameName(frame);
  return split.file.data() != nullptr && frame.ends_with(')');
}

bool HasControl(std::string_view line) {
  return std::ranges::any_of(
      line, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; });
}

// The beginning of a line that is longer than what may be looked at: a path of many frames, none of
// which is very long. Neither JSON nor markup nor a program on one line.
bool BeginsLongPath(std::string_view line) {
  constexpr std::ptrdiff_t kLongFrame = 2048;
  if (line.empty() || HasControl(line)) return false;
  if (std::string_view("{[<\"").find(line.front()) != std::string_view::npos) return false;
  if (line.find("; ") != std::string_view::npos || line.find("){") != std::string_view::npos) {
    return false;
  }
  return std::ranges::count(line, ';') > std::ssize(line) / kLongFrame;
}

bool Matches(std::string_view head, std::string_view /*path*/) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const bool whole = head.size() < kHeadBytes;
  size_t lines = 0;
  size_t good = 0;
  size_t paths = 0;  // of more than one frame
  while (!head.empty()) {
    const size_t end = head.find('\n');
    if (end == std::string_view::npos && !whole) {
      if (lines == 0) return BeginsLongPath(head);
      break;
    }
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (IsIgnored(line)) continue;
    ++lines;
    if (HasControl(line)) return false;
    // No frame begins with a blank, and none is a JSON object; sentences and code do.
    const auto parsed = Parse(line);
    if (!parsed || parsed->stack.starts_with('{') || parsed->stack.starts_with("[{")) continue;
    if (parsed->stack.find("; ") != std::string_view::npos) continue;
    ++good;
    const size_t mark = parsed->stack.find(';');
    if (mark != std::string_view::npos && mark > 0 && mark + 1 < parsed->stack.size()) ++paths;
  }
  // Prose has few lines that end in a number, and hardly one with frames before it.
  return paths > 0 && good * 10 >= lines * 9 && paths * 2 >= good;
}

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options)
      : source_(source), lines_(source, options), builder_(profile_), held_(options.memory, [this] {
          return profile_.memory_bytes() + builder_.memory_bytes() + frames_.memory_bytes() +
                 function_of_frame_.size() * sizeof(FunctionId);
        }) {}

  Result<FunctionProfile> Read() {
    while (const auto line = lines_.Next()) {
      if (!IsIgnored(*line)) {
        Add(*line);
      } else if (line->starts_with(kUnitMark)) {
        said_unit_ = UnitOf(line->substr(kUnitMark.size()));
      }
    }
    if (lines_.error()) return tl::unexpected<Error>(*lines_.error());
    if (stacks_ == 0) {
      return Fail(ErrorCode::kUnreadable,
                  "expected collapsed stacks (a;b;c 12 on each line), found none", 0);
    }
    Finish();
    return std::move(profile_);
  }

 private:
  void Add(std::string_view text) {
    const std::optional<Line> line = Parse(text);
    // In thousandths, so that a file may turn out to be one of microseconds.
    const auto value = line ? DecimalToInt(line->value, 3) : std::nullopt;
    if (!line || !value) {
      profile_.diagnostics.Add(lines_.unfinished() ? DiagnosticKind::kTruncated
                               : line.has_value()  ? DiagnosticKind::kNumberOutOfRange
                                                   : DiagnosticKind::kMalformedRecord,
                               lines_.offset());
      return;
    }
    ++stacks_;
    if (*value % 1000 != 0) ++fractions_;
    CallNodeId node = kNoCallNode;
    std::string_view rest = line->stack;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(';'), rest.size());
      if (const std::string_view frame = rest.substr(0, end); !frame.empty()) {
        node = builder_.Child(node, FunctionOf(frame));
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (node == kNoCallNode) return;
    int64_t& self = profile_.tree.self[node];
    self = AddSaturated(self, *value);
  }

  FunctionId FunctionOf(std::string_view frame) {
    // Frames repeat in almost every line: taken apart once.
    const auto id = static_cast<uint32_t>(frames_.Intern(frame));
    if (id < function_of_frame_.size() && function_of_frame_[id] != kNoFunction) {
      return function_of_frame_[id];
    }
    function_of_frame_.resize(std::max<size_t>(function_of_frame_.size(), id + 1), kNoFunction);
    const FrameName split = SplitFrameName(frame);
    if (IsTorchFrame(frame)) ++torch_frames_;
    if (IsPySpyFrame(frame) || frame.starts_with("thread (")) ++py_spy_frames_;
    return function_of_frame_[id] = builder_.FunctionOf(split.file, split.line.value_or(kNoInt),
                                                        split.name, split.module);
  }

  void Finish() {
    // Whoever wrote the file did it for all frames: Python ones in its own way, C functions by
    // their name only.
    const bool torch = !said_unit_ && torch_frames_ > py_spy_frames_;
    if (said_unit_) {
      profile_.unit = *said_unit_;
    } else if (torch) {
      profile_.unit = ValueUnit::kNanoseconds;
    } else {
      profile_.unit = py_spy_frames_ > 0 ? ValueUnit::kSamples : ValueUnit::kCount;
    }
    for (size_t node = 0; node < profile_.tree.size(); ++node) {
      int64_t& self = profile_.tree.self[node];
      if (!torch) self = self / 1000 + (self % 1000 >= 500 ? 1 : 0);
      profile_.tree.calls[node] = kNoUint;
    }
    if (!torch && fractions_ > 0) {
      profile_.diagnostics.AddWithDetail(
          DiagnosticKind::kRoundedValues, std::nullopt,
          "values with decimals were rounded to whole numbers, each call path once");
    }
    profile_.source.events = stacks_;
    lines_.Describe(source_, profile_);
  }

  ByteSource& source_;
  LineReader lines_;
  FunctionProfile profile_;
  CallTreeBuilder builder_;
  StringPool frames_;
  std::vector<FunctionId> function_of_frame_;  // by id in frames_
  std::optional<ValueUnit> said_unit_;
  uint64_t stacks_ = 0;
  uint64_t fractions_ = 0;
  size_t torch_frames_ = 0;
  size_t py_spy_frames_ = 0;
  HeldMemory held_;
};

Result<FunctionProfile> Read(ByteSource& source, const ReadOptions& options) {
  return Reader(source, options).Read();
}

}  // namespace

Format CollapsedFormat() {
  return {.name = "collapsed",
          .shown = "collapsed stacks",
          .endings = {".folded", ".collapsed", ".stacks", ".txt", ".out"},
          .matches = &Matches,
          .read = ReadAs<&Read>,
          .writer = {.name = "collapsed",
                     .help = "functions, one stack a line",
                     .endings = {".folded", ".collapsed"},
                     .functions = &WriteCollapsed,
                     .loses_unit = true,
                     .loses_order = true}};
}

}  // namespace telltale
