// SPDX-License-Identifier: Apache-2.0
#include "model/function_profile.h"

#include "base/large_pages.h"

namespace telltale {

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
  const auto number = [](StringId id) { return static_cast<uint64_t>(id); };
  const uint64_t hash = MixHash(MixHash(number(function.file) << 32 | number(function.name),
                                        static_cast<uint64_t>(function.line)),
                                number(function.module));
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
