// SPDX-License-Identifier: Apache-2.0
#include "collect/process_title.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>

#include "collect/files.h"

namespace telltale {

namespace {

constexpr int kArgStart = 48;  // fields of /proc/self/stat, counted from 1
constexpr int kArgEnd = 49;

// Of the fields behind the name, which may contain anything.
std::string_view Field(std::string_view rest, int number) {
  for (int field = 3; field < number; ++field) {
    const size_t space = rest.find(' ');
    if (space == std::string_view::npos) return {};
    rest.remove_prefix(space + 1);
  }
  return rest.substr(0, rest.find_first_of(" \n"));
}

uintptr_t Address(std::string_view digits) {
  uintptr_t out = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

}  // namespace

ProcessTitle::ProcessTitle() {
  std::array<char, 17> name = {};
  ::prctl(PR_GET_NAME, name.data());
  name_before_ = name.data();
  const Result<std::string> stat = ReadFile("/proc/self/stat", 4096);
  const size_t close = stat ? stat->rfind(") ") : std::string::npos;
  if (close == std::string::npos) return;
  const std::string_view rest = std::string_view(*stat).substr(close + 2);
  const uintptr_t begin = Address(Field(rest, kArgStart));
  const uintptr_t end = Address(Field(rest, kArgEnd));
  if (begin == 0 || end <= begin) return;
  words_ = reinterpret_cast<char*>(begin);  // NOLINT(performance-no-int-to-ptr): of our own memory
  words_before_.assign(words_, end - begin);
}

void ProcessTitle::Set(std::string_view title) {
  ::prctl(PR_SET_NAME, std::string(title).c_str());
  if (words_ == nullptr) return;
  std::memset(words_, 0, words_before_.size());
  std::memcpy(words_, title.data(), std::min(title.size(), words_before_.size() - 1));
}

void ProcessTitle::Restore() {
  ::prctl(PR_SET_NAME, name_before_.c_str());
  if (words_ != nullptr) std::memcpy(words_, words_before_.data(), words_before_.size());
}

}  // namespace telltale
