// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/document.h"

#include <algorithm>

#include "formats/kineto_json/metadata.h"
#include "formats/kineto_json/text.h"
#include "formats/kineto_json/value.h"
#include "formats/readable_kinds.h"

namespace telltale::kineto_json {

namespace {

// How much of an input that is no trace a message looks at.
constexpr ptrdiff_t kShownBytes = 200;

bool IsSpace(char c) { return static_cast<unsigned char>(c) <= ' '; }

std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 40;
  std::string out = Unescape(text.substr(0, kShown)).text;
  for (char& c : out) {
    if (IsSpace(c)) c = ' ';
  }
  return "\"" + out + (text.size() > kShown ? "…\"" : "\"");
}

}  // namespace

const char* FindElementStart(const char* p, const char* end, bool at_eof) {
  while (p < end) {
    p = static_cast<const char*>(std::memchr(p, '}', static_cast<size_t>(end - p)));
    if (p == nullptr) return nullptr;
    const char* next = SkipSpace(++p);
    if (next >= end) return nullptr;
    if (*next == ',') {
      const char* brace = SkipSpace(next + 1);
      if (brace < end && *brace == '{' && *SkipSpace(brace + 1) == '"') return brace;
    } else if (*next == ']') {
      const char* after = SkipSpace(next + 1);
      if (after >= end) return at_eof ? next : nullptr;
      if (*after == '}') return next;
      if (*after == ',' && *SkipSpace(after + 1) == '"') return next;
    }
  }
  return nullptr;
}

const char* FindLastElementStart(const char* begin, const char* end) {
  const char* p = end;
  while (p > begin) {
    p = static_cast<const char*>(memrchr(begin, '{', static_cast<size_t>(p - begin)));
    if (p == nullptr) return nullptr;
    const char* before = p;
    while (before > begin && IsSpace(before[-1])) --before;
    if (before > begin && before[-1] == ',') {
      --before;
      while (before > begin && IsSpace(before[-1])) --before;
      if (before > begin && before[-1] == '}') return p;
    }
  }
  return nullptr;
}

ElementsResult ParseElements(const PaddedText& text, bool after_comma, bool at_eof,
                             EventParser& parser, Fragment& fragment) {
  using Stop = ElementsResult::Stop;
  const char* p = text.begin;
  const char* const end = text.end;
  const auto note = [&](DiagnosticKind kind, const char* where) {
    fragment.diagnostics.Add(kind, text.OffsetOf(where));
  };
  for (;;) {
    p = SkipSpace(p);
    if (p >= end) return {Stop::kText, end, after_comma};
    switch (*p) {
      case '{': {
        const char* start = p;
        const ParseStatus status = parser.Parse(p, end, text.OffsetOf(p), at_eof);
        if (status == ParseStatus::kDone) {
          after_comma = false;
          break;
        }
        if (status == ParseStatus::kIncomplete && !at_eof)
          return {Stop::kNeedMore, start, after_comma};
        // Damaged, or the input ends in here. What looks like a later element is tried again.
        p = FindElementStart(start + 1, end, at_eof);
        if (p == nullptr) {
          if (!at_eof) return {Stop::kNeedMore, start, after_comma};
          note(status == ParseStatus::kIncomplete ? DiagnosticKind::kTruncated
                                                  : DiagnosticKind::kMalformedEvent,
               start);
          return {Stop::kText, end, after_comma};
        }
        note(DiagnosticKind::kMalformedEvent, start);
        after_comma = *p == '{';
        break;
      }
      case ',':
        if (after_comma) note(DiagnosticKind::kTrailingComma, p);
        after_comma = true;
        ++p;
        break;
      case ']':
        if (after_comma) note(DiagnosticKind::kTrailingComma, p);
        return {Stop::kListEnd, p, false};
      case '}': {
        // Either ] is missing before it, or the brace itself is one too many: then the list goes
        // on.
        const char* comma = SkipSpace(p + 1);
        const char* brace = comma < end && *comma == ',' ? SkipSpace(comma + 1) : comma;
        if (brace >= end && !at_eof) return {Stop::kNeedMore, p, after_comma};
        if (comma >= end || *comma != ',' || brace >= end || *brace != '{') {
          return {Stop::kListEnd, p, false};
        }
        note(DiagnosticKind::kSkippedText, p);
        p = comma;
        break;
      }
      case ':':
        note(DiagnosticKind::kSkippedText, p);
        ++p;
        break;
      default: {
        Value value;
        Repairs repairs;
        const char* next = ReadValue<false>(p, end, value, repairs);
        if (next == nullptr && !at_eof) return {Stop::kNeedMore, p, after_comma};
        if (next == nullptr) {
          note(DiagnosticKind::kTruncated, p);
          return {Stop::kText, end, after_comma};
        }
        if (value.kind == Value::Kind::kString) {
          const char* colon = SkipSpace(next);
          if (colon >= end && !at_eof) return {Stop::kNeedMore, p, after_comma};
          if (*colon == ':')
            return {Stop::kListEnd, p, false};  // a key: the ] before it is missing
        }
        note(DiagnosticKind::kNotAnObject, p);
        after_comma = false;
        p = next == p ? p + 1 : next;
      }
    }
  }
}

