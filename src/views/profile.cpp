// SPDX-License-Identifier: Apache-2.0
#include "views/profile.h"

#include <algorithm>

namespace telltale {

namespace {

void Describe(const Trace& trace, FileFacts& facts) {
  const SpanTable& spans = trace.spans;
  int64_t start = INT64_MAX;
  int64_t end = INT64_MIN;
  for (size_t row = 0; row < spans.size(); ++row) {
    const Category category = spans.category[row];
    const bool host = IsHost(category);
    const bool device = IsDevice(category);
    if (category == Category::kUnmatched) continue;
    facts.has_host_events |= host;
    facts.has_device_events |= device;
    start = std::min(start, spans.start_ns[row]);
    end = std::max(end, spans.end_ns(row));
  }
  if (start <= end) {
    facts.start_ns = trace.base_time_ns + start;
    facts.end_ns = trace.base_time_ns + end;
  }
  for (const OperatorDetail& detail : trace.operator_details) {
    facts.has_shapes |= detail.input_dims != kNoString;
    facts.has_stacks |= detail.call_stack != kNoString;
    if (facts.has_shapes && facts.has_stacks) break;
  }
  facts.has_stacks |= !trace.python_details.empty();
  facts.has_memory = trace.memory.size() > 0 || trace.Metadata("profile_memory") == "1";
  facts.with_flops = trace.Metadata("with_flops") == "1";
}

void Describe(const FunctionProfile& functions, FileFacts& facts) {
  if (functions.start_ns != kNoInt) facts.start_ns = functions.start_ns;
}

void Describe(const MemoryProfile& memory, FileFacts& facts) {
  facts.has_memory = true;
  for (const int64_t time_ns : memory.actions.time_ns) {
    if (time_ns == kNoInt) continue;
    facts.start_ns = std::min(facts.start_ns.value_or(time_ns), time_ns);
    facts.end_ns = std::max(facts.end_ns.value_or(time_ns), time_ns);
  }
}

// Seconds since 1970 as nanoseconds; nothing where they make no sense.
std::optional<int64_t> ToNanoseconds(double seconds) {
  constexpr double kMost = 9e9;  // beyond it 64 bits of nanoseconds end
  if (!(seconds > -kMost && seconds < kMost)) return std::nullopt;
  return static_cast<int64_t>(seconds * 1e9);
}

void Describe(const SeriesSet& series, FileFacts& facts) {
  if (!series.first_wall_time) return;
  facts.start_ns = ToNanoseconds(*series.first_wall_time);
  facts.end_ns = ToNanoseconds(series.last_wall_time);
}

bool IsTrace(const FileFacts& file) { return file.kind == ContentKind::kTrace; }

}  // namespace

FileFacts FactsAbout(const Artifact& artifact) {
  FileFacts facts;
  facts.source = artifact.source();
  facts.kind = artifact.kind();
  artifact.Visit([&](const auto& held) { Describe(held, facts); });
  return facts;
}

void AppendDiagnostics(const Diagnostics& reader, const Diagnostics& analyses, ArtifactId file,
                       std::vector<FileDiagnostic>& out) {
  Diagnostics all;
  all.Merge(reader);
  all.Merge(analyses);
  for (const Diagnostic& entry : all.entries()) {
    const DiagnosticInfo& info = InfoOf(entry.kind);
    out.push_back({info.severity, std::string(info.name), entry.count, entry.first_offset,
                   entry.detail.empty() ? std::string(info.message) : entry.detail, file});
  }
}

FileDiagnostic Unreadable(const Error& error) {
  return {Severity::kError, "unreadable", 1, error.offset, error.message, std::nullopt};
}

std::vector<const FileFacts*> TraceFiles(const Profile& profile) {
  std::vector<const FileFacts*> traces;
  for (const FileFacts& file : profile.files) {
    if (IsTrace(file)) traces.push_back(&file);
  }
  return traces;
}

bool HasTraces(const Profile& profile) {
  return profile.files.empty() || std::ranges::any_of(profile.files, IsTrace);
}

std::vector<int64_t> RanksOf(const Profile& profile) {
  std::vector<int64_t> ranks;
  for (const FileFacts& file : profile.files) {
    if (file.source.rank != kNoInt) ranks.push_back(file.source.rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::string LabelOf(const FileFacts& file) { return LabelOf(file.source); }

}  // namespace telltale
