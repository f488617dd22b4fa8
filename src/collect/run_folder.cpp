// SPDX-License-Identifier: Apache-2.0
#include "collect/run_folder.h"

#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "collect/clock.h"
#include "collect/files.h"
#include "collect/run_name.h"

namespace telltale {

Result<RunFolder> MakeRunFolder(const std::string& root, std::string_view name, int64_t start_ns) {
  std::error_code problem;
  const std::filesystem::path absolute = std::filesystem::absolute(root, problem);
  if (!problem) std::filesystem::create_directories(absolute, problem);
  if (problem) {
    return Fail(ErrorCode::kUnwritable,
                fmt::format("the folder for runs cannot be made: {}: {}; name another one with "
                            "--root",
                            root, problem.message()));
  }
  const std::string first = fmt::format("{}/{}_{}", absolute.lexically_normal().string(),
                                        FormatFolderTime(start_ns), FileNameOf(name));
  constexpr int kMost = 10'000;  // in one second
  for (int number = 1; number <= kMost; ++number) {
    RunFolder folder;
    folder.path = number == 1 ? first : fmt::format("{}-{}", first, number);
    if (::mkdir(folder.path.c_str(), 0755) == 0) {
      for (const std::string_view part :
           {"/logs", "/events", "/monitor", "/profiler", "/outputs"}) {
        ::mkdir((folder.path + std::string(part)).c_str(), 0755);
      }
      if (::mkdir(folder.Live().c_str(), 0700) == 0) return folder;
    }
    if (errno != EEXIST) {
      return Fail(ErrorCode::kUnwritable,
                  SystemProblem("cannot make the run's folder", folder.path));
    }
  }
  return Fail(ErrorCode::kUnwritable, "there are too many runs of this second: " + first);
}

std::string MakeRunId() {
  constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
  std::array<unsigned char, 12> bytes = {};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    const int64_t now_ns = WallNow();
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<unsigned char>(now_ns >> (5 * i));
    }
  }
  std::string out;
  for (const unsigned char byte : bytes) out += kDigits[byte % 32];
  return out;
}

}  // namespace telltale
