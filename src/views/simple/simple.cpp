// SPDX-License-Identifier: Apache-2.0
// `--view simple`: wall time of each action of a training, as a simple profiler tells it: how
// often, how long in the mean and all together, and its share of the time from the first action to
// the last one's end. Actions are the ranges of the trace; torch's own are called what they are.
// With --tree as they nest: what is inside an action never sums up to more than it.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "base/cancel.h"
#include "model/action_name.h"
#include "views/lane_parts.h"
#include "views/render/unit_column.h"
#include "views/simple/action_row.h"
#include "views/simple/lightning_text.h"
#include "views/view_list.h"

namespace telltale {

namespace {

using enum Quantity;

TableSpec<ActionRow> ActionTable() {
  using R = ActionRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.name); };
  spec.columns = {
      Field("file", kFile, Get<&R::file>,
            {.title = "file",
             .importance = kAlways,
             .least_width = 8,
             .presence = Presence::kSeveralFiles}),
      Field("name", kName, Get<&R::name>,
            {.title = "action", .importance = kAlways, .least_width = 24})
          .OnPage("Action")
          .WithText([](const R& row, const OutputStyle& style) {
            // Deeper than this, the indentation would be all there is.
            const size_t indent = row.tree ? 2 * std::min<size_t>(row.depth, 12) : 0;
            return std::string(indent, ' ') + Printable(row.name, style.unicode);
          }),
      Field<R>(
          "depth", kCount,
          [](const R& row) { return row.tree ? FieldValue(uint64_t{row.depth}) : FieldValue(); }),
      Field("parent", kId, Get<&R::parent>),
      Field<R>("mean_ns", kDuration,
               [](const R& row) -> FieldValue {
                 return Mean(row.total_ns, static_cast<int64_t>(row.calls));
               },
               {.title = "mean", .importance = 90})
          .Known()
          .NoSum(),
      Field("calls", kCount, Get<&R::calls>, {.title = "calls", .importance = 85}),
      Field("total_ns", kDuration, Get<&R::total_ns>, {.title = "total", .importance = kAlways})
          .NoSum(),
      Field<R>("share", kShare,
               [](const R& row) -> FieldValue {
                 return row.wall_ns > 0 ? FieldValue(Ratio(row.total_ns, row.wall_ns))
                                        : FieldValue();
               },
               {.title = "share", .importance = 95})
          .WithHelp("Of the time from the first action to the end of the last one"),
      BarOf<R>("total_bar", "total_ns", {.importance = 45, .ink = Ink::kCpu}),
      Field("self_ns", kDuration, Get<&R::self_ns>, {.title = "self", .importance = 80})
          .WithHelp("Without the actions inside"),
      Field("p50_ns", kDuration, Get<&R::p50_ns>, {.title = "p50", .importance = 60})
          .NoSum()
          .WithHelp("Half of the calls took no longer"),
      Field("p90_ns", kDuration, Get<&R::p90_ns>, {.title = "p90", .importance = 40}).NoSum(),
      Field("p99_ns", kDuration, Get<&R::p99_ns>, {.title = "p99", .importance = 55}).NoSum(),
      Field("max_ns", kDuration, Get<&R::max_ns>, {.title = "max", .importance = 50})
          .NoSum()
          .OnPage("Longest"),
      Field("wall_ns", kDuration, Get<&R::wall_ns>)
          .NoSum()
          .WithHelp("From the first action to the end of the last one"),
  };
  return spec;
}

// The actions of one trace. Steps are no actions: they are what actions make up.
class Actions {
 public:
  Actions(const TraceContext& context, uint32_t file, bool tree)
      : context_(context), file_(file), tree_(tree) {}

  std::vector<ActionRow> Rows() {
    const HostTree& tree = context_.tree;
    const Trace& trace = context_.trace;
    around_.assign(tree.size(), kNoRow);
    CancelCheck cancel;
    for (NodeId node = 0; node < tree.size(); ++node) {
      cancel.Tick();
      // The real parent: an action inside itself is an action, too.
      const NodeId parent = tree.parent[node];
      around_[node] = parent == kNoRow ? kNoRow : around_[parent];
      const SpanRow row = tree.span[node];
      if (trace.spans.category[row] != Category::kAnnotation) continue;
      if (!ProfilerStepNumber(trace.NameOfSpan(row)).empty()) continue;
      if (context_.selection.HasHostTime(trace.spans.start_ns[row])) Add(node, row);
    }
    return Finish();
  }

