// SPDX-License-Identifier: Apache-2.0
// Profilers write a function, its file and its line into one text; this takes the texts apart. What
// has none of the known forms is a name and nothing else.
//   name (file.py:12)     py-spy, viztracer        name (file.py)    py-spy without lines
//   name (libfoo.so)      py-spy, native           file.py(12): name   torch's Python frames
//   file.py(12):_name     torch's export_stacks, which writes _ for blanks
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace telltale {

// Views into the given text. A missing part has no data (data() is null).
struct FrameName {
  std::string_view name;
  std::string_view file;
  std::optional<int64_t> line;
  std::string_view module;
};

[[nodiscard]] FrameName SplitFrameName(std::string_view text);

// "file.py:12", without folders, as sentences name a place; empty where file or line is missing.
[[nodiscard]] std::string PlaceOf(const FrameName& frame);

// <built-in method f of T object at 0x7f30…> without the address: the same function whatever the
// object.
[[nodiscard]] std::string WithoutAddress(std::string_view name);

}  // namespace telltale
