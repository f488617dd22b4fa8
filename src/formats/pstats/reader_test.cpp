// SPDX-License-Identifier: Apache-2.0
#include "formats/pstats/reader.h"

#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Writes marshal by hand, so that every code and version can be had.
class Marshal {
 public:
  Marshal& Raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  Marshal& Word(uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(value >> (8 * i));
    return *this;
  }
  Marshal& Code(char code, bool flagged = false) {
    bytes_ += static_cast<char>(flagged ? code | '\x80' : code);
    return *this;
  }
  Marshal& Int(int32_t value) { return Code('i').Word(static_cast<uint32_t>(value)); }
  Marshal& Float(double value) {
    Code('g');
    char raw[8];
    std::memcpy(raw, &value, 8);
    return Raw({raw, 8});
  }
  Marshal& Short(std::string_view text, bool flagged = false) {
    Code('z', flagged);
    bytes_ += static_cast<char>(text.size());
    return Raw(text);
  }
  Marshal& Unicode(std::string_view text) {
    return Code('u').Word(static_cast<uint32_t>(text.size())).Raw(text);
  }
  Marshal& Tuple(int count, bool flagged = false) {
    Code(')', flagged);
    bytes_ += static_cast<char>(count);
    return *this;
  }
  Marshal& Back(uint32_t index) { return Code('r').Word(index); }
  Marshal& Key(std::string_view file, int32_t line, std::string_view name, bool flagged = false) {
    return Tuple(3, flagged).Short(file).Int(line).Short(name);
  }
  // The first four of an entry: primitive calls come first.
  Marshal& Entry(int32_t primitive, int32_t calls, double self, double total) {
    return Tuple(5).Int(primitive).Int(calls).Float(self).Float(total);
  }
  // A caller has all calls first.
  Marshal& Caller(int32_t calls, int32_t primitive, double self, double total) {
    return Tuple(4).Int(calls).Int(primitive).Float(self).Float(total);
  }
  Marshal& Dict(bool flagged = false) { return Code('{', flagged); }
  Marshal& End() { return Code('0'); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

Result<FunctionProfile> Read(std::string_view bytes, size_t chunk = SIZE_MAX) {
  const std::unique_ptr<ByteSource> source = OpenMemory(bytes, chunk);
  return ReadPstats(*source, {});
}

// Everything that was read, as text.
std::string Dump(const Result<FunctionProfile>& profile) {
  if (!profile) {
    return "error: " + profile.error().message + " at " +
           std::to_string(profile.error().offset.value_or(0)) + "\n";
  }
  std::string out;
  const auto name = [&](FunctionId f) {
    const Function& function = profile->functions[f];
    return std::string(profile->Text(function.file)) + ":" + std::to_string(function.line) + "(" +
           std::string(profile->Text(function.name)) + ")";
  };
  const auto values = [](const CallTotals& t) {
    return " " + std::to_string(t.calls) + "/" + std::to_string(t.primitive_calls) + " " +
           std::to_string(t.self_s) + " " + std::to_string(t.total_s);
  };
  for (FunctionId f = 0; f < profile->functions.size(); ++f) {
    out += name(f);
    out += profile->totals[f].in_profile ? values(profile->totals[f]) : std::string(" caller only");
    out += "\n";
  }
  for (const CallPair& pair : profile->pairs) {
    out += name(pair.caller) + " -> " + name(pair.callee) + values(pair.totals) +
           (pair.has_times ? "" : " no times") + "\n";
  }
  for (const Diagnostic& d : profile->diagnostics.entries()) {
    out += std::string(InfoOf(d.kind).name) + " " + std::to_string(d.count) + " at " +
           std::to_string(d.first_offset.value_or(0)) + "\n";
  }
  return out;
}

// The code of a module that defines a function, in the layout of one Python: `python -m profile`
// uses it as a name.
Marshal& AddCode(Marshal& out, int version, bool flagged, int depth = 0) {
  out.Code('c', flagged);
  const int numbers = version < 30 ? 4 : version >= 38 && version < 311 ? 6 : 5;
  // Arguments and variables of a module are none; the last two are stack size and flags.
  for (int i = 0; i < numbers; ++i) out.Word(i < numbers - 2 ? 0 : i < numbers - 1 ? 115 : 0x40);
  out.Code('s').Word(3).Raw("s0c");  // code
  out.Tuple(depth == 0 ? 2 : 1);     // constants
  if (depth == 0) AddCode(out, version, false, 1);
  out.Code('N').Tuple(0).Tuple(0);                                 // names, variables
  version >= 311 ? out.Code('s').Word(0) : out.Tuple(0).Tuple(0);  // their kinds; free, cells
  out.Short(depth == 0 ? "job.py" : "no.py").Short(depth == 0 ? "<module>" : "f");
  if (version >= 311) out.Short("<module>");
  out.Word(depth == 0 ? 7 : 9);
  out.Code('s').Word(0);
  return version >= 311 ? out.Code('s').Word(0) : out;
}

// main calls leaf three times; leaf's key is flagged in main's place and referred to.
std::string TwoFunctions() {
  return Marshal()
      .Dict(true)                    // reference 0
      .Key("a.py", 1, "main", true)  // 1
      .Entry(1, 1, 0.5, 2)
      .Dict()
      .End()
      .Key("a.py", 9, "leaf")
      .Entry(2, 3, 1.5, 1.5)
      .Dict()
      .Back(1)
      .Caller(3, 2, 1.5, 1.5)
      .End()
      .End()
      .bytes();
}

TEST(PstatsReader, ReadsEntriesAndCallersWithTheirSwappedCounts) {
  EXPECT_EQ(Dump(Read(TwoFunctions())),
            "a.py:1(main) 1/1 0.500000 2.000000\n"
            "a.py:9(leaf) 3/2 1.500000 1.500000\n"
            "a.py:1(main) -> a.py:9(leaf) 3/2 1.500000 1.500000\n");
  const Result<FunctionProfile> profile = Read(TwoFunctions());
  EXPECT_EQ(profile->shape, FunctionShape::kPairs);
  EXPECT_EQ(profile->source.events, 2U);
  EXPECT_EQ(profile->source.decoded_bytes, TwoFunctions().size());
}

TEST(PstatsReader, AChunkOfOneByteChangesNothing) {
  EXPECT_EQ(Dump(Read(TwoFunctions(), 1)), Dump(Read(TwoFunctions())));
}

TEST(PstatsReader, PairsAreLeftOutOnRequest) {
  const std::string bytes = TwoFunctions();
  const std::unique_ptr<ByteSource> source = OpenMemory(bytes);
  ReadOptions options;
  options.call_pairs = false;
  const Result<FunctionProfile> profile = ReadPstats(*source, options);
  EXPECT_EQ(Dump(profile),
            "a.py:1(main) 1/1 0.500000 2.000000\n"
            "a.py:9(leaf) 3/2 1.500000 1.500000\n");
  EXPECT_TRUE(profile->has_pairs);
}

TEST(PstatsReader, AReferenceBehindNumbersThatAreNoneLeadsWhereItShould) {
  const std::string bytes = Marshal()
                                .Dict(true)                    // reference 0
                                .Key("a.py", 1, "main", true)  // 1
                                .Tuple(5)
                                .Code('i', true)  // 2
                                .Word(7)
                                .Short("f", true)  // 3: a text where a count should be
                                .Float(0)
                                .Float(0)
                                .Dict()
                                .End()
                                .Tuple(3)
                                .Short("a.py")
                                .Back(2)
                                .Back(3)
                                .Tuple(5)
                                .Back(2)
                                .Back(2)
                                .Float(1)
                                .Float(1)
                                .Dict()
                                .End()
                                .End()
                                .bytes();
  EXPECT_EQ(Dump(Read(bytes)),
            "a.py:7(f) 7/7 1.000000 1.000000\n"
            "a.py:1(main) caller only\n"
            "malformed_record 1 at 1\n");
}

TEST(PstatsReader, KeepsTheOrderOfEntriesNotOfCallers) {
  const std::string bytes = Marshal()
                                .Dict()
                                .Key("a.py", 9, "leaf")
                                .Entry(1, 1, 0, 0)
                                .Dict()
                                .Key("a.py", 5, "middle")
                                .Caller(1, 1, 0, 0)
                                .End()
                                .Key("a.py", 1, "first")
                                .Entry(1, 1, 0, 0)
                                .Dict()
                                .End()
                                .Key("a.py", 5, "middle")
                                .Entry(1, 1, 0, 0)
                                .Dict()
                                .End()
                                .End()
                                .bytes();
  const Result<FunctionProfile> profile = Read(bytes);
  ASSERT_TRUE(profile);
  std::vector<std::string_view> names;
  for (const Function& function : profile->functions) names.push_back(profile->Text(function.name));
  EXPECT_THAT(names, ElementsAre("leaf", "first", "middle"));
}

TEST(PstatsReader, CallersOfThePureProfilerAreCounts) {
  const std::string bytes = Marshal()
                                .Dict()
                                .Key("a.py", 9, "leaf")
                                .Tuple(5)
                                .Int(1)
                                .Int(1)
                                .Int(0)  // it writes integers too
                                .Float(0.25)
                                .Dict()
                                .Key("profile", 0, "profiler")
                                .Int(7)
                                .End()
                                .End()
                                .bytes();
  EXPECT_EQ(Dump(Read(bytes)),
            "a.py:9(leaf) 1/1 0.000000 0.250000\n"
            "profile:0(profiler) caller only\n"
            "profile:0(profiler) -> a.py:9(leaf) 7/7 0.000000 0.000000 no times\n");
}

TEST(PstatsReader, KnowsEveryCodeForTextsAndNumbers) {
  const auto profile_of = [](std::string_view file, std::string_view calls, std::string_view time) {
    return Marshal()
        .Code('{')
        .Code('(')
        .Word(3)
        .Raw(file)
        .Int(4)
        .Short("f")
        .Code('(')
        .Word(5)
        .Raw(calls)
        .Raw(calls)
        .Raw(time)
        .Raw(time)
        .Dict()
        .End()
        .End()
        .bytes();
  };
  const std::string i = Marshal().Int(3).bytes();
  const std::string g = Marshal().Float(0.5).bytes();
  const std::string expected = "x.py:4(f) 3/3 0.500000 0.500000\n";
  for (const char code : {'s', 't', 'u', 'a', 'A'}) {
    const std::string file = Marshal().Code(code).Word(4).Raw("x.py").bytes();
    EXPECT_EQ(Dump(Read(profile_of(file, i, g))), expected) << code;
  }
  const std::string file = Marshal().Short("x.py").bytes();
  EXPECT_EQ(Dump(Read(profile_of(file, Marshal().Code('I').Word(3).Word(0).bytes(), g))), expected);
  EXPECT_EQ(Dump(Read(profile_of(file, Marshal().Code('l').Word(1).Raw({"\3\0", 2}).bytes(), g))),
            expected);
  EXPECT_EQ(Dump(Read(profile_of(file, i,
                                 Marshal()
                                     .Code('f')
                                     .Raw("\3"
                                          "0.5")
                                     .bytes()))),
            expected);
}

TEST(PstatsReader, LongIntegersHaveFifteenBitsADigit) {
  const auto line = [](std::string_view digits, int32_t count) {
    const std::string bytes = Marshal()
                                  .Dict()
                                  .Tuple(3)
                                  .Short("a")
                                  .Code('l')
                                  .Word(static_cast<uint32_t>(count))
                                  .Raw(digits)
                                  .Short("f")
                                  .Entry(1, 1, 0, 0)
                                  .Dict()
                                  .End()
                                  .End()
                                  .bytes();
    const Result<FunctionProfile> profile = Read(bytes);
    return profile ? profile->functions[0].line : -1;
  };
  EXPECT_EQ(line(std::string_view("\1\0\2\0", 4), 2), 1 + 2 * 32768);
  EXPECT_EQ(line(std::string_view("\1\0\2\0", 4), -2), -(1 + 2 * 32768));
  EXPECT_EQ(line(std::string_view("\xFF\x7F\xFF\x7F\xFF\x7F\xFF\x7F\7\0", 10), 5),
            std::numeric_limits<int64_t>::max());
}

TEST(PstatsReader, PythonTwoRefersToInternedTexts) {
  const std::string bytes = Marshal()
                                .Dict()
                                .Code('(')
                                .Word(3)
                                .Code('t')
                                .Word(4)
                                .Raw("b.py")
                                .Int(2)
                                .Code('R')
                                .Word(0)
                                .Entry(1, 1, 0, 0)
                                .Dict()
                                .End()
                                .End()
                                .bytes();
  EXPECT_EQ(Dump(Read(bytes)), "b.py:2(b.py) 1/1 0.000000 0.000000\n");
}

TEST(PstatsReader, EveryFlaggedObjectCountsForReferences) {
  // Flagged: the dictionary (0), an ignored list (1) with a flagged text in it (2), the key (3) and
  // its name (4). None and truth values never count.
  const std::string bytes = Marshal()
                                .Dict(true)
                                .Tuple(2)  // no key: its entry is skipped
                                .Code('[', true)
                                .Word(2)
                                .Short("in a list", true)
                                .Code('N', true)
                                .Code('T', true)
                                .Int(1)
                                .Tuple(3, true)
                                .Short("c.py")
                                .Int(3)
                                .Short("f", true)
                                .Entry(1, 1, 0, 0)
                                .Dict()
                                .Back(3)
                                .Caller(1, 1, 0, 0)
                                .End()
                                .Tuple(3)
                                .Short("d.py")
                                .Int(4)
                                .Back(4)
                                .Entry(1, 1, 0, 0)
                                .Dict()
                                .End()
                                .End()
                                .bytes();
  EXPECT_EQ(Dump(Read(bytes)),
            "c.py:3(f) 1/1 0.000000 0.000000\n"
            "d.py:4(f) 1/1 0.000000 0.000000\n"
            "c.py:3(f) -> c.py:3(f) 1/1 0.000000 0.000000\n"
            "malformed_record 1 at 1\n");
}

TEST(PstatsReader, StatisticsMayBeReferredToAsWell) {
  const std::string bytes = Marshal()
                                .Dict()
                                .Key("a", 1, "f")
                                .Tuple(5, true)  // 0
                                .Int(2)
                                .Int(2)
                                .Float(1)
                                .Float(1)
                                .Dict(true)  // 1
                                .Key("a", 9, "caller")
                                .Tuple(4, true)  // 2
                                .Int(1)
                                .Int(1)
                                .Float(0.5)
                                .Float(0.5)
                                .End()
                                .Key("a", 2, "g")
                                .Back(0)
                                .Key("a", 3, "h")
                                .Entry(1, 1, 2, 2)
                                .Back(1)
                                .End()
                                .bytes();
  EXPECT_EQ(Dump(Read(bytes)),
            "a:1(f) 2/2 1.000000 1.000000\n"
            "a:2(g) 2/2 1.000000 1.000000\n"
            "a:3(h) 1/1 2.000000 2.000000\n"
            "a:9(caller) caller only\n"
            "a:9(caller) -> a:1(f) 1/1 0.500000 0.500000\n"
            "a:9(caller) -> a:2(g) 1/1 0.500000 0.500000\n"
            "a:9(caller) -> a:3(h) 1/1 0.500000 0.500000\n");
}

TEST(PstatsReader, TextsAreRepairedToUtf8) {
  const auto name_of = [](const Marshal& name) {
    const std::string bytes = Marshal()
                                  .Dict()
                                  .Tuple(3)
                                  .Short("a")
                                  .Int(1)
                                  .Raw(name.bytes())
                                  .Entry(1, 1, 0, 0)
                                  .Dict()
                                  .End()
                                  .End()
                                  .bytes();
    const Result<FunctionProfile> profile = Read(bytes);
    return profile ? std::string(profile->Text(profile->functions[0].name)) : "error";
  };
  EXPECT_EQ(name_of(Marshal().Unicode("f\xC3\xBC")), "f\xC3\xBC");
  // A lone surrogate, as os.fsdecode makes of a byte that is no UTF-8: one character.
  EXPECT_EQ(name_of(Marshal().Unicode("a\xED\xB2\x80z")), "a\xEF\xBF\xBDz");
  EXPECT_EQ(name_of(Marshal().Code('s').Word(3).Raw("a\xFFz")), "a\xEF\xBF\xBDz");
  EXPECT_EQ(name_of(Marshal().Code('s').Word(3).Raw("a\xE2\x82")), "a\xEF\xBF\xBD");
  // "ASCII" texts hold code points.
  EXPECT_EQ(name_of(Marshal().Short("\xE9t\xE9")), "\xC3\xA9t\xC3\xA9");
}

TEST(PstatsReader, EveryCutKeepsTheEntriesBeforeIt) {
  const std::string whole = TwoFunctions();
  const size_t first_entry = 1 + 2 + 6 + 5 + 6 + 2 + 5 + 5 + 9 + 9 + 2;
  for (size_t size = 0; size < whole.size(); ++size) {
    const Result<FunctionProfile> profile = Read(std::string_view(whole).substr(0, size));
    if (size < first_entry) {
      ASSERT_FALSE(profile) << size;
      EXPECT_EQ(profile.error().code, ErrorCode::kUnreadable);
      EXPECT_THAT(profile.error().message, HasSubstr("expected"));
      continue;
    }
    ASSERT_TRUE(profile) << size;
    EXPECT_EQ(profile->source.events, size == whole.size() - 1 ? 2U : 1U) << size;
    EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kTruncated), 1U) << size;
    EXPECT_EQ(profile->diagnostics.entries()[0].first_offset, size);
  }
}