 private:
  struct Call {
    uint32_t row = 0;
    uint32_t around = kNoRow;  // call
    int64_t duration_ns = 0;
    int64_t inside_ns = 0;
  };

  uint32_t RowOf(StringId name, uint32_t around) {
    const uint32_t parent = tree_ && around != kNoRow ? calls_[around].row : kNoRow;
    const auto known = names_.find(name);
    const std::string action =
        known != names_.end()
            ? known->second
            : names_.emplace(name, ActionOf(context_.trace.Text(name))).first->second;
    const auto [at, is_new] =
        numbers_.try_emplace(std::pair(parent, action), static_cast<uint32_t>(rows_.size()));
    if (is_new) {
      ActionRow row;
      row.file = file_;
      row.name = action;
      row.tree = tree_;
      if (parent != kNoRow) {
        row.parent = parent;
        row.depth = rows_[parent].depth + 1;
      }
      rows_.push_back(std::move(row));
      durations_.emplace_back();
    }
    return at->second;
  }

  void Add(NodeId node, SpanRow span) {
    const Trace& trace = context_.trace;
    const uint32_t around = around_[node];
    Call call;
    call.around = around;
    call.row = RowOf(trace.spans.name[span], around);
    call.duration_ns = trace.spans.duration_ns[span];
    ActionRow& row = rows_[call.row];
    ++row.calls;
    bool is_inside_itself = false;
    for (uint32_t outer = around; outer != kNoRow; outer = calls_[outer].around) {
      is_inside_itself = is_inside_itself || calls_[outer].row == call.row;
    }
    if (!is_inside_itself) AddTo(row.total_ns, call.duration_ns);
    if (around != kNoRow) AddTo(calls_[around].inside_ns, call.duration_ns);
    durations_[call.row].push_back(call.duration_ns);
    first_ns_ = std::min(first_ns_, trace.spans.start_ns[span]);
    last_ns_ = std::max(last_ns_, trace.spans.end_ns(span));
    around_[node] = static_cast<uint32_t>(calls_.size());
    calls_.push_back(call);
  }

  std::vector<ActionRow> Finish() {
    for (const Call& call : calls_) {
      AddTo(rows_[call.row].self_ns, Difference(call.duration_ns, call.inside_ns));
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      std::vector<int64_t>& all = durations_[i];
      std::ranges::sort(all);
      // The smallest that is at least as long as so many of a hundred.
      const auto percentile = [&all](size_t percent) {
        return all[(all.size() * percent + 99) / 100 - 1];
      };
      rows_[i].p50_ns = percentile(50);
      rows_[i].p90_ns = percentile(90);
      rows_[i].p99_ns = percentile(99);
      rows_[i].max_ns = all.back();
      rows_[i].wall_ns = Difference(last_ns_, first_ns_);
    }
    return std::move(rows_);
  }

  const TraceContext& context_;
  uint32_t file_;
  bool tree_;
  std::vector<uint32_t> around_;  // by node: the call that it is, or the innermost around it
  std::vector<Call> calls_;
  std::map<StringId, std::string> names_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> numbers_;
  std::vector<ActionRow> rows_;
  std::vector<std::vector<int64_t>> durations_;
  int64_t first_ns_ = INT64_MAX;
  int64_t last_ns_ = INT64_MIN;
};

bool IsLonger(const ActionRow& a, const ActionRow& b) {
  return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.name < b.name;
}

