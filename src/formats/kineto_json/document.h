// SPDX-License-Identifier: Apache-2.0
// The document around the events: {"traceEvents": [ … ], other keys} or a bare list. Two ways in:
// ParseElements takes text that is believed to lie inside the list of events (any thread); Document
// keeps the true state from the first byte to the last and takes whatever text comes next (one
// thread).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/kineto_json/event_parser.h"
#include "formats/trace_rows/fragment.h"
#include "model/trace.h"

namespace telltale::kineto_json {

// A piece of decoded text, followed by kPadding bytes of kPad.
struct PaddedText {
  const char* begin;
  const char* end;
  uint64_t offset;  // of `begin` in the decoded text

  [[nodiscard]] uint64_t OffsetOf(const char* p) const {
    return offset + static_cast<uint64_t>(p - begin);
  }
};

// What was read last of a list or object: it decides whether a comma may or must come next.
enum class ListPlace : uint8_t { kBegin, kAfterValue, kAfterComma };

struct ElementsResult {
  enum class Stop : uint8_t {
    kText,      // all text was used
    kNeedMore,  // `at` is the start of an element that the text does not hold whole
    kListEnd,   // `at` stands on ], or on what shows that ] is missing
  };
  Stop stop;
  const char* at;
  ListPlace place;
};

// Parses elements of the list of events from `text.begin` on. `at_eof`: no more text will come.
[[nodiscard]] ElementsResult ParseElements(const PaddedText& text, ListPlace place, bool at_eof,
                                           EventParser& parser, Fragment& fragment);

// Notes bytes that are 0. They count as white space, or are kept in strings, so parsing does not
// stop at them; but no writer writes them.
void NoteZeroBytes(const PaddedText& text, Diagnostics& diagnostics);

// The start of the next element after damage at `p`: past `}`, a comma, on `{`; or on the ] that
// ends the list. nullptr if the text holds neither.
[[nodiscard]] const char* FindElementStart(const char* p, const char* end, bool at_eof);
// The last place in the text that looks like the start of an element, nullptr if there is none.
[[nodiscard]] const char* FindLastElementStart(const char* begin, const char* end);

class Document {
 public:
  Document(EventParser& parser, Trace& trace) : parser_(parser), trace_(trace) {}

  // Is the next text, unless told otherwise, the inside of the list of events, just after a comma?
  [[nodiscard]] bool InsideElements() const {
    return state_ == State::kElements && place_ == ListPlace::kAfterComma && !skipping_;
  }
  // Tells that ParseElements, started in that state, got this far.
  void Advance(ListPlace place) { place_ = place; }

  // Uses as much of the text as it can and returns where it stopped: all of it, or the start of
  // something that needs more text. Rows go to `fragment`. At the end of the input all is used.
  const char* Feed(const PaddedText& text, bool at_eof, Fragment& fragment);
  // Gives up on the value at the start of the text, which is too large to hold: it is skipped as it
  // comes.
  const char* SkipOversized(const PaddedText& text, Fragment& fragment);

  // Where the document's last bracket was passed, if it was.
  [[nodiscard]] std::optional<uint64_t> end_offset() const { return end_offset_; }

  // What is wrong if the input holds no trace at all.
  [[nodiscard]] std::optional<Error> Verdict(uint64_t events, uint64_t decoded_bytes) const;

 private:
  enum class State : uint8_t { kStart, kTop, kElements, kDone, kNoTrace };

  const char* FeedTop(const char* p, const PaddedText& text, bool at_eof, Fragment& fragment);
  const char* SkipOn(const char* p, const char* end);
  void EndDocument(uint64_t offset);

  EventParser& parser_;
  Trace& trace_;
  State state_ = State::kStart;
  bool bare_list_ = false;
  bool saw_list_ = false;
  ListPlace place_ = ListPlace::kBegin;      // in the list of events
  ListPlace top_place_ = ListPlace::kBegin;  // in the object around it
  std::optional<uint64_t> end_offset_;
  bool saw_more_ = false;  // behind the end
  std::string found_;      // what stands where a trace should begin
  std::vector<std::string> keys_;

  // Skipping an oversized value.
  bool skipping_ = false;
  int64_t depth_ = 0;
  bool in_string_ = false;
  bool after_backslash_ = false;
};

}  // namespace telltale::kineto_json
