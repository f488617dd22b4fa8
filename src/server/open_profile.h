// SPDX-License-Identifier: Apache-2.0
// A profile in memory: the columns, what every request needs of them, and answers given before.
// Whoever holds it may read on whatever happens to the file. Any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "analysis/report.h"
#include "base/result.h"
#include "formats/load.h"
#include "report/build_profile.h"
#include "server/response_cache.h"

namespace telltale {

class OpenProfile {
 public:
  // Prepares what a request without options needs.
  OpenProfile(std::string id, Loaded loaded, unsigned threads);
  OpenProfile(const OpenProfile&) = delete;
  OpenProfile& operator=(const OpenProfile&) = delete;

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const Loaded& loaded() const { return loaded_; }
  // With default options.
  [[nodiscard]] const PreparedProfile& prepared() const { return prepared_; }
  [[nodiscard]] const std::vector<TraceContext>& contexts() const { return prepared_.contexts; }
  // With others; the last few are kept. `options.threads` is ignored.
  [[nodiscard]] Result<std::shared_ptr<const PreparedProfile>> Prepared(
      AnalysisOptions options, std::optional<int64_t> rank) const;

  [[nodiscard]] unsigned threads() const { return threads_; }
  [[nodiscard]] ResponseCache& answers() const { return answers_; }

  // A value derived from the profile, made on first use and kept with it: one for each type. Others
  // who ask for it meanwhile wait.
  template <typename T>
  [[nodiscard]] std::shared_ptr<const T> Derived(
      const std::function<std::shared_ptr<const T>(const OpenProfile&)>& make) const {
    Slot& slot = SlotFor(typeid(T));
    const std::lock_guard lock(slot.mutex);
    if (slot.value == nullptr) slot.value = make(*this);
    return std::static_pointer_cast<const T>(slot.value);
  }

  // Of columns and contexts; about, without the kept answers.
  [[nodiscard]] size_t memory_bytes() const { return memory_bytes_; }
  // Names of the views that this profile has.
  [[nodiscard]] const std::vector<std::string_view>& views() const { return views_; }

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const void> value;
  };
  struct Other {
    AnalysisOptions options;
    std::optional<int64_t> rank;
    std::shared_ptr<const PreparedProfile> prepared;
  };
  [[nodiscard]] Slot& SlotFor(std::type_index type) const;
  [[nodiscard]] std::shared_ptr<const PreparedProfile> FindOther(const AnalysisOptions& options,
                                                                 std::optional<int64_t> rank) const;
  [[nodiscard]] std::vector<std::string_view> FindViews() const;

  std::string id_;
  unsigned threads_;
  Loaded loaded_;
  PreparedProfile prepared_;
  size_t memory_bytes_ = 0;
  std::vector<std::string_view> views_;

  mutable ResponseCache answers_;
  mutable std::mutex preparing_;  // one at a time: whoever wants the same finds it then
  mutable std::mutex mutex_;      // of what follows
  mutable std::list<Other> others_;
  mutable std::map<std::type_index, Slot> slots_;
};

// About what the columns take.
[[nodiscard]] size_t MemoryOf(const Loaded& loaded);

}  // namespace telltale