TEST(PstatsReader, BytesAfterTheEndAreANote) {
  EXPECT_THAT(Dump(Read(TwoFunctions() + "more")),
              HasSubstr("trailing_data 1 at " + std::to_string(TwoFunctions().size())));
}

TEST(PstatsReader, AnEmptyDictionaryIsAnEmptyProfile) {
  const Result<FunctionProfile> profile = Read("{0");
  ASSERT_TRUE(profile);
  EXPECT_TRUE(profile->functions.empty());
  EXPECT_TRUE(profile->diagnostics.empty());
}

TEST(PstatsReader, LengthsAreNotBelieved) {
  EXPECT_FALSE(Read(std::string_view("{(\xFF\xFF\xFF\x7F", 6)));
  EXPECT_FALSE(Read(std::string_view("{)\3u\xFF\xFF\xFF\x7F", 8)));
  EXPECT_FALSE(Read(std::string_view("{)\3l\xFF\xFF\xFF\x7F", 8)));
  EXPECT_FALSE(Read(std::string_view("{)\3u\xFF\xFF\xFF\xFF", 8)));
}

TEST(PstatsReader, NestingIsLimitedWithoutRecursion) {
  std::string deep = "{";
  for (int i = 0; i < 100000; ++i) deep += std::string(")\1", 2);
  const Result<FunctionProfile> profile = Read(deep);
  ASSERT_FALSE(profile);
  EXPECT_THAT(profile.error().message, HasSubstr("nested more than 2000 deep"));
}

