// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/digits.h"
#include "formats/buffered_input.h"
#include "formats/memory_meter.h"
#include "formats/thread_timeline.h"

namespace telltale {

namespace perf_script {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsDigit);
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// The first word and where the rest begins.
std::string_view TakeWord(std::string_view& rest) {
  while (!rest.empty() && IsBlank(rest.front())) rest.remove_prefix(1);
  size_t end = 0;
  while (end < rest.size() && !IsBlank(rest[end])) ++end;
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

// 12.345678:
bool IsTime(std::string_view word) {
  if (!word.ends_with(':')) return false;
  word.remove_suffix(1);
  const size_t dot = word.find('.');
  return dot != std::string_view::npos && AllDigits(word.substr(0, dot)) &&
         AllDigits(word.substr(dot + 1));
}

// 12 or 12/34
bool IsProcess(std::string_view word) {
  const size_t slash = word.find('/');
  return AllDigits(word.substr(0, slash)) &&
         (slash == std::string_view::npos || AllDigits(word.substr(slash + 1)));
}

struct Header {
  std::string_view command;
  std::string_view thread;  // its number
  std::optional<int64_t> period;
  std::string_view event;
  std::string_view frame;  // of a sample without a call chain, on the same line
};

// command pid[/tid] [cpu] time: period event:. Without call chains the command is right-aligned.
std::optional<Header> ParseHeader(std::string_view line) {
  line = Trimmed(line);
  if (line.empty()) return std::nullopt;
  Header header;
  std::string_view rest = line;
  // A command may have blanks in it: it ends where a process number and a time follow.
  for (TakeWord(rest);;) {
    std::string_view ahead = rest;
    const std::string_view process = TakeWord(ahead);
    if (process.empty()) return std::nullopt;
    if (IsProcess(process)) {
      std::string_view behind = ahead;
      std::string_view time = TakeWord(behind);
      if (time.starts_with('[') && time.ends_with(']')) time = TakeWord(behind);
      if (IsTime(time)) {
        const auto end = static_cast<size_t>(process.data() - line.data());
        header.command = Trimmed(line.substr(0, end));
        const size_t slash = process.find('/');
        header.thread = slash == std::string_view::npos ? process : process.substr(slash + 1);
        rest = behind;
        break;
      }
    }
    rest = ahead;
  }
  std::string_view ahead = rest;
  if (const std::string_view word = TakeWord(ahead); AllDigits(word)) {
    header.period = DecimalToInt(word, 0);
    rest = ahead;
  }
  const std::string_view event = TakeWord(rest);
  if (event.size() < 2 || !event.ends_with(':')) return std::nullopt;
  header.event = event.substr(0, event.size() - 1);
  header.frame = Trimmed(rest);
  return header;
}

// The same with fewer fields, as -F asks for them: a command, a number or both; perhaps a time.
std::optional<Header> ParseShortHeader(std::string_view line) {
  if (line.empty() || IsBlank(line.front())) return std::nullopt;
  Header header;
  for (std::string_view rest = line; !Trimmed(rest).empty();) {
    const std::string_view word = TakeWord(rest);
    const bool is_cpu = word.starts_with('[') && word.ends_with(']');
    if (is_cpu || IsTime(word)) continue;
    if (!header.thread.empty()) return std::nullopt;
    if (IsProcess(word)) {
      header.thread = word.substr(word.find('/') + 1);
    } else {
      header.command = Trimmed(line.substr(0, static_cast<size_t>(&word.back() - line.data()) + 1));
    }
  }
  return header;
}

// Other things than samples: --show-mmap-events, --show-task-events and the like.
bool IsOtherRecord(std::string_view line) {
  return line.find(": PERF_RECORD_") != std::string_view::npos;
}

struct Frame {
  std::string_view name;
  std::string_view file;
  std::string_view module;
};

// Where the last bracket of the text was opened; a C++ name and a path may have brackets too.
size_t OpeningBracket(std::string_view text) {
  size_t depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Where perf puts a frame of a chain: a tab, and the address in 16 places.
bool IsInPlace(std::string_view line) {
  constexpr size_t kAddressEnd = 17;
  std::string_view rest = line;
  TakeWord(rest);
  return line.starts_with('\t') && line.size() - rest.size() >= kAddressEnd;
}

// address symbol+0xoffset (module). The module is a choice of fields: without it the place must
// tell that this is a frame.
std::optional<Frame> ParseFrame(std::string_view text, bool in_place) {
  const std::string_view address = TakeWord(text);
  if (address.empty() || !std::ranges::all_of(address, IsHex)) return std::nullopt;
  text = Trimmed(text);
  const size_t open = text.ends_with(')') ? OpeningBracket(text) : std::string_view::npos;
  Frame frame;
  if (open != std::string_view::npos) {
    frame.module = text.substr(open + 1, text.size() - open - 2);
    if (frame.module == "[unknown]" || frame.module == "inlined") frame.module = {};
    frame.name = Trimmed(text.substr(0, open));
  } else if (in_place) {
    frame.name = text;
  } else {
    return std::nullopt;
  }
  if (const size_t plus = frame.name.rfind("+0x"); plus != std::string_view::npos) {
    const std::string_view offset = frame.name.substr(plus + 3);
    if (!offset.empty() && std::ranges::all_of(offset, IsHex)) {
      frame.name = frame.name.substr(0, plus);
    }
  }
  if (frame.name.empty()) frame.name = "[unknown]";
  // Python's own (-X perf): py::name:/path/file.py
  if (frame.name.starts_with("py::")) {
    std::string_view name = frame.name.substr(4);
    if (const size_t colon = name.rfind(':'); colon != std::string_view::npos && colon > 0) {
      frame.file = name.substr(colon + 1);
      name = name.substr(0, colon);
    }
    frame.name = name;
  }
  return frame;
}

// What -F srcline and insn put below a frame: two blanks, or " insn:".
bool IsBelowFrame(std::string_view line) {
  return line.starts_with("  ") || line.starts_with(" insn:");
}

bool IsComment(std::string_view line) { return line.starts_with('#') || IsOtherRecord(line); }

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options)
      : source_(source), lines_(source, options), builder_(profile_), held_(options.memory, [this] {
          return profile_.memory_bytes() + builder_.memory_bytes() + MemoryOfNodes(threads_) +
                 timelines_.size() * sizeof(ThreadTimeline);
        }) {}

  Result<FunctionProfile> Read() {
    while (const auto line = lines_.Next()) Line(*line);
    if (lines_.error()) return tl::unexpected<Error>(*lines_.error());
    EndSample();
    if (profile_.source.events == 0) {
      return Fail(ErrorCode::kUnreadable,
                  "expected the output of perf script with call chains, found no sample", 0);
    }
    Finish();
    return std::move(profile_);
  }

 private:
  void Line(std::string_view line) {
    if (IsComment(line)) return;
    if (Trimmed(line).empty()) {
      EndSample();
      return;
    }
    if (in_sample_ && IsBlank(line.front())) {
      if (const auto frame = ParseFrame(line, IsInPlace(line))) {
        Add(*frame);
      } else if (!IsBelowFrame(line)) {
        Malformed();
      }
      return;
    }
    EndSample();
    const auto header = HeaderOf(line);
    if (!header) {
      Malformed();
      return;
    }
    Begin(*header);
    if (!header->frame.empty()) EndSample();  // the whole sample is one line
  }

  // Files have one kind of first lines: after a whole one there are no short ones.
  std::optional<Header> HeaderOf(std::string_view line) {
    auto header = ParseHeader(line);
    is_short_ = !header && !event_;
    return is_short_ ? ParseShortHeader(line) : header;
  }

  void Malformed() {
    profile_.diagnostics.Add(
        lines_.unfinished() ? DiagnosticKind::kTruncated : DiagnosticKind::kMalformedRecord,
        lines_.offset());
  }

  void Begin(const Header& header) {
    in_sample_ = true;
    if (!is_short_ && !event_) {
      event_ = header.event;
      has_period_ = header.period.has_value();
    }
    is_counted_ = is_short_ || event_ == header.event;
    // A sample without a period among others with one cannot be weighed.
    weight_ = has_period_ ? header.period.value_or(0) : 1;
    if (!is_counted_) {
      profile_.diagnostics.AddWithDetail(DiagnosticKind::kOtherValues, lines_.offset(),
                                         "samples of " + std::string(header.event) +
                                             " cannot be added to those of " + *event_ +
                                             "; they were left out");
    }
    thread_ = Thread(header);
    if (!header.frame.empty()) {
      if (const auto frame = ParseFrame(header.frame, true)) {
        Add(*frame);
      } else {
        Malformed();
      }
    }
  }

  void Add(const Frame& frame) {
    if (!is_counted_) return;
    frames_.push_back(builder_.FunctionOf(frame.file, kNoInt, frame.name, frame.module));
  }

  void EndSample() {
    if (!std::exchange(in_sample_, false)) return;
    CallNodeId node = kNoCallNode;
    // A short first line alone may be any text.
    if (is_counted_ && !(is_short_ && frames_.empty())) {
      ++profile_.source.events;
      for (size_t i = frames_.size(); i-- > 0;) node = builder_.Child(node, frames_[i]);
      if (node == kNoCallNode) {
        node = builder_.Child(kNoCallNode, builder_.FunctionOf({}, kNoInt, "[no call chain]"));
      }
      timelines_[thread_].Add(node, weight_);
    }
    frames_.clear();
  }

  uint32_t Thread(const Header& header) {
    key_ = header.command;
    if (!header.thread.empty()) {
      key_ += key_.empty() ? "(" : " (";
      key_ += header.thread;
      key_ += ')';
    }
    const auto [at, is_new] =
        threads_.try_emplace(key_, static_cast<uint32_t>(profile_.threads.size()));
    if (is_new) {
      profile_.threads.push_back(key_);
      timelines_.emplace_back(profile_, at->second);
    }
    return at->second;
  }

  void Finish() {
    // The clocks of the kernel count nanoseconds.
    const std::string_view name = event_ ? std::string_view(*event_) : std::string_view();
    const std::string_view event = name.substr(0, name.find(':'));
    const bool is_clock = event == "cpu-clock" || event == "task-clock";
    profile_.unit = !has_period_ ? ValueUnit::kSamples
                    : is_clock   ? ValueUnit::kNanoseconds
                                 : ValueUnit::kCount;
    for (uint64_t& calls : profile_.tree.calls) calls = kNoUint;
    lines_.Describe(source_, profile_);
  }

  ByteSource& source_;
  LineReader lines_;
  FunctionProfile profile_;
  CallTreeBuilder builder_;
  std::unordered_map<std::string, uint32_t> threads_;
  std::vector<ThreadTimeline> timelines_;  // by index of the thread
  std::optional<std::string> event_;       // the first one: the others are left out
  bool has_period_ = false;
  // The sample that is being read
  bool in_sample_ = false;
  bool is_short_ = false;  // its first line is ParseShortHeader's
  bool is_counted_ = false;
  int64_t weight_ = 0;
  uint32_t thread_ = 0;
  std::vector<FunctionId> frames_;  // innermost first
  std::string key_;
  HeldMemory held_;
};

bool Matches(std::string_view head, std::string_view /*path*/) {
  // The first line that is no comment begins a sample, and the next one is a frame.
  std::optional<Header> header;
  bool is_short = false;
  while (!head.empty()) {
    const size_t end = head.find('\n');
    if (end == std::string_view::npos && header) return false;
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (IsComment(line)) continue;
    if (Trimmed(line).empty()) {
      if (is_short) return false;
      continue;
    }
    if (header && IsBlank(line.front())) {
      return ParseFrame(line, IsInPlace(line)).has_value() && (!is_short || IsInPlace(line));
    }
    if (is_short) return false;
    header = ParseHeader(line);
    if (!header) {
      header = ParseShortHeader(line);
      is_short = true;
    }
    if (!header) return false;
    if (!header->frame.empty()) return ParseFrame(header->frame, true).has_value();
  }
  return false;
}

Result<FunctionProfile> Read(ByteSource& source, const ReadOptions& options) {
  return Reader(source, options).Read();
}

}  // namespace
}  // namespace perf_script

Format PerfScriptFormat() {
  return {.name = "perf_script",
          .shown = "a profile of perf script",
          .endings = {".perf", ".txt", ".out"},
          .matches = &perf_script::Matches,
          .read = ReadAs<&perf_script::Read>};
}

}  // namespace telltale
