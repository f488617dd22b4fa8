// SPDX-License-Identifier: Apache-2.0
// …/timeline/event: what the columns know of an event, and its arguments as they stand in the file.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/categories.h"
#include "analysis/timeline/event.h"
#include "analysis/timeline/short_name.h"
#include "base/json/scan.h"
#include "base/json_writer.h"
#include "formats/event_text.h"
#include "formats/kineto_json/raw_event.h"
#include "formats/kineto_json/scan.h"
#include "server/timeline_event_reference.h"
#include "server/timeline_routes.h"
#include "views/field_value.h"

namespace telltale {

namespace {

// The file's own text of one event, cleaned of what is no JSON in it.
struct RawArguments {
  std::optional<std::string> arguments;  // a JSON object
  std::string problem;                   // why there are none
};

RawArguments ReadArguments(const Trace& trace, SpanRow row, const FileGate& gate) {
  if (trace.source.format != "kineto_json") {
    return {std::nullopt, "arguments are kept for traces in JSON only; this one is " +
                              (trace.source.format.empty() ? std::string("of no known format")
                                                           : trace.source.format)};
  }
  Result<std::string> raw = ReadRawEvent(trace.source, trace.spans.offset[row], gate);
  if (!raw) return {std::nullopt, raw.error().message};
  const size_t size = raw->size();
  raw->append(kineto_json::kPadding, '\0');
  EventText event;
  if (!event.Parse(std::string_view(*raw).substr(0, size))) {
    return {std::nullopt, "the event's text cannot be understood"};
  }
  if (!event.odd_args().empty()) return {std::string(event.odd_args()), ""};
  JsonWriter json(/*indented=*/false);
  json.BeginObject();
  for (const JsonField& field : event.args()) {
    json.Key(field.key);
    json.Raw(field.json);
  }
  json.EndObject();
  return {json.Take(), ""};
}

class EventWriter {
 public:
  EventWriter(const TimelineInput& input, uint32_t file, SpanRow row)
      : input_(input),
        file_(file),
        row_(row),
        trace_(input.contexts[file].trace),
        timeline_(input.index.files()[file]),
        details_(DescribeEvent(input.contexts, input.index, file, row)) {}

  std::string Write() {
    json_.BeginObject();
    WriteSelf();
    WriteCaptured();
    WriteArguments();
    WriteAround();
    WriteLaunches();
    WriteStack();
    WriteArrows();
    json_.EndObject();
    return json_.Take();
  }

 private:
  void WriteSelf() {
    const SpanTable& spans = trace_.spans;
    const Track& track = trace_.tracks[static_cast<size_t>(spans.track[row_])];
    json_.Field("file", file_);
    json_.Field("row", row_);
    json_.Field("name", trace_.NameOfSpan(row_));
    json_.Field("category", NameOf(timeline_.category[row_]));
    json_.Field("kind", NameOf(spans.category[row_]));
    const auto category = static_cast<size_t>(spans.category_id[row_]);
    json_.Field("captured_category", category < trace_.categories.size()
                                         ? trace_.Text(trace_.categories[category].text)
                                         : std::string_view());
    json_.Field("track", details_.track);
    json_.Field("depth", details_.depth);
    json_.Field("pid", trace_.Text(track.pid.text));
    json_.Field("tid", trace_.Text(track.tid.text));
    json_.Field("start_ns", timeline_.FromOrigin(spans.start_ns[row_]));
    json_.Field("duration_ns", spans.duration_ns[row_]);
    json_.Field("self_ns", details_.self_ns);
    json_.Field("time_ns", std::to_string(input_.index.alignment().CommonTime(
                               trace_, file_, spans.start_ns[row_])));
    json_.Field("step", details_.step);
    const OperatorDetail* detail = trace_.OperatorOf(row_);
    if (detail != nullptr) json_.Field("finished", detail->finished);
  }

  void WriteCaptured() {
    if (const OperatorDetail* detail = trace_.OperatorOf(row_)) {
      WriteText("input_shapes", detail->input_dims);
      WriteText("input_types", detail->input_types);
      WriteText("input_values", detail->concrete_inputs);
    }
    const DeviceDetail* detail = trace_.DeviceOf(row_);
    if (detail == nullptr) return;
    json_.Key("device");
    json_.BeginObject();
    Known("device", detail->device);
    Known("stream", detail->stream);
    Known("bytes", detail->bytes);
    if (detail->bandwidth_gb_per_s >= 0) {
      json_.Field("bandwidth_gb_per_s", detail->bandwidth_gb_per_s);
    }
    Size("grid", detail->grid);
    Size("block", detail->block);
    if (detail->registers_per_thread >= 0) {
      json_.Field("registers_per_thread", detail->registers_per_thread);
    }
    if (detail->shared_memory_bytes >= 0) {
      json_.Field("shared_memory_bytes", detail->shared_memory_bytes);
    }
    if (detail->blocks_per_sm >= 0) json_.Field("blocks_per_sm", detail->blocks_per_sm);
    if (detail->warps_per_sm >= 0) json_.Field("warps_per_sm", detail->warps_per_sm);
    if (detail->occupancy_percent >= 0) json_.Field("occupancy_percent", detail->occupancy_percent);
    json_.EndObject();
  }

