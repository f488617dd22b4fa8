// SPDX-License-Identifier: Apache-2.0
// What was found wrong with an input that is still used: counted by kind, with the first place.
// Nothing is dropped without an entry here, and every view shows the entries. The table of kinds is
// in the source file: a name for programs, a severity, and a sentence for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

enum class Severity : uint8_t {
  kInfo,   // worth knowing; the numbers are right
  kLoss,   // something could not be used; the numbers lack it
  kError,  // the file is damaged or contradicts itself; the numbers lack what the damage took
};

enum class DiagnosticKind : uint8_t {
  // Text
  kTruncated,           // the file ends inside the document
  kTrailingComma,       // , before ] or }
  kMissingComma,        // no , between two values
  kUnescapedQuote,      // " inside a string
  kControlCharacter,    // raw control character inside a string
  kInvalidUtf8,         // replaced by U+FFFD
  kInvalidEscape,       // \q or a lone surrogate
  kBareWord,            // N/A, NaN, Infinity … as a value
  kMalformedEvent,      // an event whose text cannot be understood; skipped
  kOversizedValue,      // one value larger than the reader holds; skipped
  kTrailingData,        // bytes after the end of the document
  kSecondDocument,      // a further document after its end
  kSkippedText,         // text between events that is no event
  kZeroBytes,           // bytes that are 0 where text belongs
  kCorruptCompression,  // the compressed stream is damaged; what came before is used
  kMalformedMetadata,   // a top-level value that cannot be understood; skipped
  // Events
  kMissingTime,       // an event without ts
  kMissingDuration,   // a complete event without dur; taken as 0
  kNegativeDuration,  // taken as 0
  kNumberOutOfRange,  // a number beyond 64 bits; taken as missing
  kUnmatchedBegin,    // B without E
  kUnmatchedEnd,      // E without B
  kUnknownPhase,      // ph that no rule knows
  kMissingName,       // an event without a name
  kNotAnObject,       // an element of traceEvents that is no object
  // Structure
  kPartialOverlap,      // host events on one thread that overlap without nesting
  kLaunchMissing,       // device events whose launch is not in the trace
  kIncompleteStep,      // a trailing step without (all of) its device work
  kNoSteps,             // no ProfilerStep: the whole trace is one step
  kOutsideWindow,       // events outside the recorded window
  kKernelBeforeLaunch,  // device event that starts before its launching call
  kGrowing,             // the file grew or shrank while it was read
  kDuplicateRank,       // two files claim the same rank and span
  kMemoryLimit,         // not all was read: it would take more memory than it may
  // Function profiles
  kDamagedData,      // binary data that makes no sense from here on; what came before is used
  kOutOfOrder,       // times that run backwards; taken as the latest before them
  kForeignLine,      // lines of other output between those of the profile
  kMalformedRecord,  // a line or record that cannot be understood; skipped
  kUnknownFrame,     // a frame that the file refers to but does not describe
  kRoundedValues,    // the file holds rounded numbers only
  kOtherValues,      // the file holds further values that are not shown
  // Event files
  kCutRecord,       // the file ends inside a record
  kBadChecksum,     // a record whose bytes are not those that were written; skipped
  kLostBytes,       // no record begins here; passed over to the next one
  kUnusualVersion,  // no version record, or of another version
  kNoWallTime,      // a value whose wall time is no number
  kNotAScalar,      // under a tag of scalars; kept, but not as a number
  // The recorder's spans
  kDroppedSpans,  // that could not be kept
  kCount,
};

struct DiagnosticInfo {
  std::string_view name;
  Severity severity;
  std::string_view message;
};

[[nodiscard]] const DiagnosticInfo& InfoOf(DiagnosticKind kind);
[[nodiscard]] std::string_view NameOf(Severity severity);

struct Diagnostic {
  DiagnosticKind kind;
  uint64_t count = 0;
  std::optional<uint64_t> first_offset;
  std::string detail;  // optional: replaces the table's sentence
};

class Diagnostics {
 public:
  void Add(DiagnosticKind kind, std::optional<uint64_t> offset, uint64_t count = 1);
  void AddWithDetail(DiagnosticKind kind, std::optional<uint64_t> offset, std::string detail);
  void Merge(const Diagnostics& other);
  // For who knows better what it was.
  void Remove(DiagnosticKind kind);

  [[nodiscard]] uint64_t Count(DiagnosticKind kind) const;
  // In order of kind.
  [[nodiscard]] const std::vector<Diagnostic>& entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  Diagnostic& Entry(DiagnosticKind kind);
  std::vector<Diagnostic> entries_;
};

}  // namespace telltale
