// SPDX-License-Identifier: Apache-2.0
#include "formats/pstats/reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "base/large_pages.h"
#include "formats/buffered_input.h"
#include "formats/memory_meter.h"
#include "formats/pstats/key_table.h"
#include "formats/pstats/marshal.h"
#include "formats/pstats/writer.h"
#include "formats/registry.h"

namespace telltale {

namespace {

using pstats::Damage;
using pstats::KeyNumber;
using pstats::KeyTable;
using pstats::MarshalReader;
using pstats::TextNumber;
using pstats::Value;
using pstats::ValueKind;

// Beyond this (292 years) nanoseconds do not fit in 64 bits.
constexpr double kMostSeconds = 9.2e9;

struct Numbers {
  std::array<int64_t, 2> counts;
  std::array<double, 2> seconds;
};

struct Entry {
  KeyNumber key = 0;
  CallTotals totals;
};

// {(file, line, name): (cc, nc, tt, ct, {caller: (nc, cc, tt, ct) or n}), …}
class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options, size_t expected_bytes)
      : source_(source),
        marshal_(source, options, expected_bytes),
        keep_pairs_(options.call_pairs),
        keys_(profile_, expected_bytes),
        held_(options.memory, [this] {
          // Functions get their totals in the end.
          return marshal_.memory_bytes() + profile_.memory_bytes() + keys_.memory_bytes() +
                 entries_.size() * sizeof(Entry) +
                 profile_.functions.size() * sizeof(FunctionTotals);
        }) {
    // A function takes some 70 bytes or more, a caller 35: more than there can be.
    ReserveLarge(entries_, expected_bytes / 64);
    if (keep_pairs_) ReserveLarge(profile_.pairs, expected_bytes / 32);
  }

  Result<FunctionProfile> Read();

 private:
  // Each reads one value and says in `good` whether it has the form expected; false: damage.
  [[nodiscard]] bool ReadEntry(bool& at_end);
  [[nodiscard]] bool ReadKey(const Value& head, KeyNumber& key, bool& good);
  [[nodiscard]] bool ReadKeyElements(KeyNumber& key, bool& good);
  [[nodiscard]] bool ReadStatistics(const Value& head, Entry& entry, bool& good);
  [[nodiscard]] bool ReadStatisticsElements(Entry& entry, bool& good);
  [[nodiscard]] bool ReadCallers(const Value& head, KeyNumber callee, bool& good);
  [[nodiscard]] bool ReadCallersElements(KeyNumber callee, bool& good);
  [[nodiscard]] bool ReadCallerKey(KeyNumber& key, bool& at_end, bool& good);
  [[nodiscard]] bool ReadCaller(CallPair& pair, bool& good);
  [[nodiscard]] bool ReadNumbers(Numbers& numbers, bool& good);
  // Where they have their usual form.
  [[nodiscard]] bool TakeNumbers(bool tuple, Numbers& numbers);
  // The elements of a container, behind a reference or not.
  template <typename Elements>
  [[nodiscard]] bool In(const Value& head, Elements elements);

  TextNumber TextOf(const Value& value);
  int64_t CountOf(const Value& value);
  double SecondsOf(const Value& value);
  double InRange(double seconds, uint64_t offset);
  void NameFunctions();

  Error NoProfile(std::string found, uint64_t offset) const;
  [[nodiscard]] std::optional<Error> Open();
  [[nodiscard]] std::optional<Error> Describe(bool complete);
  [[nodiscard]] Result<uint64_t> PassOverRest();

  ByteSource& source_;
  MarshalReader marshal_;
  const bool keep_pairs_;
  FunctionProfile profile_;
  KeyTable keys_;
  Column<Entry> entries_;  // that were read; like the pairs they have keys for functions
  size_t malformed_ = 0;
  uint64_t first_malformed_ = 0;
  size_t pairs_ = 0;           // of those entries, kept or not
  uint64_t shared_pairs_ = 0;  // read again through references
  std::string text_;           // of the last one that was not plain
  HeldMemory held_;
};

bool IsNumber(const Value& value) {
  return value.kind == ValueKind::kInteger || value.kind == ValueKind::kFloat;
}

int64_t Reader::CountOf(const Value& value) {
  const bool is_float = value.kind == ValueKind::kFloat;
  if (!is_float && value.integer() != pstats::kTooLarge) return value.integer();
  if (is_float && std::abs(value.number()) < 0x1p62) return static_cast<int64_t>(value.number());
  profile_.diagnostics.Add(DiagnosticKind::kNumberOutOfRange, value.offset);
  return 0;
}

