// SPDX-License-Identifier: Apache-2.0
// Disks, network, pressure, control groups, RAPL: against files as the kernel writes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "io/kept_file.h"
#include "monitor/monitor.h"
#include "monitor/test_machine.h"

namespace telltale {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

std::string DiskLine(std::string_view name, int64_t read, int64_t written, int64_t busy_ms) {
  return fmt::format(" 254 0 {} 61993 6942 {} 27302 37060 62819 {} 116813 0 {} 145197 5 6 7 8\n",
                     name, read, written, busy_ms);
}

TEST(Disks, AreDevicesAndNeitherPartitionsNorLoops) {
  const TestMachine machine;
  machine.Write("sys/block/vda/device/uevent", "");
  machine.Write("sys/block/loop0/size", "0");
  const auto write = [&](int read, int written, int busy) {
    machine.Write("proc/diskstats", DiskLine("loop0", 9, 9, 9) +
                                        DiskLine("vda", read, written, busy) +
                                        DiskLine("vda1", 5, 5, 5));
  };
  write(1000, 2000, 100);
  Monitor monitor(machine.Options());
  write(1000 + 8, 2000 + 16, 100 + 500);
  const auto readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/disk_vda/read_bytes_per_s"), Optional(2048.0));
  EXPECT_THAT(ValueOf(readings, "monitor/disk_vda/write_bytes_per_s"), Optional(4096.0));
  EXPECT_THAT(ValueOf(readings, "monitor/disk_vda/busy_percent"), Optional(25.0));
  EXPECT_EQ(ValueOf(readings, "monitor/disk_vda1/read_bytes_per_s"), std::nullopt);
  EXPECT_EQ(ValueOf(readings, "monitor/disk_loop0/read_bytes_per_s"), std::nullopt);
}

TEST(Disks, CountersThatWrapOrAreSetBack) {
  const TestMachine machine;
  machine.Write("sys/block/sda/device/uevent", "");
  machine.Write("proc/diskstats", DiskLine("sda", 1000, 10, 4'294'967'200));
  Monitor monitor(machine.Options());
  machine.Write("proc/diskstats", DiskLine("sda", 1000, 10, 404));  // 500 ms later
  EXPECT_THAT(ValueOf(monitor.Sample(2 * kTestSecond), "monitor/disk_sda/busy_percent"),
              Optional(50.0));
  machine.Write("proc/diskstats", DiskLine("sda", 5, 5, 3));  // another disk with its name
  const auto readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/disk_sda/busy_percent"), Optional(0.0));
  EXPECT_THAT(ValueOf(readings, "monitor/disk_sda/read_bytes_per_s"), Optional(0.0));
}

TEST(Disks, ThatAppearLaterCountFromThenOn) {
  const TestMachine machine;
  machine.Write("sys/block/sda/device/uevent", "");
  machine.Write("sys/block/sdb/device/uevent", "");
  machine.Write("proc/diskstats", DiskLine("sda", 1000, 10, 1));
  Monitor monitor(machine.Options());
  machine.Write("proc/diskstats", DiskLine("sdb", 90'000, 10, 1) + DiskLine("sda", 1000, 10, 1));
  auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_EQ(ValueOf(readings, "monitor/disk_sdb/read_bytes_per_s"), std::nullopt);
  EXPECT_THAT(ValueOf(readings, "monitor/disk_sda/read_bytes_per_s"), Optional(0.0));
  machine.Write("proc/diskstats", DiskLine("sdb", 90'002, 10, 1));
  readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/disk_sdb/read_bytes_per_s"), Optional(1024.0));
  EXPECT_EQ(ValueOf(readings, "monitor/disk_sda/read_bytes_per_s"), std::nullopt);
}

constexpr std::string_view kNetHead =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n";

std::string NetLine(std::string_view name, int64_t received, int64_t sent) {
  return fmt::format("{:>6}:{} 29 0 0 0 0 0 0 {} 29 0 0 0 0 0 0\n", name, received, sent);
}

TEST(Network, IsThatOfDevicesWhereThereAreAny) {
  const TestMachine machine;
  machine.Write("sys/class/net/eth0/device/uevent", "");
  const auto write = [&](int64_t received, int64_t sent) {
    machine.Write("proc/net/dev", std::string(kNetHead) + NetLine("lo", received, sent) +
                                      NetLine("docker0", received, sent) +
                                      NetLine("eth0", received, sent));
  };
  write(1000, 500);
  Monitor monitor(machine.Options());
  write(5000, 1500);
  const auto readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/net_eth0/received_bytes_per_s"), Optional(2000.0));
  EXPECT_THAT(ValueOf(readings, "monitor/net_eth0/sent_bytes_per_s"), Optional(500.0));
  EXPECT_EQ(ValueOf(readings, "monitor/net_docker0/sent_bytes_per_s"), std::nullopt);
  EXPECT_EQ(ValueOf(readings, "monitor/net_lo/sent_bytes_per_s"), std::nullopt);
}

TEST(Network, OfAContainerHasNoDevices) {
  const TestMachine machine;
  machine.Write("proc/net/dev", std::string(kNetHead) + NetLine("eth0", 10, 10));
  Monitor monitor(machine.Options());
  machine.Write("proc/net/dev", std::string(kNetHead) + NetLine("eth0", 30, 11));
  EXPECT_THAT(ValueOf(monitor.Sample(2 * kTestSecond), "monitor/net_eth0/received_bytes_per_s"),
              Optional(20.0));
}

TEST(Network, NamesBecomePlainInTags) {
  const TestMachine machine;
  machine.Write("proc/net/dev", std::string(kNetHead) + NetLine("a/b,c", 10, 10));
  Monitor monitor(machine.Options());
  machine.Write("proc/net/dev", std::string(kNetHead) + NetLine("a/b,c", 30, 11));
  EXPECT_THAT(ValueOf(monitor.Sample(2 * kTestSecond), "monitor/net_a_b_c/sent_bytes_per_s"),
              Optional(1.0));
}

TEST(Pressure, IsExactFromItsTotals) {
  const TestMachine machine;
  const auto write = [&](int64_t some, int64_t full) {
    for (const char* name : {"cpu", "memory", "io"}) {
      machine.Write(fmt::format("proc/pressure/{}", name),
                    fmt::format("some avg10=99.00 avg60=0.00 avg300=0.00 total={}\nfull avg10=0.00 "
                                "avg60=0.00 avg300=0.00 total={}\n",
                                some, full));
    }
  };
  write(5'000'000, 1'000'000);
  Monitor monitor(machine.Options());
  write(5'500'000, 1'100'000);
  const auto readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/pressure/cpu_some_percent"), Optional(25.0));
  EXPECT_THAT(ValueOf(readings, "monitor/pressure/io_full_percent"), Optional(5.0));
  EXPECT_EQ(ValueOf(readings, "monitor/pressure/cpu_full_percent"), std::nullopt);
}

TEST(Pressure, ThatIsSwitchedOffIsSaid) {
  const TestMachine machine;
  machine.Write("proc/pressure/cpu", "");
  Monitor monitor(machine.Options());
  EXPECT_THAT(monitor.lacking(), Contains(HasSubstr("psi=1")));
}

class ControlGroups : public testing::Test {
 protected:
  void WriteV2(std::string_view root, std::string_view group) {
    machine.Write("proc/self/cgroup", fmt::format("0::{}\n", group));
    machine.Write("proc/self/mountinfo",
                  fmt::format("24 1 0:5 / /proc rw - proc proc rw\n"
                              "31 23 0:28 {} /sys/fs/cgroup ro,nosuid shared:9 - cgroup2 cgroup2 "
                              "rw,nsdelegate\n",
                              root));
  }
  void WriteStatV2(const std::string& folder, int64_t usage, int periods, int throttled,
                   int64_t throttled_us) {
    machine.Write(folder + "/cpu.stat",
                  fmt::format("usage_usec {}\nuser_usec 1\nsystem_usec 1\nnr_periods "
                              "{}\nnr_throttled {}\nthrottled_usec {}\nnr_bursts 0\n",
                              usage, periods, throttled, throttled_us));
  }
  TestMachine machine;
};

TEST_F(ControlGroups, OfVersion2AreFollowedToTheTightestLimit) {
  WriteV2("/", "/job/step/task");
  const std::string job = "sys/fs/cgroup/job";
  machine.Write(job + "/cpu.max", "150000 100000\n");
  machine.Write(job + "/memory.max", "4000\n");
  machine.Write(job + "/memory.current", "1000\n");
  machine.Write(job + "/memory.events",
                "low 0\nhigh 0\nmax 3\noom 1\noom_kill 1\noom_group_kill 0\n");
  WriteStatV2(job, 1'000'000, 100, 10, 5'000'000);
  machine.Write(job + "/step/cpu.max", "max 100000\n");
  machine.Write(job + "/step/memory.max", "max\n");
  machine.Write(job + "/step/task/cpu.max", "400000 100000\n");
  machine.Write(job + "/step/task/memory.max", "5000\n");
  Monitor monitor(machine.Options());
  WriteStatV2(job, 3'000'000, 120, 15, 5'500'000);
  machine.Write(job + "/memory.current", "3000\n");
  machine.Write(job + "/memory.events",
                "low 0\nhigh 0\nmax 3\noom 3\noom_kill 3\noom_group_kill 0\n");
  const auto readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/cpu_limit_cores"), Optional(1.5));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/cpu_cores"), Optional(1.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/throttled_periods_percent"), Optional(25.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/throttled_seconds"), Optional(0.5));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/memory_limit_bytes"), Optional(4000.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/memory_bytes"), Optional(3000.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/memory_percent"), Optional(75.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/oom_kills"), Optional(2.0));
}

TEST_F(ControlGroups, OfAContainerThatSeesThePathOfItsHost) {
  WriteV2("/docker/abc", "/docker/abc");
  machine.Write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  WriteStatV2("sys/fs/cgroup", 0, 0, 0, 0);
  Monitor monitor(machine.Options());
  const auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/cpu_limit_cores"), Optional(0.5));
  // No period has ended.
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/throttled_periods_percent"), Optional(0.0));
}

TEST_F(ControlGroups, OfVersion1HaveAPathForEachController) {
  machine.Write("proc/77/stat", "");
  machine.WriteProcess({.pid = 77, .parent = 1});
  machine.Write("proc/77/cgroup",
                "9:name=systemd:/\n4:memory:/slurm/job_7\n2:cpu,cpuacct:/slurm\n0::/\n");
  machine.Write("proc/77/mountinfo",
                "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  const std::string cpu = "sys/fs/cgroup/cpu/slurm";
  machine.Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  machine.Write(cpu + "/cpu.cfs_quota_us", "200000\n");
  machine.Write(cpu + "/cpu.cfs_period_us", "100000\n");
  machine.Write(cpu + "/cpuacct.usage", "1000000000\n");
  machine.Write(cpu + "/cpu.stat", "nr_periods 10\nnr_throttled 0\nthrottled_time 0\n");
  const std::string memory = "sys/fs/cgroup/memory/slurm/job_7";
  machine.Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  machine.Write(memory + "/memory.limit_in_bytes", "1000000\n");
  machine.Write(memory + "/memory.usage_in_bytes", "250000\n");
  machine.Write(memory + "/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  Monitor monitor(machine.Options(77));
  machine.Write(cpu + "/cpuacct.usage", "2500000000\n");
  machine.Write(cpu + "/cpu.stat", "nr_periods 20\nnr_throttled 5\nthrottled_time 250000000\n");
  const auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/cpu_limit_cores"), Optional(2.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/cpu_cores"), Optional(1.5));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/throttled_periods_percent"), Optional(50.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/throttled_seconds"), Optional(0.25));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/memory_percent"), Optional(25.0));
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/oom_kills"), Optional(0.0));
}

TEST_F(ControlGroups, WithoutLimitsSaySo) {
  WriteV2("/", "/user.slice");
  machine.Write("sys/fs/cgroup/user.slice/memory.max", "max\n");
  machine.Write("sys/fs/cgroup/user.slice/memory.current", "17\n");
  Monitor monitor(machine.Options());
  const auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/cgroup/memory_bytes"), Optional(17.0));
  EXPECT_EQ(ValueOf(readings, "monitor/cgroup/memory_percent"), std::nullopt);
  EXPECT_THAT(monitor.lacking(), Contains(HasSubstr("the control group sets none")));
}

TEST_F(ControlGroups, OfNonsenseAreNone) {
  machine.Write("proc/self/cgroup", "x\n0\n0:\n0::\n::::\n0::/../../a\n");
  machine.Write("proc/self/mountinfo", "- cgroup2\n\n1 2 3 / /sys/fs/cgroup rw - cgroup2 c rw\n");
  Monitor monitor(machine.Options());
  (void)monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(monitor.lacking(), Contains(HasSubstr("there is no control group")));
}

TEST(Rapl, EnergyCountsOnOverAWrap) {
  const TestMachine machine;
  const std::string package = "sys/class/powercap/intel-rapl:0/";
  const std::string dram = "sys/class/powercap/intel-rapl:0:1/";
  machine.Write("sys/class/powercap/intel-rapl/enabled", "1\n");
  machine.Write(package + "name", "package-0\n");
  machine.Write(package + "max_energy_range_uj", "262143328850\n");
  machine.Write(package + "energy_uj", "262143000000\n");
  machine.Write(dram + "name", "dram\n");
  machine.Write(dram + "max_energy_range_uj", "1000\n");
  machine.Write(dram + "energy_uj", "0\n");
  Monitor monitor(machine.Options());
  machine.Write(package + "energy_uj", "99671150\n");  // 100 J further
  auto readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/rapl_package-0/power_watts"),
              Optional(testing::DoubleNear(50, 1e-6)));
  EXPECT_THAT(ValueOf(readings, "monitor/rapl_package-0_dram/power_watts"), Optional(0.0));
  machine.Write(package + "energy_uj", "100671150\n");
  readings = monitor.Sample(4 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/rapl_package-0/energy_joules"),
              Optional(testing::DoubleNear(101, 1e-6)));
}

