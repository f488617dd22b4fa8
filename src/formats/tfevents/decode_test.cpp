// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/decode.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/protobuf.h"

namespace telltale::tfevents {
namespace {

using protobuf::MessageWriter;
using testing::ElementsAre;

std::string StringTensor(const std::vector<int64_t>& shape, const std::vector<std::string>& texts) {
  MessageWriter out;
  out.Uint(tensor_field::kDtype, static_cast<uint64_t>(DataType::kString));
  const size_t mark = out.Begin(tensor_field::kShape);
  for (const int64_t size : shape) {
    const size_t dim = out.Begin(2);
    out.Int(1, size);
    out.End(dim);
  }
  out.End(mark);
  for (const std::string& text : texts) out.Bytes(tensor_field::kString, text);
  return std::string(out.bytes());
}

std::string TensorValue(const std::string& tensor) {
  MessageWriter out;
  out.Bytes(value_field::kTag, "t");
  out.Bytes(value_field::kTensor, tensor);
  return std::string(out.bytes());
}

std::string NumberTensor(const std::vector<int64_t>& shape, const std::vector<double>& numbers) {
  MessageWriter out;
  out.Uint(tensor_field::kDtype, static_cast<uint64_t>(DataType::kDouble));
  const size_t mark = out.Begin(tensor_field::kShape);
  for (const int64_t size : shape) {
    const size_t dim = out.Begin(2);
    out.Int(1, size);
    out.End(dim);
  }
  out.End(mark);
  for (const double number : numbers) out.Double(tensor_field::kDouble, number);
  return std::string(out.bytes());
}

const std::string kPng = "\x89PNG\r\n\x1a\n...";

TEST(Decode, ReadsImagesOfBothStyles) {
  MessageWriter old_value;
  const size_t image = old_value.Begin(value_field::kImage);
  old_value.Uint(1, 20);
  old_value.Uint(2, 30);
  old_value.Bytes(4, kPng);
  old_value.End(image);
  const std::string old_bytes(old_value.bytes());
  const auto one = DecodeImages(old_bytes);
  ASSERT_TRUE(one && one->size() == 1);
  EXPECT_EQ((*one)[0].width, 30);
  EXPECT_EQ((*one)[0].height, 20);
  const std::string value = TensorValue(StringTensor({4}, {"30", "20", kPng, "<svg/>"}));
  const auto two = DecodeImages(value);
  ASSERT_TRUE(two && two->size() == 2);
  EXPECT_EQ((*two)[1].width, 30);
  EXPECT_TRUE(DecodeImages("\x0a\x01t")->empty());
  EXPECT_FALSE(DecodeImages(TensorValue(NumberTensor({1}, {1}))));
}

TEST(Decode, ReadsAudioOfBothStyles) {
  const std::string wav = "RIFF....WAVEfmt ";
  MessageWriter old_value;
  const size_t audio = old_value.Begin(value_field::kAudio);
  old_value.Float(1, 44100);
  old_value.Uint(2, 1);
  old_value.Uint(3, 1000);
  old_value.Bytes(4, wav);
  old_value.Bytes(5, "text/html");
  old_value.End(audio);
  const std::string old_bytes(old_value.bytes());
  const auto one = DecodeAudio(old_bytes);
  ASSERT_TRUE(one && one->size() == 1);
  EXPECT_EQ((*one)[0].sample_rate, 44100);
  const std::string value = TensorValue(StringTensor({2, 2}, {wav, "a", wav, "b"}));
  const auto two = DecodeAudio(value);
  ASSERT_TRUE(two && two->size() == 2);
  EXPECT_EQ((*two)[1].label, "b");
}

TEST(Decode, ReadsHistogramsOfBothStyles) {
  MessageWriter old_value;
  const size_t histogram = old_value.Begin(value_field::kHisto);
  old_value.Double(1, -1);
  old_value.Double(2, 5);
  old_value.Double(3, 7);
  old_value.Double(6, 1);
  old_value.Double(6, 2);
  old_value.Double(7, 3);
  old_value.Double(7, 4);
  old_value.End(histogram);
  const auto old_style = DecodeHistogram(old_value.bytes());
  ASSERT_TRUE(old_style);
  EXPECT_TRUE(old_style->old_style);
  EXPECT_EQ(old_style->min, -1);
  EXPECT_THAT(old_style->right_edges, ElementsAre(1, 2));
  EXPECT_THAT(old_style->counts, ElementsAre(3, 4));
  const std::string value = TensorValue(NumberTensor({2, 3}, {0, 1, 5, 1, 2, 6}));
  const auto new_style = DecodeHistogram(value);
  ASSERT_TRUE(new_style && new_style->buckets.size() == 2);
  EXPECT_EQ(new_style->buckets[1].count, 6);
  EXPECT_EQ(new_style->num, 11);
  EXPECT_TRUE(DecodeHistogram(TensorValue(NumberTensor({0, 3}, {})))->buckets.empty());
  EXPECT_FALSE(DecodeHistogram(TensorValue(NumberTensor({4}, {1, 2, 3, 4}))));
}

std::string TableOf(const std::string& value) {
  const Result<TextValue> text = DecodeText(value);
  if (!text) return text.error().message;
  std::string table;
  for (size_t row = 0; row < text->rows; ++row) {
    for (size_t column = 0; column < text->columns; ++column)
      table += text->Cell(row, column) + "|";
    table += "/";
  }
  return table;
}

TEST(Decode, ReadsTextsAsTables) {
  EXPECT_EQ(TableOf(TensorValue(StringTensor({}, {"x"}))), "x|/");
  EXPECT_EQ(TableOf(TensorValue(StringTensor({2}, {"x", "y"}))), "x|/y|/");
  EXPECT_EQ(TableOf(TensorValue(StringTensor({2, 2}, {"a", "b", "c", "\xff"}))),
            "a|b|/c|\xef\xbf\xbd|/");
  EXPECT_EQ(TableOf(TensorValue(StringTensor({2, 1, 2}, {"a", "b", "c", "d"}))), "a|b|/");
  EXPECT_EQ(TableOf(TensorValue(StringTensor({0}, {}))), "");
  EXPECT_FALSE(DecodeText(TensorValue(NumberTensor({1}, {1}))));
  EXPECT_FALSE(DecodeText("\x0a\x01t"));
}

TEST(Decode, KnowsTheEmptyEndOfPrCurves) {
  const auto curve = DecodePrCurve(TensorValue(
      NumberTensor({6, 3}, {5, 1, 0, 2, 1, 0, 0, 0, 0, 0, 4, 5, 0.7, 0.5, 0, 1, 0.2, 0})));
  ASSERT_TRUE(curve);
  EXPECT_EQ(curve->shown, 2U);
  EXPECT_THAT(curve->thresholds, ElementsAre(0, 0.5, 1));
  EXPECT_THAT(curve->true_positives, ElementsAre(5, 1, 0));
  EXPECT_THAT(curve->recall, ElementsAre(1, 0.2, 0));
  EXPECT_FALSE(DecodePrCurve(TensorValue(NumberTensor({5, 1}, {1, 2, 3, 4, 5}))));
}

TEST(Decode, ReadsAValueFromItsFileAgain) {
  const std::string path = testing::TempDir() + "stored_value";
  std::ofstream(path) << "0123456789";
  const FileGate gate;
  EXPECT_EQ(*ReadStored(path, gate, {0, 0, 3, 4}), "3456");
  EXPECT_FALSE(ReadStored(path, gate, {0, 0, 8, 4}));
  EXPECT_FALSE(ReadStored(path, gate, {0, 0, UINT64_MAX, 4}));
  EXPECT_FALSE(ReadStored(path, gate, {0, 0, 0, uint64_t{1} << 60}));
}

}  // namespace
}  // namespace telltale::tfevents
