// SPDX-License-Identifier: Apache-2.0
#include "formats/wandb/reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <zlib.h>

#include "base/protobuf.h"
#include "base/utf8.h"

namespace telltale {

namespace {

using protobuf::Field;
using protobuf::MessageReader;

constexpr std::string_view kMagic(":W&B\xe1\xbe", 6);
constexpr size_t kHead = 7;       // the magic and a version
constexpr size_t kBlock = 32768;  // chunks never cross its end
constexpr size_t kChunkHead = 7;  // crc32, length (2 bytes), type
enum ChunkType : uint8_t { kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

// Numbers of fields, wandb_internal.proto.
enum RecordField : uint8_t {
  kHistory = 2,
  kSummary = 3,
  kConfig = 5,
  kStats = 7,
  kRun = 17,
  kExit = 18
};

uint64_t Little(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

std::string Text(const Field& field) { return RepairUtf8(field.bytes); }

// google.protobuf.Timestamp.
std::optional<int64_t> TimeOf(std::string_view message) {
  int64_t seconds = 0, nanos = 0;
  MessageReader reader(message);
  while (reader.Next()) {
    if (reader.field().number == 1) seconds = reader.field().Signed();
    if (reader.field().number == 2) nanos = reader.field().Signed();
  }
  constexpr int64_t kMostSeconds = INT64_MAX / 1'000'000'000 - 1;
  if (reader.bad() || std::abs(seconds) > kMostSeconds || nanos < 0 || nanos >= 1'000'000'000) {
    return std::nullopt;
  }
  return seconds * 1'000'000'000 + nanos;
}

// A ConfigItem, HistoryItem, StatsItem: a key, or the keys of nested mappings, and JSON.
struct Item {
  std::vector<std::string> keys;
  JsonValue value;
  bool good = true;
};

Item ItemOf(std::string_view message) {
  constexpr size_t kMostKeys = 32;  // nested deeper than anybody does
  Item item;
  std::string key;
  MessageReader reader(message);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (!field.IsBytes()) continue;
    if (field.number == 1) key = Text(field);
    if (field.number == 2 && item.keys.size() < kMostKeys) item.keys.push_back(Text(field));
    if (field.number == 16) {
      Result<JsonValue> value = ParseJson(field.bytes);
      item.good = value.has_value();
      if (value) item.value = std::move(*value);
    }
  }
  if (item.keys.empty()) item.keys.push_back(std::move(key));
  item.good = item.good && !reader.bad();
  return item;
}

// Items as the nested mapping they were taken from.
class Nested {
 public:
  void Put(Item item) {
    std::vector<Entry>* level = &entries_;
    for (size_t i = 0; i + 1 < item.keys.size(); ++i) level = &At(*level, item.keys[i]).below;
    At(*level, item.keys.back()).value = std::move(item.value);
  }
  [[nodiscard]] JsonValue Take() { return Make(entries_); }

