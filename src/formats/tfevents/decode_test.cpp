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
  EXPECT_EQ((*one)[0].content_type, "image/png");
  const std::string value = TensorValue(StringTensor({4}, {"30", "20", kPng, "<svg/>"}));
  const auto two = DecodeImages(value);
  ASSERT_TRUE(two && two->size() == 2);
  EXPECT_EQ((*two)[1].width, 30);
  EXPECT_EQ((*two)[1].content_type, "");  // nothing to be shown as what it says it is
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
  EXPECT_EQ((*one)[0].content_type, "audio/wav");
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

TEST(Decode, ReadsTextsAsTables) {
  EXPECT_THAT(DecodeText(TensorValue(StringTensor({}, {"x"})))->rows,
              ElementsAre(ElementsAre("x")));
  EXPECT_THAT(DecodeText(TensorValue(StringTensor({2}, {"x", "y"})))->rows,
              ElementsAre(ElementsAre("x"), ElementsAre("y")));
  EXPECT_THAT(DecodeText(TensorValue(StringTensor({2, 2}, {"a", "b", "c", "\xff"})))->rows,
              ElementsAre(ElementsAre("a", "b"), ElementsAre("c", "\xef\xbf\xbd")));
  const auto cube = DecodeText(TensorValue(StringTensor({2, 1, 2}, {"a", "b", "c", "d"})));
  ASSERT_TRUE(cube);
  EXPECT_TRUE(cube->sliced);
  EXPECT_THAT(cube->rows, ElementsAre(ElementsAre("a", "b")));
  EXPECT_TRUE(DecodeText(TensorValue(StringTensor({0}, {})))->rows.empty());
}

TEST(Decode, ReadsPrCurvesWithoutTheirEmptyEnd) {
  const auto curve = DecodePrCurve(TensorValue(
      NumberTensor({6, 3}, {5, 1, 0, 2, 1, 0, 0, 0, 0, 0, 4, 5, 0.7, 0.5, 0, 1, 0.2, 0})));
  ASSERT_TRUE(curve);
  EXPECT_THAT(curve->thresholds, ElementsAre(0, 0.5));
  EXPECT_THAT(curve->true_positives, ElementsAre(5, 1));
  EXPECT_THAT(curve->recall, ElementsAre(1, 0.2));
  EXPECT_FALSE(DecodePrCurve(TensorValue(NumberTensor({5, 1}, {1, 2, 3, 4, 5}))));
}

TEST(Decode, ReadsHparams) {
  MessageWriter out;
  out.Uint(1, 0);
  const size_t start = out.Begin(3);
  const auto add = [&](std::string_view name, auto write) {
    const size_t entry = out.Begin(1);
    out.Bytes(1, name);
    const size_t value = out.Begin(2);
    write();
    out.End(value);
    out.End(entry);
  };
  add("lr", [&] { out.Double(2, 0.1); });
  add("act", [&] { out.Bytes(3, "relu"); });
  add("bn", [&] { out.Uint(4, 1); });
  out.Double(5, 12.5);
  out.End(start);
  const auto data = DecodeHparams(out.bytes());
  ASSERT_TRUE(data);
  const auto* const session = std::get_if<HparamsSessionStart>(&*data);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->start_time, 12.5);
  ASSERT_EQ(session->hparams.size(), 3U);
  EXPECT_EQ(session->hparams[0].first, "act");
  EXPECT_EQ(std::get<std::string>(session->hparams[0].second), "relu");
  EXPECT_TRUE(std::get<bool>(session->hparams[1].second));
  EXPECT_EQ(std::get<double>(session->hparams[2].second), 0.1);
  EXPECT_FALSE(DecodeHparams("\xff"));
}

TEST(Decode, ReadsLayoutsOfCustomScalars) {
  MessageWriter layout;
  const size_t category = layout.Begin(2);
  layout.Bytes(1, "losses");
  const size_t chart = layout.Begin(2);
  layout.Bytes(1, "both");
  const size_t multiline = layout.Begin(2);
  layout.Bytes(1, "loss/.*");
  layout.End(multiline);
  layout.End(chart);
  const size_t margin_chart = layout.Begin(2);
  const size_t margin = layout.Begin(3);
  const size_t series = layout.Begin(1);
  layout.Bytes(1, "mean");
  layout.Bytes(2, "low");
  layout.Bytes(3, "high");
  layout.End(series);
  layout.End(margin);
  layout.End(margin_chart);
  layout.Uint(3, 1);
  layout.End(category);
  const auto categories =
      DecodeCustomScalars(TensorValue(StringTensor({}, {std::string(layout.bytes())})));
  ASSERT_TRUE(categories && categories->size() == 1);
  const CustomCategory& read = (*categories)[0];
  EXPECT_EQ(read.title, "losses");
  EXPECT_TRUE(read.closed);
  ASSERT_EQ(read.charts.size(), 2U);
  EXPECT_THAT(read.charts[0].multiline, ElementsAre("loss/.*"));
  EXPECT_EQ(read.charts[1].margin[0].upper, "high");
}

TEST(Decode, ReadsProjectorConfigs) {
  const auto embeddings = ParseProjectorConfig(R"(# made by torch
embeddings {
  tensor_name: "default:00000"
  tensor_path: '00000/default/tensors.tsv'
  tensor_shape: 10  tensor_shape: 3
  metadata_path: "a\"b\303\244.tsv"
  sprite { image_path: "sprite.png" single_image_dim: 28 single_image_dim: 28 }
}
model_checkpoint_path: "x"
embeddings: < tensor_name: "second" >)");
  ASSERT_EQ(embeddings.size(), 2U);
  EXPECT_EQ(embeddings[0].tensor_name, "default:00000");
  EXPECT_EQ(embeddings[0].tensor_path, "00000/default/tensors.tsv");
  EXPECT_EQ(embeddings[0].metadata_path, "a\"bä.tsv");
  EXPECT_EQ(embeddings[0].sprite_path, "sprite.png");
  EXPECT_THAT(embeddings[0].sprite_size, ElementsAre(28, 28));
  EXPECT_THAT(embeddings[0].shape, ElementsAre(10, 3));
  EXPECT_EQ(embeddings[1].tensor_name, "second");
  EXPECT_TRUE(ParseProjectorConfig("}}}{{{\"").empty());
}

TEST(Decode, TellsMediaByTheirBytes) {
  EXPECT_EQ(MediaTypeOf(kPng), "image/png");
  EXPECT_EQ(MediaTypeOf("GIF89a"), "image/gif");
  EXPECT_EQ(MediaTypeOf("\xff\xd8\xff\xe0"), "image/jpeg");
  EXPECT_EQ(MediaTypeOf("RIFFxxxxWEBP"), "image/webp");
  EXPECT_EQ(MediaTypeOf("....ftypisom"), "video/mp4");
  EXPECT_EQ(MediaTypeOf("<html>"), "");
  EXPECT_EQ(MediaTypeOf(""), "");
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
