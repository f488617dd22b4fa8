// SPDX-License-Identifier: Apache-2.0
// The view `functions`: what each function of a profile took, who called it and what it called.
#include "analysis/functions/functions.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/functions/trace_functions.h"
#include "base/utf8.h"
#include "views/functions/pstats_text.h"
#include "views/functions/request.h"
#include "views/functions/tables.h"
#include "views/render/document.h"
#include "views/render/table_json.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

// Functions that the terminal lists, unless a limit is given.
size_t UsualRows(const FunctionRequest& request) {
  return request.callers || request.callees ? 10 : 30;
}

// How many rows have to be in order: those that will be shown.
size_t RowsInOrder(const FunctionRequest& request, const ViewInput& input) {
  const std::optional<int64_t> limit = input.params.Integer("limit");
  const bool for_programs = !IsForPeople(input.use.format);
  // Restrictions choose from all rows in their order.
  const bool all = request.like_pstats || !request.restrictions.empty() || (for_programs && !limit);
  const size_t shown = all ? 0 : RowLimit(limit, UsualRows(request));
  return shown == 0 ? SIZE_MAX : shown;
}

FunctionView ViewOf(const ViewInput& input) {
  FunctionView view;
  // The parameters were checked before anything was read.
  if (Result<FunctionRequest> request = MakeFunctionRequest(input.params))
    view.request = std::move(*request);
  view.request.like_pstats = input.use.like == LikeTool::kPstats;
  if (input.sort_field) {
    if (Result<FunctionOrder> order = ParseFunctionOrder(*input.sort_field))
      view.request.order = std::move(*order);
  }
  const bool beside = input.subject.Has<FunctionProfile>();
  for (const TraceContext& trace : input.traces) {
    if (!beside || IsTraceOfFunctions(trace.trace))
      view.of_traces.push_back(FunctionsOfTrace(trace));
  }
  view.only_traces = !beside && !view.of_traces.empty();
  std::vector<const FunctionProfile*> profiles;
  for (const FunctionProfile& profile : view.of_traces) profiles.push_back(&profile);
  for (const FunctionProfile* profile : input.subject.Each<FunctionProfile>())
    profiles.push_back(profile);
  const FunctionRequest& request = view.request;
  if (request.between) {
    Result<TimeCut> cut = CutBetween(profiles, *request.between, input.params);
    profiles.clear();
    if (cut) {
      view.cut = std::move(*cut);
      for (const FunctionProfile& profile : view.cut->profiles) profiles.push_back(&profile);
    } else {
      view.problem = cut.error().message;
    }
  }
  for (const FunctionProfile* profile : profiles) view.files.push_back(profile->source);
  view.threads = ThreadsOf(profiles);
  std::optional<ThreadChoice> thread;
  if (!request.thread.empty() && view.problem.empty()) {
    Result<std::optional<ThreadChoice>> chosen = ChooseThread(view.threads, request.thread);
    if (chosen) thread = *chosen;
    if (!chosen) view.problem = chosen.error().message;
  }
  if (thread) {
    view.thread = static_cast<size_t>(
        std::ranges::find(view.threads, *thread, &FunctionThread::choice) - view.threads.begin());
  }
  view.table = JoinFunctions(profiles, {.strip_folders = request.strip_folders,
                                        .with_calls = request.shows_calls(),
                                        .with_tree = request.tree,
                                        .own_code = request.own_code,
                                        .thread = thread});
  view.rows = OrderedRows(view.table, request, request.like_pstats, RowsInOrder(request, input));
  view.all_rows = view.rows.size();
  if (request.lines) {
    view.lines = LinesOf(profiles, thread);
    if (view.problem.empty() && !KnowsLines(profiles)) {
      view.problem = fmt::format("{} needs samples of telltale run: no other profile knows lines",
                                 input.params.Spelled("lines"));
    }
  }
  if (!request.like_pstats) {
    for (const Restriction& restriction : request.restrictions) {
      Result<std::vector<uint32_t>> left = Restrict(view.table, std::move(view.rows), restriction);
      if (!left) view.problem = left.error().message;
      view.rows = std::move(left).value_or(std::vector<uint32_t>());
    }
  }
  return view;
}

