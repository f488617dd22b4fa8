// SPDX-License-Identifier: Apache-2.0
#include "collect/stack_sampler.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "collect/clock.h"
#include "formats/samples/writer.h"
#include "monitor/schedule.h"
#include "sample/program_sampler.h"

namespace telltale {

namespace {

constexpr int64_t kSlotNs = 1'000'000'000;
// What a full disk keeps us from writing is tried again, up to so much.
constexpr size_t kMostWaitingBytes = size_t{1} << 20;

}  // namespace

void StackSampler::Start(int pid, int64_t period_ns) {
  thread_ = std::thread([this, pid, period_ns] { Loop(pid, period_ns); });
}

void StackSampler::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::string StackSampler::NewPath() const {
  const std::string folder = run_folder_ + "/profiler";
  ::mkdir(folder.c_str(), 0755);
  std::string path = folder + "/samples.tts";
  std::error_code ignored;
  for (int number = 2; std::filesystem::exists(path, ignored); ++number) {
    path = fmt::format("{}/samples-{}.tts", folder, number);
  }
  return path;
}

void StackSampler::Loop(int pid, int64_t period_ns) {
  const int64_t start_ns = SteadyNow();
  SamplesWriter writer(WallNow(), period_ns);
  ProgramSampler sampler(pid, period_ns, writer);
  std::unique_ptr<GrowingFile> file;
  std::string waiting;
  int64_t slot_ns = start_ns;
  const auto write = [&](int64_t now_ns) {
    waiting += writer.TakeBlock(slot_ns - start_ns, now_ns - start_ns);
    slot_ns = now_ns;
    if (waiting.empty()) return;
    // Programs without Python have no such file.
    if (!file) file = std::make_unique<GrowingFile>(NewPath(), trouble_);
    if (file->Append(waiting) || waiting.size() > kMostWaitingBytes) waiting.clear();
  };
  SampleSchedule schedule(start_ns, period_ns);
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const int64_t left_ns = schedule.next_ns() - SteadyNow();
    if (left_ns > 0) {
      changed_.wait_for(lock, std::chrono::nanoseconds(left_ns), [this] { return stop_; });
      continue;
    }
    lock.unlock();
    const int64_t now_ns = SteadyNow();
    if (schedule.Take(now_ns)) sampler.Sample(now_ns);
    if (now_ns - slot_ns >= kSlotNs) write(now_ns);
    lock.lock();
  }
  lock.unlock();
  write(SteadyNow());
  lacking_ = sampler.lacking();
}

}  // namespace telltale
