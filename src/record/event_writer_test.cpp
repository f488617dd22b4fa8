// SPDX-License-Identifier: Apache-2.0
// Event files that the writers of writer.h and summary_writer.hpp make, read back byte by byte.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include <telltale/summary_writer.hpp>

#include "record/crc32c.h"
#include "record/histogram.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;

class EventWriterTest : public testing::Test {
 protected:
  EventWriterTest() {
    std::string pattern = fs::temp_directory_path() / "telltale-writer-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~EventWriterTest() override { fs::remove_all(folder_); }

  // The payloads of all records, whose frames must be right.
  static std::vector<std::string> Events(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string bytes = text.str();
    std::vector<std::string> events;
    size_t at = 0;
    while (at + 12 <= bytes.size()) {
      uint64_t length = 0;
      uint32_t head = 0;
      uint32_t body = 0;
      std::memcpy(&length, bytes.data() + at, 8);
      std::memcpy(&head, bytes.data() + at + 8, 4);
      EXPECT_EQ(head, record::MaskedCrc32c(bytes.data() + at, 8));
      if (bytes.size() - at - 12 < length + 4) break;
      std::memcpy(&body, bytes.data() + at + 12 + length, 4);
      EXPECT_EQ(body, record::MaskedCrc32c(bytes.data() + at + 12, length));
      events.push_back(bytes.substr(at + 12, length));
      at += length + 16;
    }
    EXPECT_EQ(at, bytes.size());
    return events;
  }

  std::string folder_;
};

TEST(Crc32c, IsTheSameWithAndWithoutTheInstruction) {
  // RFC 3720, B.4.
  const std::string zeros(32, '\0');
  EXPECT_EQ(record::Crc32c(zeros.data(), zeros.size()), 0x8a9136aaU);
  EXPECT_EQ(record::Crc32cByTable("123456789", 9), 0xe3069283U);
  std::mt19937 random(3);
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(record::Crc32c(bytes.data(), bytes.size()),
              record::Crc32cByTable(bytes.data(), bytes.size()));
    bytes += static_cast<char>(random());
  }
}

TEST_F(EventWriterTest, BeginsWithTheVersionAndWritesScalars) {
  const std::string path = folder_ + "/events.out.tfevents.1.host";
  telltale_writer* const writer = telltale_writer_open(path.c_str());
  ASSERT_NE(writer, nullptr);
  EXPECT_EQ(telltale_writer_scalar(writer, "loss", 4, 0.5, 300, 2.0), 0);
  EXPECT_EQ(telltale_writer_scalar(writer, "loss", 4, 0, 0, 2.0), 0);
  EXPECT_EQ(telltale_writer_scalar(writer, "loss", 4, 1, -1, TELLTALE_WALL_NOW), 0);
  telltale_writer_close(writer);
  // Goes on behind what is there, without a second version.
  telltale_writer* const second = telltale_writer_open(path.c_str());
  EXPECT_EQ(telltale_writer_event(second, "payload", 7), 0);
  telltale_writer_close(second);
  const auto events = Events(path);
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0].substr(9),
            "\x1a\x0d"
            "brain.Event:2");
  using namespace std::string_literals;
  const std::string wall = "\x09\0\0\0\0\0\0\0\x40"s;
  EXPECT_EQ(events[1], wall + "\x10\xac\x02\x2a\x0d\x0a\x0b\x0a\x04loss\x15\0\0\0\x3f"s);
  EXPECT_EQ(events[2], wall + "\x2a\x0d\x0a\x0b\x0a\x04loss\x15\0\0\0\0"s);
  EXPECT_EQ(events[3].substr(9, 11), "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(events[4], "payload");
}

