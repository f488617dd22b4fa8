// SPDX-License-Identifier: Apache-2.0
// Compressed inputs are made here with zlib and zstd, so every expectation is known exactly.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "io/byte_sink.h"
#include "io/gzip_memory.h"
#include "io/sources.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;

// Text that compresses like a trace: repetitive, but not trivially.
std::string SampleText(size_t bytes) {
  std::mt19937 random(7);
  std::string text;
  while (text.size() < bytes) {
    text += R"({"ph": "X", "name": "aten::op)" + std::to_string(random() % 50) + R"(", "ts": )" +
            std::to_string(random()) + "},\n";
  }
  text.resize(bytes);
  return text;
}

std::string Gzip(std::string_view text, const char* name = nullptr, int level = 6) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  gz_header header{};
  std::string extra = "extra field";
  if (name != nullptr) {
    header.name = reinterpret_cast<Bytef*>(const_cast<char*>(name));
    header.comment = header.name;
    header.extra = reinterpret_cast<Bytef*>(extra.data());
    header.extra_len = static_cast<uInt>(extra.size());
    header.hcrc = 1;
    deflateSetHeader(&stream, &header);
  }
  std::string out(deflateBound(&stream, text.size()) + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Zstd(std::string_view text, int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  if (window_log > 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  }
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  // In two parts where the size must stay unknown to the encoder.
  if (window_log > 0) {
    in.size = text.size() / 2;
    ZSTD_compressStream2(context, &to, &in, ZSTD_e_continue);
    in.size = text.size();
  }
  EXPECT_EQ(ZSTD_compressStream2(context, &to, &in, ZSTD_e_end), 0U);
  out.resize(to.pos);
  ZSTD_freeCCtx(context);
  return out;
}

std::string SkippableFrame(std::string_view content) {
  std::string frame("\x53\x2a\x4d\x18", 4);
  for (int shift = 0; shift < 32; shift += 8) {
    frame += static_cast<char>(content.size() >> shift & 0xff);
  }
  return frame.append(content);
}

struct Decoded {
  std::string text;
  std::optional<SourceProblem> problem;
};

Decoded ReadAll(ByteSource& source, size_t read_bytes = size_t{64} << 10) {
  Decoded decoded;
  std::string buffer(read_bytes, '\0');
  while (true) {
    const Result<size_t> count = source.Read(buffer.data(), buffer.size());
    if (!count) {
      ADD_FAILURE() << count.error().message;
      break;
    }
    if (*count == 0) break;
    EXPECT_LE(*count, buffer.size());
    decoded.text.append(buffer, 0, *count);
    if (decoded.text.size() > size_t{1} << 30) {
      ADD_FAILURE() << "no end";
      break;
    }
  }
  decoded.problem = source.problem();
  EXPECT_EQ(*source.Read(buffer.data(), buffer.size()), 0U) << "an end stays an end";
  return decoded;
}

Decoded ReadMemory(std::string_view bytes, size_t chunk = SIZE_MAX,
                   size_t read_bytes = size_t{64} << 10) {
  return ReadAll(*OpenMemory(bytes, chunk), read_bytes);
}

class Engine : public testing::TestWithParam<const char*> {
 protected:
  static std::unique_ptr<ByteSource> Open(std::string_view bytes, size_t chunk = SIZE_MAX) {
    const std::string_view engine = GetParam();
    auto raw = MakeMemorySource(bytes, chunk);
    if (engine == "zstd") return MakeZstdSource(std::move(raw));
    return MakeGzipSource(std::move(raw), engine == "zlib" ? MakeZlibInflater() : MakeInflater());
  }
  static std::string Compress(std::string_view text) {
    return std::string_view(GetParam()) == "zstd" ? Zstd(text) : Gzip(text);
  }
  static bool IsGzip() { return std::string_view(GetParam()) != "zstd"; }
};

INSTANTIATE_TEST_SUITE_P(Io, Engine, testing::Values("default", "zlib", "zstd"),
                         [](const auto& engine) { return std::string(engine.param); });

TEST_P(Engine, DecodesWhatWasEncoded) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{1000}, size_t{5} << 20}) {
    const std::string text = SampleText(size);
    const std::string compressed = Compress(text);
    const Decoded decoded = ReadAll(*Open(compressed));
    EXPECT_TRUE(decoded.text == text) << size;
    EXPECT_FALSE(decoded.problem) << decoded.problem->message;
  }
}

