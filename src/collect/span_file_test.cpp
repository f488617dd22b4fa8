// SPDX-License-Identifier: Apache-2.0
// The file of a process's spans, read back by the reader of Perfetto traces: as it grows, cut
// anywhere, continued by another collector, beyond its size.
#include "collect/span_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "collect/files.h"
#include "formats/perfetto/reader.h"
#include "io/byte_source.h"
#include "model/trace.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;
using Kind = RegionRecord::Kind;

constexpr int64_t kStart = 1'790'000'000'000'000'000;
const std::map<uint64_t, std::string> kThreads = {{7, "trainer"}, {8, "loader"}};

RegionRecord Moment(Kind kind, int64_t at_ns, std::string_view name = {}, uint32_t number = 0,
                    uint64_t thread = 7) {
  RegionRecord record;
  record.kind = kind;
  record.thread = thread;
  record.thread_serial = 1;
  record.wall_ns = kStart + at_ns;
  record.name = name;
  record.name_number = number;
  return record;
}

class SpanFileTest : public testing::Test {
 protected:
  SpanFileTest() {
    std::string pattern = fs::temp_directory_path() / "telltale-spans-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    process_.pid = 4711;
    process_.started_wall_ns = kStart;
    process_.program = "train";
  }
  ~SpanFileTest() override { fs::remove_all(folder_); }

  [[nodiscard]] SpanFile Open(SpanFileState state = {}, uint64_t limit = 1 << 20) const {
    return {folder_, process_, std::move(state), limit};
  }
  static void Begin(SpanFile& file, int64_t at_ns, std::string_view name, uint32_t number,
                    uint64_t thread = 7) {
    file.Take(Moment(Kind::kSpanBegin, at_ns, name, number, thread), kThreads);
  }
  static void End(SpanFile& file, int64_t at_ns, uint64_t thread = 7) {
    file.Take(Moment(Kind::kSpanEnd, at_ns, {}, 0, thread), kThreads);
  }
  static void Append(SpanFile& file) {
    if (file.NeedsName()) {
      ASSERT_TRUE(file.Claim(-1, false));
    }
    ASSERT_TRUE(file.Append());
  }
  [[nodiscard]] std::string Bytes(const std::string& name = "spans.pftrace") const {
    return ReadFile(folder_ + "/" + name, size_t{64} << 20).value();
  }
  static Trace Read(std::string_view bytes) {
    auto source = OpenMemory(bytes);
    Result<Trace> trace = ReadPerfetto(*source);
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().message);
    return trace ? std::move(*trace) : Trace();
  }
  struct Span {
    std::string name;
    int64_t start_ns;
    int64_t duration_ns;
    std::string thread;
    friend bool operator==(const Span&, const Span&) = default;
  };
  static std::vector<Span> Spans(const Trace& trace) {
    std::vector<Span> out;
    for (SpanRow row = 0; row < trace.spans.size(); ++row) {
      if (trace.spans.category[row] != Category::kAnnotation) continue;
      const Track& track = trace.tracks[static_cast<size_t>(trace.spans.track[row])];
      out.push_back({std::string(trace.NameOfSpan(row)), trace.spans.start_ns[row],
                     trace.spans.duration_ns[row],
                     std::string(track.thread_name == kNoString ? trace.Text(track.tid.text)
                                                                : trace.Text(track.thread_name))});
    }
    return out;
  }

  std::string folder_;
  RegionHeaderInfo process_;
};

TEST_F(SpanFileTest, IsATraceWithNestingThreadsAndTime) {
  SpanFile file = Open();
  Begin(file, 1000, "epoch", 1);
  Begin(file, 2000, "forward", 2);
  Begin(file, 2500, "decode", 3, 8);
  End(file, 5000);
  End(file, 2600, 8);
  End(file, 9000);
  Append(file);
  const Trace trace = Read(Bytes());
  EXPECT_TRUE(trace.diagnostics.empty());
  EXPECT_EQ(trace.base_time_ns, kStart);
  EXPECT_EQ(Spans(trace), (std::vector<Span>{{"epoch", 1000, 8000, "trainer"},
                                             {"forward", 2000, 3000, "trainer"},
                                             {"decode", 2500, 100, "loader"}}));
}

TEST_F(SpanFileTest, HasInstantsCountersAndStepsOfTheirOwn) {
  SpanFile file = Open();
  RegionRecord step = Moment(Kind::kStepEnd, 900);
  step.step = 0;
  step.value = 900;
  file.Take(step, kThreads);  // alone no reason for a file
  EXPECT_FALSE(file.has_pending());
  Begin(file, 1000, "forward", 1);
  file.Take(Moment(Kind::kInstant, 1100, "saved", 2), kThreads);
  RegionRecord counter = Moment(Kind::kCounter, 1200, "queue", 3);
  counter.value = 2.5;
  file.Take(counter, kThreads);
  // A step ends inside of a span: they need not nest.
  step = Moment(Kind::kStepEnd, 1300);
  step.step = 1;
  step.value = 400;
  file.Take(step, kThreads);
  End(file, 2000);
  Append(file);
  const Trace trace = Read(Bytes());
  EXPECT_TRUE(trace.diagnostics.empty());
  EXPECT_EQ(Spans(trace), (std::vector<Span>{{"forward", 1000, 1000, "trainer"},
                                             {"ProfilerStep#1", 900, 400, "Steps"}}));
  ASSERT_EQ(trace.counters.size(), 1U);
  EXPECT_EQ(trace.counters.value[0], 2.5);
}

