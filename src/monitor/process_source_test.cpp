// SPDX-License-Identifier: Apache-2.0
#include "monitor/process_source.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "monitor/monitor.h"
#include "monitor/test_machine.h"

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

constexpr std::string_view kCpu = "monitor/process/cpu_percent";
constexpr std::string_view kSeconds = "monitor/process/cpu_seconds";
constexpr std::string_view kRss = "monitor/process/rss_bytes";
constexpr std::string_view kCount = "monitor/process/processes";

// Four idle cores, with the number of forks so far.
void Forks(const TestMachine& machine, int forks) {
  const TestMachine::Core cores[] = {{0, 0, 100}, {1, 0, 100}, {2, 0, 100}, {3, 0, 100}};
  machine.WriteCpu(cores, forks);
}

class ProcessTree : public testing::Test {
 protected:
  ProcessTree() {
    Forks(machine, 1);
    machine.Write("proc/uptime", "500.00 900.00\n");  // 50,000 ticks
  }
  TestMachine machine;
  double page = static_cast<double>(::sysconf(_SC_PAGESIZE));
};

TEST_F(ProcessTree, AddsUpAProcessAndItsChildrenButNoStrangers) {
  machine.WriteProcess({.pid = 10, .parent = 1, .ticks = 100, .pages = 5});
  machine.WriteProcess({.pid = 11, .parent = 10, .ticks = 50, .pages = 7});
  machine.WriteProcess({.pid = 9, .parent = 11, .ticks = 1, .pages = 11});  // numbers began again
  machine.WriteProcess({.pid = 20, .parent = 1, .ticks = 1000, .pages = 1000});
  Monitor monitor(machine.Options(10));
  machine.WriteProcess({.pid = 10, .parent = 1, .ticks = 150, .pages = 6});
  machine.WriteProcess({.pid = 11, .parent = 10, .ticks = 75, .pages = 7});
  machine.WriteProcess({.pid = 20, .parent = 1, .ticks = 2000, .pages = 1000});
  const auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, kCpu), Optional(75.0));
  EXPECT_THAT(ValueOf(readings, kSeconds), Optional(0.75));
  EXPECT_THAT(ValueOf(readings, kRss), Optional(24 * page));
  EXPECT_THAT(ValueOf(readings, kCount), Optional(3.0));
  EXPECT_THAT(ValueOf(readings, "monitor/process/threads"), Optional(6.0));
  EXPECT_THAT(monitor.pids(), ElementsAre(9, 10, 11));
}

