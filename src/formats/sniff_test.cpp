// SPDX-License-Identifier: Apache-2.0
#include "formats/sniff.h"

#include <gtest/gtest.h>

#include <string>

namespace telltale {
namespace {

std::string Told(std::string_view head, std::string_view path = "x") {
  const std::optional<Sniffed> sniffed = SniffContent(head, path);
  if (!sniffed) return "nothing";
  return std::string(NameOf(sniffed->kind)) + " " + std::string(sniffed->format);
}

TEST(Sniff, TellsFormatsByTheirFirstBytes) {
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

TEST(Sniff, LeavesOtherFilesAlone) {
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

TEST(Sniff, LooksOnlyIntoFilesThatMayBeProfiles) {
  EXPECT_TRUE(MayBeProfileName("worker0.123.pt.trace.json.gz"));
  EXPECT_TRUE(MayBeProfileName("a.prof"));
  EXPECT_TRUE(MayBeProfileName("snapshot.pickle"));
  EXPECT_FALSE(MayBeProfileName(".hidden.json"));
  EXPECT_FALSE(MayBeProfileName("weights.pt"));
  EXPECT_FALSE(MayBeProfileName("train.py"));
  EXPECT_FALSE(MayBeProfileName("README"));
}

TEST(Sniff, SaysWhatCannotBeOpened) {
  EXPECT_FALSE(SniffFile("/does/not/exist.json", {}).has_value());
}

}  // namespace
}  // namespace telltale
