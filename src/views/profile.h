// SPDX-License-Identifier: Apache-2.0
// What `telltale profile` knows when all analyses are done and before anything is printed: the
// joined report, what is to say about each file, and what was found wrong. JSON, CSV and text are
// made from this alone, so tests can make one by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/causes/causes.h"
#include "analysis/core/options.h"
#include "analysis/roofline/roofline.h"
#include "analysis/work/report.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "health/recommendation.h"
#include "model/artifact.h"
#include "model/artifact_id.h"

namespace telltale {

struct FileFacts {
  ProfileSource source;
  ContentKind kind = ContentKind::kTrace;
  // Since 1970 where the trace knows: over host and device events; none if it has neither.
  std::optional<int64_t> start_ns;
  std::optional<int64_t> end_ns;
  // What the capture holds.
  bool has_host_events = false;
  bool has_device_events = false;
  bool has_shapes = false;
  bool has_stacks = false;
  bool has_memory = false;
  bool with_flops = false;  // recorded with with_flops=True
};

struct FileDiagnostic {
  Severity severity = Severity::kInfo;
  std::string kind;
  uint64_t count = 0;
  std::optional<uint64_t> first_offset;
  std::string message;
  std::optional<ArtifactId> file;  // none for a file that could not be read
};

struct Profile {
  std::vector<FileFacts> files;  // by ArtifactId
  std::vector<FileDiagnostic> diagnostics;
  ProfileReport report;
  CausesReport causes;
  std::optional<WorkBound> bound;               // of the kernels, where they are what a step is
  std::vector<Recommendation> recommendations;  // of the rules about causes and single ranks
  bool nothing_selected = false;                // --inside leaves no time of any trace
  // Of the report's grouping, which decides what columns make sense.
  OperatorGrouping operator_grouping = OperatorGrouping::kName;
  KernelGrouping kernel_grouping = KernelGrouping::kName;
};

[[nodiscard]] FileFacts FactsAbout(const Artifact& artifact);

// The reader's and the analyses' diagnostics of one file.
void AppendDiagnostics(const Diagnostics& reader, const Diagnostics& analyses, ArtifactId file,
                       std::vector<FileDiagnostic>& out);
// A file that could not be read at all, beside others that could.
[[nodiscard]] FileDiagnostic Unreadable(const Error& error);

// The files that are traces, in the order in which rows of the report number them.
[[nodiscard]] std::vector<const FileFacts*> TraceFiles(const Profile& profile);
// False: there are files of other kinds alone; the report is empty and means nothing.
[[nodiscard]] bool HasTraces(const Profile& profile);

// Ranks, where the files say so: ascending, each once.
[[nodiscard]] std::vector<int64_t> RanksOf(const Profile& profile);
// "rank 3", else the worker's name, else the file's name.
[[nodiscard]] std::string LabelOf(const FileFacts& file);

}  // namespace telltale