double Reader::SecondsOf(const Value& value) {
  const bool is_float = value.kind == ValueKind::kFloat;
  return InRange(is_float ? value.number() : static_cast<double>(value.integer()), value.offset);
}

double Reader::InRange(double seconds, uint64_t offset) {
  if (std::abs(seconds) <= kMostSeconds) return seconds;
  profile_.diagnostics.Add(DiagnosticKind::kNumberOutOfRange, offset);
  return 0;
}

template <typename Elements>
bool Reader::In(const Value& head, Elements elements) {
  if (head.is_back) marshal_.Replay(head);
  if (!elements()) return false;
  if (head.is_back) return marshal_.Return();
  marshal_.Close(head);
  return true;
}

TextNumber Reader::TextOf(const Value& value) {
  if (const uint32_t known = marshal_.MeaningOf(value); known != pstats::kNoMeaning) return known;
  const uint64_t repaired_before = marshal_.repaired_texts();
  const TextNumber text = keys_.AddText(
      value.kind == ValueKind::kCode ? marshal_.CodeText(value) : marshal_.Text(value, text_));
  // Each use of a text that had to be repaired counts.
  if (marshal_.repaired_texts() == repaired_before) marshal_.SetMeaning(value, text);
  return text;
}

bool Reader::ReadKeyElements(KeyNumber& key, bool& good) {
  std::array<Value, 3> parts;
  for (Value& part : parts) {
    if (!marshal_.Next(part) || !marshal_.Skip(part)) return false;
    if (part.kind == ValueKind::kNull) {
      return marshal_.Stop(Damage::Kind::kDamaged, "a function lacks its name", part.offset);
    }
  }
  const auto& [file, line, name] = parts;
  // python -m profile: the code that it ran is the name of ('profile', 0, …).
  const bool has_name = name.kind == ValueKind::kText || name.kind == ValueKind::kCode;
  good = file.kind == ValueKind::kText && has_name &&
         (line.kind == ValueKind::kInteger || line.kind == ValueKind::kSingleton);
  if (!good) return true;
  const TextNumber file_text = TextOf(file);
  key = keys_.AddKey(file_text, line.kind == ValueKind::kInteger ? line.integer() : kNoInt,
                     TextOf(name));
  return true;
}

bool Reader::ReadKey(const Value& head, KeyNumber& key, bool& good) {
  good = false;
  if (head.kind != ValueKind::kTuple || head.count != 3) return marshal_.Skip(head);
  if (const uint32_t known = marshal_.MeaningOf(head); known != pstats::kNoMeaning) {
    key = known;
    good = true;
    return true;
  }
  if (!In(head, [&] { return ReadKeyElements(key, good); })) return false;
  if (good) marshal_.SetMeaning(head, key);
  return true;
}

bool Reader::ReadNumbers(Numbers& numbers, bool& good) {
  if (TakeNumbers(false, numbers)) return true;
  std::array<Value, 4> parts;
  for (Value& part : parts) {
    if (!marshal_.Next(part) || !marshal_.Skip(part)) return false;
    good = good && IsNumber(part);
  }
  if (!good) return true;
  numbers = {{CountOf(parts[0]), CountOf(parts[1])}, {SecondsOf(parts[2]), SecondsOf(parts[3])}};
  return true;
}

bool Reader::TakeNumbers(bool tuple, Numbers& numbers) {
  if (!marshal_.TakeNumbers(tuple, numbers.counts, numbers.seconds)) return false;
  const uint64_t end = marshal_.offset();
  numbers.seconds[0] = InRange(numbers.seconds[0], end - 18);
  numbers.seconds[1] = InRange(numbers.seconds[1], end - 9);
  return true;
}

bool Reader::ReadCallerKey(KeyNumber& key, bool& at_end, bool& good) {
  TextNumber file = 0;
  TextNumber name = 0;
  int64_t line = 0;
  if (marshal_.TakeMeaning(ValueKind::kTuple, key)) return true;
  if (marshal_.TakeKey(file, line, name)) {
    if (keep_pairs_) key = keys_.AddKey(file, line, name);
    return true;
  }
  Value head;
  if (!marshal_.Next(head)) return false;
  at_end = head.kind == ValueKind::kNull;
  return at_end || ReadKey(head, key, good);
}

