// SPDX-License-Identifier: Apache-2.0
// Where CPython keeps what a sampler wants to know, in bytes from the beginning of each structure.
// From 3.13 on the interpreter publishes it (_Py_DebugOffsets, at the beginning of _PyRuntime);
// of 3.9 to 3.12 the table here has it, as 64-bit Linux has it since each one's release:
// tests/record/python_offsets.py derives it anew from the headers of the interpreters at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace telltale {

constexpr uint32_t kNoOffset = UINT32_MAX;

// How a code object says which line an instruction belongs to (line_table.h).
enum class LineTableKind : uint8_t { kLineNumbers39, kLineTable310, kLocations311 };

struct PythonLayout {
  int minor = 0;  // of 3.x

  // _PyRuntime
  uint32_t interpreters = 0;    // the first PyInterpreterState
  uint32_t holder = kNoOffset;  // the thread state that holds the GIL; to 3.11
  // PyInterpreterState
  uint32_t next_interpreter = 0;
  uint32_t threads = 0;      // the first PyThreadState
  uint32_t gil = kNoOffset;  // a pointer; from 3.12 on
  // What that points to
  uint32_t gil_locked = 0;
  uint32_t gil_holder = 0;
  // PyThreadState
  uint32_t next_thread = 0;
  uint32_t thread_id = 0;                 // pthread_self()
  uint32_t native_thread_id = kNoOffset;  // as the kernel counts; from 3.11 on
  uint32_t frame = 0;                     // the innermost, or a _PyCFrame that has it
  uint32_t of_cframe = kNoOffset;         // in that
  // A frame
  uint32_t code = 0;
  uint32_t previous = 0;
  uint32_t instruction = 0;    // a pointer, or (to 3.10) a number
  uint32_t owner = kNoOffset;  // one byte; from 3.12 on some frames are no function's
  // A code object
  uint32_t file = 0;
  uint32_t name = 0;
  uint32_t first_line = 0;
  uint32_t lines = 0;         // a bytes object
  uint32_t instructions = 0;  // from 3.11 on: where they begin in it
  // Texts
  uint32_t ascii_bytes = 0;    // size of a PyASCIIObject, behind which the text begins
  uint32_t compact_bytes = 0;  // of a PyCompactUnicodeObject, likewise
  LineTableKind line_table = LineTableKind::kLocations311;
};

// `version` is PY_VERSION_HEX. An Error: what to say of such an interpreter.
[[nodiscard]] Result<PythonLayout> LayoutOfVersion(uint64_t version);

// So much of a code object, from its beginning, has all of the above that is in one.
constexpr size_t kCodeHeadBytes = 144;

// How much of _PyRuntime is looked at.
constexpr size_t kOffsetTableBytes = 768;
// `bytes`: the beginning of _PyRuntime. Nothing: it publishes no offsets (up to 3.12).
[[nodiscard]] std::optional<Result<PythonLayout>> LayoutFromTable(std::string_view bytes);

// "3.11"
[[nodiscard]] std::string VersionText(uint64_t version);

}  // namespace telltale
