// SPDX-License-Identifier: Apache-2.0
#include "server/request_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace telltale {
namespace {

using State = RequestReader::State;

// Gives the bytes in pieces; ends at the first state that is not "more", headers aside.
State Feed(RequestReader& reader, std::string_view bytes, size_t piece = SIZE_MAX) {
  State state = reader.Parse();
  while (state == State::kHeader) state = reader.Parse();
  while (state == State::kNeedsMore && !bytes.empty()) {
    const std::span<char> room = reader.Room();
    EXPECT_FALSE(room.empty());
    const size_t count = std::min({room.size(), bytes.size(), piece});
    std::memcpy(room.data(), bytes.data(), count);
    reader.Add(count);
    bytes.remove_prefix(count);
    do {
      state = reader.Parse();
    } while (state == State::kHeader);
  }
  return state;
}

unsigned StatusOf(std::string_view bytes, size_t piece = SIZE_MAX) {
  RequestReader reader({});
  return Feed(reader, bytes, piece) == State::kRefused ? reader.refusal().status : 0;
}

TEST(RequestReader, ReadsRequestsInAnyPieces) {
  const std::string bytes =
      "POST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"
      "GET /next HTTP/1.0\r\nX-Y: Z\r\n\r\n";
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{4000}}) {
    RequestReader reader({});
    size_t at = 0;
    std::string got;
    while (true) {
      const State state = reader.Parse();
      if (state == State::kDone) {
        got += reader.request().method + " " + reader.target() + " " + reader.request().body + "|";
        got += reader.keep_alive() ? "on " : "last ";
        reader.Next();
        if (at == bytes.size() && !reader.has_bytes()) break;
      } else if (state == State::kNeedsMore) {
        ASSERT_LT(at, bytes.size());
        const std::span<char> room = reader.Room();
        const size_t count = std::min({piece, room.size(), bytes.size() - at});
        std::memcpy(room.data(), bytes.data() + at, count);
        reader.Add(count);
        at += count;
      } else {
        ASSERT_EQ(state, State::kHeader);
      }
    }
    EXPECT_EQ(got, "POST /a?b body|on GET /next |last ");
  }
}

TEST(RequestReader, SaysTheHeaderBeforeTheBody) {
  RequestReader reader({});
  const std::string_view bytes =
      "POST /a HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n";
  std::memcpy(reader.Room().data(), bytes.data(), bytes.size());
  reader.Add(bytes.size());
  ASSERT_EQ(reader.Parse(), State::kHeader);
  EXPECT_TRUE(reader.expects_continue());
  EXPECT_EQ(reader.request().Header("expect"), "100-Continue");
  EXPECT_EQ(reader.Parse(), State::kNeedsMore);
  EXPECT_EQ(Feed(reader, "hi"), State::kDone);
  EXPECT_EQ(reader.request().body, "hi");
}

TEST(RequestReader, ChunksAndOtherCodingsAreRefused) {
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\n";
  EXPECT_EQ(StatusOf(post + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 411U);
  EXPECT_EQ(StatusOf(post + "transfer-encoding: CHUNKED\r\n\r\n"), 411U);
  for (const char* coding :
       {"xchunked", "identity", "gzip, chunked", "chunked, identity", "chunked, chunked", "",
        "chunked\r\nTransfer-Encoding: chunked", "chunked;a=b", "\"chunked\""}) {
    const unsigned status = StatusOf(post + "Transfer-Encoding: " + coding + "\r\n\r\n");
    EXPECT_TRUE(status == 501 || status == 400) << coding << ": " << status;
  }
  EXPECT_EQ(StatusOf("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400U);
  EXPECT_EQ(StatusOf(post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"), 400U);
}

// Beast throws for a field of more than 65,535 bytes, and holds whatever comes before the end of a
// chunk's first line: none of it may be reached.
TEST(RequestReader, WhatSurroundsChunksIsNeverRead) {
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const size_t piece : {size_t{1000}, size_t{1} << 20}) {
    EXPECT_EQ(StatusOf(head + "0\r\nA: " + std::string(70'000, 'b') + "\r\n\r\n", piece), 411U);
    EXPECT_EQ(StatusOf(head + "1;" + std::string(200'000, 'e'), piece), 411U);
    EXPECT_EQ(StatusOf(head + std::string(200'000, '0'), piece), 411U);
  }
}

TEST(RequestReader, HoldsNoMoreThanItsLimits) {
  const std::string line = "GET / HTTP/1.1\r\n";
  EXPECT_EQ(StatusOf(line + "X: " + std::string(40'000, 'a') + "\r\n\r\n"), 431U);
  EXPECT_EQ(StatusOf(line + "X: " + std::string(400'000, 'a')), 431U);
  EXPECT_EQ(StatusOf(line + std::string(400'000, 'a')), 431U);
  EXPECT_EQ(StatusOf("GET /" + std::string(400'000, 'a')), 431U);
  std::string many = line;
  for (int i = 0; i < 20'000; ++i) many += "X: a\r\n";
  EXPECT_EQ(StatusOf(many + "\r\n"), 431U);
  for (const std::string& junk : {std::string(400'000, 'a'), std::string(400'000, '\0'),
                                  std::string(400'000, '\n'), std::string(400'000, ' ')}) {
    EXPECT_GE(StatusOf(junk, 1000), 400U);
  }
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n"), 413U);
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nContent-Length: 1048576\r\n\r\n"), 0U);
}

TEST(RequestReader, RefusedStaysRefused) {
  RequestReader reader({});
  EXPECT_EQ(Feed(reader, "garbage\r\n\r\n"), State::kRefused);
  EXPECT_EQ(Feed(reader, "GET / HTTP/1.1\r\n\r\n"), State::kRefused);
}

}  // namespace
}  // namespace telltale
