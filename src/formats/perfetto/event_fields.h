// SPDX-License-Identifier: Apache-2.0
// The fields of a track event's messages, found but not interpreted: numbers of texts and tracks
// are still numbers, annotations still messages.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/perfetto/fields.h"

namespace telltale::perfetto {

// Of a TrackEvent message. Kept from event to event, so that its lists keep their memory.
struct EventFields {
  uint64_t type = event::kUnspecified;
  bool has_track = false;
  uint64_t track = 0;
  std::string_view legacy;
  bool has_legacy = false;
  std::string_view name;
  bool has_name = false;
  uint64_t name_iid = 0;
  bool has_counter = false;
  bool counter_is_double = false;
  int64_t counter = 0;
  double double_counter = 0;
  std::vector<uint64_t> category_iids;
  std::vector<std::string_view> categories;
  std::vector<std::string_view> annotations;
  std::vector<uint64_t> flows;
  std::vector<uint64_t> ending_flows;
  std::vector<uint64_t> extra_tracks;
  std::vector<int64_t> extra_values;
  std::vector<uint64_t> extra_double_tracks;
  std::vector<double> extra_double_values;
  bool has_delta_us = false;
  bool has_absolute_us = false;
  int64_t time_us = 0;

  // False if the message is damaged.
  bool Read(std::string_view message);
  void Clear();
};

// Of the LegacyEvent message inside.
struct LegacyFields {
  uint64_t name_iid = 0;
  char phase = '\0';
  int64_t duration_us = 0;
  bool has_id = false;
  uint64_t id = 0;
  bool binds_to_enclosing = false;
  bool has_pid = false;
  bool has_tid = false;
  int64_t pid = 0;
  int64_t tid = 0;
  uint64_t scope = 0;

  explicit LegacyFields(std::string_view message);
};

}  // namespace telltale::perfetto
