// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/span_view.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "analysis/timeline/categories.h"
#include "analysis/timeline/short_name.h"
#include "base/parallel.h"

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
        shift_(std::countr_zero(static_cast<uint64_t>(quantum_ns))),
        odd_(static_cast<uint64_t>(quantum_ns) >> shift_) {}

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
    const uint64_t cell = CellOf(piled_ ? std::max(start, begin_ns_) : start);
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

  // Which multiple of the quantum, counted from the least time there is.
  [[nodiscard]] uint64_t CellOf(int64_t time_ns) const {
    const uint64_t part = (static_cast<uint64_t>(time_ns) ^ uint64_t{1} << 63) >> shift_;
    switch (odd_) {  // divisions by constants are cheap
      case 3:
        return part / 3;
      case 5:
        return part / 5;
      case 7:
        return part / 7;
      default:
        return part;
    }
  }

  std::vector<Block>& blocks_;
  const int64_t begin_ns_;
  const int64_t quantum_ns_;
  const int shift_;
  const uint64_t odd_;  // the quantum is this times 2^shift
  bool piled_ = false;
  bool open_ = false;  // the last block may grow
  uint64_t cell_ = 0;
  float longest_ns_ = 0;
};

// Of a byte in JSON, at most: \u001f.
constexpr size_t kEscapedBytes = 6;

// At most what a name takes in a list, with quotes and comma.
size_t QuotedBytes(std::string_view name) {
  const auto escaped = std::ranges::count_if(name, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7f;
  });
  return name.size() + static_cast<size_t>(escaped) * (kEscapedBytes - 1) + 3;
}

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

  // Of the names so far as a JSON array.
  [[nodiscard]] size_t bytes() const { return bytes_; }

  template <typename Text>
  uint32_t Of(uint32_t id, Text text) {
    uint32_t& number = numbers_[id];
    if (number == kNoRow) number = Find(text());
    return number;
  }

 private:
  uint32_t Find(std::string_view text) {
    const auto [at, added] = by_text_.try_emplace(text, static_cast<uint32_t>(names_.size()));
    if (added) {
      names_.push_back(ShortName(text));
      bytes_ += QuotedBytes(names_.back());
    }
    return at->second;
  }

  std::vector<std::string>& names_;
  std::unordered_map<const void*, std::vector<uint32_t>> tables_;
  uint32_t* numbers_ = nullptr;
  std::unordered_map<std::string_view, uint32_t> by_text_;
  size_t bytes_ = 2;  // the brackets
};

// What one track shows.
struct TrackView {
  uint32_t number = 0;
  TrackBoxes boxes;
  std::vector<SpanView::Row> rows;  // `first` from 0
  std::vector<Block> blocks;
  size_t first = 0;  // of its blocks in the view
};

// Below so many spans a second thread costs more than it saves.
constexpr uint64_t kWorthAThread = 300'000;

class ViewBuilder {
 public:
  ViewBuilder(std::span<const TraceContext> contexts, const TimelineIndex& index,
              const ViewRange& range)
      : contexts_(contexts), index_(index), range_(range), quantum_ns_(QuantumOf(range)) {}

  SpanView Build(std::span<const uint32_t> numbers, const SpanPart& part) {
    uint64_t spans = 0;
    for (const uint32_t number : numbers) {
      TrackView track;
      track.number = number;
      track.boxes = index_.BoxesOf(contexts_, number);
      if (track.boxes.boxes == nullptr) continue;
      spans += index_.tracks()[number].spans.value_or(0);
      tracks_.push_back(std::move(track));
    }
    const unsigned threads = spans < kWorthAThread ? 1 : ThreadCount(contexts_[0].options.threads);
    ForEachOnThreads(threads, tracks_.size(), [&](size_t i) { FindBlocks(tracks_[i]); });
    Cut(part);
    Allocate();
    size_t named = 0;
    RunBoth(
        threads, [&] { named = SetNames(part.most_bytes); },
        [&] {
          for (const TrackView& track : tracks_) SetValues(track);
        });
    Shorten(named);
    return std::move(view_);
  }

 private:
  [[nodiscard]] const FileTimeline& FileOf(const TrackView& track) const {
    return index_.files()[index_.tracks()[track.number].file];
  }
  [[nodiscard]] const Trace& TraceOf(const TrackView& track) const {
    return contexts_[index_.tracks()[track.number].file].trace;
  }

  void FindBlocks(TrackView& track) const {
    const FileTimeline& file = FileOf(track);
    const int64_t begin_ns = file.ToFile(range_.start_ns);
    const int64_t end_ns = file.ToFile(range_.end_ns);
    BlockMaker maker(track.blocks, begin_ns, quantum_ns_);
    for (uint32_t depth = 0; depth < track.boxes.rows.size(); ++depth) {
      const BoxRow& row = track.boxes.rows[depth];
      const size_t before = track.blocks.size();
      maker.BeginRow(row.piled);
      track.boxes.boxes->Visit(row, track.boxes.times, begin_ns, end_ns, quantum_ns_, maker);
      if (track.blocks.size() == before) continue;
      track.rows.push_back({track.number, depth, static_cast<uint32_t>(before),
                            static_cast<uint32_t>(track.blocks.size() - before)});
    }
  }

