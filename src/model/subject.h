// SPDX-License-Identifier: Apache-2.0
// What is looked at: a named set of artifacts, with what could not be read beside them. Copies are
// cheap, and share the artifacts.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/artifact.h"
#include "model/artifact_id.h"

namespace telltale {

class Subject {
 public:
  std::string name;                // as its user calls it
  std::vector<Error> failures;     // files of several that could not be read at all
  std::vector<std::string> notes;  // about what was not asked for, for people

  // Behind those of its kind; kinds follow each other in the order of ContentKind. Traces are the
  // first of them: the number of a trace in a span of traces, `file` of the rows of analyses, is
  // its id, too.
  void Add(Artifact artifact) {
    const auto at = std::ranges::upper_bound(artifacts_, artifact.kind(), {},
                                             [](const auto& a) { return a->kind(); });
    artifacts_.insert(at, std::make_shared<Artifact>(std::move(artifact)));
  }
  // Out of this subject, which must be the only one that has it.
  [[nodiscard]] Artifact Take(ArtifactId id) {
    const auto at = artifacts_.begin() + static_cast<std::ptrdiff_t>(IndexOf(id));
    assert(at->use_count() == 1);
    // Add made it, and not const.
    Artifact taken = std::move(*std::const_pointer_cast<Artifact>(*at));
    artifacts_.erase(at);
    return taken;
  }

  // By id.
  [[nodiscard]] const std::vector<std::shared_ptr<const Artifact>>& artifacts() const {
    return artifacts_;
  }
  [[nodiscard]] bool empty() const { return artifacts_.empty(); }

  // What all artifacts of a kind hold, by id.
  template <typename T>
  [[nodiscard]] std::vector<const T*> Each() const {
    std::vector<const T*> all;
    for (const auto& artifact : artifacts_) {
      if (const T* const held = artifact->template As<T>()) all.push_back(held);
    }
    return all;
  }
  template <typename T>
  [[nodiscard]] std::vector<ArtifactId> IdsOf() const {
    std::vector<ArtifactId> ids;
    for (size_t i = 0; i < artifacts_.size(); ++i) {
      if (artifacts_[i]->template As<T>() != nullptr) ids.push_back(ArtifactId(i));
    }
    return ids;
  }
  template <typename T>
  [[nodiscard]] bool Has() const {
    return std::ranges::any_of(artifacts_,
                               [](const auto& a) { return a->template As<T>() != nullptr; });
  }

  // The same without the artifacts for which `keep` is false.
  template <typename Keep>
  [[nodiscard]] Subject Only(const Keep& keep) const {
    Subject some = *this;
    std::erase_if(some.artifacts_, [&](const auto& artifact) { return !keep(*artifact); });
    return some;
  }

  [[nodiscard]] size_t memory_bytes() const {
    size_t bytes = 0;
    for (const auto& artifact : artifacts_) bytes += artifact->memory_bytes();
    return bytes;
  }

 private:
  std::vector<std::shared_ptr<const Artifact>> artifacts_;
};

}  // namespace telltale
