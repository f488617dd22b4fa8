// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/selection.h"

#include <algorithm>
#include <map>
#include <utility>

namespace telltale {

namespace {

struct FileInterval {
  int64_t start_ns;
  int64_t end_ns;
};

// How long the track's spans cover the time before `time_ns`.
int64_t BusyBefore(const TrackBoxes& boxes, std::span<const BusyMark> marks, int64_t time_ns) {
  const auto after =
      std::upper_bound(marks.begin(), marks.end(), time_ns,
                       [](int64_t time, const BusyMark& mark) { return time < mark.time_ns; });
  if (after == marks.begin()) return 0;
  const BusyMark& mark = *(after - 1);
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const BoxRow& row : boxes.rows) {
    const uint32_t first = boxes.boxes->FirstFrom(row, boxes.times, mark.time_ns);
    for (uint32_t i = first; i < row.count; ++i) {
      const uint32_t item = boxes.boxes->items[row.first + i];
      if (boxes.times.start(item) >= time_ns) break;
      spans.emplace_back(boxes.times.start(item), boxes.times.end(item));
    }
  }
  std::sort(spans.begin(), spans.end());
  int64_t busy = mark.busy_ns;
  int64_t covered = std::max(mark.time_ns, mark.end_ns);
  busy += std::min(covered, time_ns) - mark.time_ns;
  for (const auto& [start, end] : spans) {
    const int64_t to = std::min(end, time_ns);
    const int64_t from = std::max(start, covered);
    if (to > from) busy += to - from;
    covered = std::max(covered, end);
  }
  return busy;
}

// Adds what one row has in the range.
class RowAdder {
 public:
  RowAdder(const Trace& trace, const FileTimeline& file, const TrackBoxes& boxes,
           FileInterval range, SumsByName& sums)
      : trace_(trace), file_(file), boxes_(boxes), range_(range), sums_(sums) {}

  // `stretches` is null where there are none; `row_number` is that of the file's rows.
  uint64_t Add(size_t number, bool nested, const StretchSums* stretches, size_t row_number) {
    const BoxRow& row = boxes_.rows[number];
    if (row.count == 0) return 0;
    below_ = RowBelowOf(boxes_.rows, number, nested);
    const uint32_t last = boxes_.boxes->FirstFrom(row, boxes_.times, range_.end_ns);
    uint32_t first = 0;
    if (!row.piled) {
      first = boxes_.boxes->FirstFrom(row, boxes_.times, range_.start_ns);
      if (first > 0 && EndOf(row, first - 1) > range_.start_ns) --first;
    }
    if (first >= last) return 0;
    if (stretches == nullptr || row.piled) return Scan(row, first, last);

    // Whole boxes only: the first and the last one may be cut.
    const uint32_t whole_first = StartOf(row, first) < range_.start_ns ? first + 1 : first;
    const uint32_t whole_last = EndOf(row, last - 1) > range_.end_ns ? last - 1 : last;
    constexpr uint32_t kStretch = StretchSums::kStretch;
    uint64_t count = 0;
    uint32_t at = first;
    uint32_t stretch = (whole_first + kStretch - 1) / kStretch;
    for (; uint64_t{stretch} * kStretch + kStretch <= whole_last; ++stretch) {
      const std::span<const NameSum> kept =
          stretches->Of(stretches->first_stretch[row_number] + stretch);
      if (kept.empty()) continue;
      count += Scan(row, at, stretch * kStretch);
      for (const NameSum& sum : kept) {
        sums_.Add({static_cast<uint32_t>(sum.name), sum.category},
                  {sum.count, sum.total_ns, sum.self_ns});
      }
      count += kStretch;
      at = stretch * kStretch + kStretch;
    }
    return count + Scan(row, at, last);
  }

 private:
  [[nodiscard]] uint32_t ItemAt(const BoxRow& row, uint32_t i) const {
    return boxes_.boxes->items[row.first + i];
  }
  [[nodiscard]] int64_t StartOf(const BoxRow& row, uint32_t i) const {
    return boxes_.times.start(ItemAt(row, i));
  }
  [[nodiscard]] int64_t EndOf(const BoxRow& row, uint32_t i) const {
    return boxes_.times.end(ItemAt(row, i));
  }

  uint64_t Scan(const BoxRow& row, uint32_t first, uint32_t last) {
    if (first >= last) return 0;
    RowBelow below(*boxes_.boxes, boxes_.times, below_,
                   std::max(range_.start_ns, StartOf(row, first)));
    uint64_t count = 0;
    for (uint32_t i = first; i < last; ++i) {
      const uint32_t item = ItemAt(row, i);
      const int64_t start = boxes_.times.start(item);
      const int64_t end = boxes_.times.end(item);
      if (end <= range_.start_ns && start < range_.start_ns) continue;  // only in piled rows
      const int64_t from = std::max(start, range_.start_ns);
      const int64_t to = std::max(from, std::min(end, range_.end_ns));
      sums_.Add(KeyOf(item), {1, to - from, to - from - below.Covered(from, to)});
      ++count;
    }
    return count;
  }

