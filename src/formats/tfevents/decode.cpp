// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/decode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/protobuf.h"
#include "base/utf8.h"
#include "io/byte_source.h"

namespace telltale::tfevents {

namespace {

using protobuf::Field;
using protobuf::MessageReader;
using protobuf::WireType;

constexpr size_t kMostSamples = 10'000;

tl::unexpected<Error> Refuse(const std::string& why) {
  return Fail(ErrorCode::kUnreadable, "the value cannot be shown: " + why);
}

// The bytes of a field of a message, the last where there are several; empty: it has none.
std::string_view BytesOf(std::string_view message, uint32_t number) {
  std::string_view bytes;
  for (MessageReader reader(message); reader.Next();) {
    if (reader.field().number == number && reader.field().IsBytes()) bytes = reader.field().bytes;
  }
  return bytes;
}

bool HasField(std::string_view message, uint32_t number) {
  for (MessageReader reader(message); reader.Next();) {
    if (reader.field().number == number && reader.field().IsBytes()) return true;
  }
  return false;
}

// "640"; 0 where it is no number.
int64_t Number(std::string_view text) {
  int64_t number = 0;
  if (text.empty() || text.size() > 9) return 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

Result<std::string> ReadStored(const std::string& path, const FileGate& gate,
                               const StoredValue& value, size_t most) {
  if (value.bytes > most) {
    return Refuse("it has " + std::to_string(value.bytes) + " bytes, more than the " +
                  std::to_string(most) + " that are read of one value");
  }
  Result<std::unique_ptr<ByteSource>> source = OpenSource(path, gate);
  if (!source) return tl::unexpected(source.error());
  if (const Result<void> skipped = (*source)->Skip(value.offset); !skipped) {
    return tl::unexpected(skipped.error());
  }
  std::string bytes;
  constexpr size_t kPiece = size_t{1} << 20;
  while (bytes.size() < value.bytes) {
    const size_t had = bytes.size();
    bytes.resize(had + std::min<size_t>(kPiece, value.bytes - had));
    const Result<size_t> got = (*source)->Read(bytes.data() + had, bytes.size() - had);
    if (!got) return tl::unexpected(got.error());
    bytes.resize(had + *got);
    if (*got == 0) {
      return Refuse(path + " has become shorter since it was read; reload it");
    }
  }
  return bytes;
}

Result<Tensor> DecodeValueTensor(std::string_view value, size_t most) {
  if (!HasField(value, value_field::kTensor)) return Refuse("it holds no tensor");
  return DecodeTensor(BytesOf(value, value_field::kTensor), most);
}

Result<std::vector<MediaSample>> DecodeImages(std::string_view value) {
  std::vector<MediaSample> samples;
  if (HasField(value, value_field::kImage)) {
    MediaSample sample;
    MessageReader reader(BytesOf(value, value_field::kImage));
    while (reader.Next()) {
      const Field& field = reader.field();
      if (field.number == 1 && field.IsNumber()) sample.height = field.Signed();
      if (field.number == 2 && field.IsNumber()) sample.width = field.Signed();
      if (field.number == 4 && field.IsBytes()) sample.bytes = field.bytes;
    }
    if (reader.bad()) return Refuse("its image is damaged");
    if (!sample.bytes.empty()) samples.push_back(sample);
    return samples;
  }
  if (!HasField(value, value_field::kTensor)) return samples;
  // Texts: width, height, then the pictures.
  const Result<Tensor> tensor = DecodeValueTensor(value, kMostSamples);
  if (!tensor) return tl::unexpected(tensor.error());
  if (tensor->type != DataType::kString) return Refuse("expected pictures, found numbers");
  for (size_t i = 2; i < tensor->strings.size(); ++i) {
    MediaSample sample;
    sample.width = Number(tensor->strings[0]);
    sample.height = Number(tensor->strings[1]);
    sample.bytes = tensor->strings[i];
    samples.push_back(sample);
  }
  return samples;
}

Result<std::vector<MediaSample>> DecodeAudio(std::string_view value) {
  std::vector<MediaSample> samples;
  if (HasField(value, value_field::kAudio)) {
    MediaSample sample;
    MessageReader reader(BytesOf(value, value_field::kAudio));
    while (reader.Next()) {
      const Field& field = reader.field();
      if (field.number == 1 && field.type == WireType::kFixed32)
        sample.sample_rate = field.Double();
      if (field.number == 2 && field.IsNumber()) sample.channels = field.Signed();
      if (field.number == 3 && field.IsNumber()) sample.frames = field.Signed();
      if (field.number == 4 && field.IsBytes()) sample.bytes = field.bytes;
    }
    if (reader.bad()) return Refuse("its audio is damaged");
    samples.push_back(sample);
    return samples;
  }
  if (!HasField(value, value_field::kTensor)) return samples;
  // Rows of a sound and its label.
  const Result<Tensor> tensor = DecodeValueTensor(value, kMostSamples);
  if (!tensor) return tl::unexpected(tensor.error());
  if (tensor->type != DataType::kString) return Refuse("expected sounds, found numbers");
  const size_t columns = tensor->shape.size() == 2 ? static_cast<size_t>(tensor->shape[1]) : 1;
  for (size_t i = 0; columns > 0 && i + columns <= tensor->strings.size(); i += columns) {
    MediaSample sample;
    sample.bytes = tensor->strings[i];
    if (columns > 1) sample.label = tensor->strings[i + 1];
    samples.push_back(sample);
  }
  return samples;
}

Result<HistogramValue> DecodeHistogram(std::string_view value) {
  HistogramValue histogram;
  if (HasField(value, value_field::kHisto)) {
    histogram.old_style = true;
    MessageReader reader(BytesOf(value, value_field::kHisto));
    bool good = true;
    const auto doubles = [&](const Field& field, std::vector<double>& out) {
      if (!field.IsBytes() && field.type != WireType::kFixed64) return;
      good &= protobuf::ForEachNumber(field, WireType::kFixed64, [&](uint64_t bits) {
        out.push_back(std::bit_cast<double>(bits));
      });
    };
    while (reader.Next()) {
      const Field& field = reader.field();
      if (field.number == 6) doubles(field, histogram.right_edges);
      if (field.number == 7) doubles(field, histogram.counts);
      if (field.type != WireType::kFixed64) continue;
      if (field.number == 1) histogram.min = field.Double();
      if (field.number == 2) histogram.max = field.Double();
      if (field.number == 3) histogram.num = field.Double();
      if (field.number == 4) histogram.sum = field.Double();
      if (field.number == 5) histogram.sum_squares = field.Double();
    }
    if (reader.bad() || !good) return Refuse("its histogram is damaged");
    if (histogram.right_edges.size() != histogram.counts.size()) {
      return Refuse(std::to_string(histogram.right_edges.size()) + " edges for " +
                    std::to_string(histogram.counts.size()) + " counts");
    }
    return histogram;
  }
  const Result<Tensor> tensor = DecodeValueTensor(value);
  if (!tensor) return tl::unexpected(tensor.error());
  const bool is_empty = tensor->numbers.empty();
  if (!is_empty && (tensor->shape.size() != 2 || tensor->shape[1] != 3)) {
    return Refuse("expected rows of three numbers: left, right, count");
  }
  for (size_t i = 0; i + 3 <= tensor->numbers.size(); i += 3) {
    histogram.buckets.push_back(
        {tensor->numbers[i], tensor->numbers[i + 1], tensor->numbers[i + 2]});
    histogram.num += tensor->numbers[i + 2];
  }
  if (!histogram.buckets.empty()) {
    histogram.min = histogram.buckets.front().left;
    histogram.max = histogram.buckets.back().right;
  }
  return histogram;
}

Result<TextValue> DecodeText(std::string_view value) {
  const Result<Tensor> tensor = DecodeValueTensor(value, size_t{1} << 20);
  if (!tensor) return tl::unexpected(tensor.error());
  if (tensor->type != DataType::kString) return Refuse("expected texts, found numbers");
  TextValue text;
  text.shape = tensor->shape;
  text.texts = tensor->strings;
  const size_t rank = tensor->shape.size();
  text.columns = rank < 2 ? 1 : static_cast<size_t>(tensor->shape[rank - 1]);
  text.rows = rank == 0   ? 1
              : rank == 1 ? static_cast<size_t>(tensor->shape[0])
                          : static_cast<size_t>(tensor->shape[rank - 2]);
  if (text.columns > 0) text.rows = std::min(text.rows, text.texts.size() / text.columns);
  return text;
}

std::string TextValue::Cell(size_t row, size_t column) const {
  return RepairUtf8(texts[row * columns + column]);
}

Result<PrCurve> DecodePrCurve(std::string_view value) {
  const Result<Tensor> tensor = DecodeValueTensor(value);
  if (!tensor) return tl::unexpected(tensor.error());
  if (tensor->shape.size() != 2 || tensor->shape[0] != 6 || tensor->shape[1] < 1) {
    return Refuse("expected six rows: positives, negatives, precision and recall");
  }
  const auto all = static_cast<size_t>(tensor->shape[1]);
  const auto at = [&](size_t row, size_t i) { return tensor->numbers[row * all + i]; };
  PrCurve curve;
  // As TensorBoard: up to the last threshold with a positive that was predicted.
  curve.shown = all;
  const auto passed = [&](size_t i) { return std::trunc(at(0, i)) + std::trunc(at(1, i)); };
  while (curve.shown > 1 && passed(curve.shown - 1) == 0) --curve.shown;
  const std::array<std::vector<double>*, 6> rows = {&curve.true_positives, &curve.false_positives,
                                                    &curve.true_negatives, &curve.false_negatives,
                                                    &curve.precision,      &curve.recall};
  // As numpy's linspace.
  const double step = all > 1 ? 1.0 / static_cast<double>(all - 1) : 0;
  for (size_t i = 0; i < all; ++i) {
    const bool is_last = i > 0 && i + 1 == all;
    curve.thresholds.push_back(is_last ? 1 : static_cast<double>(i) * step);
    for (size_t row = 0; row < rows.size(); ++row) rows[row]->push_back(at(row, i));
  }
  return curve;
}

}  // namespace telltale::tfevents