TEST(PstatsReader, AReferenceToAnUnfinishedObjectIsDamage) {
  // The callers are the dictionary that is being read.
  const std::string bytes =
      Marshal().Dict(true).Key("a", 1, "f").Entry(1, 1, 0, 0).Back(0).End().bytes();
  EXPECT_THAT(Dump(Read(bytes)), HasSubstr("a reference leads to object 0"));
}

TEST(PstatsReader, ReferencesCannotMultiplyASmallFile) {
  Marshal bytes;
  bytes.Dict().Key("a", 1, "f").Entry(1, 1, 0, 0).Dict(true);
  for (int i = 0; i < 2000; ++i) bytes.Key("a", i, "caller").Int(1);
  bytes.End();
  for (int i = 0; i < 2000; ++i) bytes.Key("b", i, "g").Entry(1, 1, 0, 0).Back(0);
  bytes.End();
  const Result<FunctionProfile> profile = Read(bytes.bytes());
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kDamagedData), 1U);
  EXPECT_LT(profile->pairs.size(), bytes.bytes().size());
}

TEST(PstatsReader, NumbersThatDoNotFitAreMissing) {
  const std::string bytes = Marshal()
                                .Dict()
                                .Key("a", 1, "f")
                                .Entry(1, 1, std::numeric_limits<double>::quiet_NaN(), 1e300)
                                .Dict()
                                .End()
                                .End()
                                .bytes();
  EXPECT_THAT(Dump(Read(bytes)), HasSubstr("a:1(f) 1/1 0.000000 0.000000\nnumber_out_of_range 2"));
}