// "by their own time · 30 of 1,204", of all that restrictions could leave.
std::string OrderText(const FunctionView& view, const std::optional<std::string>& sort_field,
                      size_t count, const OutputStyle& style) {
  std::string order = sort_field
                          ? fmt::format("by {}", *sort_field)
                          : fmt::format("by {} time", view.table.has_self ? "their own" : "total");
  if (view.request.reverse) order += ", reversed";
  return Remark(order, count, view.all_rows, style);
}

void AddRows(const std::shared_ptr<const FunctionView>& view,
             const std::optional<std::string>& sort_field, Document& document) {
  const FunctionRequest& request = view->request;
  const size_t usual = UsualRows(request);
  document.AddTable(
      "rows", FunctionRowTable(*view), FunctionRows(*view),
      {.title = view->table.folded ? "Own functions, with the libraries they call" : "Functions",
       .words =
           [view, sort_field](size_t shown, size_t rows, const OutputStyle& style) {
             return OrderText(*view, sort_field, CountShown(rows, shown), style);
           },
       .usual_rows = usual,
       .main = true,
       .terminal = !request.shows_calls()});
  if (request.tree || view->all_rows == 0) return;
  if (view->rows.empty()) {
    document.AddText([](std::optional<int64_t>, const OutputStyle&) {
      return "\n  No function is left by the restrictions.\n";
    });
    return;
  }
  const auto add_related = [&](const std::string& title, ShownFunction::Role role) {
    document.AddText([=](std::optional<int64_t> limit, const OutputStyle& style) {
      const size_t count = CountShown(view->rows.size(), RowLimit(limit, usual));
      return "\n" + Heading(title, OrderText(*view, sort_field, count, style), style) +
             RelatedText(*view, role, count, style);
    });
  };
  if (request.callers) add_related("Functions and their callers", ShownFunction::Role::kCaller);
  if (request.callees) add_related("Functions and what they call", ShownFunction::Role::kCallee);
}

void AddLines(const std::shared_ptr<const FunctionView>& view, Document& document) {
  document.AddTable(
      "lines", FunctionLineTable(view->table.total), view->lines,
      {.title = "Lines", .remark = "by the time spent in them, with the native code they call"});
}

void AddTree(const std::shared_ptr<const FunctionView>& view, Document& document) {
  // Flat, parents before children: paths may be deeper than readers of JSON nest.
  document.AddJson("tree", [view](RowRange, JsonWriter& json) {
    FunctionTreeOptions options;
    options.depth = static_cast<uint32_t>(
        std::min<int64_t>(view->request.depth.value_or(0), kDeepestFunctionTree));
    WriteTableJson(RowTable<ShownNode>(FunctionTreeTable(view->table.unit),
                                       FunctionNodes(view->table, options)),
                   {}, json);
  });
  if (view->all_rows == 0) return;
  document.AddText([view](std::optional<int64_t> limit, const OutputStyle& style) {
    return "\n" + Heading("Call tree", "total time of each path", style) +
           FunctionTreeText(*view, limit, style);
  });
}

void AddRemarks(const std::shared_ptr<const FunctionView>& view, Document& document) {
  const bool tree = view->request.tree;
  if (view->all_rows == 0 || (view->rows.empty() && !tree)) return;
  if (view->table.folded) {
    document.AddText([view](std::optional<int64_t>, const OutputStyle& style) {
      return "\n" + Paragraph(OwnCodeRemark(view->table, style), style, 2);
    });
  }
  if (view->table.left_out > 0 && !tree) {
    document.AddText([view](std::optional<int64_t>, const OutputStyle& style) {
      return "\n" +
             Paragraph(fmt::format(
                           "{} of the profiles count in another unit than {} and are not in here.",
                           view->table.left_out, NameOf(view->table.unit)),
                       style, 2);
    });
  }
}

