// SPDX-License-Identifier: Apache-2.0
// GPUs: NVIDIA's against a library that stands for theirs (test_nvml.cpp), AMD's against files.
#include <dlfcn.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "monitor/monitor.h"
#include "monitor/test_machine.h"

namespace telltale {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Optional;

class NvidiaGpu : public testing::Test {
 protected:
  NvidiaGpu() {
    handle_ = ::dlopen(TELLTALE_TEST_NVML, RTLD_NOW);
    Find(set_, "TestNvmlSet");
    Find(calls_, "TestNvmlUtilizationCalls");
    Find(is_running_, "TestNvmlIsRunning");
    void (*reset)() = nullptr;
    Find(reset, "TestNvmlReset");
    reset();
  }
  ~NvidiaGpu() override { ::dlclose(handle_); }
  NvidiaGpu(const NvidiaGpu&) = delete;
  NvidiaGpu& operator=(const NvidiaGpu&) = delete;

  template <typename Function>
  void Find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(::dlsym(handle_, name));
    ASSERT_NE(function, nullptr) << name;
  }
  [[nodiscard]] MonitorOptions Options(int pid = 0) const {
    MonitorOptions options = machine.Options(pid);
    options.nvml_library = TELLTALE_TEST_NVML;
    return options;
  }

  TestMachine machine;
  void* handle_ = nullptr;
  void (*set_)(int, const char*, unsigned long long) = nullptr;
  unsigned (*calls_)(int) = nullptr;
  bool (*is_running_)() = nullptr;
};

