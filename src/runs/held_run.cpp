// SPDX-License-Identifier: Apache-2.0
#include "runs/held_run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/utf8.h"
#include "formats/tfevents/hparams.h"
#include "io/byte_source.h"
#include "runs/column_cache.h"
#include "runs/csv_series.h"
#include "runs/process.h"

namespace telltale {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostSettings = size_t{4} << 20;  // bytes of a small file
constexpr size_t kMostTable = size_t{1} << 30;     // of a CSV file
// Read of one file between two looks at all of them; the rest comes with the next one.
constexpr size_t kMostNews = size_t{64} << 20;
constexpr size_t kFingerprintBytes = 256;

Result<std::string> ReadAt(const std::string& path, const FileGate& gate, uint64_t position,
                           size_t most) {
  Result<std::unique_ptr<ByteSource>> source = OpenSource(path, gate);
  if (!source) return tl::unexpected(source.error());
  if (const Result<void> skipped = (*source)->Skip(position); !skipped) {
    return tl::unexpected(skipped.error());
  }
  std::string bytes;
  std::string buffer(std::min<size_t>(most, size_t{1} << 18), '\0');
  while (bytes.size() < most) {
    const Result<size_t> read =
        (*source)->Read(buffer.data(), std::min(buffer.size(), most - bytes.size()));
    if (!read) return tl::unexpected(read.error());
    if (*read == 0) break;
    bytes.append(buffer, 0, *read);
  }
  return bytes;
}

}  // namespace

std::optional<int64_t> ToNanoseconds(double seconds) {
  constexpr double kMost = 9e9;  // beyond it 64 bits of nanoseconds end
  if (!(seconds > -kMost && seconds < kMost)) return std::nullopt;
  // Whole seconds and the rest apart: today's dates in ns have more digits than a double.
  const double whole = std::floor(seconds);
  return static_cast<int64_t>(whole) * 1'000'000'000 + std::llround((seconds - whole) * 1e9);
}

HeldFile::HeldFile(FoundPart part, ForeignRun foreign)
    : part_(std::move(part)), foreign_(std::make_unique<ForeignRun>(std::move(foreign))) {
  Summarize();
}

uint64_t HeldFile::position() const {
  if (events_ != nullptr) return events_->position();
  if (wandb_ != nullptr) return wandb_->position();
  return stamp_.bytes;
}

uint64_t HeldFile::Fingerprint::Hash() const {
  const std::string all = head + last;
  return XXH3_64bits(all.data(), all.size());
}

std::optional<HeldFile::Fingerprint> HeldFile::FingerprintAt(const FileGate& gate,
                                                             uint64_t position) const {
  const size_t most = std::min<uint64_t>(position, kFingerprintBytes);
  Result<std::string> head = ReadAt(part_.path, gate, 0, most);
  Result<std::string> last = ReadAt(part_.path, gate, position - most, most);
  if (!head || !last) return std::nullopt;
  return Fingerprint{std::move(*head), std::move(*last)};
}

void HeldFile::Load(const FileGate& gate, unsigned threads, const ColumnCache* cache) {
  const auto fail = [&](const Error& error) { problem_ = error.message; };
  stamp_ = StampOf(part_.path).value_or(FileStamp());
  switch (part_.reader) {
    case FoundPart::Reader::kEvents:
    case FoundPart::Reader::kWandb: {
      ReadOptions options;
      options.threads = threads;
      std::string real;         // of a file that the cache may hold
      uint64_t from_cache = 0;  // bytes that were not read again
      if (part_.reader == FoundPart::Reader::kEvents) {
        if (cache != nullptr && stamp_.bytes >= ColumnCache::kLeastBytes) {
          std::error_code ignored;
          real = fs::canonical(part_.path, ignored).string();
          std::optional<ColumnCache::Kept> kept = cache->Get(real);
          const std::optional<Fingerprint> here = kept && kept->stamp.inode == stamp_.inode &&
                                                          kept->stamp.device == stamp_.device &&
                                                          kept->position <= stamp_.bytes
                                                      ? FingerprintAt(gate, kept->position)
                                                      : std::nullopt;
          if (here && here->Hash() == kept->fingerprint) {
            from_cache = kept->position;
            events_ = std::make_unique<EventTail>(std::move(kept->series), kept->position, options);
          }
        }
        if (events_ == nullptr) events_ = std::make_unique<EventTail>(options);
      } else {
        wandb_ = std::make_unique<WandbLog>();
      }
      Result<std::unique_ptr<ByteSource>> source = OpenSource(part_.path, gate);
      if (!source) return fail(source.error());
      stamp_ = (*source)->stamp().value_or(stamp_);
      if (const Result<void> skipped = (*source)->Skip(position()); !skipped) {
        return fail(skipped.error());
      }
      const Result<void> read =
          events_ != nullptr ? events_->Read(**source) : wandb_->Read(**source);
      if (!read) fail(read.error());
      if (events_ != nullptr) events_->ShrinkToFit();
      fingerprint_ = FingerprintAt(gate, position()).value_or(Fingerprint());
      // A tenth more is worth writing it anew.
      if (!real.empty() && !problem_ && position() > from_cache + from_cache / 10) {
        cache->Put(real, events_->series(), position(), stamp_, fingerprint_.Hash());
      }
      break;
    }
    case FoundPart::Reader::kMetricsCsv:
    case FoundPart::Reader::kEpochCsv: {
      const Result<std::string> text = ReadSmallFile(part_.path, gate, kMostTable);
      if (!text) return fail(text.error());
      table_ = ReadCsvSeries(*text);
      break;
    }
    case FoundPart::Reader::kMlflowFolder: {
      // Before it is read: what is written meanwhile is news.
      folder_version_ = MlflowFolderVersion(part_.path);
      Result<ForeignRun> read = ReadMlflowFolder(part_.path, gate);
      if (!read) return fail(read.error());
      foreign_ = std::make_unique<ForeignRun>(std::move(*read));
      break;
    }
  }
  Summarize();
}