bool Reader::ReadCaller(CallPair& pair, bool& good) {
  Numbers numbers;
  if (!TakeNumbers(true, numbers)) {
    Value head;
    if (!marshal_.Next(head)) return false;
    if (head.kind == ValueKind::kNull) {
      return marshal_.Stop(Damage::Kind::kDamaged, "a caller has no value", head.offset);
    }
    if (head.kind == ValueKind::kInteger) {
      // The pure-Python profiler counts calls and no more.
      pair.has_times = false;
      pair.totals.calls = pair.totals.primitive_calls = CountOf(head);
      return true;
    }
    if (head.kind != ValueKind::kTuple || head.count != 4) {
      good = false;
      return marshal_.Skip(head);
    }
    if (!In(head, [&] { return ReadNumbers(numbers, good); })) return false;
    if (!good) return true;
  }
  pair.totals = {numbers.counts[0], numbers.counts[1], numbers.seconds[0], numbers.seconds[1]};
  return true;
}

bool Reader::ReadCallersElements(KeyNumber callee, bool& good) {
  while (true) {
    CallPair pair;
    pair.callee = callee;
    bool at_end = false;
    bool good_key = true;
    bool good_value = true;
    if (!ReadCallerKey(pair.caller, at_end, good_key)) return false;
    if (at_end) return true;
    if (!ReadCaller(pair, good_value)) return false;
    if (!good_key || !good_value) {
      good = false;
      continue;
    }
    ++pairs_;
    if (keep_pairs_) profile_.pairs.push_back(pair);
  }
}

bool Reader::ReadCallers(const Value& head, KeyNumber callee, bool& good) {
  if (head.kind != ValueKind::kDict) {
    good = false;
    return marshal_.Skip(head);
  }
  const size_t before = pairs_;
  if (!In(head, [&] { return ReadCallersElements(callee, good); })) return false;
  if (head.is_back) {
    // A few bytes may refer to a large dictionary again and again: no profile does.
    shared_pairs_ += pairs_ - before;
    if (shared_pairs_ > 1000 + marshal_.taken_bytes() / 8) {
      return marshal_.Stop(Damage::Kind::kDamaged,
                           "references repeat more callers than the file has bytes for",
                           marshal_.offset());
    }
  }
  return true;
}

bool Reader::ReadStatisticsElements(Entry& entry, bool& good) {
  Numbers numbers;
  Value callers;
  if (!ReadNumbers(numbers, good) || !marshal_.Next(callers) ||
      !ReadCallers(callers, entry.key, good)) {
    return false;
  }
  if (!good) return true;
  entry.totals = {numbers.counts[1], numbers.counts[0], numbers.seconds[0], numbers.seconds[1]};
  return true;
}

bool Reader::ReadStatistics(const Value& head, Entry& entry, bool& good) {
  if (head.kind != ValueKind::kTuple || head.count != 5) {
    good = false;
    return marshal_.Skip(head);
  }
  return In(head, [&] { return ReadStatisticsElements(entry, good); });
}

// One key and its value, or the end of the dictionary.
bool Reader::ReadEntry(bool& at_end) {
  Value key;
  if (!marshal_.Next(key)) return false;
  at_end = key.kind == ValueKind::kNull;
  if (at_end) return true;
  bool good_key = true;
  bool good_value = true;
  Entry entry;
  const size_t pairs_before = pairs_;
  if (!ReadKey(key, entry.key, good_key)) return false;
  Value value;
  if (!marshal_.Next(value)) return false;
  if (value.kind == ValueKind::kNull) {
    return marshal_.Stop(Damage::Kind::kDamaged, "a function has no statistics", value.offset);
  }
  const bool read = good_key ? ReadStatistics(value, entry, good_value) : marshal_.Skip(value);
  if (read && good_key && good_value) {
    entries_.push_back(entry);
    return true;
  }
  pairs_ = pairs_before;
  if (keep_pairs_) profile_.pairs.resize(pairs_);
  if (!read) return false;
  if (malformed_++ == 0) first_malformed_ = key.offset;
  return true;
}

Error Reader::NoProfile(std::string found, uint64_t offset) const {
  return {ErrorCode::kUnreadable,
          "this is no profile of Python's cProfile: expected the dictionary of functions that it "
          "writes, found " +
              std::move(found) +
              "; write one with 'python -m cProfile -o FILE …' or with dump_stats(FILE)",
          offset};
}

