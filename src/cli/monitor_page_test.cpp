// SPDX-License-Identifier: Apache-2.0
#include "cli/monitor_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/monitor_text.h"
#include "monitor/test_machine.h"
#include "views/render/display.h"

namespace telltale {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Page : public testing::Test {
 protected:
  Page() {
    machine.Write("proc/meminfo",
                  "MemTotal: 4194304 kB\nMemFree: 1 kB\nMemAvailable: 1048576 kB\n");
    machine.Write("proc/uptime", "1.0 1.0\n");
    machine.WriteProcess({.pid = 7, .parent = 1, .pages = 1000});
    WriteCores(0);
    machine.Write("sys/class/drm/card0/device/vendor", "0x1002\n");
    machine.Write("sys/class/drm/card0/device/gpu_busy_percent", "93\n");
    machine.Write("sys/class/drm/card0/device/mem_info_vram_used", "1073741824\n");
    machine.Write("sys/class/drm/card0/device/mem_info_vram_total", "2147483648\n");
    monitor = std::make_unique<Monitor>(machine.Options(7));
    state.host = "node17";
    state.time = "2026-11-15T20:45:01Z";
    state.interval = "1 s";
    state.devices = monitor->devices();
    state.lacking = {"no network: there is none"};
    style.width = 80;
    style.color = false;
  }
  // Each core is busy half of the time.
  void WriteCores(int ticks) const {
    std::vector<TestMachine::Core> cores;
    for (int i = 0; i < 16; ++i) cores.push_back({i, ticks, ticks});
    machine.WriteCpu(cores);
  }
  void Sample(int count = 1) {
    for (int i = 0; i < count; ++i) {
      now_s += 1;
      WriteCores(now_s * 50);
      past.Add(*monitor, monitor->Sample(now_s * kTestSecond));
    }
  }
  [[nodiscard]] std::vector<std::string> Lines(size_t height) const {
    return MonitorPage(past, state, style, height);
  }

  TestMachine machine;
  std::unique_ptr<Monitor> monitor;
  MonitorPast past;
  MonitorPageState state;
  OutputStyle style;
  int now_s = 1;
};

TEST_F(Page, ShowsEachPartOfTheMachine) {
  Sample(3);
  const std::vector<std::string> lines = Lines(24);
  EXPECT_EQ(lines.front(), "telltale monitor · node17 · 2026-11-15T20:45:01Z · every 1 s");
  EXPECT_THAT(lines[2], StartsWith("cpu          ████████········  50.0 % of 16 cores"));
  EXPECT_THAT(lines[2], HasSubstr("▄▄▄"));
  EXPECT_THAT(lines[3], StartsWith("memory       ████████████····  3.00 GiB of 4.00 GiB"));
  EXPECT_THAT(lines[4], HasSubstr("0.0 %, 1 process, 2 threads"));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("gpu0         ██████████████▉·  93.0 %")));
  EXPECT_THAT(lines, testing::Contains("no network: there is none"));
  EXPECT_EQ(lines.back(), "q quit   space pause   1 cores");
}

TEST_F(Page, FitsEveryWindow) {
  Sample(50);
  state.shows_cores = true;
  for (const bool unicode : {true, false}) {
    style.unicode = unicode;
    for (size_t width = 1; width < 260; width += width < 35 ? 1 : 13) {
      style.width = width;
      for (const size_t height : {1UL, 2UL, 3UL, 5UL, 10UL, 24UL, 50UL}) {
        const std::vector<std::string> lines = Lines(height);
        ASSERT_EQ(lines.size(), height);
        for (const std::string& line : lines) {
          ASSERT_LE(DisplayWidth(line), std::max<size_t>(width, 30)) << line;
        }
      }
    }
  }
  EXPECT_TRUE(Lines(0).empty());
}

TEST_F(Page, ShowsCoresWhenAsked) {
  Sample();
  EXPECT_THAT(Lines(24), Each(Not(HasSubstr(" 15 "))));
  state.shows_cores = true;
  EXPECT_THAT(Lines(24), testing::Contains(HasSubstr(" 15 ██████······  50 %")));
}

