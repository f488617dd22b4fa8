// SPDX-License-Identifier: Apache-2.0
// How long the timeline takes for a view, a search and a selection of a large trace, and what its
// index costs: makes a trace of N spans in memory (threads with nested operators and Python frames,
// a backward thread, four streams), builds the index and asks at 20 zoom levels, several places
// each. Prints one JSON document.
//
//   timeline_views [SPANS]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/timeline/encode.h"
#include "analysis/timeline/index.h"
#include "analysis/timeline/search.h"
#include "analysis/timeline/selection.h"
#include "analysis/timeline/span_view.h"
#include "base/json_writer.h"
#include "model/trace.h"

namespace {

using namespace telltale;  // NOLINT: a program, not a header
using Clock = std::chrono::steady_clock;

constexpr uint32_t kWidth = 2000;
constexpr int kZooms = 20;
constexpr int kPlaces = 9;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double CpuMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// What `work` takes: processor time of all threads, since a busy machine says nothing about us, and
// the best of three rounds.
template <typename Work>
double Measure(Work work) {
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    const double before = CpuMilliseconds();
    work();
    best = std::min(best, CpuMilliseconds() - before);
  }
  return best;
}

uint64_t Random() {
  static uint64_t state = 88172645463325252ULL;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

class Maker {
 public:
  Trace Make(size_t spans) {
    const TrackId main = Thread(1, 1);
    const TrackId backward = Thread(1, 2);
    std::vector<TrackId> streams;
    for (int64_t stream = 7; stream < 11; ++stream) streams.push_back(Thread(0, stream));
    for (int i = 0; i < 300; ++i) {
      operators_.push_back(Name("aten::operator_" + std::to_string(i)));
      kernels_.push_back(Name("void kernel_number_" + std::to_string(i) + "<float, 4>(float*)"));
      frames_.push_back(Name("model.py(" + std::to_string(i) + "): forward_" + std::to_string(i)));
    }
    const StringId launch = Name("cudaLaunchKernel");
    const StringId step_name = Name("ProfilerStep#1");
    uint64_t correlation = 1;
    int64_t time = 1000;
    int64_t device = 2000;
    while (trace_.spans.size() < spans) {
      const int64_t step = time;
      for (int layer = 0; layer < 40 && trace_.spans.size() < spans; ++layer) {
        const int64_t layer_start = time;
        for (int call = 0; call < 40; ++call) {
          const int64_t start = time + 100 + static_cast<int64_t>(Random() % 500);
          const auto length = static_cast<int64_t>(4000 + Random() % 20000);
          const TrackId thread = call % 3 == 0 ? backward : main;
          const size_t which = Random() % 300;
          for (int64_t depth = 0; depth < 4; ++depth) {
            Add(Category::kOperator, operators_[(which + static_cast<size_t>(depth)) % 300],
                start + depth * 100, length - depth * 200, thread);
          }
          for (int64_t depth = 0; depth < 3; ++depth) {
            Add(Category::kPython, frames_[(which + static_cast<size_t>(depth)) % 300],
                start - 50 + depth * 10, length + 100 - depth * 20, thread);
          }
          AddRuntime(launch, start + 1000, 1500, thread, correlation);
          device = std::max(device + 50, start + 4000);
          const auto work = static_cast<int64_t>(1000 + Random() % 12000);
          AddKernel(kernels_[which], device, work, streams[Random() % 4], correlation++);
          if (Random() % 8 == 0) device -= work / 2;  // overlaps
          device += work;
          time = start + length;
        }
        // Modules around the calls.
        for (int64_t depth = 0; depth < 10; ++depth) {
          Add(Category::kPython, frames_[static_cast<size_t>(layer + depth)],
              layer_start + depth * 3, time - layer_start - depth * 6 + 60, main);
        }
      }
      Add(Category::kAnnotation, step_name, step, time - step, main);
      time += 100'000;
    }
    return std::move(trace_);
  }

 private:
  StringId Name(const std::string& text) { return trace_.strings.Intern(text); }

  TrackId Thread(int64_t pid, int64_t tid) {
    Track track;
    track.pid = {Name(std::to_string(pid)), pid};
    track.tid = {Name(std::to_string(tid)), tid};
    track.process = static_cast<uint32_t>(trace_.processes.size());
    trace_.processes.emplace_back();
    trace_.tracks.push_back(track);
    return TrackId{static_cast<uint32_t>(trace_.tracks.size() - 1)};
  }

  void Add(Category category, StringId name, int64_t start, int64_t duration, TrackId track,
           uint32_t detail = kNoDetail) {
    SpanTable& spans = trace_.spans;
    spans.start_ns.push_back(start);
    spans.duration_ns.push_back(duration);
    spans.name.push_back(name);
    spans.track.push_back(track);
    spans.category_id.push_back(CategoryId{0});
    spans.category.push_back(category);
    spans.detail.push_back(detail);
    spans.offset.push_back(0);
  }
  void AddRuntime(StringId name, int64_t start, int64_t duration, TrackId track,
                  uint64_t correlation) {
    RuntimeDetail detail;
    detail.correlation = correlation;
    trace_.runtime_details.push_back(detail);
    Add(Category::kRuntime, name, start, duration, track,
        static_cast<uint32_t>(trace_.runtime_details.size() - 1));
  }
  void AddKernel(StringId name, int64_t start, int64_t duration, TrackId track,
                 uint64_t correlation) {
    DeviceDetail detail;
    detail.correlation = correlation;
    detail.device = 0;
    detail.stream = trace_.tracks[static_cast<size_t>(track)].tid.number;
    trace_.device_details.push_back(detail);
    Add(Category::kKernel, name, start, duration, track,
        static_cast<uint32_t>(trace_.device_details.size() - 1));
  }

  Trace trace_;
  std::vector<StringId> operators_;
  std::vector<StringId> kernels_;
  std::vector<StringId> frames_;
};

// Not by halves: a pixel is rounded to four steps a doubling, and all of them should be met.
int64_t LengthAt(const TimelineIndex& index, int zoom) {
  const double length = static_cast<double>(index.duration_ns()) / std::pow(1.87, zoom);
  return std::max<int64_t>(1, static_cast<int64_t>(length));
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void Field(JsonWriter& json, const char* name, const std::vector<double>& milliseconds) {
  json.Key(name);
  json.BeginObject();
  json.Field("median_ms", Median(milliseconds));
  json.Field("max_ms", *std::max_element(milliseconds.begin(), milliseconds.end()));
  json.EndObject();
}

}  // namespace

int main(int argc, char** argv) {
  const size_t wanted = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const Trace trace = Maker().Make(wanted);
  Clock::time_point start = Clock::now();
  std::vector<TraceContext> contexts;
  contexts.push_back(PrepareTrace(trace, {}));
  const double prepare_ms = MillisecondsSince(start);
  start = Clock::now();
  const double index_cpu_start = CpuMilliseconds();
  const TimelineIndex index(contexts);
  const double index_ms = MillisecondsSince(start);
  const double index_cpu_ms = CpuMilliseconds() - index_cpu_start;

  std::vector<uint32_t> tracks;
  uint64_t rows = 0;
  for (uint32_t i = 0; i < index.tracks().size(); ++i) {
    if (index.tracks()[i].kind == TrackKind::kCriticalPath) continue;
    tracks.push_back(i);
    rows += index.tracks()[i].depth;
  }

  JsonWriter json;
  json.BeginObject();
  json.Field("spans", trace.spans.size());
  json.Field("rows", rows);
  json.Field("prepare_ms", prepare_ms);
  json.Field("index_ms", index_ms);
  json.Field("index_cpu_ms", index_cpu_ms);
  json.Field("index_bytes_per_span", static_cast<double>(index.files()[0].rows.memory_bytes()) /
                                         static_cast<double>(trace.spans.size()));
  json.Field("all_bytes_per_span",
             static_cast<double>(index.memory_bytes()) / static_cast<double>(trace.spans.size()));
  std::vector<double> all;
  json.Key("zooms");
  json.BeginArray();
  for (int zoom = 0; zoom < kZooms; ++zoom) {
    const int64_t length = LengthAt(index, zoom);
    std::vector<double> times;
    size_t bytes = 0;
    size_t boxes = 0;
    for (int place = 0; place < kPlaces; ++place) {
      const int64_t from = (index.duration_ns() - length) / kPlaces * place;
      times.push_back(Measure([&] {
        const SpanView view = ViewSpans(contexts, index, {from, from + length, kWidth}, tracks);
        const std::string answer = EncodeSpans(view);
        bytes = std::max(bytes, answer.size());
        boxes = std::max(boxes, view.size());
      }));
    }
    all.insert(all.end(), times.begin(), times.end());
    json.BeginObject();
    json.Field("zoom", zoom);
    json.Field("view_ns", length);
    json.Field("median_ms", Median(times));
    json.Field("max_ms", *std::max_element(times.begin(), times.end()));
    json.Field("boxes", boxes);
    json.Field("bytes", bytes);
    json.EndObject();
  }
  json.EndArray();
  Field(json, "views", all);

  std::vector<double> searches;
  for (const char* text : {"operator_17", "KERNEL", "e", "forward_299", "not there"}) {
    for (const int64_t near : {int64_t{0}, index.duration_ns() / 2, index.duration_ns()}) {
      SearchRequest request;
      request.query = ParseSearch(text).value();
      request.near_ns = near;
      searches.push_back(Measure([&] { (void)SearchSpans(contexts, index, request); }));
    }
  }
  Field(json, "searches", searches);

  std::vector<double> selections;
  for (int zoom = 0; zoom < kZooms; ++zoom) {
    const int64_t length = LengthAt(index, zoom);
    const int64_t from = (index.duration_ns() - length) / 2;
    selections.push_back(
        Measure([&] { (void)DescribeSelection(contexts, index, from, from + length, tracks); }));
  }
  Field(json, "selections", selections);
  json.EndObject();
  std::fputs(json.Take().c_str(), stdout);
  return 0;
}
