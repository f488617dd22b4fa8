// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/function_dump.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kScript =
    "# captured on: today\n"
    "python3 13547 14331.530025:    2000000 cpu-clock:pppH: \n"
    "\t           14f38 compute+0x158 (/usr/lib/libm.so.6)\n"
    "\t      1040000000 [unknown] ([unknown])\n"
    "\t          401000 main+0x10 (/usr/bin/python3)\n"
    "\n"
    "pt main thread 13547/13560 [001] 14331.532:    2000000 cpu-clock:pppH: \n"
    "\tffffffff821ea011 do_syscall_64+0x71 ([kernel.kallsyms])\n"
    "\t    7f0123456789 py::step:/x/train.py+0x5 (/tmp/perf-13547.map)\n"
    "\n"
    "python3 13547 14331.534025:    2000000 cpu-clock:pppH: \n"
    "\t           14f40 compute+0x160 (/usr/lib/libm.so.6)\n"
    "\t      1040000000 [unknown] ([unknown])\n"
    "\t          401000 main+0x10 (/usr/bin/python3)\n"
    "\n";

FunctionProfile Read(std::string_view text) {
  Result<FunctionProfile> profile = ReadFunctions(PerfScriptFormat(), text);
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile ? CheckFunctions(*profile) : "", "");
  return profile ? std::move(*profile) : FunctionProfile();
}

TEST(PerfScript, ReadsSamplesWithTheirPeriods) {
  const FunctionProfile profile = Read(kScript);
  EXPECT_EQ(PathsOf(profile),
            "main (/usr/bin/python3);[unknown];compute (/usr/lib/libm.so.6) 4000000\n"
            "step (/x/train.py);do_syscall_64 ([kernel.kallsyms]) 2000000\n");
  EXPECT_EQ(profile.unit, ValueUnit::kNanoseconds);
  EXPECT_THAT(profile.threads, ElementsAre("python3 (13547)", "pt main thread (13560)"));
  EXPECT_EQ(profile.source.events, 3U);
  ASSERT_EQ(profile.timeline.size(), 2U);
  EXPECT_EQ(profile.timeline[0].length, 4'000'000);
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(PerfScript, OtherEventsAreCounts) {
  const FunctionProfile profile =
      Read("a 1 1.0: 250 cycles:u: \n\t10 f+0x1 (x)\n\na 1 1.1: 7 cache-misses: \n\t10 g (x)\n\n");
  EXPECT_EQ(PathsOf(profile), "f (x) 250\n");
  EXPECT_EQ(profile.unit, ValueUnit::kCount);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kOtherValues), 1U);
  EXPECT_EQ(profile.functions.size(), 1U);
}

TEST(PerfScript, WithoutPeriodsItCountsSamples) {
  const FunctionProfile profile = Read(
      "a 1 1.0: cycles: \n\t10 std::f(int (*)()) (x)\n\na 1 1.1: cycles:\n\nb 1 2.0: cycles: 10 "
      "h+0x2 (x (y))\n");
  EXPECT_EQ(PathsOf(profile), "std::f(int (*)()) (x) 1\n[no call chain] 1\nh (x (y)) 1\n");
  EXPECT_EQ(profile.unit, ValueUnit::kSamples);
}

TEST(PerfScript, ReadsSamplesWithoutCallChains) {
  // perf script -G: one line a sample, the command right-aligned.
  const FunctionProfile profile = Read(
      "          python 16339 40960.46:    2000000 cpu-clock:      7f1df240 f+0x7b (/x/ld.so)\n"
      "          python 16339 40960.48:    2000000 cpu-clock:      7f1df1fc g\n"
      "         face it 16339 40960.49:    2000000 cpu-clock:      7f1df1fc g+0x7\n");
  EXPECT_EQ(PathsOf(profile), "f (/x/ld.so) 2000000\ng 4000000\n");
  EXPECT_THAT(profile.threads, ElementsAre("python (16339)", "face it (16339)"));
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(PerfScript, ReadsFewerFields) {
  const std::string chain = "\t            e29b f\n\t           1de39 main+0x1\n\n";
  const struct {
    std::string line;
    std::string thread;
  } cases[] = {{"my tool 16339/16340 ", "my tool (16340)"},
               {"my tool ", "my tool"},
               {"16339 ", "(16339)"},
               {"my tool 7 [002] 1.5: ", "my tool (7)"}};
  for (const auto& [line, thread] : cases) {
    std::string text = line + "\n";
    text += chain;
    text += text;
    const FunctionProfile profile = Read(text);
    EXPECT_EQ(PathsOf(profile), "main;f 2\n") << line;
    EXPECT_EQ(profile.unit, ValueUnit::kSamples);
    EXPECT_THAT(profile.threads, ElementsAre(thread));
    EXPECT_TRUE(profile.diagnostics.empty());
    EXPECT_TRUE(PerfScriptFormat().matches(text, "")) << line;
  }
  EXPECT_FALSE(PerfScriptFormat().matches("Some words\n\tdeaf ears\n", ""));
  EXPECT_FALSE(PerfScriptFormat().matches("Some words\n\n\t            e29b f\n", ""));
}

TEST(PerfScript, PassesOverWhatOtherFieldsAndRecordsAdd) {
  const std::string text =
      "swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0x81(0x12) @ 0x81]: x [kernel]_text\n"
      "perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:16339/16339\n"
      "python 16339 1.5:    2000000 cpu-clock: \n"
      "\t            e29b f+0x67b (/x/ld.so)\n"
      "  dl-machine.h:482\n"
      "\t           1de39 main+0x1e79 (/x/ld.so)\n"
      "  ld.so[1de39]\n"
      " insn: 8b 50 08\n"
      "python 16339 1.6:    2000000 cpu-clock: \n"
      "\t           1de39 main+0x1e79 (/x/ld.so)\n"
      "\n";
  const FunctionProfile profile = Read(text);
  EXPECT_EQ(PathsOf(profile), "main (/x/ld.so) 2000000\nmain (/x/ld.so);f (/x/ld.so) 2000000\n");
  EXPECT_TRUE(profile.diagnostics.empty());
  EXPECT_TRUE(PerfScriptFormat().matches(text, ""));
}

TEST(PerfScript, MalformedLinesAreCounted) {
  const FunctionProfile profile =
      Read("a 1 1.0: 5 cycles: \n\t10 f (x)\n\tnonsense\n\nbad header\n\t10 f (x)\n");
  EXPECT_EQ(PathsOf(profile), "f (x) 5\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 3U);
}

TEST(PerfScript, EveryCutGivesTheSamplesBeforeIt) {
  for (size_t size = 0; size < kScript.size(); ++size) {
    const auto profile =
        ReadFunctions(PerfScriptFormat(), std::string_view(kScript).substr(0, size));
    if (!profile) {
      EXPECT_THAT(profile.error().message, HasSubstr("perf script"));
      continue;
    }
    EXPECT_EQ(CheckFunctions(*profile), "");
  }
}

TEST(PerfScript, OneByteAtATimeIsTheSame) {
  ReadOptions tiny;
  tiny.block_bytes = 1;
  EXPECT_EQ(DumpFunctions(*ReadFunctions(PerfScriptFormat(), kScript, 1, tiny)),
            DumpFunctions(*ReadFunctions(PerfScriptFormat(), kScript)));
}

}  // namespace
}  // namespace telltale
