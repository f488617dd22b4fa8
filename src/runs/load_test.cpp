// SPDX-License-Identifier: Apache-2.0
// Files and folders as users have them; what stands in a trace is tested beside its reader.
#include "runs/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace telltale {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string TraceText(std::optional<int> rank = std::nullopt, int events = 20) {
  std::string text = R"({"schemaVersion": 1,)";
  if (rank) {
    text += R"("distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(*rank) +
            R"(, "world_size": 8},)";
  }
  text += R"("traceEvents": [)";
  for (int i = 0; i < events; ++i) {
    if (i > 0) text += ",";
    text += R"({"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": )" +
            std::to_string(i * 10) + R"(, "dur": 5})";
  }
  return text + "]}";
}

std::string Gzip(const std::string& text) {
  uLongf size = compressBound(text.size()) + 100;
  std::string out(size, '\0');
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class Load : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "telltale_load_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    top_ = folder;
  }
  void TearDown() override { fs::remove_all(top_); }

  std::string Write(const std::string& name, const std::string& content) const {
    fs::create_directories((top_ / name).parent_path());
    std::ofstream(top_ / name, std::ios::binary) << content;
    return (top_ / name).string();
  }

  static Result<Subject> LoadPaths(const std::vector<std::string>& paths,
                                   const LoadOptions& options = {}) {
    return LoadTraces(paths, options);
  }

  static std::vector<int64_t> Ranks(const Subject& subject) {
    std::vector<int64_t> ranks;
    for (const Trace* trace : subject.Each<Trace>()) ranks.push_back(trace->source.rank);
    return ranks;
  }

  fs::path top_;
};

TEST_F(Load, DescribesWhereATraceCameFrom) {
  const std::string text = TraceText(3);
  const std::string path = Write("worker0.100.pt.trace.json.gz", Gzip(text));
  const auto loaded = LoadPaths({path});
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_EQ(loaded->Each<Trace>().size(), 1U);
  const ProfileSource& source = loaded->Each<Trace>()[0]->source;
  EXPECT_EQ(source.path, path);
  EXPECT_EQ(source.format, "kineto_json");
  EXPECT_EQ(source.compression, "gzip");
  EXPECT_EQ(source.bytes, fs::file_size(path));
  EXPECT_EQ(source.decoded_bytes, text.size());
  EXPECT_EQ(source.events, 20U);
  EXPECT_EQ(source.worker, "worker0");
  EXPECT_EQ(source.rank, 3);
  EXPECT_EQ(source.span, 1);
  EXPECT_TRUE(loaded->failures.empty());
  EXPECT_TRUE(loaded->Each<Trace>()[0]->diagnostics.empty());
}

TEST_F(Load, TheFileKnowsItsRankBetterThanItsName) {
  const auto loaded =
      LoadPaths({Write("rank5.json", TraceText(2)), Write("rank6.json", TraceText())});
  ASSERT_TRUE(loaded);
  EXPECT_THAT(Ranks(*loaded), ElementsAre(2, 6));
}

TEST_F(Load, KeepsTheWantedRank) {
  for (int rank = 0; rank < 4; ++rank) {
    Write("w" + std::to_string(rank) + ".1.pt.trace.json", TraceText(rank));
  }
  LoadOptions options;
  options.rank = 2;
  const auto loaded = LoadPaths({top_.string()}, options);
  ASSERT_TRUE(loaded);
  EXPECT_THAT(Ranks(*loaded), ElementsAre(2));
}

TEST_F(Load, FindsTheWantedRankBehindAWrongName) {
  Write("rank0.json", TraceText(1));
  Write("rank1.json", TraceText(0));
  LoadOptions options;
  options.rank = 0;
  const auto loaded = LoadPaths({top_.string()}, options);
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->Each<Trace>().size(), 1U);
  EXPECT_THAT(loaded->Each<Trace>()[0]->source.path, HasSubstr("rank1.json"));
}

TEST_F(Load, AMissingRankListsTheOthers) {
  Write("a.json", TraceText(4));
  Write("b.json", TraceText(1));
  Write("c.json", TraceText());
  LoadOptions options;
  options.rank = 9;
  const auto loaded = LoadPaths({top_.string()}, options);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kUsage);
  EXPECT_THAT(loaded.error().message, HasSubstr("the ranks here are 1, 4"));
  const auto unknown = LoadPaths({(top_ / "c.json").string()}, options);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("not say which rank"));
}

TEST_F(Load, TwoFilesOfOneRankAreBothUsedAndSaid) {
  const auto loaded = LoadPaths({Write("a.json", TraceText(1)), Write("b.json", TraceText(1))});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->Each<Trace>().size(), 2U);
  EXPECT_EQ(loaded->Each<Trace>()[0]->diagnostics.Count(DiagnosticKind::kDuplicateRank), 0U);
  EXPECT_EQ(loaded->Each<Trace>()[1]->diagnostics.Count(DiagnosticKind::kDuplicateRank), 1U);
}