TEST_P(Engine, ChunkSizesChangeNothing) {
  const std::string text = SampleText(70'000);
  const std::string compressed = Compress(text) + Compress("") + Compress("tail");
  for (const size_t chunk : {1U, 2U, 3U, 7U, 64U, 1000U}) {
    for (const size_t read_bytes : {1U, 13U, 4096U, 1U << 20}) {
      const Decoded decoded = ReadAll(*Open(compressed, chunk), read_bytes);
      EXPECT_TRUE(decoded.text == text + "tail") << chunk << " " << read_bytes;
      EXPECT_FALSE(decoded.problem);
    }
  }
}

TEST_P(Engine, ReadsSeveralMembers) {
  const std::string text = SampleText(3000);
  std::string all;
  std::string compressed;
  for (size_t i = 0; i < 20; ++i) {
    const std::string_view part = std::string_view(text).substr(i * 100, i * 40);
    all += part;
    compressed += Compress(part);
  }
  const Decoded decoded = ReadAll(*Open(compressed));
  EXPECT_EQ(decoded.text, all);
  EXPECT_FALSE(decoded.problem);
}

TEST_P(Engine, IgnoresWhatFollowsTheLastMember) {
  const std::string compressed = Compress("content");
  for (const std::string& garbage :
       {std::string(1, '\0'), std::string(512, '\0'), std::string("\n"), std::string("garbage")}) {
    const Decoded decoded = ReadAll(*Open(compressed + garbage, 5));
    EXPECT_EQ(decoded.text, "content");
    EXPECT_FALSE(decoded.problem) << decoded.problem->message;
  }
}

TEST_P(Engine, EveryTruncationGivesAPrefixAndSaysSo) {
  const std::string text = SampleText(20'000);
  const std::string compressed = Compress(text);
  size_t longest = 0;
  for (size_t length = 0; length < compressed.size(); ++length) {
    const Decoded decoded = ReadAll(*Open(std::string_view(compressed).substr(0, length)));
    ASSERT_TRUE(text.starts_with(decoded.text)) << length;
    ASSERT_TRUE(decoded.problem) << length;
    EXPECT_EQ(decoded.problem->offset, length);
    EXPECT_NE(decoded.problem->message.find("ends in the middle"), std::string::npos);
    EXPECT_GE(decoded.text.size(), longest) << "more input gives no less";
    longest = decoded.text.size();
  }
  EXPECT_EQ(longest, text.size());
}

TEST_P(Engine, TruncationInTheSecondMemberKeepsTheFirst) {
  const std::string first = Compress("first");
  const std::string second = Compress("second");
  for (size_t length = 1; length < second.size(); ++length) {
    const Decoded decoded = ReadAll(*Open(first + second.substr(0, length), 3));
    EXPECT_TRUE(decoded.text.starts_with("first")) << length;
    ASSERT_TRUE(decoded.problem) << length;
    EXPECT_EQ(decoded.problem->offset, first.size() + length);
  }
}

TEST_P(Engine, BitFlipsAreSeenOrHarmless) {
  const std::string text = SampleText(1500);
  const std::string compressed = Compress(text);
  for (size_t bit = 0; bit < compressed.size() * 8; ++bit) {
    std::string damaged = compressed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Decoded decoded = ReadAll(*Open(damaged));
    // A flip in the header's time or name, for example, changes nothing.
    EXPECT_TRUE(decoded.problem || decoded.text == text || decoded.text.empty()) << bit;
    const Decoded in_bytes = ReadAll(*Open(damaged, 1), 1);
    // How much before the damage comes out depends on the size of the reads.
    const size_t common =
        decoded.problem ? std::min(decoded.text.size(), in_bytes.text.size()) : std::string::npos;
    EXPECT_EQ(in_bytes.text.substr(0, common), decoded.text.substr(0, common)) << bit;
    EXPECT_EQ(in_bytes.problem.has_value(), decoded.problem.has_value()) << bit;
  }
}

TEST_P(Engine, DeliversWhatCameBeforeDamageInTheMiddle) {
  const std::string text = SampleText(4 << 20);
  std::string compressed = Compress(text);
  for (size_t i = 0; i < 64; ++i) compressed[compressed.size() / 2 + i] = '\x55';
  for (const size_t read_bytes : {size_t{1000}, size_t{8} << 20}) {
    const Decoded decoded = ReadAll(*Open(compressed), read_bytes);
    ASSERT_TRUE(decoded.problem);
    EXPECT_GT(decoded.text.size(), text.size() * 2 / 5);
    // The first half is untouched; behind the damage deflate may still decode for a while.
    EXPECT_TRUE(std::string_view(decoded.text).starts_with(text.substr(0, text.size() * 2 / 5)));
    EXPECT_GE(decoded.problem->offset, compressed.size() * 2 / 5);
    EXPECT_LE(decoded.problem->offset, compressed.size());
  }
}

TEST_P(Engine, WrongChecksumDeliversTheTextAndSaysSo) {
  const std::string text = SampleText(300'000);
  std::string compressed = Compress(text);
  const size_t checksum = compressed.size() - (IsGzip() ? 8 : 4);
  compressed[checksum] = static_cast<char>(compressed[checksum] ^ 1);
  for (const size_t read_bytes : {100U, 1U << 20}) {
    const Decoded decoded = ReadAll(*Open(compressed), read_bytes);
    EXPECT_TRUE(decoded.text == text);
    ASSERT_TRUE(decoded.problem);
    EXPECT_NE(decoded.problem->message.find("checksum"), std::string::npos);
  }
}

TEST_P(Engine, RandomBytesBehindTheMagicEndWithAProblem) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = IsGzip() ? std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10)
                                 : std::string("\x28\xb5\x2f\xfd", 4);
    for (size_t i = random() % 300; i > 0; --i) bytes += static_cast<char>(random());
    (void)ReadAll(*Open(bytes, 1 + random() % 40), 1 + random() % 5000);
  }
}

