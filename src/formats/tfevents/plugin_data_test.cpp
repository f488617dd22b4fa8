// SPDX-License-Identifier: Apache-2.0
// What plugins say of themselves, in the metadata of their tags or in a tensor of one text.
#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/protobuf.h"
#include "formats/tfevents/custom_layout.h"
#include "formats/tfevents/hparams.h"
#include "formats/tfevents/mesh.h"

namespace telltale::tfevents {
namespace {

using protobuf::MessageWriter;
using testing::ElementsAre;

TEST(PluginData, ReadsHparams) {
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
  add("lr", [&] { out.Double(2, 0.5); });  // again: the last one counts
  add("bn", [&] { out.Uint(4, 1); });
  out.Double(5, 12.5);
  out.End(start);
  const auto session = ReadHparamStart(out.bytes());
  ASSERT_TRUE(session);
  EXPECT_EQ(session->start_time_secs, 12.5);
  ASSERT_EQ(session->hparams.size(), 3U);
  EXPECT_EQ(session->hparams[0].first, "lr");
  EXPECT_EQ(std::get<double>(session->hparams[0].second), 0.5);
  EXPECT_EQ(std::get<std::string>(session->hparams[1].second), "relu");
  EXPECT_TRUE(std::get<bool>(session->hparams[2].second));
  EXPECT_FALSE(ReadHparamEnd(out.bytes()));
  EXPECT_FALSE(ReadHparamStart("\xff"));
}

TEST(PluginData, ReadsLayoutsOfCustomScalars) {
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
  const CustomLayout whole = ReadCustomLayout(layout.bytes());
  ASSERT_EQ(whole.categories.size(), 1U);
  const CustomCategory& read = whole.categories[0];
  EXPECT_EQ(read.title, "losses");
  EXPECT_TRUE(read.closed);
  ASSERT_EQ(read.charts.size(), 2U);
  EXPECT_EQ(read.charts[0].kind, CustomChart::Kind::kLines);
  EXPECT_THAT(read.charts[0].tags, ElementsAre("loss/.*"));
  EXPECT_EQ(read.charts[1].kind, CustomChart::Kind::kMargin);
  EXPECT_EQ(read.charts[1].margins[0].upper, "high");
}

TEST(PluginData, ReadsPartsOfMeshes) {
  MessageWriter out;
  out.Bytes(2, "bunny");
  out.Uint(3, 2);
  out.Bytes(5, "{}");
  for (const uint64_t size : {1U, 8U, 3U}) out.Uint(6, size);
  const MeshPart part = ReadMeshPart(out.bytes());
  EXPECT_EQ(part.name, "bunny");
  EXPECT_EQ(part.kind, MeshKind::kFace);
  EXPECT_THAT(part.shape, ElementsAre(1, 8, 3));
  EXPECT_EQ(part.components, 0b1110U);  // it did not say: it may have all
}

}  // namespace
}  // namespace telltale::tfevents
