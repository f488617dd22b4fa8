// SPDX-License-Identifier: Apache-2.0
#include "formats/pprof/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/function_dump.h"

namespace telltale {
namespace {

using testing::HasSubstr;

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}
std::string Number(uint32_t field, uint64_t value) { return Varint(field << 3) + Varint(value); }
std::string Bytes(uint32_t field, const std::string& bytes) {
  return Varint(field << 3 | 2) + Varint(bytes.size()) + bytes;
}
std::string Packed(uint32_t field, const std::vector<uint64_t>& values) {
  std::string bytes;
  for (const uint64_t value : values) bytes += Varint(value);
  return Bytes(field, bytes);
}

std::string Type(uint64_t type, uint64_t unit) {
  return Bytes(1, Number(1, type) + Number(2, unit));
}
std::string Sample(const std::vector<uint64_t>& locations, const std::vector<uint64_t>& values) {
  return Bytes(2, Packed(1, locations) + Packed(2, values));
}
std::string Function(uint64_t id, uint64_t name, uint64_t file, uint64_t line) {
  return Bytes(5, Number(1, id) + Number(2, name) + Number(4, file) + Number(5, line));
}
std::string Location(uint64_t id, const std::vector<uint64_t>& functions) {
  std::string bytes = Number(1, id) + Number(2, 1) + Number(3, 0x1234);
  for (const uint64_t function : functions) bytes += Bytes(4, Number(1, function) + Number(2, 9));
  return Bytes(4, bytes);
}
std::string Texts(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) bytes += Bytes(6, text);
  return bytes;
}

const std::vector<std::string> kTexts = {"",      "samples", "count",   "cpu",  "nanoseconds",
                                         "main",  "work",    "inlined", "a.go", "/bin",
                                         "space", "bytes"};

// Go's order: types, samples, mappings, locations, functions, texts.
const std::string kProfile = Type(1, 2) + Type(3, 4) + Sample({2, 1}, {3, 30}) +
                             Sample({3, 2, 1}, {2, 20}) + Bytes(3, Number(1, 1) + Number(5, 9)) +
                             Location(1, {1}) + Location(2, {3, 2}) + Location(3, {}) +
                             Function(1, 5, 8, 10) + Function(2, 6, 8, 20) + Function(3, 7, 8, 0) +
                             Texts(kTexts) + Number(9, 1'700'000'000'000'000'000) + Number(10, 5);

FunctionProfile Read(std::string_view text) {
  Result<FunctionProfile> profile = ReadFunctions(PprofFormat(), text);
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile ? CheckFunctions(*profile) : "", "");
  return profile ? std::move(*profile) : FunctionProfile();
}