TEST_F(Load, ReadsWhatItCanOfSeveralFiles) {
  const auto loaded =
      LoadPaths({Write("good.json", TraceText()), (top_ / "missing.json").string(),
                 Write("page.json", "<!DOCTYPE html><html></html>"), Write("empty.json", "")});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->Each<Trace>().size(), 1U);
  ASSERT_EQ(loaded->failures.size(), 3U);
  EXPECT_THAT(loaded->failures[0].message, HasSubstr("does not exist"));
  EXPECT_THAT(loaded->failures[1].message, HasSubstr("page.json"));
  EXPECT_THAT(loaded->failures[2].message, HasSubstr("empty.json"));
}

TEST_F(Load, FailsWhenNothingCanBeRead) {
  const std::string empty_folder = (top_ / "empty").string();
  fs::create_directories(empty_folder);
  for (const std::string& path :
       {(top_ / "missing.json").string(), Write("page.json", "<html>"), Write("zero.json", ""),
        Write("number.json", "42"), Write("object.json", R"({"a": [1, 2, 3]})"), empty_folder}) {
    const auto loaded = LoadPaths({path});
    ASSERT_FALSE(loaded) << path;
    EXPECT_EQ(loaded.error().code, ErrorCode::kUnreadable) << path;
    EXPECT_THAT(loaded.error().message, HasSubstr(path));
  }
  EXPECT_EQ(LoadPaths({}).error().code, ErrorCode::kUsage);
}

TEST_F(Load, ATruncatedGzipIsReadAsFarAsItGoes) {
  const std::string compressed = Gzip(TraceText(std::nullopt, 2000));
  const auto loaded =
      LoadPaths({Write("cut.json.gz", compressed.substr(0, compressed.size() / 2))});
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Trace& trace = *loaded->Each<Trace>()[0];
  EXPECT_GT(trace.spans.size(), 100U);
  EXPECT_LT(trace.spans.size(), 2000U);
  bool said = false;
  for (const Diagnostic& diagnostic : trace.diagnostics.entries()) {
    if (diagnostic.kind != DiagnosticKind::kCorruptCompression) continue;
    said = true;
    EXPECT_EQ(diagnostic.count, 1U);
    EXPECT_EQ(diagnostic.first_offset, compressed.size() / 2);
    EXPECT_THAT(diagnostic.detail, HasSubstr("ends in the middle"));
  }
  EXPECT_TRUE(said);
}

TEST_F(Load, AGzipWithoutAnyTextSaysSo) {
  const auto loaded = LoadPaths({Write("cut.json.gz", Gzip(TraceText()).substr(0, 12))});
  ASSERT_FALSE(loaded);
  EXPECT_THAT(loaded.error().message, HasSubstr("gzip data ends in the middle"));
}

TEST_F(Load, ReadsAPipe) {
  const std::string path = (top_ / "pipe").string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << TraceText(); });
  const auto loaded = LoadPaths({path});
  writer.join();
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->Each<Trace>()[0]->spans.size(), 20U);
}

TEST_F(Load, ReportsProgressOverAllFiles) {
  const std::vector<std::string> paths = {Write("a.json", TraceText(0, 5000)),
                                          Write("b.json", TraceText(1, 5000))};
  const uint64_t total = fs::file_size(paths[0]) + fs::file_size(paths[1]);
  LoadOptions options;
  uint64_t last = 0;
  options.progress = [&](uint64_t consumed, uint64_t all) {
    EXPECT_GE(consumed, last);
    EXPECT_LE(consumed, total);
    EXPECT_EQ(all, total);
    last = consumed;
  };
  ASSERT_TRUE(LoadPaths(paths, options));
}

TEST_F(Load, StopsWhenCanceled) {
  const std::atomic<bool> canceled = true;
  LoadOptions options;
  options.canceled = &canceled;
  const auto loaded = LoadPaths({Write("a.json", TraceText(0, 50'000))}, options);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kCanceled);
}

TEST_F(Load, FindInputsNamesTheFirstPathThatCannotBeRead) {
  const std::vector<std::string> good = {Write("a.json", "{}")};
  EXPECT_TRUE(FindInputs(good));
  const std::vector<std::string> missing = {good[0], (top_ / "missing").string()};
  const auto inputs = FindInputs(missing);
  ASSERT_FALSE(inputs);
  EXPECT_THAT(inputs.error().message, HasSubstr("does not exist"));
}

}  // namespace
}  // namespace telltale
