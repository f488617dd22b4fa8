// SPDX-License-Identifier: Apache-2.0
#include "server/open_profile.h"

#include <algorithm>
#include <utility>

#include "views/captured.h"
#include "views/row_range.h"
#include "views/view.h"

namespace telltale {

namespace {

// Selections a person goes back and forth between.
constexpr size_t kKeptOthers = 3;
// What is derived for a selection.
constexpr size_t kKeptKeyed = 8;

}  // namespace

OpenProfile::OpenProfile(std::string id, const Subject& subject, unsigned threads)
    : id_(std::move(id)), threads_(threads) {
  AnalysisOptions options;
  options.threads = threads;
  // Without a rank there is nothing to fail.
  prepared_ = std::move(PrepareProfile(subject, options).value());
  loaded_bytes_ = subject.memory_bytes() + prepared_.memory_bytes();
  captured_ = CapturedIn(prepared_.contexts);
  views_ = FindViews();
  first_view_ = AreOfFunctions(subject) ? "functions" : "overview";
}

Result<std::shared_ptr<const PreparedProfile>> OpenProfile::Prepared(
    AnalysisOptions options, std::optional<int64_t> rank) const {
  options.threads = threads_;
  AnalysisOptions usual;
  usual.threads = threads_;
  if (options == usual && !rank) {
    // Lives as long as this.
    return std::shared_ptr<const PreparedProfile>(std::shared_ptr<void>(), &prepared_);
  }
  if (auto known = FindOther(options, rank)) return known;
  const std::lock_guard preparing(preparing_);
  if (auto known = FindOther(options, rank)) return known;
  Result<PreparedProfile> made = PrepareProfile(subject(), options, rank);
  if (!made) return tl::unexpected(made.error());
  auto prepared = std::make_shared<const PreparedProfile>(std::move(*made));
  const std::lock_guard lock(mutex_);
  others_.push_front({options, rank, prepared, prepared->memory_bytes()});
  if (others_.size() > kKeptOthers) others_.pop_back();
  return std::shared_ptr<const PreparedProfile>(prepared);
}

std::shared_ptr<const PreparedProfile> OpenProfile::FindOther(const AnalysisOptions& options,
                                                              std::optional<int64_t> rank) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(
      others_, [&](const Other& other) { return other.options == options && other.rank == rank; });
  if (at == others_.end()) return nullptr;
  others_.splice(others_.begin(), others_, at);
  return others_.front().prepared;
}

std::shared_ptr<OpenProfile::Slot> OpenProfile::SlotFor(std::type_index type,
                                                        std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(
      slots_, [&](const auto& slot) { return slot->type == type && slot->key == key; });
  if (at != slots_.end()) {
    slots_.splice(slots_.begin(), slots_, at);
    return slots_.front();
  }
  slots_.push_front(std::make_shared<Slot>(type, key));
  size_t keyed = 0;
  std::erase_if(slots_,
                [&](const auto& slot) { return !slot->key.empty() && ++keyed > kKeptKeyed; });
  return slots_.front();
}

size_t OpenProfile::memory_bytes() const {
  size_t bytes = loaded_bytes_ + answers_.bytes();
  const std::lock_guard lock(mutex_);
  for (const Other& other : others_) bytes += other.bytes;
  for (const std::shared_ptr<Slot>& slot : slots_) bytes += slot->bytes;
  return bytes;
}

std::vector<OfferedView> OpenProfile::FindViews() const {
  const ParamValues none;
  const health::Facts facts(prepared_.contexts, subject());
  const ViewInput input = {.subject = subject(),
                           .traces = prepared_.contexts,
                           .profile = prepared_.base,
                           .params = none,
                           .sort_field = std::nullopt,
                           .facts = facts};
  std::vector<OfferedView> views = OfferedViews(input, captured_);
  if (subject().Has<Trace>()) views.insert(views.begin(), {"overview", {}});
  return views;
}

}  // namespace telltale
