// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/event_parser.h"

#include "base/json/text.h"

namespace telltale::kineto_json {

ParseStatus EventParser::Parse(const char*& p, const char* end, uint64_t offset, bool at_eof) {
  at_eof_ = at_eof;
  const char* start = p;
  ParseStatus status = ParseEvent<false>(p, end);
  if (status == ParseStatus::kBad) {
    p = start;
    status = ParseEvent<true>(p, end);
  }
  if (status != ParseStatus::kDone) {
    p = start;
    return status;
  }
  NoteRepairs(offset);
  const Value& ph = draft()[EventKey::kPh];
  const char phase = ph.kind == Value::Kind::kString && ph.end - ph.begin == 1 ? *ph.begin : '\0';
  if (phase == 'C') ReadSeries();
  builder_.Add(phase, offset);
  if (listener_ != nullptr) listener_->OnEvent(offset, {start, static_cast<size_t>(p - start)});
  return status;
}

void EventParser::NoteRepairs(uint64_t offset) {
  const auto note = [&](DiagnosticKind kind, uint32_t count) {
    if (count != 0) builder_.diagnostics().Add(kind, offset, count);
  };
  note(DiagnosticKind::kUnescapedQuote, repairs_.unescaped_quotes);
  note(DiagnosticKind::kBareWord, repairs_.bare_words);
  note(DiagnosticKind::kTrailingComma, repairs_.trailing_commas);
}

void EventParser::ReadSeries() {
  draft().series.clear();
  const Value& args = draft()[EventKey::kArgs];
  if (args.kind != Value::Kind::kContainer) return;
  const char* p = args.begin;
  Repairs ignored;
  ignored.at_eof = true;
  do {
    p = SkipSpace(p + 1);
    EventDraft::Series series;
    if (*p != '"') break;
    const char* next = ReadString<true>(p, args.end, Place::kKey, series.name, ignored);
    if (next == nullptr) break;
    p = SkipSpace(next);
    if (*p != ':') break;
    next = ReadValue<true>(SkipSpace(p + 1), args.end, series.value, ignored);
    if (next == nullptr) break;
    p = SkipSpace(next);
    draft().series.push_back(series);
  } while (*p == ',');
}

std::string_view EventParser::KeyText(const Value& key) {
  if (!key.escaped) return key.text();
  key_buffer_ = Unescape(key.text()).text;
  return key_buffer_;
}

template <bool kRepair, bool kInArgs>
EventParser::Step EventParser::NextKey(const char*& p, const char* end, bool first,
                                       ShapeTable::Index& shape, uint8_t& meaning) {
  if constexpr (!kRepair) {
    if (const ShapeTable::Index next = shapes_.Match(shape, p); next != 0) {
      p += shapes_.length(next);
      meaning = shapes_.meaning(next);
      shape = next;
      if (meaning == ShapeTable::kEndOfObject) return Step::kEndOfObject;
      p = SkipSpace(p);  // mostly none left
      return p < end ? Step::kKey : Step::kIncomplete;
    }
  }
  const char* const before = p;
  const auto fail = [&] { return p >= end ? Step::kIncomplete : Step::kBad; };
  const auto learn = [&](uint8_t what) {
    if constexpr (!kRepair)
      shape = shapes_.Learn(shape, {before, static_cast<size_t>(p - before)}, what);
  };
  p = SkipSpace(p);
  bool comma = false;
  if (!first && *p == ',') {
    comma = true;
    p = SkipSpace(p + 1);
  }
  if (*p == '}' && p < end) {
    ++p;
    if (comma) {
      ++repairs_.trailing_commas;
    } else {
      learn(ShapeTable::kEndOfObject);
    }
    return Step::kEndOfObject;
  }
  if (*p != '"' || (!first && !comma)) return fail();
  Value key;
  const char* next = ReadString<kRepair>(p, end, Place::kKey, key, repairs_);
  if (next == nullptr) return repairs_.failed ? Step::kBad : Step::kIncomplete;
  p = SkipSpace(next);
  if (*p != ':') return fail();
  p = SkipSpace(p + 1);
  if (p >= end) return Step::kIncomplete;
  const std::string_view text = KeyText(key);
  meaning = kInArgs ? static_cast<uint8_t>(trace_rows::FindArgKey(text))
                    : static_cast<uint8_t>(trace_rows::FindEventKey(text));
  learn(meaning);
  return Step::kKey;
}

template <bool kRepair>
ParseStatus EventParser::ParseEvent(const char*& p, const char* end) {
  draft().fields_present = 0;
  draft().args_present = 0;
  repairs_ = {};
  repairs_.at_eof = at_eof_;
  ShapeTable::Index shape = ShapeTable::kEventStart;
  uint8_t meaning = 0;
  Value ignored;
  ++p;
  for (bool first = true;; first = false) {
    switch (NextKey<kRepair, false>(p, end, first, shape, meaning)) {
      case Step::kKey:
        break;
      case Step::kEndOfObject:
        return ParseStatus::kDone;
      case Step::kIncomplete:
        return ParseStatus::kIncomplete;
      case Step::kBad:
        return ParseStatus::kBad;
    }
    const bool wanted = meaning != static_cast<uint8_t>(EventKey::kCount);
    Value& value = wanted ? draft().fields[meaning] : ignored;
    if (wanted) draft().fields_present |= uint32_t{1} << meaning;
    if (meaning == static_cast<uint8_t>(EventKey::kArgs) && *p == '{') {
      value.kind = Value::Kind::kContainer;
      value.begin = p;
      const ParseStatus status = ParseArgs<kRepair>(p, end);
      if (status != ParseStatus::kDone) return status;
      value.end = p;
    } else {
      const char* next = ReadValue<kRepair>(p, end, value, repairs_);
      if (next == nullptr) return repairs_.failed ? ParseStatus::kBad : ParseStatus::kIncomplete;
      p = next;
    }
  }
}

template <bool kRepair>
ParseStatus EventParser::ParseArgs(const char*& p, const char* end) {
  draft().args_present = 0;
  ShapeTable::Index shape = ShapeTable::kArgsStart;
  uint8_t meaning = 0;
  Value ignored;
  ++p;
  for (bool first = true;; first = false) {
    switch (NextKey<kRepair, true>(p, end, first, shape, meaning)) {
      case Step::kKey:
        break;
      case Step::kEndOfObject:
        return ParseStatus::kDone;
      case Step::kIncomplete:
        return ParseStatus::kIncomplete;
      case Step::kBad:
        return ParseStatus::kBad;
    }
    const bool wanted = meaning != static_cast<uint8_t>(ArgKey::kCount);
    Value& value = wanted ? draft().args[meaning] : ignored;
    const char* next = ReadValue<kRepair>(p, end, value, repairs_);
    if (next == nullptr) return repairs_.failed ? ParseStatus::kBad : ParseStatus::kIncomplete;
    if (wanted) draft().args_present |= uint64_t{1} << meaning;
    p = next;
  }
}

}  // namespace telltale::kineto_json
