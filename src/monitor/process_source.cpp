// SPDX-License-Identifier: Apache-2.0
#include "monitor/process_source.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "io/folder_entries.h"
#include "monitor/cpu_source.h"
#include "monitor/text_cursor.h"

namespace telltale {

namespace {

constexpr int64_t kSecond = 1'000'000'000;
// Looking for children may take this share of the time. At first they are looked for more often: a
// training starts most of them soon, and a short one must not miss them.
constexpr int64_t kScanShare = 75'000;
constexpr int64_t kScanShareOfAge = 10;
constexpr int64_t kScanAtLeastEvery = 60 * kSecond;
// Numbers are given in turn: before one is given again, all the others were. Half a turn later
// everyone is asked again, and not only who is new.
constexpr uint64_t kUsualNumbers = 32'768;
// smaps_rollup walks all pages under the lock that page faults of the training want.
constexpr int64_t kPssShare = 75'000;
constexpr int64_t kPssEvery = 30 * kSecond;
// Two files each; a program may have 1024 without asking.
constexpr size_t kMostKept = 200;

// What a piece of work took, not what time it is.
int64_t WorkClock() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * kSecond + now.tv_nsec;
}

// 0: it could be read, but was no longer what it should be.
bool IsGone(int error) {
  return error == 0 || error == ENOENT || error == ESRCH || error == ENOTDIR;
}

}  // namespace

ProcessSource::ProcessSource(const SourceSetup& setup, int root, const CpuSource& cpu,
                             int64_t now_ns)
    : proc_root_(setup.proc_root),
      buffer_(setup.buffer),
      lacking_(setup.lacking),
      cpu_(cpu),
      root_(root),
      ticks_per_second_(static_cast<double>(::sysconf(_SC_CLK_TCK))),
      page_bytes_(static_cast<double>(::sysconf(_SC_PAGESIZE))) {
  KeptFile file;
  Stat stat;
  if (!ReadStat(file, root_, stat)) {
    lacking_.push_back(
        fmt::format("no process {} to watch: {}/{}/stat cannot be read", root_, proc_root_, root_));
    return;
  }
  cpu_percent_ = setup.readings.Add(Metric::kProcessCpu);
  cpu_seconds_ = setup.readings.Add(Metric::kProcessCpuSeconds);
  rss_ = setup.readings.Add(Metric::kProcessRss);
  pss_ = setup.readings.Add(Metric::kProcessPss);
  count_ = setup.readings.Add(Metric::kProcessCount);
  threads_ = setup.readings.Add(Metric::kProcessThreads);
  read_ = setup.readings.Add(Metric::kProcessRead);
  written_ = setup.readings.Add(Metric::kProcessWritten);
  faults_ = setup.readings.Add(Metric::kProcessMajorFaults);

  KeptFile uptime(proc_root_ + "/uptime");
  if (std::string_view seconds_text; uptime.Read(buffer_, seconds_text)) {
    TextCursor cursor(seconds_text);
    double seconds = static_cast<double>(cursor.Number());
    if (cursor.Take(".")) seconds += static_cast<double>(cursor.Number()) / 100;  // two digits
    base_ticks_ = static_cast<uint64_t>(seconds * ticks_per_second_);
  }
  root_leads_group_ = stat.group == root_;
  root_leads_session_ = stat.session == root_;
  Adopt(root_, stat, true);
  KeptFile numbers(proc_root_ + "/sys/kernel/pid_max");
  std::string_view text;
  half_a_turn_ = (numbers.Read(buffer_, text) ? TextCursor(text).Number() : kUsualNumbers) / 2;
  forks_ = cpu_.forks();
  Scan(true);
  began_ns_ = next_scan_ns_ = now_ns;
  next_full_scan_forks_ = forks_ + half_a_turn_;
  for (Process& process : processes_) ReadDisk(process, process.read_bytes, process.written_bytes);
  ListPids();
}

std::string ProcessSource::PathOf(int pid, std::string_view file) const {
  return fmt::format("{}/{}/{}", proc_root_, pid, file);
}

// pid (command) state parent group session tty tpgid flags minflt cminflt majflt cmajflt utime
// stime cutime cstime priority nice threads itreal start vsize rss …; the command is whatever the
// process says, brackets and newlines included, so that its end is the last bracket.
bool ProcessSource::Parse(std::string_view text, Stat& stat) {
  const size_t bracket = text.rfind(')');
  if (bracket == std::string_view::npos) return false;
  TextCursor cursor(text.substr(bracket + 1));
  const std::string_view state = cursor.Word();
  stat.is_zombie = state == "Z" || state == "X";
  stat.parent = static_cast<int>(cursor.Number());
  stat.group = static_cast<int>(cursor.Number());
  stat.session = static_cast<int>(cursor.Number());
  cursor.SkipWords(5);
  stat.major_faults = cursor.Number();
  cursor.SkipWords(1);
  stat.own_ticks = cursor.Number();
  stat.own_ticks += cursor.Number();
  stat.waited_ticks = cursor.Number();
  stat.waited_ticks += cursor.Number();
  cursor.SkipWords(2);
  stat.threads = cursor.Number();
  cursor.SkipWords(1);
  stat.start_ticks = cursor.Number();
  cursor.SkipWords(1);
  if (cursor.at_end()) return false;
  stat.resident_pages = cursor.Number();
  return true;
}