TEST_F(ProcessTree, FindsAChildThatWasStartedLaterAndCountsAllItsTime) {
  machine.WriteProcess({.pid = 10, .parent = 1, .ticks = 100});
  Monitor monitor(machine.Options(10));
  machine.WriteProcess({.pid = 12, .parent = 10, .ticks = 60, .start_ticks = 50'010});
  Forks(machine, 2);
  EXPECT_THAT(ValueOf(monitor.Sample(10 * kTestSecond), kSeconds), Optional(0.6));
  EXPECT_THAT(monitor.pids(), ElementsAre(10, 12));
}

TEST_F(ProcessTree, DoesNotLookForChildrenWhileNothingWasStarted) {
  machine.WriteProcess({.pid = 10, .parent = 1});
  Monitor monitor(machine.Options(10));
  machine.WriteProcess({.pid = 12, .parent = 10, .start_ticks = 50'010});
  EXPECT_THAT(ValueOf(monitor.Sample(10 * kTestSecond), kCount), Optional(1.0));
  Forks(machine, 2);
  EXPECT_THAT(ValueOf(monitor.Sample(20 * kTestSecond), kCount), Optional(2.0));
}

TEST_F(ProcessTree, LooksAtOnceWhenSomebodyKnowsOfAChild) {
  machine.WriteProcess({.pid = 10, .parent = 1});
  Monitor monitor(machine.Options(10));
  Forks(machine, 2);
  EXPECT_THAT(ValueOf(monitor.Sample(1000 * kTestSecond), kCount), Optional(1.0));
  machine.WriteProcess({.pid = 12, .parent = 10, .start_ticks = 50'010});
  Forks(machine, 3);
  EXPECT_THAT(ValueOf(monitor.Sample(1000 * kTestSecond + 1000), kCount), Optional(1.0));
  monitor.LookForChildren();
  EXPECT_THAT(ValueOf(monitor.Sample(1000 * kTestSecond + 2000), kCount), Optional(2.0));
}

TEST_F(ProcessTree, FindsANumberThatWasGivenAgainWhenTheNumbersHaveTurned) {
  machine.Write("proc/sys/kernel/pid_max", "1000\n");
  machine.WriteProcess({.pid = 10, .parent = 1});
  machine.WriteProcess({.pid = 12, .parent = 1});
  Monitor monitor(machine.Options(10));
  machine.WriteProcess({.pid = 12, .parent = 10, .start_ticks = 50'500});
  Forks(machine, 2);  // in truth it takes a thousand of them
  EXPECT_THAT(ValueOf(monitor.Sample(10 * kTestSecond), kCount), Optional(1.0));
  Forks(machine, 600);
  EXPECT_THAT(ValueOf(monitor.Sample(20 * kTestSecond), kCount), Optional(2.0));
}

TEST_F(ProcessTree, CountsTheTimeOfAChildOnceWhenItEndsAndIsWaitedFor) {
  machine.WriteProcess({.pid = 10, .parent = 1, .ticks = 100});
  machine.WriteProcess({.pid = 11, .parent = 10, .ticks = 1000});
  Monitor monitor(machine.Options(10));
  machine.WriteProcess({.pid = 11, .parent = 10, .ticks = 1050});
  EXPECT_THAT(ValueOf(monitor.Sample(2 * kTestSecond), kSeconds), Optional(0.5));
  // It went on for 20 ticks, ended, and its parent has it all now.
  machine.Write("proc/11/stat", "");
  machine.WriteProcess({.pid = 10, .parent = 1, .ticks = 110, .waited_ticks = 1070});
  const auto readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, kSeconds), Optional(0.8));
  EXPECT_THAT(ValueOf(readings, kCpu), Optional(testing::DoubleNear(30, 1e-9)));
  EXPECT_THAT(monitor.pids(), ElementsAre(10));
}

TEST_F(ProcessTree, CountsAGrandchildOnceThatEndsTogetherWithItsParent) {
  machine.WriteProcess({.pid = 10, .parent = 1});
  machine.WriteProcess({.pid = 11, .parent = 10, .ticks = 10});
  machine.WriteProcess({.pid = 12, .parent = 11, .ticks = 200});
  Monitor monitor(machine.Options(10));
  machine.Write("proc/11/stat", "");
  machine.Write("proc/12/stat", "");
  machine.WriteProcess({.pid = 10, .parent = 1, .waited_ticks = 215});
  EXPECT_THAT(ValueOf(monitor.Sample(2 * kTestSecond), kSeconds), Optional(0.05));
}

TEST_F(ProcessTree, LosesNothingOfTheOthersWhenAChildIsNotWaitedFor) {
  machine.WriteProcess({.pid = 10, .parent = 1});
  machine.WriteProcess({.pid = 11, .parent = 10, .ticks = 1000});
  Monitor monitor(machine.Options(10));
  machine.Write("proc/11/stat", "");
  machine.WriteProcess({.pid = 10, .parent = 1, .ticks = 40});
  EXPECT_THAT(ValueOf(monitor.Sample(2 * kTestSecond), kSeconds), Optional(0.4));
}

TEST_F(ProcessTree, KeepsAMemberWhoseParentHasEnded) {
  machine.WriteProcess({.pid = 10, .parent = 1});
  machine.WriteProcess({.pid = 11, .parent = 10, .ticks = 5});
  Monitor monitor(machine.Options(10));
  machine.Write("proc/10/stat", "");
  machine.WriteProcess({.pid = 11, .parent = 1, .ticks = 35});
  EXPECT_THAT(ValueOf(monitor.Sample(2 * kTestSecond), kSeconds), Optional(0.3));
  EXPECT_THAT(monitor.pids(), ElementsAre(11));
}

TEST_F(ProcessTree, TakesWhoLostItsParentButIsInTheGroupOrSessionThatTheRootLeads) {
  machine.WriteProcess({.pid = 10, .parent = 1, .group = 10, .session = 10});
  machine.WriteProcess({.pid = 15, .parent = 1, .group = 10, .session = 4});
  machine.WriteProcess({.pid = 16, .parent = 1, .group = 16, .session = 10});
  machine.WriteProcess({.pid = 17, .parent = 1, .group = 17, .session = 4});
  Monitor monitor(machine.Options(10));
  (void)monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(monitor.pids(), ElementsAre(10, 15, 16));
}

TEST_F(ProcessTree, ReadsACommandOfBracketsAndBlanks) {
  machine.WriteProcess({.pid = 10, .parent = 1, .pages = 3, .command = "a) S 1 2 (3)"});
  Monitor monitor(machine.Options(10));
  EXPECT_THAT(ValueOf(monitor.Sample(2 * kTestSecond), kRss), Optional(3 * page));
}

TEST_F(ProcessTree, IsNotFooledByAnotherProcessWithTheSameNumber) {
  machine.WriteProcess({.pid = 10, .parent = 1, .ticks = 100, .start_ticks = 7});
  Monitor monitor(machine.Options(10));
  machine.WriteProcess({.pid = 10, .parent = 1, .ticks = 900, .start_ticks = 60'000});
  const auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, kCpu), Optional(0.0));
  EXPECT_THAT(ValueOf(readings, kCount), Optional(0.0));
}

TEST_F(ProcessTree, NeverSaysMoreThanAllCores) {
  machine.WriteProcess({.pid = 10, .parent = 1});
  Monitor monitor(machine.Options(10));
  machine.WriteProcess({.pid = 10, .parent = 1, .ticks = 100'000});
  EXPECT_THAT(ValueOf(monitor.Sample(2 * kTestSecond), kCpu), Optional(400.0));
}

TEST_F(ProcessTree, ReadsDiskTrafficAndSharedMemory) {
  machine.WriteProcess({.pid = 10, .parent = 1});
  const auto io = [&](int read, int written) {
    machine.Write("proc/10/io", fmt::format("rchar: 5\nwchar: 6\nsyscr: 1\nsyscw: 1\nread_bytes: "
                                            "{}\nwrite_bytes: {}\ncancelled_write_bytes: 0\n",
                                            read, written));
  };
  io(1000, 2000);
  machine.Write("proc/10/smaps_rollup",
                "5570-7ffe ---p 00000000 00:00 0 [rollup]\nRss:  900 kB\nPss:  300 kB\n"
                "Pss_Dirty:  8 kB\n");
  Monitor monitor(machine.Options(10));
  io(5000, 2512);
  const auto readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/process/read_bytes_per_s"), Optional(2000.0));
  EXPECT_THAT(ValueOf(readings, "monitor/process/write_bytes_per_s"), Optional(256.0));
  EXPECT_THAT(ValueOf(readings, "monitor/process/pss_bytes"), Optional(300.0 * 1024));
  // Not at every sample.
  EXPECT_EQ(ValueOf(monitor.Sample(4 * kTestSecond), "monitor/process/pss_bytes"), std::nullopt);
  EXPECT_THAT(ValueOf(monitor.Sample(40 * kTestSecond), "monitor/process/pss_bytes"),
              Optional(300.0 * 1024));
}

TEST_F(ProcessTree, SaysOnceThatDiskTrafficIsNotToBeSeen) {
  machine.WriteProcess({.pid = 10, .parent = 1});
  machine.WriteProcess({.pid = 11, .parent = 10});
  Monitor monitor(machine.Options(10));
  EXPECT_EQ(ValueOf(monitor.Sample(2 * kTestSecond), "monitor/process/read_bytes_per_s"),
            std::nullopt);
  (void)monitor.Sample(3 * kTestSecond);
  const auto said = std::ranges::count_if(monitor.lacking(), [](const std::string& sentence) {
    return sentence.find("disk traffic of the processes") != std::string::npos;
  });
  EXPECT_EQ(said, 1);
}

TEST_F(ProcessTree, SaysThatThereIsNoSuchProcess) {
  Monitor monitor(machine.Options(4711));
  EXPECT_EQ(ValueOf(monitor.Sample(2 * kTestSecond), kCpu), std::nullopt);
  EXPECT_THAT(monitor.lacking(), testing::Contains(HasSubstr("no process 4711")));
}

// A child of this test that waits until it is ended.
class Waiting {
 public:
  Waiting() {
    if (::pipe(pipe_) != 0) return;
    pid_ = ::fork();
    if (pid_ != 0) return;
    char byte = 0;
    ::close(pipe_[1]);
    (void)!::read(pipe_[0], &byte, 1);
    ::_exit(0);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    End();
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  void Kill() const { ::kill(pid_, SIGKILL); }
  void End() {
    if (pid_ <= 0) return;
    Kill();
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  [[nodiscard]] int pid() const { return pid_; }

 private:
  int pipe_[2] = {-1, -1};
  int pid_ = 0;
};

TEST(ProcessTreeOfThisMachine, SeesAProcessVanishBetweenReads) {
  auto child = std::make_unique<Waiting>();
  ASSERT_GT(child->pid(), 0);
  MonitorOptions options;
  options.root_pid = child->pid();
  options.nvml_library.clear();
  Monitor monitor(options);
  int64_t now = MonitorClockNs();
  const auto alive = monitor.Sample(now + kTestSecond);
  EXPECT_THAT(ValueOf(alive, kCount), Optional(1.0));
  EXPECT_GT(ValueOf(alive, kRss).value_or(0), 0);
  child->End();
  const auto ended = monitor.Sample(now + 2 * kTestSecond);
  EXPECT_THAT(ValueOf(ended, kCount), Optional(0.0));
  EXPECT_THAT(ValueOf(ended, kRss), Optional(0.0));
  EXPECT_TRUE(monitor.pids().empty());
}

TEST(ProcessTreeOfThisMachine, FindsAChildOfThisVeryProcess) {
  MonitorOptions options;
  options.root_pid = ::getpid();
  options.nvml_library.clear();
  Monitor monitor(options);
  Waiting child;
  (void)monitor.Sample(MonitorClockNs() + 10 * kTestSecond);
  EXPECT_THAT(monitor.pids(), testing::Contains(child.pid()));
  EXPECT_THAT(monitor.pids(), testing::Contains(::getpid()));
}

}  // namespace
}  // namespace telltale
