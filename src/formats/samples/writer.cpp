// SPDX-License-Identifier: Apache-2.0
#include "formats/samples/writer.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/crc32c.h"

namespace telltale {

namespace {

// Some 16 MB. A program that reaches it makes functions as it goes, and its paths say little.
constexpr size_t kMostNodes = 500'000;
constexpr int64_t kNsPerMicrosecond = 1000;

void AppendVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void AppendUint32(uint32_t value, std::string& out) {
  char raw[4];
  std::memcpy(raw, &value, 4);
  out.append(raw, 4);
}

uint64_t Microseconds(int64_t ns) {
  return static_cast<uint64_t>(std::max<int64_t>(0, ns + kNsPerMicrosecond / 2)) /
         uint64_t{kNsPerMicrosecond};
}

}  // namespace

uint32_t SamplesWriter::TextOf(std::string_view text) {
  return static_cast<uint32_t>(texts_.Intern(text));
}

uint32_t SamplesWriter::FunctionOf(std::string_view file, int64_t line, std::string_view name) {
  const FunctionFacts facts = {TextOf(name), TextOf(file),
                               static_cast<uint64_t>(std::max<int64_t>(line, 0))};
  return function_index_.FindOrAdd(
      MixHash(uint64_t{facts.name} << 32 | facts.file, facts.line),
      [&](uint32_t other) { return functions_[other] == facts; },
      [&] { functions_.push_back(facts); });
}

uint32_t SamplesWriter::AddThread(int64_t process, int64_t thread, std::string_view name) {
  threads_.push_back({static_cast<uint64_t>(process), static_cast<uint64_t>(thread), TextOf(name)});
  return static_cast<uint32_t>(threads_.size() - 1);
}

uint32_t SamplesWriter::Child(uint32_t parent, uint32_t function) {
  const uint64_t hash = MixHash(parent, function);
  const auto equal = [&](uint32_t other) {
    return nodes_[other].parent == parent && nodes_[other].function == function;
  };
  if (nodes_.size() >= kMostNodes) return node_index_.Find(hash, equal);
  return node_index_.FindOrAdd(hash, equal, [&] { nodes_.push_back({parent, function}); });
}

void SamplesWriter::Add(uint32_t thread, uint32_t node, SampleState state, int64_t line,
                        int64_t length_ns) {
  const uint64_t state_and_line = static_cast<uint64_t>(state) +
                                  kSampleStates * static_cast<uint64_t>(std::max<int64_t>(line, 0));
  const uint32_t place = seen_index_.FindOrAdd(
      MixHash(uint64_t{thread} << 32 | node, state_and_line),
      [&](uint32_t other) {
        const Seen& seen = seen_[other];
        return seen.thread == thread && seen.node == node && seen.state_and_line == state_and_line;
      },
      [&] { seen_.push_back({thread, node, state_and_line}); });
  ++seen_[place].count;
  seen_[place].length_ns += length_ns;
}

void SamplesWriter::WriteNew(protobuf::MessageWriter& block) {
  using namespace samples;
  std::string packed;
  if (texts_.size() > written_texts_) {
    block.Uint(kFirstText, written_texts_);
    for (; written_texts_ < texts_.size(); ++written_texts_) {
      block.Bytes(kText, texts_.Get(StringId(static_cast<uint32_t>(written_texts_))));
    }
  }
  if (functions_.size() > written_functions_) {
    block.Uint(kFirstFunction, written_functions_);
    for (; written_functions_ < functions_.size(); ++written_functions_) {
      const FunctionFacts& function = functions_[written_functions_];
      for (const uint64_t value : {uint64_t{function.name}, uint64_t{function.file}, function.line})
        AppendVarint(value, packed);
    }
    block.Bytes(kFunctions, packed);
    packed.clear();
  }
  if (threads_.size() > written_threads_) {
    block.Uint(kFirstThread, written_threads_);
    for (; written_threads_ < threads_.size(); ++written_threads_) {
      const ThreadFacts& thread = threads_[written_threads_];
      for (const uint64_t value : {thread.process, thread.thread, uint64_t{thread.name}})
        AppendVarint(value, packed);
    }
    block.Bytes(kThreads, packed);
    packed.clear();
  }
  if (nodes_.size() > written_nodes_) {
    block.Uint(kFirstNode, written_nodes_);
    for (; written_nodes_ < nodes_.size(); ++written_nodes_) {
      const Node& node = nodes_[written_nodes_];
      AppendVarint(node.parent == kNoNode ? 0 : uint64_t{node.parent} + 1, packed);
      AppendVarint(node.function, packed);
    }
    block.Bytes(kNodes, packed);
  }
}

void SamplesWriter::WriteSeen(protobuf::MessageWriter& block) {
  using namespace samples;
  std::ranges::stable_sort(seen_, {}, &Seen::thread);
  for (size_t at = 0; at < seen_.size();) {
    const uint32_t thread = seen_[at].thread;
    std::string packed;
    for (; at < seen_.size() && seen_[at].thread == thread; ++at) {
      const Seen& seen = seen_[at];
      for (const uint64_t value :
           {uint64_t{seen.node}, seen.state_and_line, seen.count, Microseconds(seen.length_ns)}) {
        AppendVarint(value, packed);
      }
    }
    const size_t mark = block.Begin(kSamples);
    block.Uint(kThread, thread);
    block.Bytes(kValues, packed);
    block.End(mark);
  }
  seen_.clear();
  seen_index_ = {};
}

std::string SamplesWriter::TakeBlock(int64_t start_ns, int64_t end_ns) {
  using namespace samples;
  if (seen_.empty() && torn_ == 0) return {};
  protobuf::MessageWriter block;
  if (!said_start_) {
    block.Int(kStart, start_wall_ns_);
    block.Int(kPeriod, period_ns_);
    said_start_ = true;
  }
  WriteNew(block);
  block.Uint(kSlotStart, Microseconds(start_ns));
  block.Uint(kSlotLength, Microseconds(end_ns - start_ns));
  WriteSeen(block);
  if (torn_ > 0) block.Uint(kTorn, torn_);
  torn_ = 0;
  std::string out(kBlockMark);
  AppendUint32(static_cast<uint32_t>(block.size()), out);
  AppendUint32(Crc32c(block.bytes()), out);
  out += block.bytes();
  return out;
}

}  // namespace telltale
