// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/diff.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "analysis/core/sums.h"
#include "analysis/diff/renames.h"
#include "analysis/diff/series.h"
#include "analysis/diff/welch.h"
#include "analysis/functions/functions.h"

namespace telltale {

namespace {

// Rows below this share of their table never fail a gate.
constexpr double kLeastGatedShare = 0.01;

const DiffSeries kNothing;

// How many values a side has: series without samples are sums over as many.
struct Counts {
  size_t before = 0;
  size_t after = 0;
};

DiffRow Compare(std::string name, const DiffSeries& before, const DiffSeries& after,
                const Counts& counts, bool in_before, bool in_after) {
  DiffRow row;
  row.name = std::move(name);
  row.before = Mean(before.sum, static_cast<int64_t>(counts.before));
  row.after = Mean(after.sum, static_cast<int64_t>(counts.after));
  const auto mean_calls = [](uint64_t calls, size_t count) {
    return count == 0 ? 0 : static_cast<double>(calls) / static_cast<double>(count);
  };
  row.calls_before = mean_calls(before.calls, counts.before);
  row.calls_after = mean_calls(after.calls, counts.after);
  const double mean_before =
      counts.before == 0 ? 0 : static_cast<double>(before.sum) / static_cast<double>(counts.before);
  const double mean_after =
      counts.after == 0 ? 0 : static_cast<double>(after.sum) / static_cast<double>(counts.after);
  if (mean_before > 0) row.change_share = (mean_after - mean_before) / mean_before;
  if (!in_before || !in_after) {
    row.verdict = in_after ? DiffVerdict::kNew : DiffVerdict::kGone;
    return row;
  }
  const bool spread =
      before.samples.size() == counts.before && after.samples.size() == counts.after;
  if (spread) row.p_value = WelchTest(before.samples, after.samples);
  if (before.sum == after.sum && counts.before == counts.after) {
    row.verdict = DiffVerdict::kSame;
  } else if (!row.p_value) {
    row.verdict = DiffVerdict::kNoSpread;
  } else if (*row.p_value >= kDiffLevel ||
             (row.change_share && std::fabs(*row.change_share) < kDiffLeastEffect)) {
    row.verdict = DiffVerdict::kNoise;
  } else {
    row.verdict = mean_after > mean_before ? DiffVerdict::kSlower : DiffVerdict::kFaster;
  }
  return row;
}

void Finish(DiffTable& table) {
  for (const DiffRow& row : table.rows) {
    table.before += row.before;
    table.after += row.after;
  }
  const int64_t change = table.after - table.before;
  for (DiffRow& row : table.rows) {
    if (change != 0) {
      row.share_of_change = static_cast<double>(row.change()) / static_cast<double>(change);
    }
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const DiffRow& a, const DiffRow& b) {
    const auto size = [](const DiffRow& row) { return std::abs(row.change()); };
    if (size(a) != size(b)) return size(a) > size(b);
    return a.name < b.name;
  });
}

DiffTable Join(std::string_view name, std::string_view measure, const SeriesByName& before,
               const SeriesByName& after, const Counts& counts,
               const std::vector<Rename>& renames = {}) {
  DiffTable table;
  table.name = name;
  table.measure = measure;
  std::set<std::string_view> done;
  for (const Rename& rename : renames) {
    DiffRow row = Compare(rename.after, before.find(rename.before)->second,
                          after.find(rename.after)->second, counts, true, true);
    row.renamed_from = rename.before;
    table.rows.push_back(std::move(row));
    done.insert(rename.before);
    done.insert(rename.after);
  }
  for (const auto& [key, series] : before) {
    if (done.contains(key)) continue;
    const auto other = after.find(key);
    const bool found = other != after.end();
    table.rows.push_back(
        Compare(key, series, found ? other->second : kNothing, counts, true, found));
  }
  for (const auto& [key, series] : after) {
    if (done.contains(key) || before.contains(key)) continue;
    table.rows.push_back(Compare(key, kNothing, series, counts, false, true));
  }
  Finish(table);
  return table;
}

// The step, then its categories in their order; categories that neither side has are left out.
DiffTable StepTable(const DiffSide& before, const DiffSide& after, const Counts& counts) {
  DiffTable table;
  table.name = "steps";
  table.measure = "duration";
  const auto add = [&](std::string_view name) {
    const auto a = before.steps.find(name);
    const auto b = after.steps.find(name);
    const DiffSeries& x = a == before.steps.end() ? kNothing : a->second;
    const DiffSeries& y = b == after.steps.end() ? kNothing : b->second;
    if (name != "step" && x.sum == 0 && y.sum == 0) return;
    table.rows.push_back(Compare(std::string(name), x, y, counts, true, true));
  };
  add("step");
  for (size_t c = 0; c < kStepCategoryCount; ++c) add(NameOf(static_cast<StepCategory>(c)));
  table.before = table.rows[0].before;
  table.after = table.rows[0].after;
  if (table.after != table.before) {
    for (DiffRow& row : table.rows) {
      row.share_of_change =
          static_cast<double>(row.change()) / static_cast<double>(table.after - table.before);
    }
  }
  return table;
}

std::vector<FunctionTable> TablesOf(std::span<const FunctionProfile* const> profiles) {
  std::vector<FunctionTable> tables;
  FunctionOptions options;
  options.with_calls = false;
  for (const FunctionProfile* const& profile : profiles) {
    // Profiles that count something else than the first one cannot be added to it.
    if (profile->unit == profiles[0]->unit) {
      tables.push_back(JoinFunctions(std::span(&profile, 1), options));
    }
  }
  return tables;
}

bool HaveSelf(const std::vector<FunctionTable>& tables) {
  return std::all_of(tables.begin(), tables.end(), [](const FunctionTable& table) {
    return std::any_of(table.rows.begin(), table.rows.end(),
                       [](const FunctionRow& row) { return row.values.self.has_value(); });
  });
}

// By "file: name"; each profile is a sample.
SeriesByName FunctionSeries(const std::vector<FunctionTable>& tables, bool self) {
  SeriesByName series;
  for (size_t sample = 0; sample < tables.size(); ++sample) {
    for (const FunctionRow& row : tables[sample].rows) {
      if (!row.in_profile) continue;
      std::string name(row.file);
      if (!name.empty()) name += ": ";
      name += row.name;
      DiffSeries& values = series[name];
      const int64_t value = (self ? row.values.self : row.values.total).value_or(0);
      values.samples.resize(tables.size());
      AddTo(values.samples[sample], value);
      AddTo(values.sum, value);
      values.calls += static_cast<uint64_t>(std::max<int64_t>(0, row.values.calls.value_or(0)));
    }
  }
  return series;
}

}  // namespace

