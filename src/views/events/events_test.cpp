// SPDX-License-Identifier: Apache-2.0
#include "views/events/events.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include "analysis/core/trace_builder.h"
#include "model/subject.h"
#include "views/overview/overview_text.h"
#include "views/profile_json.h"
#include "views/render/document.h"
#include "views/sample_profile.h"
#include "views/sample_views.h"

namespace telltale {
namespace {

Subject OneTrace() {
  TraceBuilder builder;
  builder.Operator("aten::mm, \"big\"", 0, 100);
  builder.Runtime("cudaLaunchKernel", 10, 20, 7);
  builder.Kernel("gemm", 30, 90, 7);
  builder.Kernel("orphan", 95, 96, 8);
  builder.Python("train.py(1): main", 0, 200);
  builder.trace().base_time_ns = 1'000;
  Subject subject;
  subject.Add(Artifact(std::move(builder.trace())));
  return subject;
}

std::string EmptyDocument() {
  const SampleViews views(SampleGpuProfile(), "events");
  return ProfileJson(views.profile(), views.built());
}

TEST(EventsCsv, HasEverySpanWithItsOperator) {
  const Subject subject = OneTrace();
  StringOutput output;
  WriteEventsCsv(EventSource(subject.Each<Trace>(), 1), std::nullopt, 0, output);
  EXPECT_EQ(
      output.text(),
      "file,kind,category,name,pid,tid,start_ns,duration_ns,device,stream,correlation,operator\n"
      "0,operator,cpu_op,\"aten::mm, \"\"big\"\"\",100,1,1000,100,,,,\n"
      "0,runtime,cuda_runtime,cudaLaunchKernel,100,1,1010,10,,,7,\n"
      "0,kernel,kernel,gemm,0,7,1030,60,0,7,7,\"aten::mm, \"\"big\"\"\"\n"
      "0,kernel,kernel,orphan,0,7,1095,1,0,7,8,\n"
      "0,python,python_function,train.py(1): main,100,1,1000,200,,,,\n");
}

TEST(EventsCsv, SortsAndLimits) {
  const Subject subject = OneTrace();
  const EventSource events(subject.Each<Trace>(), 1);
  std::vector<std::string> names;
  events.ForEach("duration_ns", 3, [&](const EventRow& row) {
    names.emplace_back(row.name);
    return true;
  });
  EXPECT_EQ(names, (std::vector<std::string>{"train.py(1): main", "aten::mm, \"big\"", "gemm"}));
  names.clear();
  events.ForEach(std::nullopt, 2, [&](const EventRow& row) {
    names.emplace_back(row.name);
    return true;
  });
  EXPECT_EQ(names.size(), 2u);
}

TEST(EventsCsv, StopsWhenNobodyReads) {
  const Subject subject = OneTrace();
  int seen = 0;
  EventSource(subject.Each<Trace>(), 1).ForEach(std::nullopt, 0, [&](const EventRow&) {
    return ++seen < 2;
  });
  EXPECT_EQ(seen, 2);
}

TEST(EventsJson, IsOneDocument) {
  const Subject subject = OneTrace();
  StringOutput output;
  WriteEventsJson(EmptyDocument(), EventSource(subject.Each<Trace>(), 1), std::nullopt, 0, output);
  simdjson::dom::parser parser;
  const simdjson::dom::element document = parser.parse(output.text());
  EXPECT_EQ(simdjson::dom::array(document["events"]).size(), 5u);
  EXPECT_EQ(std::string_view(document.at_pointer("/events/2/operator")), "aten::mm, \"big\"");
  EXPECT_TRUE(document.at_pointer("/events/3/operator").is_null());

  StringOutput empty;
  WriteEventsJson(EmptyDocument(), EventSource(Subject().Each<Trace>(), 1), std::nullopt, 0, empty);
  EXPECT_EQ(simdjson::dom::array(parser.parse(empty.text())["events"]).size(), 0u);
}

TEST(EventsDocument, ShowsTheLongestFirst) {
  const Subject subject = OneTrace();
  const std::string text = DocumentText(
      EventsDocument(EventSource(subject.Each<Trace>(), 1), std::nullopt, 2), {}, {.width = 100});
  EXPECT_LT(text.find("train.py"), text.find("aten::mm"));
  EXPECT_NE(text.find("2 of 5"), std::string::npos);
  EXPECT_EQ(text.find("gemm"), std::string::npos);
}

}  // namespace
}  // namespace telltale
