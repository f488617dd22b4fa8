// SPDX-License-Identifier: Apache-2.0
#include "sample/python_layout.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

namespace telltale {

namespace {

constexpr std::string_view kCookie = "xdebugpy";
constexpr int kOldestMinor = 9;
constexpr int kNewestMinor = 14;
// Offsets beyond these are damage: no structure is as large.
constexpr uint64_t kMostOffset = uint64_t{16} << 20;
constexpr uint64_t kMostSmallOffset = 4096;

constexpr PythonLayout Python39() {
  PythonLayout layout;
  layout.minor = 9;
  layout.interpreters = 32;
  layout.holder = 568;
  layout.next_interpreter = 0;
  layout.threads = 8;
  layout.next_thread = 8;
  layout.thread_id = 176;
  layout.frame = 24;
  layout.code = 32;
  layout.previous = 24;
  layout.instruction = 104;
  layout.file = 104;
  layout.name = 112;
  layout.first_line = 40;
  layout.lines = 120;
  layout.ascii_bytes = 48;
  layout.compact_bytes = 72;
  layout.line_table = LineTableKind::kLineNumbers39;
  return layout;
}

constexpr PythonLayout Python310() {
  PythonLayout layout = Python39();
  layout.minor = 10;
  layout.instruction = 96;
  layout.line_table = LineTableKind::kLineTable310;
  return layout;
}

constexpr PythonLayout Python311() {
  PythonLayout layout;
  layout.minor = 11;
  layout.interpreters = 40;
  layout.holder = 576;
  layout.next_interpreter = 0;
  layout.threads = 16;
  layout.next_thread = 8;
  layout.thread_id = 152;
  layout.native_thread_id = 160;
  layout.frame = 56;
  layout.of_cframe = 8;
  layout.code = 32;
  layout.previous = 48;
  layout.instruction = 56;
  layout.file = 112;
  layout.name = 120;
  layout.first_line = 72;
  layout.lines = 136;
  layout.instructions = 184;
  layout.ascii_bytes = 48;
  layout.compact_bytes = 72;
  layout.line_table = LineTableKind::kLocations311;
  return layout;
}

constexpr PythonLayout Python312() {
  PythonLayout layout = Python311();
  layout.minor = 12;
  layout.holder = kNoOffset;
  layout.threads = 72;
  layout.gil = 384;
  layout.gil_holder = 8;
  layout.gil_locked = 16;
  layout.thread_id = 136;
  layout.native_thread_id = 144;
  layout.of_cframe = 0;
  layout.code = 0;
  layout.previous = 8;
  layout.owner = 70;
  layout.first_line = 68;
  layout.instructions = 192;
  layout.ascii_bytes = 40;
  layout.compact_bytes = 56;
  return layout;
}

// The words of _Py_DebugOffsets, counted from its beginning: the cookie, the version and whether
// there is no GIL are the first three. The structures that follow each begin with their size.
struct TableWords {
  size_t interpreters, next_interpreter, threads, gil, own_gil, gil_locked, gil_holder;
  size_t next_thread, frame, thread_id, native_thread_id;
  size_t previous, code, instruction, owner;
  size_t file, name, lines, first_line, instructions;
};
constexpr TableWords kWords313 = {.interpreters = 5,
                                  .next_interpreter = 8,
                                  .threads = 9,
                                  .gil = 14,
                                  .own_gil = 15,
                                  .gil_locked = 17,
                                  .gil_holder = 18,
                                  .next_thread = 21,
                                  .frame = 23,
                                  .thread_id = 24,
                                  .native_thread_id = 25,
                                  .previous = 29,
                                  .code = 30,
                                  .instruction = 31,
                                  .owner = 33,
                                  .file = 35,
                                  .name = 36,
                                  .lines = 38,
                                  .first_line = 39,
                                  .instructions = 43};
// One more word for threads.main, and two for generations of code, in PyInterpreterState; two more
// of a frame.
constexpr TableWords kWords314 = {.interpreters = 5,
                                  .next_interpreter = 8,
                                  .threads = 9,
                                  .gil = 15,
                                  .own_gil = 16,
                                  .gil_locked = 18,
                                  .gil_holder = 19,
                                  .next_thread = 24,
                                  .frame = 26,
                                  .thread_id = 27,
                                  .native_thread_id = 28,
                                  .previous = 32,
                                  .code = 33,
                                  .instruction = 34,
                                  .owner = 36,
                                  .file = 40,
                                  .name = 41,
                                  .lines = 43,
                                  .first_line = 44,
                                  .instructions = 48};

tl::unexpected<Error> NotRead(uint64_t version) {
  return Fail(ErrorCode::kUnreadable,
              fmt::format("Python {} is not one of those that can be sampled (3.{} to 3.{})",
                          VersionText(version), kOldestMinor, kNewestMinor));
}

}  // namespace

std::string VersionText(uint64_t version) {
  return fmt::format("{}.{}", version >> 24 & 0xff, version >> 16 & 0xff);
}

Result<PythonLayout> LayoutOfVersion(uint64_t version) {
  static constexpr std::array<PythonLayout, 4> kLayouts = {Python39(), Python310(), Python311(),
                                                           Python312()};
  if (version >> 24 == 3) {
    for (const PythonLayout& layout : kLayouts) {
      if (static_cast<uint64_t>(layout.minor) == (version >> 16 & 0xff)) return layout;
    }
  }
  return NotRead(version);
}

std::optional<Result<PythonLayout>> LayoutFromTable(std::string_view bytes) {
  if (bytes.size() < kOffsetTableBytes || !bytes.starts_with(kCookie)) return std::nullopt;
  std::array<uint64_t, kOffsetTableBytes / 8> words;
  std::memcpy(words.data(), bytes.data(), kOffsetTableBytes);
  const uint64_t version = words[1];
  const auto minor = static_cast<int>(version >> 16 & 0xff);
  if (version >> 24 != 3 || minor < 13 || minor > kNewestMinor) return NotRead(version);
  if (words[2] != 0) {
    return Fail(ErrorCode::kUnreadable,
                fmt::format("Python {} without a GIL cannot be sampled", VersionText(version)));
  }
  const TableWords& at = minor == 13 ? kWords313 : kWords314;
  PythonLayout layout;
  layout.minor = minor;
  bool good = true;
  const auto word = [&](size_t place, uint64_t most) {
    const uint64_t value = words[place];
    good = good && value <= most;
    return static_cast<uint32_t>(value);
  };
  layout.interpreters = word(at.interpreters, kMostOffset);
  layout.next_interpreter = word(at.next_interpreter, kMostOffset);
  layout.threads = word(at.threads, kMostOffset);
  layout.gil = word(at.gil, kMostOffset);
  // As places in the interpreter's own one, which all are like.
  const uint64_t own_gil = words[at.own_gil];
  const uint64_t locked = words[at.gil_locked] - own_gil;
  const uint64_t holder = words[at.gil_holder] - own_gil;
  good = good && locked <= kMostSmallOffset && holder <= kMostSmallOffset;
  layout.gil_locked = static_cast<uint32_t>(locked);
  layout.gil_holder = static_cast<uint32_t>(holder);
  layout.next_thread = word(at.next_thread, kMostSmallOffset);
  layout.frame = word(at.frame, kMostSmallOffset);
  layout.thread_id = word(at.thread_id, kMostSmallOffset);
  layout.native_thread_id = word(at.native_thread_id, kMostSmallOffset);
  layout.previous = word(at.previous, kMostSmallOffset);
  layout.code = word(at.code, kMostSmallOffset);
  layout.instruction = word(at.instruction, kMostSmallOffset);
  layout.owner = word(at.owner, kMostSmallOffset);
  layout.file = word(at.file, kCodeHeadBytes - 8);
  layout.name = word(at.name, kCodeHeadBytes - 8);
  layout.lines = word(at.lines, kCodeHeadBytes - 8);
  layout.first_line = word(at.first_line, kCodeHeadBytes - 8);
  layout.instructions = word(at.instructions, kMostSmallOffset);
  // Texts are as in 3.12.
  layout.ascii_bytes = Python312().ascii_bytes;
  layout.compact_bytes = Python312().compact_bytes;
  layout.line_table = LineTableKind::kLocations311;
  if (!good) {
    return Fail(
        ErrorCode::kUnreadable,
        fmt::format("the offsets that Python {} publishes make no sense", VersionText(version)));
  }
  return layout;
}

}  // namespace telltale
