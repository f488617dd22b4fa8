// SPDX-License-Identifier: Apache-2.0
// What a training logged over time, as one file has it: an event file of TensorBoard, a table of
// metrics, another tracker's log. Scalars are in memory, packed; all else stays on disk, and only
// where it lies is known. Grows at its end only; whoever owns it has the lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/hash_index.h"
#include "model/profile_source.h"
#include "model/scalar_column.h"

namespace telltale {

// Where a value that is no scalar lies: the encoded Summary.Value of an event file, of a graph the
// field's bytes, or a whole file.
struct StoredValue {
  int64_t step = 0;
  double wall_time = 0;  // seconds since 1970
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// The writer said that it began again: what it wrote before with that step or a later one counts no
// more.
struct Restart {
  int64_t step = 0;
  double wall_time = 0;
  uint64_t offset = 0;  // of its record
};
struct RestartMark {
  size_t first_index = 0;  // of the tag's first point, or value, behind it
  int64_t step = 0;
};

struct SeriesTag {
  std::string tag;
  // As TensorBoard calls them, those of old files included: scalars, histograms, images, audio,
  // text, pr_curves, hparams, mesh, custom_scalars, graphs, graph_run_metadata …
  std::string plugin;
  std::string plugin_content;  // bytes
  std::string display_name;
  std::string description;
  uint8_t data_class = 0;  // SummaryMetadata: 1 scalar, 2 tensor, 3 blobs

  ScalarColumn scalars;             // of the plugin scalars
  std::vector<StoredValue> values;  // of all others
  std::vector<RestartMark> restarts;
  uint32_t next_of_tag = HashIndex::kNone;  // the same tag with another plugin

  [[nodiscard]] size_t size() const { return scalars.size() + values.size(); }
  [[nodiscard]] size_t memory_bytes() const;
};

class SeriesSet {
 public:
  ProfileSource source;
  Diagnostics diagnostics;
  std::vector<SeriesTag> tags;  // in the order of their first value; added by FindOrAdd alone
  // SessionLog START; tags that are not in this file are restarted by them, too.
  std::vector<Restart> restarts;
  std::optional<double> first_wall_time;  // of the first event that has one
  double last_wall_time = 0;              // the latest
  std::string writer;                     // who wrote it, where that is said

  // nullptr: no such tag. Two values of the same tag and different plugins are two series; without
  // a plugin the first of them is found.
  [[nodiscard]] const SeriesTag* Find(std::string_view tag) const;
  [[nodiscard]] const SeriesTag* Find(std::string_view tag, std::string_view plugin) const;
  // Its number. A new one begins behind all restarts so far.
  uint32_t FindOrAdd(std::string_view tag, std::string_view plugin);
  // For all tags, those that come later included.
  void AddRestart(const Restart& restart);
  void SeeWallTime(double wall_time);

  [[nodiscard]] size_t points() const;  // of all scalars
  [[nodiscard]] size_t memory_bytes() const;
  void ShrinkToFit();

 private:
  [[nodiscard]] uint32_t IndexOf(std::string_view tag) const;
  HashIndex index_;              // of first_, by tag
  std::vector<uint32_t> first_;  // the first series of each tag
};

}  // namespace telltale
