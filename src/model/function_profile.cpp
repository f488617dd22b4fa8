// SPDX-License-Identifier: Apache-2.0
#include "model/function_profile.h"

#include <algorithm>

namespace telltale {

namespace {

uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t h = a * 0x9E3779B97F4A7C15ULL ^ (b + 0x7F4A7C15ULL) * 0xC2B2AE3D27D4EB4FULL;
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93ULL;
  return h ^ (h >> 29);
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

void CallTreeBuilder::Index::Grow() {
  const size_t size = std::max<size_t>(64, slots.size() * 2);
  slots.assign(size, 0);
  for (uint32_t i = 0; i < keys.size(); ++i) {
    size_t at = Mix(Mix(keys[i].a, keys[i].b), keys[i].c) & (size - 1);
    while (slots[at] != 0) at = (at + 1) & (size - 1);
    slots[at] = i + 1;
  }
}

template <typename Make>
uint32_t CallTreeBuilder::Index::FindOrAdd(Key key, Make make) {
  if ((keys.size() + 1) * 2 > slots.size()) Grow();
  size_t at = Mix(Mix(key.a, key.b), key.c) & (slots.size() - 1);
  while (slots[at] != 0) {
    if (keys[slots[at] - 1] == key) return slots[at] - 1;
    at = (at + 1) & (slots.size() - 1);
  }
  keys.push_back(key);
  slots[at] = static_cast<uint32_t>(keys.size());
  make();
  return static_cast<uint32_t>(keys.size() - 1);
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
  const Key key = {
      static_cast<uint64_t>(function.file) << 32 | static_cast<uint32_t>(function.name),
      static_cast<uint64_t>(function.line), static_cast<uint64_t>(function.module)};
  return functions_.FindOrAdd(key, [&] { profile_.functions.push_back(function); });
}

CallNodeId CallTreeBuilder::Child(CallNodeId parent, FunctionId function) {
  return nodes_.FindOrAdd({parent, function, 0}, [&] {
    CallTree& tree = profile_.tree;
    tree.parent.push_back(parent);
    tree.function.push_back(function);
    tree.self.push_back(0);
    tree.calls.push_back(0);
  });
}

}  // namespace telltale
