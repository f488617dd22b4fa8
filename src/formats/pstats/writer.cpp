// SPDX-License-Identifier: Apache-2.0
#include "formats/pstats/writer.h"

#include <bit>
#include <span>
#include <unordered_map>
#include <vector>

namespace telltale {

namespace {

// What a .prof holds: totals of functions, and of pairs in any order.
struct Statistics {
  std::vector<FunctionTotals> totals;
  std::vector<CallPair> pairs;
};

// One walk down the tree. A function's time is that of its outermost activations, a pair's that of
// its outermost calls: the counters say how many are open.
class TreeSummary {
 public:
  explicit TreeSummary(const FunctionProfile& profile)
      : profile_(profile), open_(profile.functions.size()) {
    out_.totals.resize(profile.functions.size());
    for (FunctionTotals& totals : out_.totals) totals.in_profile = false;
  }

  Statistics Take() {
    const CallTree& tree = profile_.tree;
    const size_t count = tree.size();
    std::vector<double> total_s(count);
    for (size_t node = count; node-- > 0;) {
      total_s[node] += Seconds(tree.self[node]);
      if (tree.parent[node] != kNoCallNode) total_s[tree.parent[node]] += total_s[node];
    }
    // First child and next sibling, in the order of the nodes.
    std::vector<uint32_t> first(count, kNoCallNode);
    std::vector<uint32_t> next(count, kNoCallNode);
    uint32_t first_root = kNoCallNode;
    for (size_t node = count; node-- > 0;) {
      uint32_t& head = tree.parent[node] == kNoCallNode ? first_root : first[tree.parent[node]];
      next[node] = head;
      head = static_cast<uint32_t>(node);
    }
    std::vector<uint32_t> path;
    std::vector<size_t> pair_of;
    for (uint32_t node = first_root; node != kNoCallNode || !path.empty();) {
      if (node != kNoCallNode) {
        path.push_back(node);
        pair_of.push_back(Enter(node, total_s[node]));
        node = first[node];
        continue;
      }
      node = path.back();
      --open_[tree.function[node]];
      if (pair_of.back() != SIZE_MAX) --open_pairs_[pair_of.back()];
      path.pop_back();
      pair_of.pop_back();
      node = next[node];
    }
    return std::move(out_);
  }

 private:
  static double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

  void Add(uint32_t node, double total_s, bool outermost, CallTotals& totals) const {
    const uint64_t counted = profile_.tree.calls[node];
    const int64_t calls = counted == kNoUint ? 0 : static_cast<int64_t>(counted);
    totals.calls += calls;
    totals.self_s += Seconds(profile_.tree.self[node]);
    if (!outermost) return;
    totals.primitive_calls += calls;
    totals.total_s += total_s;
  }

  // The node's pair; SIZE_MAX for roots.
  size_t Enter(uint32_t node, double total_s) {
    const CallTree& tree = profile_.tree;
    const FunctionId callee = tree.function[node];
    out_.totals[callee].in_profile = true;
    Add(node, total_s, open_[callee]++ == 0, out_.totals[callee]);
    if (tree.parent[node] == kNoCallNode) return SIZE_MAX;
    const FunctionId caller = tree.function[tree.parent[node]];
    const auto [at, is_new] =
        pairs_.try_emplace(uint64_t{caller} << 32 | callee, out_.pairs.size());
    if (is_new) {
      CallPair pair;
      pair.caller = caller;
      pair.callee = callee;
      out_.pairs.push_back(pair);
      open_pairs_.push_back(0);
    }
    Add(node, total_s, open_pairs_[at->second]++ == 0, out_.pairs[at->second].totals);
    return at->second;
  }

  const FunctionProfile& profile_;
  Statistics out_;
  std::vector<uint32_t> open_;
  std::vector<uint32_t> open_pairs_;
  std::unordered_map<uint64_t, size_t> pairs_;
};

class Writer {
 public:
  explicit Writer(const FunctionProfile& profile) : profile_(profile) {}

  Result<std::string> Write(std::span<const FunctionTotals> totals_of,
                            std::span<const CallPair> pairs) {
    // Callers of each function, in the order of the pairs.
    std::vector<std::vector<uint32_t>> callers(profile_.functions.size());
    for (uint32_t i = 0; i < pairs.size(); ++i) {
      callers[pairs[i].callee].push_back(i);
    }
    out_ += '{';
    for (FunctionId f = 0; f < profile_.functions.size(); ++f) {
      const FunctionTotals& totals = totals_of[f];
      if (!totals.in_profile) continue;
      Key(f);
      Tuple(5);
      Integer(totals.primitive_calls);
      Integer(totals.calls);
      Float(totals.self_s);
      Float(totals.total_s);
      out_ += '{';
      for (const uint32_t i : callers[f]) Caller(pairs[i]);
      out_ += '0';
    }
    out_ += '0';
    if (too_long_) {
      return Fail(ErrorCode::kUsage,
                  "a name of the profile is longer than 2 GiB: a .prof file cannot hold it");
    }
    return std::move(out_);
  }

 private:
  void Word(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out_ += static_cast<char>(value >> (8 * i));
  }
  void Tuple(uint32_t count) {
    out_ += '(';
    Word(count, 4);
  }
  void Integer(int64_t value) {
    if (value == kNoInt) value = 0;  // not counted
    if (value >= INT32_MIN && value <= INT32_MAX) {
      out_ += 'i';
      return Word(static_cast<uint32_t>(value), 4);
    }
    uint64_t magnitude =
        value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    std::vector<uint16_t> digits;
    for (; magnitude > 0; magnitude >>= 15) digits.push_back(magnitude & 0x7FFF);
    out_ += 'l';
    const auto count = static_cast<int32_t>(digits.size());
    Word(static_cast<uint32_t>(value < 0 ? -count : count), 4);
    for (const uint16_t digit : digits) Word(digit, 2);
  }
  void Float(double value) {
    out_ += 'g';
    Word(std::bit_cast<uint64_t>(value), 8);
  }
  // An interned text: the native str of Python 2 and of Python 3.
  void Text(std::string_view text) {
    if (text.size() > INT32_MAX) {
      too_long_ = true;
      text = {};
    }
    out_ += 't';
    Word(text.size(), 4);
    out_ += text;
  }
  // What has no file is listed as built-in functions are.
  void Key(FunctionId f) {
    const Function& function = profile_.functions[f];
    Tuple(3);
    Text(function.file == kNoString ? "~" : profile_.Text(function.file));
    Integer(function.line == kNoInt ? 0 : function.line);
    Text(profile_.Text(function.name));
  }
  void Caller(const CallPair& pair) {
    Key(pair.caller);
    if (!pair.has_times) return Integer(pair.totals.calls);
    Tuple(4);
    Integer(pair.totals.calls);
    Integer(pair.totals.primitive_calls);
    Float(pair.totals.self_s);
    Float(pair.totals.total_s);
  }

  const FunctionProfile& profile_;
  std::string out_;
  bool too_long_ = false;
};

}  // namespace

Result<std::string> WritePstats(const FunctionProfile& profile) {
  if (profile.unit != ValueUnit::kNanoseconds) {
    return Fail(ErrorCode::kUsage, "a .prof file holds times, but this profile counts " +
                                       std::string(NameOf(profile.unit)) +
                                       "; convert it to speedscope or collapsed stacks instead");
  }
  if (profile.shape == FunctionShape::kTree) {
    const Statistics statistics = TreeSummary(profile).Take();
    return Writer(profile).Write(statistics.totals, statistics.pairs);
  }
  return Writer(profile).Write(profile.totals, profile.pairs.span());
}

}  // namespace telltale
