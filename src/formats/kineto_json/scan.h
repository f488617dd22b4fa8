// SPDX-License-Identifier: Apache-2.0
// The innermost loops over JSON text: white space, strings, numbers, and skipping a value unseen.
// All of them read past `end` into the padding of the buffer (kPadding bytes of kPad), so they need
// no bounds check per byte; a result at or past `end` means the text is incomplete. Nothing here
// allocates.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/digits.h"

namespace telltale::kineto_json {

constexpr size_t kPadding = 64;
// Stops every loop: neither white space nor a digit nor part of any token.
constexpr char kPad = '\xff';

// Sixteen bytes at once; on machines without SSE2 the compiler makes what it can of the plain
// loops.
class Bytes16 {
 public:
#if defined(__SSE2__)
  explicit Bytes16(const char* p) : v_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))) {}
  [[nodiscard]] unsigned Equal(char c) const {
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(v_, _mm_set1_epi8(c))));
  }
  [[nodiscard]] unsigned EqualTo(const Bytes16& other) const {
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(v_, other.v_)));
  }
  // Where a number or word ends: at a comma, a closing bracket or white space.
  [[nodiscard]] unsigned EndsOfValues() const {
    const __m128i closing =
        _mm_cmpeq_epi8(_mm_or_si128(v_, _mm_set1_epi8(0x20)), _mm_set1_epi8('}'));
    const __m128i comma = _mm_cmpeq_epi8(v_, _mm_set1_epi8(','));
    const __m128i space = _mm_cmpeq_epi8(_mm_min_epu8(v_, _mm_set1_epi8(' ')), v_);
    return static_cast<unsigned>(
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(closing, comma), space)));
  }
  // Equal when the bit 0x20 is ignored: { with [, } with ].
  [[nodiscard]] unsigned EqualFolded(char c) const {
    const __m128i folded = _mm_or_si128(v_, _mm_set1_epi8(0x20));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(folded, _mm_set1_epi8(c))));
  }
  [[nodiscard]] unsigned AboveSpace() const {
    const __m128i least = _mm_set1_epi8(0x21);
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(v_, least), v_)));
  }

 private:
  __m128i v_;
#else
  explicit Bytes16(const char* p) { std::memcpy(v_, p, 16); }
  [[nodiscard]] unsigned Equal(char c) const {
    return Mask([c](char x) { return x == c; });
  }
  [[nodiscard]] unsigned EqualTo(const Bytes16& other) const {
    unsigned mask = 0;
    for (unsigned i = 0; i < 16; ++i) mask |= static_cast<unsigned>(v_[i] == other.v_[i]) << i;
    return mask;
  }
  [[nodiscard]] unsigned EndsOfValues() const {
    return Mask([](char x) {
      return x == ',' || x == '}' || x == ']' || static_cast<unsigned char>(x) <= ' ';
    });
  }
  [[nodiscard]] unsigned EqualFolded(char c) const {
    return Mask([c](char x) { return static_cast<char>(x | 0x20) == c; });
  }
  [[nodiscard]] unsigned AboveSpace() const {
    return Mask([](char x) { return static_cast<unsigned char>(x) > ' '; });
  }

 private:
  template <typename Test>
  unsigned Mask(Test test) const {
    unsigned mask = 0;
    for (unsigned i = 0; i < 16; ++i) mask |= static_cast<unsigned>(test(v_[i])) << i;
    return mask;
  }
  char v_[16];
#endif
};

// White space is any byte up to and including the blank.
[[nodiscard]] inline const char* SkipSpace(const char* p) {
  while (static_cast<unsigned char>(*p) <= ' ') {
    if (static_cast<unsigned char>(p[1]) > ' ') return p + 1;
    const unsigned mask = Bytes16(p).AboveSpace();
    if (mask != 0) return p + std::countr_zero(mask);
    p += 16;
  }
  return p;
}

// From inside a string to its closing quote; `escaped` is set if a backslash was passed. Returns
// `end` (or more) if there is none.
[[nodiscard]] inline const char* FindQuote(const char* p, const char* end, bool& escaped) {
  while (p < end) {
    const Bytes16 bytes(p);
    const unsigned quotes = bytes.Equal('"');
    const unsigned slashes = bytes.Equal('\\');
    if ((quotes | slashes) == 0) {
      p += 16;
      continue;
    }
    const int quote = std::countr_zero(quotes | 0x10000);
    const int slash = std::countr_zero(slashes | 0x10000);
    if (quote < slash) return p + quote;
    escaped = true;
    p += slash + 2;
  }
  return end;
}

// From an opening bracket past its closing one, whatever is inside. Returns nullptr if the text
// ends first.
[[nodiscard]] inline const char* SkipContainer(const char* p, const char* end) {
  int64_t depth = 0;
  while (p < end) {
    const Bytes16 bytes(p);
    const unsigned quotes = bytes.Equal('"');
    const unsigned opens = bytes.EqualFolded('{');
    const unsigned closes = bytes.EqualFolded('}');
    unsigned marks = quotes | opens | closes;
    const char* next = p + 16;
    while (marks != 0) {
      const unsigned bit = marks & (0U - marks);
      const int at = std::countr_zero(marks);
      marks ^= bit;
      if ((quotes & bit) != 0) {
        bool escaped = false;
        const char* quote = FindQuote(p + at + 1, end, escaped);
        if (quote >= end) return nullptr;
        next = quote + 1;
        break;
      }
      if ((opens & bit) != 0) {
        ++depth;
      } else if (--depth == 0) {
        return p + at + 1 <= end ? p + at + 1 : nullptr;
      }
    }
    p = next;
  }
  return nullptr;
}

// From the start of a number or word to where it ends: at a comma, a closing bracket or white
// space.
[[nodiscard]] inline const char* FindValueEnd(const char* p, const char* end) {
  while (p < end) {
    const unsigned ends = Bytes16(p).EndsOfValues();
    if (ends != 0) return p + std::countr_zero(ends);
    p += 16;
  }
  return end;
}

}  // namespace telltale::kineto_json
