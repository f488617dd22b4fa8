// SPDX-License-Identifier: Apache-2.0
// The reader of regions: once, after others, and on regions that are torn or hostile.
#include "collect/region_reader.h"

#include <sys/stat.h>

#include <fstream>
#include <random>
#include <sstream>

#include "collect/recording_fixture.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;
using Kind = RegionRecord::Kind;

class RegionReaderTest : public Recording {
 protected:
  // A small region with all kinds, as bytes. Nothing is recorded afterwards.
  std::string SampleRegion() {
    EXPECT_EQ(telltale_start(folder_.c_str()), 1);
    const uint32_t name = Number("loss");
    telltale_note("config", "{\"lr\": 1}", 9);
    for (int64_t step = 0; step < 20; ++step) {
      telltale_step_begin(step);
      telltale_span_begin(Number("forward"));
      telltale_instant(name);
      telltale_counter(name, 3);
      telltale_span_end();
      telltale_scalar(name, 0.5, step);
      telltale_text(name, "hello", 5, step);
      telltale_step_end(step, 7);
    }
    telltale_heartbeat();
    path_ = Regions().at(0);
    telltale_stop();
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  // Whatever the bytes are: ends, and hands over no more than they can hold.
  void ReadHarmlessly(const std::string& bytes) {
    const std::string path = folder_ + "/hostile.ring";
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    auto reader = RegionReader::Open(path);
    if (!reader) return;
    size_t count = 0;
    const auto use = [&](const RegionRecord& record) {
      ++count;
      EXPECT_LE(record.bytes.size(), bytes.size());
    };
    EXPECT_TRUE(reader->Drain(use).has_value());
    EXPECT_LE(count, bytes.size() / 8);
    reader->Release();
    EXPECT_TRUE(RegionPosition::Parse(reader->position().Text()).has_value());
  }

  std::string path_;
};

TEST_F(RegionReaderTest, HandsOverEverythingOnce) {
  Start();
  const uint32_t name = Number("loss");
  auto reader = Reader();
  int64_t expected = 0;
  for (int64_t step = 0; step < 300'000; ++step) {
    telltale_scalar(name, static_cast<double>(step), step);
    if (step % 30'000 != 29'999) continue;
    ASSERT_TRUE(reader.Drain([&](const RegionRecord& record) {
      if (record.kind != Kind::kScalar) return;
      ASSERT_EQ(record.step, expected);
      ++expected;
    }));
    reader.Release();
  }
  EXPECT_EQ(expected, 300'000);
  EXPECT_TRUE(reader.diagnostics.empty());
  // 9.6 MB went through it.
  EXPECT_LT(fs::file_size(reader.path()), 4U << 20);
}

TEST_F(RegionReaderTest, GoesOnWhereAnotherReaderWas) {
  Start();
  const uint32_t name = Number("loss");
  std::vector<int64_t> steps;
  int64_t step = 0;
  std::string taken = RegionPosition().Text();
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 1500; ++i) telltale_scalar(name, 1, step++);
    auto reader = Reader();
    reader.Resume(*RegionPosition::Parse(taken));
    for (const KeptRecord& record : Drain(reader)) {
      EXPECT_EQ(record.name, "loss");
      steps.push_back(record.step);
    }
    taken = reader.position().Text();
    // A reader that was killed before it released is followed by one that does.
    if (round % 3 != 0) reader.Release();
    if (round % 3 == 1) taken = reader.position().Text();
  }
  ASSERT_EQ(steps.size(), static_cast<size_t>(step));
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
}

TEST_F(RegionReaderTest, TellsANewNameOnce) {
  Start();
  Number("loss");
  auto reader = Reader();
  std::vector<std::string> names;
  const auto use = [&](const RegionRecord& record) { names.emplace_back(record.name); };
  ASSERT_TRUE(reader.Drain(use));
  Number("accuracy");
  ASSERT_TRUE(reader.Drain(use));
  const auto loss = std::count(names.begin(), names.end(), "loss");
  EXPECT_EQ(loss, 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "accuracy"), 1);

  auto second = Reader();
  second.Resume(reader.position());
  names.clear();
  ASSERT_TRUE(second.Drain(use));
  EXPECT_TRUE(names.empty());
}

TEST_F(RegionReaderTest, TakesBlobFilesAwayWhenTheyAreSafe) {
  Start();
  const std::string text(100'000, 'x');
  telltale_text(Number("log"), text.data(), text.size(), 1);
  auto reader = Reader();
  const auto all = Drain(reader);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].bytes, text);
  const auto blobs = [&] {
    return std::count_if(
        fs::directory_iterator(folder_ + "/.live"), fs::directory_iterator(),
        [](const auto& entry) { return entry.path().filename().string().starts_with("blob-"); });
  };
  EXPECT_EQ(blobs(), 1);
  reader.Release();
  EXPECT_EQ(blobs(), 0);
}

TEST_F(RegionReaderTest, SaysThatABlobIsMissing) {
  Start();
  const std::string text(100'000, 'x');
  telltale_text(Number("log"), text.data(), text.size(), 1);
  telltale_scalar(Number("loss"), 1, 2);
  for (const auto& entry : fs::directory_iterator(folder_ + "/.live")) {
    if (entry.path().filename().string().starts_with("blob-")) fs::remove(entry.path());
  }
  auto reader = Reader();
  const auto all = Drain(reader);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].kind, Kind::kScalar);
  EXPECT_EQ(reader.diagnostics.Count(DiagnosticKind::kMalformedRecord), 1U);
}