std::string_view NameOf(DiffVerdict verdict) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "same", "slower", "faster", "noise", "no_spread", "new", "gone"};
  return kNames[static_cast<size_t>(verdict)];
}

std::string_view NameOf(DiffBasis basis) {
  static constexpr std::array<std::string_view, 3> kNames = {"step", "trace", "profile"};
  return kNames[static_cast<size_t>(basis)];
}

bool HasSteps(std::span<const TraceContext> files) {
  return std::all_of(files.begin(), files.end(), [](const TraceContext& context) {
    return context.steps.source != StepSource::kWholeTrace;
  });
}

DiffReport DiffTraces(std::span<const TraceContext> before, std::span<const TraceContext> after) {
  const DiffSide a = CollectSide(before);
  const DiffSide b = CollectSide(after);
  DiffReport report;
  report.basis = HasSteps(before) ? DiffBasis::kStep : DiffBasis::kTrace;
  report.samples_before = a.samples;
  report.samples_after = b.samples;
  const Counts counts = {a.samples, b.samples};
  report.tables.push_back(StepTable(a, b, counts));
  report.tables.push_back(Join("operators", "host_self", a.operators, b.operators, counts));
  if (!a.operators_device.empty() || !b.operators_device.empty()) {
    report.tables.push_back(
        Join("operators_device", "device_self", a.operators_device, b.operators_device, counts));
  }
  if (!a.runtime.empty() || !b.runtime.empty()) {
    report.tables.push_back(Join("runtime", "host_self", a.runtime, b.runtime, counts));
  }
  if (!a.kernels.empty() || !b.kernels.empty()) {
    report.tables.push_back(
        Join("kernels", "duration", a.kernels, b.kernels, counts, FindRenames(a, b)));
  }
  if (!a.modules.empty() && !b.modules.empty() && a.modules_on_device == b.modules_on_device) {
    report.tables.push_back(Join("modules", a.modules_on_device ? "device_self" : "host_self",
                                 a.modules, b.modules, {a.module_steps, b.module_steps}));
  }
  return report;
}

DiffReport DiffFunctions(std::span<const FunctionProfile* const> before,
                         std::span<const FunctionProfile* const> after) {
  DiffReport report;
  report.basis = DiffBasis::kProfile;
  const std::vector<FunctionTable> a = TablesOf(before);
  const std::vector<FunctionTable> b = TablesOf(after);
  report.samples_before = a.size();
  report.samples_after = b.size();
  report.unit = a[0].unit;
  const bool self = HaveSelf(a) && HaveSelf(b);
  report.tables.push_back(Join("functions", self ? "self" : "total", FunctionSeries(a, self),
                               FunctionSeries(b, self), {a.size(), b.size()}));
  return report;
}

const DiffRow* FirstWorse(const DiffTable& table, double least) {
  for (const DiffRow& row : table.rows) {
    if (table.name == "steps" && &row != table.rows.data()) break;
    if (row.verdict == DiffVerdict::kNoise || row.change() <= 0) continue;
    const auto whole = static_cast<double>(std::max(table.before, table.after));
    if (static_cast<double>(row.after) < kLeastGatedShare * whole) continue;
    if (!row.change_share || *row.change_share > least) return &row;
  }
  return nullptr;
}

}  // namespace telltale
