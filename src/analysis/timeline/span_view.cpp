// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/span_view.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "analysis/timeline/categories.h"
#include "analysis/timeline/short_name.h"

namespace telltale {

namespace {

struct Block {
  int64_t start_ns;
  int64_t end_ns;
  uint32_t item;  // the longest
  uint32_t count;
};

// Takes what a row hands out and merges it into blocks.
class BlockMaker {
 public:
  BlockMaker(std::vector<Block>& blocks, int64_t begin_ns, int64_t quantum_ns)
      : blocks_(blocks),
        begin_ns_(begin_ns),
        quantum_ns_(quantum_ns),
        shift_(std::countr_zero(static_cast<uint64_t>(quantum_ns))) {}

  void BeginRow(bool piled) {
    piled_ = piled;
    open_ = false;
  }

  void Span(uint32_t item, int64_t start, int64_t end) {
    Add(start, end, 1, item, static_cast<float>(end - start));
  }
  void Group(int64_t start, int64_t end, uint32_t count, uint32_t longest, float longest_ns) {
    Add(start, end, count, longest, longest_ns);
  }

 private:
  void Add(int64_t start, int64_t end, uint32_t count, uint32_t longest, float longest_ns) {
    const bool narrow = end - start < quantum_ns_ || piled_;
    // What is piled up may reach far back: all that began before the view is one block.
    const int64_t cell = (piled_ ? std::max(start, begin_ns_) : start) >> shift_;
    if (narrow && open_ && cell == cell_) {
      Block& block = blocks_.back();
      block.end_ns = std::max(block.end_ns, end);
      block.count += count;
      if (longest_ns > longest_ns_) {
        longest_ns_ = longest_ns;
        block.item = longest;
      }
      return;
    }
    blocks_.push_back({start, end, longest, count});
    open_ = narrow;
    cell_ = cell;
    longest_ns_ = longest_ns;
  }

  std::vector<Block>& blocks_;
  const int64_t begin_ns_;
  const int64_t quantum_ns_;
  const int shift_;
  bool piled_ = false;
  bool open_ = false;  // the last block may grow
  int64_t cell_ = 0;
  float longest_ns_ = 0;
};

// Numbers for the names that a view needs: by file (or derived spans), then by text, since files
// share most of them.
class NameNumbers {
 public:
  explicit NameNumbers(std::vector<std::string>& names) : names_(names) {}

  void BeginTable(const void* table, size_t size) {
    std::vector<uint32_t>& numbers = tables_[table];
    if (numbers.empty()) numbers.resize(size, kNoRow);
    numbers_ = numbers.data();
  }

  template <typename Text>
  uint32_t Of(uint32_t id, Text text) {
    uint32_t& number = numbers_[id];
    if (number == kNoRow) number = Find(text());
    return number;
  }

 private:
  uint32_t Find(std::string_view text) {
    const auto [at, added] = by_text_.try_emplace(text, static_cast<uint32_t>(names_.size()));
    if (added) names_.push_back(ShortName(text));
    return at->second;
  }

  std::vector<std::string>& names_;
  std::unordered_map<const void*, std::vector<uint32_t>> tables_;
  uint32_t* numbers_ = nullptr;
  std::unordered_map<std::string_view, uint32_t> by_text_;
};

class ViewBuilder {
 public:
  ViewBuilder(std::span<const TraceContext> contexts, const TimelineIndex& index,
              const ViewRange& range)
      : contexts_(contexts), index_(index), range_(range), quantum_ns_(QuantumOf(range)) {}

  void AddTrack(uint32_t number) {
    const TimelineTrack& track = index_.tracks()[number];
    const TrackBoxes boxes = index_.BoxesOf(contexts_, number);
    if (boxes.boxes == nullptr) return;
    const FileTimeline& file = index_.files()[track.file];
    const int64_t begin_ns = file.ToFile(range_.start_ns);
    const int64_t end_ns = file.ToFile(range_.end_ns);
    blocks_.clear();
    BlockMaker maker(blocks_, begin_ns, quantum_ns_);
    for (uint32_t depth = 0; depth < boxes.rows.size(); ++depth) {
      const BoxRow& row = boxes.rows[depth];
      const size_t before = blocks_.size();
      maker.BeginRow(row.piled);
      boxes.boxes->Visit(row, boxes.times, begin_ns, end_ns, quantum_ns_, maker);
      if (blocks_.size() == before) continue;
      view_.rows.push_back({number, depth, static_cast<uint32_t>(view_.size() + before),
                            static_cast<uint32_t>(blocks_.size() - before)});
    }
    AddBlocks(file);
    if (boxes.derived != nullptr) {
      DescribeDerived(*boxes.derived);
    } else {
      DescribeSpans(contexts_[track.file]);
    }
  }

  SpanView Take() { return std::move(view_); }

 private:
  void AddBlocks(const FileTimeline& file) {
    double* const starts = view_.start_ns.extend(blocks_.size());
    double* const durations = view_.duration_ns.extend(blocks_.size());
    uint32_t* const counts = view_.count.extend(blocks_.size());
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const Block& block = blocks_[i];
      starts[i] = static_cast<double>(file.FromOrigin(block.start_ns));
      durations[i] = static_cast<double>(block.end_ns - block.start_ns);
      counts[i] = block.count;
    }
  }

  void DescribeSpans(const TraceContext& context) {
    const Trace& trace = context.trace;
    names_.BeginTable(&context, trace.strings.size());
    uint32_t* const events = view_.event.extend(blocks_.size());
    uint32_t* const names = view_.name.extend(blocks_.size());
    uint8_t* const categories = view_.category.extend(blocks_.size());
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const SpanRow row = blocks_[i].item;
      events[i] = row;
      names[i] = names_.Of(static_cast<uint32_t>(trace.spans.name[row]),
                           [&] { return trace.NameOfSpan(row); });
      categories[i] = static_cast<uint8_t>(TimelineCategoryOf(context, row));
    }
  }

  void DescribeDerived(const DerivedSpans& spans) {
    names_.BeginTable(&spans, spans.names.size());
    for (const Block& block : blocks_) {
      const uint32_t name = spans.name[block.item];
      view_.event.push_back(spans.event[block.item]);
      view_.name.push_back(names_.Of(name, [&] { return std::string_view(spans.names[name]); }));
      view_.category.push_back(static_cast<uint8_t>(spans.category[block.item]));
    }
  }

  const std::span<const TraceContext> contexts_;
  const TimelineIndex& index_;
  const ViewRange range_;
  const int64_t quantum_ns_;
  std::vector<Block> blocks_;  // of the track at hand
  SpanView view_;
  NameNumbers names_{view_.names};
};

}  // namespace

int64_t QuantumOf(const ViewRange& range) {
  const uint64_t length =
      static_cast<uint64_t>(range.end_ns) - static_cast<uint64_t>(range.start_ns);
  const uint64_t pixel = length / std::max(range.width, 1U);
  constexpr uint64_t kGreatest = uint64_t{1} << 62;
  return static_cast<int64_t>(std::clamp(std::bit_floor(pixel), uint64_t{1}, kGreatest));
}

SpanView ViewSpans(std::span<const TraceContext> contexts, const TimelineIndex& index,
                   const ViewRange& range, std::span<const uint32_t> tracks) {
  ViewBuilder builder(contexts, index, range);
  for (const uint32_t track : tracks) builder.AddTrack(track);
  return builder.Take();
}

}  // namespace telltale