TEST(Rapl, ThatOnlyRootMayReadIsSaid) {
  const TestMachine machine;
  machine.Write("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  const Monitor monitor(machine.Options());
  EXPECT_THAT(monitor.lacking(), Contains(HasSubstr("may be read by root alone")));
}

TEST(Folder, HasRoomLeft) {
  const TestMachine machine;
  MonitorOptions options = machine.Options();
  options.folder = machine.root();
  Monitor monitor(options);
  EXPECT_GT(ValueOf(monitor.Sample(2 * kTestSecond), "monitor/disk/free_bytes").value_or(0), 0);
}

TEST(KeptFile, ReadsWhatIsLongerThanItsBufferAndWhatChanged) {
  const TestMachine machine;
  const std::string path = machine.root() + "/proc/long";
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += fmt::format("{} ", i);
  machine.Write("proc/long", text);
  KeptFile file(path);
  TextBuffer buffer;
  std::string_view read;
  ASSERT_TRUE(file.Read(buffer, read));
  EXPECT_EQ(read, text);
  machine.Write("proc/long", "short");
  ASSERT_TRUE(file.Read(buffer, read));
  EXPECT_EQ(read, "short");
  machine.Write("proc/long", "");
  ASSERT_TRUE(file.Read(buffer, read));
  EXPECT_EQ(read, "");
}

TEST(KeptFile, SaysWhyItCannotBeOpened) {
  KeptFile file("/nowhere/at/all");
  EXPECT_FALSE(file.valid());
  EXPECT_EQ(file.error(), ENOENT);
  TextBuffer buffer;
  std::string_view text;
  EXPECT_FALSE(file.Read(buffer, text));
}

TEST(Metrics, AreListedInTheDocumentAsTheyAre) {
  std::stringstream document;
  document << std::ifstream("docs/monitor.md").rdbuf();
  EXPECT_THAT(document.str(), HasSubstr(MetricsMarkdown()))
      << "the table in docs/monitor.md must be:\n"
      << MetricsMarkdown();
}

TEST(Metrics, HaveATagOfTheirOwn) {
  Readings readings;
  for (const MetricSpec& spec : Metrics()) {
    const uint32_t number = readings.Add(spec.metric, "0");
    EXPECT_EQ(number + 1, readings.series().size()) << spec.name;
    EXPECT_THAT(readings.series().back().tag, Not(HasSubstr("<")));
    EXPECT_EQ(readings.Add(spec.metric, "0"), number);
  }
}

}  // namespace
}  // namespace telltale
