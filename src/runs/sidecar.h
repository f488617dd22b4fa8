// SPDX-License-Identifier: Apache-2.0
// What people say about runs: names, tags, notes, colours, pins, hidden and deleted ones. A small
// SQLite database (WAL) beside the logs, `.telltale/runs.db`, never in other people's files; where
// the log folder cannot be written it is in the user's state folder. It is made by the first
// change. If it is lost, names, tags and notes are, and nothing else. Any number of threads and
// processes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace telltale {

// What is said of one run. None: nothing.
struct RunNotes {
  std::optional<std::string> name;
  std::optional<std::vector<std::string>> tags;
  std::optional<std::string> note;
  std::string color;
  bool pinned = false;
  bool hidden = false;
  bool deleted = false;
  // Of a deleted one whose files were moved: what it was, and where they are.
  std::string kind;
  std::string trash;  // folder below that of the sidecar
  std::string moved;  // the folder it had, or the files, one a line
  friend bool operator==(const RunNotes&, const RunNotes&) = default;
};

struct RunEdit {
  std::optional<std::string> name;  // empty: its own again
  std::optional<std::vector<std::string>> tags;
  std::vector<std::string> add_tags, remove_tags;
  std::optional<std::string> note;   // empty: none
  std::optional<std::string> color;  // "#1f77b4"; empty: none
  std::optional<bool> pinned, hidden, deleted;
};

class Sidecar {
 public:
  // Of the log folder `real`. Opens nothing yet.
  explicit Sidecar(std::string real);
  Sidecar(const Sidecar&) = delete;
  Sidecar& operator=(const Sidecar&) = delete;
  ~Sidecar();

  // By key: the run's path below the log folder, and for runs in a database its id there. Empty
  // where there is no sidecar. An Error if there is one and it cannot be read: it is as good as
  // lost.
  [[nodiscard]] Result<std::map<std::string, RunNotes, std::less<>>> Read();
  // All or nothing. Makes the sidecar where there is none.
  [[nodiscard]] Result<void> Write(const std::map<std::string, RunNotes, std::less<>>& changed);
  // Moves with every change, by whichever process: what tells whether Read would say something new.
  [[nodiscard]] uint64_t Version();

  // The folder in which it is, or would be made: for the cache and the trash, too.
  [[nodiscard]] std::string Folder() const;
  // Whether that is beside the logs.
  [[nodiscard]] bool beside_logs() const;

 private:
  struct Connection;
  [[nodiscard]] Result<Connection*> Open(bool make);

  const std::string real_;
  mutable std::mutex mutex_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace telltale
