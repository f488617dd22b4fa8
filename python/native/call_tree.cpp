// SPDX-License-Identifier: Apache-2.0
#include "call_tree.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "record/state.h"

namespace telltale::python {

namespace {

using record::CallExtent;
using record::CallHeader;
using record::CallState;
using record::kCallExtentBytes;
using record::kMostCallExtents;

// 128 MiB of call paths. Programs that walk trees of their own can have any number.
constexpr uint32_t kMostNodeExtents = 128;
constexpr uint64_t kFirstIndex = 1 << 12;
constexpr uint32_t kDeepest = 4096;  // calls that are moved when one in their middle ends

void* Pages(size_t bytes) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

uint64_t Mix(uint64_t value) {
  value ^= value >> 32;
  value *= 0x9e3779b97f4a7c15;
  return value ^ (value >> 29);
}

uint64_t HashOf(const CallNode* above, uint64_t key) {
  return Mix(key ^ (reinterpret_cast<uint64_t>(above) << 7));
}

// A file's text that is too long to be kept loses its end; UTF-8 stays whole.
std::string_view Cut(std::string_view text) {
  if (text.size() <= record::kLongestCallText) return text;
  size_t size = record::kLongestCallText;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

}  // namespace

bool CallTree::Open() {
  file_ = record::MakeFileBesideRegion(record::kCallEnding);
  if (file_ < 0) return false;
  nodes_ = static_cast<CallNode**>(Pages(kFirstIndex * sizeof *nodes_));
  functions_ = static_cast<KnownFunction*>(Pages(kFirstIndex * sizeof *functions_));
  if (nodes_ == nullptr || functions_ == nullptr) return false;
  node_mask_ = function_mask_ = kFirstIndex - 1;
  header_ = reinterpret_cast<CallHeader*>(NewExtent(CallExtent::kNone));
  if (header_ == nullptr) return false;
  header_->extent_count = 1;
  header_->version = record::kCallLayoutVersion;
  header_->extent_bytes = kCallExtentBytes;
  header_->state = static_cast<uint32_t>(CallState::kOpen);
  header_->pid = static_cast<uint64_t>(getpid());
  const record::ClockPair now = record::ReadBothClocks();
  header_->first_ticks = header_->last_ticks = now.ticks;
  header_->first_wall_ns = now.wall_ns;
  header_->ticks_per_second = 1e9;
  if (!GrowNodes() || !GrowFunctions()) {
    header_ = nullptr;
    return false;
  }
  __atomic_thread_fence(__ATOMIC_RELEASE);
  std::memcpy(header_->magic, record::kCallMagic, sizeof record::kCallMagic);
  return true;
}

char* CallTree::NewExtent(CallExtent kind) {
  const uint32_t number = header_ == nullptr ? 0 : header_->extent_count;
  if (number == kMostCallExtents) return nullptr;
  const off_t offset = static_cast<off_t>(number) * kCallExtentBytes;
  // Beyond this limit the kernel would not only refuse, but end the process with SIGXFSZ.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<rlim_t>(offset) + kCallExtentBytes > limit.rlim_cur) {
    return nullptr;
  }
  // Blocks for all of it now: a page that finds none when it is written would end the process.
  if (posix_fallocate(file_, offset, kCallExtentBytes) != 0) return nullptr;
  void* const mapped =
      mmap(nullptr, kCallExtentBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, offset);
  if (mapped == MAP_FAILED) return nullptr;
  if (header_ != nullptr) {
    header_->kinds[number] = static_cast<uint8_t>(kind);
    __atomic_store_n(&header_->extent_count, number + 1, __ATOMIC_RELEASE);
  }
  return static_cast<char*>(mapped);
}

bool CallTree::GrowNodes() {
  const uint32_t extents = header_->node_count / record::kNodesInExtent;
  char* const extent = extents < kMostNodeExtents ? NewExtent(CallExtent::kNodes) : nullptr;
  if (extent == nullptr) return false;
  next_node_ = reinterpret_cast<CallNode*>(extent);
  nodes_end_ = next_node_ + record::kNodesInExtent;
  first_of_extent_[extents] = next_node_;
  MeasureRate();
  return true;
}

bool CallTree::GrowFunctions() {
  char* const extent = NewExtent(CallExtent::kFunctions);
  if (extent == nullptr) return false;
  next_function_ = extent;
  functions_end_ = extent + kCallExtentBytes;
  return true;
}

void CallTree::MeasureRate() {
  const record::ClockPair now = record::ReadBothClocks();
  const uint64_t ticks = now.ticks - header_->first_ticks;
  const int64_t wall_ns = now.wall_ns - header_->first_wall_ns;
  constexpr int64_t kShortestNs = 10'000'000;
  if (wall_ns > kShortestNs) {
    header_->ticks_per_second = static_cast<double>(ticks) * 1e9 / static_cast<double>(wall_ns);
  }
}

void CallTree::Close() {
  if (header_ == nullptr) return;
  MeasureRate();
  __atomic_store_n(&header_->state, static_cast<uint32_t>(CallState::kClosed), __ATOMIC_RELEASE);
  ::close(file_);
  header_ = nullptr;
}

void CallTree::Forget() {
  if (header_ != nullptr) ::close(file_);
  *this = CallTree();
}

KnownFunction* CallTree::Find(uint64_t key) const {
  for (uint64_t place = Mix(key);; ++place) {
    KnownFunction& at = functions_[place & function_mask_];
    if (at.key == key) return &at;
    if (at.key == 0) return nullptr;
  }
}

KnownFunction* CallTree::Add(uint64_t key, const FunctionFacts* facts) {
  CallFunction* entry = nullptr;
  if (facts != nullptr) {
    const std::string_view file = Cut(facts->file);
    const std::string_view name = Cut(facts->name);
    const size_t bytes = (sizeof(CallFunction) + file.size() + name.size() + 7) & ~size_t{7};
    if (bytes > static_cast<size_t>(functions_end_ - next_function_) && !GrowFunctions()) {
      return nullptr;
    }
    entry = reinterpret_cast<CallFunction*>(next_function_);
    entry->kind = static_cast<uint32_t>(facts->kind);
    entry->line = facts->line;
    entry->file_bytes = static_cast<uint32_t>(file.size());
    entry->name_bytes = static_cast<uint32_t>(name.size());
    char* const text = next_function_ + sizeof *entry;
    std::memcpy(text, file.data(), file.size());
    std::memcpy(text + file.size(), name.data(), name.size());
    entry->bytes = static_cast<uint32_t>(bytes);
    next_function_ += bytes;
  }
  if (2 * (known_ + 1) > function_mask_) {
    const uint64_t size = 2 * (function_mask_ + 1);
    auto* const larger = static_cast<KnownFunction*>(Pages(size * sizeof *functions_));
    if (larger == nullptr) return nullptr;
    for (uint64_t i = 0; i <= function_mask_; ++i) {
      if (functions_[i].key == 0) continue;
      uint64_t place = Mix(functions_[i].key);
      while (larger[place & (size - 1)].key != 0) ++place;
      larger[place & (size - 1)] = functions_[i];
    }
    munmap(functions_, (function_mask_ + 1) * sizeof *functions_);
    functions_ = larger;
    function_mask_ = size - 1;
  }
  uint64_t place = Mix(key);
  while (functions_[place & function_mask_].key != 0) ++place;
  KnownFunction& at = functions_[place & function_mask_];
  ++known_;
  at = {key, entry, header_->function_count};
  if (entry != nullptr) {
    __atomic_store_n(&header_->function_count, header_->function_count + 1, __ATOMIC_RELEASE);
  }
  return &at;
}

CallNode* CallTree::ChildByIndex(CallNode* node, uint64_t key) const {
  for (uint64_t place = HashOf(node, key);; ++place) {
    CallNode* const at = nodes_[place & node_mask_];
    if (at == nullptr) return nullptr;
    if (at->key != key || at->above != node) continue;
    if (node->last != nullptr) node->last->behind = at;
    node->last = at;
    return at;
  }
}

CallNode* CallTree::NewNode(CallNode* above, const KnownFunction& function) {
  if (next_node_ == nodes_end_ && !GrowNodes()) return nullptr;
  const uint64_t count = header_->node_count;
  if (2 * (count + 1) > node_mask_) {
    const uint64_t size = 2 * (node_mask_ + 1);
    auto** const larger = static_cast<CallNode**>(Pages(size * sizeof *nodes_));
    if (larger == nullptr) return nullptr;
    for (uint64_t i = 0; i <= node_mask_; ++i) {
      CallNode* const node = nodes_[i];
      if (node == nullptr) continue;
      uint64_t place = HashOf(node->above, node->key);
      while (larger[place & (size - 1)] != nullptr) ++place;
      larger[place & (size - 1)] = node;
    }
    munmap(static_cast<void*>(nodes_), (node_mask_ + 1) * sizeof *nodes_);
    nodes_ = larger;
    node_mask_ = size - 1;
  }
  CallNode* const node = next_node_++;
  node->key = function.key;
  node->above = above;
  node->function = function.number;
  if (above != nullptr) {
    uint32_t extent = 0;
    while (above < first_of_extent_[extent] ||
           above >= first_of_extent_[extent] + record::kNodesInExtent) {
      ++extent;
    }
    node->parent = 1 + extent * record::kNodesInExtent +
                   static_cast<uint32_t>(above - first_of_extent_[extent]);
  }
  uint64_t place = HashOf(above, function.key);
  while (nodes_[place & node_mask_] != nullptr) ++place;
  nodes_[place & node_mask_] = node;
  __atomic_store_n(&header_->node_count, static_cast<uint32_t>(count + 1), __ATOMIC_RELEASE);
  return node;
}

CallNode* CallTree::MakeChild(CallNode* node, const KnownFunction& function) {
  CallNode* child = Child(node, function.key);
  if (child != nullptr) return child;
  child = NewNode(node, function);
  if (child == nullptr) return nullptr;
  if (node->last != nullptr) node->last->behind = child;
  node->last = child;
  // The rate of the clock gets better with time, and matters most where the process is killed.
  if ((header_->node_count & 1023) == 0) MeasureRate();
  return child;
}

CallNode* CallTree::AddThread(std::string_view name) {
  FunctionFacts facts;
  facts.kind = CallKind::kThread;
  facts.name = name;
  // No code has an address so low.
  const KnownFunction* const function = Add(++threads_, &facts);
  return function == nullptr ? nullptr : NewNode(nullptr, *function);
}

void CallTree::BeginUncounted(ThreadCalls& thread, const KnownFunction& function) const {
  ++thread.uncounted;
  ++function.entry->uncounted;
  ++header_->uncounted;
}

void CallTree::EndAmong(ThreadCalls& thread, CallNode* node, uint64_t now) {
  const auto kind_of = [&](const CallNode* at) {
    const KnownFunction* const function = Find(at->key);
    return static_cast<CallKind>(function->entry->kind);
  };
  const bool is_action = kind_of(node) == CallKind::kAction;
  uint64_t kept[kDeepest];  // innermost first
  uint32_t count = 0;
  while (thread.now != node) {
    const CallNode* const inner = thread.now;
    if (is_action || kind_of(inner) == CallKind::kAction) {
      if (count < kDeepest) kept[count++] = inner->key;
    }
    End(thread, thread.now, now);
  }
  End(thread, node, now);
  // Where the thread is then: nothing was called anew.
  while (count > 0) {
    const KnownFunction* const function = Find(kept[--count]);
    CallNode* const child = MakeChild(thread.now, *function);
    if (child == nullptr) return;
    child->entered = now;
    thread.now = child;
  }
}

void CallTree::EndAll(ThreadCalls& thread) {
  const uint64_t now = record::Ticks();
  while (thread.now != nullptr && thread.now != thread.root) End(thread, thread.now, now);
  thread.uncounted = 0;
}

}  // namespace telltale::python