TEST(PstatsReader, ForeignContentIsNamed) {
  EXPECT_THAT(Dump(Read("")), HasSubstr("found an empty file"));
  EXPECT_THAT(Dump(Read("\x80\4\x95 a pickle")), HasSubstr("a pickle, which is never loaded"));
  EXPECT_THAT(Dump(Read("this is no profile at all\n")), HasSubstr("found text"));
  EXPECT_THAT(Dump(Read(std::string_view("[\0\0\0\0", 5))), HasSubstr("found a list"));
  EXPECT_THAT(Dump(Read("\x01\x02\x03")), HasSubstr("the type code 0x01 is not known"));
  EXPECT_THAT(Dump(Read(Marshal().Dict().Key("f", 1, "g").Tuple(2).Int(1).Int(2).End().bytes())),
              HasSubstr("(file, line, name): (cc, nc, tt, ct, callers)"));
}

TEST(PstatsReader, ItsFilesAreToldByContentOrElseByName) {
  EXPECT_TRUE(LooksLikePstats(TwoFunctions(), "x.bin"));
  EXPECT_TRUE(LooksLikePstats("{0", "x.bin"));
  EXPECT_TRUE(LooksLikePstats("", "x.prof"));
  EXPECT_TRUE(LooksLikePstats("garbage", "x.prof.gz"));
  EXPECT_FALSE(LooksLikePstats("garbage", "x.json"));
  EXPECT_FALSE(LooksLikePstats("{\"traceEvents\": []}", "x.prof"));
  EXPECT_FALSE(LooksLikePstats(" [ {", "x.prof"));
}

