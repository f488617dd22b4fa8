// SPDX-License-Identifier: Apache-2.0
// The pipeline: blocks of text are parsed by several threads on the belief that each begins inside
// the list of events; one thread at a time takes the results in file order, checks that belief
// against the true state of the document, and parses again what was believed wrongly. The result is
// that of one thread reading from front to back.
#include "formats/kineto_json/reader.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "formats/kineto_json/blocks.h"
#include "formats/kineto_json/document.h"
#include "formats/kineto_json/event_parser.h"
#include "formats/memory_meter.h"
#include "formats/trace_rows/join.h"

namespace telltale {

namespace kineto_json {
namespace {

// 1 MiB fits the second-level cache together with the rows made of it; half and double are as fast.
constexpr size_t kBlockBytes = size_t{1} << 20;
// Blocks read but not yet joined, at most.
constexpr size_t kWindow = 8;
// A single value beyond this is not held in memory but skipped.
constexpr size_t kMaxValueBytes = size_t{64} << 20;

// A block and what a parser made of it.
struct Item {
  Block block;
  Fragment fragment;
  size_t parser = 0;
  ElementsResult result{};
  bool parsed = false;
};

class Pipeline {
 public:
  Pipeline(ByteSource& source, const ReadOptions& options, size_t threads)
      : source_(source),
        options_(options),
        blocks_(source, options.block_bytes != 0 ? options.block_bytes : kBlockBytes),
        parsers_(threads),
        joiner_(threads + 1),
        document_(parser_, joiner_.trace()),
        threads_(threads),
        max_value_bytes_(options.max_value_bytes != 0 ? options.max_value_bytes : kMaxValueBytes) {}

  Result<Trace> Run() {
    {
      const HeldMemory held(options_.memory, [this] { return joined_bytes_.load(); });
      RunOnThreads(static_cast<unsigned>(threads_), [this](unsigned index) { Work(index); });
    }
    parsers_.clear();  // their texts are in the trace by now
    if (error_) return tl::unexpected<Error>(*error_);
    if (auto verdict = document_.Verdict(joiner_.trace().source.events, decoded_bytes_)) {
      if (const auto problem = source_.problem()) verdict->message = problem->message;
      return tl::unexpected<Error>(*verdict);
    }
    Trace trace = joiner_.Finish();
    trace.source.decoded_bytes = decoded_bytes_;
    return trace;
  }

 private:
  [[nodiscard]] bool Canceled() const { return options_.canceled != nullptr && *options_.canceled; }

  // Ends the others, too, if it fails: they would wait for the block that it had taken.
  void Work(size_t index) {
    try {
      parsers_[index] = std::make_unique<EventParser>();
      while (ParseOne(index, *parsers_[index])) {
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      changed_.notify_all();
      throw;
    }
  }

  bool ParseOne(size_t index, EventParser& parser) {
    std::unique_ptr<Item> item;
    uint64_t number = 0;
    if (!Take(item, number)) return false;
    item->parser = index;
    // The first block holds the head of the document; the joining thread reads it.
    item->parsed = number > 0;
    if (item->parsed) {
      parser.Begin(item->fragment);
      const PaddedText text = item->block.text();
      item->result =
          ParseElements(text, ListPlace::kAfterComma, item->block.last, parser, item->fragment);
      NoteZeroBytes({text.begin, item->result.at, text.offset}, item->fragment.diagnostics);
      parser.End();
    }
    Deliver(std::move(item), number);
    return true;
  }

  // The next block, in order. False when there are no more.
  bool Take(std::unique_ptr<Item>& item, uint64_t& number) {
    const std::lock_guard reading(source_mutex_);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || next_read_ - next_join_ < kWindow; });
      if (Canceled() && !stop_) {
        error_ = Error{ErrorCode::kCanceled, "stopped", std::nullopt};
        stop_ = true;
        changed_.notify_all();
      }
      if (stop_) return false;
      if (!spare_.empty()) {
        item = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    if (item == nullptr) item = std::make_unique<Item>();
    const Result<void> read = blocks_.Next(item->block);
    if (options_.progress) options_.progress(source_.consumed_bytes());
    const std::lock_guard lock(mutex_);
    if (!read) {
      error_ = read.error();
      stop_ = true;
      changed_.notify_all();
      return false;
    }
    number = next_read_++;
    if (item->block.last) {
      stop_ = true;
      changed_.notify_all();
    }
    return true;
  }

  // Puts the item in its place in the order, and joins what is next in it unless another thread
  // does.
  void Deliver(std::unique_ptr<Item> item, uint64_t number) {
    std::unique_lock lock(mutex_);
    waiting_[number % kWindow] = std::move(item);
    if (joining_) return;
    joining_ = true;
    for (;;) {
      std::unique_ptr<Item> next = std::move(waiting_[next_join_ % kWindow]);
      if (next == nullptr) break;
      lock.unlock();
      Join(*next);
      next->fragment.Clear();
      joined_bytes_ = joiner_.memory_bytes();
      lock.lock();
      spare_.push_back(std::move(next));
      ++next_join_;
      changed_.notify_all();
    }
    joining_ = false;
    changed_.notify_all();
  }

