// SPDX-License-Identifier: Apache-2.0
// usage: record_calls [--folder FOLDER]
// What a call of the recorder takes: a span (begin and end), a scalar, a counter, a step; with
// recording off; and from several threads at once. Rounds of 10,000 calls, in processor time of the
// thread, so that others do not count; the region is emptied between rounds, as the collector does
// beside a program, and nothing is dropped. The best round, the median, and the mean, which has all
// that happens now and then. One JSON document.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <telltale/telltale.hpp>

#include "collect/region_reader.h"
#include "record/clock.h"

namespace {

struct Cost {
  double best_ns;
  double median_ns;
  double mean_ns;
};

double ThreadNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

constexpr int kRounds = 200;
constexpr int kCalls = 10'000;

class Region {
 public:
  explicit Region(telltale::RegionReader reader) : reader_(std::move(reader)) {}
  // From any of the threads that are measured.
  void Empty() {
    const std::lock_guard lock(lock_);
    const double start = ThreadNs();
    records_ += reader_.Drain([](const telltale::RegionRecord&) {}).value_or(0);
    reader_.Release();
    ns_ += ThreadNs() - start;
  }
  [[nodiscard]] double ns_per_record() const { return ns_ / static_cast<double>(records_); }
  [[nodiscard]] size_t records() const { return records_; }
  [[nodiscard]] uint64_t dropped() const { return reader_.dropped_spans(); }

 private:
  std::mutex lock_;
  telltale::RegionReader reader_;
  size_t records_ = 0;
  double ns_ = 0;
};

template <typename Call>
Cost Measure(Region* region, const Call& call) {
  std::vector<double> costs;
  double sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double start = ThreadNs();
    for (int i = 0; i < kCalls; ++i) call(i);
    costs.push_back((ThreadNs() - start) / kCalls);
    sum += costs.back();
    if (region != nullptr) region->Empty();
  }
  std::sort(costs.begin(), costs.end());
  return {costs.front(), costs[costs.size() / 2], sum / kRounds};
}

void Print(const char* name, const Cost& cost) {
  std::printf(" \"%s\": {\"best_ns\": %.2f, \"median_ns\": %.2f, \"mean_ns\": %.2f},\n", name,
              cost.best_ns, cost.median_ns, cost.mean_ns);
}

void OneSpan() { TELLTALE_SPAN("bench"); }

}  // namespace

int main(int count, char** words) {
  std::string pattern = (count == 3 ? std::string(words[2]) : "/tmp") + "/telltale-bench-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) return 3;
  const std::filesystem::path folder = pattern;
  unsetenv("PATH");  // no collector but the one below
  std::printf("{\n");
  Print("span_off", Measure(nullptr, [](int) { OneSpan(); }));
  Print("scalar_off", Measure(nullptr, [](int i) { telltale_scalar(1, i, i); }));
  if (telltale_start(folder.c_str()) != 1) return 3;
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(folder / ".live"))
    path = entry.path();
  auto reader = telltale::RegionReader::Open(path);
  if (!reader) return 3;
  Region region(std::move(*reader));
  uint64_t ticks = 0;
  Print("clock", Measure(nullptr, [&](int) { ticks += telltale::record::Ticks(); }));
  Print("span", Measure(&region, [](int) { OneSpan(); }));
  telltale::Name loss("loss");
  Print("scalar", Measure(&region, [&](int i) { telltale::Log(loss, i, i); }));
  Print("scalar_by_text", Measure(&region, [&](int i) { telltale::Log("train/loss", i, i); }));
  telltale::Counter queue("queue");
  Print("counter", Measure(&region, [&](int i) { queue.Set(i); }));
  Print("step", Measure(&region, [&](int i) { const telltale::StepScope step(i); }));
  std::vector<std::thread> threads;
  std::vector<Cost> costs(4);
  for (Cost& cost : costs) {
    threads.emplace_back([&] { cost = Measure(&region, [](int) { OneSpan(); }); });
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(costs.begin(), costs.end(),
            [](const Cost& a, const Cost& b) { return a.median_ns < b.median_ns; });
  Print("span_slowest_of_four_threads", costs.back());
  // Nobody reads: the file grows by 64 MB.
  Print("scalar_unread", Measure(nullptr, [&](int i) { telltale::Log(loss, i, i); }));
  region.Empty();
  std::printf(
      " \"records\": %zu,\n \"read_ns\": %.2f,\n \"dropped\": %llu,\n \"region_bytes\": %llu\n}\n",
      region.records(), region.ns_per_record(), static_cast<unsigned long long>(region.dropped()),
      static_cast<unsigned long long>(std::filesystem::file_size(path)));
  telltale_stop();
  std::filesystem::remove_all(folder);
  return ticks == 0 ? 1 : 0;
}
