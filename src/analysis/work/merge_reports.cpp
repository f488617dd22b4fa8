// SPDX-License-Identifier: Apache-2.0
// Joins the reports of several traces (declared in analyze.h).
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "analysis/core/steps.h"
#include "analysis/core/sums.h"
#include "analysis/work/analyze.h"
#include "analysis/work/copies.h"
#include "analysis/work/kernels.h"
#include "analysis/work/operators.h"

namespace telltale {

namespace {

// Adds what both or one of the files captured.
void AddCaptured(std::optional<int64_t>& sum, const std::optional<int64_t>& value) {
  if (!value) return;
  int64_t total = sum.value_or(0);
  AddTo(total, *value);
  sum = total;
}

auto KeyOf(const OperatorRow& row) {
  return std::tie(row.name, row.kind, row.input_shapes, row.stack);
}

void Merge(OperatorRow& row, const OperatorRow& other) {
  row.calls += other.calls;
  AddTo(row.host_total_ns, other.host_total_ns);
  AddTo(row.host_self_ns, other.host_self_ns);
  AddTo(row.device_total_ns, other.device_total_ns);
  AddTo(row.device_self_ns, other.device_self_ns);
  AddCaptured(row.memory_total_bytes, other.memory_total_bytes);
  AddCaptured(row.memory_self_bytes, other.memory_self_bytes);
  AddCaptured(row.flops, other.flops);
  row.tensor_core_eligible |= other.tensor_core_eligible;
  AddTo(row.tensor_core_self_ns, other.tensor_core_self_ns);
  AddTo(row.tensor_core_total_ns, other.tensor_core_total_ns);
  SetTensorCoreShares(row);
}

// `by_launch`: the rows are per operator and launch configuration, not per name alone.
auto KeyOf(const KernelRow& row, bool by_launch) {
  return std::tuple(row.name, by_launch ? row.op : std::optional<std::string>(), row.grid,
                    row.block, row.registers_per_thread, row.shared_memory_bytes);
}

void Merge(KernelRow& row, const KernelRow& other) {
  if (other.kind == KernelKind::kCommunication) row.kind = other.kind;
  row.calls += other.calls;
  AddTo(row.total_ns, other.total_ns);
  row.min_ns = std::min(row.min_ns, other.min_ns);
  row.max_ns = std::max(row.max_ns, other.max_ns);
  row.tensor_core |= other.tensor_core;
  // No operator means none or several: only the same one on both sides is certain.
  if (row.op != other.op) row.op.reset();
  row.blocks_weighted += other.blocks_weighted;
  row.occupancy_weighted += other.occupancy_weighted;
  AddTo(row.blocks_weight_ns, other.blocks_weight_ns);
  AddTo(row.occupancy_weight_ns, other.occupancy_weight_ns);
  SetMeans(row);
}

bool IsByLaunch(const ProfileReport& report) {
  std::set<std::string_view> names;
  return std::any_of(report.kernels.begin(), report.kernels.end(), [&](const KernelRow& row) {
    return row.grid || row.block || !names.insert(row.name).second;
  });
}

auto KeyOf(const CopyRow& row) { return std::tie(row.name, row.direction); }

void Merge(CopyRow& row, const CopyRow& other) {
  row.calls += other.calls;
  AddTo(row.total_ns, other.total_ns);
  row.min_ns = std::min(row.min_ns, other.min_ns);
  row.max_ns = std::max(row.max_ns, other.max_ns);
  AddCaptured(row.bytes, other.bytes);
  AddTo(row.bytes_time_ns, other.bytes_time_ns);
  SetBandwidth(row);
}

// Moves rows over, merging those of equal key. The order of first occurrence runs on through the
// files.
template <typename Row, typename Key>
class RowJoiner {
 public:
  explicit RowJoiner(Key key) : key_(std::move(key)) {}

  void Add(std::vector<Row>& rows) {
    std::sort(rows.begin(), rows.end(),
              [](const Row& a, const Row& b) { return a.first_event < b.first_event; });
    for (Row& row : rows) {
      const auto [at, is_new] = positions_.try_emplace(Owned(key_(row)), joined_.size());
      if (is_new) {
        row.first_event = joined_.size();
        joined_.push_back(std::move(row));
      } else {
        Merge(joined_[at->second], row);
      }
    }
  }
  [[nodiscard]] std::vector<Row> Take() { return std::move(joined_); }

 private:
  template <typename... Parts>
  static std::tuple<std::decay_t<Parts>...> Owned(std::tuple<Parts...> parts) {
    return parts;
  }
  using OwnedKey = decltype(Owned(std::declval<Key>()(std::declval<const Row&>())));

  Key key_;
  std::map<OwnedKey, size_t> positions_;
  std::vector<Row> joined_;
};

}  // namespace

ProfileReport MergeReports(std::span<ProfileReport> reports) {
  ProfileReport all;
  const bool by_launch = std::any_of(reports.begin(), reports.end(), IsByLaunch);
  RowJoiner<OperatorRow, decltype([](const OperatorRow& row) { return KeyOf(row); })> operators({});
  const auto kernel_key = [by_launch](const KernelRow& row) { return KeyOf(row, by_launch); };
  RowJoiner<KernelRow, decltype(kernel_key)> kernels(kernel_key);
  RowJoiner<CopyRow, decltype([](const CopyRow& row) { return KeyOf(row); })> copies({});

  for (size_t i = 0; i < reports.size(); ++i) {
    ProfileReport& report = reports[i];
    const auto file = static_cast<uint32_t>(i);
    all.diagnostics.Merge(report.diagnostics);
    if (i == 0) all.steps.source = report.steps.source;
    for (StepRow& row : report.steps.rows) row.file = file;
    for (OtherRow& row : report.steps.other_inside) row.file = file;
    for (DeviceRow& row : report.devices) row.file = file;
    std::move(report.steps.other_inside.begin(), report.steps.other_inside.end(),
              std::back_inserter(all.steps.other_inside));
    std::move(report.steps.rows.begin(), report.steps.rows.end(),
              std::back_inserter(all.steps.rows));
    std::move(report.devices.begin(), report.devices.end(), std::back_inserter(all.devices));
    operators.Add(report.operators);
    kernels.Add(report.kernels);
    copies.Add(report.copies);
    AddTo(all.kernel_total_ns, report.kernel_total_ns);
    AddTo(all.host_self_total_ns, report.host_self_total_ns);
  }
  SetAverages(all.steps);
  all.operators = operators.Take();
  all.kernels = kernels.Take();
  all.copies = copies.Take();
  SortOperators(all.operators);
  SortKernels(all.kernels);
  SortCopies(all.copies);
  return all;
}

}  // namespace telltale