// Contents that people name .prof too.
std::string ForeignContent(std::string_view begin) {
  if (begin.size() >= 2 && begin[0] == '\x80' && begin[1] >= 2 && begin[1] <= 5) {
    return "a pickle, which is never loaded here because it may run code";
  }
  const bool text = std::all_of(begin.begin(), begin.end(), [](char c) {
    return (c >= ' ' && c < '\x7F') || c == '\n' || c == '\r' || c == '\t';
  });
  return text && begin.size() >= 16 ? "text" : "";
}

std::optional<Error> Reader::Open() {
  Value top;
  if (!marshal_.HasMore() && marshal_.damage().kind == Damage::Kind::kNone) {
    return NoProfile("an empty file", 0);
  }
  if (const std::string found = ForeignContent(marshal_.Begin()); !found.empty()) {
    return NoProfile(found, 0);
  }
  const bool read = marshal_.Next(top);
  if (read && top.kind == ValueKind::kDict) return std::nullopt;
  if (read) return NoProfile(std::string(NameOf(top.kind)), 0);
  return std::nullopt;  // damage() has it
}

// Reads what follows the profile, so that the size and a checksum behind it are known.
Result<uint64_t> Reader::PassOverRest() {
  uint64_t passed = marshal_.taken_bytes() - marshal_.offset();
  std::array<char, 16384> buffer;
  while (true) {
    const Result<size_t> got = source_.Read(buffer.data(), buffer.size());
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return passed;
    passed += *got;
  }
}

std::string FunctionsRead(size_t count) {
  return count == 1 ? "the one function before that was read"
                    : "the " + std::to_string(count) + " functions before that were read";
}

// What was wrong; an Error if nothing can be used.
std::optional<Error> Reader::Describe(bool complete) {
  Diagnostics& diagnostics = profile_.diagnostics;
  const Damage damage = marshal_.damage();
  if (damage.kind == Damage::Kind::kCanceled) {
    return Error{ErrorCode::kCanceled, damage.what, std::nullopt};
  }
  if (damage.kind == Damage::Kind::kFailed && entries_.empty()) {
    return Error{ErrorCode::kUnreadable, damage.what, damage.offset};
  }
  const uint64_t end = marshal_.offset();
  const Result<uint64_t> rest = PassOverRest();
  profile_.source.decoded_bytes = end + (rest ? *rest : 0);
  const std::optional<SourceProblem> problem = source_.problem();

  if (entries_.empty()) {
    if (problem) {
      return Error{ErrorCode::kUnreadable,
                   problem->message +
                       "; no function was read before that; copy or record the file "
                       "again",
                   problem->offset};
    }
    if (!complete) return NoProfile("that " + damage.what, damage.offset);
    if (malformed_ > 0) {
      return NoProfile("one whose entries are not (file, line, name): (cc, nc, tt, ct, callers)",
                       first_malformed_);
    }
  }
  if (problem) {
    diagnostics.AddWithDetail(DiagnosticKind::kCorruptCompression, problem->offset,
                              problem->message + "; " + FunctionsRead(entries_.size()));
  } else if (damage.kind == Damage::Kind::kEnd) {
    diagnostics.AddWithDetail(DiagnosticKind::kTruncated, damage.offset,
                              "the file ends in the middle of the profile; " +
                                  FunctionsRead(entries_.size()) +
                                  "; profile again, or copy it again");
  } else if (!complete) {
    diagnostics.AddWithDetail(
        DiagnosticKind::kDamagedData, damage.offset,
        "the profile is damaged: " + damage.what + "; " + FunctionsRead(entries_.size()));
  } else if (rest && *rest > 0) {
    diagnostics.AddWithDetail(DiagnosticKind::kTrailingData, end,
                              std::to_string(*rest) +
                                  (*rest == 1 ? " byte follows" : " bytes follow") +
                                  " the end of the profile; Python ignores them too");
  }
  if (!rest) {
    diagnostics.AddWithDetail(DiagnosticKind::kTruncated, end, rest.error().message);
  }
  diagnostics.Add(DiagnosticKind::kMalformedRecord, first_malformed_, malformed_);
  diagnostics.Add(DiagnosticKind::kInvalidUtf8, std::nullopt, marshal_.repaired_texts());
  return std::nullopt;
}

