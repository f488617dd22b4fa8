// SPDX-License-Identifier: Apache-2.0
// One line for each answer of `telltale view`, in the form that web servers have and log analysers
// read: who asked, when, for what, the status, bytes, seconds. Never a token.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "io/file_gate.h"
#include "server/http_server.h"

namespace telltale {

class AccessLog {
 public:
  // Appends to a file that only its user may read, or writes to standard error for "-".
  [[nodiscard]] static Result<AccessLog> Open(const std::string& path);
  void Add(const AnsweredRequest& answered) const;

 private:
  explicit AccessLog(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

// `when_s` is since 1970.
[[nodiscard]] std::string AccessLine(const AnsweredRequest& answered, int64_t when_s);

}  // namespace telltale
