// SPDX-License-Identifier: Apache-2.0
#include "model/function_profile.h"

#include <algorithm>
#include <array>

#include "base/large_pages.h"

namespace telltale {

namespace {

uint64_t HashOf(const Function& function) {
  const auto number = [](StringId id) { return static_cast<uint64_t>(id); };
  return MixHash(MixHash(number(function.file) << 32 | number(function.name),
                         static_cast<uint64_t>(function.line)),
                 number(function.module));
}

}  // namespace

std::string_view NameOf(FunctionShape shape) {
  return shape == FunctionShape::kTree ? "tree" : "pairs";
}

std::string_view NameOf(ValueUnit unit) {
  switch (unit) {
    case ValueUnit::kNanoseconds:
      return "ns";
    case ValueUnit::kSamples:
      return "samples";
    case ValueUnit::kBytes:
      return "bytes";
    case ValueUnit::kCount:
      return "count";
  }
  return "count";
}

size_t FunctionProfile::memory_bytes() const {
  // Sizes, not capacities: readers reserve address space that they may never touch.
  return strings.memory_bytes() + functions.size() * sizeof(Function) +
         threads.size() * sizeof(std::string) + tree.parent.memory_bytes() +
         tree.function.memory_bytes() + tree.self.memory_bytes() + tree.calls.memory_bytes() +
         timeline.size() * sizeof(TopOfStack) + thread_starts.size() * sizeof(int64_t) +
         slots.size() * sizeof(TimeSlot) + lines.size() * sizeof(uint32_t) +
         totals.size() * sizeof(FunctionTotals) + pairs.size() * sizeof(CallPair);
}

void CallTreeBuilder::Reserve(size_t functions) {
  ReserveLarge(profile_.functions, functions);
  functions_.Reserve(functions);
}

FunctionId CallTreeBuilder::FunctionOf(std::string_view file, int64_t line, std::string_view name,
                                       std::string_view module) {
  const auto text = [&](std::string_view t) {
    return t.data() == nullptr ? kNoString : profile_.strings.Intern(t);
  };
  const StringId file_id = text(file);
  return FunctionOf({file_id, line, profile_.strings.Intern(name), text(module)});
}

FunctionId CallTreeBuilder::FunctionOf(const Function& function) {
  return FunctionOf(function, HashOf(function));
}

void CallTreeBuilder::FunctionsOf(std::span<const Function> functions, FunctionId* ids) {
  constexpr size_t kTogether = 32;
  std::array<uint64_t, kTogether> hashes;
  while (!functions.empty()) {
    const size_t count = std::min(functions.size(), kTogether);
    for (size_t i = 0; i < count; ++i) functions_.Prefetch(hashes[i] = HashOf(functions[i]));
    for (size_t i = 0; i < count; ++i) {
      const FunctionId likely = functions_.Guess(hashes[i]);
      if (likely != HashIndex::kNone) __builtin_prefetch(&profile_.functions[likely]);
    }
    for (size_t i = 0; i < count; ++i) *ids++ = FunctionOf(functions[i], hashes[i]);
    functions = functions.subspan(count);
  }
}

FunctionId CallTreeBuilder::FunctionOf(const Function& function, uint64_t hash) {
  return functions_.FindOrAdd(
      hash, [&](FunctionId other) { return profile_.functions[other] == function; },
      [&] { profile_.functions.push_back(function); });
}

CallNodeId CallTreeBuilder::Child(CallNodeId parent, FunctionId function) {
  CallTree& tree = profile_.tree;
  return nodes_.FindOrAdd(
      MixHash(parent, function),
      [&](CallNodeId other) {
        return tree.parent[other] == parent && tree.function[other] == function;
      },
      [&] {
        tree.parent.push_back(parent);
        tree.function.push_back(function);
        tree.self.push_back(0);
        tree.calls.push_back(0);
      });
}

}  // namespace telltale
