// SPDX-License-Identifier: Apache-2.0
// Function profiles for tests: call paths written one below the other, and the pairs that cProfile
// would have made of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/functions/functions.h"
#include "model/function_profile.h"

namespace telltale {

class FunctionBuilder {
 public:
  FunctionBuilder() : builder_(profile_) {}

  // A node with its own time; equal paths are one node.
  CallNodeId Call(CallNodeId parent, std::string_view name, int64_t self, uint64_t calls = 1,
                  std::string_view file = "own.py") {
    const CallNodeId node = builder_.Child(parent, builder_.FunctionOf(file, 1, name));
    profile_.tree.self[node] += self;
    profile_.tree.calls[node] += calls;
    return node;
  }
  CallNodeId Root(std::string_view name, int64_t self, uint64_t calls = 1,
                  std::string_view file = "own.py") {
    return Call(kNoCallNode, name, self, calls, file);
  }
  [[nodiscard]] const FunctionProfile& tree() const { return profile_; }

  // The same program as a .prof has it.
  [[nodiscard]] FunctionProfile Pairs() const {
    const FunctionProfile* const one = &profile_;
    const FunctionTable table = JoinFunctions({&one, 1});
    FunctionProfile out;
    out.shape = FunctionShape::kPairs;
    CallTreeBuilder functions(out);
    const auto totals = [](const FunctionValues& values) {
      return CallTotals{*values.calls, *values.primitive_calls,
                        static_cast<double>(*values.self) / 1e9,
                        static_cast<double>(*values.total) / 1e9};
    };
    for (const FunctionRow& row : table.rows) {
      static_cast<void>(functions.FunctionOf(row.file, row.line, row.name));
      out.totals.push_back({totals(row.values), true});
    }
    out.has_pairs = !table.calls.empty();
    for (const CallRow& call : table.calls) {
      out.pairs.push_back({call.caller, call.callee, totals(call.values), true});
    }
    return out;
  }

 private:
  FunctionProfile profile_;
  CallTreeBuilder builder_;
};

}  // namespace telltale
