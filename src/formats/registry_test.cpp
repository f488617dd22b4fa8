// SPDX-License-Identifier: Apache-2.0
// Which reader a file goes to, by its first bytes: each sample to its own, everything else to none.
#include "formats/registry.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

struct Case {
  std::string what;
  std::string head;
  std::string format;  // empty: none of them
};

std::string FormatOf(std::string_view head) {
  const Format* format = FindFormat(head, "");
  return format == nullptr ? "" : std::string(format->name);
}

const Case kCases[] = {
    {"py-spy speedscope",
     R"({"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"type":"sampled",)",
     "speedscope"},
    {"speedscope, schema last, cut",
     R"({"exporter":"x","name":"n","profiles":[{"type":"evented","name":"a","unit":"none","events":[{"type")",
     "speedscope"},
    {"speedscope without anything in it",
     R"({"$schema": "https://www.speedscope.app/file-format-schema.json"})", "speedscope"},
    {"py-spy raw", "thread (1): MainThread;<module> (job.py:5);main (job.py:7) 12\n", "collapsed"},
    {"export_stacks", "t.py(3):_<module>;<built-in_function_x> 5\n", "collapsed"},
    {"flame graph", "swapper;start_kernel;rest_init 3\nswapper 1\n", "collapsed"},
    {"flame graph with a bad line in many",
     "a;b 1\na;c 2\na;d 3\na;e 3\na;f 3\na;g 3\na;h 3\na;i 3\na;j 3\na;k 3\noops\n", "collapsed"},
    {"pyinstrument json",
     R"({"start_time": 1.5,"duration": 1,"sample_count": 2,"cpu_time": 0.2,"root_frame": {"function": "<mod)",
     "pyinstrument"},
    {"pyinstrument session",
     R"({"start_time": 1.5, "duration": 1, "sample_count": 2, "start_call_stack": ["a"], "sys_path": [)",
     "pyinstrument"},
    {"pprof",
     std::string("\x0a\x04\x08\x01\x10\x02\x12\x06\x0a\x01\x01\x12\x01\x05\x32\x00\x32\x03"
                 "cpu",
                 21),
     "pprof"},
    {"importtime", "import time: self [us] | cumulative | imported package\n", "importtime"},
    {"importtime after other output",
     "hello\nimport time:  1 |  1 | a\nimport time:  1 |   2 | b\n", "importtime"},
    {"Lightning simple",
     "FIT Profiler Report\n\n---\n|  Action  \t|  Mean duration (s)\t|  Total time (s) \t|\n",
     "lightning_simple"},
    {"Lightning simple of old",
     "Profiler Report\n\nAction  \t|  Mean duration (s)\t|  Total time (s) \n", "lightning_simple"},
    {"Lightning advanced", "Profile stats for: x\n         7 function calls in 0.000 seconds\n",
     "lightning_advanced"},
    {"pstats' own table",
     "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n",
     "lightning_advanced"},
    {"perf script", "# comment\npt main 12/13 [000] 5.1: 250 cycles:u: \n\t 7f f+0x1 (/bin/x)\n",
     "perf_script"},
    {"perf script without chains", "a 12 5.1: 250 cycles:  7f f+0x1 (/bin/x)\n", "perf_script"},
    {"prose about imports", "import time: the moment at which goods arrive | a | b\n", ""},
    {"prose about actions", "Action | Mean | Total\n", ""},
    {"a log with times", "worker 12 5.1: started: ok\n\tdone (all)\n", ""},
    {"execution trace",
     R"({"schema": "1.1.1-chakra.0.0.4", "pid": 5, "time": "2026", "start_ts": 1, "nodes": [{"id": 1)",
     ""},
    {"memory timeline", "[[1, 2, 3], [[0, 1], [2, 3]]]", "memory_timeline"},
    {"marshalled statistics", std::string("\xfb\xa9\x03\xda\x04job.py", 11), "pstats"},
    {"text that begins like protobuf", "\n\n\n\nsome text\n", ""},
    {"event file", std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09", 13), "tfevents"},
    {"samples", std::string("TTS1\x02\0\0\0\x01\x02\x03\x04\x08\x01", 14), "samples"},
    {"prose that begins like samples", "TTS1 is the first of them\n", ""},
    {"kineto", R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "a;b 12", "ts": 1}]})",
     "kineto_json"},
    {"kineto with its name first",
     R"({"profiles": [], "traceEvents": [{"ph": "X", "type": "evented"}]})", "kineto_json"},
    {"trace as a list", R"([{"ph": "X", "cat": "py-spy", "name": "a", "ts": 1, "dur": 2}])",
     "kineto_json"},
    {"other JSON", R"({"name": "package", "version": "1.0", "profiles": ["a"]})", ""},
    {"JSON with a schema", R"({"$schema": "https://json-schema.org/draft/2020-12/schema"})", ""},
    {"prose", "It was the year 1984\nand we were 12; the house had 3 doors.\nEnd\n", ""},
    {"a list with numbers", "apples 12\npears 7\nplums 3\n", ""},
    {"semicolons without values", "a;b;c\nd;e;f\n", ""},
    {"CSV", "name;calls;total\na;1;2\nb;3;4\n", ""},
    {"C code", "int a = 1; int b = 2;\nreturn 0;\n", ""},
    {"binary that ends like a stack", std::string("\0\1;\2 12\n", 7), ""},
    {"empty", "", ""},
    {"blank", "\n\n  \n", ""},
    {"HTML", "<!DOCTYPE html>\n<html><body>404</body></html>", ""},
    {"zeros", std::string(1000, '\0'), ""},
};