  void Known(std::string_view key, int64_t value) {
    if (value != kNoInt) json_.Field(key, value);
  }
  void Size(std::string_view key, const uint32_t (&size)[3]) {
    if (size[0] == 0) return;
    json_.Key(key);
    json_.BeginArray();
    for (const uint32_t one : size) json_.Int(one);
    json_.EndArray();
  }
  void WriteText(std::string_view key, StringId id) {
    json_.Key(key);
    const std::string_view text = trace_.Text(id);
    if (id == kNoString) {
      json_.Null();
    } else if (IsJson(text)) {
      json_.Raw(text);
    } else {
      json_.String(text);
    }
  }

  void WriteArguments() {
    const RawArguments raw = ReadArguments(trace_, row_, input_.gate);
    json_.Key("arguments");
    if (raw.arguments) {
      std::string_view text = *raw.arguments;
      while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
      json_.Raw(text);
      json_.FieldNull("arguments_problem");
    } else {
      json_.Null();
      json_.Field("arguments_problem", raw.problem);
    }
  }

  void WriteAround() {
    json_.Key("parents");
    References(details_.parents);
    json_.Field("child_count", details_.child_count);
    json_.Key("children");
    References(details_.children);
  }

  void WriteLaunches() {
    json_.Key("launch");
    Reference(details_.launch);
    json_.Key("operator");
    Reference(details_.launching_operator);
    json_.Field("launched_count", details_.launched_count);
    json_.Field("launched_ns", details_.launched_ns);
    json_.Key("launched");
    References(details_.launched);
  }

  void WriteStack() {
    json_.Key("stack");
    json_.BeginArray();
    for (const StackFrame& frame : details_.stack) Frame(frame);
    json_.EndArray();
    json_.Key("source");
    if (details_.source) {
      Frame(*details_.source);
    } else {
      json_.Null();
    }
  }

  void WriteArrows() {
    json_.Key("arrows");
    json_.BeginArray();
    for (const EventArrow& arrow : details_.arrows) {
      json_.BeginObject();
      json_.Field("kind", arrow.kind);
      json_.Key("from");
      Reference(arrow.from);
      json_.Key("to");
      Reference(arrow.to);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Frame(const StackFrame& frame) {
    json_.BeginObject();
    json_.Field("name", frame.name);
    json_.Key("path");
    if (frame.file.empty()) {
      json_.Null();
    } else {
      json_.String(frame.file);
    }
    json_.Field("line", frame.line);
    json_.Key("row");
    if (frame.row == kNoRow) {
      json_.Null();
    } else {
      json_.Int(frame.row);
    }
    json_.EndObject();
  }

  void Reference(SpanRow row) {
    if (row == kNoRow) {
      json_.Null();
    } else {
      WriteEventReference(input_, file_, row, json_);
    }
  }
  void References(const std::vector<SpanRow>& rows) {
    json_.BeginArray();
    for (const SpanRow row : rows) Reference(row);
    json_.EndArray();
  }

  const TimelineInput& input_;
  const uint32_t file_;
  const SpanRow row_;
  const Trace& trace_;
  const FileTimeline& timeline_;
  const EventDetails details_;
  JsonWriter json_{/*indented=*/false};
};

}  // namespace

void WriteEventReference(const TimelineInput& input, uint32_t file, SpanRow row, JsonWriter& json) {
  const FileTimeline& timeline = input.index.files()[file];
  const Trace& trace = input.contexts[file].trace;
  json.BeginObject();
  json.Field("file", file);
  json.Field("row", row);
  json.Field("track", input.index.TrackOf(input.contexts, file, row));
  json.Field("depth", uint32_t{timeline.rows.depth[row]});
  json.Field("start_ns", timeline.FromOrigin(trace.spans.start_ns[row]));
  json.Field("duration_ns", trace.spans.duration_ns[row]);
  json.Field("name", ShortName(trace.NameOfSpan(row)));
  json.Field("category", NameOf(timeline.category[row]));
  json.EndObject();
}

std::span<const ParamSpec> TimelineEventParams() {
  static const std::array<ParamSpec, 2> specs = {{
      {.name = "file", .type = ParamType::kInteger, .least = 0, .rounds = true, .usual = "0"},
      {.name = "row",
       .type = ParamType::kInteger,
       .help = "which event of the file",
       .rounds = true,
       .required = true},
  }};
  return specs;
}

HttpResponse TimelineEvent(const TimelineInput& input, const ParamValues& params) {
  const int64_t file = params.Number("file");
  const int64_t row = params.Number("row");
  if (static_cast<size_t>(file) >= input.contexts.size() || row < 0 ||
      static_cast<size_t>(row) >= input.contexts[static_cast<size_t>(file)].trace.spans.size()) {
    return ErrorResponse(404, "no_such_event",
                         "there is no event " + std::to_string(row) + " in file " +
                             std::to_string(file) + " of this profile");
  }
  return JsonResponse(
      EventWriter(input, static_cast<uint32_t>(file), static_cast<SpanRow>(row)).Write());
}

}  // namespace telltale