 private:
  struct Entry {
    std::string key;
    JsonValue value;
    std::vector<Entry> below;
  };
  static Entry& At(std::vector<Entry>& level, const std::string& key) {
    const auto at = std::ranges::find(level, key, &Entry::key);
    if (at != level.end()) return *at;
    return level.emplace_back(Entry{key, {}, {}});
  }
  static JsonValue Make(std::vector<Entry>& level) {  // NOLINT(misc-no-recursion): kMostKeys
    JsonValue out = JsonValue::Object();
    for (Entry& entry : level) {
      out.Set(entry.key, entry.below.empty() ? std::move(entry.value) : Make(entry.below));
    }
    return out;
  }
  std::vector<Entry> entries_;
};

}  // namespace

void WandbLog::Bad(uint64_t offset) {
  logged.series.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
}

void WandbLog::Config(std::string_view message) {
  MessageReader reader(message);
  while (reader.Next()) {
    if (reader.field().number != 1 || !reader.field().IsBytes()) continue;
    Item item = ItemOf(reader.field().bytes);
    // What the tool notes for itself.
    if (!item.good || item.keys[0] == "_wandb") continue;
    std::string key = item.keys[0];
    for (size_t i = 1; i < item.keys.size(); ++i) key += "." + item.keys[i];
    config.Set(std::move(key), std::move(item.value));
  }
}

void WandbLog::Run(std::string_view message) {
  tags.clear();
  MessageReader reader(message);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (!field.IsBytes()) continue;
    switch (field.number) {
      case 1:
        id = Text(field);
        break;
      case 3:
        project = Text(field);
        break;
      case 4:
        Config(field.bytes);
        break;
      case 6:
        group = Text(field);
        break;
      case 7:
        job_type = Text(field);
        break;
      case 8:
        name = Text(field);
        break;
      case 9:
        notes = Text(field);
        break;
      case 10:
        tags.push_back(Text(field));
        break;
      case 13:
        host = Text(field);
        break;
      case 17:
        start_ns = TimeOf(field.bytes);
        break;
      default:
        break;
    }
  }
}

void WandbLog::History(std::string_view message) {
  int64_t step = 0;
  double wall_time = std::nan("");
  Nested record;
  MessageReader reader(message);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (field.number == 2 && field.IsBytes()) {
      MessageReader number(field.bytes);
      while (number.Next()) {
        if (number.field().number == 1) step = number.field().Signed();
      }
    }
    if (field.number != 1 || !field.IsBytes()) continue;
    Item item = ItemOf(field.bytes);
    if (!item.good) {
      Bad(position_);
      continue;
    }
    const std::string& key = item.keys[0];
    if (item.keys.size() == 1 && key == "_step") {
      step = item.value.AsInt();
    } else if (item.keys.size() == 1 && key == "_timestamp") {
      wall_time = item.value.AsDouble();
    } else if (item.keys.size() > 1 || (key != "_runtime" && key != "_wandb")) {
      record.Put(std::move(item));
    }
  }
  logged.Log(step, wall_time, record.Take());
  last_step_ = step;
  last_wall_time_ = wall_time;
}

// The tool repeats there what was logged last, at times before the history itself comes.
void WandbLog::Summary(std::string_view message) {
  MessageReader reader(message);
  while (reader.Next()) {
    if (reader.field().number != 1 || !reader.field().IsBytes()) continue;
    const Item item = ItemOf(reader.field().bytes);
    if (!item.good || item.keys[0].starts_with('_') || !item.value.IsNumber()) continue;
    std::string tag = item.keys[0];
    for (size_t i = 1; i < item.keys.size(); ++i) tag += "." + item.keys[i];
    summary_[tag] = {item.keys[0], item.value.AsDouble()};
  }
}

// What only the program wrote into the summary is in no history.
void WandbLog::TakeSummary() {
  for (const auto& [tag, of] : summary_) {
    if (logged.series.Find(tag) != nullptr || logged.series.Find(of.first) != nullptr) continue;
    logged.Point(tag, last_step_, last_wall_time_, of.second);
  }
  summary_.clear();
}

void WandbLog::Stats(std::string_view message) {
  double wall_time = std::nan("");
  std::vector<Item> items;
  MessageReader reader(message);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (!field.IsBytes()) continue;
    if (field.number == 2) {
      if (const std::optional<int64_t> ns = TimeOf(field.bytes)) {
        wall_time = static_cast<double>(*ns) / 1e9;
      }
    }
    if (field.number == 3) items.push_back(ItemOf(field.bytes));
  }
  for (const Item& item : items) {
    if (!item.good || !item.value.IsNumber()) continue;
    logged.Point("system/" + item.keys[0], stats_, wall_time, item.value.AsDouble());
  }
  ++stats_;
}