TEST_F(NvidiaGpu, IsReadInFull) {
  set_(0, "energy_mj", 5'000'000);
  set_(1, "energy_mj", 7'000);
  Monitor monitor(Options());
  ASSERT_EQ(monitor.devices().size(), 2U);
  EXPECT_EQ(monitor.devices()[1].device, "gpu1");
  EXPECT_EQ(monitor.devices()[1].name, "NVIDIA Test 40GB");
  set_(1, "gpu_percent", 87);
  set_(1, "memory_percent", 40);
  set_(1, "used", 10'000);
  set_(1, "power_mw", 350'500);
  set_(1, "energy_mj", 357'500);
  set_(1, "reasons", 0x24);
  const auto readings = monitor.Sample(2 * kTestSecond);
  const auto of = [&](std::string_view name) {
    return ValueOf(readings, fmt::format("monitor/gpu1/{}", name));
  };
  EXPECT_THAT(of("utilization_percent"), Optional(87.0));
  EXPECT_THAT(of("memory_controller_percent"), Optional(40.0));
  EXPECT_THAT(of("memory_used_bytes"), Optional(10'000.0));
  EXPECT_THAT(of("memory_total_bytes"), Optional(40'000.0));
  EXPECT_THAT(of("memory_used_percent"), Optional(25.0));
  EXPECT_THAT(of("power_watts"), Optional(350.5));
  EXPECT_THAT(of("power_limit_watts"), Optional(400.0));
  EXPECT_THAT(of("energy_joules"), Optional(350.5));
  EXPECT_THAT(of("temperature_celsius"), Optional(61.0));
  EXPECT_THAT(of("clock_mhz"), Optional(1410.0));
  EXPECT_THAT(of("memory_clock_mhz"), Optional(1215.0));
  EXPECT_THAT(of("throttled"), Optional(1.0));
  EXPECT_THAT(of("throttle_reasons"), Optional(36.0));
  EXPECT_THAT(of("pcie_received_bytes_per_s"), Optional(9000.0));
  EXPECT_THAT(of("pcie_sent_bytes_per_s"), Optional(7000.0));
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/energy_joules"), Optional(0.0));
  EXPECT_EQ(ValueOf(readings, "monitor/gpu1/process_memory_bytes"), std::nullopt);
  // Slow ones now and then.
  EXPECT_EQ(ValueOf(monitor.Sample(3 * kTestSecond), "monitor/gpu1/pcie_sent_bytes_per_s"),
            std::nullopt);
}

TEST_F(NvidiaGpu, IdleIsNotThrottled) {
  Monitor monitor(Options());
  set_(0, "reasons", 0x01);
  EXPECT_THAT(ValueOf(monitor.Sample(2 * kTestSecond), "monitor/gpu0/throttled"), Optional(0.0));
}

TEST_F(NvidiaGpu, WithoutACounterOfEnergyHasPowerTimesTime) {
  set_(0, "has_energy", 0);
  set_(0, "has_memory_v2", 0);
  set_(0, "power_mw", 100'000);
  set_(0, "used", 100);
  Monitor monitor(Options());
  (void)monitor.Sample(3 * kTestSecond);
  const auto readings = monitor.Sample(4 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/energy_joules"), Optional(300.0));
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/memory_used_bytes"), Optional(600.0));
}

TEST_F(NvidiaGpu, EnergyGoesOnWhenItsCounterIsSetBack) {
  set_(0, "energy_mj", 9'000);
  Monitor monitor(Options());
  set_(0, "energy_mj", 10'000);
  (void)monitor.Sample(2 * kTestSecond);
  set_(0, "energy_mj", 50);  // the driver was loaded anew
  (void)monitor.Sample(3 * kTestSecond);
  set_(0, "energy_mj", 2'050);
  EXPECT_THAT(ValueOf(monitor.Sample(4 * kTestSecond), "monitor/gpu0/energy_joules"),
              Optional(3.0));
}

TEST_F(NvidiaGpu, IsNotAskedAgainForWhatItDoesNotSupport) {
  set_(1, "has_utilization", 0);
  Monitor monitor(Options());
  for (int i = 2; i < 6; ++i) {
    EXPECT_EQ(ValueOf(monitor.Sample(i * kTestSecond), "monitor/gpu1/utilization_percent"),
              std::nullopt);
  }
  EXPECT_EQ(calls_(1), 1U);
  EXPECT_EQ(calls_(0), 4U);
}

TEST_F(NvidiaGpu, ThatIsLostIsNamedOnceAndTheOthersGoOn) {
  Monitor monitor(Options());
  set_(0, "code", 15);
  set_(1, "gpu_percent", 5);
  auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/gpu1/utilization_percent"), Optional(5.0));
  EXPECT_EQ(ValueOf(readings, "monitor/gpu0/temperature_celsius"), std::nullopt);
  readings = monitor.Sample(3 * kTestSecond);
  EXPECT_EQ(std::ranges::count_if(monitor.lacking(),
                                  [](const std::string& sentence) {
                                    return sentence.find("gpu0 is lost") != std::string::npos;
                                  }),
            1);
}

TEST_F(NvidiaGpu, MemoryOfTheTreeIsToldApart) {
  machine.WriteProcess({.pid = 10, .parent = 1});
  machine.WriteProcess({.pid = 11, .parent = 10});
  machine.WriteCpu({});
  set_(0, "pid", 11);
  set_(0, "used", 3'000);
  set_(0, "strangers", 500);  // more than there is room for at first
  set_(1, "strangers", 2);
  Monitor monitor(Options(10));
  const auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/process_memory_bytes"), Optional(3'000.0));
  // Numbers of another namespace: nothing is known.
  EXPECT_EQ(ValueOf(readings, "monitor/gpu1/process_memory_bytes"), std::nullopt);
}

TEST_F(NvidiaGpu, DriverThatDoesNotStartIsQuoted) {
  set_(0, "init_code", 9);
  Monitor monitor(Options());
  EXPECT_THAT(monitor.lacking(), Contains(HasSubstr("Driver Not Loaded")));
  EXPECT_TRUE(monitor.devices().empty());
}

TEST_F(NvidiaGpu, DriverWithoutDevicesSaysSo) {
  set_(0, "count", 0);
  Monitor monitor(Options());
  EXPECT_THAT(monitor.lacking(), Contains(HasSubstr("finds none")));
  EXPECT_FALSE(is_running_());
}

TEST_F(NvidiaGpu, LibraryIsEndedWithTheMonitor) {
  {
    Monitor monitor(Options());
    EXPECT_TRUE(is_running_());
  }
  EXPECT_FALSE(is_running_());
}

TEST(NoNvidiaGpu, LibraryThatIsMissingOrAnother) {
  const TestMachine machine;
  MonitorOptions options = machine.Options();
  options.nvml_library = "libtelltale-not-there.so.1";
  EXPECT_THAT(Monitor(options).lacking(), Contains(HasSubstr("is not installed")));
  options.nvml_library = "libm.so.6";
  EXPECT_THAT(Monitor(options).lacking(), Contains(HasSubstr("is not their driver's library")));
}

class AmdGpu : public testing::Test {
 protected:
  AmdGpu() {
    machine.Write("sys/class/drm/card0/device/vendor", "0x8086\n");  // Intel's
    machine.Write("sys/class/drm/card1-DP-1/device/vendor", "0x1002\n");
    machine.Write("sys/class/drm/renderD128/device/vendor", "0x1002\n");
    machine.Write(card + "vendor", "0x1002\n");
    machine.Write(card + "product_name", "Instinct MI210\n");
    machine.Write(card + "gpu_busy_percent", "93\n");
    machine.Write(card + "mem_info_vram_used", "17179869184\n");
    machine.Write(card + "mem_info_vram_total", "68719476736\n");
    machine.Write(card + "hwmon/hwmon4/power1_average", "250000000\n");
    machine.Write(card + "hwmon/hwmon4/power1_cap", "300000000\n");
    machine.Write(card + "hwmon/hwmon4/temp1_input", "-5500\n");
    machine.Write(card + "hwmon/hwmon4/freq1_input", "1700000000\n");
  }
  TestMachine machine;
  std::string card = "sys/class/drm/card2/device/";
};

TEST_F(AmdGpu, IsReadFromItsDriversFiles) {
  Monitor monitor(machine.Options());
  ASSERT_EQ(monitor.devices().size(), 1U);
  EXPECT_EQ(monitor.devices()[0].device, "gpu0");
  EXPECT_EQ(monitor.devices()[0].name, "Instinct MI210");
  const auto readings = monitor.Sample(3 * kTestSecond);
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/utilization_percent"), Optional(93.0));
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/memory_used_bytes"), Optional(17179869184.0));
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/memory_used_percent"), Optional(25.0));
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/power_watts"), Optional(250.0));
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/power_limit_watts"), Optional(300.0));
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/energy_joules"), Optional(500.0));
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/temperature_celsius"), Optional(-5.5));
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/clock_mhz"), Optional(1700.0));
}

TEST_F(AmdGpu, LeavesOutWhatCannotBeReadAnyMore) {
  Monitor monitor(machine.Options());
  machine.Write(card + "gpu_busy_percent", "");
  machine.Write(card + "hwmon/hwmon4/power1_average", "nonsense\n");
  const auto readings = monitor.Sample(2 * kTestSecond);
  EXPECT_EQ(ValueOf(readings, "monitor/gpu0/utilization_percent"), std::nullopt);
  EXPECT_EQ(ValueOf(readings, "monitor/gpu0/power_watts"), std::nullopt);
  EXPECT_THAT(ValueOf(readings, "monitor/gpu0/clock_mhz"), Optional(1700.0));
}

}  // namespace
}  // namespace telltale
