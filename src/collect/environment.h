// SPDX-License-Identifier: Apache-2.0
// Environments: what of one may be written down, what the program gets, what a file adds.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace telltale {

// NAME=VALUE each, in order.
class Environment {
 public:
  Environment() = default;
  // Of this process.
  static Environment Own();

  [[nodiscard]] std::string_view Get(std::string_view name) const;
  [[nodiscard]] bool Has(std::string_view name) const;
  void Set(std::string_view name, std::string_view value);
  void Unset(std::string_view name);
  // For execve; valid while nothing is changed.
  [[nodiscard]] std::vector<char*> Pointers();
  [[nodiscard]] const std::vector<std::string>& entries() const { return entries_; }

 private:
  std::vector<std::string> entries_;
};

// Names and values that matter to a training and are no secret, by name.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> WritableEnvironment(
    const Environment& environment);

// NAME=VALUE lines, `export ` before and quotes around a value allowed, # begins a remark. An Error
// names the line that is none.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> ParseEnvFile(
    std::string_view text);

// The program that execvp would start; empty: there is none. `found_unusable`: there is a file of
// that name, but it cannot be executed.
[[nodiscard]] std::string FindProgram(const std::string& word, std::string_view path,
                                      bool& found_unusable);

}  // namespace telltale