TEST_F(RegionReaderTest, FollowsNoLinkInPlaceOfABlob) {
  Start();
  const std::string text(100'000, 'x');
  telltale_text(Number("log"), text.data(), text.size(), 1);
  for (const auto& entry : fs::directory_iterator(folder_ + "/.live")) {
    if (!entry.path().filename().string().starts_with("blob-")) continue;
    const std::string path = entry.path();
    fs::rename(path, folder_ + "/elsewhere");
    fs::create_symlink(folder_ + "/elsewhere", path);
  }
  auto reader = Reader();
  EXPECT_TRUE(Drain(reader).empty());
}

TEST_F(RegionReaderTest, RefusesWhatIsNoRegion) {
  EXPECT_FALSE(RegionReader::Open(folder_ + "/none.ring"));
  EXPECT_FALSE(RegionReader::Open(folder_));
  std::ofstream(folder_ + "/short.ring") << "TLTALE01";
  EXPECT_FALSE(RegionReader::Open(folder_ + "/short.ring"));
  std::ofstream(folder_ + "/other.ring") << std::string(100'000, 'a');
  EXPECT_FALSE(RegionReader::Open(folder_ + "/other.ring"));
  ASSERT_EQ(mkfifo((folder_ + "/pipe.ring").c_str(), 0600), 0);
  EXPECT_FALSE(RegionReader::Open(folder_ + "/pipe.ring"));
}

TEST_F(RegionReaderTest, RefusesAnotherLayout) {
  std::string bytes = SampleRegion();
  bytes[8] = 2;
  std::ofstream(folder_ + "/new.ring", std::ios::binary) << bytes;
  const auto reader = RegionReader::Open(folder_ + "/new.ring");
  ASSERT_FALSE(reader);
  EXPECT_NE(reader.error().message.find("layout 2"), std::string::npos);
}

TEST_F(RegionReaderTest, SurvivesEveryCut) {
  const std::string bytes = SampleRegion();
  for (size_t size = 0; size < bytes.size();
       size += size < 300 || (size > 65'000 && size < 70'000) ? 11 : 4001) {
    ReadHarmlessly(bytes.substr(0, size));
  }
}

TEST_F(RegionReaderTest, SurvivesAnyChangedBytes) {
  const std::string bytes = SampleRegion();
  std::mt19937 random(7);
  // Where something stands: the header, and the beginning of each chunk.
  for (int round = 0; round < 150; ++round) {
    std::string changed = bytes;
    for (int i = 0; i < 8; ++i) {
      const size_t chunk = random() % (bytes.size() / 65536);
      changed[chunk * 65536 + random() % 600] = static_cast<char>(random());
    }
    ReadHarmlessly(changed);
  }
}

TEST_F(RegionReaderTest, HandsOverWhatStandsBeforeDamage) {
  std::string bytes = SampleRegion();
  // A scalar's record becomes one of a kind that does not exist.
  size_t place = std::string::npos;
  for (size_t chunk = 1; chunk < bytes.size() / 65536; ++chunk) {
    if (bytes[chunk * 65536 + 12] == 1) place = chunk * 65536 + 128;
  }
  ASSERT_NE(place, std::string::npos);
  const auto length = static_cast<size_t>(static_cast<unsigned char>(bytes[place + 2])) * 8;
  bytes[place + length] = 99;
  std::ofstream(folder_ + "/damaged.ring", std::ios::binary) << bytes;
  auto reader = RegionReader::Open(folder_ + "/damaged.ring");
  ASSERT_TRUE(reader);
  const auto all = Drain(*reader);
  EXPECT_EQ(Count(all, Kind::kNote), 1U);
  EXPECT_EQ(Count(all, Kind::kScalar), 0U);
  EXPECT_EQ(Count(all, Kind::kSpanEnd), 20U);
  ASSERT_EQ(reader->diagnostics.Count(DiagnosticKind::kDamagedData), 1U);
  EXPECT_EQ(reader->diagnostics.entries()[0].first_offset, place + length);
}

TEST(RegionPosition, IsReadBackAsItWasWritten) {
  RegionPosition position;
  position.chunks[3] = {17, 4096};
  position.chunks[0] = {1, 0};
  const auto again = RegionPosition::Parse(position.Text());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, position);
}

TEST(RegionPosition, RefusesWhatWasCutOrChanged) {
  const std::string text = RegionPosition{{{3, {17, 4096}}}}.Text();
  for (size_t size = 0; size < text.size(); ++size) {
    const auto cut = RegionPosition::Parse(text.substr(0, size));
    // Cut behind the first line: a position of nothing.
    EXPECT_EQ(cut.has_value(), size == text.find('\n') + 1) << size;
  }
  EXPECT_FALSE(RegionPosition::Parse(text + "a b c\n"));
  EXPECT_FALSE(RegionPosition::Parse(text + "99999999999 1 1\n"));
}

}  // namespace
}  // namespace telltale
