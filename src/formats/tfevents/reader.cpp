// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/reader.h"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/cancel.h"
#include "base/parallel.h"
#include "formats/memory_meter.h"
#include "formats/tfevents/event_parser.h"
#include "formats/tfevents/fields.h"
#include "formats/tfevents/join.h"
#include "formats/tfevents/records.h"

namespace telltale {

namespace {

using tfevents::EventParser;
using tfevents::Fragment;
using tfevents::Gap;
using tfevents::RecordBlock;
using tfevents::RecordCutter;
using tfevents::Rest;

// Large enough that joining fragments costs nothing, small enough that those of all threads fit in
// a cache that is not theirs alone.
constexpr size_t kBlockBytes = size_t{2} << 20;
// Of a file that one thread reads: what was read is still in the cache when it is parsed.
constexpr size_t kSmallBlockBytes = size_t{256} << 10;

bool IsSmall(const ByteSource& source, uint64_t position, const ReadOptions& options) {
  const std::optional<uint64_t> total = source.total_bytes();
  return total && *total < position + 2 * kBlockBytes && options.block_bytes == 0;
}

// Threads take blocks from the file one after the other and parse them at the same time; whoever
// has the fragment that comes next joins it.
class BlockPass {
 public:
  BlockPass(RecordCutter& cutter, ByteSource& source, const ReadOptions& options, SeriesSet& series)
      : cutter_(cutter), source_(source), options_(options), series_(series) {}

  [[nodiscard]] Result<void> Run() {
    const unsigned threads = ThreadCount(options_.threads);
    if (threads == 1 || IsSmall(source_, cutter_.position(), options_)) {
      WorkAlone();
    } else {
      RunOnThreads(threads, [this](unsigned) { Work(); });
    }
    if (error_) return tl::unexpected(*error_);
    return {};
  }
  [[nodiscard]] size_t held_bytes() const { return held_bytes_; }
  [[nodiscard]] std::optional<bool> begins_with_version() const { return begins_with_version_; }

 private:
  // One fragment for all blocks.
  void WorkAlone() {
    Fragment fragment;
    EventParser parser(fragment);
    RecordBlock block;
    while (Take(block)) {
      StopIfCanceled();
      parser.Parse(block.records(), block.offset);
      if (options_.memory != nullptr) held_bytes_ = fragment.series.memory_bytes();
    }
    if (fragment.records > 0) Give(0, std::move(fragment));
  }

  void Work() {
    RecordBlock block;
    while (const std::optional<size_t> number = Take(block)) {
      StopIfCanceled();
      Fragment fragment;
      EventParser(fragment).Parse(block.records(), block.offset);
      Give(*number, std::move(fragment));
    }
  }

  std::optional<size_t> Take(RecordBlock& block) {
    const std::lock_guard lock(read_);
    if (error_) return std::nullopt;
    if (options_.canceled != nullptr && *options_.canceled) {
      error_ = {ErrorCode::kCanceled, "reading was canceled", std::nullopt};
      return std::nullopt;
    }
    const Result<bool> more = cutter_.Next(block);
    if (!more) error_ = more.error();
    if (!more || !*more) return std::nullopt;
    if (options_.progress) options_.progress(source_.consumed_bytes());
    return taken_++;
  }

  void Give(size_t number, Fragment fragment) {
    const std::lock_guard lock(join_);
    waiting_.emplace(number, std::move(fragment));
    for (auto next = waiting_.find(joined_); next != waiting_.end();
         next = waiting_.find(joined_)) {
      if (joined_ == 0) begins_with_version_ = next->second.begins_with_version;
      Join(std::move(next->second), series_);
      waiting_.erase(next);
      ++joined_;
    }
    if (options_.memory != nullptr) held_bytes_ = series_.memory_bytes();
  }

  RecordCutter& cutter_;  // read_
  ByteSource& source_;    // read_
  const ReadOptions& options_;
  std::mutex read_;
  size_t taken_ = 0;            // read_
  std::optional<Error> error_;  // read_
  std::mutex join_;
  SeriesSet& series_;                        // join_
  std::map<size_t, Fragment> waiting_;       // join_
  size_t joined_ = 0;                        // join_
  std::optional<bool> begins_with_version_;  // of the first block; join_
  std::atomic<size_t> held_bytes_ = 0;
};

bool Matches(std::string_view head, std::string_view path) {
  if (IsEventFileName(path)) return true;
  // Records of other content are training data; an event begins with its wall time.
  constexpr char kWallTimeKey = '\x09';
  return head.size() > tfevents::kHeaderBytes && tfevents::ReadHeader(&head.front()) &&
         head[tfevents::kHeaderBytes] == kWallTimeKey;
}

Result<SeriesSet> Read(ByteSource& source, const ReadOptions& options) {
  EventTail tail(options);
  if (const Result<void> read = tail.Read(source); !read) return tl::unexpected(read.error());
  const bool is_none = tail.position() == 0 && tail.rest() == Rest::kNoRecord;
  const uint64_t bytes = tail.rest_bytes();
  if (is_none) {
    return Fail(ErrorCode::kUnreadable,
                "expected an event file of TensorBoard, but none of its " + std::to_string(bytes) +
                    " bytes begins a record; copy or record the file again",
                0);
  }
  tail.ShrinkToFit();
  return std::move(tail).Take();
}

std::unique_ptr<Tail> MakeTail(const ReadOptions& options) {
  return std::make_unique<EventTail>(options);
}

}  // namespace

bool IsEventFileName(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1).find("tfevents") != std::string_view::npos;
}

