// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/media_values.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/json/value.h"
#include "base/media_type.h"
#include "base/utf8.h"
#include "formats/tfevents/decode.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/stored_values.h"

namespace telltale {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr size_t kLongestKey = 8192;

std::string Base64(std::string_view bytes) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      out += kAlphabet[bits >> count & 63];
    }
  }
  if (count > 0) out += kAlphabet[bits << (6 - count) & 63];
  return out;
}

std::optional<std::string> FromBase64(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    const size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 255);
    }
  }
  return out;
}

// None of a value that holds no media.
std::vector<tfevents::MediaSample> SamplesOf(std::string_view plugin, std::string_view bytes) {
  Result<std::vector<tfevents::MediaSample>> samples =
      plugin == "audio" ? tfevents::DecodeAudio(bytes) : tfevents::DecodeImages(bytes);
  return samples ? std::move(*samples) : std::vector<tfevents::MediaSample>();
}

}  // namespace

std::vector<MediaStep> MediaSteps(const DataContext& context, std::string_view plugin,
                                  const std::vector<BoardValue>& values) {
  std::vector<MediaStep> steps;
  std::set<int64_t> seen;
  for (const BoardValue& value : values) {
    if (!seen.insert(value.stored.step).second) continue;
    ForEachStored(context.board.gate(), {value},
                  [&](const StoredValue& stored, std::string_view bytes) {
                    const size_t samples = SamplesOf(plugin, bytes).size();
                    steps.push_back({stored.step, stored.wall_time, samples, value});
                  });
  }
  std::ranges::stable_sort(steps, {}, &MediaStep::step);
  return steps;
}

size_t MostSamples(const DataContext& context, const BoardSeries& series) {
  size_t most = 0;
  ForEachStored(context.board.gate(), series.Values(context.options.purge),
                [&](const StoredValue&, std::string_view bytes) {
                  most = std::max(most, SamplesOf(series.plugin(), bytes).size());
                });
  return most;
}

std::string BlobKey(const BlobName& name) {
  return Base64(fmt::format("[\"\",{},{},{},{},{}]", QuotedJson(name.plugin), QuotedJson(name.run),
                            QuotedJson(name.tag), name.step, name.sample));
}

std::optional<BlobName> ReadBlobKey(std::string_view key) {
  if (key.size() > kLongestKey) return std::nullopt;
  const std::optional<std::string> text = FromBase64(key);
  if (!text) return std::nullopt;
  const Result<JsonValue> json = ParseJson(*text);
  if (!json || !json->IsArray() || json->elements().size() != 6) return std::nullopt;
  const std::vector<JsonValue>& parts = json->elements();
  if (parts[4].kind() != JsonValue::Kind::kInt || parts[5].kind() != JsonValue::Kind::kInt ||
      parts[5].AsInt() < 0) {
    return std::nullopt;
  }
  return BlobName{parts[1].AsString(), parts[2].AsString(), parts[3].AsString(), parts[4].AsInt(),
                  static_cast<size_t>(parts[5].AsInt())};
}

HttpResponse BlobResponse(const DataContext& context, std::string_view key,
                          std::string_view plugin) {
  const std::optional<BlobName> name = ReadBlobKey(key);
  if (!name || name->plugin != plugin) {
    return PlainResponse(400, "Invalid run, tag, index, or sample");
  }
  FoundValues found = FindValues(context, name->run, name->tag, plugin);
  const auto at = std::ranges::find_if(
      found.values, [&](const BoardValue& value) { return value.stored.step == name->step; });
  if (at == found.values.end()) return NotFound(fmt::format("no such step {}", name->step));
  std::optional<std::string> blob;
  ForEachStored(context.board.gate(), {*at}, [&](const StoredValue&, std::string_view bytes) {
    const std::vector<tfevents::MediaSample> samples = SamplesOf(plugin, bytes);
    if (name->sample < samples.size()) blob = samples[name->sample].bytes;
  });
  if (!blob) return NotFound("no such sample");
  const std::string_view type = SafeTypeOf(*blob);
  return BodyResponse(std::move(*blob), type);
}

}  // namespace telltale
