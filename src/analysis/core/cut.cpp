// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/cut.h"

#include <algorithm>
#include <tuple>

#include "base/column.h"

namespace telltale {

namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// By category number: is it wanted?
class Categories {
 public:
  Categories(const Trace& trace, const std::vector<std::string>& wanted) : any_(wanted.empty()) {
    for (const std::string& text : wanted) wanted_.push_back(Lower(text));
    for (const CategoryEntry& entry : trace.categories) {
      by_text_.push_back(Wants(Lower(trace.Text(entry.text))));
    }
    for (size_t i = 0; i < kCategoryCount; ++i) {
      by_kind_.push_back(Wants(NameOf(static_cast<Category>(i))));
    }
  }
  [[nodiscard]] bool Has(CategoryId id, Category kind) const {
    return any_ || by_text_[static_cast<size_t>(id)] || by_kind_[static_cast<size_t>(kind)];
  }
  [[nodiscard]] bool Has(CategoryId id) const { return any_ || by_text_[static_cast<size_t>(id)]; }
  [[nodiscard]] bool Wants(std::string_view text) const {
    return any_ || std::find(wanted_.begin(), wanted_.end(), text) != wanted_.end();
  }

 private:
  bool any_;
  std::vector<std::string> wanted_;
  std::vector<bool> by_text_;
  std::vector<bool> by_kind_;
};

// Is there a kept span on a track at a moment?
class KeptSpans {
 public:
  KeptSpans(const Trace& trace, const std::vector<bool>& kept) : spans_(trace.spans) {
    for (uint32_t row = 0; row < spans_.size(); ++row) {
      if (kept[row]) order_.push_back(row);
    }
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      return std::tuple(spans_.track[a], spans_.start_ns[a], a) <
             std::tuple(spans_.track[b], spans_.start_ns[b], b);
    });
    for (size_t i = 0; i < order_.size(); ++i) {
      const int64_t end = spans_.end_ns(order_[i]);
      const bool same_track = i > 0 && spans_.track[order_[i]] == spans_.track[order_[i - 1]];
      last_end_.push_back(same_track ? std::max(last_end_[i - 1], end) : end);
    }
  }
  [[nodiscard]] bool Covers(TrackId track, int64_t time_ns) const {
    const auto after =
        std::upper_bound(order_.begin(), order_.end(), std::pair(track, time_ns),
                         [&](const auto& key, uint32_t row) {
                           return key < std::pair(spans_.track[row], spans_.start_ns[row]);
                         });
    if (after == order_.begin()) return false;
    const size_t i = static_cast<size_t>(after - order_.begin()) - 1;
    return spans_.track[order_[i]] == track && last_end_[i] >= time_ns;
  }

 private:
  const SpanTable& spans_;
  Column<uint32_t> order_;
  Column<int64_t> last_end_;
};

// An arrow is a start and what follows with its id until the next start; it stays whole or not at
// all.
std::vector<bool> WholeFlows(const Trace& trace, const KeptSpans& spans) {
  const FlowTable& flows = trace.flows;
  Column<uint32_t> order;
  for (uint32_t row = 0; row < flows.size(); ++row) order.push_back(row);
  const auto arrow = [&](uint32_t row) { return std::pair(flows.category_id[row], flows.id[row]); };
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (arrow(a) != arrow(b)) return arrow(a) < arrow(b);
    return std::tuple(flows.time_ns[a], flows.phase[a], a) <
           std::tuple(flows.time_ns[b], flows.phase[b], b);
  });
  std::vector<bool> kept(flows.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i + 1;
    while (end < order.size() && arrow(order[end]) == arrow(order[i]) &&
           flows.phase[order[end]] != FlowPhase::kStart) {
      ++end;
    }
    const bool whole = std::all_of(order.begin() + i, order.begin() + end, [&](uint32_t row) {
      return spans.Covers(flows.track[row], flows.time_ns[row]);
    });
    for (; i < end; ++i) kept[order[i]] = whole;
  }
  return kept;
}

}  // namespace