// Functions for keys, in the order of their entries, then those that are callers only: pstats keeps
// that order where a sort key says nothing.
void Reader::NameFunctions() {
  Column<FunctionId> function_of = std::move(keys_).FunctionOfKey();
  std::vector<FunctionId> place(profile_.functions.size(), kNoFunction);
  FunctionId next = 0;
  for (const Entry& entry : entries_) {
    FunctionId& function = place[function_of[entry.key]];
    if (function == kNoFunction) function = next++;
  }
  for (FunctionId& function : place) {
    if (function == kNoFunction) function = next++;
  }
  FunctionTotals missing;
  missing.in_profile = false;
  profile_.totals.resize(place.size(), missing);
  if (!std::is_sorted(place.begin(), place.end())) {
    std::vector<Function> functions(place.size());
    for (size_t f = 0; f < place.size(); ++f) functions[place[f]] = profile_.functions[f];
    profile_.functions = std::move(functions);
    for (FunctionId& function : function_of) function = place[function];
  }
  for (const Entry& entry : entries_) {
    // Equal keys cannot come from one dictionary, but repaired texts may make two names one.
    FunctionTotals& totals = profile_.totals[function_of[entry.key]];
    totals.in_profile = true;
    totals.calls = AddSaturated(totals.calls, entry.totals.calls);
    totals.primitive_calls = AddSaturated(totals.primitive_calls, entry.totals.primitive_calls);
    totals.self_s += entry.totals.self_s;
    totals.total_s += entry.totals.total_s;
  }
  for (CallPair& pair : profile_.pairs) {
    pair.caller = function_of[pair.caller];
    pair.callee = function_of[pair.callee];
  }
}

Result<FunctionProfile> Reader::Read() {
  profile_.shape = FunctionShape::kPairs;
  if (std::optional<Error> error = Open()) {
    if (Result<uint64_t> rest = PassOverRest(); !rest) return tl::unexpected(rest.error());
    return tl::unexpected(std::move(*error));
  }
  bool complete = marshal_.damage().kind == Damage::Kind::kNone;
  for (bool at_end = false; complete && !at_end;) complete = ReadEntry(at_end);
  if (std::optional<Error> error = Describe(complete)) return tl::unexpected(std::move(*error));
  NameFunctions();
  profile_.has_pairs = pairs_ > 0;
  profile_.source.events = entries_.size();
  return std::move(profile_);
}

// The size of the decoded input, where room for it can be had at once; 0 where it is not known.
size_t ExpectedBytes(const ByteSource& source, const FileMemory* memory) {
  constexpr uint64_t kMostBytes = uint64_t{256} << 20;
  if (std::string_view(source.compression()) != "none") return 0;
  const uint64_t expected = std::min(source.total_bytes().value_or(0), kMostBytes);
  // Some of the room is touched at once.
  return memory == nullptr ? expected : std::min<uint64_t>(expected, memory->limit_bytes() / 4);
}

bool IsJsonLike(std::string_view head) {
  const size_t at = head.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos) return false;
  if (head[at] == '[') {
    const size_t next = head.find_first_not_of(" \t\r\n", at + 1);
    return next == std::string_view::npos || head[next] == '{' || head[next] == ']';
  }
  if (head[at] != '{') return false;
  const size_t next = head.find_first_not_of(" \t\r\n", at + 1);
  return next == std::string_view::npos || head[next] == '"' || head[next] == '}';
}

constexpr std::array<std::string_view, 3> kPstatsEndings = {".prof", ".pstats", ".cprof"};

bool HasPstatsName(std::string_view path) {
  const std::string_view name = WithoutCompression(path);
  return std::ranges::any_of(kPstatsEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

bool LooksLikePstats(std::string_view head, std::string_view path) {
  const auto code = [&](size_t i) { return static_cast<char>(head[i] & 0x7F); };
  if (head.size() >= 2 && code(0) == '{') {
    // A dictionary: of tuples, or empty.
    if (code(1) == '(' || code(1) == ')') return true;
    if (code(1) == '0' && head.size() == 2) return true;
  }
  return HasPstatsName(path) && !IsJsonLike(head);
}

Result<FunctionProfile> ReadPstats(ByteSource& source, const ReadOptions& options) {
  return Reader(source, options, ExpectedBytes(source, options.memory)).Read();
}

Format PstatsFormat() {
  return {.name = "pstats",
          .shown = "a Python profile (.prof)",
          .endings = {kPstatsEndings.begin(), kPstatsEndings.end()},
          .matches = &LooksLikePstats,
          .read = ReadAs<&ReadPstats>,
          .writer = {.name = "pstats",
                     .help = "functions, for Python's pstats",
                     .endings = {".prof", ".pstats"},
                     .functions = &WritePstats,
                     .loses_call_paths = true,
                     .loses_order = true}};
}

}  // namespace telltale
