// SPDX-License-Identifier: Apache-2.0
// A run as it lies on disk, in memory: the series of each of its files, followed while they grow,
// with a summary of every scalar tag, and what small files beside them say. Whoever owns it has the
// lock (workspace.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/file_stamp.h"
#include "formats/tfevents/reader.h"
#include "formats/wandb/reader.h"
#include "io/file_gate.h"
#include "model/run.h"
#include "model/series.h"
#include "runs/find_runs.h"
#include "runs/foreign/foreign_run.h"
#include "runs/run_list.h"
#include "runs/run_record.h"
#include "runs/run_settings.h"

namespace telltale {

class ColumnCache;

// Seconds since 1970 as nanoseconds; nothing where they make no sense.
[[nodiscard]] std::optional<int64_t> ToNanoseconds(double seconds);

class HeldFile {
 public:
  explicit HeldFile(FoundPart part) : part_(std::move(part)) {}
  // A run of a database, read already.
  HeldFile(FoundPart part, ForeignRun foreign);

  [[nodiscard]] const FoundPart& part() const { return part_; }
  // As found by a later look: the prefix may be another one.
  void set_part(FoundPart part) { part_ = std::move(part); }
  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }
  [[nodiscard]] uint64_t position() const;

  // Reads the whole file, as far as the cache does not have it. Never fails: what is wrong is in
  // the diagnostics.
  void Load(const FileGate& gate, unsigned threads, const ColumnCache* cache);

  // What was appended since. Three steps, so that nobody waits for a disk: looking and fetching
  // need no lock that readers want, taking does.
  enum class Growth : uint8_t { kNone, kAppended, kReplaced };
  struct News {
    Growth growth = Growth::kNone;
    FileStamp stamp;
    std::string bytes;
    std::unique_ptr<HeldFile> anew;  // of a file that was replaced, or is always read whole
  };
  [[nodiscard]] News Fetch(const FileGate& gate, unsigned threads) const;
  void Take(News news);

  // The series; nullptr: the file could not be read.
  [[nodiscard]] const SeriesSet& series() const;
  [[nodiscard]] const std::vector<LoggedValue>* LoggedOf(uint32_t tag) const;
  [[nodiscard]] std::string media() const;
  [[nodiscard]] const WandbLog* wandb() const { return wandb_.get(); }
  [[nodiscard]] const ForeignRun* foreign() const { return foreign_.get(); }
  // Whether Fetch sees what is new: a run of a database is read with all others of it.
  [[nodiscard]] bool can_be_followed() const { return foreign_ == nullptr || folder_version_; }
  // By the number of the tag; of tags without scalars without meaning.
  [[nodiscard]] const std::vector<MetricSummary>& summaries() const { return summaries_; }
  [[nodiscard]] Diagnostics diagnostics() const;

 private:
  // The first and the last bytes before a position: equal as long as the file is the same one.
  struct Fingerprint {
    std::string head;
    std::string last;
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
    [[nodiscard]] uint64_t Hash() const;
  };
  void Summarize();
  [[nodiscard]] std::optional<Fingerprint> FingerprintAt(const FileGate& gate,
                                                         uint64_t position) const;

  FoundPart part_;
  FileStamp stamp_;
  Fingerprint fingerprint_;  // at position()
  // One of these, by the reader.
  std::unique_ptr<EventTail> events_;
  std::unique_ptr<WandbLog> wandb_;
  std::unique_ptr<ForeignRun> foreign_;
  SeriesSet table_;
  std::optional<std::string> problem_;
  std::optional<uint64_t> folder_version_;  // of a run that is a folder
  bool was_replaced_ = false;
  std::vector<MetricSummary> summaries_;
  friend class ColumnCache;
};

class HeldRun {
 public:
  HeldRun(std::string run_key, FoundRun run) : key(std::move(run_key)), found(std::move(run)) {}

  std::string key;       // of the root and the sidecar
  std::string relative;  // key of the sidecar
  FoundRun found;
  std::vector<std::unique_ptr<HeldFile>> files;

  // Reads the small files again where they changed, and looks whether its process is alive. True:
  // something is different. Needs no lock but for `Adopt`.
  struct Facts {
    Config config;
    std::optional<RunHead> document;  // run.json
    Diagnostics diagnostics;
    std::vector<std::optional<FileStamp>> stamps;
    std::optional<RunStatus> status;
    friend bool operator==(const Facts& a, const Facts& b) {
      return a.stamps == b.stamps && a.status == b.status;
    }
  };
  [[nodiscard]] Facts Look(const FileGate& gate) const;
  void Adopt(Facts facts) { facts_ = std::move(facts); }
  [[nodiscard]] const Facts& facts() const { return facts_; }

  // What the files say of it, without what people added. The id is that of the file, or empty.
  [[nodiscard]] RunInfo Info() const;

 private:
  Facts facts_;
};

// What the tags of the plugin hparams say of a run.
struct HparamsInfo {
  Config config;
  std::optional<std::string> group;
  std::optional<RunStatus> status;  // only of an end that says when it was
};
void ReadHparams(std::string_view plugin_content, HparamsInfo& info);

}  // namespace telltale