void Document::EndList() { state_ = bare_list_ ? State::kDone : State::kTop; }

const char* Document::Feed(const PaddedText& text, bool at_eof, Fragment& fragment) {
  const char* p = text.begin;
  const char* const end = text.end;
  const auto note = [&](DiagnosticKind kind, const char* where) {
    fragment.diagnostics.Add(kind, text.OffsetOf(where));
  };
  for (;;) {
    if (skipping_) {
      p = SkipOn(p, end);
      if (skipping_) return end;
    }
    switch (state_) {
      case State::kStart: {
        p = SkipSpace(p);
        if (p >= end) return end;
        if (end - p < kShownBytes && !at_eof) return p;  // enough to tell what it is instead
        if (std::string_view(p, static_cast<size_t>(end - p)).starts_with("\xef\xbb\xbf")) {
          p = SkipSpace(p + 3);
          if (p >= end) return end;
        }
        if (*p == '{' || *p == '[') {
          bare_list_ = *p == '[';
          saw_list_ = bare_list_;
          state_ = bare_list_ ? State::kElements : State::kTop;
          ++p;
        } else {
          found_.assign(p, static_cast<size_t>(std::min(end - p, kShownBytes)));
          state_ = State::kNoTrace;
        }
        break;
      }
      case State::kTop: {
        const char* next = FeedTop(p, text, at_eof, fragment);
        if (next == nullptr) return at_eof ? end : p;
        p = next;
        break;
      }
      case State::kElements: {
        const PaddedText rest{p, end, text.OffsetOf(p)};
        const ElementsResult result = ParseElements(rest, after_comma_, at_eof, parser_, fragment);
        after_comma_ = result.after_comma;
        p = result.at;
        if (result.stop == ElementsResult::Stop::kNeedMore) return p;
        if (result.stop == ElementsResult::Stop::kText) {
          if (at_eof && fragment.diagnostics.Count(DiagnosticKind::kTruncated) == 0 &&
              trace_.diagnostics.Count(DiagnosticKind::kTruncated) == 0) {
            note(DiagnosticKind::kTruncated, end);
          }
          return end;
        }
        if (*p == ']') {
          ++p;
        } else {
          note(DiagnosticKind::kSkippedText, p);  // the missing ]
          if (bare_list_) ++p;
        }
        EndList();
        break;
      }
      case State::kDone:
        p = SkipSpace(p);
        if (p < end) {
          if (fragment.diagnostics.Count(DiagnosticKind::kTrailingData) == 0 &&
              trace_.diagnostics.Count(DiagnosticKind::kTrailingData) == 0) {
            note(DiagnosticKind::kTrailingData, p);
          }
        }
        return end;
      case State::kNoTrace:
        return end;
    }
  }
}

// One step inside the top-level object. nullptr if more text is needed (or, at the end, none is
// left).
const char* Document::FeedTop(const char* p, const PaddedText& text, bool at_eof,
                              Fragment& fragment) {
  const char* const end = text.end;
  const auto note = [&](DiagnosticKind kind, const char* where) {
    fragment.diagnostics.Add(kind, text.OffsetOf(where));
  };
  p = SkipSpace(p);
  if (p >= end) {
    if (at_eof) note(DiagnosticKind::kTruncated, end);
    return nullptr;
  }
  if (*p == '}') {
    state_ = State::kDone;
    return p + 1;
  }
  if (*p == ',') {
    const char* next = SkipSpace(p + 1);
    if (next >= end && !at_eof) return nullptr;
    if (next < end && *next == '}') note(DiagnosticKind::kTrailingComma, p);
    return p + 1;
  }
  const char* start = p;
  Value key;
  Value value;
  Repairs repairs;
  repairs.at_eof = at_eof;
  const char* next = nullptr;
  if (*p == '"') {
    next = ReadString<true>(p, end, Place::kKey, key, repairs);
    if (next != nullptr) {
      next = SkipSpace(next);
      if (next < end && *next == ':') {
        next = SkipSpace(next + 1);
        const std::string name = Unescape(key.text()).text;
        if (next < end && *next == '[' && name == "traceEvents") {
          state_ = State::kElements;
          saw_list_ = true;
          after_comma_ = false;
          return next + 1;
        }
        next = next < end ? ReadValue<true>(next, end, value, repairs) : nullptr;
        if (next != nullptr) {
          if (keys_.size() < 12) keys_.push_back(name);
          const bool good = StoreMetadata(name, value, trace_);
          if (parser_.listener() != nullptr) parser_.listener()->OnMetadata(name, value);
          if (value.kind == Value::Kind::kString) {
            const uint8_t flaws = Unescape(value.text()).flaws;
            if ((flaws & kFlawControl) != 0) note(DiagnosticKind::kControlCharacter, start);
            if ((flaws & kFlawUtf8) != 0) note(DiagnosticKind::kInvalidUtf8, start);
            if ((flaws & kFlawEscape) != 0) note(DiagnosticKind::kInvalidEscape, start);
          }
          if (repairs.unescaped_quotes != 0) note(DiagnosticKind::kUnescapedQuote, start);
          if (repairs.bare_words != 0) note(DiagnosticKind::kBareWord, start);
          if (!good) note(DiagnosticKind::kMalformedMetadata, start);
          return next;
        }
      }
    }
    if (!at_eof) return nullptr;
    note(DiagnosticKind::kTruncated, start);
    return nullptr;
  }
  // No key here: go to the next quote.
  next = static_cast<const char*>(std::memchr(p, '"', static_cast<size_t>(end - p)));
  if (next == nullptr && !at_eof) return nullptr;
  note(DiagnosticKind::kMalformedMetadata, start);
  return next == nullptr ? end : next;
}