  void Join(Item& item) {
    const PaddedText text = item.block.text();
    decoded_bytes_ += static_cast<uint64_t>(text.end - text.begin);
    const char* rest = text.begin;
    if (item.parsed) {
      joiner_.Learn(item.parser, item.fragment);
      if (carry_.size() == 0 && document_.InsideElements()) {
        joiner_.Append(item.parser, item.fragment);
        document_.Advance(item.result.place);
        rest = item.result.at;
        const bool all_used = item.result.stop == ElementsResult::Stop::kText;
        if (all_used && !item.block.last) return;
      }
    }
    if (carry_.size() == 0) carry_offset_ = text.OffsetOf(rest);
    carry_.Append(rest, static_cast<size_t>(text.end - rest));
    Feed(item.block.last);
  }

  // Lets the document use the text that is carried over.
  void Feed(bool at_eof) {
    if (!at_eof && carry_.size() < next_attempt_) return;
    Fragment& fragment = own_fragment_;
    for (;;) {
      parser_.Begin(fragment);
      const char* begin = carry_.data();
      const PaddedText text{begin, begin + carry_.size(), carry_offset_};
      const char* stop = document_.Feed(text, at_eof, fragment);
      const bool oversized = stop == begin && carry_.size() >= max_value_bytes_;
      if (oversized) stop = document_.SkipOversized(text, fragment);
      // What follows the document is none of it.
      const uint64_t end = std::max(document_.end_offset().value_or(UINT64_MAX), carry_offset_);
      const uint64_t inside = std::min(static_cast<uint64_t>(stop - begin), end - carry_offset_);
      NoteZeroBytes({begin, begin + inside, carry_offset_}, fragment.diagnostics);
      parser_.End();
      joiner_.Learn(threads_, fragment);
      joiner_.Append(threads_, fragment);
      fragment.Clear();
      const auto used = static_cast<size_t>(stop - begin);
      carry_offset_ += used;
      carry_.DropFront(used);
      if (!oversized) break;
    }
    // A value that needs more text is tried again when there is twice as much: linear in all.
    next_attempt_ = carry_.size() * 2;
  }

  ByteSource& source_;
  const ReadOptions& options_;

  std::mutex source_mutex_;  // taken before mutex_
  BlockReader blocks_;       // source_mutex_

  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Item> waiting_[kWindow];    // mutex_
  std::vector<std::unique_ptr<Item>> spare_;  // mutex_
  uint64_t next_read_ = 0;                    // mutex_
  uint64_t next_join_ = 0;                    // mutex_
  bool joining_ = false;                      // mutex_: one thread is in Join
  bool stop_ = false;                         // mutex_: nothing more to read
  std::optional<Error> error_;                // mutex_

  // One for each thread. The joining thread reads texts that they own.
  std::vector<std::unique_ptr<EventParser>> parsers_;

  // Used by the joining thread alone.
  EventParser parser_;
  trace_rows::Joiner joiner_;
  Document document_;
  Fragment own_fragment_;
  PaddedBuffer carry_;
  uint64_t carry_offset_ = 0;
  size_t next_attempt_ = 0;
  uint64_t decoded_bytes_ = 0;

  std::atomic<size_t> joined_bytes_ = 0;  // what the joined blocks take
  size_t threads_;
  size_t max_value_bytes_;
};

size_t ThreadsFor(const ByteSource& source, const ReadOptions& options) {
  if (options.threads != 0) return options.threads;
  // Below this, starting a thread costs more than it saves.
  constexpr uint64_t kSmall = uint64_t{128} << 10;
  if (source.total_bytes().value_or(UINT64_MAX) < kSmall) return 1;
  // Joining is one thread's work: more than eight would wait for it.
  return std::min<size_t>(ThreadCount(0), 8);
}

}  // namespace
}  // namespace kineto_json

Result<Trace> ReadKinetoJson(ByteSource& source, const ReadOptions& options) {
  kineto_json::Pipeline pipeline(source, options, kineto_json::ThreadsFor(source, options));
  Result<Trace> trace = pipeline.Run();
  if (!trace) return trace;
  trace->source.format = "kineto_json";
  trace->source.compression = source.compression();
  trace->source.bytes = source.consumed_bytes();
  if (const auto problem = source.problem()) {
    trace->diagnostics.AddWithDetail(DiagnosticKind::kCorruptCompression, problem->offset,
                                     problem->message);
  }
  return trace;
}

}  // namespace telltale
