// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"
#include "views/build_profile.h"
#include "views/render/document.h"
#include "views/render/output.h"

namespace telltale {
namespace {

using testing::HasSubstr;

class StreamsTest : public testing::Test {
 protected:
  const Document& View() {
    Subject subject;
    subject.Add(Artifact(std::move(builder_.trace())));
    prepared_ = PrepareProfile(subject, {}).value();
    ProfileRequest request;
    request.view = ViewNamed("streams");
    request.overview = false;
    built_ = BuildViews(prepared_, request, Extent::kOverview);
    return *built_.Find("streams");
  }
  std::string Csv() {
    StringOutput output;
    WriteDocumentCsv(View(), 0, output);
    const std::string& text = output.text();
    return text.substr(text.find('\n') + 1);
  }

  TraceBuilder builder_;
  PreparedProfile prepared_;
  BuiltViews built_;
};

TEST_F(StreamsTest, TellsWhatRanBesideOtherStreams) {
  builder_.Kernel("gemm", 100, 200);
  builder_.Kernel("gemm", 150, 180);  // within the first: no more time
  builder_.Memcpy("Memcpy HtoD", 300, 310);
  builder_.Kernel("ncclKernel_AllReduce_RING_LL_Sum_float", 180, 260, kNoUint, 0, 20);
  builder_.Kernel("elementwise", 190, 195, kNoUint, 0, 21);
  builder_.Kernel("elsewhere", 100, 400, kNoUint, 1, 7);
  EXPECT_EQ(Csv(),
            "0,0,7,3,210,110,0.5238095238095238,100,0,10,20,0.18181818181818182,90\n"
            "0,0,20,1,210,80,0.38095238095238093,0,80,0,20,0.25,60\n"
            "0,0,21,1,210,5,0.023809523809523808,5,0,0,5,1,0\n"
            "0,1,7,1,300,300,1,300,0,0,0,0,300\n");
  EXPECT_THAT(built_.Find("streams")->Answer({}),
              HasSubstr("Device 0 used 3 streams. Stream 7 was the busiest (110 ns of 210 ns); of "
                        "the 85 ns on the others, 29 % ran beside another stream, and 60 ns "
                        "alone."));
}

TEST_F(StreamsTest, OneStreamHidesNothing) {
  builder_.Kernel("gemm", 100, 200);
  EXPECT_THAT(View().Answer({}), HasSubstr("Device 0 used one stream"));
}

TEST_F(StreamsTest, SaysWhatTheCaptureLacks) {
  builder_.Operator("aten::add", 100, 200);
  EXPECT_THAT(View().Answer({}), HasSubstr("no device events"));
  EXPECT_EQ(built_.Find("streams")->rows(), 0U);
}

TEST_F(StreamsTest, EventsWithoutLengthAreCountedAndTakeNoTime) {
  builder_.Kernel("gemm", 100, 100);
  builder_.Kernel("gemm", 100, 100, kNoUint, 0, 8);
  EXPECT_EQ(Csv(), "0,0,7,1,0,0,,0,0,0,0,,0\n0,0,8,1,0,0,,0,0,0,0,,0\n");
}

}  // namespace
}  // namespace telltale
