// SPDX-License-Identifier: Apache-2.0
// The part of TrackEvents for what our own writer wrote: see dialect.h.
#include <algorithm>
#include <charconv>

#include "base/json/text.h"
#include "base/protobuf.h"
#include "formats/event_text.h"
#include "formats/kineto_json/blocks.h"
#include "formats/kineto_json/metadata.h"
#include "formats/perfetto/annotations.h"
#include "formats/perfetto/dialect.h"
#include "formats/perfetto/fields.h"
#include "formats/perfetto/track_events.h"

namespace telltale::perfetto {

namespace {

bool IsNull(const AnnotationName& annotation, const AnnotationTexts& texts) {
  std::string json;
  return AppendAnnotationValue(json, annotation.rest, texts) && json == "null";
}

uint64_t UnsignedOf(const AnnotationName& annotation, const AnnotationTexts& texts) {
  std::string json;
  uint64_t number = 0;
  if (!AppendAnnotationValue(json, annotation.rest, texts)) return number;
  std::from_chars(json.data(), json.data() + json.size(), number);
  return number;
}

}  // namespace

bool TrackEvents::ReadOurs(int64_t time_ns, const SequenceState& sequence, uint64_t offset) {
  if (fields_.type != event::kInstant || fields_.category_iids.size() != 1) return false;
  const JsonText* text = sequence.categories.Find(fields_.category_iids[0]);
  if (text == nullptr || !text->json.starts_with("\"__")) return false;
  const std::string_view category = std::string_view(text->json).substr(1, text->json.size() - 2);
  if (category == kMarkCategory) return ReadMark(sequence), true;
  if (category == kDroppedCategory) return ReadDropped(sequence, offset), true;
  if (!ours_) return false;
  if (category == kMetadataCategory) return ReadMetadata(sequence, offset), true;
  if (category == kRecordCategory) return ReadRecord(time_ns, sequence, offset), true;
  return false;
}

bool TrackEvents::IsExtra(std::string_view annotation, const SequenceState& sequence) const {
  if (!ours_ || !sequence.annotations.has_extra_fields()) return false;
  MessageReader reader(annotation);
  if (!reader.Next()) return false;
  const Field& f = reader.field();
  if (f.number != annotation::kNameIid || !f.IsNumber()) return false;
  const std::string_view json = sequence.annotations.GetName(f.value).json;
  return json.size() == kExtraFields.size() + 2 &&
         json.substr(1, kExtraFields.size()) == kExtraFields;
}

// Fields of the event that are no arguments.
bool TrackEvents::AddExtra(std::string_view annotation, const SequenceState& sequence) {
  bool has_scope = false;
  for (MessageReader reader(annotation); reader.Next();) {
    const Field& f = reader.field();
    if (f.number != annotation::kDictEntries || !f.IsBytes()) continue;
    const AnnotationName field = NameOfAnnotation(f.bytes, sequence.annotations, name_buffer_);
    if (field.json == "\"s\"") {
      has_scope = true;
      if (IsNull(field, sequence.annotations)) continue;
    }
    out_.TakeField(field, sequence.annotations);
  }
  return has_scope;
}

// The first event of a file that Telltale wrote.
void TrackEvents::ReadMark(const SequenceState& sequence) {
  std::string text = "{";
  for (const std::string_view message : fields_.annotations) {
    if (text.size() > 1) text += ',';
    if (!AppendAnnotation(text, message, sequence.annotations)) return;
  }
  text += '}';
  const size_t size = text.size();
  text.append(kineto_json::kPadding, kineto_json::kPad);
  EventText fields;
  if (!fields.Parse(std::string_view(text).substr(0, size))) return;
  for (const JsonField& field : fields.fields()) {
    if (field.key == kMarkVersion) ours_ = field.json == "1";
    if (field.key == kMarkTimeOffset) {
      int64_t offset = 0;
      std::from_chars(field.json.data(), field.json.data() + field.json.size(), offset);
      time_offset_ = static_cast<uint64_t>(offset);
    }
    if (field.key == kMarkFlows && field.json.starts_with("[\"")) {
      // A list of strings: cut at the quotes that are not escaped.
      for (size_t i = 1; i + 1 < field.json.size(); ++i) {
        const size_t begin = i;
        for (++i; i < field.json.size() && field.json[i] != '"'; ++i) {
          if (field.json[i] == '\\') ++i;
        }
        const std::string_view category = field.json.substr(begin, i - begin + 1);
        flow_kinds_.push_back({{std::string(category)}, {Quoted(FlowName(Unquoted(category)))}});
        ++i;  // the comma
      }
    }
  }
}

void TrackEvents::ReadDropped(const SequenceState& sequence, uint64_t offset) {
  for (const std::string_view message : fields_.annotations) {
    const AnnotationName field = NameOfAnnotation(message, sequence.annotations, name_buffer_);
    const std::string_view name = std::string_view(field.json).substr(1, field.json.size() - 2);
    const uint64_t count = UnsignedOf(field, sequence.annotations);
    if (name == kDroppedCount) dropped_.dropped = std::max(dropped_.dropped, count);
    if (name == kLeftOutCount) dropped_.left_out = std::max(dropped_.left_out, count);
  }
  if (!dropped_.first_offset) dropped_.first_offset = offset;
  rows_.Count();
}

void TrackEvents::NoteDropped(Trace& trace) const {
  const uint64_t all = dropped_.dropped + dropped_.left_out;
  if (all == 0) return;
  std::string detail;
  if (dropped_.left_out == 0) {
    detail = "spans found no room while they were recorded; the numbers lack them";
  } else if (dropped_.dropped == 0) {
    detail =
        "spans came after the file had reached its size; the numbers lack them "
        "(TELLTALE_SPANS_MIB allows more)";
  } else {
    detail = std::to_string(dropped_.dropped) +
             " spans found no room while they were recorded, others came after the file had "
             "reached its size (TELLTALE_SPANS_MIB allows more); the numbers lack them";
  }
  trace.diagnostics.Add(DiagnosticKind::kDroppedSpans, dropped_.first_offset, all - 1);
  trace.diagnostics.AddWithDetail(DiagnosticKind::kDroppedSpans, dropped_.first_offset,
                                  std::move(detail));
}

void TrackEvents::ReadMetadata(const SequenceState& sequence, uint64_t offset) {
  for (const std::string_view message : fields_.annotations) {
    std::string text;
    if (!AppendAnnotation(text, message, sequence.annotations)) continue;
    text += '}';  // a number is known to be whole by what follows it
    const size_t size = text.size();
    text.append(kineto_json::kPadding, kineto_json::kPad);
    using namespace kineto_json;
    Repairs repairs;
    repairs.at_eof = true;
    Value key;
    Value value;
    const char* const end = text.data() + size;
    const char* p = ReadString<false>(text.data(), end, Place::kKey, key, repairs);
    if (p == nullptr) continue;
    if (ReadValue<false>(p + 1, end, value, repairs) == nullptr) continue;
    const std::string name = Unescape(key.text()).text;
    if (!StoreMetadata(name, value, rows_.trace())) {
      rows_.Note(DiagnosticKind::kMalformedMetadata, offset);
    }
    if (out_.listener() != nullptr) out_.listener()->OnMetadata(name, value);
  }
}

void TrackEvents::ReadRecord(int64_t time_ns, const SequenceState& sequence, uint64_t offset) {
  out_.Start('\0');
  bool has_time = true;
  for (const std::string_view message : fields_.annotations) {
    const AnnotationName field = NameOfAnnotation(message, sequence.annotations, name_buffer_);
    if (field.json == "\"flow_id\"") {
      replaced_flows_.insert({UnsignedOf(field, sequence.annotations), time_ns});
    } else if (field.json == "\"ts\"" && IsNull(field, sequence.annotations)) {
      has_time = false;
    } else {
      out_.TakeField(field, sequence.annotations);
    }
  }
  if (has_time) out_.Time(EventKey::kTs, time_ns);
  out_.Finish(offset);
}

}  // namespace telltale::perfetto
