// SPDX-License-Identifier: Apache-2.0
#include "server/respond.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/gzip_memory.h"

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Headers = std::vector<std::pair<std::string, std::string>>;

HttpRequest Get(Headers headers = {}, std::string method = "GET") {
  HttpRequest request;
  request.method = std::move(method);
  request.headers = std::move(headers);
  return request;
}

HttpResponse Text(std::string body) {
  HttpResponse response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::make_shared<const std::string>(std::move(body));
  return response;
}

HttpResponse Packed(const std::string& body) {
  HttpResponse response = Text(GzipFast(body));
  response.gzipped = true;
  return response;
}

std::string Sent(const WireResponse& wire) {
  return wire.body->substr(wire.begin, wire.end - wire.begin);
}

std::string Line(const WireResponse& wire, const std::string& name) {
  const size_t at = wire.head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "(none)";
  const size_t begin = at + name.size() + 4;
  return wire.head.substr(begin, wire.head.find("\r\n", begin) - begin);
}

TEST(Respond, HasLengthTypeAndSafetyHeaders) {
  const WireResponse wire = MakeWireResponse(Get(), Text("hello"), true);
  EXPECT_THAT(wire.head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(wire.head.ends_with("\r\n\r\n"));
  EXPECT_EQ(Line(wire, "Content-Length"), "5");
  EXPECT_EQ(Line(wire, "Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(Line(wire, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(Line(wire, "X-Frame-Options"), "DENY");
  EXPECT_EQ(Line(wire, "Connection"), "keep-alive");
  EXPECT_EQ(Line(wire, "Cache-Control"), "no-cache");
  EXPECT_EQ(Sent(wire), "hello");
  const WireResponse last = MakeWireResponse(Get(), ErrorResponse(404, "x", "y"), false);
  EXPECT_THAT(last.head, StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_EQ(Line(last, "Connection"), "close");
  EXPECT_EQ(Line(last, "Cache-Control"), "no-store");
  EXPECT_EQ(Line(last, "X-Frame-Options"), "DENY");
  EXPECT_EQ(Line(last, "ETag"), "(none)");
}

TEST(Respond, AHeaderCannotBeginAnother) {
  HttpResponse response = Text("x");
  response.headers.emplace_back("X-Name", "a\r\nSet-Cookie: b");
  EXPECT_THAT(MakeWireResponse(Get(), response, true).head, Not(HasSubstr("\nSet-Cookie")));
}

TEST(Respond, KnownAnswersAreNotSentAgain) {
  const WireResponse first = MakeWireResponse(Get(), Text("hello"), true);
  const std::string tag = Line(first, "ETag");
  EXPECT_EQ(tag, EntityTag("hello"));
  for (const std::string& known : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    const WireResponse wire =
        MakeWireResponse(Get({{"if-none-match", known}}), Text("hello"), true);
    EXPECT_THAT(wire.head, StartsWith("HTTP/1.1 304 Not Modified\r\n"));
    EXPECT_EQ(Line(wire, "ETag"), tag);
    EXPECT_EQ(Line(wire, "Content-Length"), "(none)");
    EXPECT_EQ(Sent(wire), "");
  }
  EXPECT_THAT(MakeWireResponse(Get({{"if-none-match", tag}}), Text("other"), true).head,
              StartsWith("HTTP/1.1 200"));
  HttpRequest post = Get({{"if-none-match", tag}}, "POST");
  EXPECT_THAT(MakeWireResponse(post, Text("hello"), true).head, StartsWith("HTTP/1.1 200"));
}

TEST(Respond, PacksLargeTextForThoseWhoTakeIt) {
  const std::string body(5000, 'x');
  const WireResponse plain = MakeWireResponse(Get(), Text(body), true);
  const WireResponse packed =
      MakeWireResponse(Get({{"accept-encoding", "br, gzip"}}), Text(body), true);
  EXPECT_EQ(Line(plain, "Content-Encoding"), "(none)");
  EXPECT_EQ(Line(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(Line(plain, "Vary"), "Accept-Encoding");
  EXPECT_EQ(Line(packed, "Vary"), "Accept-Encoding");
  EXPECT_LT(Sent(packed).size(), 200U);
  EXPECT_EQ(Gunzip(Sent(packed), 10'000), body);
  // Other bytes, other tag, but known all the same.
  EXPECT_NE(Line(plain, "ETag"), Line(packed, "ETag"));
  EXPECT_THAT(
      MakeWireResponse(Get({{"accept-encoding", "gzip"}, {"if-none-match", Line(packed, "ETag")}}),
                       Text(body), true)
          .head,
      StartsWith("HTTP/1.1 304"));
}

TEST(Respond, PacksAKeptAnswerOnce) {
  const Headers gzip = {{"accept-encoding", "gzip"}};
  HttpResponse kept = Text(std::string(5000, 'x'));
  kept.packed = std::make_shared<PackedBody>();
  EXPECT_EQ(Line(MakeWireResponse(Get(), kept, true), "Content-Encoding"), "(none)");
  EXPECT_EQ(kept.packed->bytes, nullptr);
  const WireResponse first = MakeWireResponse(Get(gzip), kept, true);
  const WireResponse second = MakeWireResponse(Get(gzip), kept, true);
  EXPECT_EQ(first.body, second.body) << "the same object, not a copy";
  EXPECT_EQ(Gunzip(Sent(second), 10'000), *kept.body);
}

TEST(Respond, LeavesAloneWhatDoesNotShrink) {
  const Headers gzip = {{"accept-encoding", "gzip"}};
  EXPECT_EQ(Line(MakeWireResponse(Get(gzip), Text("small"), true), "Content-Encoding"), "(none)");
  HttpResponse picture = Text(std::string(5000, 'x'));
  picture.content_type = "image/png";
  EXPECT_EQ(Line(MakeWireResponse(Get(gzip), picture, true), "Content-Encoding"), "(none)");
}

TEST(Respond, PackedBodiesAreUnpackedForThoseWhoDoNotTakeThem) {
  const std::string body = "var x = 1;";
  const WireResponse packed =
      MakeWireResponse(Get({{"accept-encoding", "gzip"}}), Packed(body), true);
  EXPECT_EQ(Line(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(Gunzip(Sent(packed), 100), body);
  const WireResponse plain = MakeWireResponse(Get(), Packed(body), true);
  EXPECT_EQ(Line(plain, "Content-Encoding"), "(none)");
  EXPECT_EQ(Line(plain, "Content-Length"), "10");
  EXPECT_EQ(Sent(plain), body);
  HttpResponse damaged = Packed(body);
  damaged.body = std::make_shared<const std::string>("no gzip");
  EXPECT_THAT(MakeWireResponse(Get(), damaged, true).head, StartsWith("HTTP/1.1 500"));
}

TEST(Respond, ReadsAcceptEncoding) {
  for (const char* yes : {"gzip", "GZIP", "deflate, gzip;q=1.0", "*", "gzip;q=0.5", "x-gzip",
                          "br;q=1, gzip ; q=0.1"}) {
    EXPECT_TRUE(TakesGzip(Get({{"accept-encoding", yes}}))) << yes;
  }
  for (const char* no :
       {"", "identity", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzip;q=0, *", "br", "notgzip"}) {
    EXPECT_FALSE(TakesGzip(Get({{"accept-encoding", no}}))) << no;
  }
  EXPECT_FALSE(TakesGzip(Get()));
}

TEST(Respond, SendsOneRange) {
  const auto part = [](const char* range) {
    return MakeWireResponse(Get({{"range", range}, {"accept-encoding", "gzip"}}),
                            Packed("0123456789"), true);
  };
  for (const auto& [range, expected, content_range] :
       {std::tuple("bytes=2-4", "234", "bytes 2-4/10"),
        {"bytes=7-", "789", "bytes 7-9/10"},
        {"bytes=-3", "789", "bytes 7-9/10"},
        {"bytes=0-99", "0123456789", "bytes 0-9/10"},
        {"bytes=-99", "0123456789", "bytes 0-9/10"}}) {
    const WireResponse wire = part(range);
    EXPECT_THAT(wire.head, StartsWith("HTTP/1.1 206 Partial Content\r\n")) << range;
    EXPECT_EQ(Sent(wire), expected) << range;
    EXPECT_EQ(Line(wire, "Content-Range"), content_range);
    EXPECT_EQ(Line(wire, "Content-Length"), std::to_string(std::string(expected).size()));
    EXPECT_EQ(Line(wire, "Content-Encoding"), "(none)");
  }
  for (const char* range : {"bytes=10-", "bytes=10-20", "bytes=-0"}) {
    const WireResponse wire = part(range);
    EXPECT_THAT(wire.head, StartsWith("HTTP/1.1 416")) << range;
    EXPECT_EQ(Line(wire, "Content-Range"), "bytes */10");
    EXPECT_EQ(Sent(wire), "");
  }
  for (const char* ignored : {"bytes=4-2", "bytes=a-b", "bytes=", "bytes=-", "lines=1-2",
                              "bytes=0-1,3-4", "bytes=99999999999999999999-", "bytes=--1"}) {
    EXPECT_THAT(part(ignored).head, StartsWith("HTTP/1.1 200")) << ignored;
  }
}

TEST(Respond, ARangeOfAnOlderVersionIsTheWholeNewOne) {
  const std::string tag = EntityTag("0123456789");
  EXPECT_THAT(
      MakeWireResponse(Get({{"range", "bytes=0-1"}, {"if-range", tag}}), Text("0123456789"), true)
          .head,
      StartsWith("HTTP/1.1 206"));
  EXPECT_THAT(MakeWireResponse(Get({{"range", "bytes=0-1"}, {"if-range", "\"old\""}}),
                               Text("0123456789"), true)
                  .head,
              StartsWith("HTTP/1.1 200"));
}

TEST(Respond, HeadIsGetWithoutTheBody) {
  const WireResponse wire = MakeWireResponse(Get({}, "HEAD"), Text("hello"), true);
  EXPECT_EQ(Line(wire, "Content-Length"), "5");
  EXPECT_EQ(Line(wire, "ETag"), EntityTag("hello"));
  EXPECT_EQ(Sent(wire), "");
}

}  // namespace
}  // namespace telltale
