// SPDX-License-Identifier: Apache-2.0
#include "formats/function_dump.h"

#include <cstdlib>
#include <iostream>
#include <memory>

#include "formats/collapsed/reader.h"
#include "formats/collapsed/writer.h"
#include "formats/speedscope/reader.h"
#include "formats/speedscope/writer.h"

namespace telltale {

namespace {

std::string Number(int64_t value) { return value == kNoInt ? "-" : std::to_string(value); }
std::string Number(uint64_t value) { return value == kNoUint ? "-" : std::to_string(value); }

void Check(bool good, const std::string& what) {
  if (good) return;
  std::cerr << what << '\n';
  std::abort();
}

std::string Outcome(const Result<FunctionProfile>& profile) {
  return profile ? DumpFunctions(*profile) : "error: " + profile.error().message;
}

}  // namespace

std::string DumpFunctions(const FunctionProfile& profile) {
  std::string out = std::string(NameOf(profile.shape)) + " of " +
                    std::string(NameOf(profile.unit)) + ", " +
                    std::to_string(profile.source.events) + " events, " +
                    std::to_string(profile.source.decoded_bytes) + " bytes, start " +
                    Number(profile.start_ns) + "\n";
  for (const std::string& thread : profile.threads) out += "thread " + thread + "\n";
  for (const Function& function : profile.functions) {
    out += "function ";
    out += profile.Text(function.name);
    out += function.file == kNoString ? "" : " file ";
    out += profile.Text(function.file);
    out += " line " + Number(function.line);
    out += function.module == kNoString ? "" : " module ";
    out += profile.Text(function.module);
    out += "\n";
  }
  for (size_t node = 0; node < profile.tree.size(); ++node) {
    const CallNodeId parent = profile.tree.parent[node];
    out += "node " + (parent == kNoCallNode ? "-" : std::to_string(parent)) + " " +
           std::to_string(profile.tree.function[node]) + " " +
           std::to_string(profile.tree.self[node]) + " " + Number(profile.tree.calls[node]) + "\n";
  }
  for (const TopOfStack& top : profile.timeline) {
    out += "top " + std::to_string(top.node) + " " + std::to_string(top.thread) + " " +
           std::to_string(top.start) + " " + std::to_string(top.length) + "\n";
  }
  for (const FunctionTotals& totals : profile.totals) {
    out += "totals " + Number(totals.calls) + " " + Number(totals.primitive_calls) + " " +
           std::to_string(totals.self_s) + " " + std::to_string(totals.total_s) + "\n";
  }
  for (const Diagnostic& diagnostic : profile.diagnostics.entries()) {
    out += "diagnostic " + std::string(InfoOf(diagnostic.kind).name) + " " +
           std::to_string(diagnostic.count) + " " +
           (diagnostic.first_offset ? std::to_string(*diagnostic.first_offset) : "-") + "\n";
  }
  return out;
}

std::string CheckFunctions(const FunctionProfile& profile) {
  const CallTree& tree = profile.tree;
  const size_t size = tree.size();
  if (tree.function.size() != size || tree.self.size() != size || tree.calls.size() != size) {
    return "the columns of the tree differ in length";
  }
  for (size_t node = 0; node < size; ++node) {
    if (tree.parent[node] != kNoCallNode && tree.parent[node] >= node) {
      return "a node stands before its parent";
    }
    if (tree.function[node] >= profile.functions.size()) return "a node has no function";
    if (tree.self[node] < 0) return "a path has a negative value of its own";
  }
  for (const TopOfStack& top : profile.timeline) {
    if (top.node >= size) return "a stretch of the timeline has no node";
    if (top.thread >= profile.threads.size()) return "a stretch of the timeline has no thread";
    if (top.length <= 0 || top.start < 0) return "a stretch of the timeline has no length";
  }
  if (profile.shape == FunctionShape::kTree) {
    if (!profile.totals.empty() || !profile.pairs.empty()) return "a tree has totals";
  } else {
    if (size != 0) return "a profile of pairs has a tree";
    if (profile.totals.size() != profile.functions.size()) return "a function has no totals";
  }
  return {};
}

Result<FunctionProfile> ReadFunctions(const FunctionFormat& format, std::string_view text,
                                      size_t chunk, const ReadOptions& options) {
  const std::unique_ptr<ByteSource> source = OpenMemory(text, chunk);
  return format.read(*source, options);
}

std::string PathsOf(const FunctionProfile& profile) {
  const Result<std::string> text = WriteCollapsed(profile);
  if (!text) return text.error().message;
  return text->substr(text->find('\n') + 1);
}

void FuzzFunctionFormat(const FunctionFormat& format, const uint8_t* data, size_t size) {
  if (size < 1) return;
  ReadOptions pieces;
  pieces.block_bytes = size_t{1} + data[0] * 3U;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)format.matches(text.substr(0, kHeadBytes), "");
  const Result<FunctionProfile> whole = ReadFunctions(format, text);
  const std::string expected = Outcome(whole);
  const std::string found = Outcome(ReadFunctions(format, text, 7, pieces));
  Check(expected == found, "in pieces it differs:\n" + expected + "--- in pieces:\n" + found);
  if (!whole) return;
  const std::string broken = CheckFunctions(*whole);
  Check(broken.empty(), broken + ":\n" + expected);
  if (whole->shape != FunctionShape::kTree) return;
  const Result<std::string> speedscope = WriteSpeedscope(*whole);
  Check(speedscope.has_value(), "no speedscope file of a tree");
  const Result<FunctionProfile> again = ReadFunctions(SpeedscopeFormat(), *speedscope);
  Check(again.has_value(), "our own speedscope file cannot be read:\n" + *speedscope);
  Check(WriteCollapsed(*whole).has_value(), "no collapsed stacks of a tree");
}

}  // namespace telltale
