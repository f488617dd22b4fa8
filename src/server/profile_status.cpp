// SPDX-License-Identifier: Apache-2.0
#include "server/profile_status.h"

#include <set>

#include "model/artifact.h"

namespace telltale {

namespace {

std::string_view KindOf(const Subject& subject) {
  std::set<ContentKind> kinds;
  for (const auto& artifact : subject.artifacts()) kinds.insert(artifact->kind());
  if (kinds.empty()) return {};
  return kinds.size() > 1 ? "mixed" : NameOf(*kinds.begin());
}

uint64_t EventsOf(const Subject& subject) {
  uint64_t events = 0;
  for (const auto& artifact : subject.artifacts()) events += artifact->source().events;
  return events;
}

}  // namespace

std::string_view NameOf(ProfileState state) {
  switch (state) {
    case ProfileState::kFound:
      return "found";
    case ProfileState::kLoading:
      return "loading";
    case ProfileState::kReady:
      return "ready";
    case ProfileState::kChanged:
      return "changed";
    case ProfileState::kFailed:
      return "failed";
    case ProfileState::kGone:
      break;
  }
  return "gone";
}

ProfileStatus::ProfileStatus(const CatalogueEntry& entry, const OpenProfile* open)
    : id(entry.found.id),
      name(entry.found.name),
      folder(entry.found.folder),
      growing(entry.growing),
      bytes(entry.bytes()),
      total_bytes(bytes),
      modified_ns(entry.modified_ns()) {
  std::set<int64_t> known_ranks;
  for (const FoundFile& file : entry.found.files) {
    paths.push_back(file.path);
    if (file.rank) known_ranks.insert(*file.rank);
  }
  if (entry.found.kind) kind = NameOf(*entry.found.kind);
  if (open != nullptr) {
    const Subject& subject = open->subject();
    kind = KindOf(subject);
    events = EventsOf(subject);
    captured = open->captured();
    views = open->views();
    first_view = open->first_view();
    if (subject.Has<Trace>()) known_ranks.clear();
    for (const Trace* trace : subject.Each<Trace>()) {
      if (trace->source.rank != kNoInt) known_ranks.insert(trace->source.rank);
    }
  }
  ranks.assign(known_ranks.begin(), known_ranks.end());
}

}  // namespace telltale
