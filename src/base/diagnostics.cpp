// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.h"

#include <algorithm>
#include <array>
#include <utility>

namespace telltale {

namespace {

using enum Severity;

constexpr std::array<DiagnosticInfo, static_cast<size_t>(DiagnosticKind::kCount)> kKinds = {{
    {"truncated", kError,
     "the file ends in the middle of the document; everything before that was read"},
    {"trailing_comma", kInfo, "a comma before a closing bracket was ignored"},
    {"missing_comma", kError,
     "the comma between two values is missing; both were read, but what stood between them may be "
     "lost, and other programs refuse the file"},
    {"unescaped_quote", kInfo, "a quotation mark inside a string was not escaped; it was repaired"},
    {"control_character", kInfo, "a raw control character inside a string was kept"},
    {"invalid_utf8", kInfo, "bytes that are not UTF-8 were replaced by U+FFFD"},
    {"invalid_escape", kInfo, "an escape sequence that JSON does not know was kept as it stands"},
    {"bare_word", kInfo,
     "a bare word such as N/A or NaN stands where a value belongs; taken as missing"},
    {"malformed_event", kError,
     "the text of an event could not be understood; the event was skipped"},
    {"oversized_value", kLoss, "one value is larger than 64 MiB; it was skipped"},
    {"trailing_data", kInfo,
     "there are bytes after the end of the document; they were ignored, but other programs may "
     "refuse the file"},
    {"second_document", kLoss,
     "another document begins after the end of the first one; it was not read: it needs a file of "
     "its own"},
    {"skipped_text", kError, "text between events could not be understood; it was skipped"},
    {"zero_bytes", kError,
     "bytes of the document are 0: that part was never written, or was wiped, and what it held is "
     "missing"},
    {"corrupt_compression", kError,
     "the compressed stream is damaged here; everything before that was read"},
    {"malformed_metadata", kError, "a top-level value could not be understood; it was skipped"},
    {"missing_time", kLoss, "an event has no usable ts; it was skipped"},
    {"missing_duration", kInfo, "a complete event has no usable dur; it was taken as 0"},
    {"negative_duration", kInfo, "a duration is negative; it was taken as 0"},
    {"number_out_of_range", kInfo, "a number does not fit in 64 bits; taken as missing"},
    {"unmatched_begin", kLoss, "a B event has no E event; it was left out"},
    {"unmatched_end", kLoss, "an E event has no B event; it was left out"},
    {"unknown_phase", kInfo, "an event has a phase (ph) without meaning here; it was left out"},
    {"missing_name", kInfo, "an event has no name"},
    {"not_an_object", kLoss, "an element of the event list is no object; it was skipped"},
    {"partial_overlap", kInfo,
     "events on one thread overlap without one containing the other; each was kept under the "
     "innermost event that contains it whole"},
    {"launch_missing", kInfo,
     "device events whose launching call is not in the trace belong to no operator"},
    {"incomplete_step", kInfo,
     "the last step lacks device work that was still running when recording ended; averages leave "
     "it out"},
    {"no_steps", kInfo,
     "no ProfilerStep#N in the trace, so the whole trace counts as one step; prof.step() in a "
     "training loop marks steps, and --step-annotation takes another annotation for them"},
    {"outside_window", kInfo, "events lie outside the recorded window"},
    {"kernel_before_launch", kInfo,
     "device events start before the call that launched them: host and device clocks disagree"},
    {"growing", kInfo, "the file changed while it was read; what was there at the time was used"},
    {"duplicate_rank", kInfo, "several files claim the same rank and span; all of them were used"},
    {"memory_limit", kLoss,
     "the file was not read to its end: it would take more memory than --memory-budget allows"},
    {"damaged_data", kError, "the data is damaged here; everything before that was read"},
    {"out_of_order", kLoss, "times run backwards; each was taken as the latest time before it"},
    {"foreign_line", kInfo, "lines that do not belong to the profile were skipped"},
    {"malformed_record", kLoss,
     "a record does not have the form that the format prescribes; it was skipped"},
    {"unknown_frame", kLoss,
     "frames that the file refers to but does not describe are shown by number"},
    {"rounded_values", kInfo, "the file holds rounded values only"},
    {"other_values", kInfo, "the file holds further values that are not shown"},
    {"cut_record", kInfo,
     "the file ends inside a record: it is being written, or its writer was stopped; all records "
     "before it were read"},
    {"bad_checksum", kError,
     "the bytes of a record are not those that were written (its checksum is another); it was "
     "skipped"},
    {"lost_bytes", kError,
     "no record begins here; reading went on at the next one, and what is between is missing"},
    {"unusual_version", kInfo,
     "the file does not begin with the version brain.Event:2; it was read as if it did"},
    {"no_wall_time", kInfo,
     "the wall time of a value is no number; the value was kept, and has no place on an axis of "
     "time"},
    {"not_a_scalar", kLoss,
     "a value under a tag of scalars is no single number; it was kept as a tensor"},
    {"dropped_spans", kLoss, "spans that were recorded are not in the file"},
}};

}  // namespace

const DiagnosticInfo& InfoOf(DiagnosticKind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::string_view NameOf(Severity severity) {
  switch (severity) {
    case kInfo:
      return "info";
    case kLoss:
      return "loss";
    case kError:
      return "error";
  }
  return "error";
}

Diagnostic& Diagnostics::Entry(DiagnosticKind kind) {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), kind,
                             [](const Diagnostic& d, DiagnosticKind k) { return d.kind < k; });
  if (at == entries_.end() || at->kind != kind) {
    at = entries_.insert(at, Diagnostic{kind, 0, std::nullopt, {}});
  }
  return *at;
}

void Diagnostics::Add(DiagnosticKind kind, std::optional<uint64_t> offset, uint64_t count) {
  if (count == 0) return;
  Diagnostic& entry = Entry(kind);
  entry.count += count;
  if (offset && (!entry.first_offset || *offset < *entry.first_offset)) entry.first_offset = offset;
}

void Diagnostics::AddWithDetail(DiagnosticKind kind, std::optional<uint64_t> offset,
                                std::string detail) {
  Add(kind, offset);
  Diagnostic& entry = Entry(kind);
  if (entry.detail.empty()) entry.detail = std::move(detail);
}

void Diagnostics::Merge(const Diagnostics& other) {
  for (const Diagnostic& d : other.entries_) {
    Add(d.kind, d.first_offset, d.count);
    Diagnostic& entry = Entry(d.kind);
    if (entry.detail.empty()) entry.detail = d.detail;
  }
}

void Diagnostics::Remove(DiagnosticKind kind) {
  std::erase_if(entries_, [kind](const Diagnostic& d) { return d.kind == kind; });
}

uint64_t Diagnostics::Count(DiagnosticKind kind) const {
  for (const Diagnostic& d : entries_) {
    if (d.kind == kind) return d.count;
  }
  return 0;
}

}  // namespace telltale
