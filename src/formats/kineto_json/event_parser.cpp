// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/event_parser.h"

#include "formats/kineto_json/text.h"

namespace telltale::kineto_json {

namespace {

// The keys of an event itself are at most four characters long: compared as numbers.
constexpr uint32_t Word(std::string_view text) {
  uint32_t word = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    word |= static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return word;
}

}  // namespace

EventParser::EventParser()
    : strings_(RawInterner::Content::kString, pool_),
      jsons_(RawInterner::Content::kJson, pool_),
      track_slots_(1024) {}

void EventParser::Begin(Fragment& fragment) { fragment_ = &fragment; }

void EventParser::End() {
  for (; strings_seen_ < pool_.size(); ++strings_seen_) {
    fragment_->new_strings.push_back(pool_.Get(StringId{static_cast<uint32_t>(strings_seen_)}));
  }
  for (; tracks_seen_ < tracks_.size(); ++tracks_seen_) {
    fragment_->new_tracks.push_back(tracks_[tracks_seen_]);
  }
  for (; categories_seen_ < category_texts_.size(); ++categories_seen_) {
    fragment_->new_categories.push_back(category_texts_[categories_seen_]);
  }
  fragment_ = nullptr;
}

ParseStatus EventParser::Parse(const char*& p, const char* end, uint64_t offset, bool at_eof) {
  offset_ = offset;
  at_eof_ = at_eof;
  const char* start = p;
  ParseStatus status = ParseEvent<false>(p, end);
  if (status == ParseStatus::kBad) {
    p = start;
    status = ParseEvent<true>(p, end);
  }
  if (status == ParseStatus::kDone) {
    Emit();
    if (listener_ != nullptr) listener_->OnEvent(offset, {start, static_cast<size_t>(p - start)});
  } else {
    p = start;
  }
  return status;
}

void EventParser::StartFound() {
  event_present_ = 0;
  args_present_ = 0;
  repairs_ = {};
}

void EventParser::EmitFound(uint64_t offset) {
  offset_ = offset;
  Emit();
}

std::string_view EventParser::KeyText(const Value& key) {
  if (!key.escaped) return key.text();
  key_buffer_ = Unescape(key.text()).text;
  return key_buffer_;
}

EventKey FindEventKey(std::string_view key) {
  if (key.size() > 4) return EventKey::kCount;
  switch (Word(key)) {
    case Word("ph"):
      return EventKey::kPh;
    case Word("cat"):
      return EventKey::kCat;
    case Word("name"):
      return EventKey::kName;
    case Word("pid"):
      return EventKey::kPid;
    case Word("tid"):
      return EventKey::kTid;
    case Word("ts"):
      return EventKey::kTs;
    case Word("dur"):
      return EventKey::kDur;
    case Word("id"):
      return EventKey::kId;
    case Word("args"):
      return EventKey::kArgs;
    default:
      return EventKey::kCount;
  }
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
  meaning =
      kInArgs ? static_cast<uint8_t>(FindArgKey(text)) : static_cast<uint8_t>(FindEventKey(text));
  learn(meaning);
  return Step::kKey;
}

template <bool kRepair>
ParseStatus EventParser::ParseEvent(const char*& p, const char* end) {
  event_present_ = 0;
  args_present_ = 0;
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
    Value& value = wanted ? event_values_[meaning] : ignored;
    if (wanted) event_present_ |= uint32_t{1} << meaning;
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
  args_present_ = 0;
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
    Value& value = wanted ? arg_values_[meaning] : ignored;
    const char* next = ReadValue<kRepair>(p, end, value, repairs_);
    if (next == nullptr) return repairs_.failed ? ParseStatus::kBad : ParseStatus::kIncomplete;
    if (wanted) args_present_ |= uint64_t{1} << meaning;
    p = next;
  }
}

}  // namespace telltale::kineto_json
