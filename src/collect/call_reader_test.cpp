// SPDX-License-Identifier: Apache-2.0
#include "collect/call_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace telltale {
namespace {

using record::CallExtent;
using record::CallFunction;
using record::CallHeader;
using record::CallKind;
using record::CallNode;
using record::kCallExtentBytes;
using testing::ElementsAre;

// A file as a process leaves it: the header, an extent of functions, one of nodes. A tick is a ns.
class File {
 public:
  File() : bytes_(3 * size_t{kCallExtentBytes}, '\0') {
    std::memcpy(header().magic, record::kCallMagic, sizeof record::kCallMagic);
    header().version = record::kCallLayoutVersion;
    header().extent_bytes = kCallExtentBytes;
    header().state = static_cast<uint32_t>(record::CallState::kClosed);
    header().extent_count = 3;
    header().first_ticks = 1000;
    header().last_ticks = 2000;
    header().first_wall_ns = 500'000;
    header().ticks_per_second = 1e9;
    header().kinds[1] = static_cast<uint8_t>(CallExtent::kFunctions);
    header().kinds[2] = static_cast<uint8_t>(CallExtent::kNodes);
  }
  CallHeader& header() { return *reinterpret_cast<CallHeader*>(bytes_.data()); }
  CallNode& node(size_t number) {
    return reinterpret_cast<CallNode*>(bytes_.data() + 2 * size_t{kCallExtentBytes})[number];
  }
  CallFunction& function_at(size_t offset) {
    return *reinterpret_cast<CallFunction*>(bytes_.data() + kCallExtentBytes + offset);
  }