const char* Document::SkipOversized(const PaddedText& text, Fragment& fragment) {
  fragment.diagnostics.Add(DiagnosticKind::kOversizedValue, text.offset);
  const char* p = SkipSpace(text.begin);
  if (state_ == State::kElements) {
    // If a quote went astray, the next element is in here somewhere.
    if (const char* next = FindElementStart(p + 1, text.end, false)) {
      after_comma_ = *next == '{';
      return next;
    }
  } else if (state_ == State::kTop && *p == '"') {
    bool escaped = false;
    const char* quote = FindQuote(p + 1, text.end, escaped);
    const char* colon = quote < text.end ? SkipSpace(quote + 1) : text.end;
    if (colon < text.end && *colon == ':') p = SkipSpace(colon + 1);
  }
  skipping_ = true;
  depth_ = 0;
  in_string_ = false;
  after_backslash_ = false;
  return SkipOn(p, text.end);
}

// Passes over the rest of one value, byte by byte, however large. Clears skipping_ at its end.
const char* Document::SkipOn(const char* p, const char* end) {
  for (; p < end; ++p) {
    const char c = *p;
    if (in_string_) {
      if (after_backslash_) {
        after_backslash_ = false;
      } else if (c == '\\') {
        after_backslash_ = true;
      } else if (c == '"') {
        in_string_ = false;
        if (depth_ == 0) break;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (c == '}' || c == ']') {
      if (depth_ == 0) {  // a scalar ended before it
        skipping_ = false;
        return p;
      }
      if (--depth_ == 0) break;
    } else if (c == ',' && depth_ == 0) {
      skipping_ = false;
      return p;
    }
  }
  if (p == end) return end;
  skipping_ = false;
  after_comma_ = false;
  return p + 1;
}

std::optional<Error> Document::Verdict(uint64_t events, uint64_t decoded_bytes) const {
  const std::string expected =
      "expected a PyTorch (Kineto) or Chrome trace: JSON with a \"traceEvents\" list, or a list of "
      "events";
  const std::string any_kind = "expected " + std::string(kReadableKinds);
  const auto error = [](std::string message, uint64_t offset) {
    return Error{ErrorCode::kUnreadable, std::move(message), offset};
  };
  if (decoded_bytes == 0 || (state_ == State::kStart && found_.empty())) {
    return error(
        "the file is empty; " + any_kind + ". Was the profiler stopped before it could export?", 0);
  }
  if (state_ == State::kNoTrace) {
    std::string_view advice = ". Is this the right file?";
    if (found_.starts_with("<?xml") || found_.starts_with("<svg")) {
      advice =
          ". A picture of a profile cannot be read: record it as data (py-spy record -f raw or "
          "-f speedscope, stackcollapse without flamegraph.pl)";
    } else if (found_.starts_with("<")) {
      advice =
          ". A web page: perhaps an error page was downloaded in place of the trace; of a report "
          "as "
          "a page, write the data instead (pyinstrument -r json or -r speedscope)";
    }
    return error("found " + Quoted(found_) + "; " + any_kind + std::string(advice), 0);
  }
  if (saw_list_) {
    const uint64_t strange = trace_.diagnostics.Count(DiagnosticKind::kUnknownPhase);
    const uint64_t others = trace_.diagnostics.Count(DiagnosticKind::kNotAnObject) +
                            trace_.diagnostics.Count(DiagnosticKind::kMalformedEvent);
    if (events > strange) return std::nullopt;
    if (strange + others > 0) {
      return error(
          "found a list whose elements are no events; " + any_kind + ". Is this the right file?",
          0);
    }
    if (trace_.diagnostics.Count(DiagnosticKind::kTruncated) == 0)
      return std::nullopt;  // empty, but whole
    return error("the file ends before its first event; " + expected +
                     ". The export was cut short: copy or export it again",
                 decoded_bytes);
  }
  if (state_ == State::kTop) {
    return error("the file ends before \"traceEvents\"; " + expected +
                     ". The export was cut short: copy or export it again",
                 decoded_bytes);
  }
  std::string found = keys_.empty() ? "an empty object" : "an object with the keys ";
  for (size_t i = 0; i < keys_.size(); ++i) found += (i == 0 ? "" : ", ") + keys_[i];
  return error("found " + found + "; " + any_kind + ". Is this the right file?", 0);
}

}  // namespace telltale::kineto_json
