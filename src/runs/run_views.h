// SPDX-License-Identifier: Apache-2.0
// Runs as they are shown: what is folded together as one, with its series joined, and the list of
// all of them with what people say. Made from what is held (held_run.h); whoever owns that has the
// lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runs/fold.h"
#include "runs/held_run.h"
#include "runs/root.h"
#include "runs/run_list.h"
#include "runs/sidecar.h"

namespace telltale {

struct RunView {
  FoldedRun folded;
  std::string id;
  RunSeries series;
  std::vector<MetricSummary> metrics;
  HparamsInfo hparams;

  // From the files, as they are now.
  void Make(bool raw);

 private:
  void Add(const HeldRun& run, const std::string& tag_name, bool raw);
};

// The runs that are shown, and the list of them.
struct RunViews {
  std::map<std::string, std::shared_ptr<RunView>, std::less<>> by_id;
  std::shared_ptr<const RunList> list = std::make_shared<RunList>();
};

using NotesByKey = std::map<std::string, RunNotes, std::less<>>;

struct RunViewsInput {
  std::span<const HeldRun* const> held;
  std::span<const Root> roots;
  std::span<const NotesByKey> notes;  // by root
  uint64_t revision = 0;
};

// All anew.
[[nodiscard]] std::shared_ptr<const RunViews> MakeRunViews(const RunViewsInput& input, bool raw);
// Only the views of these runs; nothing but their points and facts changed.
[[nodiscard]] std::shared_ptr<const RunViews> RemakeRunViews(
    const RunViewsInput& input, const RunViews& before, const std::set<const HeldRun*>& touched,
    bool raw);

// The id of a run in the trash, of which only its notes are left.
[[nodiscard]] std::string TrashedRunId(const Root& root, std::string_view key,
                                       const RunNotes& notes);

}  // namespace telltale
