// SPDX-License-Identifier: Apache-2.0
// The API over a folder of runs, for tests: every look is a call.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "formats/tfevents/event_fixture.h"
#include "runs/run_settings.h"
#include "runs/workspace.h"
#include "server/run_routes.h"
#include "server/test_api.h"

namespace telltale {

class RunsApiTest : public ApiTest {
 protected:
  static constexpr double kStart = 1'794'775'501;  // 2026-11-15T20:45:01Z

  // A run of 100 steps, of a second each, a quarter of which is waiting; sampled once a second.
  void WriteRun(std::string_view name, std::string_view more = {}) {
    tfevents::EventFile events;
    events.Version();
    tfevents::EventFile monitor;
    monitor.Version();
    for (int i = 0; i < 100; ++i) {
      const double wall = kStart + i + 1;
      events.Scalar("train/loss", i, 1.0F / static_cast<float>(i + 1), wall);
      events.Scalar("telltale/step_time_s", i, 1, wall);
      events.Scalar("telltale/data_wait_s", i, 0.25, wall);
      monitor.Scalar("monitor/cpu/system_percent", i, 80, wall);
      monitor.Scalar("monitor/cpu/core0_percent", i, 70, wall);
      monitor.Scalar("monitor/cpu/core1_percent", i, 90, wall);
      monitor.Scalar("monitor/gpu0/utilization_percent", i, 50, wall);
      monitor.Scalar("monitor/gpu0/energy_joules", i, static_cast<float>(i) * 36, wall);
      monitor.Scalar("monitor/memory/used_bytes", i, 2.0F * (1 << 30), wall);
    }
    const std::string folder(name);
    folder_.Write(folder + "/events/events.out.tfevents.1.x", events.bytes);
    folder_.Write(folder + "/monitor/events.out.tfevents.1.x", monitor.bytes);
    folder_.Write(folder + "/run.json",
                  fmt::format(R"({{"schema": 1, "id": "{}", "name": "{}", "status": "Completed",
      "start": "2026-11-15T20:45:01Z", "end": "2026-11-15T20:46:43Z", "steps": 100,
      "command": ["python", "train.py"]{}}})",
                              name, name, more));
  }

  // As the server does it first.
  void Look() {
    if (workspace_ == nullptr) {
      WorkspaceOptions options;
      options.roots = {*MakeRoot("", folder_.path().string())};
      options.gate = FileGate({{folder_.path().string(), true}});
      options.cache = false;
      options.sidecar = false;
      workspace_ = std::make_unique<Workspace>(std::move(options));
      desk_ = std::make_unique<RunDesk>(*workspace_, [] { return false; });
      CatalogueOptions listed;
      listed.roots = {*MakeRoot("runs", folder_.path().string())};
      profiles_ = std::make_unique<TestProfiles>(std::move(listed), ResidencyOptions());
      handler_ = MakeApi(profiles_->catalogue, profiles_->residency, {}, desk_.get());
    }
    workspace_->Scan();
  }

  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<RunDesk> desk_;
};

}  // namespace telltale
