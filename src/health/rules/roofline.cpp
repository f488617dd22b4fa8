// SPDX-License-Identifier: Apache-2.0
// Rules about the time above what the device allows: memory_bound, compute_bound, fp32_matmul.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/core/sums.h"
#include "health/evidence.h"
#include "health/facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

// Of the time of all operators and kernels.
constexpr double kWorthIt = 0.05;
// Of a step, as for what can go.
constexpr double kWorthSaying = 0.02;

struct Rows {
  uint64_t rows = 0;
  int64_t ns = 0;
};

double ShareOf(const RooflineReport& report, int64_t ns) {
  return report.total_ns <= 0 ? 0 : static_cast<double>(ns) / static_cast<double>(report.total_ns);
}

Rows LostTo(const RooflineReport& report, RooflineBound bound) {
  Rows lost;
  for (const RooflineRow& row : report.rows) {
    if (row.bound != bound || row.lost_ns.value_or(0) <= 0) continue;
    ++lost.rows;
    AddTo(lost.ns, *row.lost_ns);
  }
  return lost;
}

std::optional<Recommendation> FindBound(const Facts& facts, RooflineBound bound,
                                        const char* bound_by, const char* remedy) {
  const Facts::Shared<RooflineReport> report = facts.Roofline();
  const Rows lost = LostTo(*report, bound);
  const double share = ShareOf(*report, lost.ns);
  if (share < kWorthIt) return std::nullopt;
  std::string finding = fmt::format("{} above the roof ({} of the time) are bound by {}.",
                                    Duration(lost.ns), Share(share), bound_by);
  const Facts::OfEach<WorkSaving> savings = facts.WorkSavings();
  const auto most = std::ranges::find(*savings, bound, &WorkSaving::bound);
  if (most != savings->end() && most->share < kWorthSaying) return std::nullopt;
  if (most != savings->end()) {
    finding += fmt::format(
        " {} has the most of it, at {} of its roof: at the roof {} would take {} instead of {}.",
        ShortName(most->name), Share(most->roof_share),
        facts.Worlds()->kind == PathRegionKind::kStep ? "a step" : "the trace",
        Duration(most->average_ns - most->saving_ns), Duration(most->average_ns));
  }
  Recommendation made = Make(AdviceSeverity::kLow, finding, remedy);
  if (most != savings->end()) {
    made.what = most->name;
    // No kernel comes up to its roof whole: this is how far it is at the most, and stands below
    // what can go.
    AddEvidence(made, "roof_saving_ns", most->saving_ns);
    AddEvidence(made, "saving_unknown", std::string("work stays: nothing reaches its roof whole"));
    AddEvidence(made, "step_ns", most->average_ns);
    AddEvidence(made, "step_share", most->share);
    AddEvidence(made, "roof_share", most->roof_share);
  } else {
    AddEvidence(made, "saving_unknown", std::string("the trace has no device work in a step"));
  }
  AddEvidence(made, "lost_ns", lost.ns);
  AddEvidence(made, "lost_share", share);
  AddEvidence(made, "rows", lost.rows);
  return made;
}

std::optional<Recommendation> FindMemoryBound(const Facts& facts) {
  return FindBound(facts, RooflineBound::kMemory, "memory",
                   "Fuse elementwise work (torch.compile), use smaller types, and channels-last "
                   "layouts for convolutions.");
}

std::optional<Recommendation> FindComputeBound(const Facts& facts) {
  return FindBound(facts, RooflineBound::kCompute, "arithmetic",
                   facts.Training()
                       ? "Larger batches, sizes that are multiples of 8 (16-bit types) or 16 "
                         "(8-bit types), and fewer small products come nearer to the roof."
                       : "More requests at once, sizes that are multiples of 8 (16-bit types) or "
                         "16 (8-bit types), and fewer small products come nearer to the roof.");
}

