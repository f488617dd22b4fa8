// SPDX-License-Identifier: Apache-2.0
// What was asked of a function profile: how to sort and restrict its rows, in our names and in
// those of Python's pstats. Checked before anything is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/functions/functions.h"
#include "base/pattern.h"
#include "base/result.h"
#include "views/functions/between.h"
#include "views/params.h"

namespace telltale {

enum class FunctionField : uint8_t {
  kFile,
  kLine,
  kName,
  kStandardName,
  kCalls,
  kPrimitiveCalls,
  kSelf,
  kTotal,
};

// Numbers go down, texts and lines go up, as pstats has it.
struct FunctionOrder {
  std::vector<FunctionField> fields;
  std::string title;  // as pstats says it: "internal time"
  bool reverse = false;
};

// One step of a selection: the first rows, a share of them, or those whose standard name matches.
struct Restriction {
  enum class Kind : uint8_t { kLines, kShare, kMatch };
  Kind kind = Kind::kLines;
  int64_t lines = 0;
  double share = 0;
  std::string text;
  std::optional<Pattern> expression;  // of kMatch
};

struct FunctionRequest {
  std::optional<FunctionOrder> order;  // none: the view's own
  bool reverse = false;
  std::vector<Restriction> restrictions;
  bool strip_folders = false;
  bool callers = false;
  bool callees = false;
  bool tree = false;
  bool own_code = false;
  bool like_pstats = false;
  bool lines = false;
  std::optional<int64_t> depth;  // of the tree
  std::string thread;            // as ChooseThread takes it; empty: all, summed
  std::optional<TimeRange> between;

  // Who called whom is part of what is shown.
  [[nodiscard]] bool shows_calls() const { return callers || callees || tree; }
};

// The name under which pstats lists a function: "file:line(name)", or "{built-in}".
[[nodiscard]] std::string StandardName(const FunctionRow& row);

// `sort`: fields of the JSON output and the keys of pstats, unique beginnings of these, its numbers
// -1 to 2, or several with commas between them. An Error is what to say behind the
// name of the parameter.
[[nodiscard]] Result<FunctionOrder> ParseFunctionOrder(std::string_view text);
[[nodiscard]] Result<Restriction> ParseRestriction(const ParamValues& params,
                                                   std::string_view text);

[[nodiscard]] std::vector<ParamSpec> FunctionParams();
[[nodiscard]] Result<FunctionRequest> MakeFunctionRequest(const ParamValues& params);
// Whether what is asked for shows, or is found from, who called whom.
[[nodiscard]] bool NeedsCallPairs(const ParamValues& params);

// Indices of the functions of a table in the order asked for; without one in the contract's: by
// their own time. Ties by name, then by first occurrence; `as_pstats`: by first occurrence alone.
// Only the first `most` need to be in order, the others follow them.
[[nodiscard]] std::vector<uint32_t> OrderedRows(const FunctionTable& table,
                                                const FunctionRequest& request, bool as_pstats,
                                                size_t most);

// The rows that one restriction leaves; an Error if its expression is too much work.
[[nodiscard]] Result<std::vector<uint32_t>> Restrict(const FunctionTable& table,
                                                     std::vector<uint32_t> rows,
                                                     const Restriction& restriction);

}  // namespace telltale
