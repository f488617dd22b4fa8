// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/search_match.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/timeline/categories.h"
#include "analysis/timeline/event_arrows.h"

namespace telltale {

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// `lower` is in small letters.
size_t Find(std::string_view text, std::string_view lower, size_t from) {
  const auto at =
      std::search(text.begin() + static_cast<ptrdiff_t>(from), text.end(), lower.begin(),
                  lower.end(), [](char a, char b) { return Lower(a) == b; });
  return at == text.end() && !lower.empty() ? std::string_view::npos
                                            : static_cast<size_t>(at - text.begin());
}
bool IsIn(std::string_view text, std::string_view lower) {
  return Find(text, lower, 0) != std::string_view::npos;
}

// 2,3 is in [[2,3]], and not in [[12,3]] nor in [[2,30]].
bool HasDimensionsIn(std::string_view text, std::string_view wanted) {
  if (wanted.empty()) return true;
  for (size_t at = Find(text, wanted, 0); at != std::string_view::npos;
       at = Find(text, wanted, at + 1)) {
    const size_t end = at + wanted.size();
    const bool begins = at == 0 || !IsDigit(wanted.front()) || !IsDigit(text[at - 1]);
    const bool ends = end == text.size() || !IsDigit(wanted.back()) || !IsDigit(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

std::optional<double> Known(int64_t value) {
  return value == kNoInt ? std::nullopt : std::optional(static_cast<double>(value));
}
std::optional<double> Known(uint64_t value) {
  return value == kNoUint ? std::nullopt : std::optional(static_cast<double>(value));
}
std::optional<double> NotNegative(double value) {
  return value < 0 ? std::nullopt : std::optional(value);
}

bool Holds(Comparison comparison, double value, double than) {
  switch (comparison) {
    case Comparison::kIs:
      return value == than;
    case Comparison::kIsNot:
      return value != than;
    case Comparison::kAbove:
      return value > than;
    case Comparison::kBelow:
      return value < than;
    case Comparison::kAtLeast:
      return value >= than;
    case Comparison::kAtMost:
      return value <= than;
  }
  return false;
}

}  // namespace

SpanMatcher::SpanMatcher(const TraceContext& context, const FileTimeline& file,
                         const SearchQuery& query)
    : context_(context),
      trace_(context.trace),
      file_(file),
      query_(query),
      wanted_(file.name_counts.size(), 0),
      seen_(query.conditions.size()) {
  if (query.texts.empty() && query.conditions.empty()) return;
  for (uint32_t id = 0; id < wanted_.size(); ++id) {
    if (file.name_counts[id] == 0) continue;
    const std::string_view name = trace_.Text(StringId{id});
    const auto in_name = [&](const std::string& text) { return IsIn(name, text); };
    if (!std::ranges::all_of(query.texts, in_name)) continue;
    wanted_[id] = 1;
    any_ = true;
  }
}

bool SpanMatcher::MeetsAll(SpanRow row) {
  for (size_t i = 0; i < query_.conditions.size(); ++i) {
    if (!Meets(i, row)) return false;
  }
  return true;
}

// An event without the argument meets no condition about it, != neither.
bool SpanMatcher::Meets(size_t condition, SpanRow row) {
  const SearchCondition& asked = query_.conditions[condition];
  if (asked.key->kind == SearchKind::kText || asked.key->kind == SearchKind::kDimensions) {
    return HasText(condition, row);
  }
  const std::optional<double> value = NumberOf(asked.key->field, row);
  return value && Holds(asked.comparison, *value, asked.number);
}

bool SpanMatcher::HasText(size_t condition, SpanRow row) {
  const SearchCondition& asked = query_.conditions[condition];
  const bool negated = asked.comparison == Comparison::kIsNot;
  switch (asked.key->field) {
    case SearchField::kShape:
    case SearchField::kType:
    case SearchField::kValue: {
      const OperatorDetail* const detail = OperatorBehind(row);
      if (detail == nullptr) return false;
      const StringId text = asked.key->field == SearchField::kShape  ? detail->input_dims
                            : asked.key->field == SearchField::kType ? detail->input_types
                                                                     : detail->concrete_inputs;
      return text != kNoString && Contains(condition, text) != negated;
    }
    case SearchField::kCategory: {
      const auto captured = static_cast<size_t>(trace_.spans.category_id[row]);
      const bool is_one = NameOf(file_.category[row]) == asked.value ||
                          (captured < trace_.categories.size() &&
                           Contains(condition, trace_.categories[captured].text));
      return is_one != negated;
    }
    case SearchField::kThread: {
      const Track& track = trace_.tracks[static_cast<size_t>(trace_.spans.track[row])];
      const bool is_one =
          trace_.Text(track.tid.text) == asked.value ||
          (track.thread_name != kNoString && Contains(condition, track.thread_name));
      return is_one != negated;
    }
    case SearchField::kGrid:
    case SearchField::kBlock: {
      const DeviceDetail* const detail = trace_.DeviceOf(row);
      if (detail == nullptr) return false;
      const auto& size = asked.key->field == SearchField::kGrid ? detail->grid : detail->block;
      return size[0] != 0 && HasDimensions(asked, size) != negated;
    }
    case SearchField::kCollective:
    case SearchField::kDtype:
    case SearchField::kGroup: {
      const CollectiveDetail* const detail = CollectiveOf(row);
      if (detail == nullptr) return false;
      if (asked.key->field == SearchField::kGroup) {
        return (Contains(condition, detail->group_name) ||
                Contains(condition, detail->group_description)) != negated;
      }
      const StringId text = asked.key->field == SearchField::kDtype ? detail->dtype : detail->name;
      return text != kNoString && Contains(condition, text) != negated;
    }
    default:
      return Contains(condition, trace_.spans.name[row]) != negated;
  }
}

bool SpanMatcher::HasDimensions(const SearchCondition& condition, const uint32_t (&size)[3]) const {
  std::string text = "[";
  for (const uint32_t one : size) text += (text.size() > 1 ? "," : "") + std::to_string(one);
  return HasDimensionsIn(text + "]", condition.value);
}

std::optional<double> SpanMatcher::NumberOf(SearchField field, SpanRow row) const {
  if (field == SearchField::kDuration) return static_cast<double>(trace_.spans.duration_ns[row]);
  if (field == SearchField::kGroupSize || field == SearchField::kElements) {
    const CollectiveDetail* const detail = CollectiveOf(row);
    if (detail == nullptr) return std::nullopt;
    return Known(field == SearchField::kElements ? detail->in_elements : detail->group_size);
  }
  if (const OperatorDetail* const detail = trace_.OperatorOf(row)) {
    if (field == SearchField::kExternalId) return Known(detail->external_id);
    if (field == SearchField::kSequence) return Known(detail->sequence_number);
    return std::nullopt;
  }
  if (const RuntimeDetail* const detail = trace_.RuntimeOf(row)) {
    if (field == SearchField::kExternalId) return Known(detail->external_id);
    if (field == SearchField::kCorrelation) return Known(detail->correlation);
    return std::nullopt;
  }
  if (trace_.spans.category[row] == Category::kSync && trace_.spans.detail[row] != kNoDetail) {
    const SyncDetail& detail = trace_.sync_details[trace_.spans.detail[row]];
    if (field == SearchField::kCorrelation) return Known(detail.correlation);
    if (field == SearchField::kDevice) return Known(detail.device);
    if (field == SearchField::kStream) return Known(detail.stream);
    return std::nullopt;
  }
  const DeviceDetail* const detail = trace_.DeviceOf(row);
  if (detail == nullptr) return std::nullopt;
  switch (field) {
    case SearchField::kDevice:
      return Known(detail->device);
    case SearchField::kStream:
      return Known(detail->stream);
    case SearchField::kBytes:
      return Known(detail->bytes);
    case SearchField::kCorrelation:
      return Known(detail->correlation);
    case SearchField::kExternalId:
      return Known(detail->external_id);
    case SearchField::kRegisters:
      return NotNegative(detail->registers_per_thread);
    case SearchField::kSharedMemory:
      return NotNegative(static_cast<double>(detail->shared_memory_bytes));
    case SearchField::kOccupancy:
      return NotNegative(detail->occupancy_percent);
    case SearchField::kGraph:
      return Known(detail->graph_id);
    default:
      return std::nullopt;
  }
}

bool SpanMatcher::Contains(size_t condition, StringId text) {
  const auto [at, is_new] = seen_[condition].try_emplace(text, false);
  if (is_new) {
    const SearchCondition& asked = query_.conditions[condition];
    at->second = asked.key->kind == SearchKind::kDimensions
                     ? HasDimensionsIn(trace_.Text(text), asked.value)
                     : IsIn(trace_.Text(text), asked.value);
  }
  return at->second;
}

const OperatorDetail* SpanMatcher::OperatorBehind(SpanRow row) const {
  if (!IsDevice(trace_.spans.category[row])) return trace_.OperatorOf(row);
  const size_t link = LinkOf(context_.links, row);
  if (link == context_.links.size() || context_.links.owner[link] == kNoRow) return nullptr;
  return trace_.OperatorOf(context_.tree.span[context_.links.owner[link]]);
}

const CollectiveDetail* SpanMatcher::CollectiveOf(SpanRow row) const {
  uint32_t collective = kNoDetail;
  if (const OperatorDetail* const detail = trace_.OperatorOf(row)) collective = detail->collective;
  if (const DeviceDetail* const detail = trace_.DeviceOf(row)) collective = detail->collective;
  return collective == kNoDetail ? nullptr : &trace_.collectives[collective];
}

}  // namespace telltale
