// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/search.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace telltale {

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

class Needle {
 public:
  explicit Needle(std::string_view text) {
    for (const char c : text) lower_ += Lower(c);
  }

  [[nodiscard]] bool IsIn(std::string_view text) const {
    return std::search(text.begin(), text.end(), lower_.begin(), lower_.end(),
                       [](char a, char b) { return Lower(a) == b; }) != text.end();
  }

 private:
  std::string lower_;
};

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
  if (request.text.empty()) return result;
  const Needle needle(request.text);
  FirstMatches matches(request.limit, request.backwards);
  std::unordered_map<std::string_view, uint64_t> names;  // files share them
  for (uint32_t f = 0; f < contexts.size(); ++f) {
    const Trace& trace = contexts[f].trace;
    const FileTimeline& file = index.files()[f];
    std::vector<uint8_t> wanted(file.name_counts.size(), 0);
    bool any = false;
    for (uint32_t id = 0; id < wanted.size(); ++id) {
      if (file.name_counts[id] == 0) continue;
      const std::string_view name = trace.Text(StringId{id});
      if (!needle.IsIn(name)) continue;
      wanted[id] = 1;
      any = true;
      names[name] += file.name_counts[id];
      result.total += file.name_counts[id];
    }
    if (!any) continue;
    const SpanTable& spans = trace.spans;
    const int64_t near = request.near_ns     ? file.ToFile(*request.near_ns)
                         : request.backwards ? INT64_MAX
                                             : INT64_MIN;
    for (size_t row = 0; row < spans.size(); ++row) {
      if (wanted[static_cast<size_t>(spans.name[row])] == 0) continue;
      const int64_t start = spans.start_ns[row];
      if (request.backwards ? start >= near : start < near) continue;
      if (matches.IsTooFar(file.FromOrigin(start))) continue;
      matches.Add({f, static_cast<SpanRow>(row), file.FromOrigin(start)});
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

}  // namespace telltale
