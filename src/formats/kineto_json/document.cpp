// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/document.h"

#include <algorithm>

#include "base/json/text.h"
#include "formats/kineto_json/metadata.h"
#include "formats/kineto_json/value.h"
#include "formats/pickle.h"
#include "formats/registry.h"

namespace telltale::kineto_json {

namespace {

// How much of an input that is no trace a message looks at.
constexpr ptrdiff_t kShownBytes = 200;

bool IsSpace(char c) { return static_cast<unsigned char>(c) <= ' '; }
bool IsJsonSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 40;
  std::string out = Unescape(text.substr(0, kShown)).text;
  for (char& c : out) {
    if (IsSpace(c)) c = ' ';
  }
  return "\"" + out + (text.size() > kShown ? "…\"" : "\"");
}

const char* ReadTopValue(const char* p, const char* end, Value& value, Repairs& repairs) {
  if (*p != '"') return ReadValue<true>(p, end, value, repairs);
  const char* const next = ReadString<true>(p, end, Place::kTopValue, value, repairs);
  const bool closed = next != nullptr && (repairs.unescaped_quotes == 0 || SkipSpace(next) < end);
  if (closed || !repairs.at_eof) return next;
  // By the rules of repair it runs to the end of the text. Its first quote closes it all the same
  // if the object ends behind that: then the rest is no part of the document.
  Value first;
  Repairs none;
  const char* const strict = ReadString<false>(p, end, Place::kTopValue, first, none);
  if (strict == nullptr || *SkipSpace(strict) != '}') return next;
  value = first;
  repairs = {.at_eof = true};
  return strict;
}

// Why a pickle is not read, and how to make of it what is; empty if it is none.
std::string RefusePickle(std::string_view head) {
  if (!IsPickle(head)) return "";
  const bool zipped = IsZippedPickle(head);
  return std::string("found a Python pickle") + (zipped ? ", in a file of torch.save" : "") +
         "; a pickle is a program and may run any code when it is loaded, so it is never read. If "
         "you trust it, save what it holds as JSON: python3 -c 'import json, " +
         (zipped ? "sys, torch; json.dump(torch.load(sys.argv[1], weights_only=False)"
                 : "pickle, sys; json.dump(pickle.load(open(sys.argv[1], \"rb\"))") +
         ", open(sys.argv[2], \"w\"))' IN.pickle OUT.json. A memory snapshot is JSON at once with "
         "json.dump(torch.cuda.memory._snapshot(), open(\"snapshot.json\", \"w\"))";
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

void NoteZeroBytes(const PaddedText& text, Diagnostics& diagnostics) {
  const char* p = text.begin;
  while (p < text.end) {
    p = static_cast<const char*>(std::memchr(p, 0, static_cast<size_t>(text.end - p)));
    if (p == nullptr) return;
    const char* const run = p;
    while (p < text.end && *p == 0) ++p;
    diagnostics.Add(DiagnosticKind::kZeroBytes, text.OffsetOf(run), static_cast<uint64_t>(p - run));
  }
}

ElementsResult ParseElements(const PaddedText& text, ListPlace place, bool at_eof,
                             EventParser& parser, Fragment& fragment) {
  using Stop = ElementsResult::Stop;
  const char* p = text.begin;
  const char* const end = text.end;
  const auto note = [&](DiagnosticKind kind, const char* where) {
    fragment.diagnostics.Add(kind, text.OffsetOf(where));
  };
  for (;;) {
    p = SkipSpace(p);
    if (p >= end) return {Stop::kText, end, place};
    switch (*p) {
      case '{': {
        const char* start = p;
        const ParseStatus status = parser.Parse(p, end, text.OffsetOf(p), at_eof);
        if (status == ParseStatus::kDone) {
          if (place == ListPlace::kAfterValue) note(DiagnosticKind::kMissingComma, start);
          place = ListPlace::kAfterValue;
          break;
        }
        if (status == ParseStatus::kIncomplete && !at_eof) return {Stop::kNeedMore, start, place};
        // Damaged, or the input ends in here. What looks like a later element is tried again.
        p = FindElementStart(start + 1, end, at_eof);
        if (p == nullptr) {
          if (!at_eof) return {Stop::kNeedMore, start, place};
          note(status == ParseStatus::kIncomplete ? DiagnosticKind::kTruncated
                                                  : DiagnosticKind::kMalformedEvent,
               start);
          return {Stop::kText, end, place};
        }
        note(DiagnosticKind::kMalformedEvent, start);
        place = *p == '{' ? ListPlace::kAfterComma : ListPlace::kAfterValue;
        break;
      }
      case ',':
        if (place != ListPlace::kAfterValue) note(DiagnosticKind::kTrailingComma, p);
        place = ListPlace::kAfterComma;
        ++p;
        break;
      case ']':
        if (place == ListPlace::kAfterComma) note(DiagnosticKind::kTrailingComma, p);
        return {Stop::kListEnd, p, ListPlace::kAfterValue};
      case '}': {
        // Either ] is missing before it, or the brace itself is one too many: then the list goes
        // on.
        const char* comma = SkipSpace(p + 1);
        const char* brace = comma < end && *comma == ',' ? SkipSpace(comma + 1) : comma;
        if (brace >= end && !at_eof) return {Stop::kNeedMore, p, place};
        if (comma >= end || *comma != ',' || brace >= end || *brace != '{') {
          return {Stop::kListEnd, p, ListPlace::kAfterValue};
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
        if (next == nullptr && !at_eof) return {Stop::kNeedMore, p, place};
        if (next == nullptr) {
          note(DiagnosticKind::kTruncated, p);
          return {Stop::kText, end, place};
        }
        if (value.kind == Value::Kind::kString) {
          const char* colon = SkipSpace(next);
          if (colon >= end && !at_eof) return {Stop::kNeedMore, p, place};
          // A key: the ] before it is missing.
          if (*colon == ':') return {Stop::kListEnd, p, ListPlace::kAfterValue};
        }
        note(DiagnosticKind::kNotAnObject, p);
        place = ListPlace::kAfterValue;
        p = next == p ? p + 1 : next;
      }
    }
  }
}

void Document::EndDocument(uint64_t offset) {
  state_ = State::kDone;
  end_offset_ = offset;
}

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
        const ElementsResult result = ParseElements(rest, place_, at_eof, parser_, fragment);
        place_ = result.place;
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
          top_place_ = ListPlace::kBegin;         // the list took the comma, if there was one
          if (bare_list_) ++p;
        }
        if (bare_list_) {
          EndDocument(text.OffsetOf(p));
        } else {
          state_ = State::kTop;
        }
        break;
      }
      case State::kDone: {
        p = std::find_if_not(p, end, IsJsonSpace);
        if (p < end && !saw_more_) {
          note(*p == '{' || *p == '[' ? DiagnosticKind::kSecondDocument
                                      : DiagnosticKind::kTrailingData,
               p);
          saw_more_ = true;
        }
        return end;
      }
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
    EndDocument(text.OffsetOf(p + 1));
    return p + 1;
  }
  if (*p == ',') {
    const char* next = SkipSpace(p + 1);
    if (next >= end && !at_eof) return nullptr;
    const bool before_end = next < end && *next == '}';
    if (before_end || top_place_ == ListPlace::kAfterComma) note(DiagnosticKind::kTrailingComma, p);
    top_place_ = ListPlace::kAfterComma;
    return p + 1;
  }
  const auto read_value = [&](const char* where) {
    if (top_place_ == ListPlace::kAfterValue) note(DiagnosticKind::kMissingComma, where);
    top_place_ = ListPlace::kAfterValue;
  };
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
          read_value(start);
          state_ = State::kElements;
          saw_list_ = true;
          place_ = ListPlace::kBegin;
          return next + 1;
        }
        next = next < end ? ReadTopValue(next, end, value, repairs) : nullptr;
        if (next != nullptr) {
          read_value(start);
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
  top_place_ = ListPlace::kBegin;
  return next == nullptr ? end : next;
}