TEST_F(SpanFileTest, IsReadUpToTheLastWholePacketWhereverItIsCut) {
  SpanFile file = Open();
  for (int i = 0; i < 20; ++i) {
    Begin(file, i * 100, "step", 1);
    End(file, i * 100 + 50);
  }
  Append(file);
  const std::string bytes = Bytes();
  size_t before = 0;
  const size_t first_packet = 2 + static_cast<size_t>(bytes[1]);
  for (size_t cut = first_packet; cut < bytes.size(); ++cut) {
    const Trace trace = Read(std::string_view(bytes).substr(0, cut));
    const size_t count = Spans(trace).size();
    EXPECT_GE(count, before);
    before = count;
  }
  EXPECT_EQ(before, 19U);  // the last end is cut
}

TEST_F(SpanFileTest, IsContinuedWhereItWasSafe) {
  SpanFileState safe;
  {
    SpanFile file = Open();
    Begin(file, 1000, "epoch", 1);
    Begin(file, 1100, "forward", 2);
    Append(file);
    safe = file.State();
    // What comes after the note is written again by whoever goes on.
    End(file, 1200);
    Append(file);
  }
  SpanFileState read;
  for (std::string text = safe.Text(); !text.empty();) {
    const std::string line = text.substr(0, text.find('\n'));
    text.erase(0, line.size() + 1);
    const size_t space = line.find(' ');
    EXPECT_TRUE(read.Take(line.substr(0, space), line.substr(space + 1)));
  }
  SpanFile file = Open(read);
  End(file, 1200);
  Begin(file, 1300, "backward", 3);
  End(file, 1400);
  Append(file);
  // The process is gone with "epoch" open: it ends with what was last known of the process.
  file.CloseOpenSpans();
  Append(file);
  const Trace trace = Read(Bytes());
  EXPECT_TRUE(trace.diagnostics.empty());
  EXPECT_EQ(Spans(trace), (std::vector<Span>{{"epoch", 1000, 400, "trainer"},
                                             {"forward", 1100, 100, "trainer"},
                                             {"backward", 1300, 100, "trainer"}}));
}

TEST_F(SpanFileTest, LeavesOutWhatIsBeyondItsSizeAndSaysSo) {
  SpanFile file = Open({}, 2000);
  Begin(file, 0, "epoch", 1);
  for (int i = 0; i < 1000; ++i) {
    Begin(file, i * 100, "outer", 2);
    Begin(file, i * 100 + 10, "inner", 3);
    End(file, i * 100 + 20);
    End(file, i * 100 + 30);
  }
  End(file, 200'000);
  file.SetDropped(5);
  Append(file);
  const Trace trace = Read(Bytes());
  const size_t kept = Spans(trace).size();
  EXPECT_GT(kept, 10U);
  EXPECT_LT(Bytes().size(), 2500U);
  EXPECT_EQ(kept + file.left_out(), 2001U);
  EXPECT_EQ(trace.diagnostics.Count(DiagnosticKind::kDroppedSpans), file.left_out() + 5);
  EXPECT_EQ(trace.diagnostics.entries().size(), 1U);  // and every span has its end
  EXPECT_EQ(Spans(trace)[0].duration_ns, 200'000);
}

TEST_F(SpanFileTest, NeverGoesBackInTime) {
  SpanFile file = Open();
  Begin(file, 10'000, "a", 1);
  End(file, 9'990);  // two clocks
  Begin(file, 20'000, "b", 2);
  End(file, -3'600'000'000'000);  // somebody set the clock
  Begin(file, -3'600'000'000'000 + 500, "c", 3);
  End(file, -3'600'000'000'000 + 700);
  Append(file);
  const Trace trace = Read(Bytes());
  EXPECT_TRUE(trace.diagnostics.empty());
  EXPECT_EQ(Spans(trace), (std::vector<Span>{{"a", 10'000, 0, "trainer"},
                                             {"b", 20'000, 0, "trainer"},
                                             {"c", 20'500, 200, "trainer"}}));
}

TEST_F(SpanFileTest, TakesANameThatNobodyHas) {
  SpanFile first = Open();
  SpanFile second = Open();
  SpanFile rank = Open();
  ASSERT_TRUE(first.Claim(-1, false));
  ASSERT_TRUE(second.Claim(-1, false));
  ASSERT_TRUE(rank.Claim(3, false));
  EXPECT_EQ(first.State().name, "spans.pftrace");
  EXPECT_EQ(second.State().name, "spans-2.pftrace");
  EXPECT_EQ(rank.State().name, "spans-rank3.pftrace");
}

TEST_F(SpanFileTest, GoesOnAfterWhatCouldNotBeWritten) {
  SpanFile file = Open();
  Begin(file, 1000, "epoch", 1);
  Append(file);
  Begin(file, 1100, "lost", 2);
  file.Forget();
  End(file, 1200);
  End(file, 1300);
  Begin(file, 2000, "kept", 3);
  End(file, 2100);
  Append(file);
  EXPECT_EQ(file.left_out(), 1U);
  const std::vector<Span> spans = Spans(Read(Bytes()));
  EXPECT_EQ(spans.back(), (Span{"kept", 2000, 100, "trainer"}));
}

TEST_F(SpanFileTest, KeepsNoneWhereNoneAreWanted) {
  SpanFile file = Open({}, 0);
  Begin(file, 1000, "epoch", 1);
  End(file, 1100);
  EXPECT_FALSE(file.has_pending());
  EXPECT_EQ(file.left_out(), 1U);
}

}  // namespace
}  // namespace telltale
