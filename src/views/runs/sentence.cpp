// SPDX-License-Identifier: Apache-2.0
#include "views/runs/sentence.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include <fmt/format.h>

#include "model/run.h"
#include "views/render/display.h"

namespace telltale {

namespace {

constexpr size_t kNameWidth = 40;

std::string Counted(size_t count) { return FormatCount(static_cast<int64_t>(count)); }

// ": 2 running, 9 completed"; empty where no files say how their runs ended.
std::string Statuses(std::span<const RunRow> rows) {
  std::array<size_t, kRunStatusCount> counts{};
  for (const RunRow& row : rows) {
    if (row.run->info.status) ++counts[static_cast<size_t>(*row.run->info.status)];
  }
  // What may want somebody first.
  constexpr std::array kOrder = {RunStatus::kRunning, RunStatus::kFailed,    RunStatus::kLost,
                                 RunStatus::kQueued,  RunStatus::kCompleted, RunStatus::kCanceled};
  std::string out;
  for (const RunStatus status : kOrder) {
    const size_t count = counts[static_cast<size_t>(status)];
    if (count == 0) continue;
    std::string name(NameOf(status));
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    out += fmt::format("{} {} {}", out.empty() ? ":" : ",", Counted(count), name);
  }
  return out;
}

}  // namespace

std::string RunsSentence(std::span<const RunRow> rows, size_t all, const OutputStyle& style) {
  if (all == 0) return "No runs found.";
  if (rows.empty()) return fmt::format("None of the {} runs is left.", Counted(all));
  std::string out = rows.size() == all
                        ? fmt::format("{} {}", Counted(all), all == 1 ? "run" : "runs")
                        : fmt::format("{} of {} runs", Counted(rows.size()), Counted(all));
  out += Statuses(rows);
  const auto newest = std::ranges::max_element(
      rows, {}, [](const RunRow& row) { return row.run->info.start_ns.value_or(INT64_MIN); });
  if (const ListedRun& run = *newest->run; run.info.start_ns) {
    const std::string name = ShortenMiddle(
        Printable(run.title.value_or(run.info.name), style.unicode), kNameWidth, style.unicode);
    out += fmt::format("{} began {} UTC", all == 1 ? "; it" : "; the newest, " + name + ",",
                       MomentText(*run.info.start_ns));
    if (run.duration_ns && run.info.status != RunStatus::kRunning) {
      out += fmt::format(" and took {}", LongDuration(*run.duration_ns, style));
    }
  }
  return out + ".";
}

}  // namespace telltale
