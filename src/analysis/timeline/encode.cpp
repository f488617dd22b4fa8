// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/encode.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json_writer.h"

namespace telltale {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they are");

template <typename T>
void Append(std::string& out, const T* values, size_t count) {
  if (count > 0) out.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

void Append(std::string& out, uint32_t value) { Append(out, &value, 1); }

}  // namespace

std::string EncodeSpans(const SpanView& view) {
  JsonWriter names(/*indented=*/false);
  names.BeginArray();
  for (const std::string& name : view.names) names.String(name);
  names.EndArray();
  const std::string names_json = names.Take();

  std::string out;
  out.reserve(SpanView::kHeadBytes + view.rows.size() * SpanView::kRowBytes +
              view.size() * SpanView::kSpanBytes + 3 + names_json.size());
  out += "TTS2";
  Append(out, static_cast<uint32_t>(view.rows.size()));
  Append(out, static_cast<uint32_t>(view.size()));
  Append(out, static_cast<uint32_t>(view.names.size()));
  Append(out, view.skipped);
  Append(out, view.total);
  static_assert(sizeof(SpanView::Row) == SpanView::kRowBytes);
  Append(out, view.rows.data(), view.rows.size());
  Append(out, view.start_ns.data(), view.size());
  Append(out, view.duration_ns.data(), view.size());
  Append(out, view.event.data(), view.size());
  Append(out, view.count.data(), view.size());
  Append(out, view.name.data(), view.size());
  Append(out, view.category.data(), view.size());
  out.append((4 - view.size() % 4) % 4, '\0');
  out += names_json;
  return out;
}

std::string EncodeSeries(const FileTimeline& file, std::span<const SeriesBin> bins) {
  std::string out;
  out.reserve(8 + bins.size() * 4 * sizeof(double));
  out += "TTC1";
  Append(out, static_cast<uint32_t>(bins.size()));
  for (const SeriesBin& bin : bins) {
    const auto time = static_cast<double>(file.FromOrigin(bin.time_ns));
    Append(out, &time, 1);
  }
  for (const SeriesBin& bin : bins) Append(out, &bin.least, 1);
  for (const SeriesBin& bin : bins) Append(out, &bin.greatest, 1);
  for (const SeriesBin& bin : bins) Append(out, &bin.last, 1);
  return out;
}

std::string EncodeMatching(std::span<const uint8_t> matching, size_t skip, size_t most_bytes) {
  constexpr size_t kHeadBytes = 16;
  const size_t first = std::min(skip / 8 * 8, matching.size());
  const size_t count = std::min(matching.size() - first, (most_bytes - kHeadBytes) * 8);
  std::string out;
  out.reserve(kHeadBytes + count / 8 + 1);
  out += "TTM1";
  Append(out, static_cast<uint32_t>(first));
  Append(out, static_cast<uint32_t>(count));
  Append(out, static_cast<uint32_t>(matching.size()));
  for (size_t i = 0; i < count; i += 8) {
    uint8_t bits = 0;
    for (size_t j = 0; j < 8 && i + j < count; ++j) {
      if (matching[first + i + j] != 0) bits |= static_cast<uint8_t>(1U << j);
    }
    out += static_cast<char>(bits);
  }
  return out;
}

}  // namespace telltale
