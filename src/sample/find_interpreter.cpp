// SPDX-License-Identifier: Apache-2.0
#include "sample/find_interpreter.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "io/file_gate.h"
#include "io/kept_file.h"

namespace telltale {

namespace {

constexpr std::array<std::string_view, 3> kSymbols = {"_PyRuntime", "PyCode_Type", "Py_Version"};
constexpr size_t kRuntime = 0;
constexpr size_t kCodeType = 1;
constexpr size_t kVersion = 2;

std::string_view FileNameOf(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

uint64_t TakeHexadecimal(std::string_view& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc() ? value : 0;
}

}  // namespace

// "7f00-7f10 r-xp 00001000 08:01 1234    /usr/lib/libpython3.11.so.1.0"
std::vector<MappedFile> PythonFilesOf(std::string_view maps) {
  std::vector<MappedFile> out;
  while (!maps.empty()) {
    const size_t end = std::min(maps.find('\n'), maps.size());
    std::string_view line = maps.substr(0, end);
    maps.remove_prefix(std::min(end + 1, maps.size()));
    const size_t slash = line.find('/');
    if (slash == std::string_view::npos) continue;
    const std::string_view path = line.substr(slash);
    const std::string_view name = FileNameOf(path);
    // A program that embeds Python without a library of that name is not found.
    if (!name.starts_with("libpython") && !name.starts_with("python")) continue;
    if (std::ranges::find(out, path, &MappedFile::path) != out.end()) continue;
    MappedFile file;
    file.path = path;
    file.start = TakeHexadecimal(line);
    const size_t rights = line.find(' ');
    const size_t offset = rights == std::string_view::npos ? rights : line.find(' ', rights + 1);
    if (offset == std::string_view::npos) continue;
    line.remove_prefix(offset + 1);
    file.offset = TakeHexadecimal(line);
    out.push_back(std::move(file));
  }
  std::ranges::stable_partition(
      out, [](const MappedFile& file) { return FileNameOf(file.path).starts_with("lib"); });
  return out;
}

uint64_t VersionInName(std::string_view path) {
  constexpr std::string_view kBefore = "python3.";
  const std::string_view name = FileNameOf(path);
  const size_t found = name.find(kBefore);
  if (found == std::string_view::npos) return 0;
  unsigned minor = 0;
  const char* const begin = name.data() + found + kBefore.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), minor);
  return error == std::errc() && minor < 256 ? uint64_t{3} << 24 | uint64_t{minor} << 16 : 0;
}

const Result<ElfFile>& InterpreterFinder::Read(int pid, const MappedFile& file) {
  // As the process sees it: it may have another root.
  const std::string path = fmt::format("/proc/{}/root{}", pid, file.path);
  const std::optional<FileStamp> stamp = StampOf(path);
  const std::string key =
      stamp ? fmt::format("{} {} {}", file.path, stamp->device, stamp->inode) : path;
  const auto known = files_.find(key);
  if (known != files_.end()) return known->second;
  return files_.emplace(key, ReadElf(path, kSymbols)).first->second;
}

std::optional<Result<Interpreter>> InterpreterFinder::Find(int pid, MemoryReader& memory) {
  KeptFile maps(fmt::format("/proc/{}/maps", pid));
  TextBuffer buffer;
  std::string_view text;
  if (!maps.Read(buffer, text)) return std::nullopt;
  for (const MappedFile& file : PythonFilesOf(text)) {
    const Result<ElfFile>& elf = Read(pid, file);
    if (!elf || elf->symbols[kRuntime] == 0) continue;
    // What the first loaded byte is moved by, all are.
    const uint64_t base = file.start - file.offset + elf->first_offset - elf->first_address;
    const auto address = [&](size_t symbol) {
      return elf->symbols[symbol] == 0 ? 0 : base + elf->symbols[symbol];
    };
    Interpreter found;
    found.runtime = address(kRuntime);
    found.code_type = address(kCodeType);
    std::string head(kOffsetTableBytes, '\0');
    if (!memory.Read(found.runtime, head.data(), head.size())) return std::nullopt;
    std::optional<Result<PythonLayout>> layout = LayoutFromTable(head);
    if (!layout) {
      // Exported from 3.11 on; before it, only names tell.
      uint64_t version = VersionInName(file.path);
      uint64_t said = 0;
      if (elf->symbols[kVersion] != 0 && memory.Read(address(kVersion), &said, sizeof said) &&
          said != 0) {
        version = said;
      }
      // The table is not filled in yet.
      if (version >> 16 >= 0x30d) return std::nullopt;
      layout = LayoutOfVersion(version);
    }
    if (!*layout) return tl::unexpected(layout->error());
    found.layout = **layout;
    return found;
  }
  return std::nullopt;
}

}  // namespace telltale
