// SPDX-License-Identifier: Apache-2.0
#include "runs/find_logs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "base/digits.h"
#include "io/folder_entries.h"
#include "runs/trace_name.h"

namespace telltale {

namespace {

constexpr int kDeepest = 3;
constexpr size_t kMostEntries = 20'000;
constexpr size_t kMostLogs = 1000;

bool IsLogName(std::string_view name) {
  constexpr std::array<std::string_view, 4> kEndings = {".log", ".txt", ".out", ".err"};
  constexpr std::array<std::string_view, 4> kSettings = {"args.txt", "experiment_summary.txt",
                                                         "requirements.txt", "CMakeLists.txt"};
  if (std::ranges::find(kSettings, name) != kSettings.end()) return false;
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
}

bool IsPassedOver(std::string_view name) {
  return name.starts_with('.') || name == "__pycache__" || name == "node_modules" ||
         name == "site-packages" || name == "checkpoints";
}

class LogSearch {
 public:
  LogSearch(std::string folder, const FileGate& gate) : folder_(std::move(folder)), gate_(gate) {}

  // NOLINTNEXTLINE(misc-no-recursion): kDeepest levels
  void Look(const std::string& below, int depth) {
    const std::string here = below.empty() ? folder_ : fmt::format("{}/{}", folder_, below);
    if (!gate_.Allows(here)) return;
    std::error_code error;
    FolderEntries entries(here, error);
    if (error) return;
    std::vector<std::string> folders;
    std::vector<FoundLog> logs;
    bool is_other_run = false;
    while (entries.Next(error) && seen_ < kMostEntries) {
      ++seen_;
      const std::string name(entries.name());
      const std::string path = below.empty() ? name : fmt::format("{}/{}", below, name);
      if (entries.is_folder()) {
        // Links to folders may go in circles, and lead to what others own.
        if (depth < kDeepest && !entries.is_link() && !IsPassedOver(name)) folders.push_back(path);
        continue;
      }
      is_other_run = is_other_run || (depth > 0 && name == "run.json");
      if (!IsLogName(name)) continue;
      const std::string whole = fmt::format("{}/{}", folder_, path);
      if (entries.is_link() && !gate_.Allows(whole)) continue;
      if (const std::optional<FileStamp> stamp = StampOf(whole)) {
        logs.push_back({path, RankInPath(path), *stamp});
      }
    }
    if (is_other_run) return;
    for (FoundLog& log : logs) {
      if (found_.size() < kMostLogs) found_.push_back(std::move(log));
    }
    for (const std::string& folder : folders) Look(folder, depth + 1);
  }

  [[nodiscard]] std::vector<FoundLog> Take() && {
    std::ranges::sort(found_, [](const FoundLog& a, const FoundLog& b) {
      const auto order = [](const FoundLog& log) {
        const int kind = log.path == "logs/driver.log" ? 0 : log.rank ? 1 : 2;
        return std::tuple(kind, log.rank.value_or(0));
      };
      if (order(a) != order(b)) return order(a) < order(b);
      return NaturalOrder(a.path, b.path) < 0;
    });
    return std::move(found_);
  }

 private:
  std::string folder_;
  const FileGate& gate_;
  size_t seen_ = 0;
  std::vector<FoundLog> found_;
};

}  // namespace

std::optional<int64_t> RankInPath(std::string_view path) {
  for (size_t at = path.rfind("rank"); at != std::string_view::npos && at < path.size();
       at = at == 0 ? std::string_view::npos : path.rfind("rank", at - 1)) {
    if (at > 0 && path[at - 1] != '/' && path[at - 1] != '_' && path[at - 1] != '-' &&
        path[at - 1] != '.') {
      continue;
    }
    std::string_view rest = path.substr(at + 4);
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '_')) rest.remove_prefix(1);
    int64_t rank = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), rank);
    if (error == std::errc() && rank >= 0) return rank;
  }
  return std::nullopt;
}

std::vector<FoundLog> FindLogs(const std::string& folder, const FileGate& gate) {
  LogSearch search(folder, gate);
  search.Look("", 0);
  return std::move(search).Take();
}

}  // namespace telltale