// What work could save is not known, and which fact would tell.
std::optional<Recommendation> FindUnknownRoof(const Facts& facts) {
  const Facts::Shared<RooflineReport> report = facts.Roofline();
  if (!report->has_device) return std::nullopt;
  const auto unknown =
      std::ranges::find(report->devices, PeakSource::kNone, &RooflineDevice::source);
  std::string why;
  std::string remedy;
  if (unknown != report->devices.end()) {
    why = unknown->name.empty() ? "the trace does not say which device it is of"
                                : fmt::format("the peaks of {} are not known", unknown->name);
    remedy = "Give them (device-peak).";
  }
  if (!report->has_shapes) {
    if (!why.empty()) why += ", and ";
    why += "no input shapes were recorded";
    remedy = remedy.empty() ? "Record with record_shapes=True."
                            : "Record with record_shapes=True, and give the peaks "
                              "(device-peak).";
  }
  if (why.empty()) return std::nullopt;
  Recommendation made =
      Make(AdviceSeverity::kLow,
           fmt::format("How much shorter a step would be if its kernels came up to what the device "
                       "allows is not known: {}.",
                       why),
           remedy);
  AddEvidence(made, "saving_unknown", why);
  return made;
}

std::optional<Recommendation> FindFp32Matmul(const Facts& facts) {
  const Facts::Shared<RooflineReport> report = facts.Roofline();
  Rows found;
  for (const RooflineRow& row : report->rows) {
    if (row.bound != RooflineBound::kCompute || row.peak_kind != PeakKind::kFp32 ||
        row.family != WorkFamily::kMatmul) {
      continue;
    }
    ++found.rows;
    AddTo(found.ns, row.time_ns);
  }
  const double share = ShareOf(*report, found.ns);
  if (share < kWorthIt) return std::nullopt;
  Recommendation made =
      Make(AdviceSeverity::kLow,
           fmt::format("{} of matrix work in fp32 without tensor cores, {} of the time ({}).",
                       Counted(found.rows, "row", "rows"), Share(share), Duration(found.ns)),
           "Try torch.set_float32_matmul_precision(\"high\") or autocast.");
  AddEvidence(made, "rows", found.rows);
  AddEvidence(made, "matmul_ns", found.ns);
  AddEvidence(made, "matmul_share", share);
  return made;
}

constexpr std::string_view kReason =
    "a twentieth: with less, reaching the roof everywhere would hardly be noticed";

}  // namespace

Rule MemoryBound() {
  return {.id = "memory_bound",
          .title = "memory bound",
          .needs = "input shapes (record_shapes=True), a device whose peaks are known",
          .threshold =
              "rows bound by memory take >= 5 % of the time beyond what the device "
              "allows, and one operator at its roof would save >= 2 % of a step",
          .reason = kReason,
          .views = {"roofline"},
          .of_subject = FindMemoryBound};
}

Rule ComputeBound() {
  return {.id = "compute_bound",
          .title = "compute bound",
          .needs = "input shapes (record_shapes=True), a device whose peaks are known",
          .threshold =
              "rows bound by arithmetic take >= 5 % of the time beyond what the device "
              "allows, and one operator at its roof would save >= 2 % of a step",
          .reason = kReason,
          .views = {"roofline"},
          .of_subject = FindComputeBound};
}

Rule UnknownRoof() {
  return {.id = "unknown_roof",
          .title = "unknown roof",
          .needs = "device events",
          .threshold = "no input shapes, or a device whose peaks are not known",
          .reason = "what work could give at the most is the way to its roof",
          .views = {"roofline"},
          .of_subject = FindUnknownRoof};
}

Rule Fp32Matmul() {
  return {.id = "fp32_matmul",
          .title = "matrix work in fp32",
          .needs = "input shapes (record_shapes=True), a device whose peaks are known",
          .threshold = "matrix products bound by the fp32 peak take >= 5 % of the time",
          .reason = "as memory_bound; tensor_cores speaks instead where it can name the operators",
          .views = {"roofline"},
          .of_subject = FindFp32Matmul,
          .unless = "tensor_cores"};
}

}  // namespace telltale::health