CutRows CutTrace(const TraceContext& context, const CutOptions& options) {
  CutRows rows;
  const bool by_time = options.steps || options.window.has_value();
  if (!by_time && options.categories.empty()) return rows;
  const Trace& trace = context.trace;
  const SpanTable& spans = trace.spans;
  const Categories categories(trace, options.categories);

  std::vector<Interval> host;    // where host events start
  std::vector<Interval> bounds;  // with their device work
  if (options.steps) {
    for (const Step& step : context.steps.rows) {
      if (!step.selected) continue;
      host.push_back(step.host);
      bounds.push_back({std::min(step.host.start_ns, step.bounds.start_ns), step.bounds.end_ns});
    }
  }
  const auto in_window = [&](int64_t start, int64_t end) {
    return !options.window ||
           (start < options.window->end_ns &&
            (end > options.window->start_ns || start >= options.window->start_ns));
  };
  const auto touches = [](const std::vector<Interval>& sorted, int64_t start, int64_t end) {
    // Steps do not overlap: the first that ends after the start is the only candidate.
    const auto next = std::partition_point(sorted.begin(), sorted.end(),
                                           [&](const Interval& i) { return i.end_ns <= start; });
    return next != sorted.end() && (next->start_ns < end || next->start_ns <= start);
  };
  const auto starts_in = [](const std::vector<Interval>& sorted, int64_t start) {
    const auto next = std::partition_point(sorted.begin(), sorted.end(),
                                           [&](const Interval& i) { return i.end_ns <= start; });
    return next != sorted.end() && next->start_ns <= start;
  };

  rows.spans.assign(spans.size(), false);
  for (size_t row = 0; row < spans.size(); ++row) {
    const int64_t start = spans.start_ns[row];
    const int64_t end = spans.end_ns(row);
    const Category c = spans.category[row];
    if (IsDevice(c) && by_time) continue;  // goes with its launch
    bool keep = in_window(start, end);
    if (keep && options.steps) {
      // What encloses a step stays, so that stacks are whole.
      keep = IsHost(c) ? starts_in(host, start) : touches(bounds, start, end);
    }
    rows.spans[row] = keep;
  }
  if (by_time) {
    const DeviceLinks& links = context.links;
    for (size_t i = 0; i < links.size(); ++i) {
      const SpanRow row = links.device[i];
      const int64_t start = spans.start_ns[row];
      const int64_t end = spans.end_ns(row);
      rows.spans[row] =
          links.launch[i] != kNoRow
              ? rows.spans[context.tree.span[links.launch[i]]]
              : in_window(start, end) && (!options.steps || touches(bounds, start, end));
    }
  }
  const auto has_moment = [&](int64_t time) {
    return in_window(time, time) && (!options.steps || touches(bounds, time, time));
  };
  const auto choose = [&](const auto& times, std::vector<bool>& kept, auto wanted) {
    kept.assign(times.size(), false);
    for (size_t row = 0; row < times.size(); ++row) {
      kept[row] = (!by_time || has_moment(times[row])) && wanted(row);
    }
  };
  choose(trace.memory.time_ns, rows.memory, [&](size_t) {
    return categories.Wants("cpu_instant_event") || categories.Wants("memory");
  });
  choose(trace.counters.time_ns, rows.counters,
         [&](size_t) { return categories.Wants("counter"); });
  choose(trace.instants.time_ns, rows.instants,
         [&](size_t row) { return categories.Has(trace.instants.category_id[row]); });
  for (size_t row = 0; row < spans.size(); ++row) {
    if (rows.spans[row] && !categories.Has(spans.category_id[row], spans.category[row])) {
      rows.spans[row] = false;
    }
  }
  rows.flows = WholeFlows(trace, KeptSpans(trace, rows.spans));
  return rows;
}

}  // namespace telltale