TEST(PstatsReader, CodeObjectsAreNames) {
  for (const int version : {27, 36, 38, 310, 311, 313}) {
    Marshal out;
    out.Dict(true).Tuple(3).Short("profile").Int(0);  // reference 0
    AddCode(out, version, true);                      // 1
    out.Entry(1, 1, 0.5, 2).Dict().Key("profile", 0, "profiler").Int(1).End();
    out.Key("job.py", 9, "f").Entry(1, 1, 1.5, 1.5).Dict();
    out.Tuple(3).Short("profile").Int(0).Back(1).Int(1).End().End();
    const std::string expected =
        "profile:0(<code object <module>, file \"job.py\", line 7>) 1/1 0.500000 2.000000\n"
        "job.py:9(f) 1/1 1.500000 1.500000\n"
        "profile:0(profiler) caller only\n"
        "profile:0(profiler) -> profile:0(<code object <module>, file \"job.py\", line 7>) 1/1 "
        "0.000000 0.000000 no times\n"
        "profile:0(<code object <module>, file \"job.py\", line 7>) -> job.py:9(f) 1/1 0.000000 "
        "0.000000 no times\n";
    EXPECT_EQ(Dump(Read(out.bytes())), expected) << version;
    EXPECT_EQ(Dump(Read(out.bytes(), 1)), expected) << version;
    for (size_t size = 0; size < out.bytes().size(); ++size) {
      const auto profile = Read(std::string_view(out.bytes()).substr(0, size));
      EXPECT_TRUE(!profile || profile->diagnostics.Count(DiagnosticKind::kTruncated) == 1);
    }
  }
}