TEST(Pprof, ReadsPathsWithInlinedFunctions) {
  EXPECT_TRUE(PprofFormat().matches(kProfile, ""));
  const FunctionProfile profile = Read(kProfile);
  EXPECT_EQ(PathsOf(profile),
            "main (a.go:10);work (a.go:20);inlined (a.go) 30\n"
            "main (a.go:10);work (a.go:20);inlined (a.go);0x1234 (/bin) 20\n");
  EXPECT_EQ(profile.unit, ValueUnit::kNanoseconds);
  EXPECT_EQ(profile.start_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(profile.source.events, 2U);
  EXPECT_EQ(profile.Text(profile.functions[0].module), "/bin");
  EXPECT_EQ(profile.tree.calls[0], kNoUint);
  ASSERT_EQ(profile.diagnostics.entries().size(), 1U);
  EXPECT_THAT(profile.diagnostics.entries()[0].detail, HasSubstr("samples (count)"));
}

TEST(Pprof, ChoosesTheFilesOwnTypeThenTimeThenTheLast) {
  const std::string rest = Location(1, {1}) + Function(1, 5, 8, 0) + Texts(kTexts);
  const std::string types = Type(1, 2) + Type(3, 4) + Type(10, 11) + Sample({1}, {1, 2, 3});
  EXPECT_EQ(PathsOf(Read(types + rest)), "main (a.go) 2\n");
  const FunctionProfile chosen = Read(types + rest + Number(14, 10));
  EXPECT_EQ(PathsOf(chosen), "main (a.go) 3\n");
  EXPECT_EQ(chosen.unit, ValueUnit::kBytes);
  const FunctionProfile last = Read(Type(10, 11) + Type(1, 2) + Sample({1}, {7, 8}) + rest);
  EXPECT_EQ(PathsOf(last), "main (a.go) 8\n");
  EXPECT_EQ(last.unit, ValueUnit::kSamples);
}

TEST(Pprof, OrderOfFieldsAndPackingDoNotMatter) {
  const std::string sample = Bytes(2, Number(1, 2) + Number(1, 1) + Number(2, 3) + Number(2, 30));
  const std::string text = Texts(kTexts) + Function(1, 5, 8, 10) + Function(2, 6, 8, 20) +
                           Location(1, {1}) + Location(2, {2}) + sample + Type(1, 2) + Type(3, 4);
  EXPECT_TRUE(PprofFormat().matches(text, ""));
  EXPECT_EQ(PathsOf(Read(text)), "main (a.go:10);work (a.go:20) 30\n");
}

TEST(Pprof, FunctionsWithoutANameHaveTheirAddress) {
  // Go's profile of thread starts.
  EXPECT_EQ(PathsOf(Read(Type(3, 4) + Sample({1}, {5}) + Location(1, {1}) + Function(1, 0, 0, 0) +
                         Texts(kTexts))),
            "0x1234 5\n");
}

TEST(Pprof, UnknownReferencesAreShownByNumber) {
  const FunctionProfile profile =
      Read(Type(3, 4) + Sample({7, 8}, {5}) + Location(8, {99}) + Texts(kTexts));
  EXPECT_EQ(PathsOf(profile), "function 99;location 7 5\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kUnknownFrame), 2U);
}

TEST(Pprof, NegativeValuesAreTakenAsZero) {
  const FunctionProfile profile = Read(Type(3, 4) + Sample({1}, {static_cast<uint64_t>(-5)}) +
                                       Sample({2}, {5}) + Texts(kTexts));
  EXPECT_EQ(PathsOf(profile), "location 2 5\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kNegativeDuration), 1U);
}

TEST(Pprof, BrokenPartsAreCountedAndPassedOver) {
  const FunctionProfile profile =
      Read(Type(3, 4) + Bytes(2, "\x0a\x7f") + Bytes(4, "\xff") + Sample({1}, {5}) + Texts(kTexts));
  EXPECT_EQ(PathsOf(profile), "location 1 5\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 2U);
}

TEST(Pprof, HugeLengthsAreNotBelieved) {
  const FunctionProfile profile =
      Read(Type(3, 4) + Sample({1}, {5}) + Varint(2 << 3 | 2) + Varint(uint64_t{1} << 60) + "abc");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kTruncated), 1U);
  ReadOptions small;
  small.max_value_bytes = 64;
  const auto skipped = ReadFunctions(
      PprofFormat(), Type(3, 4) + Bytes(6, std::string(500, 'x')) + Sample({1}, {5}), 7, small);
  ASSERT_TRUE(skipped);
  EXPECT_EQ(skipped->diagnostics.Count(DiagnosticKind::kOversizedValue), 1U);
}

TEST(Pprof, FewBytesCannotMeanManyNodes) {
  // One location with a thousand inlined functions, in ten thousand paths.
  std::string text = Type(3, 4);
  for (uint64_t i = 0; i < 10'000; ++i) text += Sample({1, 2 + i}, {1});
  text += Location(1, std::vector<uint64_t>(1000, 1)) + Texts(kTexts);
  const FunctionProfile profile = Read(text);
  EXPECT_LT(profile.tree.size(), size_t{2'000'000});
  EXPECT_GT(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 0U);
}

TEST(Pprof, EveryCutGivesWhatWasBeforeIt) {
  for (size_t size = 0; size < kProfile.size(); ++size) {
    const auto profile = ReadFunctions(PprofFormat(), std::string_view(kProfile).substr(0, size));
    if (!profile) {
      EXPECT_THAT(profile.error().message, HasSubstr("pprof"));
      continue;
    }
    EXPECT_EQ(CheckFunctions(*profile), "");
  }
}

TEST(Pprof, OneByteAtATimeIsTheSame) {
  ReadOptions tiny;
  tiny.block_bytes = 1;
  EXPECT_EQ(DumpFunctions(*ReadFunctions(PprofFormat(), kProfile, 1, tiny)),
            DumpFunctions(*ReadFunctions(PprofFormat(), kProfile)));
}

}  // namespace
}  // namespace telltale
