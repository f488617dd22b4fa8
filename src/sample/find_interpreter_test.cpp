// SPDX-License-Identifier: Apache-2.0
#include "sample/find_interpreter.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample/elf_symbols.h"

namespace telltale {
namespace {

TEST(PythonFilesOf, FindsProgramsAndLibrariesByTheirName) {
  const std::vector<MappedFile> files = PythonFilesOf(
      "00400000-00420000 r--p 00000000 fe:00 11  /usr/bin/python3.11\n"
      "00420000-00700000 r-xp 00020000 fe:00 11  /usr/bin/python3.11\n"
      "7f0000000000-7f0000001000 r--p 00002000 fe:00 12 /opt/my libs/libpython3.13.so.1.0\n"
      "7f0000002000-7f0000003000 rw-p 00000000 00:00 0\n"
      "7f0000004000-7f0000005000 r--p 00000000 fe:00 13 /usr/lib/libc.so.6\n"
      "7f0000006000-7f0000007000 r--p 00000000 fe:00 14 /x/python/lib/numpy.so\n"
      "nonsense /usr/bin/python\n");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].path, "/opt/my libs/libpython3.13.so.1.0");
  EXPECT_EQ(files[0].start, 0x7f0000000000U);
  EXPECT_EQ(files[0].offset, 0x2000U);
  EXPECT_EQ(files[1].path, "/usr/bin/python3.11");
  EXPECT_EQ(files[1].start, 0x400000U);
}

TEST(VersionInName, IsReadFromUsualNames) {
  EXPECT_EQ(VersionInName("/a/libpython3.9.so.1.0"), 0x03090000U);
  EXPECT_EQ(VersionInName("/a/python3.10"), 0x030a0000U);
  EXPECT_EQ(VersionInName("/python3.10/python"), 0U);
  EXPECT_EQ(VersionInName("/a/python3.x"), 0U);
}

TEST(ReadElf, FindsSymbolsOfThisProgram) {
  constexpr std::array<std::string_view, 2> kNames = {"main", "no_such_symbol_is_here"};
  const Result<ElfFile> elf = ReadElf("/proc/self/exe", kNames);
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_NE(elf->symbols[0], 0U);
  EXPECT_EQ(elf->symbols[1], 0U);
}

TEST(ReadElf, RefusesOtherFiles) {
  constexpr std::array<std::string_view, 1> kNames = {"main"};
  EXPECT_FALSE(ReadElf("/proc/self/status", kNames));
  EXPECT_FALSE(ReadElf("/no/such/file", kNames));
}

}  // namespace
}  // namespace telltale
