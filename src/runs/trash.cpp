// SPDX-License-Identifier: Apache-2.0
#include "runs/trash.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace telltale {

namespace fs = std::filesystem;

namespace {

bool IsInside(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

tl::unexpected<Error> CannotMove(const fs::path& from, const std::error_code& error) {
  return Fail(ErrorCode::kUnwritable,
              fmt::format("{} cannot be moved: {}", from.string(), error.message()));
}

}  // namespace

Result<Trashed> Trash::Put(const FoundRun& run, const std::vector<std::string>& others,
                           std::string_view id) const {
  // Files of a folder that may not be written, and databases, stay.
  const bool is_store = run.kind == RunKind::kTrackio || run.path.empty() || run.parts.empty() ||
                        !fs::is_directory(run.path);
  if (is_store || !sidecar_.beside_logs()) return Trashed();
  const bool is_root = fs::path(run.path).lexically_relative(root_.path) == ".";
  const bool has_others = std::ranges::any_of(
      others, [&](const std::string& other) { return IsInside(other, run.path); });
  std::error_code error;
  const fs::path trash = fs::path(sidecar_.Folder()) / "trash";
  fs::create_directories(trash, error);
  if (error) return CannotMove(run.path, error);
  // A run may be deleted, made again and deleted again.
  std::string folder(id);
  for (int i = 2; fs::exists(trash / folder, error); ++i) folder = fmt::format("{}-{}", id, i);
  if (!is_root && !has_others) {
    fs::rename(run.path, trash / folder, error);
    if (error) return CannotMove(run.path, error);
    return Trashed{folder, "."};
  }
  fs::create_directories(trash / folder, error);
  if (error) return CannotMove(run.path, error);
  Trashed done{folder, {}};
  for (const FoundPart& part : run.parts) {
    const fs::path name = fs::path(part.path).filename();
    fs::rename(part.path, trash / folder / name, error);
    if (error) {
      // All or nothing.
      (void)Restore(fs::path(run.path).lexically_relative(root_.path).string(), done);
      return CannotMove(part.path, error);
    }
    done.moved += name.string() + "\n";
  }
  return done;
}

Result<void> Trash::Restore(const std::string& relative, const Trashed& trashed) const {
  const fs::path from = fs::path(sidecar_.Folder()) / "trash" / trashed.folder;
  const fs::path to = (fs::path(root_.path) / relative).lexically_normal();
  const auto taken = [](const fs::path& path) {
    return Fail(
        ErrorCode::kUnwritable,
        fmt::format("{} is there again: move it away before the run is restored", path.string()));
  };
  // The sidecar may be somebody else's.
  if (fs::path(trashed.folder).filename() != fs::path(trashed.folder) || trashed.folder == ".." ||
      fs::path(relative).is_absolute() ||
      std::ranges::any_of(fs::path(relative), [](const fs::path& part) { return part == ".."; })) {
    return Fail(ErrorCode::kUnwritable, "the run's place is outside the log folder");
  }
  std::error_code error;
  if (trashed.moved == ".") {
    if (fs::exists(to, error)) return taken(to);
    fs::create_directories(to.parent_path(), error);
    fs::rename(from, to, error);
    if (error) return CannotMove(from, error);
    return {};
  }
  fs::create_directories(to, error);
  std::string_view rest = trashed.moved;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    // A name, whatever the sidecar says: nothing leads out of the two folders.
    const fs::path name = fs::path(rest.substr(0, end)).filename();
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (name.empty()) continue;
    if (fs::exists(to / name, error)) return taken(to / name);
    fs::rename(from / name, to / name, error);
    if (error) return CannotMove(from / name, error);
  }
  fs::remove(from, error);
  return {};
}

}  // namespace telltale