TEST_F(EventWriterTest, SaysWhyAFileCannotBeOpened) {
  errno = 0;
  EXPECT_EQ(telltale_writer_open((folder_ + "/none/file").c_str()), nullptr);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(EventWriterTest, KeepsRecordsOfSeveralThreadsWhole) {
  const std::string path = folder_ + "/events.out.tfevents.1.host";
  telltale_writer* const writer = telltale_writer_open(path.c_str());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string payload(static_cast<size_t>(200 * thread + 10),
                                static_cast<char>('a' + thread));
      for (int i = 0; i < 500; ++i)
        EXPECT_EQ(telltale_writer_event(writer, payload.data(), payload.size()), 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  telltale_writer_close(writer);
  EXPECT_EQ(Events(path).size(), 2001U);
}

TEST_F(EventWriterTest, TakesAwayWhatAFullDiskCut) {
  const std::string path = folder_ + "/events.out.tfevents.1.host";
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    telltale_writer* const writer = telltale_writer_open(path.c_str());
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string payload(600, 'p');
    const bool first = telltale_writer_event(writer, payload.data(), payload.size()) == 0;
    const bool second = telltale_writer_event(writer, payload.data(), payload.size()) == 0;
    const int why = errno;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
    const bool third = telltale_writer_event(writer, payload.data(), payload.size()) == 0;
    _exit(first && !second && why == EFBIG && third ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Events(path).size(), 3U);
}

// Histograms, against the definition: bins between the edges ±1e-12 · 1.1^k and 0.

std::vector<double> Edges() {
  std::vector<double> edges = {0};
  for (double edge = 1e-12; edge < 1e20; edge *= 1.1) {
    edges.push_back(edge);
    edges.insert(edges.begin(), -edge);
  }
  return edges;
}

template <typename Number>
void CompareWithDefinition(const std::vector<Number>& values) {
  const std::vector<double> edges = Edges();
  std::vector<double> counts(edges.size() - 1);
  for (const Number value : values) {
    for (size_t bin = 0; bin < counts.size(); ++bin) {
      const auto number = static_cast<double>(value);
      const bool is_last = bin + 1 == counts.size();
      if (number >= edges[bin] &&
          (number < edges[bin + 1] || (is_last && number == edges[bin + 1])))
        ++counts[bin];
    }
  }
  static record::Histogram histogram;
  const bool is_empty =
      std::all_of(counts.begin(), counts.end(), [](double count) { return count == 0; });
  ASSERT_EQ(record::MakeHistogram(values.data(), values.size(), histogram), !is_empty);
  if (is_empty) return;
  size_t first = 0;
  while (counts[first] == 0) ++first;
  size_t end = counts.size();
  while (counts[end - 1] == 0) --end;
  ASSERT_EQ(histogram.size, end - first + 1);
  EXPECT_EQ(histogram.buckets[0], 0);
  EXPECT_EQ(histogram.limits[0], edges[first]);
  for (size_t bin = first; bin < end; ++bin) {
    EXPECT_EQ(histogram.buckets[bin - first + 1], counts[bin]);
    EXPECT_EQ(histogram.limits[bin - first + 1], edges[bin + 1]);
  }
  EXPECT_EQ(histogram.count, static_cast<double>(values.size()));
}

TEST(Histogram, HasTheBinsOfTheDefinition) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<float> floats(300);
  for (float& value : floats) value = static_cast<float>(normal(random));
  CompareWithDefinition(floats);
  std::vector<double> wide;
  std::uniform_real_distribution<double> exponent(-14, 22);
  for (int i = 0; i < 300; ++i)
    wide.push_back(std::pow(10.0, exponent(random)) * (i % 2 == 0 ? 1 : -1));
  CompareWithDefinition(wide);
  CompareWithDefinition(std::vector<double>{0.0, -0.0});
  CompareWithDefinition(std::vector<double>{1e21, std::nan(""), -INFINITY});
}

TEST(Histogram, PutsEveryEdgeIntoItsBin) {
  static record::Histogram histogram;
  const std::vector<double> edges = Edges();
  ASSERT_EQ(edges.size(), record::kBins + 1);
  for (const double edge : edges) {
    for (const double value :
         {edge, std::nextafter(edge, -INFINITY), std::nextafter(edge, INFINITY)}) {
      if (value < edges.front() || value > edges.back()) continue;
      ASSERT_TRUE(record::MakeHistogram(&value, 1, histogram));
      ASSERT_EQ(histogram.size, 2U);
      EXPECT_LE(histogram.limits[0], value);
      EXPECT_TRUE(value < histogram.limits[1] || value == edges.back());
    }
  }
}

TEST_F(EventWriterTest, RefusesAHistogramOfNothing) {
  telltale_writer* const writer =
      telltale_writer_open((folder_ + "/events.out.tfevents.1.host").c_str());
  const float number = NAN;
  EXPECT_EQ(telltale_writer_histogram(writer, "w", 1, nullptr, 0, 1, 1), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(telltale_writer_histogram(writer, "w", 1, &number, 1, 1, 1), -1);
  telltale_writer_close(writer);
}

TEST_F(EventWriterTest, FitsTheLargestHistogramIntoItsBytes) {
  std::vector<double> values = Edges();
  std::string out(TELLTALE_HISTOGRAM_BYTES + 3, '\0');
  const size_t size = telltale_histogram_value_double("tag", 3, values.data(), values.size(),
                                                      out.data(), out.size());
  EXPECT_GT(size, 24'000U);
  EXPECT_LE(size, out.size());
  EXPECT_EQ(telltale_histogram_value_double("tag", 3, values.data(), values.size(), nullptr, 0),
            size);
}

TEST_F(EventWriterTest, HasAFaceInCpp) {
  std::string path;
  {
    SummaryWriter writer(folder_ + "/logs");
    ASSERT_TRUE(writer.is_open());
    path = writer.path();
    EXPECT_TRUE(writer.AddScalar("loss", 1, 2));
    EXPECT_TRUE(writer.AddScalars("both/losses", {{"train", 1}, {"val", 2}}, 3));
    EXPECT_TRUE(writer.AddText("note", "**bold**", 4));
    EXPECT_TRUE(writer.AddHistogram("weights", std::vector<float>{1, 2, 3}, 5));
    const std::vector<uint8_t> pixels(300 * 100 * 3, 7);
    EXPECT_TRUE(writer.AddImage("image", pixels.data(), 300, 100, 6));
    EXPECT_FALSE(writer.AddImage("image", pixels.data(), 0, 100, 6));
    writer.Close();
    EXPECT_FALSE(writer.AddScalar("loss", 1, 2));
  }
  const auto events = Events(path);
  ASSERT_EQ(events.size(), 5U);
  EXPECT_NE(events[2].find("note/text_summary"), std::string::npos);
  EXPECT_NE(events[4].find("\x89PNG"), std::string::npos);
  size_t files = 0;
  for (const char* folder : {"both_losses_train", "both_losses_val"}) {
    for (const auto& entry : fs::directory_iterator(folder_ + "/logs/" + folder)) {
      EXPECT_EQ(Events(entry.path()).size(), 2U);
      ++files;
    }
  }
  EXPECT_EQ(files, 2U);
}

}  // namespace
}  // namespace telltale