TEST_F(Page, TellsWhatALowWindowHides) {
  Sample();
  EXPECT_THAT(Lines(5).back(), HasSubstr("more lines in a taller window"));
  EXPECT_THAT(Lines(5), Each(Not(HasSubstr("no network"))));
}

TEST_F(Page, SaysThatItIsHeldAndThatNothingWasReadYet) {
  state.is_paused = true;
  EXPECT_THAT(Lines(24).front(), HasSubstr("· paused"));
  EXPECT_THAT(Lines(24), testing::Contains("nothing was read yet"));
}

TEST_F(Page, WithoutUnicodeIsPlain) {
  Sample();
  style.unicode = false;
  for (const std::string& line : Lines(24)) {
    for (const char c : line) EXPECT_LT(static_cast<unsigned char>(c), 0x80) << line;
  }
}

TEST_F(Page, HostileNamesCannotMoveTheCursor) {
  state.host = "a\x1b[2Jb";
  state.lacking = {"no \x1b]0;title\x07"};
  Sample();
  EXPECT_THAT(Lines(24), Each(Not(HasSubstr("\x1b"))));
}

TEST_F(Page, KeepsALittlePastOfWhatIsReadNowAndThen) {
  machine.Write("proc/7/smaps_rollup", "x\nPss:  100 kB\n");
  Sample(3);
  EXPECT_THAT(Lines(24), testing::Contains(HasSubstr("shared once 100.0 KiB")));
  Sample(650);
  EXPECT_LE(past.series().front().values.size(), 600U);
}

TEST_F(Page, LinesAndJsonSayTheSame) {
  now_s += 1;
  WriteCores(100);
  const auto readings = monitor->Sample(now_s * kTestSecond);
  const int64_t wall = 1'794'945'600 * kTestSecond;
  EXPECT_EQ(
      SampleLine(*monitor, readings, wall, true),
      "2026-11-17T20:00:00Z  cpu 50.0 %  memory 3.00 GiB  process 0.0 % 3.91 MiB  gpu0 93.0 % "
      "1.00 GiB");
  const std::string json = SampleJson(*monitor, readings, wall, true);
  EXPECT_THAT(json,
              StartsWith("{\"time\":1794945600.0,\"seconds\":1.0,\"readings\":{\"monitor/cpu/"));
  EXPECT_THAT(json, HasSubstr("\"devices\":{\"gpu0\":\"AMD GPU\"}"));
  EXPECT_THAT(json, HasSubstr("\"lacking\":[\"no "));
  EXPECT_THAT(SampleJson(*monitor, readings, wall, false), Not(HasSubstr("lacking")));
}

TEST(FormatReading, HasTheUnitOfThePerson) {
  EXPECT_EQ(FormatReading(12.345, MetricUnit::kPercent, true), "12.3 %");
  EXPECT_EQ(FormatReading(2048, MetricUnit::kBytesPerSecond, true), "2.00 KiB/s");
  EXPECT_EQ(FormatReading(2, MetricUnit::kCores, true), "2");
  EXPECT_EQ(FormatReading(1.5, MetricUnit::kCores, true), "1.50");
  EXPECT_EQ(FormatReading(7200, MetricUnit::kJoules, true), "2.00 Wh");
  EXPECT_EQ(FormatReading(61, MetricUnit::kCelsius, false), "61 C");
  EXPECT_EQ(FormatReading(1410, MetricUnit::kMegahertz, true), "1410 MHz");
}

TEST(UsageText, OfNothingIsNothing) {
  EXPECT_EQ(UsageText(UsageSummary(), nullptr, OutputStyle()), "");
  EXPECT_EQ(UsageJson(UsageSummary(), nullptr), "{\"usage\":[]}\n");
}

TEST(UsageText, TellsHowACommandEnded) {
  CommandEnd end;
  end.signal = 9;
  end.exit_code = 137;
  end.wall_ns = 2 * kTestSecond;
  EXPECT_THAT(UsageText(UsageSummary(), &end, OutputStyle()),
              StartsWith("killed by signal 9 after 2.00 s: "));
  EXPECT_THAT(UsageJson(UsageSummary(), &end), HasSubstr("\"exit_code\":137,\"signal\":9,"));
}

}  // namespace
}  // namespace telltale
