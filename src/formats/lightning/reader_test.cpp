// SPDX-License-Identifier: Apache-2.0
#include "formats/lightning/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/function_dump.h"

namespace telltale {
namespace {

using testing::HasSubstr;

// 1.6 and later
const std::string kExtended =
    "FIT Profiler Report\n\n"
    "------------------------------------------\n"
    "|  Action             \t|  Mean duration (s)\t|  Num calls      \t|  Total time (s) \t|  "
    "Percentage %   \t|\n"
    "------------------------------------------\n"
    "|  Total              \t|  -              \t|  927            \t|  0.41804        \t|  100 %  "
    "        \t|\n"
    "------------------------------------------\n"
    "|  run_training_epoch \t|  0.09633        \t|  2              \t|  0.19266        \t|  46.087 "
    "        \t|\n"
    "|  [Callback]ModelCheckpoint{'monitor': None, 'mode': 'a|b'}.on_x\t|  4.5e-05        \t|  3   "
    "           \t|  0.000135       \t|  0.01           \t|\n"
    "------------------------------------------\n\n";

// extended=False
const std::string kShort =
    "FIT Profiler Report\n\n"
    "-----\n"
    "|  Action             \t|  Mean duration (s)\t|  Total time (s) \t|\n"
    "-----\n"
    "|  run_training_epoch \t|  0.08721        \t|  0.17442        \t|\n"
    "-----\n";

// Up to 1.0
const std::string kOldest =
    "\n\nProfiler Report\n\n"
    "Action              \t|  Mean duration (s)\t|  Total time (s) \n"
    "-----------------------------------------------------------------\n"
    "on_train_start      \t|  0.5            \t|  1.0            \n";

// 1.1 to 1.5
const std::string kOlder =
    "FIT Profiler Report\n\n"
    "-----\n"
    "Action                             \t|  Mean duration (s)\t|Num calls      \t|  Total time "
    "(s) \t|  Percentage %   \t|\n"
    "-----\n"
    "Total                              \t|  -              \t|_              \t|  0.4            "
    "\t|  100 %          \t|\n"
    "-----\n"
    "run_training_epoch                 \t|  0.1            \t|2              \t|  0.2            "
    "\t|  50.0           \t|\n";

const std::string kAdvanced =
    "FIT Profiler Report\n"
    "Profile stats for: [LightningModule]Net.setup\n"
    "         7 function calls (6 primitive calls) in 0.000 seconds\n\n"
    "   Ordered by: cumulative time\n\n"
    "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
    "      3/2    0.010    0.003    0.020    0.010 contextlib.py:141(__exit__)\n"
    "        1    0.000    0.000    0.001    0.001 {built-in method builtins.next}\n"
    "        0    0.000             0.000          C:\\x\\a.py:7(<lambda>)\n\n\n\n"
    "Profile stats for: run_training_epoch rank: 0\n"
    "         1 function calls in 0.000 seconds\n\n"
    "   Ordered by: cumulative time\n"
    "   List reduced from 20 to 1 due to restriction <1>\n\n"
    "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
    "        1    0.002    0.002    0.003    0.003 contextlib.py:141(__exit__)\n\n\n";

FunctionProfile Read(const Format& format, std::string_view text) {
  EXPECT_TRUE(format.matches(text.substr(0, kHeadBytes), ""));
  Result<FunctionProfile> profile = ReadFunctions(format, text);
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile ? CheckFunctions(*profile) : "", "");
  return profile ? std::move(*profile) : FunctionProfile();
}

// "module name calls/primitive self total"
std::string Rows(const FunctionProfile& profile) {
  std::string rows;
  for (size_t i = 0; i < profile.functions.size(); ++i) {
    const Function& function = profile.functions[i];
    const FunctionTotals& totals = profile.totals[i];
    const auto calls = [](int64_t n) { return n == kNoInt ? "-" : std::to_string(n); };
    rows += std::string(profile.Text(function.module)) + "|" +
            std::string(profile.Text(function.file)) + "|" +
            std::string(profile.Text(function.name)) + "|" + calls(totals.calls) + "/" +
            calls(totals.primitive_calls) + "|" + std::to_string(totals.self_s) + "|" +
            std::to_string(totals.total_s) + "\n";
  }
  return rows;
}

TEST(LightningSimple, ReadsTheExtendedTable) {
  const FunctionProfile profile = Read(LightningSimpleFormat(), kExtended);
  EXPECT_EQ(Rows(profile),
            "FIT||run_training_epoch|2/2|0.000000|0.192660\n"
            "FIT||[Callback]ModelCheckpoint{'monitor': None, 'mode': 'a|b'}.on_x|3/3|0.000000|"
            "0.000135\n");
  EXPECT_FALSE(profile.has_self);
  EXPECT_EQ(profile.shape, FunctionShape::kPairs);
  EXPECT_TRUE(profile.pairs.empty());
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kRoundedValues), 1U);
  EXPECT_EQ(profile.diagnostics.entries().size(), 1U);
}

