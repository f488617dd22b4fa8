// SPDX-License-Identifier: Apache-2.0
#include "collect/simple_report.h"

#include <gtest/gtest.h>

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "collect/files.h"
#include "collect/span_file.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;
using Kind = RegionRecord::Kind;

class SimpleReportTest : public testing::Test {
 protected:
  SimpleReportTest() {
    std::string pattern = fs::temp_directory_path() / "telltale-simple-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    process_.pid = 1;
  }
  ~SimpleReportTest() override { fs::remove_all(folder_); }

  static void Take(SpanFile& file, Kind kind, int64_t at_ns, std::string_view name = {},
                   uint32_t number = 0, uint64_t thread = 7) {
    RegionRecord record;
    record.kind = kind;
    record.thread = thread;
    record.wall_ns = at_ns;
    record.name = name;
    record.name_number = number;
    file.Take(record, {});
  }
  // Two steps of a training, and a thread beside it.
  void WriteSteps(int64_t rank, uint64_t limit = 1 << 20, uint64_t dropped = 0) {
    SpanFile file(folder_, process_, {}, limit);
    constexpr int64_t kMs = 1'000'000;
    for (int64_t step = 0; step < 2; ++step) {
      const int64_t at = 1000 * kMs + step * 100 * kMs;
      Take(file, Kind::kSpanBegin, at, "enumerate(DataLoader)#_SingleProcessDataLoaderIter", 1);
      Take(file, Kind::kSpanEnd, at + 60 * kMs);
      Take(file, Kind::kSpanBegin, at + 60 * kMs, "forward Net", 2);
      Take(file, Kind::kSpanBegin, at + 61 * kMs, "forward Net", 2);  // inside itself
      Take(file, Kind::kSpanEnd, at + 62 * kMs);
      Take(file, Kind::kSpanEnd, at + 80 * kMs);
      Take(file, Kind::kSpanBegin, at + 80 * kMs, "Optimizer.step#SGD.step", 3);
      RegionRecord end;
      end.kind = Kind::kStepEnd;
      end.thread = 7;
      end.wall_ns = at + 90 * kMs;
      end.step = step;
      end.value = 1e8;
      file.Take(end, {});
      Take(file, Kind::kCounter, at + 91 * kMs, "queue", 5);
      Take(file, Kind::kSpanEnd, at + 100 * kMs);
      Take(file, Kind::kSpanBegin, at + 5 * kMs, "forward Net", 2, 8);
      Take(file, Kind::kSpanEnd, at + 15 * kMs, {}, 0, 8);
    }
    file.SetDropped(dropped);
    ASSERT_TRUE(file.Claim(rank, false));
    ASSERT_TRUE(file.Append());
  }
  [[nodiscard]] std::string Text() const {
    return ReadFile(folder_ + "/simple.txt", 1 << 20).value_or("");
  }

  std::string folder_;
  RegionHeaderInfo process_;
};

TEST_F(SimpleReportTest, SumsActionsByTheirShare) {
  WriteSteps(-1);
  ASSERT_TRUE(WriteSimpleReport(folder_));
  EXPECT_EQ(
      Text(),
      "Action               Mean duration (s)   Num calls   Total time (s)   Percentage %\n"
      "Total                                -          10              0.2            100\n"
      "wait for data                     0.06           2             0.12             60\n"
      "forward Net                       0.01           6             0.06             30\n"
      "optimizer step SGD                0.02           2             0.04             20\n"
      "\nWall time on the CPU. Actions nest, so percentages may add up to more than 100. Work "
      "that a GPU does\nbehind the program's back is in the action that waited for it.\n");
}

TEST_F(SimpleReportTest, HasATableForEachRankAndSaysWhatIsMissing) {
  WriteSteps(0);
  WriteSteps(1, 1 << 20, 7);
  ASSERT_TRUE(WriteSimpleReport(folder_));
  const std::string text = Text();
  EXPECT_EQ(text.find("spans-rank0\n\nAction"), 0U) << text;
  EXPECT_NE(text.find("spans-rank1\n\nAction"), std::string::npos) << text;
  EXPECT_NE(text.find("\n7 spans are not in these numbers"), std::string::npos) << text;
}

TEST_F(SimpleReportTest, WritesNothingWithoutSpans) {
  ASSERT_TRUE(WriteSimpleReport(folder_));
  EXPECT_FALSE(fs::exists(folder_ + "/simple.txt"));
}

TEST_F(SimpleReportTest, TakesACutFileAsFarAsItGoes) {
  WriteSteps(-1);
  const std::string path = folder_ + "/spans.pftrace";
  const std::string bytes = ReadFile(path, 1 << 20).value();
  for (size_t cut = 0; cut < bytes.size(); cut += 7) {
    const auto source = OpenMemory(std::string_view(bytes).substr(0, cut));
    const Result<SpanSums> sums = SumSpans(*source);
    ASSERT_TRUE(sums);
    EXPECT_LE(sums->calls, 10U);
  }
}

}  // namespace
}  // namespace telltale
