// SPDX-License-Identifier: Apache-2.0
#include "views/functions/request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "views/expressions.h"
#include "views/render/display.h"
#include "views/suggest.h"

namespace telltale {

namespace {

using enum FunctionField;

struct SortKey {
  std::string_view name;
  std::array<FunctionField, 3> fields;
  size_t count;
  std::string_view title;
};

// The contract's fields first: their names are never shortened.
constexpr size_t kOwnKeys = 4;
constexpr std::array<SortKey, 17> kSortKeys = {{
    {"self_ns", {kSelf}, 1, "internal time"},
    {"total_ns", {kTotal}, 1, "cumulative time"},
    {"primitive_calls", {kPrimitiveCalls}, 1, "primitive call count"},
    {"file", {kFile}, 1, "file name"},
    {"calls", {kCalls}, 1, "call count"},
    {"ncalls", {kCalls}, 1, "call count"},
    {"cumtime", {kTotal}, 1, "cumulative time"},
    {"cumulative", {kTotal}, 1, "cumulative time"},
    {"filename", {kFile}, 1, "file name"},
    {"line", {kLine}, 1, "line number"},
    {"module", {kFile}, 1, "file name"},
    {"name", {kName}, 1, "function name"},
    {"nfl", {kName, kFile, kLine}, 3, "name/file/line"},
    {"pcalls", {kPrimitiveCalls}, 1, "primitive call count"},
    {"stdname", {kStandardName}, 1, "standard name"},
    {"time", {kSelf}, 1, "internal time"},
    {"tottime", {kSelf}, 1, "internal time"},
}};

// pstats' keys before they had names.
std::string_view OldKey(std::string_view text) {
  if (text == "-1") return "stdname";
  if (text == "0") return "calls";
  if (text == "1") return "time";
  if (text == "2") return "cumulative";
  return text;
}

const SortKey* FindKey(std::string_view text) {
  const std::string_view word = OldKey(text);
  if (word.empty()) return nullptr;
  const SortKey* found = nullptr;
  for (size_t i = 0; i < kSortKeys.size(); ++i) {
    const SortKey& key = kSortKeys[i];
    if (key.name == word) return &key;
    if (i < kOwnKeys || !key.name.starts_with(word)) continue;
    // Keys that mean the same may share a beginning.
    if (found != nullptr && found->title != key.title) return nullptr;
    found = &key;
  }
  return found;
}

// < 0: `a` comes first.
template <typename T>
int Up(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

template <typename T>
int DownMissingLast(const std::optional<T>& a, const std::optional<T>& b) {
  if (a && b) return Up(*b, *a);
  return static_cast<int>(b.has_value()) - static_cast<int>(a.has_value());
}

int Compare(const FunctionRow& a, const FunctionRow& b, FunctionField field, bool as_pstats) {
  switch (field) {
    case kFile:
      return a.file.compare(b.file);
    case kLine:
      return Up(a.line, b.line);
    case kName:
      return a.name.compare(b.name);
    case kStandardName:
      return StandardName(a).compare(StandardName(b));
    case kCalls:
      return DownMissingLast(a.values.calls, b.values.calls);
    case kPrimitiveCalls:
      return DownMissingLast(a.values.primitive_calls, b.values.primitive_calls);
    case kSelf:
      return as_pstats ? Up(b.values.self_s, a.values.self_s)
                       : DownMissingLast(a.values.self, b.values.self);
    case kTotal:
      return as_pstats ? Up(b.values.total_s, a.values.total_s)
                       : DownMissingLast(a.values.total, b.values.total);
  }
  return 0;
}

// A row beside what decides most comparisons of it: rows are large and lie far apart.
struct RankedRow {
  int64_t rank;
  uint32_t row;
};

// Numbers go down, missing ones last; the same for all rows where a field is no number.
int64_t RankOf(const FunctionRow& row, FunctionField field) {
  const auto down = [](std::optional<int64_t> value) { return value ? ~*value : INT64_MAX; };
  switch (field) {
    case kCalls:
      return down(row.values.calls);
    case kPrimitiveCalls:
      return down(row.values.primitive_calls);
    case kSelf:
      return down(row.values.self);
    case kTotal:
      return down(row.values.total);
    default:
      return 0;
  }
}

// Brings the first `most` into order and before the others.
template <typename T, typename Before>
void SortFirst(std::vector<T>& values, size_t most, Before before) {
  const auto end = values.begin() + static_cast<ptrdiff_t>(std::min(most, values.size()));
  if (end != values.end()) std::nth_element(values.begin(), end, values.end(), before);
  std::sort(values.begin(), end, before);
}

}  // namespace

std::string StandardName(const FunctionRow& row) {
  const bool built_in = (row.file == "~" && row.line == 0) || row.file.data() == nullptr;
  if (built_in) {
    if (row.name.size() >= 2 && row.name.starts_with('<') && row.name.ends_with('>')) {
      return fmt::format("{{{}}}", row.name.substr(1, row.name.size() - 2));
    }
    return std::string(row.name);
  }
  if (row.line == kNoInt) return fmt::format("{}({})", row.file, row.name);
  return fmt::format("{}:{}({})", row.file, row.line, row.name);
}

Result<FunctionOrder> ParseFunctionOrder(std::string_view text) {
  FunctionOrder order;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    std::string word(text.substr(at, comma - at));
    at = comma + 1;
    std::replace(word.begin(), word.end(), '-', '_');
    if (word == "_1") word = "-1";
    const SortKey* key = FindKey(word);
    if (key == nullptr) {
      std::vector<std::string_view> names;
      for (const SortKey& each : kSortKeys) names.push_back(each.name);
      return Fail(ErrorCode::kUsage,
                  fmt::format("'{}' is no field of functions{}\nvalid: {}", Printable(word, true),
                              DidYouMean(word, names), fmt::join(names, ", ")));
    }
    order.fields.insert(order.fields.end(), key->fields.begin(),
                        key->fields.begin() + static_cast<ptrdiff_t>(key->count));
    if (!order.title.empty()) order.title += ", ";
    order.title += key->title;
  }
  return order;
}

Result<Restriction> ParseRestriction(const ParamValues& params, std::string_view text) {
  Restriction restriction;
  restriction.text = std::string(text);
  if (const std::optional<int64_t> lines = ParseInteger(text); lines && *lines >= 0) {
    restriction.lines = *lines;
    return restriction;
  }
  double share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (error == std::errc() && end == text.data() + text.size()) {
    if (!(share >= 0 && share <= 1)) {
      return params.Wrong("restrict", fmt::format("takes a share from 0 to 1, not {}", text));
    }
    restriction.kind = Restriction::Kind::kShare;
    restriction.share = share;
    return restriction;
  }
  restriction.kind = Restriction::Kind::kMatch;
  Result<Pattern> expression = ParseExpression(params, "restrict", text);
  if (!expression) return tl::unexpected(expression.error());
  restriction.expression = std::move(*expression);
  return restriction;
}

std::vector<ParamSpec> FunctionParams() {
  return {
      {.name = "callers",
       .type = ParamType::kText,
       .value = "REGEX",
       .help = "functions: list who called each function (or those that match)",
       .value_optional = true},
      {.name = "callees",
       .type = ParamType::kText,
       .value = "REGEX",
       .help = "functions: list what each function called (or those that match)",
       .value_optional = true},
      {.name = "restrict",
       .type = ParamType::kText,
       .value = "WHAT",
       .help = "functions: as in pstats, a number of rows, a share of them (0.1), or a regular "
               "expression; several apply one after the other",
       .repeats = true},
      {.name = "tree",
       .help =
           "functions: who called whom as a tree; from a .prof with the range that its pairs of "
           "caller and callee prove"},
      {.name = "depth",
       .type = ParamType::kInteger,
       .value = "N",
       .help = "functions: levels of the tree below its roots; 0 shows all",
       .default_text = "8, all with --json",
       .least = 0},
      {.name = "own-code",
       .help =
           "functions: give the time of libraries and built-ins to the own function above them"},
      {.name = "thread",
       .type = ParamType::kText,
       .value = "WHICH",
       .help = "functions: one thread alone: main (the one that worked most), a name, or a number "
               "of the JSON output's threads",
       .default_text = "all, summed"},
      BetweenParam(),
      {.name = "lines",
       .help = "functions: the lines in which they spent their time, as samples know them"},
      {.name = "strip-dirs", .help = "functions: join files of the same name, without folders"},
      {.name = "reverse", .help = "functions: the other way round"},
  };
}

Result<FunctionRequest> MakeFunctionRequest(const ParamValues& params) {
  FunctionRequest request;
  request.reverse = params.Has("reverse");
  request.strip_folders = params.Has("strip-dirs");
  request.callers = params.Has("callers");
  request.callees = params.Has("callees");
  request.tree = params.Has("tree");
  request.own_code = params.Has("own-code");
  request.depth = params.Integer("depth");
  request.thread = std::string(params.Text("thread"));
  request.lines = params.Has("lines");
  if (params.Has("between")) {
    Result<TimeRange> range = ParseTimeRange(params.Text("between"));
    if (!range) return params.Wrong("between", range.error().message);
    request.between = *range;
  }
  if (request.depth && !request.tree) {
    return params.Wrong("depth", fmt::format("is about {}", params.Spelled("tree")));
  }
  for (const std::string_view option : {"callers", "callees"}) {
    if (params.Text(option).empty()) continue;
    Restriction restriction;
    restriction.kind = Restriction::Kind::kMatch;
    restriction.text = std::string(params.Text(option));
    Result<Pattern> expression = ParseExpression(params, option, restriction.text);
    if (!expression) return tl::unexpected(expression.error());
    restriction.expression = std::move(*expression);
    request.restrictions.push_back(std::move(restriction));
  }
  for (const std::string& text : params.All("restrict")) {
    Result<Restriction> restriction = ParseRestriction(params, text);
    if (!restriction) return tl::unexpected(restriction.error());
    request.restrictions.push_back(std::move(*restriction));
  }
  return request;
}

bool NeedsCallPairs(const ParamValues& params) {
  const Result<FunctionRequest> request = MakeFunctionRequest(params);
  return !request || request->shows_calls() || request->own_code;
}

std::vector<uint32_t> OrderedRows(const FunctionTable& table, const FunctionRequest& request,
                                  bool as_pstats, size_t most) {
  std::vector<uint32_t> rows;
  rows.reserve(table.rows.size());
  for (uint32_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i].in_profile) rows.push_back(i);
  }
  if (as_pstats && !request.order) return rows;
  const std::vector<FunctionField> fields =
      request.order ? request.order->fields
                    : std::vector<FunctionField>{table.has_self ? kSelf : kTotal};
  const auto before = [&](const RankedRow& x, const RankedRow& y) {
    if (x.rank != y.rank) return x.rank < y.rank;
    const FunctionRow& a = table.rows[x.row];
    const FunctionRow& b = table.rows[y.row];
    for (const FunctionField field : fields) {
      const int order = Compare(a, b, field, as_pstats);
      if (order != 0) return order < 0;
    }
    if (!as_pstats && a.name != b.name) return a.name < b.name;
    return x.row < y.row;
  };
  std::vector<RankedRow> ranked;
  ranked.reserve(rows.size());
  for (const uint32_t row : rows) {
    ranked.push_back({as_pstats ? 0 : RankOf(table.rows[row], fields.front()), row});
  }
  SortFirst(ranked, most, [&](const RankedRow& x, const RankedRow& y) {
    return request.reverse ? before(y, x) : before(x, y);
  });
  std::transform(ranked.begin(), ranked.end(), rows.begin(),
                 [](const RankedRow& each) { return each.row; });
  return rows;
}

Result<std::vector<uint32_t>> Restrict(const FunctionTable& table, std::vector<uint32_t> rows,
                                       const Restriction& restriction) {
  switch (restriction.kind) {
    case Restriction::Kind::kLines:
      rows.resize(std::min(rows.size(), static_cast<size_t>(restriction.lines)));
      break;
    case Restriction::Kind::kShare:
      if (restriction.share < 1) {
        // As pstats rounds: halves up.
        const double kept = static_cast<double>(rows.size()) * restriction.share;
        rows.resize(static_cast<size_t>(std::floor(kept + 0.5)));
      }
      break;
    case Restriction::Kind::kMatch: {
      Pattern expression = *restriction.expression;  // counts its work
      std::erase_if(
          rows, [&](uint32_t row) { return !expression.Matches(StandardName(table.rows[row])); });
      if (expression.gave_up()) return tl::unexpected(TooMuchWork(restriction.text));
      break;
    }
  }
  return rows;
}

}  // namespace telltale
