// SPDX-License-Identifier: Apache-2.0
// span_load [THREADS [SPANS_A_SECOND [SECONDS]]]: under `telltale run`, records so many spans a
// second from so many threads at once (8, a million together, 5 s), and then tells what the
// collector, its parent, took for it. One JSON object on standard output:
//   spans, seconds      what was recorded, and how long that took
//   collector_seconds   processor time of the collector meanwhile
//   collector_bytes     its highest resident memory
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <telltale/telltale.hpp>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBurst = 100;  // spans between two looks at the clock

double ProcessorSecondsOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t close = text.rfind(')');
  if (close == std::string::npos) return 0;
  std::istringstream rest(text.substr(close + 2));
  std::string skipped;
  for (int field = 3; field < 14; ++field) rest >> skipped;
  double user = 0;
  double system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double HighestBytesOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) * 1024;
  }
  return 0;
}

void Work(double spans_a_second, double seconds, long& count) {
  const Clock::time_point begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  for (double now = 0; now < seconds; now = elapsed()) {
    if (static_cast<double>(count) > now * spans_a_second) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    for (int i = 0; i < kBurst; ++i) {
      TELLTALE_SPAN("load");
    }
    count += kBurst;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 8;
  const double rate = argc > 2 ? std::atof(argv[2]) : 1e6;
  const double seconds = argc > 3 ? std::atof(argv[3]) : 5;
  const pid_t collector = getppid();
  const double before = ProcessorSecondsOf(collector);
  const Clock::time_point begin = Clock::now();
  std::vector<long> counts(static_cast<size_t>(threads));
  std::vector<std::thread> workers;
  for (long& count : counts) {
    workers.emplace_back([&] { Work(rate / threads, seconds, count); });
  }
  for (std::thread& worker : workers) worker.join();
  const double took = std::chrono::duration<double>(Clock::now() - begin).count();
  // What is still in the regions belongs to it, too.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  long spans = 0;
  for (const long count : counts) spans += count;
  std::printf(
      "{\"spans\": %ld, \"seconds\": %.3f, \"collector_seconds\": %.3f, \"collector_bytes\": "
      "%.0f}\n",
      spans, took, ProcessorSecondsOf(collector) - before, HighestBytesOf(collector));
  return 0;
}
