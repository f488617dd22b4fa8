// SPDX-License-Identifier: Apache-2.0
// A profile in memory: the columns, what every request needs of them, and answers given before.
// Whoever holds it may read on whatever happens to the file. Any number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "analysis/work/report.h"
#include "base/cancel.h"
#include "base/result.h"
#include "model/subject.h"
#include "server/response_cache.h"
#include "server/under_way.h"
#include "server/waiters.h"
#include "views/build_profile.h"
#include "views/offered.h"

namespace telltale {

class OpenProfile {
 public:
  // Prepares what a request without options needs.
  OpenProfile(std::string id, const Subject& subject, unsigned threads);
  OpenProfile(const OpenProfile&) = delete;
  OpenProfile& operator=(const OpenProfile&) = delete;

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const Subject& subject() const { return prepared_.subject; }
  // With default options.
  [[nodiscard]] const PreparedProfile& prepared() const { return prepared_; }
  [[nodiscard]] const std::vector<TraceContext>& contexts() const { return prepared_.contexts; }
  // With others; the last few are kept. `options.threads` is ignored.
  [[nodiscard]] Result<std::shared_ptr<const PreparedProfile>> Prepared(
      AnalysisOptions options, std::optional<int64_t> rank) const;

  [[nodiscard]] unsigned threads() const { return threads_; }
  [[nodiscard]] ResponseCache& answers() const { return answers_; }
  [[nodiscard]] UnderWay& under_way() const { return under_way_; }

  // A value derived from the profile, made on first use and kept with it: one for each type, or of
  // those with a key the last few. Others who ask for it meanwhile wait; when all of them have left
  // it ends with Canceled. T has memory_bytes().
  template <typename T>
  [[nodiscard]] std::shared_ptr<const T> Derived(
      const std::function<std::shared_ptr<const T>(const OpenProfile&)>& make,
      std::string_view key = {}) const {
    const std::shared_ptr<Slot> slot = SlotFor(typeid(T), key);
    const Waiters::Waiting waiting(slot->waiters);
    const std::lock_guard lock(slot->mutex);
    if (slot->value == nullptr) {
      const CancelScope wanted(&slot->waiters);
      const std::shared_ptr<const T> made = make(*this);
      slot->bytes = made->memory_bytes();
      slot->value = made;
    }
    return std::static_pointer_cast<const T>(slot->value);
  }

  // About what all of it takes now: columns, contexts, what was derived from them, kept answers.
  [[nodiscard]] size_t memory_bytes() const;
  // What its traces hold (views/captured.h).
  [[nodiscard]] const std::vector<std::string_view>& captured() const { return captured_; }
  // The views that this profile has, and why it has not the others.
  [[nodiscard]] const std::vector<OfferedView>& views() const { return views_; }
  // The view with its answer: what is shown where none is asked for.
  [[nodiscard]] std::string_view first_view() const { return first_view_; }

 private:
  struct Slot {
    Slot(std::type_index of, std::string_view with_key) : type(of), key(with_key) {}
    const std::type_index type;
    const std::string key;
    std::atomic<size_t> bytes = 0;
    Waiters waiters;
    std::mutex mutex;  // of the value, while it is made
    std::shared_ptr<const void> value;
  };
  struct Other {
    AnalysisOptions options;
    std::optional<int64_t> rank;
    std::shared_ptr<const PreparedProfile> prepared;
    size_t bytes = 0;
  };
  [[nodiscard]] std::shared_ptr<Slot> SlotFor(std::type_index type, std::string_view key) const;
  [[nodiscard]] std::shared_ptr<const PreparedProfile> FindOther(const AnalysisOptions& options,
                                                                 std::optional<int64_t> rank) const;
  [[nodiscard]] std::vector<OfferedView> FindViews() const;

  std::string id_;
  unsigned threads_;
  PreparedProfile prepared_;
  size_t loaded_bytes_ = 0;  // of columns and contexts
  std::vector<std::string_view> captured_;
  std::vector<OfferedView> views_;
  std::string_view first_view_;

  mutable ResponseCache answers_;
  mutable UnderWay under_way_;
  mutable std::mutex preparing_;  // one at a time: whoever wants the same finds it then
  mutable std::mutex mutex_;      // of what follows
  mutable std::list<Other> others_;
  mutable std::list<std::shared_ptr<Slot>> slots_;  // most recently used first
};

}  // namespace telltale
