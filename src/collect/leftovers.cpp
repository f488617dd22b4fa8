// SPDX-License-Identifier: Apache-2.0
#include "collect/leftovers.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "collect/announcements.h"
#include "collect/clock.h"
#include "collect/machine_sampler.h"
#include "collect/run_keeper.h"
#include "collect/run_name.h"
#include "runs/process.h"

namespace telltale {

namespace {

// Folders that are looked at below a root: a tree with more is no folder of runs.
constexpr size_t kMostFolders = 100'000;
constexpr int64_t kStartSeconds = 60;  // from a run's folder to its program, on a busy machine

bool IsAlive(const RunRecord& record) {
  if (record.pid == 0 || record.host != HostName()) return false;
  constexpr int64_t kSlackNs = 5'000'000'000;  // the clock of the machine's start is that good
  const std::optional<int64_t> start = ProcessStart(record.pid);
  return start && *start <= record.start_ns + kSlackNs;
}

RunRecord NewRecord(const RunFolder& folder) {
  RunRecord record;
  record.id = MakeRunId();
  record.name = std::filesystem::path(folder.path).filename().string();
  record.host = HostName();
  record.user_id = ::getuid();
  record.start_ns = WallNow();
  record.recorded = {"monitor"};
  return record;
}

// The run in the folder, for each of its collectors that has left something.
std::vector<RunFolder> LiveFolders(const std::filesystem::path& folder) {
  constexpr std::string_view kLive = ".live";
  std::vector<RunFolder> out;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    if (!name.starts_with(kLive) || !at->is_directory(ignored)) continue;
    if (name == kLive) out.push_back({folder.string(), {}, true});
    if (name.starts_with(".live-")) {
      RunFolder& member = out.emplace_back(RunFolder{folder.string(), name.substr(6), true});
      member.is_first = std::filesystem::exists(member.FirstMark(), ignored);
    }
  }
  return out;
}

std::optional<Leftover> BringIn(const RunFolder& folder) {
  struct stat state = {};
  // Another user's processes are another user's business.
  if (::stat(folder.Live().c_str(), &state) != 0 || state.st_uid != ::getuid()) return std::nullopt;
  const std::optional<RunLock> lock = RunLock::Take(folder, false);
  if (!lock) return std::nullopt;
  Result<RunRecord> record = ReadRunRecord(folder);
  Leftover out;
  out.folder = folder.path;
  Trouble trouble({});
  RunKeeper keeper(folder, record ? std::move(*record) : NewRecord(folder), trouble);
  const std::optional<RunStatus> before = keeper.record().status;
  const uint64_t count = keeper.Drain();
  // A run that is being started has its folder before its collector has the lock.
  const bool is_young = WallNow() / 1'000'000'000 - state.st_mtime < kStartSeconds;
  if (!record && count == 0 && !keeper.intake().has_regions() && is_young) return std::nullopt;
  const bool is_alive = IsAlive(keeper.record()) || keeper.intake().is_anyone_alive();
  const bool is_over = !is_alive && before == RunStatus::kRunning;
  keeper.UpdateRanks(!is_alive);
  if (is_over) {
    keeper.JudgeEnd();
    keeper.record().remarks.emplace_back(
        "the collector was killed; what it left was brought in later");
  }
  if (count == 0 && !is_over && is_alive) return std::nullopt;
  if ((count > 0 || is_over) && !keeper.Write(true)) {
    out.problems = trouble.sentences();
    return out;
  }
  if (!is_alive) {
    keeper.RemoveLive();
    out.status = keeper.record().status;
  }
  out.records = count;
  out.problems = trouble.sentences();
  if (count == 0 && !is_over) return std::nullopt;
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): two levels
void Look(const std::filesystem::path& folder, int levels, size_t& looked,
          std::vector<Leftover>& out) {
  std::error_code problem;
  const std::vector<RunFolder> live = LiveFolders(folder);
  for (const RunFolder& run : live) {
    if (std::optional<Leftover> leftover = BringIn(run)) out.push_back(std::move(*leftover));
  }
  if (!live.empty() || levels == 0) return;
  for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (++looked > kMostFolders) return;
    std::error_code ignored;
    if (at->path().filename().string().starts_with('.')) continue;
    if (at->is_directory(ignored)) Look(at->path(), levels - 1, looked, out);
  }
}

}  // namespace

std::vector<Leftover> BringInRun(const std::string& run_folder) {
  std::vector<Leftover> out;
  for (const RunFolder& folder : LiveFolders(run_folder)) {
    if (std::optional<Leftover> leftover = BringIn(folder)) out.push_back(std::move(*leftover));
  }
  return out;
}

std::vector<Leftover> BringInLeftovers(std::span<const std::string> roots) {
  std::vector<Leftover> out;
  for (const std::string& root : roots) {
    size_t looked = 0;
    Look(root, 2, looked, out);
  }
  return out;
}

std::string Describe(const Leftover& leftover) {
  const std::string name = std::filesystem::path(leftover.folder).filename().string();
  if (!leftover.problems.empty()) {
    return fmt::format(
        "{}: its collector was killed, and what it left cannot be brought in yet: {}", name,
        leftover.problems.front());
  }
  return fmt::format("{}: its collector was killed; {} record{} brought in, {}", name,
                     leftover.records, leftover.records == 1 ? "" : "s",
                     leftover.status ? fmt::format("the run is {}", NameOf(*leftover.status))
                                     : "the program still runs");
}

bool CollectAlone(const std::string& run_folder) {
  std::error_code problem;
  RunFolder folder;
  folder.path = std::filesystem::absolute(run_folder, problem).string();
  if (problem || (::mkdir(folder.Live().c_str(), 0700) != 0 && errno != EEXIST)) return false;
  for (const std::string_view part : {"/events", "/monitor", "/profiler"}) {
    ::mkdir((folder.path + std::string(part)).c_str(), 0755);
  }
  const std::optional<RunLock> lock = RunLock::Take(folder, false);
  if (!lock) return true;  // somebody else collects
  Result<RunRecord> record = ReadRunRecord(folder);
  Trouble trouble({});
  RunKeeper keeper(folder, record ? std::move(*record) : NewRecord(folder), trouble);
  Announcements announcements(folder.Live());
  MachineSampler sampler(folder, trouble);
  constexpr int kTickMs = 150;
  constexpr int64_t kPatienceNs = 10'000'000'000;  // for the first process
  const int64_t begun_ns = SteadyNow();
  bool had_any = false;
  for (;;) {
    keeper.Drain();
    const bool is_alive = keeper.intake().is_anyone_alive();
    if (is_alive && !had_any) {
      had_any = true;
      const std::vector<ProcessFacts> processes = keeper.intake().processes();
      keeper.record().pid = static_cast<int64_t>(processes.front().pid);
      keeper.record().status = RunStatus::kRunning;
      keeper.record().ranks = {
          {0, 0, keeper.record().host, keeper.record().pid, RunStatus::kRunning, {}, {}}};
      keeper.UpdateRanks(false);
      keeper.Write(false);
      sampler.Start(static_cast<int>(keeper.record().pid), 1'000'000'000);
    }
    if (!is_alive &&
        (had_any || keeper.intake().has_regions() || SteadyNow() - begun_ns > kPatienceNs)) {
      break;
    }
    announcements.Wait(kTickMs);
  }
  sampler.Stop();
  keeper.UpdateRanks(true);
  keeper.JudgeEnd();
  if (!keeper.record().end_ns) keeper.record().end_ns = WallNow();
  const bool written = keeper.Write(true);
  keeper.RemoveLive();
  return written;
}

}  // namespace telltale
