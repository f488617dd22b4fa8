// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/tracks.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/core/backward_links.h"

namespace telltale {

namespace {

// A thread or stream of the file with the parts that are shown of it.
struct Lane {
  size_t track = 0;  // of the trace
  bool on_device = false;
  // Threads: the main one first, then those of the backward pass.
  int64_t time_in_steps_ns = 0;
  uint32_t rank = 0;  // 0 main, 1 backward, 2 others
  int64_t device = kNoInt;
  int64_t stream = kNoInt;

  [[nodiscard]] auto Key() const {
    return std::tuple(on_device, rank, device, stream, -time_in_steps_ns, track);
  }
};

class TrackLister {
 public:
  TrackLister(const TraceContext& context, uint32_t number, FileTimeline& file,
              uint32_t first_number)
      : context_(context),
        trace_(context.trace),
        number_(number),
        file_(file),
        first_number_(first_number) {}

  std::vector<TimelineTrack> List() {
    file_.track_of_part.assign(file_.rows.tracks.size(), kNoRow);
    if (file_.steps.size() > 0) AddSteps();
    if (context_.tree.size() > 0 || context_.links.size() > 0) AddCriticalPath();
    FindProcesses();
    for (const Lane& lane : Lanes()) AddLane(lane);
    for (uint32_t i = 0; i < file_.series.size(); ++i) AddSeries(i);
    return std::move(tracks_);
  }

 private:
  void AddSteps() {
    TimelineTrack& track = Add(TrackKind::kSteps, "Steps");
    const DerivedSpans& steps = file_.steps;
    track.depth = static_cast<uint32_t>(steps.boxes.rows.size());
    track.spans = steps.size();
    track.first_ns = steps.start_ns[0];
    for (size_t i = 0; i < steps.size(); ++i) {
      track.last_ns = std::max(track.last_ns, steps.start_ns[i] + steps.duration_ns[i]);
    }
  }

  void AddCriticalPath() {
    TimelineTrack& track = Add(TrackKind::kCriticalPath, "Critical path");
    track.depth = 1;
    const auto [first, last] = Extent();
    track.first_ns = first;
    track.last_ns = last;
  }

  [[nodiscard]] std::pair<int64_t, int64_t> Extent() const {
    int64_t first = std::numeric_limits<int64_t>::max();
    int64_t last = std::numeric_limits<int64_t>::min();
    for (const PlacedTrack& placed : file_.rows.tracks) {
      first = std::min(first, placed.first_ns);
      last = std::max(last, placed.last_ns);
    }
    return {first, last};
  }

  // Where several processes have threads of their own, a thread's name alone does not tell.
  void FindProcesses() {
    size_t count = 0;
    std::vector<bool> seen(trace_.processes.size(), false);
    const auto add = [&](TrackId track) {
      const uint32_t process = trace_.tracks[static_cast<size_t>(track)].process;
      if (process >= seen.size() || seen[process]) return;
      seen[process] = true;
      ++count;
    };
    for (const HostThread& thread : context_.tree.threads) add(thread.track);
    for (const PlacedTrack& placed : file_.rows.tracks) {
      if (placed.part == TrackPart::kPython) add(placed.track);
    }
    several_processes_ = count > 1;
  }

  [[nodiscard]] uint32_t PartOf(size_t track, TrackPart part) const {
    return file_.rows.of_track[track][static_cast<size_t>(part)];
  }

  // Time of the thread's outermost events inside the steps.
  [[nodiscard]] int64_t TimeInSteps(size_t track, TrackPart part) const {
    const uint32_t number = PartOf(track, part);
    if (number == kNoRow) return 0;
    const Interval steps = context_.steps.Window();
    const BoxRow& row = file_.rows.boxes.rows[file_.rows.tracks[number].first_row];
    int64_t sum = 0;
    for (uint32_t i = 0; i < row.count; ++i) {
      const uint32_t item = file_.rows.boxes.items[row.first + i];
      const int64_t from = std::max(steps.start_ns, trace_.spans.start_ns[item]);
      const int64_t to = std::min(steps.end_ns, trace_.spans.end_ns(item));
      if (to > from && trace_.spans.category[item] != Category::kTraceSpan) sum += to - from;
    }
    return sum;
  }

