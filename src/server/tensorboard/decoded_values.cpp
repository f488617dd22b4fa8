// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/decoded_values.h"

#include <charconv>

#include "base/protobuf.h"
#include "formats/tfevents/fields.h"

namespace telltale {

namespace {

using protobuf::MessageReader;
using protobuf::WireType;

tl::unexpected<Error> NotThere(std::string what) {
  return Fail(ErrorCode::kUnreadable, std::move(what));
}

// What the value holds: the number of its field, and the bytes of that.
struct Held {
  uint32_t field = 0;
  std::string_view bytes;
};

std::optional<Held> HeldBy(std::string_view value) {
  namespace field = tfevents::value_field;
  std::optional<Held> held;
  MessageReader reader(value);
  while (reader.Next()) {
    const uint32_t number = reader.field().number;
    const bool holds = number == field::kImage || number == field::kHisto ||
                       number == field::kAudio || number == field::kTensor;
    if (holds && reader.field().IsBytes()) held = {number, reader.field().bytes};
  }
  return reader.bad() ? std::nullopt : held;
}

int64_t NumberOf(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// bytes of field 4, and the numbers of others: Image and Audio.
std::optional<std::string_view> Encoded(std::string_view message, DecodedMedia* media) {
  std::optional<std::string_view> encoded;
  for (MessageReader reader(message); reader.Next();) {
    const protobuf::Field& field = reader.field();
    if (field.number == 4 && field.IsBytes()) encoded = field.bytes;
    if (media == nullptr || !field.IsNumber()) continue;
    if (field.number == 1) media->height = field.Signed();
    if (field.number == 2) media->width = field.Signed();
  }
  return encoded;
}

struct OldHistogram {
  double min = 0;
  double max = 0;
  std::vector<double> limits;
  std::vector<double> counts;
};

bool AppendDoubles(const protobuf::Field& field, std::vector<double>& numbers) {
  return protobuf::ForEachNumber(field, WireType::kFixed64, [&](uint64_t bits) {
    numbers.push_back(std::bit_cast<double>(bits));
  });
}

std::optional<OldHistogram> ReadOldHistogram(std::string_view message) {
  OldHistogram histogram;
  MessageReader reader(message);
  while (reader.Next()) {
    const protobuf::Field& field = reader.field();
    if (field.number == 1 && field.IsNumber()) histogram.min = field.Double();
    if (field.number == 2 && field.IsNumber()) histogram.max = field.Double();
    if (field.number == 6 && !AppendDoubles(field, histogram.limits)) return std::nullopt;
    if (field.number == 7 && !AppendDoubles(field, histogram.counts)) return std::nullopt;
  }
  if (reader.bad()) return std::nullopt;
  return histogram;
}

}  // namespace

Result<tfevents::Tensor> DecodeValueTensor(std::string_view value) {
  const std::optional<Held> held = HeldBy(value);
  if (!held || held->field != tfevents::value_field::kTensor) {
    return NotThere("the value holds no tensor");
  }
  return tfevents::DecodeTensor(held->bytes);
}

Result<DecodedMedia> DecodeImages(std::string_view value) {
  const std::optional<Held> held = HeldBy(value);
  DecodedMedia media;
  if (held && held->field == tfevents::value_field::kImage) {
    if (const auto bytes = Encoded(held->bytes, &media)) media.samples.push_back(*bytes);
    return media;
  }
  const Result<tfevents::Tensor> tensor = DecodeValueTensor(value);
  if (!tensor) return tl::unexpected(tensor.error());
  // Width and height come first, as texts.
  if (tensor->strings.size() < 2) return NotThere("the value holds no images");
  media.width = NumberOf(tensor->strings[0]);
  media.height = NumberOf(tensor->strings[1]);
  media.samples.assign(tensor->strings.begin() + 2, tensor->strings.end());
  return media;
}

Result<DecodedMedia> DecodeAudio(std::string_view value) {
  const std::optional<Held> held = HeldBy(value);
  DecodedMedia media;
  if (held && held->field == tfevents::value_field::kAudio) {
    if (const auto bytes = Encoded(held->bytes, nullptr)) media.samples.push_back(*bytes);
    return media;
  }
  const Result<tfevents::Tensor> tensor = DecodeValueTensor(value);
  if (!tensor) return tl::unexpected(tensor.error());
  // Of two columns, the second one is labels.
  const bool labelled = tensor->shape.size() == 2 && tensor->shape[1] == 2;
  for (size_t i = 0; i < tensor->strings.size(); i += labelled ? 2 : 1) {
    media.samples.push_back(tensor->strings[i]);
  }
  return media;
}

Result<DecodedText> DecodeText(std::string_view value) {
  const Result<tfevents::Tensor> tensor = DecodeValueTensor(value);
  if (!tensor) return tl::unexpected(tensor.error());
  DecodedText text;
  for (const int64_t size : tensor->shape) text.shape.push_back(static_cast<size_t>(size));
  text.texts = tensor->strings;
  return text;
}

Result<std::vector<HistogramBucket>> DecodeHistogram(std::string_view value) {
  const std::optional<Held> held = HeldBy(value);
  if (held && held->field == tfevents::value_field::kHisto) {
    const std::optional<OldHistogram> old = ReadOldHistogram(held->bytes);
    if (!old) return NotThere("the histogram is damaged");
    return NewStyleBuckets(old->min, old->max, old->limits, old->counts);
  }
  const Result<tfevents::Tensor> tensor = DecodeValueTensor(value);
  if (!tensor) return tl::unexpected(tensor.error());
  std::vector<HistogramBucket> buckets;
  for (size_t i = 0; i + 2 < tensor->numbers.size(); i += 3) {
    buckets.push_back({tensor->numbers[i], tensor->numbers[i + 1], tensor->numbers[i + 2]});
  }
  return buckets;
}

std::optional<std::string> DecodeGraph(std::string_view value, std::string_view plugin) {
  if (plugin == "graphs" || plugin == "graph_tagged_run_metadata") return std::string(value);
  const Result<tfevents::Tensor> tensor = DecodeValueTensor(value);
  if (!tensor || tensor->strings.empty()) return std::nullopt;
  return std::string(tensor->strings[0]);
}

}  // namespace telltale