  // Leaves of all blocks those from `skip` on, as many as may fit.
  void Cut(const SpanPart& part) {
    uint64_t left = std::max<uint64_t>(1, part.most_bytes / SpanView::kSpanBytes);
    uint64_t before = 0;
    for (TrackView& track : tracks_) {
      const uint64_t size = track.blocks.size();
      const uint64_t begin = std::clamp(part.skip, before, before + size) - before;
      const uint64_t end = begin + std::min(size - begin, left);
      left -= end - begin;
      for (SpanView::Row& row : track.rows) {
        const uint64_t first = std::clamp<uint64_t>(row.first, begin, end);
        const uint64_t last = std::clamp<uint64_t>(uint64_t{row.first} + row.count, begin, end);
        row.first = static_cast<uint32_t>(first - begin);
        row.count = static_cast<uint32_t>(last - first);
      }
      std::erase_if(track.rows, [](const SpanView::Row& row) { return row.count == 0; });
      track.blocks.resize(end);
      track.blocks.erase(track.blocks.begin(),
                         track.blocks.begin() + static_cast<ptrdiff_t>(begin));
      before += size;
    }
    view_.total = static_cast<uint32_t>(before);
    view_.skipped = static_cast<uint32_t>(std::min(part.skip, before));
  }

  void Allocate() {
    size_t size = 0;
    for (TrackView& track : tracks_) {
      track.first = size;
      for (SpanView::Row row : track.rows) {
        row.first += static_cast<uint32_t>(size);
        view_.rows.push_back(row);
      }
      size += track.blocks.size();
    }
    const auto allocate = [size](auto& column) {
      column.reserve(size);
      (void)column.extend(size);
    };
    allocate(view_.start_ns);
    allocate(view_.duration_ns);
    allocate(view_.event);
    allocate(view_.count);
    allocate(view_.name);
    allocate(view_.category);
  }

  void SetValues(const TrackView& track) {
    const FileTimeline& file = FileOf(track);
    const DerivedSpans* const derived = track.boxes.derived;
    for (size_t i = 0; i < track.blocks.size(); ++i) {
      const Block& block = track.blocks[i];
      const size_t at = track.first + i;
      view_.start_ns[at] = static_cast<double>(file.FromOrigin(block.start_ns));
      view_.duration_ns[at] = static_cast<double>(block.end_ns - block.start_ns);
      view_.count[at] = block.count;
      view_.event[at] = derived == nullptr ? block.item : derived->event[block.item];
      view_.category[at] = static_cast<uint8_t>(derived == nullptr ? file.category[block.item]
                                                                   : derived->category[block.item]);
    }
  }

  // Names the spans as far as an answer of so many bytes reaches; how many these are.
  size_t SetNames(size_t most_bytes) {
    constexpr size_t kMostOfOne = SpanView::kSpanBytes + kLongestName * kEscapedBytes + 3;
    size_t bytes = SpanView::kHeadBytes + 3;  // 3: behind the categories
    size_t named = 0;
    for (const TrackView& track : tracks_) {
      const DerivedSpans* const derived = track.boxes.derived;
      const Trace& trace = TraceOf(track);
      if (derived != nullptr) {
        names_.BeginTable(derived, derived->names.size());
      } else {
        names_.BeginTable(&trace, trace.strings.size());
      }
      const auto name_of = [&](uint32_t item) {
        if (derived == nullptr) {
          const StringId name = trace.spans.name[item];
          return names_.Of(static_cast<uint32_t>(name), [&] { return trace.Text(name); });
        }
        const uint32_t name = derived->name[item];
        return names_.Of(name, [&] { return std::string_view(derived->names[name]); });
      };
      for (const SpanView::Row& row : track.rows) {
        bytes += SpanView::kRowBytes;
        for (uint32_t i = row.first; i < row.first + row.count; ++i) {
          if (named > 0 && bytes + names_.bytes() + kMostOfOne > most_bytes) return named;
          bytes += SpanView::kSpanBytes;
          view_.name[named++] = name_of(track.blocks[i].item);
        }
      }
    }
    return named;
  }

  void Shorten(size_t size) {
    while (!view_.rows.empty() && view_.rows.back().first >= size) view_.rows.pop_back();
    if (!view_.rows.empty()) {
      view_.rows.back().count = static_cast<uint32_t>(size) - view_.rows.back().first;
    }
    view_.start_ns.resize(size);
    view_.duration_ns.resize(size);
    view_.event.resize(size);
    view_.count.resize(size);
    view_.name.resize(size);
    view_.category.resize(size);
  }

  const std::span<const TraceContext> contexts_;
  const TimelineIndex& index_;
  const ViewRange range_;
  const int64_t quantum_ns_;
  std::vector<TrackView> tracks_;
  SpanView view_;
  NameNumbers names_{view_.names};
};

}  // namespace

int64_t QuantumOf(const ViewRange& range) {
  const uint64_t length =
      static_cast<uint64_t>(range.end_ns) - static_cast<uint64_t>(range.start_ns);
  const uint64_t pixel = length / std::max(range.width, 1U);
  constexpr uint64_t kGreatest = uint64_t{1} << 62;
  if (pixel < 4) return static_cast<int64_t>(std::max<uint64_t>(1, std::bit_floor(pixel)));
  const uint64_t quarter = std::bit_floor(pixel) / 4;
  return static_cast<int64_t>(std::min(pixel / quarter * quarter, kGreatest));
}

SpanView ViewSpans(std::span<const TraceContext> contexts, const TimelineIndex& index,
                   const ViewRange& range, std::span<const uint32_t> tracks, const SpanPart& part) {
  return ViewBuilder(contexts, index, range).Build(tracks, part);
}

}  // namespace telltale
