// SPDX-License-Identifier: Apache-2.0
// The part of TrackEvents for what our own writer wrote: see dialect.h.
#include <algorithm>
#include <charconv>

#include "formats/event_text.h"
#include "formats/kineto_json/blocks.h"
#include "formats/kineto_json/metadata.h"
#include "formats/kineto_json/text.h"
#include "formats/kineto_json/writer.h"
#include "formats/perfetto/annotations.h"
#include "formats/perfetto/dialect.h"
#include "formats/perfetto/fields.h"
#include "formats/perfetto/track_events.h"
#include "formats/perfetto/wire.h"

namespace telltale::perfetto {

bool TrackEvents::ReadOurs(int64_t time_ns, const SequenceState& sequence, uint64_t offset) {
  if (fields_.type != event::kInstant || fields_.category_iids.size() != 1) return false;
  const std::string_view quoted = sequence.categories.Get(fields_.category_iids[0]);
  if (!quoted.starts_with("\"__")) return false;
  const std::string_view category = quoted.substr(1, quoted.size() - 2);
  if (category == kMarkCategory) return ReadMark(sequence), true;
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

bool TrackEvents::HasExtra(const SequenceState& sequence) const {
  return std::any_of(fields_.annotations.begin(), fields_.annotations.end(),
                     [&](std::string_view annotation) { return IsExtra(annotation, sequence); });
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
        flow_kinds_.push_back({std::string(category), Quoted(FlowName(Unquoted(category)))});
        ++i;  // the comma
      }
    }
  }
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
    if (rows_.listener() != nullptr) rows_.listener()->OnMetadata(name, value);
  }
}

void TrackEvents::ReadRecord(int64_t time_ns, const SequenceState& sequence, uint64_t offset) {
  std::string& text = words_.text();
  text = "{";
  bool has_time = true;
  for (const std::string_view message : fields_.annotations) {
    const size_t before = text.size();
    if (before > 1) text += ',';
    const size_t begin = text.size();
    if (!AppendAnnotation(text, message, sequence.annotations)) {
      text.resize(before);
      continue;
    }
    const std::string_view added = std::string_view(text).substr(begin);
    if (added.starts_with("\"flow_id\":")) {
      uint64_t id = 0;
      std::from_chars(added.data() + 10, added.data() + added.size(), id);
      replaced_flows_.insert({id, time_ns});
      text.resize(before);
    } else if (added == "\"ts\":null") {
      has_time = false;
      text.resize(before);
    }
  }
  if (has_time) {
    text += text.size() > 1 ? ",\"ts\":" : "\"ts\":";
    AppendMicroseconds(text, time_ns);
  }
  text += '}';
  words_.FinishText(offset);
}

}  // namespace telltale::perfetto