  [[nodiscard]] NameKey KeyOf(uint32_t item) const {
    if (boxes_.derived != nullptr) {
      return {boxes_.derived->name[item], boxes_.derived->category[item]};
    }
    return {static_cast<uint32_t>(trace_.spans.name[item]), file_.category[item]};
  }

  const Trace& trace_;
  const FileTimeline& file_;
  const TrackBoxes& boxes_;
  const FileInterval range_;
  SumsByName& sums_;
  const BoxRow* below_ = nullptr;
};

// Steps and the profiler's own window are frames around what happened, not what happened.
bool IsFrame(const SelectedName& name) {
  return name.category == TimelineCategory::kStep ||
         (name.category == TimelineCategory::kOther && name.name.starts_with("PyTorch Profiler ("));
}

class Statistics {
 public:
  Statistics(std::span<const TraceContext> contexts, const TimelineIndex& index, int64_t start_ns,
             int64_t end_ns)
      : contexts_(contexts), index_(index), start_ns_(start_ns), end_ns_(end_ns) {
    of_files_.resize(contexts.size());
  }

  void AddTrack(uint32_t number) {
    const TimelineTrack& track = index_.tracks()[number];
    const TrackBoxes boxes = index_.BoxesOf(contexts_, number);
    if (boxes.boxes == nullptr) return;
    const FileTimeline& file = index_.files()[track.file];
    const FileInterval range{file.ToFile(start_ns_), file.ToFile(end_ns_)};
    SelectedTrack selected;
    selected.track = number;
    SumsByName of_derived;
    SumsByName& sums = boxes.derived != nullptr ? of_derived : of_files_[track.file];
    RowAdder adder(contexts_[track.file].trace, file, boxes, range, sums);
    const bool events = track.part != kNoRow;
    const bool nested = events && track.kind != TrackKind::kStream;
    const size_t first_row = events ? file.rows.tracks[track.part].first_row : 0;
    for (size_t row = 0; row < boxes.rows.size(); ++row) {
      selected.count += adder.Add(row, nested, events ? &file.stretches : nullptr, first_row + row);
    }
    if (boxes.derived != nullptr) {
      AddNames(of_derived,
               [&](uint32_t name) -> std::string_view { return boxes.derived->names[name]; });
    }
    selected.busy_ns =
        events ? BusyIn(boxes, file.rows.tracks[track.part].busy, range) : BusyIn(boxes, {}, range);
    selected.idle_ns =
        static_cast<int64_t>(static_cast<uint64_t>(end_ns_) - static_cast<uint64_t>(start_ns_)) -
        selected.busy_ns;
    result_.tracks.push_back(selected);
  }

  SelectionStatistics Take() {
    for (size_t i = 0; i < contexts_.size(); ++i) {
      const Trace& trace = contexts_[i].trace;
      AddNames(of_files_[i], [&](uint32_t name) { return trace.Text(StringId{name}); });
    }
    for (const auto& [key, sums] : by_text_) {
      result_.names.push_back({key.first, key.second, sums});
      result_.categories[static_cast<size_t>(key.second)].Add(sums);
    }
    std::stable_sort(result_.names.begin(), result_.names.end(),
                     [](const SelectedName& a, const SelectedName& b) {
                       if (IsFrame(a) != IsFrame(b)) return IsFrame(b);
                       if (a.sums.self_ns != b.sums.self_ns) return a.sums.self_ns > b.sums.self_ns;
                       return a.sums.total_ns > b.sums.total_ns;
                     });
    return std::move(result_);
  }

 private:
  static int64_t BusyIn(const TrackBoxes& boxes, std::span<const BusyMark> marks,
                        FileInterval range) {
    // Derived spans are few: one mark before all of them.
    const BusyMark before_all{INT64_MIN / 2, 0, INT64_MIN / 2};
    if (marks.empty()) marks = std::span(&before_all, 1);
    return BusyBefore(boxes, marks, range.end_ns) - BusyBefore(boxes, marks, range.start_ns);
  }

  template <typename TextOf>
  void AddNames(const SumsByName& sums, TextOf text_of) {
    for (const SumsByName::Entry& entry : sums.entries()) {
      by_text_[{text_of(entry.key.name), entry.key.category}].Add(entry.sums);
    }
  }

  const std::span<const TraceContext> contexts_;
  const TimelineIndex& index_;
  const int64_t start_ns_;
  const int64_t end_ns_;
  std::vector<SumsByName> of_files_;
  std::map<std::pair<std::string_view, TimelineCategory>, BoxSums> by_text_;
  SelectionStatistics result_;
};

}  // namespace

SelectionStatistics DescribeSelection(std::span<const TraceContext> contexts,
                                      const TimelineIndex& index, int64_t start_ns, int64_t end_ns,
                                      std::span<const uint32_t> tracks) {
  Statistics statistics(contexts, index, start_ns, end_ns);
  for (const uint32_t track : tracks) statistics.AddTrack(track);
  return statistics.Take();
}

}  // namespace telltale
