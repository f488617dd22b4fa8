// SPDX-License-Identifier: Apache-2.0
// TensorBoard's event files, as TensorFlow, torch, tensorboardX, CatBoost and others write them:
// all scalars as columns, all else by its place in the file (decode.h reads it). FORMAT.md beside
// this file.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "formats/format.h"
#include "formats/read_options.h"
#include "formats/tfevents/record_cutter.h"
#include "io/byte_source.h"
#include "model/series.h"

namespace telltale {

[[nodiscard]] Format TfeventsFormat();

// Whether TensorBoard would read a file of that name: its last part has "tfevents" in it.
[[nodiscard]] bool IsEventFileName(std::string_view path);

// Follows an event file that is being written. A record that is not whole yet, or whose checksum is
// wrong and which is the last one, is left for the next time: network file systems show writes in
// pieces. Whether the file is still the same one, and has not become shorter, the caller knows.
class EventTail final : public Tail {
 public:
  explicit EventTail(ReadOptions options = {}) : options_(std::move(options)) {}
  // Goes on where another one stopped: all that it had read up to `position`.
  EventTail(SeriesSet series, uint64_t position, ReadOptions options = {})
      : options_(std::move(options)), series_(std::move(series)), position_(position) {}

  [[nodiscard]] Result<void> Read(ByteSource& source) override;
  [[nodiscard]] uint64_t position() const override { return position_; }
  [[nodiscard]] Artifact Snapshot() const override;

  // All whole records up to position(). Changes in Read() alone; diagnostics about what is behind
  // position() are in `rest_diagnostics`.
  [[nodiscard]] const SeriesSet& series() const { return series_; }
  [[nodiscard]] const Diagnostics& rest_diagnostics() const { return rest_diagnostics_; }
  // What there is behind position().
  [[nodiscard]] tfevents::Rest rest() const { return rest_; }
  [[nodiscard]] uint64_t rest_bytes() const { return rest_bytes_; }
  // Gives back memory that more points would need; worth it once a file is read to its end.
  void ShrinkToFit() { series_.ShrinkToFit(); }
  // With the diagnostics about the rest.
  [[nodiscard]] SeriesSet Take() &&;

 private:
  void DescribeGaps(const tfevents::RecordCutter& cutter);
  void DescribeRest(const tfevents::RecordCutter& cutter);

  ReadOptions options_;
  SeriesSet series_;
  Diagnostics rest_diagnostics_;
  uint64_t position_ = 0;
  uint64_t lost_bytes_ = 0;
  tfevents::Rest rest_ = tfevents::Rest::kNothing;
  uint64_t rest_bytes_ = 0;
};

}  // namespace telltale
