// SPDX-License-Identifier: Apache-2.0
#include "server/event_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::ElementsAre;

std::vector<std::string> Texts(const EventStream::Batch& batch) {
  std::vector<std::string> out;
  for (const EventStream::Message& message : batch.messages) out.push_back(*message);
  return out;
}

TEST(EventStream, ANewClientGetsTheLastValueOfEachEvent) {
  EventStream stream;
  EXPECT_TRUE(stream.Since(0).messages.empty());
  stream.Publish("profiles", "1");
  stream.Publish("progress", "a");
  stream.Publish("profiles", "2");
  const EventStream::Batch batch = stream.Since(0);
  EXPECT_THAT(Texts(batch),
              ElementsAre("event: progress\ndata: a\n\n", "event: profiles\ndata: 2\n\n"));
  EXPECT_TRUE(stream.Since(batch.next).messages.empty());
}

TEST(EventStream, AClientThatKeepsUpGetsEverything) {
  EventStream stream;
  const uint64_t start = stream.Since(0).next;
  stream.Publish("progress", "1");
  stream.Publish("progress", "2");
  const EventStream::Batch batch = stream.Since(start);
  EXPECT_THAT(Texts(batch),
              ElementsAre("event: progress\ndata: 1\n\n", "event: progress\ndata: 2\n\n"));
  stream.Publish("progress", "3");
  EXPECT_THAT(Texts(stream.Since(batch.next)), ElementsAre("event: progress\ndata: 3\n\n"));
}

TEST(EventStream, AClientFarBehindGetsTheLastValues) {
  EventStream stream;
  stream.Publish("profiles", "seen");
  const uint64_t start = stream.Since(0).next;
  for (int i = 0; i < 10'000; ++i) stream.Publish("progress", std::to_string(i));
  const EventStream::Batch batch = stream.Since(start);
  // What it has seen is not sent again.
  EXPECT_THAT(Texts(batch), ElementsAre("event: progress\ndata: 9999\n\n"));
  EXPECT_TRUE(stream.Since(batch.next).messages.empty());
}

TEST(EventStream, LargeMessagesArriveButAreNotCollected) {
  EventStream stream;
  const uint64_t start = stream.Since(0).next;
  const std::string large(size_t{3} << 20, 'x');
  stream.Publish("profiles", large);
  EXPECT_EQ(Texts(stream.Since(start)).size(), 1U);
  for (int i = 0; i < 9; ++i) stream.Publish("profiles", large);
  EXPECT_EQ(Texts(stream.Since(start)).size(), 1U);
}

TEST(EventStream, LinesStayInsideTheirMessage) {
  EventStream stream;
  stream.Publish("a", "one\ntwo\r\nthree\rfour\n\nevent: forged\n");
  EXPECT_THAT(Texts(stream.Since(0)),
              ElementsAre("event: a\ndata: one\ndata: two\ndata: three\ndata: four\ndata: \n"
                          "data: event: forged\n\n"));
  stream.Publish("a", "");
  EXPECT_THAT(Texts(stream.Since(0)), ElementsAre("event: a\ndata: \n\n"));
}

TEST(EventStream, TheListenerHearsOfEachMessage) {
  EventStream stream;
  int calls = 0;
  stream.Listen([&] { ++calls; });
  stream.Publish("a", "1");
  stream.Publish("a", "2");
  EXPECT_EQ(calls, 2);
  stream.Listen({});
  stream.Publish("a", "3");
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace telltale
