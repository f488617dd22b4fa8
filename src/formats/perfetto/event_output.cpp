// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/event_output.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/json/text.h"
#include "base/protobuf.h"
#include "formats/kineto_json/scan.h"
#include "formats/kineto_json/writer.h"
#include "formats/perfetto/fields.h"

namespace telltale::perfetto {

namespace {

// What stands before a field's value, in the order of EventKey.
constexpr std::array<std::string_view, static_cast<size_t>(EventKey::kCount)> kBefore = {
    "\"ph\":", "\"cat\":", "\"name\":", "\"pid\":", "\"tid\":",
    "\"ts\":", "\"dur\":", "\"id\":",   "\"args\":"};

struct MarkWords {
  std::string_view name;
  std::string_view argument;
};

MarkWords WordsOf(NameMark::What what) {
  switch (what) {
    case NameMark::What::kProcessName:
      return {"process_name", "name"};
    case NameMark::What::kProcessLabels:
      return {"process_labels", "labels"};
    case NameMark::What::kProcessSort:
      return {"process_sort_index", "sort_index"};
    case NameMark::What::kThreadName:
      return {"thread_name", "name"};
    case NameMark::What::kThreadSort:
      return {"thread_sort_index", "sort_index"};
  }
  return {};
}

std::string_view WithoutQuotes(std::string_view json) { return json.substr(1, json.size() - 2); }

}  // namespace

void EventOutput::Start(char phase) {
  draft_.Clear();
  found_.clear();
  values_.clear();
  phase_ = phase;
  if (listener_ == nullptr) return;
  has_arguments_ = false;
  text_ = "{";
  if (phase == '\0') return;
  text_ += "\"ph\":\"";
  text_ += phase;
  text_ += '"';
}

void EventOutput::SpellKey(EventKey key) {
  if (text_.size() > 1) text_ += ',';
  text_ += kBefore[static_cast<size_t>(key)];
}

void EventOutput::Text(EventKey key, const JsonText& text) {
  if (text.interned == kNoString) text.interned = rows_.builder().Intern(WithoutQuotes(text.json));
  draft_.Set(key, Value::Interned(text.interned));
  if (listener_ == nullptr) return;
  SpellKey(key);
  text_ += text.json;
}

void EventOutput::Text(EventKey key, std::string_view json) {
  draft_.Set(key, Value::Interned(rows_.builder().Intern(WithoutQuotes(json))));
  if (listener_ == nullptr) return;
  SpellKey(key);
  text_ += json;
}

void EventOutput::Json(EventKey key, std::string_view json) {
  draft_.Set(key, Value::Json(json));
  if (listener_ == nullptr) return;
  SpellKey(key);
  text_ += json;
}

void EventOutput::Integer(EventKey key, int64_t number) {
  draft_.Set(key, Value::Integer(number));
  if (listener_ == nullptr) return;
  SpellKey(key);
  text_ += std::to_string(number);
}

void EventOutput::Unsigned(EventKey key, uint64_t number) {
  draft_.Set(key, Value::Integer(static_cast<int64_t>(number)));
  if (listener_ == nullptr) return;
  SpellKey(key);
  text_ += std::to_string(number);
}

void EventOutput::Time(EventKey key, int64_t time_ns) {
  draft_.Set(key, Value::Integer(time_ns));
  if (listener_ == nullptr) return;
  SpellKey(key);
  AppendMicroseconds(text_, time_ns);
}

void EventOutput::SpellSeries(std::string_view name) {
  SpellKey(EventKey::kArgs);
  text_ += '{';
  AppendQuoted(text_, name);
  text_ += ':';
}

void EventOutput::Series(std::string_view name, int64_t value) {
  const StringId id = rows_.builder().Intern(WithoutQuotes(Quoted(name)));
  draft_.series.push_back({Value::Interned(id), Value::Integer(value)});
  if (listener_ == nullptr) return;
  SpellSeries(name);
  text_ += std::to_string(value) + '}';
}

void EventOutput::Series(std::string_view name, double value) {
  if (std::isfinite(value)) {
    const StringId id = rows_.builder().Intern(WithoutQuotes(Quoted(name)));
    draft_.series.push_back({Value::Interned(id), Value::Real(value)});
  }
  if (listener_ == nullptr) return;
  SpellSeries(name);
  AppendDouble(text_, value);
  text_ += '}';
}

void EventOutput::Remember(bool is_arg, uint8_t key, size_t begin) {
  found_.push_back(
      {is_arg, key, static_cast<uint32_t>(begin), static_cast<uint32_t>(values_.size())});
  values_ += ',';  // ends a number
}

void EventOutput::SetArgument(const AnnotationName& annotation, const AnnotationTexts& texts) {
  const ArgKey key = annotation.key;
  if (key == ArgKey::kCount) return;
  if (IsInteger(key)) {
    if (const auto number = IntegerOfAnnotation(annotation.rest)) {
      return draft_.Set(key, Value::Integer(*number));
    }
  } else if (IsReal(key)) {
    if (const auto number = RealOfAnnotation(annotation.rest)) {
      return draft_.Set(key, Value::Real(*number));
    }
  } else if (IsText(key)) {
    if (const JsonText* text = TextOfAnnotation(annotation.rest, texts)) {
      if (text->interned == kNoString) {
        text->interned = rows_.builder().Intern(WithoutQuotes(text->json));
      }
      return draft_.Set(key, Value::Interned(text->interned));
    }
  }
  const size_t before = values_.size();
  if (!AppendAnnotationValue(values_, annotation.rest, texts)) return;
  Remember(true, static_cast<uint8_t>(key), before);
}

// Every argument of a counter is a series of its own.
void EventOutput::AddSeries(const AnnotationName& annotation, const AnnotationTexts& texts) {
  std::optional<double> number = RealOfAnnotation(annotation.rest);
  if (!number) {
    std::string json;
    double parsed = 0;
    if (!AppendAnnotationValue(json, annotation.rest, texts)) return;
    const Value value = Value::Json(json);
    if (value.kind != Value::Kind::kNumber && value.kind != Value::Kind::kString) return;
    if (std::from_chars(value.begin, value.end, parsed).ec != std::errc()) return;
    number = parsed;
  }
  const StringId name = rows_.builder().Intern(WithoutQuotes(annotation.json));
  draft_.series.push_back({Value::Interned(name), Value::Real(*number)});
}

void EventOutput::Argument(std::string_view message, const AnnotationTexts& texts) {
  const AnnotationName annotation = NameOfAnnotation(message, texts, name_buffer_);
  SetArgument(annotation, texts);
  if (phase_ == 'C') AddSeries(annotation, texts);
  if (listener_ == nullptr) return;
  const size_t before = text_.size();
  if (has_arguments_) {
    text_ += ',';
  } else {
    SpellKey(EventKey::kArgs);
    text_ += '{';
  }
  text_ += annotation.json;
  text_ += ':';
  if (AppendAnnotationValue(text_, annotation.rest, texts)) {
    has_arguments_ = true;
  } else {
    text_.resize(before);
  }
}

void EventOutput::EndArguments() {
  if (has_arguments_ && listener_ != nullptr) text_ += '}';
}

void EventOutput::TakeField(const AnnotationName& annotation, const AnnotationTexts& texts) {
  const size_t before = values_.size();
  if (!AppendAnnotationValue(values_, annotation.rest, texts)) return;
  const std::string_view json = std::string_view(values_).substr(before);
  if (listener_ != nullptr) {
    if (text_.size() > 1) text_ += ',';
    text_ += annotation.json;
    text_ += ':';
    text_ += json;
  }
  const EventKey key = trace_rows::FindEventKey(WithoutQuotes(annotation.json));
  switch (key) {
    case EventKey::kCount:
      break;
    case EventKey::kPh:
      phase_ = json.size() == 3 && json.front() == '"' ? json[1] : '\0';
      break;
    case EventKey::kArgs:
      if (json.front() != '{') break;
      draft_.args_present = 0;
      std::erase_if(found_, [](const Found& found) { return found.is_arg; });
      draft_.series.clear();
      for (MessageReader reader(annotation.rest); reader.Next();) {
        const Field& f = reader.field();
        if (f.number != annotation::kDictEntries || !f.IsBytes()) continue;
        const AnnotationName entry = NameOfAnnotation(f.bytes, texts, name_buffer_);
        SetArgument(entry, texts);
        AddSeries(entry, texts);
      }
      break;
    default:
      Remember(false, static_cast<uint8_t>(key), before);
  }
}

void EventOutput::Other(std::string_view key, std::string_view json) {
  if (listener_ == nullptr) return;
  text_ += ",\"";
  text_ += key;
  text_ += "\":";
  text_ += json;
}

void EventOutput::Tell(uint64_t offset) {
  if (listener_ == nullptr) return;
  const size_t size = text_.size();
  text_.append(kineto_json::kPadding, kineto_json::kPad);
  listener_->OnEvent(offset, std::string_view(text_).substr(0, size));
}

void EventOutput::Finish(uint64_t offset) {
  if (!found_.empty()) {
    values_.append(kineto_json::kPadding, kineto_json::kPad);
    for (const Found& found : found_) {
      const Value value = Value::Json({values_.data() + found.begin, values_.data() + found.end});
      if (found.is_arg) {
        draft_.Set(static_cast<ArgKey>(found.key), value);
      } else {
        draft_.Set(static_cast<EventKey>(found.key), value);
      }
    }
  }
  rows_.builder().Add(phase_, offset);
  if (listener_ != nullptr) text_ += '}';
  Tell(offset);
}

void EventOutput::Mark(NameMark::What what, const TrackState& track, std::string_view json,
                       uint64_t offset) {
  const std::string_view tid = track.tid.empty() ? "0" : std::string_view(track.tid);
  std::string padded(json);
  padded.append(kineto_json::kPadding, kineto_json::kPad);
  rows_.builder().Mark(what, Value::Json(track.pid), Value::Json(tid),
                       Value::Json(std::string_view(padded).substr(0, json.size())), offset);
  if (listener_ == nullptr) return;
  const auto [name, argument] = WordsOf(what);
  text_ = "{\"ph\":\"M\",\"name\":\"";
  text_ += name;
  text_ += "\",\"pid\":";
  text_ += track.pid;
  text_ += ",\"tid\":";
  text_ += tid;
  text_ += ",\"args\":{\"";
  text_ += argument;
  text_ += "\":";
  text_ += json;
  text_ += "}}";
  Tell(offset);
}

}  // namespace telltale::perfetto