TEST(Registry, EachFileGoesToItsOwnReader) {
  for (const Case& c : kCases) EXPECT_EQ(FormatOf(c.head), c.format) << c.what;
}

TEST(Registry, RandomBytesAreNone) {
  uint64_t state = 1;
  for (int file = 0; file < 2000; ++file) {
    std::string bytes;
    for (int i = 0; i < 300; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      bytes += static_cast<char>(state >> 56);
    }
    EXPECT_EQ(FormatOf(bytes), "") << file;
  }
}

TEST(Registry, CutHeadsAreNoDanger) {
  for (const Case& c : kCases) {
    for (size_t size = 0; size < c.head.size(); ++size) {
      const std::string found = FormatOf(std::string_view(c.head).substr(0, size));
      EXPECT_TRUE(found.empty() || found == c.format) << c.what << " " << size;
    }
  }
}

std::string Told(std::string_view head, std::string_view path = "x") {
  const Format* format = Sniff(head, path).format;
  if (format == nullptr) return "nothing";
  return std::string(NameOf(format->kind)) + " " + std::string(format->name);
}

TEST(Registry, TellsFormatsByTheirFirstBytes) {
  EXPECT_EQ(Told(R"({"schemaVersion": 1, "deviceProperties": [)"), "trace kineto_json");
  EXPECT_EQ(Told("\n{\n \"traceEvents\": []}"), "trace kineto_json");
  EXPECT_EQ(Told(R"([{"ph": "X", "ts": 1, "pid": 1}])"), "trace kineto_json");
  EXPECT_EQ(Told(R"({"$schema": "https://www.speedscope.app/file-format-schema.json", )"
                 R"("shared": {"frames": []}, "profiles": []})"),
            "functions speedscope");
  EXPECT_EQ(Told("broken", "a.prof"), "functions pstats");
  EXPECT_EQ(Told(R"({"a": "traceEvents", "traceEvents"  : [)"), "trace kineto_json");
  EXPECT_EQ(Told(R"({"traceEvents")"), "trace kineto_json") << "no more was written yet";
}

