// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/event_words.h"

#include <array>
#include <optional>

#include "formats/kineto_json/blocks.h"
#include "formats/kineto_json/writer.h"
#include "formats/perfetto/annotations.h"

namespace telltale::perfetto {

namespace {

using kineto_json::ArgKey;
using kineto_json::EventKey;
using kineto_json::ParseStatus;
using kineto_json::Value;

// What stands before a field's value, in the order of EventKey.
constexpr std::array<std::string_view, static_cast<size_t>(EventKey::kCount)> kBefore = {
    ",\"ph\":", ",\"cat\":", ",\"name\":", ",\"pid\":", ",\"tid\":",
    ",\"ts\":", ",\"dur\":", ",\"id\":",   ",\"args\":"};

// A sound JSON value tells what it is by its first character.
Value ValueAt(const char* begin, const char* end) {
  Value value;
  value.begin = begin;
  value.end = end;
  switch (*begin) {
    case '"':
      value.kind = Value::Kind::kString;
      ++value.begin;
      --value.end;
      break;
    case '[':
    case '{':
      value.kind = Value::Kind::kContainer;
      break;
    case 't':
      value.kind = Value::Kind::kTrue;
      break;
    case 'f':
      value.kind = Value::Kind::kFalse;
      break;
    case 'n':
      value.kind = Value::Kind::kNull;
      break;
    default:
      value.kind = Value::Kind::kNumber;
  }
  return value;
}

Value Integer(int64_t number) {
  Value value;
  value.kind = Value::Kind::kInteger;
  value.integer = number;
  return value;
}

}  // namespace

void EventWords::Remember(bool is_arg, uint8_t key, size_t begin) {
  found_.push_back(
      {is_arg, key, static_cast<uint32_t>(begin), static_cast<uint32_t>(text_.size())});
  text_ += ',';  // ends a number
}

void EventWords::Start(char phase, Form form) {
  full_ = form == Form::kFull || rows_.listener() != nullptr;
  text_.clear();
  if (full_) {
    has_arguments_ = false;
    text_ += "{\"ph\":\"";
    text_ += phase;
    text_ += '"';
    return;
  }
  found_.clear();
  phase_ = phase;
  Value value;
  value.kind = Value::Kind::kString;
  value.begin = &phase_;
  value.end = &phase_ + 1;
  rows_.parser().StartFound();
  rows_.parser().Set(EventKey::kPh, value);
}

void EventWords::Open(EventKey key) {
  if (full_) text_ += kBefore[static_cast<size_t>(key)];
  open_ = key;
  open_begin_ = text_.size();
}

void EventWords::Close() {
  if (!full_) Remember(false, static_cast<uint8_t>(open_), open_begin_);
}

void EventWords::Field(EventKey key, std::string_view json) {
  if (!full_) return rows_.parser().Set(key, ValueAt(json.data(), json.data() + json.size()));
  Copy(key, json);
}

void EventWords::Copy(EventKey key, std::string_view json) {
  Open(key);
  text_ += json;
  Close();
}

void EventWords::Number(EventKey key, uint64_t number) {
  if (!full_) return rows_.parser().Set(key, Integer(static_cast<int64_t>(number)));
  Open(key);
  text_ += std::to_string(number);
}

void EventWords::Time(EventKey key, int64_t time_ns) {
  if (!full_) return rows_.parser().Set(key, Integer(time_ns));
  Open(key);
  AppendMicroseconds(text_, time_ns);
}

void EventWords::Other(std::string_view key, std::string_view json) {
  if (!full_) return;
  text_ += ",\"";
  text_ += key;
  text_ += "\":";
  text_ += json;
}

void EventWords::Argument(std::string_view message, const AnnotationTexts& texts) {
  const size_t before = text_.size();
  if (full_) {
    text_ += has_arguments_ ? "," : ",\"args\":{";
    if (AppendAnnotation(text_, message, texts)) {
      has_arguments_ = true;
    } else {
      text_.resize(before);
    }
    return;
  }
  const AnnotationName name = NameOfAnnotation(message, texts, name_buffer_);
  if (name.key == ArgKey::kCount) return;
  if (IsInteger(name.key)) {
    if (const std::optional<int64_t> number = IntegerOfAnnotation(name.rest)) {
      return rows_.parser().Set(name.key, Integer(*number));
    }
  }
  if (!AppendAnnotationValue(text_, name.rest, texts)) return;
  Remember(true, static_cast<uint8_t>(name.key), before);
}

void EventWords::EndArguments() {
  if (full_ && has_arguments_) text_ += '}';
}

void EventWords::Others(std::string_view fields) {
  if (full_) text_ += fields;
}

void EventWords::Finish(uint64_t offset) {
  if (full_) {
    text_ += '}';
    return FinishText(offset);
  }
  text_.append(kineto_json::kPadding, kineto_json::kPad);
  kineto_json::EventParser& parser = rows_.parser();
  for (const Found& found : found_) {
    const Value value = ValueAt(text_.data() + found.begin, text_.data() + found.end);
    if (found.is_arg) {
      parser.Set(static_cast<ArgKey>(found.key), value);
    } else {
      parser.Set(static_cast<EventKey>(found.key), value);
    }
  }
  parser.EmitFound(offset);
}

void EventWords::FinishText(uint64_t offset) {
  const size_t size = text_.size();
  text_.append(kineto_json::kPadding, kineto_json::kPad);
  const char* p = text_.data();
  if (rows_.parser().Parse(p, p + size, offset, true) != ParseStatus::kDone) {
    rows_.Note(DiagnosticKind::kMalformedEvent, offset);
  }
}

}  // namespace telltale::perfetto
