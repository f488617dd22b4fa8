// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/own_code.h"

#include <algorithm>
#include <vector>

#include "analysis/core/sums.h"
#include "base/frame_name.h"
#include "base/origin.h"

namespace telltale {

namespace {

// Whose time a library function's is: the row of an own function, or one of these.
constexpr uint32_t kUnset = UINT32_MAX;
constexpr uint32_t kNobody = UINT32_MAX - 1;  // it is called from outside the profile
constexpr uint32_t kSeveral = UINT32_MAX - 2;

bool IsOwner(uint32_t owner) { return owner < kSeveral; }

uint32_t Join(uint32_t a, uint32_t b) {
  if (a == kUnset || a == b) return b;
  if (b == kUnset) return a;
  return kSeveral;
}

std::vector<bool> LibraryRows(const FunctionTable& table) {
  std::vector<bool> library(table.rows.size());
  for (size_t row = 0; row < table.rows.size(); ++row) {
    library[row] = IsLibrary(table.rows[row].file, table.rows[row].name);
  }
  return library;
}

// For each library row the one own function that all ways up lead to, if it is one. A value can
// only go from unset to an owner to several, so this ends after a few visits a pair.
std::vector<uint32_t> FindOwners(const FunctionTable& table, const std::vector<bool>& library) {
  std::vector<uint32_t> owner(table.rows.size(), kUnset);
  std::vector<int64_t> unexplained(table.rows.size());
  for (size_t row = 0; row < table.rows.size(); ++row) {
    unexplained[row] = table.rows[row].values.calls.value_or(0);
  }
  for (const CallRow& call : table.calls) {
    SubtractFrom(unexplained[call.callee], call.values.calls.value_or(0));
  }
  const CallIndex callees(table, CallIndex::By::kCaller);
  std::vector<uint32_t> changed;
  const auto give = [&](uint32_t row, uint32_t value) {
    const uint32_t joined = Join(owner[row], value);
    if (joined == owner[row]) return;
    owner[row] = joined;
    changed.push_back(row);
  };
  for (uint32_t row = 0; row < table.rows.size(); ++row) {
    if (!library[row]) continue;
    // Calls that no pair explains come from outside, and so does all of a caller that has no entry.
    if (unexplained[row] > 0 || !table.rows[row].in_profile) give(row, kNobody);
  }
  for (const CallRow& call : table.calls) {
    if (library[call.callee] && !library[call.caller]) give(call.callee, call.caller);
  }
  while (!changed.empty()) {
    const uint32_t row = changed.back();
    changed.pop_back();
    for (const uint32_t call : callees.Of(row)) {
      const uint32_t callee = table.calls[call].callee;
      if (library[callee]) give(callee, owner[row]);
    }
  }
  std::replace(owner.begin(), owner.end(), kUnset, kNobody);
  return owner;
}

void Give(FunctionValues& to, int64_t ns, double seconds) {
  if (to.self) AddTo(*to.self, ns);
  to.self_s += seconds;
}

}  // namespace

bool IsLibrary(std::string_view file, std::string_view name) { return !OriginOf(file, name).own; }

bool IsLibraryFrame(std::string_view frame) {
  if (frame.starts_with("nn.Module:")) return true;
  const FrameName parts = SplitFrameName(frame);
  return IsLibrary(parts.file, parts.name);
}

CallTree FoldTree(const FunctionProfile& profile, const CallTree& tree, FoldedTime& folded) {
  std::vector<bool> library(profile.functions.size());
  for (size_t f = 0; f < profile.functions.size(); ++f) {
    const Function& function = profile.functions[f];
    const std::string_view file =
        function.file == kNoString ? std::string_view() : profile.Text(function.file);
    library[f] = IsLibrary(function.file == kNoString || file.data() != nullptr ? file : "",
                           profile.Text(function.name));
  }
  CallTree out;
  std::vector<uint32_t> place(tree.size());  // where the node's time goes
  std::vector<bool> own_above(tree.size());  // the node is own, or has an own node above
  for (size_t node = 0; node < tree.size(); ++node) {
    const uint32_t parent = tree.parent[node];
    const bool own = !library[tree.function[node]];
    const bool below_own = parent != kNoCallNode && own_above[parent];
    own_above[node] = own || below_own;
    if (!own) {
      AddTo(folded.library, tree.self[node]);
      if (!below_own) AddTo(folded.without_owner, tree.self[node]);
    }
    if (!own && below_own) {
      place[node] = place[parent];
      AddTo(out.self[place[node]], tree.self[node]);
      continue;
    }
    place[node] = static_cast<uint32_t>(out.size());
    out.parent.push_back(parent == kNoCallNode ? kNoCallNode : place[parent]);
    out.function.push_back(tree.function[node]);
    out.self.push_back(tree.self[node]);
    out.calls.push_back(tree.calls[node]);
  }
  return out;
}

void FoldPairs(FunctionTable& table) {
  const std::vector<bool> library = LibraryRows(table);
  const std::vector<uint32_t> owner = FindOwners(table, library);
  const CallIndex callers(table, CallIndex::By::kCallee);
  FoldedTime folded;
  // A pair's time belongs to its caller, or to whoever owns that.
  const auto owner_of = [&](const CallRow& call) {
    return library[call.caller] ? owner[call.caller] : call.caller;
  };
  for (uint32_t row = 0; row < table.rows.size(); ++row) {
    FunctionRow& callee = table.rows[row];
    if (!library[row] || !callee.in_profile) continue;
    const int64_t self = callee.values.self.value_or(0);
    AddTo(folded.library, self);
    if (IsOwner(owner[row])) {
      Give(table.rows[owner[row]].values, self, callee.values.self_s);
      callee.in_profile = false;
      continue;
    }
    int64_t left = self;
    int64_t several = 0;
    double left_s = callee.values.self_s;
    std::optional<int64_t> left_calls = callee.values.calls;
    bool all_given = owner[row] == kSeveral;  // no calls from outside
    uint32_t largest = kUnset;
    int64_t largest_self = -1;
    for (const uint32_t index : callers.Of(row)) {
      const CallRow& call = table.calls[index];
      const uint32_t to = owner_of(call);
      if (!IsOwner(to) || !call.values.self) {
        all_given = false;
        if (to == kSeveral || !call.values.self) AddTo(several, call.values.self.value_or(0));
        continue;
      }
      Give(table.rows[to].values, *call.values.self, call.values.self_s);
      SubtractFrom(left, *call.values.self);
      left_s -= call.values.self_s;
      if (left_calls && call.values.calls) SubtractFrom(*left_calls, *call.values.calls);
      if (*call.values.self > largest_self) {
        largest_self = *call.values.self;
        largest = to;
      }
    }
    if (all_given && left_calls.value_or(0) <= 0 && largest != kUnset) {
      // What is left is the rounding of each pair to nanoseconds.
      Give(table.rows[largest].values, left, left_s);
      callee.in_profile = false;
      continue;
    }
    left = std::max<int64_t>(left, 0);
    // Without times of pairs nothing says how much came from where.
    const bool no_times = several == 0 && owner[row] == kSeveral && largest == kUnset;
    const int64_t undetermined = no_times ? left : std::min(several, left);
    AddTo(folded.undetermined, undetermined);
    AddTo(folded.without_owner, left - undetermined);
    if (left != self) callee.values.total.reset();
    callee.values.self = left;
    callee.values.self_s = std::max(left_s, 0.0);
    callee.values.calls = left_calls;
    callee.values.primitive_calls.reset();
  }
  // Own functions called through a library are called by its owner.
  std::vector<CallRow> calls;
  for (CallRow call : table.calls) {
    if (library[call.callee]) {
      // Only what is still shown has callers: those whose part was not given away.
      if (!table.rows[call.callee].in_profile || IsOwner(owner_of(call))) continue;
    } else if (library[call.caller] && IsOwner(owner[call.caller])) {
      call.caller = owner[call.caller];
    }
    calls.push_back(call);
  }
  // Pairs that are one now. The totals of several may lie within each other: not known.
  std::stable_sort(calls.begin(), calls.end(), [](const CallRow& a, const CallRow& b) {
    return a.callee != b.callee ? a.callee < b.callee : a.caller < b.caller;
  });
  table.calls.clear();
  for (const CallRow& call : calls) {
    if (!table.calls.empty() && table.calls.back().caller == call.caller &&
        table.calls.back().callee == call.callee) {
      FunctionValues& sum = table.calls.back().values;
      if (sum.calls && call.values.calls) AddTo(*sum.calls, *call.values.calls);
      if (sum.self && call.values.self) {
        AddTo(*sum.self, *call.values.self);
      } else {
        sum.self.reset();
      }
      sum.primitive_calls.reset();
      sum.total.reset();
      continue;
    }
    table.calls.push_back(call);
  }
  table.folded = folded;
}

}  // namespace telltale