bool ProcessSource::ReadStat(KeptFile& file, int pid, Stat& stat) {
  if (!file.valid() && !file.Open(PathOf(pid, "stat"))) return false;
  std::string_view text;
  return file.Read(buffer_, text) && Parse(text, stat);
}

void ProcessSource::ReadDisk(Process& process, uint64_t& read_bytes, uint64_t& written_bytes) {
  if (!process.io_file.valid()) {
    if (said_no_disk_) return;
    if (!process.io_file.Open(PathOf(process.pid, "io"))) {
      if (IsGone(process.io_file.error()) && !process.has_ended && process.pid != root_) return;
      said_no_disk_ = true;
      lacking_.push_back(fmt::format(
          "no disk traffic of the processes: {} cannot be read; who owns them may read it",
          PathOf(process.pid, "io")));
      return;
    }
  }
  std::string_view text;
  if (!process.io_file.Read(buffer_, text)) return;
  TextCursor cursor(text);
  if (cursor.SkipBehind("\nread_bytes:")) read_bytes = cursor.Number();
  if (cursor.SkipBehind("\nwrite_bytes:")) written_bytes = cursor.Number();
}

ProcessSource::Process* ProcessSource::Find(int pid) {
  const auto found = std::ranges::find(processes_, pid, &Process::pid);
  return found == processes_.end() ? nullptr : &*found;
}

bool ProcessSource::IsOurs(const Stat& stat) {
  if (root_leads_group_ && stat.group == root_) return true;
  if (root_leads_session_ && stat.session == root_) return true;
  return Find(stat.parent) != nullptr;
}

void ProcessSource::Adopt(int pid, const Stat& stat, bool counts_from_now) {
  Process& process = processes_.emplace_back();
  process.pid = pid;
  process.keeps_files = processes_.size() <= kMostKept;
  process.stat = stat;
  if (!counts_from_now) {
    process.stat.own_ticks = 0;
    process.stat.waited_ticks = 0;
    process.stat.major_faults = 0;
  }
}

void ProcessSource::Scan(bool all) {
  std::error_code error;
  FolderEntries entries(proc_root_, error);
  listing_.clear();
  while (!error && entries.Next(error)) {
    const std::string_view name = entries.name();
    int pid = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (problem == std::errc() && end == name.data() + name.size()) listing_.push_back(pid);
  }
  std::ranges::sort(listing_);
  struct Candidate {
    int pid = 0;
    Stat stat;
  };
  std::vector<Candidate> candidates;
  for (const int pid : listing_) {
    if (!all && std::ranges::binary_search(listed_, pid)) continue;
    if (Find(pid) != nullptr) continue;
    Candidate candidate{pid, {}};
    KeptFile file;
    if (ReadStat(file, pid, candidate.stat)) candidates.push_back(candidate);
  }
  // A child may have a smaller number than its parent, where numbers began again.
  for (bool found = true; found;) {
    found = false;
    std::erase_if(candidates, [&](const Candidate& candidate) {
      if (!IsOurs(candidate.stat)) return false;
      Adopt(candidate.pid, candidate.stat, candidate.stat.start_ticks < base_ticks_);
      found = true;
      return true;
    });
  }
  std::swap(listed_, listing_);
}

void ProcessSource::ScanWhenDue(const MonitorTick& tick) {
  if (tick.now_ns < next_scan_ns_) return;
  if (forks_ == cpu_.forks() && forks_ != 0) return;
  forks_ = cpu_.forks();
  const bool is_full = forks_ >= next_full_scan_forks_ || forks_ == 0;
  const int64_t began = WorkClock();
  Scan(is_full);
  const int64_t by_age = std::max(kSecond, (tick.now_ns - began_ns_) / kScanShareOfAge);
  next_scan_ns_ =
      tick.now_ns + std::min({kScanAtLeastEvery, by_age, kScanShare * (WorkClock() - began)});
  if (is_full) next_full_scan_forks_ = forks_ + half_a_turn_;
}

