// SPDX-License-Identifier: Apache-2.0
// monitor_sample [CHILDREN [SAMPLES]]: what a sample of the hardware monitor costs, of the whole
// machine and of this process with CHILDREN (default 4) idle children. Prints one JSON object of
// microseconds of processor time. Samples follow each other closely, so that what is done now and
// then (memory shared by processes, limits, looking for children) is told apart: `usual_us` are
// samples without it, `all_us` is the mean of an hour of samples a second apart, in which it has
// its share.
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "monitor/monitor.h"

namespace {

constexpr int64_t kSecond = 1'000'000'000;

int64_t ProcessorNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * kSecond + now.tv_nsec;
}

double Us(int64_t ns) { return static_cast<double>(ns) * 1e-3; }

}  // namespace

int main(int argc, char** argv) {
  const int children = argc > 1 ? std::atoi(argv[1]) : 4;
  const int samples = argc > 2 ? std::atoi(argv[2]) : 3600;
  std::vector<pid_t> pids;
  for (int i = 0; i < children; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      pause();
      _exit(0);
    }
    pids.push_back(pid);
  }
  telltale::MonitorOptions options;
  options.root_pid = getpid();
  const int64_t began = ProcessorNs();
  telltale::Monitor monitor(options);
  const int64_t made = ProcessorNs() - began;
  // The clock that the monitor sees goes on by a second a sample.
  int64_t now_ns = telltale::MonitorClockNs();
  size_t readings = 0;
  std::vector<int64_t> costs;
  int64_t sum = 0;
  for (int i = 0; i < samples; ++i) {
    now_ns += kSecond;
    const int64_t start = ProcessorNs();
    readings = monitor.Sample(now_ns).size();
    const int64_t cost = ProcessorNs() - start;
    sum += cost;
    if (i > 0) costs.push_back(cost);
  }
  for (const pid_t pid : pids) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  std::ranges::sort(costs);
  const auto at = [&](double share) {
    return Us(costs[static_cast<size_t>(static_cast<double>(costs.size() - 1) * share)]);
  };
  std::printf(
      "{\"processes\": %d, \"readings\": %zu, \"samples\": %d, \"make_us\": %.1f, \"best_us\": "
      "%.1f, \"usual_us\": %.1f, \"p99_us\": %.1f, \"most_us\": %.1f, \"all_us\": %.1f}\n",
      children + 1, readings, samples, Us(made), at(0), at(0.5), at(0.99), at(1),
      Us(sum) / samples);
  return 0;
}