TEST(PstatsReader, CodeObjectsInsideOthersAreNoNames) {
  Marshal out;
  out.Dict().Key("a.py", 1, "f").Entry(1, 1, 1, 1).Dict().End();
  out.Int(5).Code('[').Word(1);
  AddCode(out, 311, true);  // reference 0
  out.Tuple(3).Short("profile").Int(0).Back(0).Entry(1, 1, 1, 1).Dict().End().End();
  const auto profile = Read(out.bytes());
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->functions.size(), 1U);
  EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kMalformedRecord), 2U);
}

TEST(PstatsReader, UnknownLayoutsOfCodeEndTheReading) {
  Marshal out;
  out.Dict().Key("a.py", 1, "f").Entry(1, 1, 1, 1).Dict().End();
  out.Code('c').Raw(std::string(40, '\1'));
  EXPECT_EQ(Dump(Read(out.bytes())), "a.py:1(f) 1/1 1.000000 1.000000\ndamaged_data 1 at 49\n");
}

TEST(PstatsReader, ReferencesCannotRepeatAFileWithoutEnd) {
  Marshal out;
  out.Dict().Key("a.py", 1, "f").Entry(1, 1, 1, 1).Dict().End();
  out.Tuple(3, true).Code('[').Word(1000);  // reference 0: no key
  for (int i = 0; i < 1000; ++i) out.Int(i);
  out.Int(1).Int(2).Int(0);
  for (int i = 0; i < 20000; ++i) out.Back(0).Int(0);
  out.End();
  const auto profile = Read(out.bytes());
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->diagnostics.Count(DiagnosticKind::kDamagedData), 1U);
}

}  // namespace
}  // namespace telltale
