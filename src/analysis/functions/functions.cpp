// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/functions.h"

#include <cmath>
#include <numeric>

#include "analysis/core/sums.h"
#include "analysis/functions/call_tree_walk.h"
#include "analysis/functions/own_code.h"
#include "base/cancel.h"
#include "base/hash_index.h"
#include "base/large_pages.h"
#include "base/string_pool.h"

namespace telltale {

namespace {

constexpr double kNsPerSecond = 1e9;

int64_t ToNs(double seconds) { return static_cast<int64_t>(std::llrint(seconds * kNsPerSecond)); }

bool SameText(std::string_view a, std::string_view b) {
  return a == b && (a.data() == nullptr) == (b.data() == nullptr);
}

std::string_view TextOrNone(const FunctionProfile& profile, StringId id) {
  if (id == kNoString) return {};
  const std::string_view text = profile.Text(id);
  return text.data() == nullptr ? std::string_view("") : text;
}

std::string_view LastPart(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

void AddOptional(std::optional<int64_t>& sum, std::optional<int64_t> value) {
  if (!sum || !value) {
    sum.reset();
  } else {
    AddTo(*sum, *value);
  }
}

void AddValues(FunctionValues& sum, const FunctionValues& values) {
  AddOptional(sum.calls, values.calls);
  AddOptional(sum.primitive_calls, values.primitive_calls);
  AddOptional(sum.self, values.self);
  AddOptional(sum.total, values.total);
  sum.self_s += values.self_s;
  sum.total_s += values.total_s;
}

std::optional<int64_t> CountOrNone(int64_t count) {
  return count == kNoInt ? std::nullopt : std::optional(count);
}

FunctionValues ValuesOf(const CallTotals& totals, bool has_self) {
  return {CountOrNone(totals.calls),
          CountOrNone(totals.primitive_calls),
          has_self ? std::optional(ToNs(totals.self_s)) : std::nullopt,
          ToNs(totals.total_s),
          totals.self_s,
          totals.total_s};
}

FunctionValues CountsOf(const CallTotals& totals) {
  FunctionValues values;
  values.calls = totals.calls;
  values.primitive_calls = totals.primitive_calls;
  return values;
}

class Joiner {
 public:
  // `expected`: functions of all profiles.
  Joiner(FunctionTable& table, const FunctionOptions& options, size_t expected,
         bool several_profiles)
      : table_(table), options_(options), distinct_(!options.strip_folders && !several_profiles) {
    ReserveLarge(table.rows, expected);
    if (!distinct_) rows_.Reserve(expected);
  }

  void AddPairs(const FunctionProfile& profile);
  void AddTree(const FunctionProfile& profile, const CallTree& tree);

 private:
  uint32_t RowOf(const FunctionProfile& profile, const Function& function);
  uint32_t CallOf(uint32_t caller, uint32_t callee);
  uint32_t NodeOf(uint32_t parent, uint32_t row);

  FunctionTable& table_;
  const FunctionOptions& options_;
  HashIndex rows_;  // of table_.rows, and so on
  HashIndex calls_;
  HashIndex nodes_;
  bool distinct_;  // no two functions can be one row: nothing to look for
};

uint32_t Joiner::RowOf(const FunctionProfile& profile, const Function& function) {
  FunctionRow row;
  row.file = TextOrNone(profile, function.file);
  if (options_.strip_folders && row.file.data() != nullptr) row.file = LastPart(row.file);
  row.line = function.line;
  row.name = TextOrNone(profile, function.name);
  row.module = TextOrNone(profile, function.module);
  row.values = {0, 0, 0, 0, 0, 0};
  row.in_profile = false;
  if (distinct_) {
    table_.rows.push_back(row);
    return static_cast<uint32_t>(table_.rows.size() - 1);
  }
  const uint64_t hash =
      MixHash(MixHash(StringPool::Hash(row.file), StringPool::Hash(row.name)),
              MixHash(static_cast<uint64_t>(row.line), StringPool::Hash(row.module)));
  return rows_.FindOrAdd(
      hash,
      [&](uint32_t other) {
        const FunctionRow& known = table_.rows[other];
        return known.line == row.line && SameText(known.name, row.name) &&
               SameText(known.file, row.file) && SameText(known.module, row.module);
      },
      [&] { table_.rows.push_back(row); });
}

uint32_t Joiner::CallOf(uint32_t caller, uint32_t callee) {
  return calls_.FindOrAdd(
      MixHash(caller, callee),
      [&](uint32_t other) {
        return table_.calls[other].caller == caller && table_.calls[other].callee == callee;
      },
      [&] { table_.calls.push_back({caller, callee, {0, 0, 0, 0, 0, 0}}); });
}

uint32_t Joiner::NodeOf(uint32_t parent, uint32_t row) {
  CallTree& tree = table_.tree;
  return nodes_.FindOrAdd(
      MixHash(parent, row),
      [&](uint32_t other) { return tree.parent[other] == parent && tree.function[other] == row; },
      [&] {
        tree.parent.push_back(parent);
        tree.function.push_back(row);
        tree.self.push_back(0);
        tree.calls.push_back(0);
      });
}

void Joiner::AddPairs(const FunctionProfile& profile) {
  std::vector<uint32_t> row_of;
  row_of.reserve(profile.functions.size());
  for (size_t f = 0; f < profile.functions.size(); ++f) {
    row_of.push_back(RowOf(profile, profile.functions[f]));
    if (f >= profile.totals.size() || !profile.totals[f].in_profile) continue;
    FunctionRow& row = table_.rows[row_of[f]];
    row.in_profile = true;
    AddValues(row.values, ValuesOf(profile.totals[f], profile.has_self));
  }
  if (!options_.with_calls) return;
  for (const CallPair& pair : profile.pairs) {
    if (pair.caller >= row_of.size() || pair.callee >= row_of.size()) continue;
    CallRow& call = table_.calls[CallOf(row_of[pair.caller], row_of[pair.callee])];
    AddValues(call.values, pair.has_times ? ValuesOf(pair.totals, true) : CountsOf(pair.totals));
  }
}

// A function's total is the time of its outermost activations, and a pair's that of the outermost
// calls by that caller: one walk down the tree counts how many of each are open.
void Joiner::AddTree(const FunctionProfile& profile, const CallTree& tree) {
  std::vector<uint32_t> row_of;
  row_of.reserve(profile.functions.size());
  for (const Function& function : profile.functions) row_of.push_back(RowOf(profile, function));
  const auto count = static_cast<uint32_t>(tree.size());
  std::vector<int64_t> total(tree.self.begin(), tree.self.end());
  for (uint32_t node = count; node-- > 0;) {
    if (tree.parent[node] != kNoCallNode) AddTo(total[tree.parent[node]], total[node]);
  }
  if (options_.with_tree) {
    std::vector<uint32_t> joined(count);
    for (uint32_t node = 0; node < count; ++node) {
      const uint32_t parent =
          tree.parent[node] == kNoCallNode ? kNoCallNode : joined[tree.parent[node]];
      joined[node] = NodeOf(parent, row_of[tree.function[node]]);
      AddTo(table_.tree.self[joined[node]], tree.self[node]);
      uint64_t& calls = table_.tree.calls[joined[node]];
      calls = calls == kNoUint || tree.calls[node] == kNoUint ? kNoUint : calls + tree.calls[node];
    }
  }
  const CallTreeChildren children(tree);
  std::vector<uint32_t> open_rows(table_.rows.size());
  std::vector<uint32_t> open_calls;
  std::vector<uint32_t> call_of(options_.with_calls ? count : 0, UINT32_MAX);

  const auto add = [&](uint32_t node, bool outermost, FunctionValues& values) {
    const bool counted = tree.calls[node] != kNoUint;
    const std::optional<int64_t> calls =
        counted ? std::optional(static_cast<int64_t>(tree.calls[node])) : std::nullopt;
    const int64_t all = outermost ? total[node] : 0;
    AddValues(values, {calls, outermost || !counted ? calls : std::optional<int64_t>(0),
                       tree.self[node], all, static_cast<double>(tree.self[node]) / kNsPerSecond,
                       static_cast<double>(all) / kNsPerSecond});
  };
  CancelCheck cancel;
  children.Walk(
      [&](uint32_t node) {
        cancel.Tick();
        const uint32_t row = row_of[tree.function[node]];
        table_.rows[row].in_profile = true;
        add(node, open_rows[row]++ == 0, table_.rows[row].values);
        const uint32_t parent = tree.parent[node];
        if (!options_.with_calls || parent == kNoCallNode) return;
        const uint32_t call = CallOf(row_of[tree.function[parent]], row);
        call_of[node] = call;
        if (call >= open_calls.size()) open_calls.resize(call + 1);
        add(node, open_calls[call]++ == 0, table_.calls[call].values);
      },
      [&](uint32_t node) {
        --open_rows[row_of[tree.function[node]]];
        if (options_.with_calls && call_of[node] != UINT32_MAX) --open_calls[call_of[node]];
      });
}

}  // namespace

FunctionTable JoinFunctions(std::span<const FunctionProfile* const> profiles,
                            const FunctionOptions& options) {
  FunctionTable table;
  if (profiles.empty()) return table;
  table.unit = profiles.front()->unit;
  size_t expected = 0;
  bool all_trees = true;
  for (const FunctionProfile* profile : profiles) {
    expected += profile->functions.size();
    if (profile->unit == table.unit) all_trees &= profile->shape == FunctionShape::kTree;
  }
  table.source = all_trees ? FunctionShape::kTree : FunctionShape::kPairs;
  FunctionOptions joining = options;
  joining.with_tree &= all_trees;
  // Folding pairs needs them.
  joining.with_calls |= options.own_code && !all_trees;
  const bool fold_trees = options.own_code && all_trees;
  if (fold_trees) table.folded.emplace();
  Joiner joiner(table, joining, expected, profiles.size() > 1);
  for (const FunctionProfile* profile : profiles) {
    if (options.thread && profile != profiles[options.thread->profile]) continue;
    if (profile->unit != table.unit) {
      ++table.left_out;
      continue;
    }
    table.has_calls |= profile->shape == FunctionShape::kTree || profile->has_pairs;
    if (profile->shape == FunctionShape::kPairs) {
      joiner.AddPairs(*profile);
      continue;
    }
    CallTree of_thread;
    if (options.thread) of_thread = TreeOfThread(*profile, options.thread->thread);
    const CallTree& tree = options.thread ? of_thread : profile->tree;
    if (fold_trees) {
      joiner.AddTree(*profile, FoldTree(*profile, tree, *table.folded));
    } else {
      joiner.AddTree(*profile, tree);
    }
  }
  if (options.own_code && !all_trees) FoldPairs(table);
  table.has_self = table.rows.empty();
  for (const FunctionRow& row : table.rows) {
    table.has_modules |= row.module.data() != nullptr;
    if (!row.in_profile) continue;
    table.has_self |= row.values.self.has_value();
    AddTo(table.total, row.values.self.value_or(0));
    table.total_s += row.values.self_s;
  }
  return table;
}

CallIndex::CallIndex(const FunctionTable& table, By by) : first_(table.rows.size() + 1) {
  const auto key = [&](const CallRow& call) {
    return by == By::kCaller ? call.caller : call.callee;
  };
  for (const CallRow& call : table.calls) ++first_[key(call) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  calls_.resize(table.calls.size());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for (uint32_t i = 0; i < table.calls.size(); ++i) calls_[next[key(table.calls[i])]++] = i;
}

}  // namespace telltale
