// SPDX-License-Identifier: Apache-2.0
#include "cli/monitor_request.h"

#include <climits>

#include "cli/common_options.h"
#include "monitor/schedule.h"

namespace telltale {

CommandSpec MonitorCommandSpec() {
  CommandSpec spec;
  spec.name = "monitor";
  spec.summary = "show or record processors, memory, GPUs, disks and network";
  spec.examples = {
      {"telltale monitor", "a live page of this machine"},
      {"telltale monitor -- python train.py",
       "run a program; in the end, mean and maximum of all it and the machine used"},
      {"telltale monitor --into runs/a --interval 5", "record until Ctrl-C, without a program"},
      {"telltale monitor --json --count 10", "ten samples for a program"},
  };
  spec.positionals = "[-- COMMAND...]";
  spec.needs_positional = false;
  spec.options = {
      {.name = "interval",
       .type = ParamType::kText,
       .value = "SECONDS",
       .help = "take a sample this often, without drift; also 200ms, 5s, 1m",
       .default_text = "1",
       .aliases = {"monitoring-interval", "monitoring-interval-seconds"}},
      {.name = "count",
       .type = ParamType::kInteger,
       .value = "N",
       .help = "end after N samples",
       .default_text = "no end",
       .least = 1},
      {.name = "pid",
       .type = ParamType::kInteger,
       .value = "PID",
       .help = "watch this process and its children, too",
       .least = 1,
       .most = INT_MAX},
      {.name = "into",
       .type = ParamType::kText,
       .value = "FOLDER",
       .help = "record into FOLDER/monitor: an event file, and resource_usage.csv"},
      {.name = "json",
       .help = "one JSON object a sample on standard output; with a command, one at its end on "
               "standard error"},
      {.name = "color",
       .help = "colour even where the output is no terminal",
       .aliases = {"colour"}},
      {.name = "no-color", .help = "no colour (also: NO_COLOR=1)", .aliases = {"no-colour"}},
      {.name = "quiet", .help = "no remarks on standard error"},
  };
  spec.letters = {{'q', "quiet"}};
  spec.sections = {
      {"Keys of the page",
       {{"q", "quit, as does Ctrl-C"},
        {"space", "hold the page; samples go on"},
        {"1", "show each core"}}},
      {"Output",
       {{"",
         "On a terminal a page, elsewhere a line a sample. The tags in --json and in event "
         "files are listed in docs/monitor.md. Memory of GPUs as PyTorch's allocator sees it "
         "comes from inside the program: telltale run."}}},
      {"Exit codes",
       {{"0", "fine, also when it was ended with q or Ctrl-C"},
        {"1", "the result could not be written"},
        {"2", "wrong usage"},
        {"3", "there is no process PID"},
        {"",
         "With a command: its exit code, 128 + signal if one ended it, 126 or 127 if it could "
         "not be started."}}},
  };
  return spec;
}

Result<MonitorRequest> MakeMonitorRequest(const Arguments& arguments) {
  MonitorRequest request;
  request.interval_ns = kUsualIntervalNs;
  if (arguments.Has("interval")) {
    const Result<int64_t> interval = ParseInterval(arguments.Text("interval"));
    if (!interval) {
      return arguments.Wrong(
          "interval", interval.error().message + ", not " + QuotedWord(arguments.Text("interval")));
    }
    request.interval_ns = *interval;
  }
  request.count = arguments.Integer("count").value_or(0);
  request.pid = static_cast<int>(arguments.Integer("pid").value_or(0));
  request.into = arguments.Text("into");
  if (arguments.Has("into") && request.into.empty()) {
    return arguments.Wrong("into", "takes the path of a folder");
  }
  request.json = arguments.Has("json");
  request.quiet = arguments.Has("quiet");
  const Result<StyleRequest> style = MakeStyleRequest(arguments);
  if (!style) return tl::unexpected(style.error());
  request.style = *style;
  request.command = arguments.positionals();
  if (!request.command.empty() && request.pid != 0) {
    return Fail(ErrorCode::kUsage, "--pid and a command exclude each other");
  }
  if (!request.command.empty() && request.count != 0) {
    return Fail(ErrorCode::kUsage,
                "--count and a command exclude each other: it is watched until it ends");
  }
  if (!request.command.empty() && request.command.front().empty()) {
    return Fail(ErrorCode::kUsage, "the command's name is empty");
  }
  return request;
}

}  // namespace telltale
