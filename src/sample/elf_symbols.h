// SPDX-License-Identifier: Apache-2.0
// The addresses of a few symbols of a program or library (64-bit ELF, this machine's byte order),
// as the file has them, and what to add to them where it is mapped. Reads what it needs, and no
// more; sizes that the file claims are bounded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace telltale {

struct ElfFile {
  // One for each name asked for; 0: there is none of that name.
  std::vector<uint64_t> symbols;
  // Address of the first loaded byte, as the file has it, and its place in the file, both at the
  // beginning of a page.
  uint64_t first_address = 0;
  uint64_t first_offset = 0;
};

[[nodiscard]] Result<ElfFile> ReadElf(const std::string& path,
                                      std::span<const std::string_view> names);

}  // namespace telltale
