// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/metadata.h"

#include <charconv>
#include <string>

#include "base/decimal.h"
#include "base/json/text.h"

namespace telltale::kineto_json {

namespace {

// Longer values are cut: they are kept to be shown, not to be parsed.
constexpr size_t kKeptBytes = size_t{64} << 10;

std::string Clean(const Value& value) { return Unescape(value.text()).text; }

int64_t ToInt(const Value& value) {
  if (value.kind != Value::Kind::kNumber && value.kind != Value::Kind::kString) return kNoInt;
  return DecimalToInt(value.text(), 0).value_or(kNoInt);
}

// Calls field(key, value) for every field of an object.
template <typename Field>
void ForEachField(const Value& object, Field field) {
  const char* p = object.begin;
  if (object.kind != Value::Kind::kContainer || *p != '{') return;
  Repairs repairs;
  repairs.at_eof = true;
  do {
    p = SkipSpace(p + 1);
    Value key;
    Value value;
    if (*p != '"') return;
    const char* next = ReadString<true>(p, object.end, Place::kKey, key, repairs);
    if (next == nullptr) return;
    p = SkipSpace(next);
    if (*p != ':') return;
    p = SkipSpace(p + 1);
    next = ReadValue<true>(p, object.end, value, repairs);
    if (next == nullptr) return;
    field(Clean(key), value);
    p = SkipSpace(next);
  } while (p < object.end && *p == ',');
}

// Calls element(value) for every element of a list.
template <typename Element>
void ForEachElement(const Value& list, Element element) {
  const char* p = list.begin;
  if (list.kind != Value::Kind::kContainer || *p != '[') return;
  Repairs repairs;
  repairs.at_eof = true;
  do {
    p = SkipSpace(p + 1);
    if (p >= list.end || *p == ']') return;
    Value value;
    const char* next = ReadValue<false>(p, list.end, value, repairs);
    if (next == nullptr) return;
    element(value);
    p = SkipSpace(next);
  } while (p < list.end && *p == ',');
}

DeviceProperties ReadDevice(const Value& object) {
  DeviceProperties device;
  ForEachField(object, [&](const std::string& key, const Value& value) {
    if (key == "id") device.id = ToInt(value);
    if (key == "name") device.name = Clean(value);
    if (key == "totalGlobalMem") device.memory_bytes = ToInt(value);
    if (key == "computeMajor") device.compute_major = ToInt(value);
    if (key == "computeMinor") device.compute_minor = ToInt(value);
    if (key == "numSms") device.multiprocessors = ToInt(value);
    if (key == "warpSize") device.warp_size = ToInt(value);
  });
  return device;
}

DistributedInfo ReadDistributed(const Value& object) {
  DistributedInfo info;
  info.present = true;
  ForEachField(object, [&](const std::string& key, const Value& value) {
    if (key == "backend") info.backend = Clean(value);
    if (key == "rank") info.rank = ToInt(value);
    if (key == "world_size") info.world_size = ToInt(value);
  });
  return info;
}

}  // namespace

bool StoreMetadata(std::string_view key, const Value& value, Trace& trace) {
  const bool is_list = value.kind == Value::Kind::kContainer && *value.begin == '[';
  const bool is_object = value.kind == Value::Kind::kContainer && *value.begin == '{';
  bool shape_known = true;
  if (key == "deviceProperties" || key == "computeProperties") {
    shape_known = is_list;
    trace.devices.clear();
    ForEachElement(value, [&](const Value& v) { trace.devices.push_back(ReadDevice(v)); });
    for (size_t i = 0; i < trace.devices.size(); ++i) {
      if (trace.devices[i].id == kNoInt) trace.devices[i].id = static_cast<int64_t>(i);
    }
  } else if (key == "distributedInfo") {
    shape_known = is_object;
    if (is_object) trace.distributed = ReadDistributed(value);
  } else if (key == "baseTimeNanoseconds") {
    const int64_t base = ToInt(value);
    shape_known = base >= 0 && base < int64_t{1} << 62;  // sums with any ts stay within 64 bits
    if (shape_known) trace.base_time_ns = base;
  }
  std::string text = value.kind == Value::Kind::kString
                         ? Clean(value)
                         : CompactJson(value.text().substr(0, kKeptBytes * 4));
  if (text.size() > kKeptBytes) text.resize(kKeptBytes);
  trace.metadata.emplace_back(std::string(key), std::move(text));
  return shape_known;
}

}  // namespace telltale::kineto_json
