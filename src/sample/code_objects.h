// SPDX-License-Identifier: Apache-2.0
// Code objects of one process, by address: whose function a frame is. Each is read once; every time
// it is met again its beginning is read anew and compared, all those of a stack with one call,
// since the address may have become another one's.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sample/memory_reader.h"
#include "sample/python_layout.h"
#include "sample/python_stacks.h"

namespace telltale {

struct CodeObject {
  std::string file;
  std::string name;
  int64_t first_line = 0;
  uint32_t id = UINT32_MAX;  // for whoever wants to know it again; not set here
};

class CodeObjects {
 public:
  // `code_type`: the address of PyCode_Type, by which code objects are known; 0: not known.
  CodeObjects(MemoryReader& memory, const PythonLayout& layout, uint64_t code_type)
      : memory_(memory), layout_(layout), code_type_(code_type) {}

  // One for each frame; false: some frame has no code object, the stack was torn. The pointers hold
  // until the next call.
  [[nodiscard]] bool Find(std::span<const PythonFrame> frames, std::vector<CodeObject*>& found);
  // The line that a frame of that code is in; 0: not known.
  [[nodiscard]] int64_t LineOf(const PythonFrame& frame);

 private:
  using Head = std::array<char, kCodeHeadBytes>;
  struct Known {
    Head head;
    CodeObject code;
    std::optional<std::string> lines;
  };

  [[nodiscard]] bool IsSame(const Head& a, const Head& b) const;
  [[nodiscard]] bool Learn(uint64_t address, const Head& head, Known& known);
  [[nodiscard]] std::optional<std::string> ReadText(uint64_t address);
  [[nodiscard]] std::optional<std::string> ReadBytes(uint64_t address);

  MemoryReader& memory_;
  PythonLayout layout_;
  uint64_t code_type_;
  std::unordered_map<uint64_t, Known> known_;
  std::vector<Head> heads_;
  std::vector<MemoryReader::Piece> pieces_;
};

}  // namespace telltale
