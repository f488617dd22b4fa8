// SPDX-License-Identifier: Apache-2.0
#include "analysis/modules/rows.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/core/key_numbers.h"
#include "analysis/core/sums.h"

namespace telltale {

namespace {

// Deeper calls count for the module at this depth: paths of a hostile trace would otherwise grow
// with the square of its depth. Real models stay below 50.
constexpr uint32_t kMostDepth = 200;

class Placer {
 public:
  Placer(const Trace& trace, const ModuleSpans& modules) : trace_(trace), modules_(modules) {}

  ModuleRows Place() {
    Identify();
    FindHomes();
    uint32_t* const row_of = result_.row_of.extend(modules_.size());
    // First the trees that stand for themselves, then the calls that belong into one of those.
    for (const bool adopted : {false, true}) {
      for (ModuleCall call = 0; call < modules_.size(); ++call) {
        const uint32_t home = home_[identity_[root_[call]]];
        if ((home != kNoRow) != adopted) continue;
        const ModuleCall parent = modules_.parent[call];
        if (parent != kNoRow) {
          row_of[call] = RowBelow(row_of[parent], call);
        } else {
          row_of[call] = home == kNoRow ? RowBelow(kNoRow, call) : row_of[home];
        }
      }
    }
    return std::move(result_);
  }

 private:
  // Numbers the instances, and finds the outermost call around each.
  void Identify() {
    for (ModuleCall call = 0; call < modules_.size(); ++call) {
      const SpanRow path = modules_.path_span[call];
      const SpanRow row = modules_.span[call];
      uint64_t key = 0;
      if (path != kNoRow) {
        key = uint64_t{1} << 63 | static_cast<uint32_t>(trace_.spans.name[path]);
      } else {
        key = uint64_t{static_cast<uint32_t>(trace_.spans.name[row])} << 32 |
              static_cast<uint32_t>(ModuleId(row));
      }
      identity_.push_back(instances_.Number(key));
      const ModuleCall parent = modules_.parent[call];
      root_.push_back(parent == kNoRow ? call : root_[parent]);
    }
  }

  // For each instance the earliest call inside another module, if that one's outermost module is
  // never called inside another itself: so places never depend on each other in a circle.
  void FindHomes() {
    std::vector<bool> nested(instances_.size());
    for (ModuleCall call = 0; call < modules_.size(); ++call) {
      if (modules_.parent[call] != kNoRow) nested[identity_[call]] = true;
    }
    home_.assign(instances_.size(), kNoRow);
    for (ModuleCall call = 0; call < modules_.size(); ++call) {
      if (modules_.parent[call] == kNoRow || nested[identity_[root_[call]]]) continue;
      ModuleCall& home = home_[identity_[call]];
      if (home == kNoRow || StartOf(call) < StartOf(home)) home = call;
    }
  }

  [[nodiscard]] int64_t StartOf(ModuleCall call) const {
    return trace_.spans.start_ns[modules_.span[call]];
  }

  [[nodiscard]] int32_t ModuleId(SpanRow row) const {
    const uint32_t detail = trace_.spans.detail[row];
    const bool frame = trace_.spans.category[row] == Category::kPython && detail != kNoDetail;
    return frame ? trace_.python_details[detail].module_id : -1;
  }

  uint32_t RowBelow(uint32_t parent, ModuleCall call) {
    if (parent != kNoRow && result_.rows[parent].depth + 1 >= kMostDepth) return parent;
    const uint32_t number = places_.Number(uint64_t{parent} << 32 | identity_[call]);
    if (number == result_.rows.size()) result_.rows.push_back(NewRow(parent, call));
    ModuleRow& row = result_.rows[number];
    row.first_start_ns = std::min(row.first_start_ns, StartOf(call));
    return number;
  }

  [[nodiscard]] ModuleRow NewRow(uint32_t parent, ModuleCall call) const {
    const SpanRow span = modules_.span[call];
    const SpanRow path = modules_.path_span[call];
    ModuleRow row;
    row.first_start_ns = StartOf(call);
    const ModuleName name = ParseModuleName(trace_.spans.category[span], trace_.NameOfSpan(span))
                                .value_or(ModuleName{});
    row.name = name.label;
    row.class_name = name.class_name;
    if (path != kNoRow) {
      const auto dotted = ParseModuleName(Category::kAnnotation, trace_.NameOfSpan(path));
      if (dotted && !dotted->path.empty()) row.path = dotted->path;
    }
    if (row.name.empty()) row.name = "?";
    if (row.class_name.empty()) row.class_name = row.name;
    if (!row.path.empty()) {
      row.name = row.path;
    } else {
      row.path = parent == kNoRow ? row.name : result_.rows[parent].path + "." + row.name;
    }
    if (const int32_t id = ModuleId(span); id >= 0) row.module_id = id;
    if (parent != kNoRow) {
      row.parent = parent;
      row.depth = result_.rows[parent].depth + 1;
    }
    return row;
  }

