// SPDX-License-Identifier: Apache-2.0
#include "views/distributed/words.h"

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "views/lane_parts.h"
#include "views/page_causes.h"
#include "views/render/document.h"
#include "views/render/unit_column.h"

namespace telltale {

namespace {

std::string Capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string Facts(const DistributedReport& report, const std::vector<std::string>& labels,
                  const OutputStyle& style) {
  const auto time = [&](int64_t ns) { return FormatDuration(ns, style.unicode); };
  if (report.collectives.empty()) {
    return "The capture holds no communication between ranks: no kernels of NCCL or its kin and "
           "no ranges of gloo, MPI or UCC. Profile a distributed run, with ProfilerActivity.CUDA "
           "where the ranks compute on GPUs, and give the traces of all ranks (or their folder) "
           "at once.";
  }
  const Stragglers& stragglers = report.stragglers;
  if (!stragglers.rows.empty()) {
    const StragglerRow& worst = stragglers.rows.front();
    std::string text = fmt::format(
        "{} keeps the others waiting: it came last in {} of {}, and they waited {} for it",
        Capitalised(Printable(labels[worst.file], style.unicode)),
        FormatCount(static_cast<int64_t>(worst.last)),
        Plural(stragglers.decided + stragglers.undecided, "collective"), time(worst.waited_ns));
    if (!worst.meanwhile.empty()) {
      const Activity& most = worst.meanwhile.front();
      text += fmt::format(". Meanwhile it spent {} more than the others in {}",
                          time(Difference(most.time_ns, most.others_ns)),
                          ShortenMiddle(Printable(most.name, style.unicode), 60, style.unicode));
    }
    return text + ".";
  }
  int64_t duration = 0;
  int64_t exposed = 0;
  int64_t overlap = 0;
  for (const RankRow& row : report.ranks) {
    AddTo(duration, row.average.duration_ns);
    AddTo(exposed, row.average.communication_ns);
    AddTo(overlap, row.average.overlap_ns);
  }
  if (report.device_calls_without_kernels) {
    return "Collectives were called, but their kernels are not in the capture: how long they "
           "took is not known.";
  }
  const std::string alone =
      fmt::format("Communication takes {} of an average step without computation at the same time",
                  FormatShare(Ratio(exposed, duration), 0));
  if (overlap == 0) return alone + "; none of it is hidden behind computation.";
  return fmt::format("{}, and {} more is hidden behind computation.", alone,
                     FormatShare(Ratio(overlap, duration), 0));
}

}  // namespace

std::string DistributedSentence(const DistributedReport& report, const Profile& profile,
                                const OutputStyle& style) {
  return Facts(report, FileLabels(profile), style) +
         CauseSentence(profile, {CauseKind::kLateRank, CauseKind::kCollectiveWait}, style);
}

std::string ClockText(const FileAlignment& clock, const OutputStyle& style) {
  const auto time = [&](int64_t ns) { return FormatDuration(ns, style.unicode); };
  if (clock.source == AlignmentSource::kReference) return "reference";
  if (clock.source == AlignmentSource::kWallClock) return "as captured";
  return fmt::format("{}{} {} {}", clock.offset_ns < 0 ? "-" : "+",
                     time(clock.offset_ns < 0 ? Difference(0, clock.offset_ns) : clock.offset_ns),
                     style.unicode ? "±" : "+-", time(clock.error_ns.value_or(0)));
}

std::string StragglerRemark(const Stragglers& all) {
  std::string remark =
      fmt::format("who came last in {}", Plural(all.decided + all.undecided, "collective"));
  if (all.undecided > 0) {
    remark += fmt::format("; {} within the error of the clocks",
                          FormatCount(static_cast<int64_t>(all.undecided)));
  }
  return remark;
}

std::string DistributedNotes(const DistributedReport& report, const OutputStyle& style) {
  std::vector<std::string> notes;
  if (report.missing_rank_count > 0) {
    notes.push_back(
        fmt::format("The run has {} more than there are traces of: waiting for them "
                    "counts as transfer.",
                    Plural(report.missing_rank_count, "rank")));
  }
  uint64_t unmatched = 0;
  uint64_t contradicted = 0;
  for (const RankRow& row : report.ranks) {
    unmatched += row.unmatched;
    contradicted += row.clock.contradicted;
  }
  if (unmatched > 0) {
    notes.push_back(
        fmt::format("{} found no partner on another rank: the captures begin or end "
                    "at different moments. What matched is used.",
                    Plural(unmatched, "call")));
  }
  if (contradicted > 0) {
    notes.push_back(
        fmt::format("{} would end on one rank before it began on another: no match "
                    "after all, and not used.",
                    Plural(contradicted, "collective")));
  }
  if (report.device_calls_without_kernels) {
    notes.emplace_back(
        "Some collectives have no kernel in the capture: add ProfilerActivity.CUDA to the "
        "profiler's activities.");
  }
  if (notes.empty()) return "";
  std::string out = "\n" + Heading("About the match", "", style);
  for (const std::string& note : notes) out += Paragraph(note, style, 2);
  return out;
}

}  // namespace telltale
