// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_rows/row_builder.h"

#include <gtest/gtest.h>

#include "formats/trace_rows/rows.h"

namespace telltale::trace_rows {
namespace {

// A kernel on device 2, its values as `json` or as numbers.
void FillKernel(RowBuilder& builder, bool json) {
  const auto text = [](std::string_view quoted) { return Value::Json(quoted); };
  // Decimal texts are followed by bytes that are no part of them.
  const auto number = [](std::string_view padded) {
    return Value::Json(padded.substr(0, padded.find(',')));
  };
  EventDraft& draft = builder.draft();
  draft.Clear();
  if (json) {
    draft.Set(EventKey::kName, text("\"gemm\""));
    draft.Set(EventKey::kCat, text("\"kernel\""));
    draft.Set(EventKey::kTs, number("12.345,        "));
    draft.Set(EventKey::kDur, number("2,        "));
    draft.Set(ArgKey::kDevice, number("2,        "));
    draft.Set(ArgKey::kOccupancy, number("37.5,        "));
  } else {
    draft.Set(EventKey::kName, Value::Interned(builder.Intern("gemm")));
    draft.Set(EventKey::kCat, Value::Interned(builder.Intern("kernel")));
    draft.Set(EventKey::kTs, Value::Integer(12'345));
    draft.Set(EventKey::kDur, Value::Integer(2'000));
    draft.Set(ArgKey::kDevice, Value::Integer(2));
    draft.Set(ArgKey::kOccupancy, Value::Real(37.5));
  }
  draft.Set(EventKey::kPid, text("2"));
  draft.Set(EventKey::kTid, text("\"stream 7\""));
}

TEST(RowBuilder, NumbersAndTheirTextsMakeTheSameRow) {
  for (const bool json : {true, false}) {
    Rows rows;
    FillKernel(rows.builder(), json);
    rows.builder().Add('X', 5);
    const Trace trace = rows.Finish();
    ASSERT_EQ(trace.spans.size(), 1U);
    EXPECT_EQ(trace.NameOfSpan(0), "gemm");
    EXPECT_EQ(trace.spans.category[0], Category::kKernel);
    EXPECT_EQ(trace.spans.start_ns[0], 12'345);
    EXPECT_EQ(trace.spans.duration_ns[0], 2'000);
    EXPECT_EQ(trace.spans.offset[0], 5U);
    const DeviceDetail* device = trace.DeviceOf(0);
    ASSERT_NE(device, nullptr);
    EXPECT_EQ(device->device, 2);
    EXPECT_EQ(device->stream, 7) << "by the thread's name";
    EXPECT_EQ(device->occupancy_percent, 37.5);
    EXPECT_TRUE(trace.diagnostics.empty());
  }
}

TEST(RowBuilder, EverySeriesOfACounterIsARow) {
  Rows rows;
  RowBuilder& builder = rows.builder();
  builder.draft().Clear();
  builder.draft().Set(EventKey::kName, Value::Interned(builder.Intern("queue")));
  builder.draft().Set(EventKey::kTs, Value::Integer(1));
  builder.draft().series = {{Value::Json("\"a\""), Value::Integer(3)},
                            {Value::Interned(builder.Intern("b")), Value::Real(0.5)},
                            {Value::Json("\"c\""), Value::Json("null")}};
  builder.Add('C', 0);
  const Trace trace = rows.Finish();
  ASSERT_EQ(trace.counters.size(), 2U);
  EXPECT_EQ(trace.Text(trace.counters.series[0]), "a");
  EXPECT_EQ(trace.counters.value[0], 3);
  EXPECT_EQ(trace.Text(trace.counters.series[1]), "b");
  EXPECT_EQ(trace.counters.value[1], 0.5);
}

TEST(RowBuilder, SaysWhatAnEventLacks) {
  Rows rows;
  rows.builder().draft().Clear();
  rows.builder().Add('X', 9);
  rows.builder().Add('?', 10);
  const Trace trace = rows.Finish();
  EXPECT_EQ(trace.spans.size(), 0U);
  EXPECT_EQ(trace.source.events, 2U);
  EXPECT_EQ(trace.diagnostics.Count(DiagnosticKind::kMissingTime), 1U);
  EXPECT_EQ(trace.diagnostics.Count(DiagnosticKind::kUnknownPhase), 1U);
}

}  // namespace
}  // namespace telltale::trace_rows
