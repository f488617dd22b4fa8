// SPDX-License-Identifier: Apache-2.0
#include "server/run_routes.h"

#include <algorithm>

#include <fmt/format.h>

namespace telltale {

std::string RunDesk::Kept(std::string_view name, uint64_t revision,
                          const std::function<std::string()>& make) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(name);
    if (found != kept_.end() && found->second.revision == revision) return found->second.text;
  }
  std::string text = make();
  const std::lock_guard lock(mutex_);
  kept_[std::string(name)] = {revision, text};
  return text;
}

std::optional<RunDesk::ProfileName> RunDesk::ProfileOf(const Catalogue& catalogue,
                                                       const std::string& path) {
  const std::lock_guard lock(mutex_);
  const uint64_t revision = catalogue.revision();
  if (!knows_profiles_ || revision != catalogue_revision_) {
    profiles_.clear();
    for (const CatalogueEntry& entry : catalogue.Page(0, SIZE_MAX).entries) {
      for (const auto& file : entry.found.files) {
        profiles_[file.path] = {entry.found.id, entry.found.name};
      }
    }
    catalogue_revision_ = revision;
    knows_profiles_ = true;
  }
  const auto found = profiles_.find(path);
  return found == profiles_.end() ? std::nullopt : std::optional(found->second);
}

HttpResponse NoRuns() {
  return ErrorResponse(404, "no_runs", "this server was started without a folder of runs");
}

HttpResponse NoSuchRun() {
  return ErrorResponse(404, "no_such_run",
                       "there is no such run; /api/v1/runs lists those there are");
}

HttpResponse WithRun(const RouteContext& context, std::string_view id, bool raw,
                     const std::function<HttpResponse(const ListedRun&)>& answer) {
  if (context.runs == nullptr) return NoRuns();
  const std::shared_ptr<const RunList> list = context.runs->workspace().runs(raw);
  const ListedRun* const run = list->Find(id);
  return run == nullptr ? NoSuchRun() : answer(*run);
}

std::optional<std::string> PathBelow(const std::string& folder, std::string_view relative) {
  if (relative.find('\0') != std::string_view::npos || relative.starts_with('/')) {
    return std::nullopt;
  }
  for (std::string_view rest = relative; !rest.empty();) {
    const size_t end = std::min(rest.find('/'), rest.size());
    if (rest.substr(0, end) == "..") return std::nullopt;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return relative.empty() ? folder : fmt::format("{}/{}", folder, relative);
}

HttpResponse NoSuchFile() {
  return ErrorResponse(404, "no_such_file", "the run's folder has no such file or folder");
}

std::vector<std::string> Listed(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace telltale
