// SPDX-License-Identifier: Apache-2.0
// Finds the Python interpreter in a process: the program itself, or a libpython that it loaded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sample/elf_symbols.h"
#include "sample/memory_reader.h"
#include "sample/python_layout.h"

namespace telltale {

struct MappedFile {
  uint64_t start = 0;   // where its first mapping begins
  uint64_t offset = 0;  // and at which place of the file
  std::string path;
};
// Of a text as /proc/PID/maps has it: those files that may hold an interpreter by their name,
// libraries first.
[[nodiscard]] std::vector<MappedFile> PythonFilesOf(std::string_view maps);

// "3.9" in "libpython3.9.so.1.0", "python3.9", as PY_VERSION_HEX; 0: there is none.
[[nodiscard]] uint64_t VersionInName(std::string_view path);

struct Interpreter {
  PythonLayout layout;
  uint64_t runtime = 0;    // the address of _PyRuntime
  uint64_t code_type = 0;  // of PyCode_Type, or 0
};

// Keeps what it learned of files: workers of a program run the same ones.
class InterpreterFinder {
 public:
  // Nothing: there is none, or not yet. An Error: there is one that cannot be sampled.
  [[nodiscard]] std::optional<Result<Interpreter>> Find(int pid, MemoryReader& memory);

 private:
  [[nodiscard]] const Result<ElfFile>& Read(int pid, const MappedFile& file);

  std::map<std::string, Result<ElfFile>, std::less<>> files_;  // by path and what it leads to
};

}  // namespace telltale
