// SPDX-License-Identifier: Apache-2.0
// What people say of runs, and the trash.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runs/held_run.h"
#include "runs/run_views.h"
#include "runs/trash.h"
#include "runs/workspace.h"

namespace telltale {

Result<size_t> Workspace::Edit(std::span<const std::string> ids, const RunEdit& edit) {
  const std::scoped_lock editing(editing_);
  struct Target {
    size_t root = 0;
    std::string key;
    const HeldRun* run = nullptr;  // none: in the trash
    std::shared_ptr<const ListedRun> listed;
    std::vector<std::string> parts;  // folders of folded parts
  };
  std::vector<Target> targets;
  std::vector<std::map<std::string, RunNotes, std::less<>>> notes;
  {
    const std::shared_lock lock(mutex_);
    notes = notes_;
    for (const std::string& id : ids) {
      Target target;
      for (const auto& run : folded_->list->runs) {
        if (run->info.id == id) target.listed = run;
      }
      if (target.listed == nullptr) {
        return Fail(ErrorCode::kUsage, fmt::format("there is no run with the id '{}'", id));
      }
      if (const auto at = folded_->by_id.find(id); at != folded_->by_id.end()) {
        target.run = at->second->folded.run;
        target.root = target.run->found.root;
        target.key = target.run->relative;
      } else {
        for (size_t i = 0; i < notes_.size(); ++i) {
          for (const auto& [key, note] : notes_[i]) {
            if (note.deleted && !note.trash.empty() &&
                TrashedRunId(options_.roots[i], key, note) == id) {
              target.root = i;
              target.key = key;
            }
          }
        }
      }
      targets.push_back(std::move(target));
    }
  }
  if (edit.deleted.value_or(false)) {
    for (const Target& target : targets) {
      if (target.listed->info.status == RunStatus::kRunning) {
        return Fail(ErrorCode::kUsage, fmt::format("{} is running: stop it before it is removed",
                                                   target.listed->info.name));
      }
    }
  }
  std::vector<std::map<std::string, RunNotes, std::less<>>> changed(sidecars_.size());
  size_t count = 0;
  bool moved_files = false;
  for (const Target& target : targets) {
    RunNotes note;
    if (const auto at = notes[target.root].find(target.key); at != notes[target.root].end()) {
      note = at->second;
    }
    const RunNotes before = note;
    if (edit.name) {
      note.name = edit.name->empty() ? std::nullopt : edit.name;
    }
    std::vector<std::string> tags = target.listed->info.tags;
    if (edit.tags) tags = *edit.tags;
    for (const std::string& tag : edit.add_tags) {
      if (std::ranges::find(tags, tag) == tags.end()) tags.push_back(tag);
    }
    std::erase_if(tags, [&](const std::string& tag) {
      return std::ranges::find(edit.remove_tags, tag) != edit.remove_tags.end();
    });
    if (tags != target.listed->info.tags) note.tags = tags;
    if (edit.note && *edit.note != target.listed->info.note.value_or("")) note.note = edit.note;
    if (edit.color) note.color = *edit.color;
    if (edit.pinned) note.pinned = *edit.pinned;
    if (edit.hidden) note.hidden = *edit.hidden;
    if (edit.deleted && *edit.deleted != target.listed->info.deleted) {
      note.deleted = *edit.deleted;
      const Trash trash(*sidecars_[target.root], options_.roots[target.root]);
      if (*edit.deleted && target.run != nullptr) {
        note.kind = NameOf(target.listed->info.kind);
        if (!note.name && target.listed->info.name != target.key)
          note.name = target.listed->info.name;
        std::vector<std::string> others;
        {
          const std::shared_lock lock(mutex_);
          for (const auto& [id, view] : folded_->by_id) {
            if (view->folded.run != target.run) others.push_back(view->folded.run->found.path);
          }
        }
        const Result<Trashed> moved = trash.Put(target.run->found, others, target.listed->info.id);
        if (!moved) return tl::unexpected(moved.error());
        note.trash = moved->folder;
        note.moved = moved->moved;
        moved_files = moved_files || !moved->folder.empty();
      } else if (!*edit.deleted && !note.trash.empty()) {
        if (const Result<void> back = trash.Restore(target.key, {note.trash, note.moved}); !back) {
          return tl::unexpected(back.error());
        }
        note.trash.clear();
        note.moved.clear();
        note.kind.clear();
        if (note.name == target.key) note.name.reset();
        moved_files = true;
      }
    }
    if (note == before) continue;
    ++count;
    changed[target.root][target.key] = note;
    notes[target.root][target.key] = note;
  }
  for (size_t i = 0; i < changed.size(); ++i) {
    if (changed[i].empty()) continue;
    if (const Result<void> written = sidecars_[i]->Write(changed[i]); !written) {
      return tl::unexpected(written.error());
    }
  }
  WorkspaceChange told;
  {
    const std::unique_lock lock(mutex_);
    ReadNotes();
    if (moved_files) {
      // Those in the trash are gone at once, whenever the next look comes.
      for (const Target& target : targets) {
        if (target.run != nullptr && edit.deleted.value_or(false)) held_.erase(target.run->key);
      }
    }
    told = Publish(nullptr);
  }
  Tell(told);
  return count;
}

}  // namespace telltale