  const Trace& trace_;
  const ModuleSpans& modules_;
  KeyNumbers instances_;
  KeyNumbers places_;
  std::vector<uint32_t> identity_;  // by call
  std::vector<ModuleCall> root_;    // by call
  std::vector<ModuleCall> home_;    // by instance; kNoRow: its place is where it is called
  ModuleRows result_;
};

void AddWork(ModuleWork& sum, const ModuleWork& work) {
  sum.operators += work.operators;
  AddTo(sum.host_total_ns, work.host_total_ns);
  AddTo(sum.host_self_ns, work.host_self_ns);
  AddTo(sum.frame_self_ns, work.frame_self_ns);
  AddTo(sum.device_total_ns, work.device_total_ns);
  AddTo(sum.device_self_ns, work.device_self_ns);
}

void AddSelf(ModuleRow& sum, const ModuleRow& row) {
  sum.calls += row.calls;
  sum.recomputed_calls += row.recomputed_calls;
  for (const ModulePhase phase : {ModulePhase::kForward, ModulePhase::kBackward}) {
    ModuleWork work = phase == ModulePhase::kForward ? row.forward : row.backward;
    work.host_total_ns = 0;
    work.device_total_ns = 0;
    AddWork(sum.Work(phase), work);
  }
}

void SetBoth(ModuleRow& row) {
  const auto both = [&](int64_t ModuleWork::* time) {
    int64_t sum = row.forward.*time;
    AddTo(sum, row.backward.*time);
    return sum;
  };
  row.host_total_ns = both(&ModuleWork::host_total_ns);
  row.host_self_ns = both(&ModuleWork::host_self_ns);
  row.device_total_ns = both(&ModuleWork::device_total_ns);
  row.device_self_ns = both(&ModuleWork::device_self_ns);
}

}  // namespace

ModuleRows PlaceModules(const Trace& trace, const ModuleSpans& modules) {
  return Placer(trace, modules).Place();
}

void ArrangeModules(ModuleReport& report) {
  std::vector<ModuleRow>& rows = report.rows;
  const auto count = static_cast<uint32_t>(rows.size());
  for (ModuleRow& row : rows) {
    for (const ModulePhase phase : {ModulePhase::kForward, ModulePhase::kBackward}) {
      ModuleWork& work = row.Work(phase);
      work.host_total_ns = work.host_self_ns;
      work.device_total_ns = work.device_self_ns;
    }
  }
  std::vector<std::vector<uint32_t>> below(size_t{count} + 1);  // the last list: of no row
  for (uint32_t i = count; i-- > 0;) {                          // children before parents
    const ModuleRow& row = rows[i];
    if (row.parent) {
      for (const ModulePhase phase : {ModulePhase::kForward, ModulePhase::kBackward}) {
        const ModuleWork& work = phase == ModulePhase::kForward ? row.forward : row.backward;
        ModuleWork& around = rows[*row.parent].Work(phase);
        AddTo(around.host_total_ns, work.host_total_ns);
        AddTo(around.device_total_ns, work.device_total_ns);
      }
    }
    below[row.parent.value_or(count)].push_back(i);
  }
  for (std::vector<uint32_t>& siblings : below) {
    std::sort(siblings.begin(), siblings.end(), [&](uint32_t a, uint32_t b) {
      if (rows[a].outside() != rows[b].outside()) return rows[b].outside();
      if (rows[a].first_start_ns != rows[b].first_start_ns) {
        return rows[a].first_start_ns < rows[b].first_start_ns;
      }
      return a < b;
    });
  }
  std::vector<ModuleRow> ordered;
  ordered.reserve(count);
  std::vector<uint32_t> open(below[count].rbegin(), below[count].rend());
  std::vector<uint32_t> place(count);
  while (!open.empty()) {
    const uint32_t i = open.back();
    open.pop_back();
    place[i] = static_cast<uint32_t>(ordered.size());
    ModuleRow row = std::move(rows[i]);
    if (row.parent) row.parent = place[*row.parent];
    SetBoth(row);
    ordered.push_back(std::move(row));
    open.insert(open.end(), below[i].rbegin(), below[i].rend());
  }
  rows = std::move(ordered);
  report.host_ns = 0;
  report.device_ns = 0;
  for (const ModuleRow& row : rows) {
    AddTo(report.host_ns, row.host_self_ns);
    AddTo(report.device_ns, row.device_self_ns);
  }
}

ModuleReport MergeModules(std::span<const ModuleReport> reports) {
  ModuleReport merged;
  // By the row around it, name and class: the path alone can be ambiguous.
  std::map<std::tuple<uint32_t, std::string, std::string>, uint32_t> places;
  for (const ModuleReport& report : reports) {
    std::vector<uint32_t> place(report.rows.size());
    for (size_t i = 0; i < report.rows.size(); ++i) {
      const ModuleRow& row = report.rows[i];
      const uint32_t parent = row.parent ? place[*row.parent] : kNoRow;
      const auto [at, added] = places.try_emplace({parent, row.name, row.class_name},
                                                  static_cast<uint32_t>(merged.rows.size()));
      place[i] = at->second;
      if (added) {
        ModuleRow empty;
        empty.path = row.path;
        empty.name = row.name;
        empty.class_name = row.class_name;
        empty.module_id = row.module_id;
        empty.depth = row.depth;
        if (row.parent) empty.parent = parent;
        // Clocks of ranks differ: the order is that of the first file, others go behind.
        empty.first_start_ns = static_cast<int64_t>(merged.rows.size());
        merged.rows.push_back(std::move(empty));
      }
      AddSelf(merged.rows[at->second], row);
    }
  }
  ArrangeModules(merged);
  return merged;
}

std::vector<ModuleRow> ModulesByClass(const ModuleReport& report) {
  std::vector<ModuleRow> classes;
  std::map<std::string, size_t> places;
  for (const ModuleRow& row : report.rows) {
    const auto [at, added] = places.try_emplace(row.class_name, classes.size());
    if (added) {
      ModuleRow sum;
      sum.class_name = row.class_name;
      sum.name = row.outside() ? row.name : row.class_name;
      sum.path = sum.name;
      classes.push_back(std::move(sum));
    }
    AddSelf(classes[at->second], row);
  }
  for (ModuleRow& row : classes) SetBoth(row);
  return classes;
}

}  // namespace telltale
