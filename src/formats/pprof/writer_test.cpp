// SPDX-License-Identifier: Apache-2.0
#include "formats/pprof/writer.h"

#include <gtest/gtest.h>

#include <string>

#include "formats/function_dump.h"
#include "formats/pprof/reader.h"

namespace telltale {
namespace {

FunctionProfile ReadBack(const std::string& bytes) {
  Result<FunctionProfile> profile = ReadFunctions(PprofFormat(), bytes);
  EXPECT_TRUE(profile) << profile.error().message;
  return profile ? std::move(*profile) : FunctionProfile();
}

FunctionProfile Made(ValueUnit unit) {
  FunctionProfile profile;
  profile.unit = unit;
  profile.start_ns = 123;
  CallTreeBuilder builder(profile);
  const FunctionId main = builder.FunctionOf("a.py", 3, "main");
  const FunctionId work = builder.FunctionOf("a.py", 9, "work", "lib.so");
  const FunctionId native = builder.FunctionOf({}, kNoInt, "<built-in method builtins.len>");
  const CallNodeId in_main = builder.Child(kNoCallNode, main);
  const CallNodeId in_work = builder.Child(in_main, work);
  const CallNodeId in_native = builder.Child(in_work, native);
  builder.Child(in_work, work);
  profile.tree.self[in_main] = 10;
  profile.tree.self[in_work] = 20;
  profile.tree.self[in_native] = 0;  // called, and took nothing
  profile.tree.calls[in_main] = 1;
  profile.tree.calls[in_work] = 5;
  profile.tree.calls[in_native] = 7;
  return profile;
}

TEST(PprofWriter, PathsCallsAndTimesComeBack) {
  const Result<std::string> bytes = WritePprof(Made(ValueUnit::kNanoseconds));
  ASSERT_TRUE(bytes);
  const FunctionProfile back = ReadBack(*bytes);
  EXPECT_EQ(CheckFunctions(back), "");
  EXPECT_EQ(back.unit, ValueUnit::kNanoseconds);
  EXPECT_EQ(back.start_ns, 123);
  EXPECT_TRUE(back.diagnostics.entries().empty());
  // The path that was never called and took nothing is gone.
  ASSERT_EQ(back.tree.size(), 3);
  EXPECT_EQ(back.tree.self[1], 20);
  EXPECT_EQ(back.tree.calls[1], 5);
  EXPECT_EQ(back.tree.self[2], 0);
  EXPECT_EQ(back.tree.calls[2], 7);
  const Function& work = back.functions[back.tree.function[1]];
  EXPECT_EQ(back.Text(work.name), "work");
  EXPECT_EQ(back.Text(work.file), "a.py");
  EXPECT_EQ(back.Text(work.module), "lib.so");
  EXPECT_EQ(work.line, 9);
  EXPECT_EQ(back.functions[back.tree.function[2]].file, kNoString);
}

TEST(PprofWriter, WhatWasNotCountedHasNoCalls) {
  FunctionProfile profile = Made(ValueUnit::kBytes);
  for (uint64_t& calls : profile.tree.calls) calls = kNoUint;
  const FunctionProfile back = ReadBack(*WritePprof(profile));
  EXPECT_EQ(back.unit, ValueUnit::kBytes);
  ASSERT_EQ(back.tree.size(), 2);
  EXPECT_EQ(back.tree.calls[0], kNoUint);
}

TEST(PprofWriter, PairsHaveNoPaths) {
  FunctionProfile profile;
  profile.shape = FunctionShape::kPairs;
  EXPECT_FALSE(WritePprof(profile));
}

}  // namespace
}  // namespace telltale
