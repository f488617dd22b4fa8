// SPDX-License-Identifier: Apache-2.0
// What names of files say: worker, time and rank. Opens nothing.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace telltale {

// What the name of a trace file says: <worker>[.<digits>].pt.trace.json[.gz|.zst]. Other names have
// the name without its endings as worker.
struct TraceName {
  std::string worker;
  std::string digits;        // empty: none
  bool is_pt_trace = false;  // follows the pattern
  bool is_json = false;      // ends in .json, .json.gz or .json.zst
  bool is_perfetto = false;  // the same for .pftrace and .perfetto-trace
};
[[nodiscard]] TraceName ParseTraceName(std::string_view file_name);

// The N of rankN, rank-N, rank_N or rank=N in any case, unless it is a local_rank.
struct RankInText {
  size_t at = 0;      // of the digits
  size_t length = 0;  // number of digits
  int64_t rank = 0;
};
[[nodiscard]] std::optional<RankInText> FindRank(std::string_view text);
// From the file's name, else from its folder's.
[[nodiscard]] std::optional<int64_t> RankFromPath(std::string_view path);

// As people count: rank2 before rank10. Equal only if the texts are equal.
[[nodiscard]] std::strong_ordering NaturalOrder(std::string_view a, std::string_view b);

}  // namespace telltale
