// SPDX-License-Identifier: Apache-2.0
#include "collect/node_records.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collect/files.h"
#include "io/file_gate.h"

namespace telltale {

namespace {

constexpr size_t kMostJson = size_t{16} << 20;

// What says most about the run as a whole comes first.
int Weight(const std::optional<RunStatus>& status) {
  constexpr std::array kOrder = {RunStatus::kRunning, RunStatus::kFailed, RunStatus::kCanceled,
                                 RunStatus::kLost};
  return static_cast<int>(std::ranges::find(kOrder, status.value_or(RunStatus::kLost)) -
                          kOrder.begin());
}

bool HasRankZero(const RunRecord& record) {
  return std::ranges::any_of(record.ranks,
                             [](const RankRecord& rank) { return rank.rank == int64_t{0}; });
}

// Programs that say no rank are all "0": only one of them can be.
std::vector<RankRecord> RanksOf(std::span<const RunRecord> nodes) {
  std::vector<RankRecord> out;
  for (const RunRecord& node : nodes) {
    for (RankRecord rank : node.ranks) {
      const bool is_taken = rank.rank && std::ranges::any_of(out, [&](const RankRecord& other) {
                              return other.rank == rank.rank;
                            });
      if (is_taken) rank.rank.reset();
      out.push_back(std::move(rank));
    }
  }
  std::ranges::stable_sort(out, {},
                           [](const RankRecord& rank) { return rank.rank.value_or(INT64_MAX); });
  return out;
}

}  // namespace

RunRecord JoinedRecord(std::span<const RunRecord> nodes) {
  std::vector<RunRecord> sorted(nodes.begin(), nodes.end());
  std::ranges::stable_sort(sorted, {}, &RunRecord::start_ns);
  RunRecord out = sorted.front();
  out.ranks = RanksOf(sorted);
  out.hosts.clear();
  out.remarks.clear();
  bool is_over = true;
  for (const RunRecord& node : sorted) {
    if (std::ranges::find(out.hosts, node.host) == out.hosts.end()) out.hosts.push_back(node.host);
    is_over = is_over && node.end_ns.has_value();
    out.end_ns = std::max(out.end_ns.value_or(0), node.end_ns.value_or(0));
    if (Weight(node.status) < Weight(out.status)) {
      out.status = node.status;
      out.exit_code = node.exit_code;
      out.signal = node.signal;
    }
    if (out.error.IsNull()) out.error = node.error;
    if (out.script.empty()) out.script = node.script;
    if (!out.git) out.git = node.git;
    for (const auto& [name, version] : node.versions) {
      const auto has = [&](const auto& item) { return item.first == name; };
      if (std::ranges::none_of(out.versions, has)) out.versions.emplace_back(name, version);
    }
    for (const std::string& remark : node.remarks) {
      out.remarks.push_back(fmt::format("{}: {}", node.host, remark));
    }
    if (&node != sorted.data() && node.dropped_spans) {
      out.dropped_spans = out.dropped_spans.value_or(0) + *node.dropped_spans;
    }
  }
  if (!is_over) out.end_ns.reset();
  // Steps are those of rank 0, or of whoever has most.
  const auto zero = std::ranges::find_if(sorted, HasRankZero);
  for (const RunRecord& node : sorted) out.steps = std::max(out.steps, node.steps);
  if (zero != sorted.end() && zero->steps.value_or(0) > 0) out.steps = zero->steps;
  return out;
}

Result<void> WriteJoinedRecord(const RunFolder& folder, bool sync) {
  const std::string nodes = folder.path + "/nodes";
  const FileDescriptor lock(::open((nodes + "/.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock.valid()) return Fail(ErrorCode::kUnwritable, SystemProblem("cannot write", nodes));
  // Where a file system knows no locks, the last one to write still has everything.
  while (::flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  std::vector<RunRecord> records;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(nodes, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (at->path().extension() != ".json") continue;
    const Result<std::string> text = ReadFile(at->path().string(), kMostJson);
    if (!text) continue;  // removed meanwhile
    Result<RunRecord> record = RunRecordFrom(*text);
    if (!record) return tl::unexpected(record.error());
    records.push_back(std::move(*record));
  }
  if (records.empty()) return Fail(ErrorCode::kUnwritable, SystemProblem("cannot read", nodes));
  return WriteWhole(folder.RunJson(), ToJson(JoinedRecord(records)), sync);
}

}  // namespace telltale
