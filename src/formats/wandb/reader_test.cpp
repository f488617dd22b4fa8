// SPDX-License-Identifier: Apache-2.0
#include "formats/wandb/reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <zlib.h>

#include "base/protobuf.h"

namespace telltale {
namespace {

using protobuf::MessageWriter;

// A log as LevelDB's writer cuts it.
class Log {
 public:
  Log() : bytes_(":W&B\xe1\xbe\0", 7) {}
  void Record(std::string_view record) {
    bool first = true;
    do {
      size_t room = 32768 - bytes_.size() % 32768;
      if (room < 7) {
        bytes_.append(room, '\0');
        room = 32768;
      }
      const size_t length = std::min(record.size(), room - 7);
      const bool last = length == record.size();
      const char type = first ? (last ? 1 : 2) : (last ? 4 : 3);
      std::string body(1, type);
      body += record.substr(0, length);
      const auto crc = static_cast<uint32_t>(
          crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
      for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(crc >> (8 * i));
      bytes_ += static_cast<char>(length & 0xff);
      bytes_ += static_cast<char>(length >> 8);
      bytes_ += body;
      record.remove_prefix(length);
      first = false;
    } while (!record.empty());
  }
  void History(int64_t step, std::string_view key, std::string_view json) {
    MessageWriter record;
    const size_t history = record.Begin(2);
    for (const auto& [name, value] :
         {std::pair<std::string_view, std::string>{key, std::string(json)},
          {"_step", std::to_string(step)},
          {"_timestamp", "1.5e9"}}) {
      const size_t item = record.Begin(1);
      record.Bytes(2, name);
      record.Bytes(16, value);
      record.End(item);
    }
    record.End(history);
    Record(record.bytes());
  }
  // `key` as programs write it: not nested.
  void Summary(std::string_view key, std::string_view json) {
    MessageWriter record;
    const size_t summary = record.Begin(3);
    const size_t item = record.Begin(1);
    record.Bytes(1, key);
    record.Bytes(16, json);
    record.End(item);
    record.End(summary);
    Record(record.bytes());
  }
  std::string bytes_;
};

WandbLog ReadAll(std::string_view bytes, size_t chunk = SIZE_MAX) {
  WandbLog log;
  EXPECT_TRUE(log.Read(*OpenMemory(bytes, chunk)));
  return log;
}

const ScalarColumn& Points(const WandbLog& log, std::string_view tag) {
  static const ScalarColumn kNone;
  const SeriesTag* const found = log.logged.series.Find(tag, "scalars");
  return found == nullptr ? kNone : found->scalars;
}

TEST(Wandb, ReadsRecordsOverBlocksInPiecesOfAnySize) {
  Log log;
  for (int i = 0; i < 1000; ++i) log.History(i, "loss", std::to_string(1.0 / (i + 1)));
  log.History(1000, "text", "\"" + std::string(70'000, 'y') + "\"");
  log.History(1001, "loss", "NaN");
  for (const size_t chunk : {size_t{1}, size_t{4097}, SIZE_MAX}) {
    const WandbLog read = ReadAll(log.bytes_, chunk);
    ASSERT_EQ(Points(read, "loss").size(), 1001U);
    EXPECT_TRUE(std::isnan(Points(read, "loss").back().value));
    EXPECT_EQ(Points(read, "loss").back().step, 1001);
    EXPECT_EQ(read.position(), log.bytes_.size());
    EXPECT_TRUE(read.logged.series.diagnostics.empty());
  }
}

TEST(Wandb, GoesOnWhereItStoppedAtEveryCut) {
  Log log;
  for (int i = 0; i < 40; ++i) log.History(i, "loss", "1");
  log.History(40, "text", "\"" + std::string(33'000, 'y') + "\"");
  log.History(41, "loss", "2");
  for (size_t cut = 0; cut < log.bytes_.size(); cut += cut < 3000 ? 1 : 997) {
    WandbLog read;
    ASSERT_TRUE(read.Read(*OpenMemory(std::string_view(log.bytes_).substr(0, cut))));
    ASSERT_TRUE(read.Read(*OpenMemory(std::string_view(log.bytes_).substr(read.position()))));
    EXPECT_EQ(Points(read, "loss").size(), 41U) << cut;
    EXPECT_TRUE(read.logged.series.diagnostics.empty()) << cut;
  }
}

TEST(Wandb, AWrongChecksumLosesItsRecordAlone) {
  Log log;
  log.History(0, "loss", "1");
  const size_t second = log.bytes_.size();
  log.History(1, "loss", "2");
  log.History(2, "loss", "3");
  log.bytes_[second + 20] ^= 1;
  const WandbLog read = ReadAll(log.bytes_);
  EXPECT_EQ(Points(read, "loss").size(), 2U);
  EXPECT_EQ(read.logged.series.diagnostics.Count(DiagnosticKind::kDamagedData), 1U);
  EXPECT_EQ(read.logged.series.diagnostics.entries()[0].first_offset, second);
}

TEST(Wandb, ASummaryAddsWhatNoHistoryHas) {
  Log log;
  log.Summary("loss", "1");  // before its history, as the tool does
  log.History(7, "loss", "1");
  log.Summary("best", "0.5");
  log.Summary("best", "0.25");
  log.Summary("_runtime", "3");
  log.Summary("word", "\"text\"");
  EXPECT_EQ(Points(ReadAll(log.bytes_), "best").size(), 0U);  // the run goes on
  MessageWriter exit;
  exit.End(exit.Begin(18));
  log.Record(exit.bytes());
  const WandbLog read = ReadAll(log.bytes_);
  ASSERT_EQ(Points(read, "best").size(), 1U);
  EXPECT_EQ(Points(read, "best")[0].value, 0.25);
  EXPECT_EQ(Points(read, "best")[0].step, 7);
  EXPECT_EQ(Points(read, "loss").size(), 1U);
  EXPECT_EQ(read.logged.series.tags.size(), 2U);
}

TEST(Wandb, OtherFilesAreRefused) {
  WandbLog log;
  EXPECT_FALSE(log.Read(*OpenMemory("no such thing")));
  EXPECT_TRUE(WandbLog().Read(*OpenMemory(":W&")));
  EXPECT_TRUE(WandbLog().Read(*OpenMemory("")));
}

}  // namespace
}  // namespace telltale
