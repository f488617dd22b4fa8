// SPDX-License-Identifier: Apache-2.0
#include "runs/root.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace telltale {

namespace fs = std::filesystem;

Result<Root> MakeRoot(std::string name, const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error == std::errc::no_such_file_or_directory) {
    return Fail(ErrorCode::kUnreadable, fmt::format("{} does not exist: check the path", path));
  }
  if (error) {
    return Fail(ErrorCode::kUnreadable,
                fmt::format("{} cannot be opened: {}; name a profile, or a folder that holds some",
                            path, error.message()));
  }
  Root root;
  root.path = path;
  root.real = real.string();
  root.is_folder = fs::is_directory(real, error);
  if (!root.is_folder && !fs::is_regular_file(real, error)) {
    return Fail(ErrorCode::kUnreadable, fmt::format("{} is neither a file nor a folder", path));
  }
  root.is_named = !name.empty();
  if (name.empty()) {
    // A file is called after its folder: files named together belong together.
    name = (root.is_folder ? real : real.parent_path()).filename().string();
  }
  root.name = std::move(name);
  return root;
}

Result<Root> AwaitRoot(std::string name, const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) || error) return MakeRoot(std::move(name), path);
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) return MakeRoot(std::move(name), path);
  Root root;
  root.path = path;
  root.real = (real.has_filename() ? real : real.parent_path()).string();
  root.is_folder = true;
  root.is_named = !name.empty();
  root.name = name.empty() ? fs::path(root.real).filename().string() : std::move(name);
  return root;
}

FileGate GateTo(const std::vector<Root>& roots) {
  std::vector<FileGate::Root> opened;
  for (const Root& root : roots) opened.push_back({root.real, root.is_folder});
  return FileGate(std::move(opened));
}

}  // namespace telltale
