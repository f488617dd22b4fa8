// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's management library, for tests: two devices with the numbers that a test
// sets. Written from NVIDIA's documentation, and on purpose without monitor/nvml.h: what that one
// believes of the interface is checked against this one.
#include <cstddef>
#include <cstring>

extern "C" {

// nvmlReturn_t
constexpr int kSuccess = 0;
constexpr int kUninitialized = 1;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kInsufficientSize = 7;
constexpr int kVersionMismatch = 25;

struct nvmlUtilization_t {  // NOLINT(readability-identifier-naming): NVIDIA's names
  unsigned int gpu;
  unsigned int memory;
};
struct nvmlMemory_v2_t {  // NOLINT(readability-identifier-naming)
  unsigned int version;
  unsigned long long total, reserved, free, used;
};
struct nvmlMemory_t {  // NOLINT(readability-identifier-naming)
  unsigned long long total, free, used;
};
struct nvmlProcessInfo_t {  // NOLINT(readability-identifier-naming)
  unsigned int pid;
  unsigned long long usedGpuMemory;  // NOLINT(readability-identifier-naming)
  unsigned int gpuInstanceId;        // NOLINT(readability-identifier-naming)
  unsigned int computeInstanceId;    // NOLINT(readability-identifier-naming)
};

struct TestGpu {
  int code = kSuccess;  // of every call for it
  bool has_memory_v2 = true;
  bool has_energy = true;
  bool has_utilization = true;
  unsigned gpu_percent = 0;
  unsigned memory_percent = 0;
  unsigned long long used = 0;
  unsigned power_mw = 0;
  unsigned long long energy_mj = 0;
  unsigned long long reasons = 0;
  unsigned pid = 0;  // 0: no process
  unsigned strangers = 0;
  unsigned utilization_calls = 0;
};

struct TestNvml {
  int init_code = kSuccess;
  unsigned count = 2;
  bool is_running = false;
  TestGpu gpus[2];
};

static TestNvml test_nvml;

static int Check(const TestGpu* gpu) {
  if (!test_nvml.is_running) return kUninitialized;
  if (gpu != &test_nvml.gpus[0] && gpu != &test_nvml.gpus[1]) return kInvalidArgument;
  return gpu->code;
}

// NOLINTBEGIN(readability-identifier-naming)
int nvmlInit_v2() {
  if (test_nvml.init_code != kSuccess) return test_nvml.init_code;
  test_nvml.is_running = true;
  return kSuccess;
}
int nvmlShutdown() {
  test_nvml.is_running = false;
  return kSuccess;
}
const char* nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "Unknown Error"; }
int nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = test_nvml.count;
  return test_nvml.is_running ? kSuccess : kUninitialized;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, TestGpu** device) {
  if (index >= 2) return kInvalidArgument;
  *device = &test_nvml.gpus[index];
  return kSuccess;
}
int nvmlDeviceGetName(TestGpu* gpu, char* name, unsigned int length) {
  std::strncpy(name, "NVIDIA Test 40GB", length);
  return Check(gpu);
}
int nvmlDeviceGetUtilizationRates(TestGpu* gpu, nvmlUtilization_t* rates) {
  ++gpu->utilization_calls;
  if (!gpu->has_utilization) return kNotSupported;
  *rates = {gpu->gpu_percent, gpu->memory_percent};
  return Check(gpu);
}
int nvmlDeviceGetMemoryInfo_v2(TestGpu* gpu, nvmlMemory_v2_t* memory) {
  if (!gpu->has_memory_v2) return kNotSupported;
  if (memory->version != (sizeof(nvmlMemory_v2_t) | (2U << 24))) return kVersionMismatch;
  memory->total = 40'000;
  memory->reserved = 500;
  memory->used = gpu->used;
  memory->free = 40'000 - 500 - gpu->used;
  return Check(gpu);
}
int nvmlDeviceGetMemoryInfo(TestGpu* gpu, nvmlMemory_t* memory) {
  *memory = {40'000, 40'000 - 500 - gpu->used, gpu->used + 500};
  return Check(gpu);
}
int nvmlDeviceGetPowerUsage(TestGpu* gpu, unsigned int* milliwatts) {
  *milliwatts = gpu->power_mw;
  return Check(gpu);
}
int nvmlDeviceGetEnforcedPowerLimit(TestGpu* gpu, unsigned int* milliwatts) {
  *milliwatts = 400'000;
  return Check(gpu);
}
int nvmlDeviceGetTotalEnergyConsumption(TestGpu* gpu, unsigned long long* millijoules) {
  if (!gpu->has_energy) return kNotSupported;
  *millijoules = gpu->energy_mj;
  return Check(gpu);
}
int nvmlDeviceGetTemperature(TestGpu* gpu, unsigned int sensor, unsigned int* celsius) {
  if (sensor != 0) return kInvalidArgument;
  *celsius = 61;
  return Check(gpu);
}
int nvmlDeviceGetClockInfo(TestGpu* gpu, unsigned int type, unsigned int* mhz) {
  if (type != 1 && type != 2) return kInvalidArgument;
  *mhz = type == 1 ? 1410 : 1215;
  return Check(gpu);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(TestGpu* gpu, unsigned long long* reasons) {
  *reasons = gpu->reasons;
  return Check(gpu);
}
int nvmlDeviceGetPcieThroughput(TestGpu* gpu, unsigned int counter, unsigned int* kilobytes) {
  if (counter > 1) return kInvalidArgument;
  *kilobytes = counter == 0 ? 7 : 9;  // sent, received
  return Check(gpu);
}
int nvmlDeviceGetComputeRunningProcesses_v3(TestGpu* gpu, unsigned int* count,
                                            nvmlProcessInfo_t* infos) {
  const unsigned needed = gpu->strangers + (gpu->pid != 0 ? 1 : 0);
  if (*count < needed) {
    *count = needed;
    return kInsufficientSize;
  }
  for (unsigned i = 0; i < gpu->strangers; ++i) {
    infos[i] = {100'000 + i, 1, 0xffffffff, 0xffffffff};
  }
  if (gpu->pid != 0) infos[gpu->strangers] = {gpu->pid, gpu->used, 0xffffffff, 0xffffffff};
  *count = needed;
  return Check(gpu);
}
// NOLINTEND(readability-identifier-naming)

// For the test.
void TestNvmlReset() {
  const bool is_running = test_nvml.is_running;
  test_nvml = TestNvml();
  test_nvml.is_running = is_running;
}
void TestNvmlSet(int gpu, const char* field, unsigned long long value) {
  TestGpu& of = test_nvml.gpus[gpu];
  const auto is = [&](const char* name) { return std::strcmp(field, name) == 0; };
  if (is("code")) of.code = static_cast<int>(value);
  if (is("has_memory_v2")) of.has_memory_v2 = value != 0;
  if (is("has_energy")) of.has_energy = value != 0;
  if (is("has_utilization")) of.has_utilization = value != 0;
  if (is("gpu_percent")) of.gpu_percent = static_cast<unsigned>(value);
  if (is("memory_percent")) of.memory_percent = static_cast<unsigned>(value);
  if (is("used")) of.used = value;
  if (is("power_mw")) of.power_mw = static_cast<unsigned>(value);
  if (is("energy_mj")) of.energy_mj = value;
  if (is("reasons")) of.reasons = value;
  if (is("pid")) of.pid = static_cast<unsigned>(value);
  if (is("strangers")) of.strangers = static_cast<unsigned>(value);
  if (is("init_code")) test_nvml.init_code = static_cast<int>(value);
  if (is("count")) test_nvml.count = static_cast<unsigned>(value);
}
unsigned TestNvmlUtilizationCalls(int gpu) { return test_nvml.gpus[gpu].utilization_calls; }
bool TestNvmlIsRunning() { return test_nvml.is_running; }
}
