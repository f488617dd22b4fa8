// SPDX-License-Identifier: Apache-2.0
#include "collect/run_keeper.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "collect/clock.h"
#include "collect/node_records.h"
#include "collect/simple_report.h"

namespace telltale {

namespace {

constexpr size_t kMostJson = size_t{16} << 20;

std::string ArgsOf(const RunFolder& folder) {
  return ReadFile(folder.Args(), kMostJson).value_or(std::string());
}

std::optional<RunStatus> StatusOf(const ProcessFacts& process, bool is_over) {
  if (process.is_alive && !is_over) return RunStatus::kRunning;
  if (process.has_failed || process.exit_code.value_or(0) != 0) return RunStatus::kFailed;
  if (process.is_closed || process.exit_code) return RunStatus::kCompleted;
  return RunStatus::kLost;
}

}  // namespace

std::optional<RunLock> RunLock::Take(const RunFolder& folder, bool waits) {
  FileDescriptor file(
      ::open((folder.Live() + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return std::nullopt;
  while (::flock(file.get(), waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return std::nullopt;
  }
  return RunLock(std::move(file));
}

Result<RunRecord> ReadRunRecord(const RunFolder& folder) {
  const Result<std::string> text = ReadFile(folder.RecordJson(), kMostJson);
  if (!text) return tl::unexpected(text.error());
  return RunRecordFrom(*text);
}

RunKeeper::RunKeeper(RunFolder folder, RunRecord record, Trouble& trouble)
    : folder_(std::move(folder)),
      trouble_(trouble),
      record_(std::move(record)),
      facts_(record_, ArgsOf(folder_)),
      steps_before_(record_.steps) {
  intake_ = std::make_unique<RegionIntake>(folder_, record_.host, facts_, trouble_,
                                           [this] { return Write(false); });
}

uint64_t RunKeeper::Drain() {
  const uint64_t count = intake_->Drain();
  intake_->RemoveFinished();
  if (intake_->has_regions()) {
    record_.steps =
        std::max<int64_t>(steps_before_.value_or(0), static_cast<int64_t>(intake_->steps()));
    if (const uint64_t dropped = intake_->dropped_spans(); dropped > 0) {
      record_.dropped_spans = dropped;
    }
  }
  return count;
}

bool RunKeeper::Write(bool sync) {
  facts_.ApplyTo(record_);
  if (sync) {
    if (const Result<void> summed = WriteSimpleReport(folder_.path + "/profiler"); !summed) {
      trouble_.Tell("simple.txt", summed.error().message);
    }
  }
  std::string args = facts_.Args();
  Result<void> written = {};
  // All members of a joint run have the same; the first writes it.
  if (args != args_ && (folder_.is_first || ArgsOf(folder_).empty())) {
    written = WriteWhole(folder_.Args(), args, false);
    if (written) args_ = std::move(args);
  }
  if (written) {
    RunRecord record = record_;
    if (record.status == RunStatus::kCompleted) record.error = JsonValue();
    for (const std::string& sentence : trouble_.sentences()) record.remarks.push_back(sentence);
    written = WriteWhole(folder_.RecordJson(), ToJson(record), sync);
  }
  if (written && !folder_.member.empty()) written = WriteJoinedRecord(folder_, sync);
  if (!written) trouble_.Tell("run.json", written.error().message + "; the program goes on");
  return written.has_value();
}

void RunKeeper::UpdateRanks(bool is_over) {
  std::vector<RankRecord> ranks;
  for (const ProcessFacts& process : intake_->processes()) {
    if (!process.rank || process.is_worker) continue;
    RankRecord rank;
    rank.rank = process.rank;
    rank.local_rank = process.local_rank;
    rank.host = record_.host;
    rank.pid = static_cast<int64_t>(process.pid);
    rank.status = StatusOf(process, is_over);
    rank.exit_code = process.exit_code;
    // One that is started again after a failure has the place of the earlier one.
    std::erase_if(ranks, [&](const RankRecord& other) { return other.rank == rank.rank; });
    ranks.push_back(std::move(rank));
  }
  if (ranks.empty()) return;
  for (const RankRecord& known : record_.ranks) {
    const auto is_same = [&](const RankRecord& rank) { return rank.rank == known.rank; };
    if (known.pid != record_.pid && std::ranges::none_of(ranks, is_same)) ranks.push_back(known);
  }
  std::ranges::stable_sort(ranks, {}, [](const RankRecord& rank) { return rank.rank; });
  record_.ranks = std::move(ranks);
}

void RunKeeper::JudgeEnd() {
  facts_.ApplyTo(record_);
  int64_t last_ns = record_.start_ns;
  bool failed = false;
  bool ended_well = false;
  for (const ProcessFacts& process : intake_->processes()) {
    last_ns = std::max(last_ns, process.last_wall_ns);
    if (process.is_worker) continue;
    const std::optional<RunStatus> status = StatusOf(process, true);
    failed = failed || status == RunStatus::kFailed;
    ended_well = ended_well || status == RunStatus::kCompleted;
    if (process.exit_code && static_cast<int64_t>(process.pid) == record_.pid) {
      record_.exit_code = process.exit_code;
    }
  }
  record_.status = failed || !record_.error.IsNull() ? RunStatus::kFailed
                   : ended_well                      ? RunStatus::kCompleted
                                                     : RunStatus::kLost;
  if (last_ns > record_.start_ns) record_.end_ns = last_ns;
  for (RankRecord& rank : record_.ranks) {
    if (rank.status == RunStatus::kRunning) rank.status = record_.status;
  }
}

void RunKeeper::RemoveLive() {
  DIR* const folder = ::opendir(folder_.Live().c_str());
  if (folder == nullptr) return;
  bool is_needed = false;
  std::vector<std::string> ours;
  while (const dirent* const entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    is_needed = is_needed || name.ends_with(".ring");
    // Of regions that are gone; the lock last, so that nobody takes it meanwhile.
    if (name == "socket" || name == "first" || name.ends_with(".taken") || name.ends_with(".tmp") ||
        name.starts_with("blob-")) {
      ours.push_back(folder_.Live() + "/" + std::string(name));
    }
  }
  ::closedir(folder);
  if (is_needed) return;
  ours.push_back(folder_.Live() + "/lock");
  for (const std::string& path : ours) ::unlink(path.c_str());
  // What else there may be is not ours, and stays.
  ::rmdir(folder_.Live().c_str());
}

}  // namespace telltale
