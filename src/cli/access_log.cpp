// SPDX-License-Identifier: Apache-2.0
#include "cli/access_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <string_view>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "server/url.h"

namespace telltale {

namespace {

// Without what would end the line or its quotes: a client chooses the text.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string WithoutToken(std::string_view target) {
  const size_t mark = std::min(target.find('?'), target.size());
  std::string path(target.substr(0, mark));
  if (mark == target.size()) return path;
  const std::string query = WithoutParameter(target.substr(mark + 1), "token");
  return query.empty() ? path : path + "?" + query;
}

}  // namespace

std::string AccessLine(const AnsweredRequest& answered, int64_t when_s) {
  const std::string request =
      answered.method.empty()
          ? "-"
          : fmt::format("{} {} HTTP/1.1", answered.method, WithoutToken(answered.target));
  const std::chrono::duration<double> seconds = answered.took;
  return fmt::format("{} - - [{:%d/%b/%Y:%H:%M:%S +0000}] \"{}\" {} {} {:.3f}\n", answered.client,
                     fmt::gmtime(static_cast<std::time_t>(when_s)), Escaped(request),
                     answered.status, answered.body_bytes, seconds.count());
}

Result<AccessLog> AccessLog::Open(const std::string& path) {
  FileDescriptor file(path == "-" ? ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
                                  : ::open(path.c_str(),
                                           O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY,
                                           S_IRUSR | S_IWUSR));
  if (!file.valid()) {
    return Fail(ErrorCode::kUsage, fmt::format("--access-log: {} cannot be written: {}", path,
                                               std::generic_category().message(errno)));
  }
  return AccessLog(std::move(file));
}

void AccessLog::Add(const AnsweredRequest& answered) const {
  const std::string line = AccessLine(answered, std::time(nullptr));
  // One call for the whole line, so that it stays whole. A full disk must not stop the server.
  (void)!::write(file_.get(), line.data(), line.size());
}

}  // namespace telltale
