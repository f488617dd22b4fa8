// SPDX-License-Identifier: Apache-2.0
// Function profiles as tables: what each function took, who called whom, and the tree of calls.
// Works on both shapes of a profile (model/function_profile.h) and on several profiles at once,
// whose functions are joined by file, line, name and module. Definitions:
// docs/analyses/functions.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/functions/threads.h"
#include "model/function_profile.h"

namespace telltale {

// What a function took, or what its calls by one caller took. Values are nanoseconds or whatever
// the table's unit says; none where the profile does not determine it.
struct FunctionValues {
  std::optional<int64_t> calls;
  std::optional<int64_t> primitive_calls;
  std::optional<int64_t> self;
  std::optional<int64_t> total;  // recursion counts once
  // The same in seconds with the file's own precision, for tables like pstats'.
  double self_s = 0;
  double total_s = 0;
};

struct FunctionRow {
  // File, line and name as stored; views into the profiles. No file: data() is nullptr.
  std::string_view file;
  int64_t line = kNoInt;
  std::string_view name;
  std::string_view module;  // likewise without data() where there is none
  FunctionValues values;
  // False: known as a caller only. Such rows are there for the pairs and are no functions to show.
  bool in_profile = true;
};

// One caller -> callee pair; both are rows.
struct CallRow {
  uint32_t caller = 0;
  uint32_t callee = 0;
  FunctionValues values;
};

// Where the time of libraries went when it was given to own code (own_code.h).
struct FoldedTime {
  int64_t library = 0;        // self time of library functions before
  int64_t undetermined = 0;   // of it: stays, because it is not known which own function caused it
  int64_t without_owner = 0;  // of it: stays, because no own function is above
};

struct FunctionTable {
  FunctionShape source = FunctionShape::kTree;
  ValueUnit unit = ValueUnit::kNanoseconds;
  int64_t total = 0;  // Σ self of all functions
  double total_s = 0;
  bool has_self = true;           // false: no function's own time is known, and so no total of all
  bool has_calls = false;         // who called whom is known
  bool has_modules = false;       // some row has one
  std::vector<FunctionRow> rows;  // in order of first occurrence
  std::vector<CallRow> calls;     // likewise
  CallTree tree;  // all paths, with rows as functions; only with_tree, and where source is kTree
  std::optional<FoldedTime> folded;
  // Profiles left out because they count in another unit than the first one.
  size_t left_out = 0;
};

struct FunctionOptions {
  bool strip_folders = false;  // join by the last part of the file's path
  bool with_calls = true;      // false: FunctionTable::calls stays empty
  bool with_tree = false;
  bool own_code = false;  // give the time of libraries to the own functions above them
  std::optional<ThreadChoice> thread = std::nullopt;  // this one alone
};

// The profiles must outlive the table.
[[nodiscard]] FunctionTable JoinFunctions(std::span<const FunctionProfile* const> profiles,
                                          const FunctionOptions& options = {});

// The rows that belong to one row: its callers or callees.
class CallIndex {
 public:
  enum class By : uint8_t { kCaller, kCallee };
  CallIndex(const FunctionTable& table, By by);
  // Indices into FunctionTable::calls.
  [[nodiscard]] std::span<const uint32_t> Of(uint32_t row) const {
    return std::span(calls_).subspan(first_[row], first_[row + 1] - first_[row]);
  }

 private:
  std::vector<uint32_t> first_;
  std::vector<uint32_t> calls_;
};

}  // namespace telltale
