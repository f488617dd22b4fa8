// SPDX-License-Identifier: Apache-2.0
#include "cli/convert_series.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "analysis/series/joined.h"
#include "base/json/text.h"
#include "cli/convert_target.h"
#include "formats/load.h"
#include "formats/tfevents/fields.h"
#include "formats/tfevents/reader.h"
#include "formats/tfevents/rewrite.h"
#include "io/byte_source.h"
#include "views/field_value.h"

namespace telltale {

namespace {

namespace fs = std::filesystem;

// The files of one folder, in the order of their names.
struct RunFiles {
  std::string name;
  std::vector<InputFile> files;
};

// Runs are named after their folders, below the one that all of them are in.
std::vector<RunFiles> GroupByFolder(std::span<const InputFile> inputs) {
  std::map<fs::path, std::vector<InputFile>> folders;
  for (const InputFile& input : inputs) {
    folders[fs::path(input.path).parent_path().lexically_normal()].push_back(input);
  }
  fs::path common = folders.begin()->first;
  for (const auto& [folder, files] : folders) {
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    fs::path shared;
    for (auto part = common.begin(); part != end; ++part) shared /= *part;
    common = shared;
  }
  std::vector<RunFiles> runs;
  for (auto& [folder, files] : folders) {
    std::ranges::sort(files, {}, &InputFile::path);
    const fs::path relative = folder.lexically_relative(common);
    runs.push_back({folders.size() == 1 ? folder.filename().string() : relative.generic_string(),
                    std::move(files)});
  }
  return runs;
}

// With as many digits as it takes to read the same number again.
std::string Number(double number, bool json) {
  if (number == 0 && std::signbit(number)) return "-0.0";  // -0 is an integer to many readers
  if (std::isfinite(number)) return fmt::format("{}", number);
  const std::string_view name = std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
  return json ? fmt::format("\"{}\"", name) : std::string(name);
}

std::string CsvText(std::string_view text) {
  std::string cell;
  AppendCsv(text, cell);
  return cell;
}

class SeriesText {
 public:
  SeriesText(const ConvertRequest& request, bool json, ByteSink& sink, ConvertReport& report)
      : request_(request), json_(json), sink_(sink), report_(report) {
    if (!json) sink.Write("run,tag,step,wall_time,value,hidden\n");
  }

  void Add(const std::string& run, const Subject& subject) {
    const std::vector<const SeriesSet*> files = subject.Each<SeriesSet>();
    std::vector<std::string> tags;  // in the order of their first value
    for (const SeriesSet* const file : files) {
      for (const SeriesTag& tag : file->tags) {
        report_.events_in += tag.size();
        if (tag.plugin == tfevents::plugin::kScalars) {
          if (std::ranges::find(tags, tag.tag) == tags.end()) tags.push_back(tag.tag);
        } else if (json_) {
          AddValues(run, *file, tag);
        } else {
          report_.lost["values that are no scalars (of " + tag.plugin + ")"] += tag.values.size();
        }
      }
    }
    for (const std::string& tag : tags) AddScalars(run, tag, JoinedScalars(files, tag));
  }

 private:
  [[nodiscard]] bool IsWanted(int64_t step) const {
    const AnalysisOptions& part = request_.analysis;
    return (!part.first_step || step >= *part.first_step) &&
           (!part.last_step || step <= *part.last_step);
  }

  void AddScalars(const std::string& run, const std::string& tag, const JoinedScalars& points) {
    const std::string begin = json_ ? fmt::format("{{\"run\":{},\"tag\":{},\"plugin\":\"scalars\",",
                                                  Quoted(run), Quoted(tag))
                                    : fmt::format("{},{},", CsvText(run), CsvText(tag));
    points.ForEach(0, points.size(), [&](size_t i, const ScalarPoint& point) {
      if (!IsWanted(point.step)) return;
      ++report_.events_out;
      const bool hidden = points.hidden(i);
      const std::string wall = Number(point.wall_time, json_);
      const std::string value = Number(point.value, json_);
      sink_.Write(
          json_ ? fmt::format("{}\"step\":{},\"wall_time\":{},\"value\":{},\"hidden\":{}}}\n",
                              begin, point.step, wall, value, hidden)
                : fmt::format("{}{},{},{},{}\n", begin, point.step, wall, value, hidden ? 1 : 0));
    });
  }

