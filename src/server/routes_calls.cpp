// SPDX-License-Identifier: Apache-2.0
// The single calls behind a row of the operators or kernels, longest first: where in time, with
// which shapes, what they launched and who launched them.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/work/operator_calls.h"
#include "base/json/scan.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "server/largest_answer.h"
#include "server/route.h"
#include "server/timeline_of.h"
#include "views/field_value.h"
#include "views/part.h"
#include "views/render/display.h"

namespace telltale {

namespace {

// Of one call; `kernel_count` says how many there are.
constexpr size_t kMostKernels = 20;

struct CallsRequest {
  std::optional<std::string> op;
  std::optional<std::string> kernel;
  std::optional<std::string> shape;  // JSON text of the input shapes, as the report has it
  std::optional<int64_t> rank;
  int64_t limit = 0;
  int64_t offset = 0;
};

// One call: an index into what its trace's table holds.
struct Call {
  uint32_t file = 0;
  uint32_t index = 0;
  int64_t duration_ns = 0;
};

// Made once for a profile.
struct CallTables {
  std::vector<OperatorCalls> operators;  // by file

  [[nodiscard]] size_t memory_bytes() const {
    size_t bytes = 0;
    for (const OperatorCalls& calls : operators) {
      bytes += calls.node.memory_bytes() + calls.parent.memory_bytes() +
               calls.depth.memory_bytes() + calls.host_self_ns.memory_bytes() +
               calls.device_self_ns.memory_bytes() + calls.device_total_ns.memory_bytes();
    }
    return bytes;
  }
};

std::shared_ptr<const CallTables> TablesOf(const OpenProfile& open) {
  return open.Derived<CallTables>([](const OpenProfile& from) {
    auto tables = std::make_shared<CallTables>();
    for (const TraceContext& context : from.contexts()) {
      tables->operators.push_back(DescribeOperatorCalls(context));
    }
    return std::shared_ptr<const CallTables>(std::move(tables));
  });
}

// The page that is asked for: longest first, ties in the order of the files.
std::vector<Call> Page(std::vector<Call> calls, const CallsRequest& request) {
  const auto before = [](const Call& a, const Call& b) {
    if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
    return std::pair(a.file, a.index) < std::pair(b.file, b.index);
  };
  const size_t first = std::min(calls.size(), static_cast<size_t>(request.offset));
  const size_t end = std::min(calls.size(), first + static_cast<size_t>(request.limit));
  std::partial_sort(calls.begin(), calls.begin() + static_cast<ptrdiff_t>(end), calls.end(),
                    before);
  return {calls.begin() + static_cast<ptrdiff_t>(first),
          calls.begin() + static_cast<ptrdiff_t>(end)};
}

class CallWriter {
 public:
  CallWriter(const OpenProfile& open, const CallsRequest& request)
      : open_(open), request_(request), timeline_(TimelineOf(open)) {}

  std::string Operators();
  std::string Kernels();

 private:
  [[nodiscard]] bool Wanted(const Trace& trace) const {
    return !request_.rank || trace.source.rank == *request_.rank;
  }
  [[nodiscard]] bool HasShape(const Trace& trace, SpanRow span) const {
    if (!request_.shape) return true;
    const OperatorDetail* detail = trace.OperatorOf(span);
    return detail != nullptr && detail->input_dims != kNoString &&
           trace.Text(detail->input_dims) == *request_.shape;
  }
  // Since the origin of the timeline.
  [[nodiscard]] int64_t Start(uint32_t file, const Trace& trace, SpanRow span) const {
    return timeline_->files()[file].FromOrigin(trace.spans.start_ns[span]);
  }
  void Begin(std::string_view kind, std::string_view name, const std::vector<Call>& calls);
  void Place(uint32_t file, const Trace& trace, SpanRow span);
  void Details(const Trace& trace, SpanRow span);
  void Device(const Trace& trace, SpanRow span);

