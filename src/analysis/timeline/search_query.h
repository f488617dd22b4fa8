// SPDX-License-Identifier: Apache-2.0
// What is typed to look for events, understood:
//
//   query     = words and conditions between spaces; all of them hold
//   condition = [arg:] key (: | = | != | > | < | >= | <=) value
//
// A key is one of SearchKeys(), or the argument's name in traces ("Input Dims"). A value may hold
// spaces within brackets or quotes. Whatever has no such key is text of the name, as it was typed:
// aten::mm asks for a name. Only what the columns keep can be asked for; arg: says that a key is
// meant, and one that is not known is an error then.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace telltale {

enum class SearchField : uint8_t {
  kName,
  kShape,
  kType,
  kValue,
  kCategory,
  kThread,
  kDuration,
  kDevice,
  kStream,
  kBytes,
  kCorrelation,
  kExternalId,
  kSequence,
  kGrid,
  kBlock,
  kRegisters,
  kSharedMemory,
  kOccupancy,
  kGraph,
  kCollective,
  kDtype,
  kGroup,
  kGroupSize,
  kElements,
};

// How values are compared: text is contained, dimensions stand in a row, numbers are numbers.
enum class SearchKind : uint8_t { kText, kDimensions, kNumber, kTime, kSize };

struct SearchKey {
  SearchField field;
  SearchKind kind;
  std::string_view key;
  std::string_view what;   // for people
  std::string_view names;  // in traces, in small letters without spaces, between commas
};
[[nodiscard]] std::span<const SearchKey> SearchKeys();

enum class Comparison : uint8_t { kIs, kIsNot, kAbove, kBelow, kAtLeast, kAtMost };

struct SearchCondition {
  const SearchKey* key = nullptr;
  Comparison comparison = Comparison::kIs;
  std::string value;  // in small ASCII letters; of dimensions without white space
  double number = 0;  // of numbers; of times ns, of sizes bytes
};

struct SearchQuery {
  std::vector<std::string> texts;  // each contained in the name, in small ASCII letters
  std::vector<SearchCondition> conditions;
  // Words that look like conditions but have no known key: they are looked for in names.
  std::vector<std::string> not_kept;
};

[[nodiscard]] Result<SearchQuery> ParseSearch(std::string_view typed);

}  // namespace telltale