  // Where they lie: what they are is for who reads the file itself.
  void AddValues(const std::string& run, const SeriesSet& file, const SeriesTag& tag) {
    const std::string name = fs::path(file.source.path).filename().string();
    for (const StoredValue& value : tag.values) {
      if (!IsWanted(value.step)) continue;
      ++report_.events_out;
      sink_.Write(fmt::format(
          "{{\"run\":{},\"tag\":{},\"plugin\":{},\"step\":{},\"wall_time\":{},\"file\":{},"
          "\"offset\":{},\"bytes\":{}}}\n",
          Quoted(run), Quoted(tag.tag), Quoted(tag.plugin), value.step,
          Number(value.wall_time, true), Quoted(name), value.offset, value.bytes));
    }
  }

  const ConvertRequest& request_;
  bool json_;
  ByteSink& sink_;
  ConvertReport& report_;
};

Result<ConvertReport> Rewrite(const ConvertRequest& request, const RunFiles& run, ByteSink& sink) {
  tfevents::Rewriter rewriter(sink, {request.analysis.first_step, request.analysis.last_step});
  for (const InputFile& file : run.files) {
    Result<std::unique_ptr<ByteSource>> source = OpenSource(file.path, FileGate());
    if (!source) return tl::unexpected(source.error());
    if (const Result<void> added = rewriter.Add(**source); !added) {
      return tl::unexpected(added.error());
    }
  }
  ConvertReport report;
  report.events_in = rewriter.report().events_in;
  report.events_out = rewriter.report().events_out;
  if (rewriter.report().damaged > 0) report.lost["damaged records"] = rewriter.report().damaged;
  if (rewriter.report().lost_bytes > 0) {
    report.lost["bytes in no record"] = rewriter.report().lost_bytes;
  }
  return report;
}

}  // namespace

Result<bool> AreEventFiles(std::span<const InputFile> inputs) {
  const auto is_events = [](const InputFile& input) { return IsEventFileName(input.path); };
  const auto count = std::ranges::count_if(inputs, is_events);
  if (count == 0) return false;
  if (static_cast<size_t>(count) == inputs.size()) return true;
  const auto other = std::ranges::find_if_not(inputs, is_events);
  return Fail(
      ErrorCode::kUsage,
      fmt::format("event files and profiles cannot become one file; {} is none", other->path));
}

Result<ConvertReport> ConvertSeries(const ConvertRequest& request,
                                    std::span<const InputFile> inputs, ByteSink& sink) {
  const FormatWriter& target = *request.options.target;
  if (!target.series) {
    return Fail(ErrorCode::kUsage,
                fmt::format("event files can become csv, jsonl or tfevents, not {}", target.name));
  }
  if (request.options.redact || !request.ranks.empty()) {
    return Fail(ErrorCode::kUsage, "--redact and --ranks do not work for event files");
  }
  const std::vector<RunFiles> runs = GroupByFolder(inputs);
  if (target.name == "tfevents") {
    if (runs.size() > 1) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("these are {} runs ({}, {} …), and an event file holds one; name "
                              "the folder of one run",
                              runs.size(), runs[0].name, runs[1].name));
    }
    return Rewrite(request, runs.front(), sink);
  }
  ConvertReport report;
  SeriesText text(request, target.name == "jsonl", sink, report);
  // Run by run: what one holds need not be there with all others.
  for (const RunFiles& run : runs) {
    LoadOptions options;
    options.threads = request.threads;
    const Result<Subject> subject = LoadFiles(run.files, {}, options);
    if (!subject) {
      report.notes.push_back(subject.error().message);
      continue;
    }
    for (const Error& failure : subject->failures) report.notes.push_back(failure.message);
    for (const SeriesSet* const file : subject->Each<SeriesSet>()) {
      for (const Diagnostic& entry : file->diagnostics.entries()) {
        if (InfoOf(entry.kind).severity == Severity::kInfo) continue;
        report.lost[fmt::format("{} in {}", InfoOf(entry.kind).name, file->source.path)] +=
            entry.count;
      }
    }
    text.Add(run.name, *subject);
  }
  if (report.events_in == 0 && report.notes.size() == inputs.size() && !report.notes.empty()) {
    return Fail(ErrorCode::kUnreadable, report.notes.front());
  }
  return report;
}

}  // namespace telltale