  const OpenProfile& open_;
  const CallsRequest& request_;
  std::shared_ptr<const TimelineIndex> timeline_;
  JsonWriter json_{false};
};

void CallWriter::Begin(std::string_view kind, std::string_view name,
                       const std::vector<Call>& calls) {
  int64_t total = 0;
  for (const Call& call : calls) total += call.duration_ns;
  json_.BeginObject();
  json_.Field(kind, RepairUtf8(name));
  json_.Field("total", calls.size());
  json_.Field("total_ns", total);
  json_.Field("origin_ns", std::to_string(timeline_->origin_ns()));
  json_.Key("calls");
  json_.BeginArray();
}

void CallWriter::Place(uint32_t file, const Trace& trace, SpanRow span) {
  json_.Field("file", file);
  json_.Field("row", span);
  json_.Field("start_ns", Start(file, trace, span));
  json_.Field("duration_ns", trace.spans.duration_ns[span]);
}

// Shapes, types and stack of an operator, as captured.
void CallWriter::Details(const Trace& trace, SpanRow span) {
  const OperatorDetail* detail = trace.OperatorOf(span);
  const auto json_text = [&](std::string_view key, StringId id) {
    json_.Key(key);
    const std::string_view text = id == kNoString ? std::string_view() : trace.Text(id);
    if (id == kNoString) {
      json_.Null();
    } else if (IsJson(text)) {
      json_.Raw(text);
    } else {
      json_.String(RepairUtf8(text));
    }
  };
  json_text("input_shapes", detail == nullptr ? kNoString : detail->input_dims);
  json_text("input_types", detail == nullptr ? kNoString : detail->input_types);
  json_.Field("stack", detail == nullptr || detail->call_stack == kNoString
                           ? std::nullopt
                           : std::optional(RepairUtf8(trace.Text(detail->call_stack))));
}

void CallWriter::Device(const Trace& trace, SpanRow span) {
  const DeviceDetail* detail = trace.DeviceOf(span);
  const auto known = [](int64_t value) {
    return value == kNoInt ? std::nullopt : std::optional<int64_t>(value);
  };
  json_.Field("device", detail == nullptr ? std::nullopt : known(detail->device));
  json_.Field("stream", detail == nullptr ? std::nullopt : known(detail->stream));
  for (const auto& [key, size] :
       {std::pair{"grid", &DeviceDetail::grid}, std::pair{"block", &DeviceDetail::block}}) {
    json_.Key(key);
    if (detail == nullptr || (detail->*size)[0] == 0) {
      json_.Null();
      continue;
    }
    json_.BeginArray();
    for (const uint32_t n : detail->*size) json_.Int(n);
    json_.EndArray();
  }
}

std::string CallWriter::Operators() {
  const std::shared_ptr<const CallTables> tables = TablesOf(open_);
  const std::vector<TraceContext>& contexts = open_.contexts();
  std::vector<Call> calls;
  for (uint32_t file = 0; file < contexts.size(); ++file) {
    const Trace& trace = contexts[file].trace;
    if (!Wanted(trace)) continue;
    const OperatorCalls& of_file = tables->operators[file];
    for (uint32_t i = 0; i < of_file.size(); ++i) {
      const SpanRow span = contexts[file].tree.span[of_file.node[i]];
      if (trace.NameOfSpan(span) != *request_.op || !HasShape(trace, span)) continue;
      calls.push_back({file, i, trace.spans.duration_ns[span]});
    }
  }
  Begin("operator", *request_.op, calls);
  const std::vector<Call> page = Page(std::move(calls), request_);

  // What each of them launched, itself or below: from every device event up to the first call that
  // is shown.
  std::vector<std::map<NodeId, std::vector<uint32_t>>> launched(contexts.size());
  for (const Call& call : page) launched[call.file][tables->operators[call.file].node[call.index]];
  for (uint32_t file = 0; file < contexts.size(); ++file) {
    if (launched[file].empty()) continue;
    const DeviceLinks& links = contexts[file].links;
    for (uint32_t i = 0; i < links.size(); ++i) {
      for (NodeId node = links.owner[i]; node != kNoRow;
           node = contexts[file].tree.EffectiveParent(node)) {
        if (const auto at = launched[file].find(node); at != launched[file].end()) {
          at->second.push_back(i);
        }
      }
    }
  }
  for (const Call& call : page) {
    if (json_.size() > kLastRowBegins) break;
    const TraceContext& context = contexts[call.file];
    const OperatorCalls& of_file = tables->operators[call.file];
    const NodeId node = of_file.node[call.index];
    const SpanRow span = context.tree.span[node];
    json_.BeginObject();
    Place(call.file, context.trace, span);
    json_.Field("host_self_ns", of_file.host_self_ns[call.index]);
    json_.Field("device_total_ns", of_file.device_total_ns[call.index]);
    json_.Field("device_self_ns", of_file.device_self_ns[call.index]);
    Details(context.trace, span);
    const std::vector<uint32_t>& events = launched[call.file][node];
    json_.Field("kernel_count", events.size());
    json_.Key("kernels");
    json_.BeginArray();
    for (size_t i = 0; i < std::min(events.size(), kMostKernels); ++i) {
      const SpanRow device = context.links.device[events[i]];
      json_.BeginObject();
      json_.Field("name", RepairUtf8(context.trace.NameOfSpan(device)));
      Place(call.file, context.trace, device);
      json_.EndObject();
    }
    json_.EndArray();
    json_.EndObject();
  }
  json_.EndArray();
  json_.EndObject();
  return json_.Take();
}

std::string CallWriter::Kernels() {
  const std::vector<TraceContext>& contexts = open_.contexts();
  std::vector<Call> calls;
  for (uint32_t file = 0; file < contexts.size(); ++file) {
    const TraceContext& context = contexts[file];
    if (!Wanted(context.trace)) continue;
    for (uint32_t i = 0; i < context.links.size(); ++i) {
      const SpanRow span = context.links.device[i];
      if (context.trace.NameOfSpan(span) != *request_.kernel) continue;
      const NodeId owner = context.links.owner[i];
      if (request_.shape &&
          (owner == kNoRow || !HasShape(context.trace, context.tree.span[owner]))) {
        continue;
      }
      calls.push_back({file, i, context.trace.spans.duration_ns[span]});
    }
  }
  Begin("kernel", *request_.kernel, calls);
  for (const Call& call : Page(std::move(calls), request_)) {
    if (json_.size() > kLastRowBegins) break;
    const TraceContext& context = contexts[call.file];
    const Trace& trace = context.trace;
    const SpanRow span = context.links.device[call.index];
    json_.BeginObject();
    Place(call.file, trace, span);
    Device(trace, span);
    const auto host = [&](std::string_view key, NodeId node) {
      json_.Key(key);
      if (node == kNoRow) return json_.Null();
      const SpanRow row = context.tree.span[node];
      json_.BeginObject();
      json_.Field("name", RepairUtf8(trace.NameOfSpan(row)));
      Place(call.file, trace, row);
      json_.EndObject();
    };
    host("launch", context.links.launch[call.index]);
    const NodeId owner = context.links.owner[call.index];
    host("operator", owner);
    if (owner != kNoRow) {
      Details(trace, context.tree.span[owner]);
    } else {
      for (const std::string_view key : {"input_shapes", "input_types", "stack"}) {
        json_.FieldNull(key);
      }
    }
    json_.EndObject();
  }
  json_.EndArray();
  json_.EndObject();
  return json_.Take();
}

std::span<const ParamSpec> CallsParams() {
  static const std::array<ParamSpec, 6> specs = {{
      {.name = "operator", .type = ParamType::kText},
      {.name = "kernel", .type = ParamType::kText},
      {.name = "shape", .type = ParamType::kText},
      RankParam(),
      {.name = "limit",
       .type = ParamType::kInteger,
       .least = 1,
       .most = 10'000,
       .clamps = true,
       .usual = "100"},
      {.name = "offset", .type = ParamType::kInteger, .least = 0, .usual = "0"},
  }};
  return specs;
}

Result<CallsRequest> Parse(const ParamValues& params) {
  CallsRequest request;
  const auto text = [&](std::string_view name) {
    return params.Has(name) ? std::optional<std::string>(params.Text(name)) : std::nullopt;
  };
  request.op = text("operator");
  request.kernel = text("kernel");
  request.shape = text("shape");
  if (request.op.has_value() == request.kernel.has_value()) {
    return Fail(ErrorCode::kUsage,
                "name one of them: operator=NAME or kernel=NAME, as the report lists them");
  }
  request.rank = params.Integer("rank");
  request.limit = params.Number("limit");
  request.offset = params.Number("offset");
  return request;
}

HttpResponse Calls(const RouteContext& context, const RouteRequest& asked) {
  const Result<CallsRequest> request = Parse(asked.params);
  if (!request) return ErrorResponse(request.error());
  return WithKeptAnswer(context, asked, [&](const OpenProfile& open) {
    if (open.contexts().empty()) {
      return ErrorResponse(400, "wrong_request",
                           "single calls need a trace; this profile holds sums");
    }
    CallWriter writer(open, *request);
    return JsonResponse(request->op ? writer.Operators() : writer.Kernels());
  });
}

}  // namespace

std::span<const Route> CallRoutes() {
  static constexpr std::array<Route, 1> kRoutes = {{
      {"GET", "/api/v1/profiles/{id}/calls", Calls, CallsParams},
  }};
  return kRoutes;
}

}  // namespace telltale
