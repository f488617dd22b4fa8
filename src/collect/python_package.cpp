// SPDX-License-Identifier: Apache-2.0
#include "collect/python_package.h"

#include <array>
#include <filesystem>
#include <system_error>

namespace telltale {

std::string OwnProgram() {
  std::error_code problem;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", problem);
  return problem ? std::string() : path.string();
}

std::string FindInjector(std::string_view override_folder, const std::string& program) {
  const auto inject_in = [](const std::filesystem::path& folder) -> std::string {
    std::error_code problem;
    const std::filesystem::path inject = (folder / "telltale" / "_inject").lexically_normal();
    const bool there = std::filesystem::is_regular_file(inject / "sitecustomize.py", problem);
    return there ? inject.string() : std::string();
  };
  if (!override_folder.empty()) return inject_in(std::filesystem::absolute(override_folder));
  const std::filesystem::path folder = std::filesystem::path(program).parent_path();
  // Installed, also by a wheel; in a build (build/NAME/bin/telltale), where the package lies with
  // its native module.
  constexpr std::array<std::string_view, 2> kPlaces = {"../lib/telltale/python", "../python"};
  for (const std::string_view place : kPlaces) {
    std::string found = inject_in(folder / place);
    if (!found.empty()) return found;
  }
  return {};
}

void PrependPythonPath(Environment& environment, std::string_view folder) {
  const std::string_view before = environment.Get("PYTHONPATH");
  std::string value(folder);
  if (!before.empty()) {
    value += ':';
    value += before;
  }
  environment.Set("PYTHONPATH", value);
}

}  // namespace telltale
