// SPDX-License-Identifier: Apache-2.0
#include "formats/collapsed/writer.h"

#include <algorithm>
#include <vector>

namespace telltale {

namespace {

// What would end a frame or a line is written as a colon or a blank.
std::string FrameText(const FunctionProfile& profile, const Function& function) {
  std::string text(profile.Text(function.name));
  const StringId place = function.file != kNoString ? function.file : function.module;
  if (place != kNoString) {
    text += " (";
    text += profile.Text(place);
    if (function.file != kNoString && function.line != kNoInt) {
      text += ":" + std::to_string(function.line);
    }
    text += ")";
  }
  std::ranges::replace(text, ';', ':');
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

Result<std::string> WriteCollapsed(const FunctionProfile& profile) {
  if (profile.shape != FunctionShape::kTree) {
    return Fail(
        ErrorCode::kUsage,
        "the profile holds totals of functions and of caller and callee, but no call paths; "
        "collapsed stacks cannot be made of it");
  }
  std::vector<std::string> frames;
  for (const Function& function : profile.functions) frames.push_back(FrameText(profile, function));
  std::string out;
  const CallTree& tree = profile.tree;
  std::vector<FunctionId> path;
  for (CallNodeId node = 0; node < tree.size(); ++node) {
    if (tree.self[node] <= 0) continue;
    path.clear();
    for (CallNodeId up = node; up != kNoCallNode; up = tree.parent[up]) {
      path.push_back(tree.function[up]);
    }
    for (size_t i = path.size(); i-- > 0;) {
      out += frames[path[i]];
      if (i > 0) out += ';';
    }
    out += ' ' + std::to_string(tree.self[node]) + '\n';
  }
  return out;
}

}  // namespace telltale
