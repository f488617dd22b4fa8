// SPDX-License-Identifier: Apache-2.0
// How Telltale writes into a Perfetto trace what Perfetto itself has no place for, so that reading
// it back gives the same trace. Shared by writer and reader; FORMAT.md describes it.
#pragma once

#include <cstdint>
#include <string_view>

namespace telltale::perfetto {

// The instant that says that Telltale wrote the file, first of all events.
inline constexpr std::string_view kMarkName = "telltale";
inline constexpr std::string_view kMarkCategory = "__telltale";
// Its annotations.
inline constexpr std::string_view kMarkVersion = "version";         // 1
inline constexpr std::string_view kMarkTimeOffset = "time_offset";  // timestamp - ts, ns
inline constexpr std::string_view kMarkFlows = "flow_kinds";        // list of categories

// The instant that holds the top-level values of the JSON document as annotations.
inline constexpr std::string_view kMetadataName = "trace metadata";
inline constexpr std::string_view kMetadataCategory = "__metadata";

// An instant of the recorder's spans (collect/span_file.h): how many of them are not in the file,
// all together up to there.
inline constexpr std::string_view kDroppedCategory = "__dropped_spans";
inline constexpr std::string_view kDroppedCount = "dropped";   // found no room while recorded
inline constexpr std::string_view kLeftOutCount = "left_out";  // beyond the size of the file

// An instant that stands for an event without a native form: its annotations are its fields.
inline constexpr std::string_view kRecordCategory = "__chrome_event";
// In a record of a flow: the flow id under which its slice carries it already.
inline constexpr std::string_view kRecordFlowId = "flow_id";

// The annotation of a native event with fields that have no place in it.
inline constexpr std::string_view kExtraFields = "__chrome_fields";

// Flow ids: the number of the flow's category in the list above, then its own id.
inline constexpr int kFlowIdBits = 56;
inline constexpr uint64_t kMaxFlowKinds = 255;

// The name torch gives flows of a category.
[[nodiscard]] constexpr std::string_view FlowName(std::string_view category) {
  return category == "async" ? "launch" : category;
}

}  // namespace telltale::perfetto
