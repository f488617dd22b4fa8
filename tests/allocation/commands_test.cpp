// SPDX-License-Identifier: Apache-2.0
// The commands: each either does its work or says why not, with exit code 3. What they write when
// nothing failed is what they always write.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "sweep.h"

namespace telltale {
namespace {

namespace fs = std::filesystem;

std::string Read(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

// A descriptor goes to a file until the end of the block.
class Redirected {
 public:
  Redirected(int descriptor, const std::string& path)
      : descriptor_(descriptor), saved_(::dup(descriptor)) {
    const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    ::dup2(file, descriptor);
    ::close(file);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  ~Redirected() {
    ::dup2(saved_, descriptor_);
    ::close(saved_);
  }

 private:
  int descriptor_;
  int saved_;
};

class Commands : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "telltale_allocation_XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    top_ = folder;
  }
  void TearDown() override { fs::remove_all(top_); }

  // `good`: what the exit code is where nothing failed. `stopped`: another one for lack of memory.
  void FailEachAllocationOf(const std::vector<std::string>& words, int good = 0, int stopped = 3) {
    const std::string out = (top_ / "out").string();
    const std::string errors = (top_ / "errors").string();
    int code = 0;
    const auto run = [&] {
      const Redirected to_out(STDOUT_FILENO, out);
      const Redirected to_errors(STDERR_FILENO, errors);
      code = RunTelltale(words);
    };
    run();
    ASSERT_EQ(code, good) << Read(errors);
    const std::string usual = Read(out);
    FailEach(run, [&](bool failed, uint64_t which) {
      if (code == good && !failed) {
        ASSERT_EQ(Read(out), usual) << which;
        return;
      }
      ASSERT_TRUE(failed);
      ASSERT_TRUE(code == 3 || code == stopped || code == good)
          << code << " at " << which << ": " << Read(errors);
      if (code != good) {
        ASSERT_NE(Read(errors).find("memory"), std::string::npos) << Read(errors);
      }
    });
  }

  fs::path top_;
};

TEST_F(Commands, ProfileOfATrace) {
  FailEachAllocationOf({"profile", "tests/data/gpu_two_steps.json", "--threads", "1"});
}

TEST_F(Commands, ProfileOfATraceAsJson) {
  FailEachAllocationOf({"profile", "tests/data/layers.json", "--json", "--threads", "1"});
}

TEST_F(Commands, ProfileOnThreads) {
  FailEachAllocationOf({"profile", "tests/data/two_ranks", "--json", "--threads", "3"});
}

TEST_F(Commands, ProfileOfMemory) {
  FailEachAllocationOf({"profile", "tests/data/memory_five_steps.json", "--view", "memory"});
  FailEachAllocationOf({"profile", "tests/data/memory_snapshot.json"});
  FailEachAllocationOf({"profile", "tests/data/memory_timeline.raw.json"});
}

TEST_F(Commands, ProfileOfFunctions) {
  for (const fs::directory_entry& file : fs::directory_iterator("tests/data/functions")) {
    FailEachAllocationOf({"profile", file.path().string(), "--view", "functions", "--csv"});
  }
  FailEachAllocationOf({"profile", "tests/data/train.prof", "--callers"});
}

TEST_F(Commands, ProfileOfADamagedTrace) {
  FailEachAllocationOf({"profile", "tests/data/damaged.json", "--view", "diagnostics"});
}

TEST_F(Commands, Validate) { FailEachAllocationOf({"validate", "tests/data/gpu_two_steps.json"}); }

TEST_F(Commands, Diff) {
  FailEachAllocationOf(
      {"diff", "tests/data/gpu_two_steps.json", "tests/data/gpu_two_steps.json", "--json"});
}

TEST_F(Commands, Query) {
  FailEachAllocationOf({"query", "tests/data/gpu_two_steps.json",
                        "SELECT name, count(*), median(duration_ns) FROM events WHERE name REGEXP "
                        "'a' GROUP BY name ORDER BY name"},
                       0, 1);
}

TEST_F(Commands, Convert) {
  for (const std::string_view name : {"out.json", "out.json.gz", "out.pftrace.zst", "out.csv"}) {
    const std::string path = (top_ / name).string();
    FailEachAllocationOf({"convert", "tests/data/gpu_two_steps.json", path, "--force"});
  }
  // Nothing is left behind that was not finished.
  for (const fs::directory_entry& file : fs::directory_iterator(top_)) {
    EXPECT_EQ(file.path().string().find("partial"), std::string::npos) << file.path();
  }
  // And what was finished can be read.
  FailEachAllocationOf({"profile", (top_ / "out.pftrace.zst").string(), "--view", "steps"});
  FailEachAllocationOf({"profile", (top_ / "out.json.gz").string(), "--view", "steps"});
}

TEST_F(Commands, ConvertFunctions) {
  for (const std::string_view name : {"out.prof", "out.speedscope.json", "out.folded"}) {
    FailEachAllocationOf({"convert", "tests/data/functions/threads.speedscope.json",
                          (top_ / name).string(), "--force"});
  }
}

TEST_F(Commands, Help) {
  FailEachAllocationOf({"help", "view"});
  FailEachAllocationOf({"profle"}, 2);
}

}  // namespace
}  // namespace telltale