Document Build(const ViewInput& input) {
  const auto made = std::make_shared<FunctionView>(ViewOf(input));
  if (made->request.callers) made->callers.emplace(made->table, CallIndex::By::kCallee);
  if (made->request.callees) made->callees.emplace(made->table, CallIndex::By::kCaller);
  const std::shared_ptr<const FunctionView> view = made;
  const FunctionTable& table = view->table;

  Document document("Functions", [view](const OutputStyle& style) {
    return view->problem.empty() ? FunctionSentence(*view, style.unicode) : view->problem + ".";
  });
  document.SetSentenceInk(Ink::kBold);
  if (!view->problem.empty()) {
    document.SetProblem(view->problem);
  } else if (view->request.like_pstats) {
    document.SetText([view](std::optional<int64_t> limit, const OutputStyle& style) {
      return PstatsText(*view, limit, style);
    });
  }
  if (view->all_rows > 0) {
    document.AddText([view](std::optional<int64_t>, const OutputStyle& style) {
      return Paragraph(FunctionSources(*view, style), style, 0, Ink::kDim);
    });
  }
  if (view->cut) {
    document.AddText([view](std::optional<int64_t>, const OutputStyle& style) {
      return Paragraph(CutRemark(*view, style.unicode), style, 0, Ink::kDim);
    });
  }
  document.AddField("source", NameOf(table.source));
  if (!view->problem.empty()) document.AddField("problem", RepairUtf8(view->problem));
  if (table.unit != ValueUnit::kNanoseconds) document.AddField("unit", NameOf(table.unit));
  if (const std::optional<TimeCut>& cut = view->cut) {
    const auto text = [](std::string moment) {
      return moment.empty() ? FieldValue() : FieldValue(std::move(moment));
    };
    document.AddField("from", text(cut->from_text()), "between");
    document.AddField("to", text(cut->to_text()), "between");
    document.AddField("start_ns", cut->covered.start_ns, "between");
    document.AddField("end_ns", cut->covered.end_ns, "between");
    document.AddField("whole_slots", cut->whole_slots, "between");
    document.AddField("left_out", uint64_t{cut->without_times}, "between");
  }
  document.AddField("total_ns", table.has_self ? FieldValue(table.total) : FieldValue());
  if (const std::optional<FoldedTime>& folded = table.folded) {
    document.AddField("library_ns", folded->library, "own_code");
    document.AddField("undetermined_ns", folded->undetermined, "own_code");
    document.AddField("without_owner_ns", folded->without_owner, "own_code");
  }
  if (view->threads.size() > 1) {
    document.AddField("thread", view->thread ? FieldValue(uint64_t{*view->thread}) : FieldValue());
    document.AddTable("threads", FunctionThreadTable(), view->threads, {.whole = true});
  }
  AddRows(view, input.sort_field, document);
  if (view->request.lines) AddLines(view, document);
  if (view->request.tree) AddTree(view, document);
  AddRemarks(view, document);
  return document;
}

}  // namespace

ViewSpec DescribeFunctions() {
  ViewSpec spec;
  spec.name = "functions";
  spec.help =
      "functions of a .prof file, another profile or a trace with stacks: own and total time, "
      "callers, callees, tree";
  spec.sort_fields = FunctionRowTable().keys();
  spec.params = FunctionParams();
  spec.check = [](const ParamValues& params) -> Result<void> {
    const Result<FunctionRequest> request = MakeFunctionRequest(params);
    if (!request) return tl::unexpected(request.error());
    return {};
  };
  spec.build = Build;
  spec.tables = [] {
    FunctionView full;
    full.callers.emplace(full.table, CallIndex::By::kCaller);
    full.callees.emplace(full.table, CallIndex::By::kCallee);
    full.table.has_modules = full.table.has_self = true;
    return std::vector{ForPage("FUNCTIONS", "FunctionRow", FunctionRowTable(full)),
                       ForPage("", "FunctionThread", FunctionThreadTable()),
                       ForPage("", "FunctionLine", FunctionLineTable())};
  };
  spec.needs_trace = false;
  spec.params_choose_view = true;
  spec.sort_key = [](std::string_view text) -> Result<std::string> {
    const Result<FunctionOrder> order = ParseFunctionOrder(text);
    if (!order) return tl::unexpected(order.error());
    return std::string(text);
  };
  spec.needs.part = "python";
  spec.needs.words =
      "Needs a .prof file, another profile of functions, or a trace with_stack=True.";
  spec.needs.instead = spec.applies = [](const ViewInput& input) {
    return input.subject.Has<FunctionProfile>() ||
           std::any_of(input.traces.begin(), input.traces.end(), [](const TraceContext& context) {
             return !context.trace.python_details.empty() || IsTraceOfFunctions(context.trace);
           });
  };
  return spec;
}

}  // namespace telltale
