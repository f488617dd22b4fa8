// SPDX-License-Identifier: Apache-2.0
// For tests: a folder to record into, and its regions read back.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <telltale/telltale.h>

#include "collect/region_reader.h"

namespace telltale {

// A record that outlives the call it was handed over in.
struct KeptRecord {
  RegionRecord::Kind kind;
  std::string name;
  int64_t wall_ns;
  int64_t step;
  double value;
  std::string bytes;
  int64_t data_wait_ns;
  uint64_t thread;
};

inline uint32_t Number(std::string_view text) { return telltale_name(text.data(), text.size()); }

class Recording : public testing::Test {
 protected:
  Recording() {
    std::string pattern = std::filesystem::temp_directory_path() / "telltale-record-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
    // No collector but the test.
    setenv("PATH", "/nowhere", 1);
    unsetenv("TELLTALE_PROGRAM");
  }
  ~Recording() override {
    telltale_stop();
    std::filesystem::remove_all(folder_);
  }

  void Start() { ASSERT_EQ(telltale_start(folder_.c_str()), 1); }

  [[nodiscard]] std::vector<std::string> Regions() const {
    std::vector<std::pair<std::filesystem::file_time_type, std::string>> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/.live")) {
      if (entry.path().extension() == ".ring")
        found.emplace_back(entry.last_write_time(), entry.path());
    }
    std::vector<std::string> paths;
    for (auto& [time, path] : found) paths.push_back(std::move(path));
    std::sort(paths.begin(), paths.end());
    return paths;
  }
  // The only one, or the one of that process.
  [[nodiscard]] RegionReader Reader(int64_t pid = 0) const {
    for (const std::string& path : Regions()) {
      auto reader = RegionReader::Open(path);
      if (!reader) throw std::runtime_error(reader.error().message);
      if (pid == 0 || reader->info().pid == static_cast<uint64_t>(pid)) return std::move(*reader);
    }
    throw std::runtime_error("no region");
  }
  static std::vector<KeptRecord> Drain(RegionReader& reader) {
    std::vector<KeptRecord> all;
    const auto count = reader.Drain([&](const RegionRecord& record) {
      if (record.kind == RegionRecord::Kind::kName) return;
      all.push_back({record.kind, std::string(record.name), record.wall_ns, record.step,
                     record.value, std::string(record.bytes), record.data_wait_ns, record.thread});
    });
    EXPECT_TRUE(count.has_value());
    return all;
  }
  static size_t Count(const std::vector<KeptRecord>& all, RegionRecord::Kind kind) {
    return static_cast<size_t>(std::count_if(
        all.begin(), all.end(), [&](const KeptRecord& record) { return record.kind == kind; }));
  }

  std::string folder_;
};

}  // namespace telltale
