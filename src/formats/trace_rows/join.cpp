// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_rows/join.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <string>
#include <tuple>
#include <utility>

#include "model/trace_columns.h"

namespace telltale::trace_rows {

namespace {

// Beside its text: places in the parser's tables of raw and clean texts, and in Map.
constexpr size_t kBytesOfString = 128;
// In the parser's table, in Map, and in track_index_.
constexpr size_t kBytesOfTrack = 192;

// An event that begins or ends a pair, while these are found.
struct Mark {
  TrackId track;
  int64_t time_ns;
  uint64_t offset;
  uint32_t row;  // kNoRow: an E
};

}  // namespace

void Joiner::Learn(size_t parser, const Fragment& fragment) {
  Map& map = maps_[parser];
  learnt_bytes_ +=
      fragment.new_strings.size() * kBytesOfString + fragment.new_tracks.size() * kBytesOfTrack;
  for (const std::string_view text : fragment.new_strings) {
    map.strings.push_back({text});
    learnt_bytes_ += text.size();
  }
  for (const LocalTrack& track : fragment.new_tracks) map.tracks.push_back({track});
  for (const std::string_view text : fragment.new_categories) map.categories.push_back({text});
}

void Joiner::Append(size_t parser, const Fragment& fragment) {
  Map& map = maps_[parser];
  trace_.source.events += fragment.events;
  trace_.diagnostics.Merge(fragment.diagnostics);
  AppendSpans(map, fragment);
  AppendDetails(map, fragment);
  AppendOthers(map, fragment);
  for (const NameMark& mark : fragment.marks) Apply(map, mark);
}

TrackKey Joiner::GlobalKey(Map& map, const LocalKey& key) {
  if (key.is_number) return {trace_.strings.Intern(std::to_string(key.number)), key.number};
  return {Global(map, key.text), kNoInt};
}

uint32_t Joiner::ProcessOf(const TrackKey& pid) {
  const auto [at, added] = process_index_.try_emplace(
      static_cast<uint32_t>(pid.text), static_cast<uint32_t>(trace_.processes.size()));
  if (added) {
    Process process;
    process.pid = pid;
    trace_.processes.push_back(process);
  }
  return at->second;
}

TrackId Joiner::Global(Map& map, TrackId local) {
  LocalTrackEntry& entry = map.tracks[static_cast<uint32_t>(local)];
  if (entry.global == UINT32_MAX) {
    Track track;
    track.pid = GlobalKey(map, entry.track.pid);
    track.tid = GlobalKey(map, entry.track.tid);
    const uint64_t key = uint64_t{static_cast<uint32_t>(track.pid.text)} << 32 |
                         static_cast<uint32_t>(track.tid.text);
    const auto [at, added] =
        track_index_.try_emplace(key, static_cast<uint32_t>(trace_.tracks.size()));
    if (added) {
      track.process = ProcessOf(track.pid);
      trace_.tracks.push_back(track);
    }
    entry.global = at->second;
  }
  return TrackId{entry.global};
}

CategoryId Joiner::Global(Map& map, CategoryId local) {
  LocalCategory& entry = map.categories[static_cast<size_t>(local)];
  if (entry.global == UINT32_MAX) {
    const StringId text = trace_.strings.Intern(entry.text);
    auto& all = trace_.categories;
    const auto at = std::find_if(all.begin(), all.end(),
                                 [text](const CategoryEntry& c) { return c.text == text; });
    entry.global = static_cast<uint32_t>(at - all.begin());
    if (at == all.end()) all.push_back({text, CategoryOf(entry.text)});
  }
  return CategoryId{static_cast<uint16_t>(entry.global)};
}

void Joiner::AppendSpans(Map& map, const Fragment& fragment) {
  const SpanTable& from = fragment.spans;
  SpanTable& to = trace_.spans;
  const size_t count = from.size();
  const auto base = static_cast<uint32_t>(to.size());
  for (const uint32_t row : fragment.begin_spans) begin_spans_.push_back(base + row);
  for (const EndMark& end : fragment.ends)
    ends_.push_back({end.time_ns, Global(map, end.track), end.offset});

  // Side tables grow after this, so their sizes are the bases.
  std::array<uint32_t, kCategoryCount> detail_base = {};
  const auto set_base = [&](Category category, size_t size) {
    detail_base[static_cast<size_t>(category)] = static_cast<uint32_t>(size);
  };
  set_base(Category::kOperator, trace_.operator_details.size());
  set_base(Category::kAnnotation, trace_.operator_details.size());
  set_base(Category::kRuntime, trace_.runtime_details.size());
  set_base(Category::kKernel, trace_.device_details.size());
  set_base(Category::kMemcpy, trace_.device_details.size());
  set_base(Category::kMemset, trace_.device_details.size());
  set_base(Category::kSync, trace_.sync_details.size());
  set_base(Category::kPython, trace_.python_details.size());

  to.start_ns.append(from.start_ns.data(), count);
  to.duration_ns.append(from.duration_ns.data(), count);
  to.category.append(from.category.data(), count);
  to.offset.append(from.offset.data(), count);
  StringId* names = to.name.extend(count);
  TrackId* tracks = to.track.extend(count);
  CategoryId* categories = to.category_id.extend(count);
  uint32_t* details = to.detail.extend(count);
  for (size_t i = 0; i < count; ++i) {
    names[i] = Global(map, from.name[i]);
    tracks[i] = Global(map, from.track[i]);
    categories[i] = Global(map, from.category_id[i]);
    const uint32_t detail = from.detail[i];
    details[i] = detail == kNoDetail ? kNoDetail
                                     : detail + detail_base[static_cast<size_t>(from.category[i])];
  }
}

void Joiner::AppendDetails(Map& map, const Fragment& fragment) {
  const auto collective_base = static_cast<uint32_t>(trace_.collectives.size());
  const auto move_collective = [&](uint32_t& collective) {
    if (collective != kNoDetail) collective += collective_base;
  };
  for (OperatorDetail op : fragment.operator_details) {
    op.input_dims = Global(map, op.input_dims);
    op.input_types = Global(map, op.input_types);
    op.concrete_inputs = Global(map, op.concrete_inputs);
    op.call_stack = Global(map, op.call_stack);
    move_collective(op.collective);
    trace_.operator_details.push_back(op);
  }
  for (DeviceDetail device : fragment.device_details) {
    move_collective(device.collective);
    trace_.device_details.push_back(device);
  }
  for (PythonDetail python : fragment.python_details) {
    python.call_from = Global(map, python.call_from);
    trace_.python_details.push_back(python);
  }
  for (CollectiveDetail c : fragment.collectives) {
    c.name = Global(map, c.name);
    c.dtype = Global(map, c.dtype);
    c.group_name = Global(map, c.group_name);
    c.group_description = Global(map, c.group_description);
    c.group_ranks = Global(map, c.group_ranks);
    trace_.collectives.push_back(c);
  }
  trace_.runtime_details.append(fragment.runtime_details.data(), fragment.runtime_details.size());
  trace_.sync_details.append(fragment.sync_details.data(), fragment.sync_details.size());
}

void Joiner::AppendOthers(Map& map, const Fragment& fragment) {
  // Numbers as they are; what the parser numbered for itself gets its final number.
  const auto append = [&]<typename T>(const Column<T>& from, Column<T>& to) {
    if constexpr (std::same_as<T, TrackId> || std::same_as<T, CategoryId> ||
                  std::same_as<T, StringId>) {
      for (const T local : from) to.push_back(Global(map, local));
    } else {
      to.append(from.data(), from.size());
    }
  };
  ForEachColumn(append, fragment.memory, trace_.memory);
  ForEachColumn(append, fragment.flows, trace_.flows);
  ForEachColumn(append, fragment.counters, trace_.counters);
  ForEachColumn(append, fragment.instants, trace_.instants);
}

void Joiner::Apply(Map& map, const NameMark& mark) {
  Track& track = trace_.tracks[static_cast<uint32_t>(Global(map, mark.track))];
  Process& process = trace_.processes[track.process];
  switch (mark.what) {
    case NameMark::What::kProcessName:
      process.name = Global(map, mark.text);
      break;
    case NameMark::What::kProcessLabels:
      process.labels = Global(map, mark.text);
      break;
    case NameMark::What::kProcessSort:
      process.sort_index = mark.number;
      break;
    case NameMark::What::kThreadName:
      track.thread_name = Global(map, mark.text);
      break;
    case NameMark::What::kThreadSort:
      track.thread_sort_index = mark.number;
      break;
  }
}

// On each track, in order of time: an E closes the last B that is still open.
void Joiner::PairBeginsWithEnds() {
  if (begin_spans_.empty() && ends_.empty()) return;
  std::vector<Mark> marks;
  marks.reserve(begin_spans_.size() + ends_.size());
  SpanTable& spans = trace_.spans;
  for (const uint32_t row : begin_spans_) {
    marks.push_back({spans.track[row], spans.start_ns[row], spans.offset[row], row});
  }
  for (const EndRow& end : ends_) marks.push_back({end.track, end.time_ns, end.offset, kNoRow});
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return std::tie(a.track, a.time_ns, a.offset) < std::tie(b.track, b.time_ns, b.offset);
  });

  std::vector<uint32_t> open;
  const auto drop_open = [&] {
    for (const uint32_t row : open) {
      spans.category[row] = Category::kUnmatched;
      trace_.diagnostics.Add(DiagnosticKind::kUnmatchedBegin, spans.offset[row]);
    }
    open.clear();
  };
  for (size_t i = 0; i < marks.size(); ++i) {
    if (i > 0 && marks[i].track != marks[i - 1].track) drop_open();
    if (marks[i].row != kNoRow) {
      open.push_back(marks[i].row);
    } else if (open.empty()) {
      trace_.diagnostics.Add(DiagnosticKind::kUnmatchedEnd, marks[i].offset);
    } else {
      const uint32_t row = open.back();
      open.pop_back();
      spans.duration_ns[row] = marks[i].time_ns - spans.start_ns[row];
    }
  }
  drop_open();
}

size_t Joiner::memory_bytes() const {
  return trace_.memory_bytes() + learnt_bytes_ + begin_spans_.capacity() * sizeof(uint32_t) +
         ends_.capacity() * sizeof(EndRow) + (begin_spans_.size() + ends_.size()) * sizeof(Mark);
}

Trace Joiner::Finish() {
  PairBeginsWithEnds();
  return std::move(trace_);
}

}  // namespace telltale::trace_rows
