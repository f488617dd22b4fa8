// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/torch_texts.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace telltale {

namespace {

// Stack frames that hold both words are left out.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kHiddenFrames = {{
    {"autograd/__init__", "_make_grads"},
    {"autograd/__init__", "backward"},
    {"torch/tensor", "backward"},
    {"_internal/common_utils", "prof_callable"},
    {"_internal/common_utils", "prof_func_call"},
    {"_internal/common_utils", "prof_meth_call"},
}};

constexpr size_t kStackFrames = 5;

// aten::add.Tensor -> aten::add, for operators only.
std::string_view WithoutOverload(std::string_view name) {
  const size_t colons = name.rfind("::");
  if (colons == std::string_view::npos || name.find(' ') != std::string_view::npos) return name;
  return name.substr(0, name.find('.', colons + 2));
}

// Every element that is a list of lists becomes [].
std::string ShapeText(std::string_view dims) {
  std::string text;
  size_t depth = 0;
  for (size_t i = 0; i < dims.size();) {
    size_t length = 1;
    if (depth == 1 && dims.substr(i, 2) == "[[") {
      size_t open = 0;
      do {
        if (dims[i + length - 1] == '[') ++open;
        if (dims[i + length - 1] == ']') --open;
        ++length;
      } while (open > 0 && i + length <= dims.size());
      --length;
      text += "[]";
    } else {
      if (dims[i] == '[') ++depth;
      if (dims[i] == ']' && depth > 0) --depth;
      text += dims[i];
    }
    i += length;
  }
  return text;
}

std::string StackText(std::string_view stack) {
  std::string text;
  size_t frames = 0;
  while (!stack.empty() && frames < kStackFrames) {
    const size_t end = std::min(stack.find(';'), stack.size());
    const std::string_view frame = stack.substr(0, end);
    stack.remove_prefix(std::min(end + 1, stack.size()));
    const auto hides = [frame](const auto& words) {
      return frame.find(words.first) != std::string_view::npos &&
             frame.find(words.second) != std::string_view::npos;
    };
    if (frame.empty() || std::any_of(kHiddenFrames.begin(), kHiddenFrames.end(), hides)) continue;
    if (frames++ > 0) text += ';';
    text += frame;
  }
  return text;
}

}  // namespace

TorchTexts::TorchTexts(const Trace& trace)
    : trace_(trace),
      operator_names_(trace.strings.size()),
      other_names_(trace.strings.size()),
      shapes_(trace.strings.size()),
      stacks_(trace.strings.size()) {}

template <typename Rewrite>
StringId TorchTexts::Rewritten(Column<uint32_t>& known, StringId id, Rewrite rewrite) {
  const auto i = static_cast<uint32_t>(id);
  if (i >= known.size()) return kEmptyString;
  if (known[i] == 0) known[i] = static_cast<uint32_t>(shown_.Intern(rewrite(trace_.Text(id)))) + 1;
  return StringId{known[i] - 1};
}

StringId TorchTexts::Name(StringId id, bool is_operator) {
  return Rewritten(is_operator ? operator_names_ : other_names_, id, [&](std::string_view name) {
    if (name.starts_with("ProfilerStep#")) return std::string("ProfilerStep*");
    return std::string(is_operator ? WithoutOverload(name) : name);
  });
}

StringId TorchTexts::Shape(StringId input_dims) {
  return input_dims == kNoString ? shown_.Intern("[]") : Rewritten(shapes_, input_dims, ShapeText);
}

StringId TorchTexts::Stack(StringId call_stack) {
  return call_stack == kNoString ? kEmptyString : Rewritten(stacks_, call_stack, StackText);
}

}  // namespace telltale
