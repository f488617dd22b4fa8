// SPDX-License-Identifier: Apache-2.0
// A run of MLflow's file store. metrics/KEY has a line "timestamp value step" for each point, where
// a key may have slashes and so lie in folders; params/KEY and tags/KEY hold their value.
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/utf8.h"
#include "base/yaml.h"
#include "io/byte_source.h"
#include "io/folder_entries.h"
#include "runs/foreign/foreign_run.h"

namespace telltale {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostSmall = size_t{1} << 20;
constexpr size_t kMostMetric = size_t{1} << 30;
constexpr size_t kMostFiles = 100'000;

// Calls `use(name, path)` for each regular file below the folder, named by its path there.
void ForEachFile(const fs::path& top, const std::function<void(std::string, std::string)>& use) {
  std::vector<std::pair<fs::path, std::string>> folders = {{top, {}}};
  size_t seen = 0;
  constexpr size_t kDepth = 8;
  for (size_t i = 0; i < folders.size(); ++i) {
    const auto [folder, prefix] = folders[i];
    std::error_code error;
    FolderEntries entry(folder, error);
    while (!error && entry.Next(error) && ++seen < kMostFiles) {
      std::string name = prefix + std::string(entry.name());
      if (entry.is_link()) continue;
      if (entry.is_folder()) {
        if (static_cast<size_t>(std::ranges::count(name, '/')) < kDepth) {
          folders.emplace_back(entry.path(), name + "/");
        }
      } else if (entry.is_regular_file()) {
        use(std::move(name), entry.path().string());
      }
    }
  }
}

double NumberOf(std::string_view text) {
  const JsonValue value = YamlScalar(text);
  if (value.IsNumber()) return value.AsDouble();
  if (text == "Infinity") return INFINITY;
  if (text == "-Infinity") return -INFINITY;
  return std::nan("");
}

void ReadMetric(const std::string& key, std::string_view text, LoggedValues& logged) {
  uint64_t offset = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    // A line without its end is still being written.
    const bool whole = end < text.size();
    const size_t first = line.find(' ');
    const size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
    int64_t timestamp = 0, step = 0;
    std::string_view step_text = second == std::string_view::npos ? "0" : line.substr(second + 1);
    step_text = step_text.substr(0, step_text.find(' '));
    const auto number = [](std::string_view digits, int64_t& value) {
      const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      return done.ec == std::errc() && done.ptr == digits.data() + digits.size();
    };
    if (first != std::string_view::npos && number(line.substr(0, first), timestamp) &&
        number(step_text, step)) {
      const size_t length = second == std::string_view::npos ? second : second - first - 1;
      logged.Point(key, step, static_cast<double>(timestamp) / 1e3,
                   NumberOf(line.substr(first + 1, length)));
    } else if (whole && !line.empty()) {
      logged.series.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
    }
    offset += end + 1;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::optional<int64_t> TimeOf(const JsonValue& value) {
  constexpr int64_t kMsToNs = 1'000'000;
  if (!value.IsNumber() || value.AsInt() <= 0 || value.AsInt() > INT64_MAX / kMsToNs) {
    return std::nullopt;
  }
  return value.AsInt() * kMsToNs;
}

}  // namespace

uint64_t MlflowFolderVersion(const std::string& folder) {
  const fs::path top(folder);
  uint64_t version = 0;
  // The order in which a folder lists its files means nothing.
  const auto add = [&](const std::string& path) {
    const FileStamp stamp = StampOf(path).value_or(FileStamp());
    version += XXH3_64bits_withSeed(path.data(), path.size(),
                                    XXH3_64bits(static_cast<const void*>(&stamp), sizeof(stamp)));
  };
  add((top / "meta.yaml").string());
  add((top.parent_path() / "meta.yaml").string());
  for (const std::string_view part : {"params", "tags", "metrics"}) {
    ForEachFile(top / part, [&](const std::string&, const std::string& path) { add(path); });
  }
  return version;
}

Result<ForeignRun> ReadMlflowFolder(const std::string& folder, const FileGate& gate) {
  const fs::path top(folder);
  const Result<std::string> text = ReadSmallFile((top / "meta.yaml").string(), gate, kMostSmall);
  if (!text) return tl::unexpected(text.error());
  const YamlDocument meta = ParseYaml(*text);
  ForeignRun run;
  run.kind = RunKind::kMlflow;
  Diagnostics& diagnostics = run.logged.series.diagnostics;
  if (meta.bad_lines > 0) {
    diagnostics.Add(DiagnosticKind::kMalformedRecord, meta.first_bad_offset, meta.bad_lines);
  }
  run.id = meta.value["run_id"].AsString();
  if (run.id.empty()) run.id = RepairUtf8(top.filename().string());
  run.name = meta.value["run_name"].AsString();
  const JsonValue& status = meta.value["status"];
  run.status = MlflowStatus(status.IsString() ? status.AsString() : ToJsonText(status));
  run.start_ns = TimeOf(meta.value["start_time"]);
  run.end_ns = TimeOf(meta.value["end_time"]);
  run.deleted = meta.value["lifecycle_stage"].AsString() == "deleted";
  if (const Result<std::string> experiment =
          ReadSmallFile((top.parent_path() / "meta.yaml").string(), gate, kMostSmall)) {
    const YamlDocument of = ParseYaml(*experiment);
    if (of.value["name"].IsString()) run.experiment = of.value["name"].AsString();
  }
  const auto each = [&](std::string_view part, size_t most, const auto& use) {
    std::vector<std::pair<std::string, std::string>> files;
    ForEachFile(top / part, [&](std::string name, std::string path) {
      files.emplace_back(std::move(name), std::move(path));
    });
    std::ranges::sort(files);
    for (const auto& [name, path] : files) {
      const Result<std::string> content = ReadSmallFile(path, gate, most);
      if (content) {
        use(RepairUtf8(name), *content);
      } else {
        diagnostics.AddWithDetail(DiagnosticKind::kMalformedRecord, std::nullopt,
                                  content.error().message);
      }
    }
  };
  Config config;
  each("params", kMostSmall, [&](std::string name, const std::string& value) {
    config.emplace_back(std::move(name), ConfigFromText(RepairUtf8(value)));
  });
  MergeConfig(run.config, std::move(config));
  each("tags", kMostSmall,
       [&](const std::string& name, const std::string& value) { AddMlflowTag(run, name, value); });
  each("metrics", kMostMetric, [&](const std::string& name, const std::string& value) {
    ReadMetric(name, value, run.logged);
  });
  if (run.name.empty()) run.name = run.id;
  return run;
}

}  // namespace telltale
