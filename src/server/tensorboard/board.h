// SPDX-License-Identifier: Apache-2.0
// The runs below the log folders as TensorBoard's API sees them: every folder with event files is
// one, nothing is folded, hidden or renamed, and the series of its files are one behind the other
// in the order of file names. What is said of a run holds while it is looked at, no longer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_gate.h"
#include "model/series.h"
#include "runs/workspace.h"

namespace telltale {

// A value that lies on disk, with the file it lies in.
struct BoardValue {
  std::string path;
  StoredValue stored;
};

// A series of a run: a tag over all files that have it.
class BoardSeries {
 public:
  struct Part {
    std::string path;
    const SeriesSet* set = nullptr;
    const SeriesTag* tag = nullptr;  // null: this file has none, but may have restarts
  };

  // What the first value said counts.
  [[nodiscard]] const SeriesTag& first() const { return *first_; }
  [[nodiscard]] std::string_view tag() const { return first_->tag; }
  [[nodiscard]] std::string_view plugin() const { return first_->plugin; }

  // All points, in the order written. With `purge`, those are left out that the writer declared
  // void: from the second SessionLog START of a run on, what came before it with that step or a
  // later one.
  void ForEachPoint(bool purge, const std::function<void(const ScalarPoint&)>& use) const;
  [[nodiscard]] std::vector<BoardValue> Values(bool purge) const;
  [[nodiscard]] std::optional<ScalarPoint> LastPoint(bool purge) const;

 private:
  friend class BoardRun;
  const SeriesTag* first_ = nullptr;
  std::vector<Part> parts_;
};

// The tags are those of event files; what other tools logged is no business of this API.
class BoardRun {
 public:
  BoardRun(std::string name, std::string folder, const RunSeries& series);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  // Wall time of the first event.
  [[nodiscard]] std::optional<double> start() const;

  // In the order of their first value; those of a plugin, or all for an empty name.
  [[nodiscard]] std::vector<BoardSeries> Series(std::string_view plugin) const;
  // nullopt: the run has no such series.
  [[nodiscard]] std::optional<BoardSeries> Find(std::string_view tag,
                                                std::string_view plugin) const;

 private:
  struct File {
    std::string path;
    const SeriesSet* set = nullptr;
  };
  std::string name_;
  std::string folder_;
  std::vector<File> files_;  // that have series, in the order of names
  std::optional<double> first_wall_time_;
};

class Board {
 public:
  struct Run {
    std::string id;
    std::string name;
    std::string folder;
  };

  explicit Board(const Workspace& workspace) : workspace_(workspace) {}

  // By start, then name; one without a start comes last.
  [[nodiscard]] std::vector<Run> Runs() const;
  // In that order. One that goes meanwhile is left out.
  void ForEachRun(const std::function<void(const BoardRun&)>& use) const;
  // False: there is no such run.
  bool WithRun(std::string_view name, const std::function<void(const BoardRun&)>& use) const;
  [[nodiscard]] const FileGate& gate() const { return workspace_.gate(); }

 private:
  bool With(const Run& run, const std::function<void(const BoardRun&)>& use) const;

  const Workspace& workspace_;
};

}  // namespace telltale