TEST_P(Engine, SkippingIsReadingAndForgetting) {
  const std::string text = SampleText(900'000);
  const std::string compressed = Compress(text);
  for (const size_t count : {size_t{0}, size_t{2}, size_t{5}, size_t{600'000}, size_t{2'000'000}}) {
    const auto source = Open(compressed, 5000);
    ASSERT_TRUE(source->Skip(count));
    EXPECT_TRUE(ReadAll(*source).text == text.substr(std::min(count, text.size()))) << count;
  }
}

TEST(Gzip, ReadsHeadersWithEveryOptionalField) {
  const std::string long_name(70'000, 'n');
  const std::string compressed = Gzip("one", "trace.json") + Gzip("two", long_name.c_str());
  for (const size_t chunk : {size_t{1}, size_t{17}, SIZE_MAX}) {
    const Decoded decoded = ReadMemory(compressed, chunk);
    EXPECT_EQ(decoded.text, "onetwo");
    EXPECT_FALSE(decoded.problem);
  }
  const std::string named = Gzip("", "trace.json");
  for (size_t length = 2; length < named.size(); ++length) {
    EXPECT_TRUE(ReadMemory(std::string_view(named).substr(0, length)).problem) << length;
  }
}

TEST(Gzip, ReadsStoredBlocksAndMembersBeyondTheWindow) {
  const std::string text = SampleText(3 << 20);
  for (const int level : {0, 1, 9}) {
    const Decoded decoded = ReadMemory(Gzip(text, nullptr, level), 100'000, 333'333);
    EXPECT_TRUE(decoded.text == text) << level;
    EXPECT_FALSE(decoded.problem);
  }
}

TEST(Gzip, MembersAfterPaddingAreRead) {
  const Decoded decoded = ReadMemory(Gzip("a") + std::string(100, '\0') + Gzip("b"));
  EXPECT_EQ(decoded.text, "ab");
  EXPECT_FALSE(decoded.problem);
}

TEST(Gzip, UnknownMethodIsAProblem) {
  const Decoded decoded = ReadMemory(std::string("\x1f\x8b\x07\0\0\0\0\0\0\xff", 10) + "text");
  EXPECT_EQ(decoded.text, "");
  ASSERT_TRUE(decoded.problem);
}

TEST(Zstd, SkipsSkippableFrames) {
  const std::string bytes = SkippableFrame("index") + Zstd("one") + SkippableFrame("") +
                            Zstd("two") + SkippableFrame(SampleText(1000));
  for (const size_t chunk : {size_t{1}, size_t{5}, SIZE_MAX}) {
    const Decoded decoded = ReadMemory(bytes, chunk);
    EXPECT_EQ(decoded.text, "onetwo");
    EXPECT_FALSE(decoded.problem);
  }
}

TEST(Zstd, RefusesAHugeWindowWithAdvice) {
  const Decoded decoded = ReadMemory(Zstd(SampleText(100'000), 28));
  ASSERT_TRUE(decoded.problem);
  EXPECT_NE(decoded.problem->message.find("--long"), std::string::npos);
}

TEST(OpenMemory, DetectsByContent) {
  EXPECT_STREQ(OpenMemory(Gzip("x"))->compression(), "gzip");
  EXPECT_STREQ(OpenMemory(Zstd("x"))->compression(), "zstd");
  EXPECT_STREQ(OpenMemory(SkippableFrame("x"), 1)->compression(), "zstd");
  for (const char* plain : {"", "{", "[]", "\x1f", "P*M", "\x28\xb5\x2f", "plain text"}) {
    const auto source = OpenMemory(plain, 1);
    EXPECT_STREQ(source->compression(), "none");
    const Decoded decoded = ReadAll(*source);
    EXPECT_EQ(decoded.text, plain);
    EXPECT_FALSE(decoded.problem);
  }
}

TEST(OpenMemory, CountsWhatWasTaken) {
  const std::string text = SampleText(10'000);
  const std::string compressed = Gzip(text);
  const auto source = OpenMemory(compressed);
  EXPECT_EQ(source->total_bytes(), compressed.size());
  (void)ReadAll(*source);
  EXPECT_EQ(source->consumed_bytes(), compressed.size());
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "telltale_io_XXXXXX";
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string Write(const std::string& name, std::string_view content) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  std::string folder_;
};

TEST_F(Files, ContentDecidesNotTheName) {
  const std::string text = SampleText(2 << 20);
  const std::string paths[] = {Write("plain.gz", text), Write("gzip.json", Gzip(text)),
                               Write("zstd", Zstd(text))};
  const char* compressions[] = {"none", "gzip", "zstd"};
  for (size_t i = 0; i < 3; ++i) {
    const auto source = OpenSource(paths[i], {});
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_STREQ((*source)->compression(), compressions[i]);
    EXPECT_EQ((*source)->total_bytes(), fs::file_size(paths[i]));
    EXPECT_TRUE(ReadAll(**source).text == text);
    EXPECT_EQ((*source)->consumed_bytes(), fs::file_size(paths[i]));
  }
}

TEST_F(Files, SkippingJumpsInAPlainFile) {
  const std::string text = SampleText(100'000);
  const std::string path = Write("plain.json", text);
  for (const size_t count : {0U, 2U, 4U, 5U, 99'999U, 100'000U, 200'000U}) {
    const auto source = OpenSource(path, {});
    ASSERT_TRUE(source);
    ASSERT_TRUE((*source)->Skip(count));
    EXPECT_TRUE(ReadAll(**source).text == text.substr(std::min<size_t>(count, text.size())))
        << count;
    EXPECT_EQ((*source)->consumed_bytes(), text.size()) << count;
  }
}

TEST_F(Files, AnEmptyFileIsAnEmptyStream) {
  const auto source = OpenSource(Write("empty", ""), {});
  ASSERT_TRUE(source);
  const Decoded decoded = ReadAll(**source);
  EXPECT_EQ(decoded.text, "");
  EXPECT_FALSE(decoded.problem);
}

TEST_F(Files, SaysWhyAPathCannotBeOpened) {
  const auto missing = OpenSource(folder_ + "/missing.json", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kUnreadable);
  EXPECT_NE(missing.error().message.find("does not exist"), std::string::npos);

  const auto below_a_file = OpenSource(Write("file", "x") + "/trace.json", {});
  ASSERT_FALSE(below_a_file);
  EXPECT_NE(below_a_file.error().message.find("does not exist"), std::string::npos);

  const auto folder = OpenSource(folder_, {});
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("is a folder"), std::string::npos);
}

TEST_F(Files, AFileAppearsWhenItIsWholeAndItsOtherNameIsTold) {
  const std::string path = folder_ + "/out.json";
  std::vector<std::string> told;
  {
    const auto sink = OpenFileSink(path, SinkCompression::kNone,
                                   [&](std::string_view name) { told.emplace_back(name); });
    ASSERT_TRUE(sink);
    (*sink)->Write("whole");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(fs::exists(told[0]));
    EXPECT_FALSE(fs::exists(path));
    ASSERT_TRUE((*sink)->Close());
    EXPECT_FALSE(fs::exists(told[0]));
    EXPECT_TRUE(fs::exists(path));
  }
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1], "");
}

TEST_F(Files, WhatCannotBeWrittenIsNoFaultOfTheInput) {
  const auto no_folder = OpenFileSink(folder_ + "/none/out.json", SinkCompression::kNone);
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().code, ErrorCode::kUnwritable);
  EXPECT_NE(no_folder.error().message.find("could not be written"), std::string::npos);
  for (const SinkCompression compression :
       {SinkCompression::kNone, SinkCompression::kGzip, SinkCompression::kZstd}) {
    const auto full = OpenFileSink("/dev/full", compression);
    ASSERT_TRUE(full);
    (*full)->Write(std::string(1 << 20, 'x'));
    const Result<void> closed = (*full)->Close();
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().code, ErrorCode::kUnwritable);
  }
}

TEST_F(Files, SaysThatPermissionIsMissing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = Write("secret.json", "{}");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  const auto source = OpenSource(path, {});
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message.find("permission"), std::string::npos);
}

TEST_F(Files, ReadsAPipe) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string text = SampleText(300'000);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << Gzip(text); });
  const auto source = OpenSource(path, {});
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->total_bytes(), std::nullopt);
  EXPECT_TRUE(ReadAll(**source).text == text);
  writer.join();
}

TEST_F(Files, AGrowingFileIsReadToTheEndSeen) {
  const std::string path = Write("growing", std::string(1000, 'a'));
  const auto source = OpenSource(path, {});
  ASSERT_TRUE(source);
  std::string buffer(600, '\0');
  ASSERT_TRUE((*source)->Read(buffer.data(), buffer.size()));
  std::ofstream(path, std::ios::app) << std::string(500, 'b');
  (void)ReadAll(**source);
  EXPECT_EQ((*source)->consumed_bytes(), 1500U);
  EXPECT_EQ((*source)->total_bytes(), 1000U);
}

TEST_F(Files, AShrinkingFileEndsEarly) {
  const std::string path = Write("shrinking", std::string(1000, 'a'));
  const auto source = OpenSource(path, {});
  ASSERT_TRUE(source);
  std::string buffer(100, '\0');
  ASSERT_TRUE((*source)->Read(buffer.data(), buffer.size()));
  fs::resize_file(path, 200);
  (void)ReadAll(**source);
  EXPECT_EQ((*source)->consumed_bytes(), 200U);
}

TEST(GzipMemory, UnpacksWhatItPacked) {
  std::mt19937 random(3);
  std::string noise(70'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  for (const std::string& text :
       {std::string(), std::string("x"), SampleText(5'000'000), std::string(3 << 20, 'x'), noise}) {
    const std::string packed = GzipFast(text);
    EXPECT_EQ(Gunzip(packed, text.size()), text);
    EXPECT_LE(packed.size(), text.size() + 1000);
  }
  EXPECT_LT(GzipFast(SampleText(1'000'000)).size(), 400'000U);
}

TEST(GzipMemory, RefusesWhatIsDamagedCutOrTooLong) {
  const std::string text = SampleText(10'000);
  std::string packed = GzipFast(text);
  EXPECT_EQ(Gunzip(packed, text.size() - 1), std::nullopt);
  EXPECT_EQ(Gunzip(packed.substr(0, packed.size() - 1), text.size()), std::nullopt);
  packed[packed.size() / 2] = static_cast<char>(~packed[packed.size() / 2]);
  EXPECT_EQ(Gunzip(packed, text.size()), std::nullopt);
  EXPECT_EQ(Gunzip("", 100), std::nullopt);
}

}  // namespace
}  // namespace telltale
