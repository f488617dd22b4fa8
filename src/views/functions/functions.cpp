// SPDX-License-Identifier: Apache-2.0
// The section `functions`: what each function of a profile took, who called it and what it called.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/functions/functions.h"
#include "analysis/functions/origin.h"
#include "analysis/functions/trace_functions.h"
#include "analysis/functions/tree.h"
#include "base/utf8.h"
#include "views/fields.h"
#include "views/functions/pstats_text.h"
#include "views/functions/request.h"
#include "views/functions/text.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/rows.h"
#include "views/sections.h"

namespace telltale {

namespace {

FieldValue Known(std::optional<int64_t> value) {
  return value ? FieldValue(*value) : FieldValue(std::monostate());
}

FieldValue TextOrMissing(std::string_view text) {
  return text.data() == nullptr ? FieldValue(std::monostate()) : FieldValue(text);
}

// A row of a table, or a row with the values of one of its callers.
struct ShownFunction {
  const FunctionRow* row;
  const FunctionValues* values;
};

const RowFields<ShownFunction>& Fields(bool with_module) {
  static const auto make = [](bool module) {
    RowFields<ShownFunction> fields = {
        {"file", [](const ShownFunction& f) { return TextOrMissing(f.row->file); }},
        {"line",
         [](const ShownFunction& f) {
           return f.row->line == kNoInt ? FieldValue(std::monostate()) : FieldValue(f.row->line);
         }},
        {"name", [](const ShownFunction& f) { return FieldValue(f.row->name); }},
        {"calls", [](const ShownFunction& f) { return Known(f.values->calls); }},
        {"primitive_calls",
         [](const ShownFunction& f) { return Known(f.values->primitive_calls); }},
        {"self_ns", [](const ShownFunction& f) { return Known(f.values->self); }},
        {"total_ns", [](const ShownFunction& f) { return Known(f.values->total); }},
    };
    if (module) {
      fields.push_back(
          {"module", [](const ShownFunction& f) { return TextOrMissing(f.row->module); }});
    }
    fields.push_back({"package", [](const ShownFunction& f) {
                        return FieldValue(OriginOf(f.row->file, f.row->name).package);
                      }});
    fields.push_back({"own_code", [](const ShownFunction& f) {
                        return FieldValue(OriginOf(f.row->file, f.row->name).own);
                      }});
    return fields;
  };
  static const RowFields<ShownFunction> plain = make(false);
  static const RowFields<ShownFunction> modules = make(true);
  return with_module ? modules : plain;
}

// How many rows have to be in order: those that will be shown.
size_t RowsInOrder(const FunctionRequest& request, const Arguments& arguments) {
  const std::optional<int64_t> limit = arguments.Integer("limit");
  const bool for_programs = arguments.Has("json") || arguments.Has("csv");
  // Restrictions choose from all rows in their order.
  const bool all = request.like_pstats || !request.restrictions.empty() || (for_programs && !limit);
  const size_t shown = all ? 0 : RowsOfText(request, limit);
  return shown == 0 ? SIZE_MAX : shown;
}

class FunctionsView final : public Section {
 public:
  explicit FunctionsView(const SectionInput& input);

  void WriteJson(RowRange range, JsonWriter& json) const override;
  void WriteCsv(int64_t limit, Output& output) const override;
  [[nodiscard]] size_t rows() const override { return view_.rows.size(); }
  [[nodiscard]] std::string Answer(const OutputStyle& style) const override {
    return view_.problem.empty() ? FunctionAnswer(view_, style.unicode) : view_.problem + ".";
  }
  [[nodiscard]] std::string Text(std::optional<int64_t> limit,
                                 const OutputStyle& style) const override;

 private:
  void WriteRelated(std::string_view key, std::span<const uint32_t> calls, bool callers,
                    JsonWriter& json) const;
  void WriteThreads(JsonWriter& json) const;
  void WriteTree(JsonWriter& json) const;

