// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/copies.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/core/key_numbers.h"
#include "analysis/core/sums.h"

namespace telltale {

namespace {

struct DirectionWord {
  std::string_view word;
  std::string_view direction;
};

// CUPTI's words, roctracer's, and Level Zero's (M is host memory there).
constexpr auto kDirections = std::to_array<DirectionWord>({
    {"HtoD", "HtoD"},
    {"DtoH", "DtoH"},
    {"DtoD", "DtoD"},
    {"PtoP", "PtoP"},
    {"HtoH", "HtoH"},
    {"HostToDevice", "HtoD"},
    {"DeviceToHost", "DtoH"},
    {"DeviceToDevice", "DtoD"},
    {"PeerToPeer", "PtoP"},
    {"HostToHost", "HtoH"},
    {"H2D", "HtoD"},
    {"M2D", "HtoD"},
    {"D2H", "DtoH"},
    {"D2M", "DtoH"},
    {"D2D", "DtoD"},
    {"P2P", "PtoP"},
    {"H2H", "HtoH"},
    {"M2M", "HtoH"},
});

std::optional<bool> IsPageable(std::string_view name) {
  if (name.find("Pageable") != std::string_view::npos) return true;
  if (name.find("Pinned") != std::string_view::npos) return false;
  return std::nullopt;
}

void AddCopy(CopyRow& row, int64_t duration, const DeviceDetail* detail) {
  row.min_ns = row.calls == 0 ? duration : std::min(row.min_ns, duration);
  row.max_ns = row.calls == 0 ? duration : std::max(row.max_ns, duration);
  ++row.calls;
  AddTo(row.total_ns, duration);
  if (detail == nullptr || detail->bytes == kNoInt) return;
  int64_t bytes = row.bytes.value_or(0);
  AddTo(bytes, detail->bytes);
  row.bytes = bytes;
  AddTo(row.bytes_time_ns, duration);
}

}  // namespace

std::string_view CopyDirection(std::string_view name) {
  for (const auto& [word, direction] : kDirections) {
    if (name.find(word) != std::string_view::npos) return direction;
  }
  return "other";
}

void SetBandwidth(CopyRow& row) {
  row.bandwidth_gb_per_s.reset();
  if (row.bytes && row.bytes_time_ns > 0) {
    row.bandwidth_gb_per_s =
        static_cast<double>(*row.bytes) / static_cast<double>(row.bytes_time_ns);
  }
}

void SortCopies(std::vector<CopyRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const CopyRow& a, const CopyRow& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    return std::tie(a.name, a.first_event) < std::tie(b.name, b.first_event);
  });
}

std::vector<CopyRow> DescribeCopies(const Trace& trace, const HostTree& tree,
                                    const DeviceLinks& links, const Selection& selection) {
  KeyNumbers numbers;
  std::vector<CopyRow> rows;
  for (size_t i = 0; i < links.size(); ++i) {
    const SpanRow span = links.device[i];
    const Category category = trace.spans.category[span];
    if (category == Category::kKernel || !selection.HasDeviceEvent(trace, tree, links, i)) continue;
    const bool is_set = category == Category::kMemset;
    const uint64_t name = static_cast<uint32_t>(trace.spans.name[span]);
    const uint32_t number = numbers.Number(name << 1 | (is_set ? 1 : 0));
    if (number == rows.size()) {
      CopyRow row;
      row.name = trace.NameOfSpan(span);
      row.direction = is_set ? "memset" : CopyDirection(row.name);
      row.pageable = IsPageable(row.name);
      row.first_event = span;
      rows.push_back(std::move(row));
    }
    AddCopy(rows[number], trace.spans.duration_ns[span], trace.DeviceOf(span));
  }
  for (CopyRow& row : rows) SetBandwidth(row);
  SortCopies(rows);
  return rows;
}

}  // namespace telltale
