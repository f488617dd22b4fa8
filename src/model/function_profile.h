// SPDX-License-Identifier: Apache-2.0
// A profile of functions: what .prof files, samplers and tracers know of a program. Two shapes, and
// a profile says which one it has:
//   kTree   the file holds call paths: a calling-context tree with what each path itself took.
//           Everything else (totals, callers, callees) follows from it.
//   kPairs  the file holds totals of each function and of each caller -> callee pair, as cProfile's
//           does. What a longer path took is not in it and is never made up.
// No parsing and no I/O here. Values are nanoseconds, or what `unit` says.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/hash_index.h"
#include "base/string_pool.h"
#include "model/profile_source.h"

namespace telltale {

using FunctionId = uint32_t;  // index into FunctionProfile::functions
using CallNodeId = uint32_t;  // index into CallTree
constexpr uint32_t kNoFunction = UINT32_MAX;
constexpr uint32_t kNoCallNode = UINT32_MAX;

// File, line and name exactly as stored; kNoString and kNoInt where the format has none.
struct Function {
  StringId file = kNoString;
  int64_t line = kNoInt;
  StringId name = kEmptyString;
  StringId module = kNoString;  // shared object, package, mapping

  friend bool operator==(const Function&, const Function&) = default;
};

enum class FunctionShape : uint8_t { kTree, kPairs };
enum class ValueUnit : uint8_t { kNanoseconds, kSamples, kBytes, kCount };
[[nodiscard]] std::string_view NameOf(FunctionShape shape);  // "tree", "pairs"
[[nodiscard]] std::string_view NameOf(ValueUnit unit);       // "ns", "samples", "bytes", "count"

// Each node is one call path; a parent stands before its children. Roots have no parent: the first
// frames of a thread.
struct CallTree {
  Column<CallNodeId> parent;  // kNoCallNode for roots
  Column<FunctionId> function;
  Column<int64_t> self;    // what the path itself took, without its children
  Column<uint64_t> calls;  // kNoUint: the format does not count calls (samplers)
  [[nodiscard]] size_t size() const { return parent.size(); }
};

// A stretch of one thread's time in which the same path was on top: keeps the order of events where
// the file has it. Empty for formats that only have sums.
struct TopOfStack {
  CallNodeId node = kNoCallNode;  // kNoCallNode: nothing ran
  uint32_t thread = 0;            // index into FunctionProfile::threads
  int64_t start = 0;              // since the thread's first event
  int64_t length = 0;
};

// A part of the timeline within which the file has sums without an order: its stretches lie there
// one behind the other, and are cut out of the whole together. Times are since the profile's start.
struct TimeSlot {
  int64_t start = 0;
  int64_t end = 0;
  size_t first = 0;  // of its stretches; the last is before the next slot's first
};

// Times of kPairs as the file has them: seconds in double precision, so that tables can print what
// pstats prints. The *_ns of reports are round(seconds × 10⁹).
struct CallTotals {
  int64_t calls = 0;            // nc: all
  int64_t primitive_calls = 0;  // cc: not recursive
  double self_s = 0;            // tt
  double total_s = 0;           // ct: outermost activations only
};

struct FunctionTotals : CallTotals {
  // False: the file names the function as a caller only, so these are not known.
  bool in_profile = true;
};

struct CallPair {
  FunctionId caller = kNoFunction;
  FunctionId callee = kNoFunction;
  // Of the calls from this caller. The pure-Python profiler counts calls only: has_times is false.
  CallTotals totals;
  bool has_times = true;
};

struct FunctionProfile {
  ProfileSource source;
  Diagnostics diagnostics;
  StringPool strings;

  FunctionShape shape = FunctionShape::kTree;
  ValueUnit unit = ValueUnit::kNanoseconds;
  std::vector<Function> functions;   // no two are equal
  std::vector<std::string> threads;  // names; empty where the format has none
  int64_t start_ns = kNoInt;         // since 1970, where the file says so

  // kTree
  CallTree tree;
  std::vector<TopOfStack> timeline;
  // Since the profile's start, of each thread: from where its stretches count. Empty: not known, so
  // that what ran at a moment cannot be told.
  std::vector<int64_t> thread_starts;
  std::vector<TimeSlot> slots;  // empty: stretches are where they were
  // Of each stretch: in which line the innermost function that has a file was; 0: not known. Empty:
  // the format does not have it.
  std::vector<uint32_t> lines;

  // kPairs: totals has one entry per function; pairs in file order. Reports of text may lack what
  // .prof files have: calls and primitive_calls are kNoInt then, and has_self is false where no
  // function has a time of its own.
  bool has_self = true;
  std::vector<FunctionTotals> totals;
  Column<CallPair> pairs;
  bool has_pairs = false;  // the file has some, whether or not they were kept

  [[nodiscard]] std::string_view Text(StringId id) const { return strings.Get(id); }
  // About.
  [[nodiscard]] size_t memory_bytes() const;
};

// Adds paths to a tree, frame by frame: equal paths are one node. For readers.
class CallTreeBuilder {
 public:
  explicit CallTreeBuilder(FunctionProfile& profile) : profile_(profile) {}
  // Room for that many functions in all.
  void Reserve(size_t functions);
  // The function with these facts, made on first use.
  FunctionId FunctionOf(std::string_view file, int64_t line, std::string_view name,
                        std::string_view module = {});
  // Likewise, with texts of the profile's own pool.
  FunctionId FunctionOf(const Function& function);
  // Many at once, which waits less for memory; `ids` has as many places.
  void FunctionsOf(std::span<const Function> functions, FunctionId* ids);
  // The child of `parent` (kNoCallNode: a root) for a function, made on first use with zero values.
  CallNodeId Child(CallNodeId parent, FunctionId function);
  // Beside the profile's own.
  [[nodiscard]] size_t memory_bytes() const {
    return functions_.memory_bytes() + nodes_.memory_bytes();
  }

 private:
  FunctionId FunctionOf(const Function& function, uint64_t hash);

  FunctionProfile& profile_;
  HashIndex functions_;
  HashIndex nodes_;
};

}  // namespace telltale