HeldFile::News HeldFile::Fetch(const FileGate& gate, unsigned threads) const {
  News news;
  const auto replaced = [&] {
    news.growth = Growth::kReplaced;
    news.anew = std::make_unique<HeldFile>(part_);
    news.anew->Load(gate, threads, nullptr);
    news.stamp = news.anew->stamp_;
  };
  if (folder_version_) {
    if (MlflowFolderVersion(part_.path) != *folder_version_) replaced();
    return news;
  }
  const std::optional<FileStamp> now = StampOf(part_.path);
  // What is gone is the next look's business; a run of a database is that of Scan.
  if (!now || (*now == stamp_ && now->bytes <= position())) return news;
  if (*now == stamp_ && problem_) return news;
  if (events_ == nullptr && wandb_ == nullptr) {
    replaced();
    return news;
  }
  news.stamp = *now;
  const bool is_same_file =
      now->inode == stamp_.inode && now->device == stamp_.device && now->bytes >= position();
  if (!is_same_file || FingerprintAt(gate, position()) != fingerprint_) {
    replaced();
    news.anew->was_replaced_ = true;
    return news;
  }
  // A rest that is no whole record yet stays as it was.
  if (*now == stamp_) return news;
  Result<std::string> bytes = ReadAt(part_.path, gate, position(), kMostNews);
  if (!bytes) return news;
  news.bytes = std::move(*bytes);
  news.growth = Growth::kAppended;
  return news;
}

void HeldFile::Take(News news) {
  if (news.growth == Growth::kReplaced) {
    FoundPart part = std::move(part_);
    *this = std::move(*news.anew);
    part_ = std::move(part);
    return;
  }
  const std::unique_ptr<ByteSource> source = OpenMemory(news.bytes);
  const uint64_t before = position();
  const Result<void> read = events_ != nullptr ? events_->Read(*source) : wandb_->Read(*source);
  if (!read) problem_ = read.error().message;
  stamp_ = news.stamp;
  const std::string_view taken = std::string_view(news.bytes).substr(0, position() - before);
  Fingerprint& print = fingerprint_;
  print.head += taken.substr(0, kFingerprintBytes - std::min(print.head.size(), kFingerprintBytes));
  print.last += taken.substr(taken.size() - std::min(taken.size(), kFingerprintBytes));
  if (print.last.size() > kFingerprintBytes) {
    print.last.erase(0, print.last.size() - kFingerprintBytes);
  }
  Summarize();
}

const SeriesSet& HeldFile::series() const {
  if (events_ != nullptr) return events_->series();
  if (wandb_ != nullptr) return wandb_->logged.series;
  if (foreign_ != nullptr) return foreign_->logged.series;
  return table_;
}

const std::vector<LoggedValue>* HeldFile::LoggedOf(uint32_t tag) const {
  const LoggedValues* const logged = wandb_ != nullptr     ? &wandb_->logged
                                     : foreign_ != nullptr ? &foreign_->logged
                                                           : nullptr;
  if (logged == nullptr) return nullptr;
  const auto at = logged->values.find(tag);
  return at == logged->values.end() ? nullptr : &at->second;
}

std::string HeldFile::media() const {
  if (foreign_ != nullptr) return foreign_->media;
  return (fs::path(part_.path).parent_path() / "files").string();
}

Diagnostics HeldFile::diagnostics() const {
  Diagnostics all = series().diagnostics;
  if (events_ != nullptr) all.Merge(events_->rest_diagnostics());
  if (problem_) all.AddWithDetail(DiagnosticKind::kDamagedData, std::nullopt, *problem_);
  if (was_replaced_) {
    all.AddWithDetail(DiagnosticKind::kGrowing, std::nullopt,
                      "the file was replaced by another one, which was read from its beginning");
  }
  return all;
}

