// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/events.h"

#include <algorithm>
#include <array>
#include <span>

#include "analysis/core/key_numbers.h"
#include "analysis/core/sort_runs.h"

namespace telltale {

namespace {

void SortByTime(const MemoryTable& memory, std::span<uint32_t> rows) {
  SortRuns(rows, [&memory](uint32_t a, uint32_t b) {
    return memory.time_ns[a] != memory.time_ns[b] ? memory.time_ns[a] < memory.time_ns[b] : a < b;
  });
}

}  // namespace

InstantsByTrack GatherInstants(const Trace& trace) {
  const MemoryTable& memory = trace.memory;
  InstantsByTrack instants;
  instants.first.assign(trace.tracks.size() + 1, 0);
  for (size_t i = 0; i < memory.size(); ++i)
    ++instants.first[static_cast<size_t>(memory.track[i]) + 1];
  for (size_t t = 1; t < instants.first.size(); ++t) instants.first[t] += instants.first[t - 1];

  std::vector<uint32_t> next(instants.first.begin(), instants.first.end() - 1);
  instants.rows.resize(memory.size());
  for (size_t i = 0; i < memory.size(); ++i) {
    instants.rows[next[static_cast<size_t>(memory.track[i])]++] = static_cast<uint32_t>(i);
  }
  for (size_t t = 0; t + 1 < instants.first.size(); ++t) {
    SortByTime(memory, std::span(instants.rows)
                           .subspan(instants.first[t], instants.first[t + 1] - instants.first[t]));
  }
  return instants;
}

std::string_view MemoryTypeName(int16_t device_type) {
  constexpr std::array<std::string_view, 21> kNames = {
      "cpu",  "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",
      "fpga", "maia", "xla",    "vulkan", "metal",  "xpu",   "mps",
      "meta", "hpu",  "ve",     "lazy",   "ipu",    "mtia",  "privateuseone"};
  const auto number = static_cast<size_t>(device_type);
  return device_type >= 0 && number < kNames.size() ? kNames[number] : "other";
}

InstantsByPlace GatherInstantsByPlace(const Trace& trace) {
  const MemoryTable& memory = trace.memory;
  InstantsByPlace instants;
  KeyNumbers numbers;
  for (size_t i = 0; i < memory.size(); ++i) {
    const MemoryPlace place = {memory.device_type[i], memory.device_id[i]};
    const uint64_t key =
        (uint64_t{static_cast<uint16_t>(place.type)} << 32) | static_cast<uint32_t>(place.id);
    const uint32_t number = numbers.Number(key);
    if (number >= kMostMemoryPlaces) {
      ++instants.left_out;
      continue;
    }
    if (number == instants.places.size()) instants.places.push_back({place, {}});
    instants.places[number].rows.push_back(static_cast<uint32_t>(i));
  }
  for (PlaceInstants& place : instants.places) SortByTime(memory, place.rows);
  std::sort(instants.places.begin(), instants.places.end(),
            [](const PlaceInstants& a, const PlaceInstants& b) {
              if ((a.place.type == 0) != (b.place.type == 0)) return b.place.type == 0;
              if (a.place.type != b.place.type) return a.place.type < b.place.type;
              return a.place.id < b.place.id;
            });
  return instants;
}

}  // namespace telltale
