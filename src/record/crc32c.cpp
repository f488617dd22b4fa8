// SPDX-License-Identifier: Apache-2.0
#include "record/crc32c.h"

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>
#endif

namespace telltale::record {

namespace {

struct Table {
  uint32_t entry[256];
};

constexpr Table MakeTable() {
  Table table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0U);
    table.entry[byte] = crc;
  }
  return table;
}

constexpr Table kTable = MakeTable();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ByInstruction(const char* at, size_t left) {
  uint64_t crc = 0xffffffff;
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  auto last = static_cast<uint32_t>(crc);
  for (; left > 0; --left, ++at) last = _mm_crc32_u8(last, static_cast<unsigned char>(*at));
  return ~last;
}

// Leaf 1, ECX bit 20. Not __builtin_cpu_supports, which would need a part of the compiler's own
// library.
bool HasInstruction() {
  static int known = 0;  // 0: not yet, 1: no, 2: yes
  int state = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (state == 0) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    state = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & (1U << 20)) != 0 ? 2 : 1;
    __atomic_store_n(&known, state, __ATOMIC_RELAXED);
  }
  return state == 2;
}
#endif

}  // namespace

uint32_t Crc32cByTable(const void* bytes, size_t size) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < size; ++i) crc = (crc >> 8) ^ kTable.entry[(crc ^ at[i]) & 0xff];
  return ~crc;
}

uint32_t Crc32c(const void* bytes, size_t size) {
#if defined(__x86_64__)
  if (HasInstruction()) return ByInstruction(static_cast<const char*>(bytes), size);
#endif
  return Crc32cByTable(bytes, size);
}

}  // namespace telltale::record
