// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/communication.h"

#include <algorithm>
#include <array>

namespace telltale {

namespace {

constexpr std::array<std::string_view, 5> kLibraries = {"nccl", "rccl", "hccl", "oneccl", "msccl"};
constexpr std::array<std::string_view, 5> kHostPrefixes = {
    "nccl:", "gloo:", "mpi:", "ucc:", "c10d::"};
constexpr std::array<std::string_view, 2> kLoaderPrefixes = {"enumerate(DataLoader)#",
                                                             "enumerate(DataPipe)#"};

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
char Lower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// A library's name counts where a word begins, so that "syncCluster" or "AsyncCLC" is no NCCL: at
// the start, after something that is no letter, or as the capital of CamelCase.
bool BeginsWord(std::string_view text, size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  return (!IsLower(before) && !IsUpper(before)) || (IsLower(before) && IsUpper(text[at]));
}

bool HasWord(std::string_view text, std::string_view lower_word) {
  auto same = [](char a, char b) { return Lower(a) == b; };
  auto from = text.begin();
  while (true) {
    from = std::search(from, text.end(), lower_word.begin(), lower_word.end(), same);
    if (from == text.end()) return false;
    if (BeginsWord(text, static_cast<size_t>(from - text.begin()))) return true;
    ++from;
  }
}

template <size_t kCount>
bool StartsWithAny(std::string_view text, const std::array<std::string_view, kCount>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [text](std::string_view prefix) { return text.starts_with(prefix); });
}

}  // namespace

bool IsCommunicationKernel(std::string_view kernel_name) {
  return std::any_of(kLibraries.begin(), kLibraries.end(), [kernel_name](std::string_view library) {
    return HasWord(kernel_name, library);
  });
}

bool IsCommunicationRange(std::string_view host_event_name) {
  return StartsWithAny(host_event_name, kHostPrefixes);
}

bool IsDataLoaderRange(std::string_view host_event_name) {
  return StartsWithAny(host_event_name, kLoaderPrefixes);
}

}  // namespace telltale
