// SPDX-License-Identifier: Apache-2.0
// Every call of a process, summed up by call path, in a file that is shared memory
// (record/call_layout.h): who is called where, how often, how long. Knows nothing of Python: a
// function is a key, and whoever calls this says what it is when it is seen first. One lock of the
// caller's (Python's) guards all of it. A call that has been seen before costs two time stamps and
// two cache lines.
#pragma once

#include <cstdint>
#include <string_view>

#include "record/call_layout.h"
#include "record/clock.h"

namespace telltale::python {

using record::CallFunction;
using record::CallKind;
using record::CallNode;

// What is known of a key.
struct KnownFunction {
  uint64_t key;
  CallFunction* entry;  // null: it is left out, as if its callers called what it calls
  uint32_t number;
};

struct FunctionFacts {
  CallKind kind = CallKind::kFunction;
  int32_t line = 0;
  std::string_view file;
  std::string_view name;
};

// The calls that a thread is in. Its own thread touches it, under the lock.
struct ThreadCalls {
  CallNode* now = nullptr;   // the innermost
  CallNode* root = nullptr;  // of the thread
  uint64_t uncounted = 0;    // calls open below `now` for which there was no room
  uint64_t is_busy = 0;      // in here, so that what this calls is no call of the program's
  bool is_out = false;       // another profiler has the thread
  bool in_use = false;       // the thread has not ended
  ThreadCalls* next = nullptr;

  [[nodiscard]] bool is_usual() const { return (uncounted | is_busy) == 0; }
};

class CallTree {
 public:
  // False: there is no run, or no room.
  bool Open();
  [[nodiscard]] bool is_open() const { return header_ != nullptr; }
  // All calls end now, and nothing follows.
  void Close();
  // In a child of fork(): the file is the parent's.
  void Forget();

  // Null: never seen.
  [[nodiscard]] KnownFunction* Find(uint64_t key) const;
  // Says what a key is; `facts` null: it is to be left out. Null: no room.
  KnownFunction* Add(uint64_t key, const FunctionFacts* facts);
  [[nodiscard]] CallNode* AddThread(std::string_view name);

  // The child that is called; null: it was never called there.
  [[nodiscard]] CallNode* Child(CallNode* node, uint64_t key) const {
    CallNode* const last = node->last;
    if (last != nullptr) {
      if (last->key == key) return last;
      CallNode* const behind = last->behind;
      if (behind != nullptr && behind->key == key) {
        node->last = behind;
        return behind;
      }
    }
    return ChildByIndex(node, key);
  }
  // Made on first use; null: no room.
  CallNode* MakeChild(CallNode* node, const KnownFunction& function);

  static void Begin(ThreadCalls& thread, CallNode* node) {
    ++node->calls;
    thread.now = node;
    node->entered = record::Ticks();
  }
  void End(ThreadCalls& thread, CallNode* node, uint64_t now) const {
    node->ticks += now - node->entered;
    node->entered = 0;
    thread.now = node->above;
    header_->last_ticks = now;
  }
  // A call for which there is no room.
  void BeginUncounted(ThreadCalls& thread, const KnownFunction& function) const;
  // A node that is not the innermost ends. What is open below it: calls end, too, unless the node
  // is an action; actions go on, as if they had begun where the thread is then.
  void EndAmong(ThreadCalls& thread, CallNode* node, uint64_t now);
  void EndAll(ThreadCalls& thread);

 private:
  [[nodiscard]] CallNode* ChildByIndex(CallNode* node, uint64_t key) const;
  CallNode* NewNode(CallNode* above, const KnownFunction& function);
  char* NewExtent(record::CallExtent kind);
  bool GrowNodes();
  bool GrowFunctions();
  void MeasureRate();

  record::CallHeader* header_ = nullptr;
  int file_ = -1;
  CallNode* next_node_ = nullptr;
  CallNode* nodes_end_ = nullptr;
  char* next_function_ = nullptr;
  char* functions_end_ = nullptr;
  CallNode* first_of_extent_[record::kMostCallExtents] = {};
  // Open addressing, by key and (of nodes) the node above; never more than half full.
  CallNode** nodes_ = nullptr;
  uint64_t node_mask_ = 0;
  KnownFunction* functions_ = nullptr;
  uint64_t function_mask_ = 0;
  uint64_t known_ = 0;
  uint32_t threads_ = 0;
};

}  // namespace telltale::python
