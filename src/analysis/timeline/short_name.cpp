// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/short_name.h"

namespace telltale {

namespace {

constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string ShortName(std::string_view name) {
  if (name.size() <= kLongestName) return std::string(name);
  size_t head = (kLongestName - kEllipsis.size()) * 2 / 3;
  size_t tail = name.size() - (kLongestName - kEllipsis.size() - head);
  while (head > 0 && ContinuesCharacter(name[head])) --head;
  while (tail < name.size() && ContinuesCharacter(name[tail])) ++tail;
  std::string text(name.substr(0, head));
  return text.append(kEllipsis).append(name.substr(tail));
}

}  // namespace telltale