void HeldFile::Summarize() {
  const SeriesSet& set = series();
  summaries_.resize(set.tags.size());
  for (size_t i = 0; i < set.tags.size(); ++i) {
    const ScalarColumn& points = set.tags[i].scalars;
    MetricSummary& summary = summaries_[i];
    if (summary.points > points.size()) summary = {};
    if (summary.points == points.size()) continue;
    if (summary.points == 0) summary.first_step = points[0].step;
    const auto see = [&](double value, int64_t step) {
      if (std::isnan(value)) return;
      if (!summary.min || value < *summary.min) {
        summary.min = value;
        summary.min_step = step;
      }
      if (!summary.max || value > *summary.max) {
        summary.max = value;
        summary.max_step = step;
      }
    };
    points.ForEachBlock(
        summary.points, points.size(),
        [&](const ScalarColumn::Block& block) {
          // Infinities count here, and a block says nothing of them.
          if (block.has_non_finite) return false;
          see(block.min, points.StepAt(block, block.min_at));
          see(block.max, points.StepAt(block, block.max_at));
          return true;
        },
        [&](size_t, const ScalarPoint& point) { see(point.value, point.step); });
    const ScalarPoint last = points.back();
    summary.points = points.size();
    summary.last = last.value;
    summary.last_step = last.step;
  }
}

HeldRun::Facts HeldRun::Look(const FileGate& gate) const {
  Facts now;
  std::vector<std::string> paths = found.settings;
  const bool has_document = (found.marks & kMarkRunJson) != 0;
  if (has_document) paths.push_back((fs::path(found.path) / "run.json").string());
  for (const std::string& path : paths) now.stamps.push_back(StampOf(path));
  if (!facts_.stamps.empty() && now.stamps == facts_.stamps) {
    // Only the process may have ended.
    now = facts_;
  } else {
    for (size_t i = 0; i < paths.size(); ++i) {
      const Result<std::string> text = ReadSmallFile(paths[i], gate, kMostSettings);
      if (!text) {
        if (now.stamps[i]) {
          now.diagnostics.AddWithDetail(DiagnosticKind::kMalformedMetadata, std::nullopt,
                                        text.error().message);
        }
      } else if (i < found.settings.size()) {
        MergeConfig(now.config, ReadSettings(paths[i], *text, now.diagnostics));
      } else {
        now.document = ReadRunRecord(*text, now.diagnostics);
      }
    }
  }
  if (now.document) now.status = StatusNow(*now.document);
  return now;
}

RunInfo HeldRun::Info() const {
  RunInfo info;
  info.name = RepairUtf8(found.name);
  info.path = RepairUtf8(found.path);
  info.kind = found.kind;
  info.config = facts_.config;
  info.diagnostics = facts_.diagnostics;
  for (const std::string& path : found.profiles) info.profiles.push_back(RepairUtf8(path));
  for (const auto& file : files) {
    info.files.push_back(RepairUtf8(file->part().path));
    info.diagnostics.Merge(file->diagnostics());
    if (const WandbLog* const log = file->wandb()) {
      info.id = log->id;
      if (!log->name.empty()) info.name = log->name;
      if (!log->project.empty()) info.experiment = log->project;
      if (!log->group.empty()) info.group = log->group;
      if (log->notes && !log->notes->empty()) info.note = log->notes;
      info.tags = log->tags;
      info.start_ns = log->start_ns;
      MergeConfig(info.config, FlattenConfig(log->config));
      if (log->exit_code) {
        info.status = *log->exit_code == 0 ? RunStatus::kCompleted : RunStatus::kFailed;
        info.end_ns = ToNanoseconds(log->logged.series.last_wall_time);
      }
    }
    if (const ForeignRun* const run = file->foreign()) {
      info.id = run->id;
      info.name = run->name;
      info.kind = run->kind;
      info.experiment = run->experiment;
      info.group = run->group;
      info.status = run->status;
      info.start_ns = run->start_ns;
      info.end_ns = run->end_ns;
      info.tags = run->tags;
      info.note = run->note;
      info.deleted = run->deleted;
      MergeConfig(info.config, run->config);
    }
  }
  if (facts_.document) {
    const RunHead& document = *facts_.document;
    info.id = document.id;
    info.experiment = document.experiment;
    info.group = document.group;
    info.note = document.note;
    info.tags = document.tags;
    if (document.start_ns != 0) info.start_ns = document.start_ns;
    info.end_ns = document.end_ns;
    info.status = facts_.status;
  }
  return info;
}

void ReadHparams(std::string_view plugin_content, HparamsInfo& info) {
  if (const auto start = tfevents::ReadHparamStart(plugin_content)) {
    for (const auto& [name, value] : start->hparams) {
      ConfigValue& added = info.config.emplace_back(name, ConfigValue()).second;
      std::visit([&](const auto& held) { added = held; }, value);
    }
    if (!start->group_name.empty()) info.group = start->group_name;
  }
  // torch writes that a run succeeded at the moment it writes its parameters, without a time: that
  // says nothing.
  const auto end = tfevents::ReadHparamEnd(plugin_content);
  if (!end || end->end_time_secs <= 0) return;
  if (end->status == 1) info.status = RunStatus::kCompleted;
  if (end->status == 2) info.status = RunStatus::kFailed;
}

}  // namespace telltale
