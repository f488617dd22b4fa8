// SPDX-License-Identifier: Apache-2.0
// Makes the blocks of a file of samples (FORMAT.md): gathers what was seen of each thread during a
// stretch of time, and gives the bytes to append. Whoever appends them has a whole file after each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash_index.h"
#include "base/protobuf.h"
#include "base/string_pool.h"
#include "formats/samples/layout.h"

namespace telltale {

class SamplesWriter {
 public:
  static constexpr uint32_t kNoNode = UINT32_MAX;

  SamplesWriter(int64_t start_wall_ns, int64_t period_ns)
      : start_wall_ns_(start_wall_ns), period_ns_(period_ns) {}

  // `line`: where it begins.
  [[nodiscard]] uint32_t FunctionOf(std::string_view file, int64_t line, std::string_view name);
  // Every call is another one.
  [[nodiscard]] uint32_t AddThread(int64_t process, int64_t thread, std::string_view name);
  // A call path: that of `parent` (kNoNode: none) with one more function. kNoNode: there are so
  // many that no further one is kept.
  [[nodiscard]] uint32_t Child(uint32_t parent, uint32_t function);
  // `line`: the innermost function was there; 0: not known.
  void Add(uint32_t thread, uint32_t node, SampleState state, int64_t line, int64_t length_ns);
  // A look at a thread that came to nothing.
  void AddTorn() { ++torn_; }

  // Of what came since the last one; times are ns since the start. Empty: nothing did.
  [[nodiscard]] std::string TakeBlock(int64_t start_ns, int64_t end_ns);

 private:
  struct FunctionFacts {
    uint32_t name = 0;
    uint32_t file = 0;
    uint64_t line = 0;
    friend bool operator==(const FunctionFacts&, const FunctionFacts&) = default;
  };
  struct ThreadFacts {
    uint64_t process = 0;
    uint64_t thread = 0;
    uint32_t name = 0;
  };
  struct Node {
    uint32_t parent = kNoNode;
    uint32_t function = 0;
  };
  struct Seen {
    uint32_t thread = 0;
    uint32_t node = 0;
    uint64_t state_and_line = 0;
    uint64_t count = 0;
    int64_t length_ns = 0;
  };

  [[nodiscard]] uint32_t TextOf(std::string_view text);
  void WriteNew(protobuf::MessageWriter& block);
  void WriteSeen(protobuf::MessageWriter& block);

  int64_t start_wall_ns_;
  int64_t period_ns_;
  bool said_start_ = false;
  StringPool texts_;
  std::vector<FunctionFacts> functions_;
  HashIndex function_index_;
  std::vector<ThreadFacts> threads_;
  std::vector<Node> nodes_;
  HashIndex node_index_;
  size_t written_texts_ = 0;
  size_t written_functions_ = 0;
  size_t written_threads_ = 0;
  size_t written_nodes_ = 0;
  std::vector<Seen> seen_;  // of the block, in order of first occurrence
  HashIndex seen_index_;
  uint64_t torn_ = 0;
};

}  // namespace telltale