  std::vector<FunctionProfile> of_traces_;  // the view refers to their texts
  FunctionView view_;
};

FunctionsView::FunctionsView(const SectionInput& input) {
  // The options were checked before anything was read.
  if (Result<FunctionRequest> request = MakeFunctionRequest(input.arguments)) {
    view_.request = std::move(*request);
  }
  if (input.sort_field) {
    if (Result<FunctionOrder> order = ParseFunctionOrder(*input.sort_field)) {
      view_.request.order = std::move(*order);
    }
  }
  view_.sort_field = input.sort_field;
  for (const TraceContext& trace : input.traces) {
    if (input.functions.empty() || IsTraceOfFunctions(trace.trace)) {
      of_traces_.push_back(FunctionsOfTrace(trace));
    }
  }
  view_.of_traces = input.functions.empty() && !of_traces_.empty();
  std::vector<const FunctionProfile*> profiles;
  for (const FunctionProfile& profile : of_traces_) profiles.push_back(&profile);
  for (const FunctionProfile& profile : input.functions) profiles.push_back(&profile);
  for (const FunctionProfile* profile : profiles) view_.files.push_back(profile->source);
  const FunctionRequest& request = view_.request;
  view_.threads = ThreadsOf(profiles);
  std::optional<ThreadChoice> thread;
  if (!request.thread.empty()) {
    Result<std::optional<ThreadChoice>> chosen = ChooseThread(view_.threads, request.thread);
    if (chosen) thread = *chosen;
    if (!chosen) view_.problem = chosen.error().message;
  }
  if (thread) {
    view_.thread = static_cast<size_t>(
        std::ranges::find(view_.threads, *thread, &FunctionThread::choice) - view_.threads.begin());
  }
  view_.table = JoinFunctions(profiles, {.strip_folders = request.strip_folders,
                                         .with_calls = request.shows_calls(),
                                         .with_tree = request.tree,
                                         .own_code = request.own_code,
                                         .thread = thread});
  view_.rows = OrderedRows(view_.table, view_.request, view_.request.like_pstats,
                           RowsInOrder(view_.request, input.arguments));
  view_.all_rows = view_.rows.size();
  if (!view_.request.like_pstats) {
    for (const Restriction& restriction : view_.request.restrictions) {
      Result<std::vector<uint32_t>> left =
          Restrict(view_.table, std::move(view_.rows), restriction);
      if (!left) view_.problem = left.error().message;
      view_.rows = std::move(left).value_or(std::vector<uint32_t>());
    }
  }
  if (view_.request.callers) view_.callers.emplace(view_.table, CallIndex::By::kCallee);
  if (view_.request.callees) view_.callees.emplace(view_.table, CallIndex::By::kCaller);
}

void FunctionsView::WriteRelated(std::string_view key, std::span<const uint32_t> calls,
                                 bool callers, JsonWriter& json) const {
  json.Key(key);
  json.BeginArray();
  for (const uint32_t call : SortedCalls(view_.table, calls, callers)) {
    const CallRow& row = view_.table.calls[call];
    WriteJsonRow(ShownFunction{&view_.table.rows[callers ? row.caller : row.callee], &row.values},
                 Fields(view_.table.has_modules), json);
  }
  json.EndArray();
}

void FunctionsView::WriteJson(RowRange range, JsonWriter& json) const {
  json.BeginObject();
  json.Field("source", NameOf(view_.table.source));
  if (!view_.problem.empty()) json.Field("problem", RepairUtf8(view_.problem));
  if (view_.table.unit != ValueUnit::kNanoseconds) json.Field("unit", NameOf(view_.table.unit));
  if (view_.table.has_self) {
    json.Field("total_ns", view_.table.total);
  } else {
    json.FieldNull("total_ns");
  }
  if (const std::optional<FoldedTime>& folded = view_.table.folded) {
    json.Key("own_code");
    json.BeginObject();
    json.Field("library_ns", folded->library);
    json.Field("undetermined_ns", folded->undetermined);
    json.Field("without_owner_ns", folded->without_owner);
    json.EndObject();
  }
  if (view_.threads.size() > 1) WriteThreads(json);
  json.Key("rows");
  json.BeginArray();
  const size_t end = range.End(view_.rows.size());
  for (size_t i = range.First(view_.rows.size()); i < end; ++i) {
    const FunctionRow& row = view_.table.rows[view_.rows[i]];
    const ShownFunction shown = {&row, &row.values};
    json.BeginObject();
    for (const RowField<ShownFunction>& field : Fields(view_.table.has_modules)) {
      json.Key(field.name);
      telltale::WriteJson(field.get(shown), json);
    }
    if (view_.callers) WriteRelated("callers", view_.callers->Of(view_.rows[i]), true, json);
    if (view_.callees) WriteRelated("callees", view_.callees->Of(view_.rows[i]), false, json);
    json.EndObject();
  }
  json.EndArray();
  if (view_.request.tree) WriteTree(json);
  json.EndObject();
}

void FunctionsView::WriteThreads(JsonWriter& json) const {
  json.Field("thread", view_.thread);
  json.Key("threads");
  json.BeginArray();
  for (const FunctionThread& thread : view_.threads) {
    json.BeginObject();
    json.Field("name", RepairUtf8(thread.name));
    json.Field("total_ns", thread.total);
    json.Field("waiting_ns", thread.waiting);
    json.Field("main", thread.is_main);
    json.Field("idle", thread.is_idle);
    json.EndObject();
  }
  json.EndArray();
}

// Flat, parents before children: paths may be deeper than readers of JSON nest.
void FunctionsView::WriteTree(JsonWriter& json) const {
  FunctionTreeOptions options;
  options.depth = static_cast<uint32_t>(
      std::min<int64_t>(view_.request.depth.value_or(0), kDeepestFunctionTree));
  json.Key("tree");
  json.BeginArray();
  for (const FunctionTreeNode& node : BuildFunctionTree(view_.table, options)) {
    const FunctionRow& row = view_.table.rows[node.row];
    json.BeginObject();
    json.Field("parent",
               node.parent == kNoCallNode ? std::nullopt : std::optional<uint32_t>(node.parent));
    json.Field("depth", node.depth);
    const ShownFunction shown = {&row, &row.values};
    for (size_t i = 0; i < 3; ++i) {  // file, line, name
      json.Key(Fields(false)[i].name);
      telltale::WriteJson(Fields(false)[i].get(shown), json);
    }
    json.Field("calls", node.calls);
    json.Field("self_ns", node.self);
    const auto known = [](bool when, int64_t value) {
      return when ? std::optional<int64_t>(value) : std::nullopt;
    };
    json.Field("total_ns", known(node.exact(), node.most));
    json.Field("total_least_ns", known(!node.recursive, node.least));
    json.Field("total_most_ns", known(!node.recursive, node.most));
    json.Field("recursive", node.recursive);
    json.Field("hidden_children", node.hidden_children);
    json.EndObject();
  }
  json.EndArray();
}

void FunctionsView::WriteCsv(int64_t limit, Output& output) const {
  std::vector<ShownFunction> rows;
  for (const uint32_t row : view_.rows) {
    rows.push_back({&view_.table.rows[row], &view_.table.rows[row].values});
  }
  WriteCsvRows(rows, Fields(view_.table.has_modules), limit, output);
}

std::string FunctionsView::Text(std::optional<int64_t> limit, const OutputStyle& style) const {
  if (!view_.problem.empty()) return view_.problem + "\n";
  return view_.request.like_pstats ? PstatsText(view_, limit, style)
                                   : FunctionsText(view_, limit, style);
}

}  // namespace

SectionSpec FunctionsSection() {
  SectionSpec spec;
  spec.name = "functions";
  spec.help =
      "functions of a .prof file, another profile or a trace with stacks: own and total time, "
      "callers, "
      "callees, tree";
  spec.sort_fields = FieldNames(Fields(false));
  spec.options = FunctionOptionSpecs();
  spec.check = [](const Arguments& arguments) -> Result<void> {
    const Result<FunctionRequest> request = MakeFunctionRequest(arguments);
    if (!request) return tl::unexpected(request.error());
    return {};
  };
  spec.make = [](const SectionInput& input) -> std::unique_ptr<Section> {
    return std::make_unique<FunctionsView>(input);
  };
  spec.needs_trace = false;
  spec.options_choose_view = true;
  spec.sort_key = [](std::string_view text) -> Result<std::string> {
    const Result<FunctionOrder> order = ParseFunctionOrder(text);
    if (!order) return tl::unexpected(order.error());
    return std::string(text);
  };
  spec.applies = [](const SectionInput& input) {
    return !input.functions.empty() ||
           std::any_of(input.traces.begin(), input.traces.end(), [](const TraceContext& context) {
             return !context.trace.python_details.empty() || IsTraceOfFunctions(context.trace);
           });
  };
  return spec;
}

}  // namespace telltale
