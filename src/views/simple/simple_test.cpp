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

using testing::AllOf;
using testing::HasSubstr;

class SimpleTest : public testing::Test {
 protected:
  const Document& View() {
    Subject subject;
    subject.Add(Artifact(std::move(builder_.trace())));
    prepared_ = PrepareProfile(subject, {}).value();
    ProfileRequest request;
    request.view = ViewNamed("simple");
    request.overview = false;
    built_ = BuildViews(prepared_, request, Extent::kOverview);
    return *built_.Find("simple");
  }
  std::string Csv() {
    StringOutput output;
    WriteDocumentCsv(View(), 0, output);
    return output.text();
  }

  TraceBuilder builder_;
  PreparedProfile prepared_;
  BuiltViews built_;
};

TEST_F(SimpleTest, SumsActionsAndCallsThemWhatTheyAre) {
  builder_.Annotation("epoch", 0, 1000);
  builder_.Annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 300);
  builder_.Annotation("forward Net", 300, 400);
  builder_.Annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 400, 500);
  builder_.Annotation("forward Net", 500, 700);
  builder_.Annotation("forward Net", 510, 520);  // inside itself: counted, its time once
  builder_.Annotation("Optimizer.step#Adam.step", 700, 800);
  EXPECT_EQ(Csv(),
            "file,name,depth,parent,mean_ns,calls,total_ns,share,self_ns,p50_ns,p90_ns,p99_ns,"
            "max_ns,wall_ns\n"
            "0,epoch,,,1000,1,1000,1,200,1000,1000,1000,1000,1000\n"
            "0,wait for data,,,200,2,400,0.4,400,100,300,300,300,1000\n"
            "0,forward Net,,,100,3,300,0.3,300,100,200,200,200,1000\n"
            "0,optimizer step Adam,,,100,1,100,0.1,100,100,100,100,100,1000\n");
  EXPECT_THAT(built_.Find("simple")->Answer({}),
              AllOf(HasSubstr("wait for data takes the most by itself: 400 ns of "),
                    HasSubstr(", in 2 calls.")));
}

TEST_F(SimpleTest, StepsAreNoActions) {
  builder_.Annotation("ProfilerStep#1", 0, 100, 2);
  EXPECT_THAT(View().Answer({}), HasSubstr("No actions in the trace"));
}

}  // namespace
}  // namespace telltale
