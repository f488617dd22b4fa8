// SPDX-License-Identifier: Apache-2.0
#include "cli/operators_report.h"

#include <algorithm>
#include <vector>

#include "cli/options.h"
#include "cli/profile_options.h"
#include "runs/load.h"
#include "views/answer.h"
#include "views/build_profile.h"
#include "views/operators/torch_table.h"

namespace telltale {

namespace {

// The request that `telltale profile` makes of the same words.
Result<ProfileRequest> TorchRequest(const std::string& folder, std::string_view sort, bool by_shape,
                                    int64_t row_limit) {
  std::vector<std::string> words = {folder, "--like", "torch",
                                    "--limit=" + std::to_string(row_limit)};
  words.push_back("--sort=" + std::string(sort));
  if (by_shape) words.emplace_back("--group-by=shape");
  const Result<Arguments> arguments = ParseArguments(ProfileCommandSpec(), words);
  if (!arguments) return tl::unexpected(arguments.error());
  Result<ProfileOptions> options = MakeProfileOptions(*arguments);
  if (!options) return tl::unexpected(options.error());
  return std::move(options->request);
}

bool HasDeviceTime(const Profile& profile) {
  return std::ranges::any_of(profile.report.operators,
                             [](const OperatorRow& row) { return row.device_total_ns > 0; });
}

}  // namespace

Result<void> CheckOperatorSort(std::string_view key) {
  if (key == kSortByItself) return {};
  const Result<ProfileRequest> request = TorchRequest(".", key, false, 1);
  if (!request) return tl::unexpected(request.error());
  return {};
}

Result<OperatorsReport> ReportOperators(const std::string& folder, const JsonValue& settings) {
  LoadOptions load;
  load.call_pairs = false;
  const std::vector<std::string> paths = {folder};
  const Result<Subject> subject = LoadTraces(paths, load);
  if (!subject) return tl::unexpected(subject.error());

  OperatorsReport out;
  std::string sort = settings["sort_by_key"].AsString();
  {
    const Result<PreparedProfile> prepared = PrepareProfile(*subject, AnalysisOptions());
    if (!prepared) return tl::unexpected(prepared.error());
    out.answer = Answer(prepared->base);
    if (sort.empty() || sort == kSortByItself) {
      sort = HasDeviceTime(prepared->base) ? "cuda_time_total" : "cpu_time_total";
    }
  }
  const Result<ProfileRequest> request =
      TorchRequest(folder, sort, settings["group_by_input_shapes"].AsBool(),
                   settings["row_limit"].WholeNumber().value_or(100));
  if (!request) return tl::unexpected(request.error());
  const Result<PreparedProfile> prepared = PrepareProfile(*subject, request->analysis);
  if (!prepared) return tl::unexpected(prepared.error());
  out.table = TorchTable(prepared->base, {request->sort_field, request->limit.value_or(100)});
  return out;
}

}  // namespace telltale