void WandbLog::Record(std::string_view bytes, uint64_t offset) {
  ++records;
  MessageReader reader(bytes);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (!field.IsBytes()) continue;
    switch (field.number) {
      case kHistory:
        History(field.bytes);
        break;
      case kSummary:
        Summary(field.bytes);
        break;
      case kConfig:
        Config(field.bytes);
        break;
      case kStats:
        Stats(field.bytes);
        break;
      case kRun:
        Run(field.bytes);
        break;
      case kExit: {
        exit_code = 0;  // not written where it is 0
        MessageReader ended(field.bytes);
        while (ended.Next()) {
          if (ended.field().number == 1) exit_code = ended.field().Signed();
        }
        TakeSummary();
        break;
      }
      default:
        break;
    }
  }
  if (reader.bad()) Bad(offset);
}

Result<void> WandbLog::Read(ByteSource& source) {
  // Chunks that are read but belong to no whole record yet, and the bytes behind them.
  std::string rest;
  std::string record;
  uint64_t at = position_;     // of rest
  uint64_t begin = position_;  // of the record
  bool in_record = false;
  std::string buffer(size_t{1} << 18, '\0');
  for (bool ended = false; !ended;) {
    const Result<size_t> read = source.Read(buffer.data(), buffer.size());
    if (!read) return tl::unexpected(read.error());
    ended = *read == 0;
    rest.append(buffer, 0, *read);
    size_t used = 0;
    if (at == 0 && position_ == 0) {
      if (rest.size() < kHead) {
        if (!ended) continue;
        const bool may_become = kMagic.starts_with(rest.substr(0, kMagic.size()));
        if (may_become) return {};
      }
      if (!rest.starts_with(kMagic)) {
        return Fail(ErrorCode::kUnreadable, "expected a W&B log, which begins with :W&B", 0);
      }
      used = kHead;
      position_ = kHead;
    }
    for (;;) {
      const uint64_t here = at + used;
      const size_t room = kBlock - here % kBlock;
      if (room < kChunkHead) {
        if (rest.size() - used < room) break;
        used += room;
        if (!in_record) position_ = at + used;
        continue;
      }
      if (rest.size() - used < kChunkHead) break;
      const std::string_view left = std::string_view(rest).substr(used);
      const size_t length = Little(left, 4, 2);
      const auto type = static_cast<uint8_t>(left[6]);
      if (type == 0 && length == 0) {
        // The rest of a block that was never written.
        if (left.size() < room) break;
        used += room;
        if (!in_record) position_ = at + used;
        continue;
      }
      if (kChunkHead + length > room || type < kWhole || type > kLast) {
        // Damage: goes on with the next block, where a chunk begins.
        if (left.size() < room) break;
        logged.series.diagnostics.Add(DiagnosticKind::kDamagedData, here);
        used += room;
        in_record = false;
        record.clear();
        position_ = at + used;
        continue;
      }
      if (left.size() < kChunkHead + length) break;
      const std::string_view body = left.substr(kChunkHead, length);
      const auto crc = static_cast<uint32_t>(
          crc32(0, reinterpret_cast<const Bytef*>(left.data() + 6), static_cast<uInt>(length + 1)));
      const bool good = crc == static_cast<uint32_t>(Little(left, 0, 4));
      used += kChunkHead + length;
      const bool starts = type == kWhole || type == kFirst;
      if (!good || (!starts && !in_record)) {
        logged.series.diagnostics.Add(
            good ? DiagnosticKind::kMalformedRecord : DiagnosticKind::kDamagedData, here);
        in_record = false;
        record.clear();
        position_ = at + used;
        continue;
      }
      if (starts) {
        if (in_record) Bad(begin);
        record.clear();
        begin = here;
        in_record = true;
      }
      record.append(body);
      if (type == kWhole || type == kLast) {
        in_record = false;
        Record(record, begin);
        record.clear();
        position_ = at + used;
      }
    }
    rest.erase(0, used);
    at += used;
  }
  return {};
}

}  // namespace telltale
