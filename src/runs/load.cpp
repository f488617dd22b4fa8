// SPDX-License-Identifier: Apache-2.0
#include "runs/load.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "io/byte_source.h"
#include "runs/discover.h"

namespace telltale {

Result<std::vector<InputFile>> FindInputs(std::span<const std::string> paths,
                                          FolderContent wanted) {
  Discovery discovery = Discover(paths, wanted);
  if (!discovery.failures.empty()) return tl::unexpected(std::move(discovery.failures.front()));
  for (const InputFile& file : discovery.files) {
    // Opening a pipe would take bytes from it.
    std::error_code error;
    if (std::filesystem::exists(file.path, error) &&
        !std::filesystem::is_regular_file(file.path, error)) {
      continue;
    }
    if (file.path == "-") continue;
    if (auto source = OpenSource(file.path, {}); !source) {
      return tl::unexpected(std::move(source.error()));
    }
  }
  return std::move(discovery.files);
}

Result<Subject> LoadWanted(std::span<const std::string> paths, const LoadOptions& options,
                           FolderContent wanted) {
  if (paths.empty()) return Fail(ErrorCode::kUsage, "expected a trace file or a folder of traces");
  Discovery discovery = Discover(paths, options.series ? FolderContent::kAll : wanted);
  Result<Subject> subject = LoadFiles(discovery.files, std::move(discovery.failures), options);
  if (!subject) return subject;
  for (const std::string& path : paths) subject->name += (&path == paths.data() ? "" : ", ") + path;
  subject->notes = std::move(discovery.notes);
  return subject;
}

Result<Subject> LoadTraces(std::span<const std::string> paths, const LoadOptions& options) {
  return LoadWanted(paths, options, FolderContent::kProfiles);
}

}  // namespace telltale