Result<void> EventTail::Read(ByteSource& source) {
  const size_t block_bytes = IsSmall(source, position_, options_) ? kSmallBlockBytes : kBlockBytes;
  RecordCutter cutter(source, position_,
                      options_.block_bytes != 0 ? options_.block_bytes : block_bytes);
  BlockPass pass(cutter, source, options_, series_);
  const bool is_first = position_ == 0;
  const HeldMemory held(options_.memory, [&] { return pass.held_bytes(); });
  if (const Result<void> done = pass.Run(); !done) return done;
  if (is_first && pass.begins_with_version() == false) {
    series_.diagnostics.Add(DiagnosticKind::kUnusualVersion, 0);
  }
  DescribeGaps(cutter);
  DescribeRest(cutter);
  position_ = cutter.position();
  series_.source.compression = source.compression();
  series_.source.decoded_bytes = cutter.end();
  if (const auto problem = source.problem()) {
    rest_diagnostics_.AddWithDetail(DiagnosticKind::kCorruptCompression, problem->offset,
                                    problem->message);
  }
  return {};
}

void EventTail::DescribeGaps(const RecordCutter& cutter) {
  for (const Gap& gap : cutter.gaps()) {
    if (gap.all_zero) {
      series_.diagnostics.Add(DiagnosticKind::kZeroBytes, gap.offset, gap.bytes);
      continue;
    }
    lost_bytes_ += gap.bytes;
    series_.diagnostics.Add(DiagnosticKind::kLostBytes, gap.offset);
  }
  if (lost_bytes_ == 0) return;
  Diagnostics told;
  for (const Diagnostic& entry : series_.diagnostics.entries()) {
    if (entry.kind != DiagnosticKind::kLostBytes) continue;
    told.Add(entry.kind, entry.first_offset, entry.count - 1);
    told.AddWithDetail(entry.kind, entry.first_offset,
                       "no record begins here; reading went on at the next one, and " +
                           std::to_string(lost_bytes_) + " bytes are lost");
  }
  series_.diagnostics.Remove(DiagnosticKind::kLostBytes);
  series_.diagnostics.Merge(told);
}

void EventTail::DescribeRest(const RecordCutter& cutter) {
  rest_diagnostics_ = {};
  rest_ = cutter.rest();
  rest_bytes_ = cutter.rest_bytes();
  const uint64_t at = cutter.position();
  switch (rest_) {
    case Rest::kNothing:
      break;
    case Rest::kCut:
      rest_diagnostics_.AddWithDetail(
          DiagnosticKind::kCutRecord, at,
          "the file ends " + std::to_string(rest_bytes_) +
              " bytes into a record: it is being written, or its writer was stopped; all records "
              "before it were read");
      break;
    case Rest::kBadRecord:
      rest_diagnostics_.Add(DiagnosticKind::kBadChecksum, at);
      break;
    case Rest::kNoRecord:
      if (cutter.rest_is_zero()) {
        rest_diagnostics_.Add(DiagnosticKind::kZeroBytes, at, rest_bytes_);
      } else {
        rest_diagnostics_.AddWithDetail(DiagnosticKind::kLostBytes, at,
                                        "no record begins here or behind; the last " +
                                            std::to_string(rest_bytes_) + " bytes are lost");
      }
      break;
  }
}

Artifact EventTail::Snapshot() const {
  SeriesSet copy = series_;
  copy.diagnostics.Merge(rest_diagnostics_);
  return Artifact(std::move(copy));
}

SeriesSet EventTail::Take() && {
  series_.diagnostics.Merge(rest_diagnostics_);
  return std::move(series_);
}

Format TfeventsFormat() {
  return {.name = "tfevents",
          .kind = ContentKind::kSeries,
          .shown = "an event file of TensorBoard",
          .endings = {".tfevents"},
          .matches = &Matches,
          .belongs_in_list = [](std::string_view) { return false; },
          .read = ReadAs<&Read>,
          .tail = &MakeTail,
          .writer = {.name = "tfevents",
                     .help = "an event file for TensorBoard, without what is damaged",
                     .endings = {".tfevents"},
                     .series = true}};
}

}  // namespace telltale