  uint32_t Function(CallKind kind, std::string_view file, int32_t line, std::string_view name) {
    char* const at = bytes_.data() + kCallExtentBytes + functions_end_;
    const CallFunction head = {
        static_cast<uint32_t>((sizeof(CallFunction) + file.size() + name.size() + 7) & ~size_t{7}),
        static_cast<uint32_t>(kind),
        line,
        static_cast<uint32_t>(file.size()),
        static_cast<uint32_t>(name.size()),
        0,
        0};
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at + sizeof head, file.data(), file.size());
    std::memcpy(at + sizeof head + file.size(), name.data(), name.size());
    functions_end_ += head.bytes;
    return header().function_count++;
  }
  // The number of the node + 1: the parent of others.
  uint32_t Node(uint32_t parent, uint32_t function, uint64_t calls, uint64_t ticks) {
    CallNode& added = node(header().node_count);
    added.parent = parent;
    added.function = function;
    added.calls = calls;
    added.ticks = ticks;
    return ++header().node_count;
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  size_t functions_end_ = 0;
};

// main calls work twice, in an action and outside, and work calls len; another thread calls work.
struct Sample : File {
  Sample() {
    const uint32_t thread = Function(CallKind::kThread, "", 0, "MainThread");
    const uint32_t main = Function(CallKind::kFunction, "a.py", 1, "main");
    const uint32_t work = Function(CallKind::kFunction, "a.py", 5, "work");
    const uint32_t length = Function(CallKind::kNative, "", 0, "<built-in method builtins.len>");
    const uint32_t action = Function(CallKind::kAction, "", 0, "forward");
    const uint32_t other = Function(CallKind::kThread, "", 0, "loader");
    const uint32_t root = Node(0, thread, 0, 0);
    const uint32_t in_main = Node(root, main, 1, 1000);
    const uint32_t in_work = Node(in_main, work, 1, 300);
    Node(in_work, length, 2, 100);
    const uint32_t in_action = Node(in_main, action, 1, 250);
    const uint32_t again = Node(in_action, work, 1, 200);
    Node(again, length, 3, 50);
    Node(Node(0, other, 0, 0), work, 7, 70);
  }
};

// "main;work 350 ns, 2 calls", in the order of the tree.
std::vector<std::string> CountedPaths(const FunctionProfile& profile) {
  std::vector<std::string> names;
  std::vector<std::string> out;
  for (size_t node = 0; node < profile.tree.size(); ++node) {
    std::string name(profile.Text(profile.functions[profile.tree.function[node]].name));
    if (profile.tree.parent[node] != kNoCallNode) {
      name = names[profile.tree.parent[node]] + ";" + name;
    }
    names.push_back(name);
    out.push_back(name + " " + std::to_string(profile.tree.self[node]) + " ns, " +
                  std::to_string(profile.tree.calls[node]) + " calls");
  }
  return out;
}

TEST(CallReader, PathsOfAllThreadsAreAddedUpAndActionsAreNoFunctions) {
  const Sample file;
  const Result<RecordedCalls> calls = ReadCalls(file.bytes(), 0);
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->damaged, 0);
  EXPECT_EQ(calls->start_ns, 500'000);
  const FunctionProfile profile = ProfileOf(*calls, false);
  EXPECT_THAT(CountedPaths(profile),
              ElementsAre("main 500 ns, 1 calls", "main;work 350 ns, 2 calls",
                          "main;work;<built-in method builtins.len> 150 ns, 5 calls",
                          "work 70 ns, 7 calls"));
  EXPECT_EQ(profile.functions[1].line, 5);
  EXPECT_EQ(profile.Text(profile.functions[1].file), "a.py");
  EXPECT_EQ(profile.functions[2].file, kNoString);
}

TEST(CallReader, ThreadsButTheFirstAreFramesWhereAskedFor) {
  const Sample file;
  EXPECT_THAT(CountedPaths(ProfileOf(*ReadCalls(file.bytes(), 0), true)),
              ElementsAre("main 500 ns, 1 calls", "main;work 350 ns, 2 calls",
                          "main;work;<built-in method builtins.len> 150 ns, 5 calls",
                          "<thread loader> 0 ns, 0 calls", "<thread loader>;work 70 ns, 7 calls"));
}

TEST(CallReader, AnActionHasWhatIsCalledInIt) {
  const Sample file;
  const std::vector<ActionProfile> actions =
      ActionProfilesOf(*ReadCalls(file.bytes(), 0), 10, 0.01);
  ASSERT_EQ(actions.size(), 1);
  EXPECT_EQ(actions[0].name, "forward");
  EXPECT_EQ(actions[0].total_ns, 250);
  EXPECT_THAT(
      CountedPaths(actions[0].profile),
      ElementsAre("work 150 ns, 1 calls", "work;<built-in method builtins.len> 50 ns, 3 calls"));
}

TEST(CallReader, CallsThatHadNotEndedEndWithTheProcess) {
  Sample file;
  file.header().state = static_cast<uint32_t>(record::CallState::kOpen);
  file.node(1).ticks = 0;
  file.node(1).entered = 1200;
  // 2000 ns after the file was made, which is 1000 ns after the last call that ended.
  const Result<RecordedCalls> calls = ReadCalls(file.bytes(), 502'000);
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->paths[1].total_ns, 1800);
  // Nobody knows when it ended: with the last call that did.
  EXPECT_EQ(ReadCalls(file.bytes(), 0)->paths[1].total_ns, 800);
}

TEST(CallReader, CallsWithoutRoomForTheirPathsAreCountedAll) {
  Sample file;
  file.header().uncounted = 9;
  const size_t work = file.function_at(0).bytes + file.function_at(file.function_at(0).bytes).bytes;
  file.function_at(work).uncounted = 9;
  const Result<RecordedCalls> calls = ReadCalls(file.bytes(), 0);
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->uncounted, 9);
  const FunctionProfile profile = ProfileOf(*calls, false);
  uint64_t of_work = 0;
  for (size_t node = 0; node < profile.tree.size(); ++node) {
    if (profile.Text(profile.functions[profile.tree.function[node]].name) == "work") {
      of_work += profile.tree.calls[node];
    }
  }
  EXPECT_EQ(of_work, 9 + 9);
}

TEST(CallReader, WhatMakesNoSenseIsLeftOutAndCounted) {
  Sample file;
  file.node(2).function = 77;  // no such function
  file.node(5).parent = 50;    // not before it
  const Result<RecordedCalls> calls = ReadCalls(file.bytes(), 0);
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->damaged, 2);
  // What is below stays, without its place.
  EXPECT_EQ(calls->paths.size(), 9);
  EXPECT_THAT(CountedPaths(ProfileOf(*calls, true)),
              testing::Contains("<built-in method builtins.len> 150 ns, 5 calls"));
  (void)ActionProfilesOf(*calls, 10, 0);
}

TEST(CallReader, NoOtherFileIsTakenForOne) {
  Sample file;
  EXPECT_FALSE(ReadCalls("", 0));
  EXPECT_FALSE(ReadCalls(std::string(kCallExtentBytes, 'x'), 0));
  file.header().version = 2;
  EXPECT_FALSE(ReadCalls(file.bytes(), 0));
  // Cut: what is there counts.
  const Sample whole;
  const Result<RecordedCalls> cut =
      ReadCalls(std::string_view(whole.bytes()).substr(0, 2 * size_t{kCallExtentBytes}), 0);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->paths.empty());
}

}  // namespace
}  // namespace telltale