// Behind their parents, siblings by time; `rows` are of one file.
std::vector<ActionRow> InTreeOrder(const std::vector<ActionRow>& rows) {
  std::vector<std::vector<uint32_t>> children(rows.size() + 1);  // the last: the outermost
  for (uint32_t i = 0; i < rows.size(); ++i)
    children[rows[i].parent.value_or(static_cast<uint32_t>(rows.size()))].push_back(i);
  for (std::vector<uint32_t>& siblings : children) {
    std::ranges::sort(siblings, [&](uint32_t a, uint32_t b) { return IsLonger(rows[a], rows[b]); });
  }
  std::vector<ActionRow> out;
  std::vector<uint32_t> place(rows.size());
  std::vector<uint32_t> open(children.back().rbegin(), children.back().rend());
  while (!open.empty()) {
    const uint32_t row = open.back();
    open.pop_back();
    place[row] = static_cast<uint32_t>(out.size());
    out.push_back(rows[row]);
    if (out.back().parent) out.back().parent = place[*out.back().parent];
    open.insert(open.end(), children[row].rbegin(), children[row].rend());
  }
  return out;
}

// The action with the most time of its own, and waiting for data, which is always said.
std::string Sentence(const std::vector<ActionRow>& rows, const std::vector<std::string>& labels,
                     const OutputStyle& style) {
  if (rows.empty()) {
    return "No actions in the trace: record with telltale run --profile simple, or name ranges of "
           "your own.";
  }
  const auto most = std::ranges::max_element(rows, {}, &ActionRow::self_ns);
  std::string text = fmt::format(
      "{} takes the most by itself: {} of {}",
      most->name.empty() ? "An action without a name" : NameInSentence(most->name, style),
      FormatDuration(most->self_ns, style.unicode), FormatDuration(most->wall_ns, style.unicode));
  if (labels.size() > 1) text += " of " + Printable(labels[most->file], style.unicode);
  return text + fmt::format(", in {}.", Plural(most->calls, "call"));
}

Document Build(const ViewInput& input) {
  const bool tree = input.params.Has("tree");
  std::vector<ActionRow> rows;
  for (uint32_t file = 0; file < input.traces.size(); ++file) {
    std::vector<ActionRow> of_file = Actions(input.traces[file], file, tree).Rows();
    if (tree) {
      of_file = InTreeOrder(of_file);
      for (ActionRow& row : of_file) {
        if (row.parent) *row.parent += static_cast<uint32_t>(rows.size());
      }
    } else {
      std::ranges::sort(of_file, IsLonger);
    }
    std::ranges::move(of_file, std::back_inserter(rows));
  }
  std::string order = tree ? "as they nest, by time" : "by time";
  if (input.sort_field) {
    SortRows(rows, ActionTable(), *input.sort_field);
    order = "by " + *input.sort_field;
  }
  std::vector<std::string> labels = FileLabels(input.profile);
  Document document("Actions", [rows, labels](const OutputStyle& style) {
    return Sentence(rows, labels, style);
  });
  document.SetSentenceInk(Ink::kBold);
  if (rows.empty()) document.SetEmpty();
  if (input.use.like == LikeTool::kLightning) {
    document.SetText([rows, labels](std::optional<int64_t> limit, const OutputStyle& style) {
      return LightningText(rows, labels, limit, style);
    });
  }
  document.SetLabels(std::move(labels));
  document.AddField("tree", tree);
  document.AddTable("rows", ActionTable(), std::move(rows),
                    {.title = "Actions",
                     .remark = std::move(order),
                     .usual_rows = 40,
                     .note = "wall time on the CPU: work that a device does behind the program's "
                             "back is in the action that waited for it.",
                     .main = true});
  return document;
}

Result<void> Check(const ParamValues& params) {
  if (params.Text("view") == "simple" && params.Has("tree") && params.Has("sort"))
    return params.Wrong("tree", fmt::format("has an order of its own; leave out {} or {}",
                                            params.Spelled("sort"), params.Spelled("tree")));
  return {};
}

}  // namespace

// `tree` is a parameter of the functions view, too, and stands there.
ViewSpec DescribeSimple() {
  ViewSpec spec;
  spec.name = "simple";
  spec.help = "wall time of each action: mean, calls, total, share, percentiles, nesting";
  spec.title = "Actions";
  spec.needs = {.part = "annotations",
                .words = "Needs actions: telltale run --profile simple, or ranges of your own."};
  spec.sort_fields = ActionTable().keys();
  spec.scope = ViewScope::kAlone;
  spec.check = Check;
  spec.build = Build;
  spec.tables = [] { return std::vector{ForPage("ACTIONS", "ActionRow", ActionTable())}; };
  return spec;
}

}  // namespace telltale
