// SPDX-License-Identifier: Apache-2.0
// For tests: a process that is made of bytes, with an interpreter in it as a layout says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sample/memory_reader.h"
#include "sample/python_layout.h"

namespace telltale {

// Memory of whole pages; what was never written cannot be read.
class SyntheticMemory : public MemoryReader {
 public:
  [[nodiscard]] bool Read(uint64_t address, void* into, size_t size) override {
    ++reads;
    auto* out = static_cast<char*>(into);
    while (size > 0) {
      const auto page = pages.find(address / kPageBytes);
      if (page == pages.end()) return false;
      const size_t part = std::min<size_t>(size, kPageBytes - address % kPageBytes);
      std::memcpy(out, page->second.data() + address % kPageBytes, part);
      out += part;
      address += part;
      size -= part;
    }
    return true;
  }
  void Write(uint64_t address, const void* from, size_t size) {
    const auto* in = static_cast<const char*>(from);
    for (size_t i = 0; i < size; ++i) {
      std::string& page = pages[(address + i) / kPageBytes];
      page.resize(kPageBytes, '\0');
      page[(address + i) % kPageBytes] = in[i];
    }
  }
  template <typename T>
  void Put(uint64_t address, T value) {
    Write(address, &value, sizeof value);
  }

  static constexpr uint64_t kPageBytes = 4096;
  std::map<uint64_t, std::string> pages;
  size_t reads = 0;
};

class SyntheticPython {
 public:
  static constexpr uint64_t kRuntime = 0x10000;
  static constexpr uint64_t kInterpreter = 0x20000;
  static constexpr uint64_t kGil = 0x30000;
  static constexpr uint64_t kCodeType = 0x40000;

  SyntheticPython(SyntheticMemory& memory, const PythonLayout& layout)
      : memory_(memory), layout_(layout) {
    memory_.Put<uint64_t>(kRuntime + layout.interpreters, kInterpreter);
    memory_.Put<uint64_t>(kInterpreter + layout.next_interpreter, 0);
    memory_.Put<uint64_t>(kInterpreter + layout.threads, 0);
    if (layout.gil != kNoOffset) {
      memory_.Put<uint64_t>(kInterpreter + layout.gil, kGil);
      memory_.Put<int>(kGil + layout.gil_locked, 0);
    } else {
      memory_.Put<uint64_t>(kRuntime + layout.holder, 0);
    }
  }

  uint64_t AddText(std::u32string_view text) {
    uint32_t kind = 1;
    bool ascii = true;
    for (const char32_t c : text) {
      if (c >= 0x80) ascii = false;
      if (c >= 0x100) kind = std::max(kind, 2U);
      if (c >= 0x10000) kind = 4;
    }
    const uint64_t address = Place(256 + text.size() * 4);
    memory_.Put<uint64_t>(address + 16, text.size());
    memory_.Put<uint32_t>(address + 32, kind << 2 | 1U << 5 | (ascii ? 1U << 6 : 0U));
    const uint64_t begin = address + (ascii ? layout_.ascii_bytes : layout_.compact_bytes);
    for (size_t i = 0; i < text.size(); ++i) memory_.Write(begin + i * kind, &text[i], kind);
    return address;
  }

  uint64_t AddCode(std::u32string_view file, std::u32string_view name, int32_t first_line,
                   std::string_view lines = {}) {
    const uint64_t table = Place(64 + lines.size());
    memory_.Put<uint64_t>(table + 16, lines.size());
    memory_.Write(table + 32, lines.data(), lines.size());
    const uint64_t address = Place(512);
    PutCode(address, AddText(file), AddText(name), first_line, table);
    return address;
  }
  void PutCode(uint64_t address, uint64_t file, uint64_t name, int32_t first_line, uint64_t table) {
    memory_.Put<uint64_t>(address + 8, kCodeType);
    memory_.Put<uint64_t>(address + layout_.file, file);
    memory_.Put<uint64_t>(address + layout_.name, name);
    memory_.Put<int32_t>(address + layout_.first_line, first_line);
    memory_.Put<uint64_t>(address + layout_.lines, table);
  }

  // `codes`: innermost first. The frames lie behind each other, as a stack's do.
  uint64_t AddThread(uint64_t number, const std::vector<uint64_t>& codes) {
    const uint64_t state = Place(512);
    memory_.Put<uint64_t>(state + layout_.next_thread, last_thread_);
    last_thread_ = state;
    memory_.Put<uint64_t>(kInterpreter + layout_.threads, state);
    memory_.Put<uint64_t>(state + layout_.thread_id, 0x7f0000000000 + number);
    if (layout_.native_thread_id != kNoOffset) {
      memory_.Put<uint64_t>(state + layout_.native_thread_id, number);
    }
    std::vector<uint64_t> frames;
    for (size_t i = 0; i < codes.size(); ++i) frames.push_back(Place(128));
    for (size_t i = 0; i < codes.size(); ++i) {
      PutFrame(frames[i], codes[i], i + 1 < codes.size() ? frames[i + 1] : 0);
    }
    uint64_t innermost = frames.empty() ? 0 : frames.front();
    if (layout_.of_cframe != kNoOffset) {
      const uint64_t cframe = Place(64);
      memory_.Put<uint64_t>(cframe + layout_.of_cframe, innermost);
      innermost = cframe;
    }
    memory_.Put<uint64_t>(state + layout_.frame, innermost);
    last_frames_ = frames;
    return state;
  }
  void PutFrame(uint64_t frame, uint64_t code, uint64_t previous, uint8_t owner = 0) {
    memory_.Put<uint64_t>(frame + layout_.code, code);
    memory_.Put<uint64_t>(frame + layout_.previous, previous);
    if (layout_.owner != kNoOffset) memory_.Put<uint8_t>(frame + layout_.owner, owner);
    if (layout_.instructions != 0) {
      memory_.Put<uint64_t>(frame + layout_.instruction, code + layout_.instructions);
    }
  }
  void GiveGil(uint64_t state) {
    if (layout_.gil == kNoOffset) {
      memory_.Put<uint64_t>(kRuntime + layout_.holder, state);
      return;
    }
    memory_.Put<int>(kGil + layout_.gil_locked, state == 0 ? 0 : 1);
    memory_.Put<uint64_t>(kGil + layout_.gil_holder, state);
  }
  // Of the thread that was added last, innermost first.
  [[nodiscard]] const std::vector<uint64_t>& last_frames() const { return last_frames_; }

  uint64_t Place(uint64_t size) {
    const uint64_t address = next_;
    next_ += (size + 15) / 16 * 16;
    const std::string zeros(size, '\0');
    memory_.Write(address, zeros.data(), zeros.size());
    return address;
  }

 private:
  SyntheticMemory& memory_;
  PythonLayout layout_;
  uint64_t next_ = 0x1000000;
  uint64_t last_thread_ = 0;
  std::vector<uint64_t> last_frames_;
};

}  // namespace telltale
