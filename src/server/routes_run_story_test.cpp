// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "runs/process.h"
#include "server/test_runs.h"

namespace telltale {
namespace {

using RunStoryApi = RunsApiTest;

TEST_F(RunStoryApi, SaysWhatTheRunDidAndWhatIsDrawn) {
  WriteRun("a");
  Look();
  const Json story = Good("/runs/a/story");
  EXPECT_EQ(story.Text("/sentence"),
            "Ran 1 min 42 s, 100 steps, 1.00 s a step, 25 % of it waiting for data; CPU 80 % "
            "busy, GPU 50 %.");
  EXPECT_EQ(story.Text("/from_ns"), "1794775501000000000");
  EXPECT_EQ(story.Text("/to_ns"), "1794775603000000000");
  std::string lanes;
  for (size_t i = 0; i < story.Size("/lanes"); ++i) {
    lanes += story.Text("/lanes/" + std::to_string(i) + "/key") + " ";
  }
  EXPECT_EQ(lanes, "loss step_time throughput busy memory ");
  EXPECT_EQ(story.Text("/events/0/kind"), "start");
  EXPECT_EQ(story.Text("/events/1/kind"), "end");
  EXPECT_EQ(story.Text("/events/1/text"), "Completed");
  EXPECT_TRUE(story.At("/log").is_null());
  EXPECT_TRUE(story.At("/progress").is_null());
}

TEST_F(RunStoryApi, SaysHowItFailed) {
  WriteRun("a", R"(, "exit_code": 1, "status": "Failed", "error": {"type": "ValueError",
      "message": "<b>bad</b>", "frames": [{"file": "t.py", "line": 3, "function": "main"}]})");
  folder_.Write("a/logs/driver.log", "2026-11-15T20:45:02.000Z x\n");
  Look();
  const Json story = Good("/runs/a/story");
  const std::string sentence = story.Text("/sentence");
  EXPECT_TRUE(sentence.starts_with("Failed after 1 min 42 s (exit code 1), 100 steps")) << sentence;
  EXPECT_TRUE(sentence.ends_with("ValueError: <b>bad</b>")) << sentence;
  EXPECT_EQ(story.Int("/error/frames/0/line"), 3);
  EXPECT_EQ(story.Text("/log"), "logs/driver.log");
  EXPECT_EQ(story.Text("/events/1/kind"), "error");
}

TEST_F(RunStoryApi, KnowsHowFarARunIsThatIsUnderWay) {
  const std::string live =
      fmt::format(R"(, "status": "Running", "end": null, "start": "{}", "total_steps": 400,
      "host": "{}", "ranks": [{{"rank": 0, "pid": {}}}])",
                  "2249-01-01T00:00:00Z", HostName(), ::getpid());
  WriteRun("a", live);
  WriteRun("b");
  Look();
  const Json list = Good("/runs");
  EXPECT_EQ(list.Text("/runs/0/status"), "Running");
  EXPECT_EQ(list.Int("/runs/0/progress/steps"), 100);
  EXPECT_EQ(list.Int("/runs/0/progress/total_steps"), 400);
  EXPECT_DOUBLE_EQ(double(list.At("/runs/0/progress/share")), 0.25);
  EXPECT_NEAR(double(list.At("/runs/0/progress/steps_per_second")), 1, 1e-6);
  EXPECT_NEAR(static_cast<double>(list.Int("/runs/0/progress/left_ns")), 300e9, 1e6);
  EXPECT_TRUE(list.At("/runs/1/progress").is_null());
  EXPECT_EQ(Good("/runs/a").Int("/progress/steps"), 100);
}

TEST_F(RunStoryApi, MeasuresHardwareByDevice) {
  WriteRun("a");
  Look();
  const Json hardware = Good("/runs/a/hardware");
  EXPECT_EQ(hardware.Text("/sentence"),
            "CPU 80 % busy on average, GPU 0 50 %; at most 2.00 GiB of memory in use; 0.99 Wh.");
  EXPECT_EQ(hardware.Text("/rows/0/device"), "CPU");
  EXPECT_DOUBLE_EQ(double(hardware.At("/rows/0/mean")), 80);
  EXPECT_EQ(hardware.Text("/rows/0/unit"), "%");
  EXPECT_EQ(hardware.Text("/energy/0/device"), "GPU 0");
  EXPECT_NEAR(double(hardware.At("/energy/0/watt_hours")), 0.99, 1e-6);
  EXPECT_DOUBLE_EQ(double(hardware.At("/interval_s")), 1);
}

TEST_F(RunStoryApi, GivesStepsASecondAsALine) {
  WriteRun("a");
  Look();
  const HttpResponse rate = Get("/runs/a/rate?tag=telltale/step_time_s&parts=10");
  ASSERT_EQ(rate.status, 200U);
  ASSERT_EQ(rate.body->size(), 8U + 24 + 5 * 10 * 8);
  double first = 0;
  std::memcpy(&first, rate.body->data() + 32 + 10 * 8, sizeof first);
  EXPECT_NEAR(first, 1, 1e-6);
  EXPECT_EQ(Get("/runs/a/rate?tag=none").body->size(), 8U);
}

TEST_F(RunStoryApi, AFolderOfAnotherToolHasWhatItHas) {
  tfevents::EventFile file;
  file.Version();
  for (int i = 0; i < 10; ++i) file.Scalar("loss", i, 0.5F, 100.0 + i);
  folder_.Write("tb/events.out.tfevents.1.x", file.bytes);
  Look();
  const std::string id = Good("/runs").Text("/runs/0/id");
  const Json story = Good("/runs/" + id + "/story");
  EXPECT_EQ(story.Text("/sentence"), "Ran 9.00 s; loss was 0.5 at step 9.");
  EXPECT_EQ(story.Size("/lanes"), 2U);
  EXPECT_EQ(story.Size("/events"), 1U);
  EXPECT_EQ(Good("/runs/" + id + "/hardware").Int("/total"), 0);
}

}  // namespace
}  // namespace telltale
