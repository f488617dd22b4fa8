// SPDX-License-Identifier: Apache-2.0
#include "server/run_progress.h"

#include <optional>
#include <string>

#include "runs/run_record.h"
#include "server/run_routes.h"
#include "views/runs/run_story.h"

namespace telltale {

void WriteProgress(const RouteContext& context, const ListedRun& run, bool raw, JsonWriter& json) {
  std::optional<RunProgress> progress;
  if (run.info.status == RunStatus::kRunning) {
    const Workspace& workspace = context.runs->workspace();
    const RunRecord record = RunRecordOf(run.info.path, workspace.gate());
    static_cast<void>(workspace.WithSeries(
        run.info.id,
        [&](const RunSeries& series) { progress = ProgressOf(run.info, record, series); }, raw));
  }
  json.Key("progress");
  if (!progress) return json.Null();
  json.BeginObject();
  json.Field("steps", progress->steps);
  json.Field("steps_per_second", progress->steps_per_second);
  json.Field("total_steps", progress->total_steps);
  json.Field("share", progress->share);
  json.Field("left_ns", progress->left_ns);
  json.Field("last_ns",
             progress->last_ns ? std::optional(std::to_string(*progress->last_ns)) : std::nullopt);
  json.EndObject();
}

}  // namespace telltale