const char* Document::SkipOversized(const PaddedText& text, Fragment& fragment) {
  fragment.diagnostics.Add(DiagnosticKind::kOversizedValue, text.offset);
  const char* p = SkipSpace(text.begin);
  if (state_ == State::kElements) {
    // If a quote went astray, the next element is in here somewhere.
    if (const char* next = FindElementStart(p + 1, text.end, false)) {
      place_ = *next == '{' ? ListPlace::kAfterComma : ListPlace::kAfterValue;
      return next;
    }
  } else if (state_ == State::kTop && *p == '"') {
    bool escaped = false;
    const char* quote = FindQuote(p + 1, text.end, escaped);
    const char* colon = quote < text.end ? SkipSpace(quote + 1) : text.end;
    if (colon < text.end && *colon == ':') p = SkipSpace(colon + 1);
  }
  place_ = ListPlace::kAfterValue;
  top_place_ = ListPlace::kAfterValue;
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
  return p + 1;
}

std::optional<Error> Document::Verdict(uint64_t events, uint64_t decoded_bytes) const {
  const std::string expected =
      "expected a PyTorch (Kineto) or Chrome trace: JSON with a \"traceEvents\" list, or a list of "
      "events";
  const std::string any_kind = "expected " + ReadableKinds();
  const auto error = [](std::string message, uint64_t offset) {
    return Error{ErrorCode::kUnreadable, std::move(message), offset};
  };
  if (decoded_bytes == 0 || (state_ == State::kStart && found_.empty())) {
    return error(
        "the file is empty; " + any_kind + ". Was the profiler stopped before it could export?", 0);
  }
  if (state_ == State::kNoTrace) {
    if (const std::string refused = RefusePickle(found_); !refused.empty()) {
      return error(refused, 0);
    }
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
