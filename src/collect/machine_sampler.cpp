// SPDX-License-Identifier: Apache-2.0
#include "collect/machine_sampler.h"

#include <chrono>
#include <memory>

#include "collect/clock.h"
#include "collect/monitor_recorder.h"
#include "monitor/monitor.h"
#include "monitor/schedule.h"

namespace telltale {

void MachineSampler::Start(int pid, int64_t interval_ns) {
  thread_ = std::thread([this, pid, interval_ns] { Loop(pid, interval_ns); });
}

void MachineSampler::Stop() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void MachineSampler::Loop(int pid, int64_t interval_ns) {
  MonitorOptions options;
  options.root_pid = pid;
  options.folder = run_folder_.path;
  Monitor monitor(std::move(options));
  const Result<std::unique_ptr<MonitorRecorder>> recorder =
      MonitorRecorder::Create(run_folder_.Monitor(), WallNow());
  if (!recorder) {
    trouble_.Tell("monitor", recorder.error().message);
    return;
  }
  SampleSchedule schedule(MonitorClockNs(), interval_ns);
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const int64_t left_ns = schedule.next_ns() - MonitorClockNs();
    if (left_ns > 0) {
      changed_.wait_for(lock, std::chrono::nanoseconds(left_ns), [this] { return stop_; });
      continue;
    }
    lock.unlock();
    const int64_t now_ns = MonitorClockNs();
    if (schedule.Take(now_ns)) {
      if (looks_for_children_.exchange(false)) monitor.LookForChildren();
      (*recorder)->Add(monitor, monitor.Sample(now_ns), WallNow());
      if (const std::string& problem = (*recorder)->problem(); !problem.empty()) {
        trouble_.Tell("monitor", problem);
      }
    }
    lock.lock();
  }
  lacking_ = monitor.lacking();
}

}  // namespace telltale