  [[nodiscard]] std::vector<bool> BackwardTracks() const {
    std::vector<bool> backward(trace_.tracks.size(), false);
    std::vector<uint8_t> kinds(trace_.strings.size(), 0);  // by name: 0 not known, 1 no, 2 yes
    for (size_t node = 0; node < context_.tree.size(); ++node) {
      const SpanRow row = context_.tree.span[node];
      if (trace_.spans.category[row] != Category::kOperator) continue;
      uint8_t& kind = kinds[static_cast<size_t>(trace_.spans.name[row])];
      if (kind == 0) {
        kind = BackwardNameOf(trace_.NameOfSpan(row)) == BackwardName::kNone ? 1 : 2;
      }
      if (kind == 2) backward[static_cast<size_t>(trace_.spans.track[row])] = true;
    }
    return backward;
  }

  std::vector<Lane> Lanes() {
    const std::vector<bool> backward = BackwardTracks();
    std::vector<Lane> lanes;
    size_t main = SIZE_MAX;
    for (size_t track = 0; track < trace_.tracks.size(); ++track) {
      const bool stream = PartOf(track, TrackPart::kStream) != kNoRow ||
                          PartOf(track, TrackPart::kAnnotations) != kNoRow;
      const bool thread = PartOf(track, TrackPart::kThread) != kNoRow ||
                          PartOf(track, TrackPart::kPython) != kNoRow;
      if (thread) {
        Lane lane;
        lane.track = track;
        lane.rank = backward[track] ? 1 : 2;
        lane.time_in_steps_ns = TimeInSteps(track, TrackPart::kThread);
        if (lane.time_in_steps_ns == 0) {
          lane.time_in_steps_ns = TimeInSteps(track, TrackPart::kPython);
        }
        if (main == SIZE_MAX || lane.time_in_steps_ns > lanes[main].time_in_steps_ns) {
          main = lanes.size();
        }
        lanes.push_back(lane);
      }
      if (stream) lanes.push_back(StreamLane(track));
    }
    if (main != SIZE_MAX) lanes[main].rank = 0;
    std::sort(lanes.begin(), lanes.end(),
              [](const Lane& a, const Lane& b) { return a.Key() < b.Key(); });
    return lanes;
  }

  // Device and stream as the events say, else as the file numbers its process and thread.
  [[nodiscard]] Lane StreamLane(size_t track) const {
    Lane lane;
    lane.track = track;
    lane.on_device = true;
    lane.device = trace_.tracks[track].pid.number;
    lane.stream = trace_.tracks[track].tid.number;
    const uint32_t part = PartOf(track, TrackPart::kStream);
    if (part == kNoRow) return lane;
    const PlacedTrack& placed = file_.rows.tracks[part];
    for (uint32_t i = 0; i < placed.span_count; ++i) {
      const SpanRow row = file_.rows.boxes.items[placed.first_item + i];
      const DeviceDetail* detail = trace_.DeviceOf(row);
      if (detail == nullptr) continue;
      if (detail->device != kNoInt) lane.device = detail->device;
      if (detail->stream != kNoInt) lane.stream = detail->stream;
      break;
    }
    return lane;
  }

