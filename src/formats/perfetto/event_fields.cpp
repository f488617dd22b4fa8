// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/event_fields.h"

#include <bit>
#include <type_traits>

#include "base/protobuf.h"
#include "formats/perfetto/fields.h"

namespace telltale::perfetto {

namespace {

// All phases are.
bool IsLetter(uint64_t value) {
  return (value >= 'A' && value <= 'Z') || (value >= 'a' && value <= 'z');
}

}  // namespace

void EventFields::Clear() {
  type = event::kUnspecified;
  has_track = has_legacy = has_name = has_counter = counter_is_double = false;
  has_delta_us = has_absolute_us = false;
  track = name_iid = 0;
  category_iids.clear();
  categories.clear();
  annotations.clear();
  flows.clear();
  ending_flows.clear();
  extra_tracks.clear();
  extra_values.clear();
  extra_double_tracks.clear();
  extra_double_values.clear();
}

bool EventFields::Read(std::string_view message) {
  Clear();
  MessageReader reader(message);
  while (reader.Next()) {
    const Field& f = reader.field();
    const auto numbers = [&](WireType wire, auto& list) {
      ForEachNumber(f, wire, [&](uint64_t n) {
        list.push_back(
            static_cast<typename std::remove_reference_t<decltype(list)>::value_type>(n));
      });
    };
    switch (f.number) {
      case event::kType:
        if (f.IsNumber()) type = f.value;
        break;
      case event::kTrackUuid:
        if (f.IsNumber()) track = f.value, has_track = true;
        break;
      case event::kNameIid:
        if (f.IsNumber()) name_iid = f.value;
        break;
      case event::kName:
        if (f.IsBytes()) name = f.bytes, has_name = true;
        break;
      case event::kCategoryIids:
        numbers(WireType::kVarint, category_iids);
        break;
      case event::kCategories:
        if (f.IsBytes()) categories.push_back(f.bytes);
        break;
      case event::kAnnotations:
        if (f.IsBytes()) annotations.push_back(f.bytes);
        break;
      case event::kFlowIds:
        numbers(WireType::kFixed64, flows);
        break;
      case event::kFlowIdsOld:
        numbers(WireType::kVarint, flows);
        break;
      case event::kTerminatingFlowIds:
        numbers(WireType::kFixed64, ending_flows);
        break;
      case event::kTerminatingFlowIdsOld:
        numbers(WireType::kVarint, ending_flows);
        break;
      case event::kCounterValue:
        if (f.IsNumber()) counter = f.Signed(), has_counter = true;
        break;
      case event::kDoubleCounterValue:
        if (f.IsNumber()) double_counter = f.Double(), has_counter = counter_is_double = true;
        break;
      case event::kExtraCounterTracks:
        numbers(WireType::kVarint, extra_tracks);
        break;
      case event::kExtraCounterValues:
        numbers(WireType::kVarint, extra_values);
        break;
      case event::kExtraDoubleCounterTracks:
        numbers(WireType::kVarint, extra_double_tracks);
        break;
      case event::kExtraDoubleCounterValues:
        ForEachNumber(f, WireType::kFixed64,
                      [&](uint64_t n) { extra_double_values.push_back(std::bit_cast<double>(n)); });
        break;
      case event::kLegacyEvent:
        if (f.IsBytes()) legacy = f.bytes, has_legacy = true;
        break;
      case event::kTimestampDeltaUs:
        if (f.IsNumber()) time_us = f.Signed(), has_delta_us = true;
        break;
      case event::kTimestampAbsoluteUs:
        if (f.IsNumber()) time_us = f.Signed(), has_absolute_us = true;
        break;
      default:
        break;
    }
  }
  return !reader.bad();
}

LegacyFields::LegacyFields(std::string_view message) {
  for (MessageReader reader(message); reader.Next();) {
    const Field& f = reader.field();
    if (!f.IsNumber()) continue;
    switch (f.number) {
      case legacy::kNameIid:
        name_iid = f.value;
        break;
      case legacy::kPhase:
        if (IsLetter(f.value)) phase = static_cast<char>(f.value);
        break;
      case legacy::kDurationUs:
        duration_us = f.Signed();
        break;
      case legacy::kUnscopedId:
      case legacy::kLocalId:
      case legacy::kGlobalId:
        id = f.value;
        has_id = true;
        break;
      case legacy::kBindId:
        if (!has_id) id = f.value;
        has_id = true;
        break;
      case legacy::kBindToEnclosing:
        binds_to_enclosing = f.value != 0;
        break;
      case legacy::kInstantScope:
        scope = f.value;
        break;
      case legacy::kPidOverride:
        pid = static_cast<int32_t>(f.value);
        has_pid = true;
        break;
      case legacy::kTidOverride:
        tid = f.Signed();
        has_tid = true;
        break;
      default:
        break;
    }
  }
}

}  // namespace telltale::perfetto
