// SPDX-License-Identifier: Apache-2.0
// A folder of small profiles for tests.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace telltale {

// Steps with an operator that launches a kernel: `steps` of them.
inline std::string SmallTrace(int steps = 3, int rank = -1) {
  std::string text = R"({"schemaVersion": 1, )";
  if (rank >= 0) {
    text += R"("distributedInfo": {"backend": "nccl", "world_size": 8, "rank": )" +
            std::to_string(rank) + "}, ";
  }
  text += R"("traceEvents": [)";
  for (int i = 0; i < steps; ++i) {
    const int at = i * 1000;
    const std::string id = std::to_string(i + 1);
    const auto event = [&](std::string_view cat, std::string_view name, int start, int duration,
                           std::string_view more, std::string_view place) {
      text += R"({"ph": "X", "cat": ")" + std::string(cat) + R"(", "name": ")" + std::string(name) +
              R"(", )" + std::string(place) + R"(, "ts": )" + std::to_string(at + start) +
              R"(, "dur": )" + std::to_string(duration) + R"(, "args": {)" + std::string(more) +
              "}},";
    };
    constexpr std::string_view kHost = R"("pid": 1, "tid": 1)";
    event("user_annotation", "ProfilerStep#" + id, 0, 900, "", kHost);
    event("cpu_op", "aten::mm", 100, 200 + i, R"("Input Dims": [[8, 4], [4, 2]])", kHost);
    event("cuda_runtime", "cudaLaunchKernel", 150, 20, R"("correlation": )" + id, kHost);
    event("kernel", "gemm", 200, 300 + i, R"("device": 0, "stream": 7, "correlation": )" + id,
          R"("pid": 0, "tid": 7)");
    event("cpu_op", "aten::add", 600, 50, "", kHost);
  }
  text.pop_back();
  return text + "]}";
}

class TestFolder {
 public:
  TestFolder() {
    std::string folder = testing::TempDir() + "telltale_server_XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    // Without links, as the catalogue sees it.
    top_ = std::filesystem::canonical(folder);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() { std::filesystem::remove_all(top_); }

  [[nodiscard]] const std::filesystem::path& path() const { return top_; }
  [[nodiscard]] std::string operator/(std::string_view name) const {
    return (top_ / name).string();
  }

  // Writes in place. Every time is later than the one before, whatever the clock of the disk does.
  std::string Write(std::string_view name, std::string_view text) {
    const std::filesystem::path path = top_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    std::filesystem::last_write_time(path, Later());
    return path.string();
  }
  // Puts another file in its place.
  void Replace(std::string_view name, std::string_view text) {
    const std::string other = Write(".other", text);
    std::filesystem::rename(other, top_ / name);
  }
  void Rename(std::string_view from, std::string_view to) {
    std::filesystem::rename(top_ / from, top_ / to);
  }
  void Remove(std::string_view name) { std::filesystem::remove(top_ / name); }

 private:
  std::filesystem::file_time_type Later() {
    time_ += std::chrono::seconds(1);
    return time_;
  }
  std::filesystem::path top_;
  std::filesystem::file_time_type time_ = std::filesystem::file_time_type::clock::now();
};

}  // namespace telltale