bool ProcessSource::Update(Process& process, Sums& sums) {
  Stat stat;
  process.waited_growth = 0;
  if (!ReadStat(process.stat_file, process.pid, stat)) {
    return !IsGone(process.stat_file.error());  // no file may be free just now
  }
  if (stat.start_ticks != process.stat.start_ticks) return false;  // another one with its number
  uint64_t read_bytes = process.read_bytes;
  uint64_t written_bytes = process.written_bytes;
  if (!stat.is_zombie) ReadDisk(process, read_bytes, written_bytes);
  sums.ticks += Growth(stat.own_ticks, process.stat.own_ticks);
  process.waited_growth = Growth(stat.waited_ticks, process.stat.waited_ticks);
  sums.faults += Growth(stat.major_faults, process.stat.major_faults);
  sums.read_bytes += Growth(read_bytes, process.read_bytes);
  sums.written_bytes += Growth(written_bytes, process.written_bytes);
  sums.pages += stat.resident_pages;
  sums.threads += stat.threads;
  process.stat = stat;
  process.read_bytes = read_bytes;
  process.written_bytes = written_bytes;
  if (!process.keeps_files) {
    process.stat_file.Close();
    process.io_file.Close();
  }
  return true;
}

// What ended processes had used was counted while they lived. When they are waited for it shows up
// a second time, as waited_ticks of the next ancestor that is still there.
void ProcessSource::CarryEnded() {
  for (const Process& ended : processes_) {
    if (!ended.has_ended) continue;
    Process* heir = Find(ended.stat.parent);
    // As many steps as there are processes: numbers that were given anew could lead in a circle.
    for (size_t i = 0; heir != nullptr && heir->has_ended && i < processes_.size(); ++i) {
      heir = Find(heir->stat.parent);
    }
    if (heir != nullptr && !heir->has_ended) {
      heir->carried_ticks += ended.stat.own_ticks + ended.stat.waited_ticks;
    }
  }
}

void ProcessSource::Sample(const MonitorTick& tick, Readings& readings) {
  if (processes_.empty() && total_ticks_ == 0 && pids_.empty()) return;
  ScanWhenDue(tick);
  Sums sums;
  bool any_ended = false;
  for (Process& process : processes_) {
    process.has_ended = !Update(process, sums);
    any_ended |= process.has_ended;
  }
  if (any_ended) CarryEnded();
  for (Process& process : processes_) {
    sums.ticks += process.waited_growth - std::min(process.waited_growth, process.carried_ticks);
    process.carried_ticks = 0;
  }
  if (any_ended) std::erase_if(processes_, [](const Process& p) { return p.has_ended; });
  ListPids();

  total_ticks_ += sums.ticks;
  const double cpu_percent =
      100 * static_cast<double>(sums.ticks) / ticks_per_second_ / tick.elapsed_s;
  // Of processes found late more is counted than went by since the last sample.
  const uint32_t cores = cpu_.online_cores();
  readings.Put(cpu_percent_, cores == 0 ? cpu_percent : std::min(cpu_percent, 100.0 * cores));
  readings.Put(cpu_seconds_, static_cast<double>(total_ticks_) / ticks_per_second_);
  // Of those that have ended and were not waited for yet there are times, but nothing else.
  const bool only_zombies =
      !processes_.empty() &&
      std::ranges::all_of(processes_, [](const Process& p) { return p.stat.is_zombie; });
  if (!only_zombies) readings.Put(rss_, static_cast<double>(sums.pages) * page_bytes_);
  readings.Put(count_, static_cast<double>(processes_.size()));
  if (!only_zombies) readings.Put(threads_, static_cast<double>(sums.threads));
  readings.Put(faults_, static_cast<double>(sums.faults) / tick.elapsed_s);
  if (!said_no_disk_) {
    readings.Put(read_, static_cast<double>(sums.read_bytes) / tick.elapsed_s);
    readings.Put(written_, static_cast<double>(sums.written_bytes) / tick.elapsed_s);
  }
  SamplePss(tick, readings);
}

void ProcessSource::SamplePss(const MonitorTick& tick, Readings& readings) {
  if (!tick.is_slow || tick.now_ns < next_pss_ns_ || said_no_pss_) return;
  const int64_t began = WorkClock();
  double bytes = 0;
  size_t read = 0;
  for (const Process& process : processes_) {
    KeptFile file(PathOf(process.pid, "smaps_rollup"));
    std::string_view text;
    if (!file.Read(buffer_, text)) {
      if (IsGone(file.error())) continue;
      said_no_pss_ = true;
      lacking_.push_back(
          fmt::format("no pss_bytes: {} cannot be read", PathOf(process.pid, "smaps_rollup")));
      return;
    }
    TextCursor cursor(text);
    if (!cursor.SkipBehind("\nPss:")) continue;  // a zombie has none
    bytes += static_cast<double>(cursor.Number()) * 1024;
    ++read;
  }
  next_pss_ns_ = tick.now_ns + std::max(kPssEvery, kPssShare * (WorkClock() - began));
  if (read > 0) readings.Put(pss_, bytes);
}

void ProcessSource::ListPids() {
  pids_.clear();
  for (const Process& process : processes_) pids_.push_back(process.pid);
  std::ranges::sort(pids_);
}

}  // namespace telltale
