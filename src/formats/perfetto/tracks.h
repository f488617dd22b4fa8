// SPDX-License-Identifier: Apache-2.0
// The tracks of a Perfetto trace and who they are in terms of process and thread, as JSON values of
// `pid` and `tid`. Descriptors may come in any order and repeatedly; parents may be missing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/perfetto/slices.h"

namespace telltale::perfetto {

struct TrackState {
  uint64_t uuid = 0;
  uint64_t parent = 0;
  bool described = false;
  // From the descriptor; JSON, empty where it does not say.
  std::string pid;
  std::string tid;
  std::string name;  // clean text
  std::string process_name;
  std::string process_labels;
  std::string thread_name;
  std::string process_sort_index;  // JSON number
  std::string thread_sort_index;

  bool is_counter = false;
  std::string counter_name;  // clean text
  std::string series = "value";
  int64_t unit_multiplier = 1;
  bool is_incremental = false;
  double last_value = 0;
  int64_t last_integer = 0;

  // Found from the descriptor and its parents; empty until asked for.
  std::string shown_pid;
  std::string shown_tid;

  std::vector<SliceMark> slices;
};

class TrackTable {
 public:
  // Takes a TrackDescriptor message. Returns the track, nullptr if it has no uuid.
  TrackState* Describe(std::string_view message);
  // Made on first use.
  TrackState& Get(uint64_t uuid);
  // A track for a thread that has no descriptor of its own.
  TrackState& OfThread(int64_t pid, int64_t tid);
  // Fills shown_pid and shown_tid.
  void Resolve(TrackState& track);

  [[nodiscard]] std::unordered_map<uint64_t, TrackState>& all() { return tracks_; }
  [[nodiscard]] const std::unordered_map<uint64_t, TrackState>& all() const { return tracks_; }

 private:
  std::unordered_map<uint64_t, TrackState> tracks_;
};

}  // namespace telltale::perfetto