TEST(LightningSimple, ReadsTheOtherLayouts) {
  EXPECT_EQ(Rows(Read(LightningSimpleFormat(), kShort)),
            "FIT||run_training_epoch|-/-|0.000000|0.174420\n");
  EXPECT_EQ(Rows(Read(LightningSimpleFormat(), kOldest)),
            "||on_train_start|-/-|0.000000|1.000000\n");
  EXPECT_EQ(Rows(Read(LightningSimpleFormat(), kOlder)),
            "FIT||run_training_epoch|2/2|0.000000|0.200000\n");
}

TEST(LightningSimple, ReportsInOneFileStayApart) {
  EXPECT_EQ(Rows(Read(LightningSimpleFormat(), kOlder + "\n" + kOlder + "\n" + kOldest)),
            "FIT||run_training_epoch|2/2|0.000000|0.200000\n"
            "FIT #2||run_training_epoch|2/2|0.000000|0.200000\n"
            "||on_train_start|-/-|0.000000|1.000000\n");
}

TEST(LightningSimple, FindsTheReportInAConsolesOutput) {
  const FunctionProfile profile = Read(
      LightningSimpleFormat(),
      "GPU available: False\n\rEpoch 1: 100%|#| 12/12 [00:00<00:00]\n`Trainer.fit` stopped.\n" +
          kExtended + "goodbye\n");
  EXPECT_EQ(profile.functions.size(), 2U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kForeignLine), 4U);
}

TEST(LightningSimple, BadRowsAreCounted) {
  const FunctionProfile profile =
      Read(LightningSimpleFormat(), kExtended.substr(0, kExtended.size() - 1) +
                                        "|  a\t|  x\t|  1\t|  1.0\t|  1.0\t|\n|  b\t|  1\t|  "
                                        "1.5\t|  1.0\t|  1.0\t|\n|  c\t|  1\t|\n"
                                        "|  run_training_epoch \t|  0.1\t|  2\t|  0.2\t|  1\t|\n");
  EXPECT_EQ(profile.functions.size(), 2U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 4U);
}

TEST(LightningAdvanced, ReadsTheTableOfEachAction) {
  const FunctionProfile profile = Read(LightningAdvancedFormat(), kAdvanced);
  EXPECT_EQ(Rows(profile),
            "[LightningModule]Net.setup|contextlib.py|__exit__|3/2|0.010000|0.020000\n"
            "[LightningModule]Net.setup|~|<built-in method builtins.next>|1/1|0.000000|0.001000\n"
            "[LightningModule]Net.setup|C:\\x\\a.py|<lambda>|0/0|0.000000|0.000000\n"
            "run_training_epoch rank: 0|contextlib.py|__exit__|1/1|0.002000|0.003000\n");
  EXPECT_EQ(profile.functions[0].line, 141);
  EXPECT_EQ(profile.functions[1].line, 0);
  EXPECT_TRUE(profile.has_self);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kRoundedValues), 1U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kOtherValues), 1U);
}

TEST(LightningAdvanced, ReadsWhatPstatsPrints) {
  EXPECT_EQ(Rows(Read(LightningAdvancedFormat(),
                      "Mon Nov 16 2026    x.prof\n\n"
                      "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
                      "        1    0.002    0.002    0.003    0.003 a.py:1(f)\n\n")),
            "|a.py|f|1/1|0.002000|0.003000\n");
}

TEST(LightningAdvanced, BadRowsAreCounted) {
  const FunctionProfile profile =
      Read(LightningAdvancedFormat(),
           "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
           "        1    0.002    0.002    0.003    0.003 a.py:1(f)\n"
           "        x    0.002    0.002    0.003    0.003 a.py:1(f)\n"
           "        1    0.002 a.py:1(f)\n"
           "        1    0.002    0.002    0.003    0.003 nothing\n"
           "        1    0.002    0.002    0.0");
  EXPECT_EQ(profile.functions.size(), 1U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 3U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kTruncated), 1U);
}

TEST(Lightning, EveryCutGivesTheRowsBeforeIt) {
  for (const std::string& text : {kExtended, kShort, kOldest, kOlder, kAdvanced}) {
    for (const Format& format : {LightningSimpleFormat(), LightningAdvancedFormat()}) {
      for (size_t size = 0; size < text.size(); ++size) {
        const auto profile = ReadFunctions(format, std::string_view(text).substr(0, size));
        if (profile) {
          EXPECT_EQ(CheckFunctions(*profile), "");
        } else {
          EXPECT_THAT(profile.error().message, HasSubstr("Lightning"));
        }
      }
    }
  }
}

TEST(Lightning, OneByteAtATimeIsTheSame) {
  ReadOptions tiny;
  tiny.block_bytes = 1;
  EXPECT_EQ(DumpFunctions(*ReadFunctions(LightningSimpleFormat(), kExtended, 1, tiny)),
            DumpFunctions(*ReadFunctions(LightningSimpleFormat(), kExtended)));
  EXPECT_EQ(DumpFunctions(*ReadFunctions(LightningAdvancedFormat(), kAdvanced, 1, tiny)),
            DumpFunctions(*ReadFunctions(LightningAdvancedFormat(), kAdvanced)));
}

}  // namespace
}  // namespace telltale
