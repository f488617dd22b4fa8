// SPDX-License-Identifier: Apache-2.0
#include "collect/monitor_recorder.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/load.h"
#include "monitor/test_machine.h"

namespace telltale {
namespace {

using testing::HasSubstr;

constexpr int64_t kWall = 1'794'945'600 * kTestSecond;

class MonitorRecording : public testing::Test {
 protected:
  MonitorRecording() {
    machine.Write("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 600 kB\n");
    monitor = std::make_unique<Monitor>(machine.Options());
    folder = machine.root() + "/run/monitor";
  }
  // With so much memory in use.
  void Sample(MonitorRecorder& recorder, int used_kb, int64_t seconds) {
    machine.Write("proc/meminfo", fmt::format("MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: "
                                              "{} kB\n",
                                              1000 - used_kb));
    now_ns += seconds * kTestSecond;
    recorder.Add(*monitor, monitor->Sample(now_ns), kWall + now_ns);
  }
  [[nodiscard]] std::unique_ptr<MonitorRecorder> Create() const {
    auto created = MonitorRecorder::Create(folder, kWall);
    EXPECT_TRUE(created) << created.error().message;
    return created ? std::move(*created) : nullptr;
  }
  [[nodiscard]] std::string Table() const {
    std::stringstream text;
    text << std::ifstream(folder + "/resource_usage.csv").rdbuf();
    return text.str();
  }
  // What the reader of event files finds.
  [[nodiscard]] static Subject Load(const std::string& path) {
    const InputFile file{path, {}, {}, {}};
    LoadOptions options;
    options.threads = 1;
    options.series = true;
    Result<Subject> subject = LoadFiles({&file, 1}, {}, options);
    EXPECT_TRUE(subject) << subject.error().message;
    return subject ? std::move(*subject) : Subject();
  }
  static const SeriesSet& SeriesOf(const Subject& subject) {
    const SeriesSet* found = nullptr;
    for (const SeriesSet* set : subject.Each<SeriesSet>()) found = set;
    static const SeriesSet none;
    return found == nullptr ? none : *found;
  }

  TestMachine machine;
  std::unique_ptr<Monitor> monitor;
  std::string folder;
  int64_t now_ns = kTestSecond;
};

TEST_F(MonitorRecording, IsAnEventFileWithAPointASampleAndATable) {
  const auto recorder = Create();
  Sample(*recorder, 100, 1);
  Sample(*recorder, 300, 3);
  EXPECT_EQ(recorder->samples(), 2U);
  EXPECT_EQ(recorder->problem(), "");
  // At once: nothing waits for the end.
  const Subject subject = Load(recorder->event_file());
  const SeriesSet& set = SeriesOf(subject);
  EXPECT_TRUE(set.diagnostics.empty());
  EXPECT_EQ(set.writer, "telltale");
  const SeriesTag* used = set.Find("monitor/memory/used_bytes");
  ASSERT_NE(used, nullptr);
  ASSERT_EQ(used->scalars.size(), 2U);
  EXPECT_EQ(used->plugin, "scalars");
  EXPECT_THAT(used->description, HasSubstr("total minus available (bytes)"));
  EXPECT_EQ(used->scalars[1].value, 300.0 * 1024);
  EXPECT_EQ(used->scalars[1].step, 1);
  EXPECT_DOUBLE_EQ(used->scalars[1].wall_time, static_cast<double>(kWall / kTestSecond + 5));
  // What does not change is there once.
  EXPECT_EQ(set.Find("monitor/memory/total_bytes")->scalars.size(), 1U);

  recorder->WriteTable();
  EXPECT_THAT(Table(), HasSubstr("device,metric,unit,mean,max,seconds,samples\n"
                                 "memory,used_bytes,bytes,256000,307200,4,2\n"
                                 "memory,used_percent,percent,25,30,4,2\n"));
}

TEST_F(MonitorRecording, IsContinuedByTheNextOneInTheSameFolder) {
  const auto first = Create();
  Sample(*first, 100, 1);
  first->WriteTable();
  const auto second = Create();
  EXPECT_NE(first->event_file(), second->event_file());
  Sample(*second, 500, 1);
  second->WriteTable();
  EXPECT_THAT(Table(), HasSubstr("memory,used_percent,percent,30,50,2,2\n"));
  const Subject subject = Load(second->event_file());
  EXPECT_GT(SeriesOf(subject).Find("monitor/memory/used_bytes")->scalars[0].step, 1);
}

TEST_F(MonitorRecording, IgnoresATableThatIsNone) {
  for (const char* text :
       {"", "a,b\n1,2\n", "device,metric,unit,mean,max,seconds,samples\nx,y,z\n,,,\n",
        "device,metric,unit,mean,max,seconds,samples\ncpu,a,b,x,1,1,1\n"}) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/resource_usage.csv") << text;
    const auto recorder = Create();
    EXPECT_EQ(recorder->summary().samples(), 0U) << text;
  }
}

TEST_F(MonitorRecording, WritesTheTableWhileItGoesOnAndAtItsEnd) {
  auto recorder = Create();
  Sample(*recorder, 100, 1);
  EXPECT_EQ(Table(), "");
  Sample(*recorder, 100, 40);
  EXPECT_THAT(Table(), HasSubstr("memory,used_percent"));
  Sample(*recorder, 900, 1);
  EXPECT_THAT(Table(), testing::Not(HasSubstr(",90,")));
  recorder.reset();
  EXPECT_THAT(Table(), HasSubstr(",90,"));
  // Nothing is left beside them.
  const std::filesystem::directory_iterator files(folder);
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

// A file that must not grow stands for a full disk.
class Limit {
 public:
  explicit Limit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  ~Limit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(MonitorRecording, LosesOnlyWhatAFullDiskDoesNotTakeAndSaysSo) {
  const auto recorder = Create();
  Sample(*recorder, 100, 1);
  const auto size = std::filesystem::file_size(recorder->event_file());
  {
    const Limit limit(size + 20);
    Sample(*recorder, 200, 1);
    Sample(*recorder, 300, 1);
  }
  EXPECT_EQ(std::filesystem::file_size(recorder->event_file()), size);
  EXPECT_EQ(recorder->lost_samples(), 2U);
  EXPECT_THAT(recorder->problem(), HasSubstr("could not be written"));
  Sample(*recorder, 400, 1);
  const Subject subject = Load(recorder->event_file());
  const SeriesSet& set = SeriesOf(subject);
  EXPECT_TRUE(set.diagnostics.empty());
  ASSERT_EQ(set.Find("monitor/memory/used_bytes")->scalars.size(), 2U);
  EXPECT_EQ(set.Find("monitor/memory/used_bytes")->scalars[1].step, 3);
}

TEST_F(MonitorRecording, FolderThatCannotBeMadeIsAnError) {
  machine.Write("run", "a file");
  const auto created = MonitorRecorder::Create(folder, kWall);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, ErrorCode::kUnwritable);
  EXPECT_THAT(created.error().message, HasSubstr("cannot make the folder"));
}

TEST_F(MonitorRecording, FolderThatVanishesStopsNothing) {
  const auto recorder = Create();
  std::filesystem::remove_all(folder);
  Sample(*recorder, 100, 1);
  Sample(*recorder, 100, 40);
  EXPECT_THAT(recorder->problem(), HasSubstr("resource_usage.csv: could not be written"));
}

}  // namespace
}  // namespace telltale
