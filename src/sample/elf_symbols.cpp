// SPDX-License-Identifier: Apache-2.0
#include "sample/elf_symbols.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "io/file_gate.h"

namespace telltale {

namespace {

// Far beyond Python's own: a libpython has some ten thousand symbols.
constexpr uint64_t kMostHeaders = 4096;
constexpr uint64_t kMostSymbolBytes = uint64_t{32} << 20;
constexpr uint64_t kMostNameBytes = uint64_t{32} << 20;
constexpr uint64_t kPageBytes = 4096;

class Reader {
 public:
  explicit Reader(int file_descriptor) : file_descriptor_(file_descriptor) {}

  template <typename T>
  [[nodiscard]] bool Read(uint64_t offset, std::vector<T>& into, uint64_t count) const {
    into.resize(count);
    return ReadBytes(offset, reinterpret_cast<char*>(into.data()), count * sizeof(T));
  }
  [[nodiscard]] bool ReadBytes(uint64_t offset, char* into, uint64_t size) const {
    if (offset > INT64_MAX - size) return false;
    while (size > 0) {
      const ssize_t read = ::pread(file_descriptor_, into, size, static_cast<off_t>(offset));
      if (read <= 0) return false;
      into += read;
      offset += static_cast<uint64_t>(read);
      size -= static_cast<uint64_t>(read);
    }
    return true;
  }

 private:
  int file_descriptor_;
};

void FindIn(const Reader& reader, const Elf64_Shdr& symbols, const Elf64_Shdr& texts,
            std::span<const std::string_view> names, std::vector<uint64_t>& found) {
  if (symbols.sh_size > kMostSymbolBytes || texts.sh_size > kMostNameBytes) return;
  std::vector<Elf64_Sym> entries;
  std::vector<char> text;
  if (!reader.Read(symbols.sh_offset, entries, symbols.sh_size / sizeof(Elf64_Sym)) ||
      !reader.Read(texts.sh_offset, text, texts.sh_size)) {
    return;
  }
  for (const Elf64_Sym& entry : entries) {
    if (entry.st_shndx == SHN_UNDEF || entry.st_value == 0 || entry.st_name >= text.size()) {
      continue;
    }
    const char* const begin = text.data() + entry.st_name;
    const std::string_view name(begin, ::strnlen(begin, text.size() - entry.st_name));
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) continue;
    uint64_t& value = found[static_cast<size_t>(at - names.begin())];
    if (value == 0) value = entry.st_value;
  }
}

}  // namespace

Result<ElfFile> ReadElf(const std::string& path, std::span<const std::string_view> names) {
  const Result<OpenedFile> file = FileGate().Open(path);
  if (!file) return tl::unexpected(file.error());
  const Reader reader(file->descriptor.get());
  const auto no_elf = [&] {
    return Fail(ErrorCode::kUnreadable, path + " is no program or library of this machine");
  };
  Elf64_Ehdr head = {};
  if (!reader.ReadBytes(0, reinterpret_cast<char*>(&head), sizeof head) ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_phentsize != sizeof(Elf64_Phdr) ||
      head.e_phnum > kMostHeaders || head.e_shnum > kMostHeaders) {
    return no_elf();
  }
  ElfFile out;
  out.symbols.assign(names.size(), 0);
  std::vector<Elf64_Phdr> segments;
  if (!reader.Read(head.e_phoff, segments, head.e_phnum)) return no_elf();
  const auto loaded = std::ranges::find(segments, Elf64_Word{PT_LOAD},
                                        [](const Elf64_Phdr& s) { return s.p_type; });
  if (loaded == segments.end()) return no_elf();
  out.first_address = loaded->p_vaddr & ~(kPageBytes - 1);
  out.first_offset = loaded->p_offset & ~(kPageBytes - 1);
  std::vector<Elf64_Shdr> sections;
  if (head.e_shentsize != sizeof(Elf64_Shdr) ||
      !reader.Read(head.e_shoff, sections, head.e_shnum)) {
    return no_elf();
  }
  // What is exported is in SHT_DYNSYM, also of files that were stripped.
  for (const Elf64_Word type : {Elf64_Word{SHT_DYNSYM}, Elf64_Word{SHT_SYMTAB}}) {
    if (std::ranges::find(out.symbols, 0U) == out.symbols.end()) break;
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != type || section.sh_link >= sections.size()) continue;
      FindIn(reader, section, sections[section.sh_link], names, out.symbols);
    }
  }
  return out;
}

}  // namespace telltale
