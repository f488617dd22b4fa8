// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/search.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analysis/timeline/search_match.h"
#include "base/cancel.h"

namespace telltale {

namespace {

bool Before(const SearchMatch& a, const SearchMatch& b) {
  return std::tie(a.start_ns, a.file, a.row) < std::tie(b.start_ns, b.file, b.row);
}

// The first matches in time (or, backwards, the last ones): a heap whose top is the one to drop.
class FirstMatches {
 public:
  FirstMatches(size_t limit, bool backwards) : limit_(limit), backwards_(backwards) {}

  // Whether a match at that time would not be kept anyway.
  [[nodiscard]] bool IsTooFar(int64_t start_ns) const {
    if (heap_.size() < limit_ || limit_ == 0) return limit_ == 0;
    return backwards_ ? start_ns < heap_.front().start_ns : start_ns > heap_.front().start_ns;
  }

  void Add(const SearchMatch& match) {
    const auto order = [this](const SearchMatch& a, const SearchMatch& b) {
      return backwards_ ? Before(b, a) : Before(a, b);
    };
    if (heap_.size() == limit_) {
      if (limit_ == 0 || !order(match, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), order);
      heap_.pop_back();
    }
    heap_.push_back(match);
    std::push_heap(heap_.begin(), heap_.end(), order);
  }

  std::vector<SearchMatch> Take() {
    std::sort(heap_.begin(), heap_.end(), Before);
    return std::move(heap_);
  }

 private:
  const size_t limit_;
  const bool backwards_;
  std::vector<SearchMatch> heap_;
};

}  // namespace

SearchResult SearchSpans(std::span<const TraceContext> contexts, const TimelineIndex& index,
                         const SearchRequest& request) {
  SearchResult result;
  FirstMatches matches(request.limit, request.backwards);
  std::unordered_map<std::string_view, uint64_t> names;  // files share them
  for (uint32_t f = 0; f < contexts.size(); ++f) {
    const Trace& trace = contexts[f].trace;
    const FileTimeline& file = index.files()[f];
    SpanMatcher matcher(contexts[f], file, request.query);
    if (!matcher.any()) continue;
    const SpanTable& spans = trace.spans;
    const int64_t near = request.near_ns     ? file.ToFile(*request.near_ns)
                         : request.backwards ? INT64_MAX
                                             : INT64_MIN;
    std::vector<uint32_t> counts(file.name_counts.size(), 0);
    CancelCheck cancel;
    for (size_t row = 0; row < spans.size(); ++row) {
      cancel.Tick();
      if (!matcher.Matches(static_cast<SpanRow>(row))) continue;
      ++counts[static_cast<size_t>(spans.name[row])];
      const int64_t start = spans.start_ns[row];
      if (request.backwards ? start >= near : start < near) continue;
      if (matches.IsTooFar(file.FromOrigin(start))) continue;
      matches.Add({f, static_cast<SpanRow>(row), file.FromOrigin(start)});
    }
    for (uint32_t id = 0; id < counts.size(); ++id) {
      if (counts[id] == 0) continue;
      names[trace.Text(StringId{id})] += counts[id];
      result.total += counts[id];
    }
  }
  result.matches = matches.Take();
  result.names_total = names.size();
  for (const auto& [name, count] : names) result.names.push_back({name, count});
  std::sort(result.names.begin(), result.names.end(), [](const SearchName& a, const SearchName& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  if (result.names.size() > request.names) result.names.resize(request.names);
  return result;
}

std::vector<uint8_t> MatchingSpans(const TraceContext& context, const FileTimeline& file,
                                   const SearchQuery& query) {
  std::vector<uint8_t> matching(context.trace.spans.size(), 0);
  SpanMatcher matcher(context, file, query);
  if (!matcher.any()) return matching;
  CancelCheck cancel;
  for (size_t row = 0; row < matching.size(); ++row) {
    cancel.Tick();
    matching[row] = matcher.Matches(static_cast<SpanRow>(row)) ? 1 : 0;
  }
  return matching;
}

}  // namespace telltale