TEST(Registry, LeavesOtherFilesAlone) {
  EXPECT_EQ(Told(""), "nothing");
  EXPECT_EQ(Told(R"({"learning_rate": 0.1})"), "nothing");
  EXPECT_EQ(Told(R"([1, 2, 3])"), "nothing");
  EXPECT_EQ(Told("Epoch 1: loss is falling\n"), "nothing");
  EXPECT_EQ(Told(R"({"cells": [{"source": "traceEvents"}]})"), "nothing") << "a value, no key";
  EXPECT_EQ(Told(R"({"counts": {"traceEvents": 3}})"), "nothing");
  EXPECT_EQ(
      Told(R"({"of": {"schemaVersion": 1, "deviceProperties": [], "baseTimeNanoseconds": 7}})"),
      "nothing")
      << "about a trace";
  EXPECT_EQ(Told(R"({"a\"{": "}", "deviceProperties": [{"id": 0}], "schemaVersion": 1})"),
            "trace kineto_json");
  EXPECT_EQ(Told(R"([{"ph": 7.1, "pid": 3, "ts": 1}])"), "nothing") << "how sour it is";
}

TEST(Registry, LooksOnlyIntoFilesThatMayBeProfiles) {
  EXPECT_TRUE(MayBeProfileName("worker0.123.pt.trace.json.gz"));
  EXPECT_TRUE(MayBeProfileName("a.prof"));
  EXPECT_TRUE(MayBeProfileName("snapshot.pickle"));
  EXPECT_FALSE(MayBeProfileName(".hidden.json"));
  EXPECT_FALSE(MayBeProfileName("weights.pt"));
  EXPECT_FALSE(MayBeProfileName("train.py"));
  EXPECT_FALSE(MayBeProfileName("README"));
}

TEST(Registry, SaysWhatCannotBeOpened) {
  EXPECT_FALSE(SniffFile("/does/not/exist.json", {}).has_value());
}

TEST(Registry, SaysWhyAFileIsNotListed) {
  const auto why = [](std::string_view head) { return Sniff(head, "x").why_not; };
  constexpr std::string_view kTable =
      "         7 function calls in 0.000 seconds\n\n"
      "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n";
  EXPECT_EQ(Told(kTable), "functions lightning_advanced") << "named, it is read";
  EXPECT_FALSE(Sniff(kTable, "x").belongs_in_list);
  EXPECT_EQ(why(kTable), "a printed table: name it to open it");
  EXPECT_TRUE(Sniff("Profile stats for: x\n" + std::string(kTable), "x").belongs_in_list);
  EXPECT_EQ(why(""), "empty");
  EXPECT_EQ(why("Epoch 1\n"), "no profile");
  EXPECT_EQ(why("\x80\x04\x95"), "a Python pickle, which is a program: never read");
  EXPECT_EQ(Sniff("x", "run/events.out.tfevents.1.lab").why_not, "part of a run");
}

TEST(Registry, EveryFormatIsDescribed) {
  std::set<std::string_view> names;
  for (const Format& format : Formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    EXPECT_EQ(FormatNamed(format.name), &format);
    EXPECT_FALSE(format.shown.empty()) << format.name;
    EXPECT_FALSE(format.endings.empty()) << format.name;
    EXPECT_NE(format.read, nullptr) << format.name;
    EXPECT_EQ(format.read_events != nullptr, format.kind == ContentKind::kTrace) << format.name;
    EXPECT_THAT(ReadableKinds(), testing::HasSubstr(std::string(format.shown)));
    for (const std::string_view ending : format.endings) {
      EXPECT_TRUE(MayBeProfileName("a" + std::string(ending) + ".gz")) << ending;
    }
    if (format.writer.name.empty()) continue;
    EXPECT_EQ(format.writer.trace != nullptr, format.kind == ContentKind::kTrace) << format.name;
    EXPECT_EQ(format.writer.functions != nullptr, format.kind == ContentKind::kFunctions)
        << format.name;
  }
}

}  // namespace
}  // namespace telltale