  void AddLane(const Lane& lane) {
    if (!lane.on_device) {
      const std::string name = ThreadName(lane.track);
      std::optional<uint32_t> thread;
      if (PartOf(lane.track, TrackPart::kThread) != kNoRow) {
        thread = first_number_ + static_cast<uint32_t>(tracks_.size());
        AddPart(TrackKind::kThread, name, PartOf(lane.track, TrackPart::kThread));
      }
      if (PartOf(lane.track, TrackPart::kPython) != kNoRow) {
        AddPart(TrackKind::kPython, name + ", Python", PartOf(lane.track, TrackPart::kPython))
            .belongs_to = thread;
      }
      return;
    }
    const uint32_t annotations = PartOf(lane.track, TrackPart::kAnnotations);
    const uint32_t events = PartOf(lane.track, TrackPart::kStream);
    const std::string name = StreamName(lane);
    const auto add = [&](TrackKind kind, const std::string& text, uint32_t part) {
      TimelineTrack& track = AddPart(kind, text, part);
      if (lane.device != kNoInt) track.device = lane.device;
      if (lane.stream != kNoInt) track.stream = lane.stream;
      return &track;
    };
    if (annotations != kNoRow) {
      TimelineTrack* const track =
          add(TrackKind::kAnnotations, name + ", annotations", annotations);
      if (events != kNoRow) {
        track->belongs_to = first_number_ + static_cast<uint32_t>(tracks_.size());
      }
    }
    if (events != kNoRow) add(TrackKind::kStream, name, events);
  }

  [[nodiscard]] std::string_view TextOf(const TrackKey& key) const { return trace_.Text(key.text); }

  // Kineto ends the names of streams with a space.
  [[nodiscard]] std::string_view GivenName(const Track& track) const {
    std::string_view name = trace_.Text(track.thread_name);
    while (name.ends_with(' ')) name.remove_suffix(1);
    return name;
  }

  [[nodiscard]] std::string ThreadName(size_t number) const {
    const Track& track = trace_.tracks[number];
    const std::string_view given = GivenName(track);
    std::string name(given);
    if (given.empty()) {
      if (track.tid.number != kNoInt) name = "thread ";
      name.append(TextOf(track.tid));
    }
    if (several_processes_) name = ProcessName(track) + ", " + name;
    return name;
  }

  [[nodiscard]] std::string ProcessName(const Track& track) const {
    std::string name;
    if (track.process < trace_.processes.size()) {
      name = trace_.Text(trace_.processes[track.process].name);
    }
    if (!name.empty()) name += ' ';
    return name.append(TextOf(track.pid));
  }

  [[nodiscard]] std::string StreamName(const Lane& lane) const {
    const Track& track = trace_.tracks[lane.track];
    std::string name =
        lane.device == kNoInt ? ProcessName(track) : "GPU " + std::to_string(lane.device);
    const std::string_view given = GivenName(track);
    if (!given.empty()) return name.append(" ").append(given);
    if (lane.stream != kNoInt) return name + " stream " + std::to_string(lane.stream);
    return name.append(" ").append(TextOf(track.tid));
  }

  TimelineTrack& AddPart(TrackKind kind, std::string name, uint32_t part) {
    file_.track_of_part[part] = first_number_ + static_cast<uint32_t>(tracks_.size());
    const PlacedTrack& placed = file_.rows.tracks[part];
    TimelineTrack& track = Add(kind, std::move(name));
    track.part = part;
    track.depth = placed.row_count;
    track.spans = placed.span_count;
    track.first_ns = placed.first_ns;
    track.last_ns = placed.last_ns;
    return track;
  }

  void AddSeries(uint32_t number) {
    const Series& series = file_.series[number];
    const bool memory = series.kind() == SeriesKind::kMemory;
    TimelineTrack& track = Add(memory ? TrackKind::kMemory : TrackKind::kCounter, series.name());
    track.series = number;
    track.spans = 0;
    if (series.points().empty()) return;
    track.first_ns = series.points().front().time_ns;
    track.last_ns = series.points().back().time_ns;
  }

  TimelineTrack& Add(TrackKind kind, std::string name) {
    TimelineTrack& track = tracks_.emplace_back();
    track.kind = kind;
    track.file = number_;
    track.name = std::move(name);
    return track;
  }

  const TraceContext& context_;
  const Trace& trace_;
  const uint32_t number_;
  FileTimeline& file_;
  const uint32_t first_number_;
  bool several_processes_ = false;
  std::vector<TimelineTrack> tracks_;
};

}  // namespace

std::vector<TimelineTrack> TracksOf(const TraceContext& context, uint32_t number,
                                    FileTimeline& file, uint32_t first_number) {
  return TrackLister(context, number, file, first_number).List();
}

}  // namespace telltale
