// SPDX-License-Identifier: Apache-2.0
// `telltale run`: decides what is recorded and where, then hands over to the front (front.h).
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "cli/calls_report.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/leftover_notice.h"
#include "cli/quick_run.h"
#include "cli/run_defaults.h"
#include "cli/run_profilers.h"
#include "cli/trace_reader.h"
#include "collect/clock.h"
#include "collect/environment.h"
#include "collect/files.h"
#include "collect/front.h"
#include "collect/joint_run.h"
#include "collect/leftovers.h"
#include "collect/python_package.h"
#include "collect/run_folder.h"
#include "collect/run_keeper.h"
#include "collect/run_name.h"
#include "io/byte_source.h"
#include "monitor/schedule.h"
#include "runs/process.h"
#include "sample/program_sampler.h"
#include "views/profile_json.h"
#include "views/render/display.h"
#include "views/render/output.h"
#include "views/render/terminal.h"

namespace telltale {

namespace {

constexpr int kExitNotFound = 127;
constexpr int kExitNotExecutable = 126;

// What is recorded unless --no-NAME is given.
struct Recorded {
  std::string_view name;
  std::string_view option;
  std::string_view what;
  bool is_python;  // by the Python package, inside the program
};
constexpr std::array<Recorded, 10> kRecorded = {{
    {"logs", "no-logs", "what the program prints, line by line with its time", false},
    {"monitor", "no-monitor", "processors, memory, disk, network and GPUs of this machine", false},
    {"sample", "no-sample", "what the functions of Python programs take, seen from outside", false},
    {"git", "no-git", "commit, branch, and what is not committed", false},
    {"python", "no-python", "from inside Python programs, without a change to them:", false},
    {"config", "no-config", "configuration (argparse, Hydra, click, Lightning, Hugging Face)",
     true},
    {"steps", "no-steps", "steps, with their time and their wait for data", true},
    {"spans", "no-spans", "ranges that are named for torch's profiler (record_function)", true},
    {"trackers", "no-trackers", "what is logged to TensorBoard, W&B, MLflow", true},
    {"exceptions", "no-exceptions", "the exception that ends it", true},
}};

std::optional<std::string> TextOrNone(const Arguments& arguments, std::string_view name) {
  if (!arguments.Has(name)) return std::nullopt;
  return std::string(arguments.Text(name));
}

std::string Safe(std::string_view text) { return Printable(text, true); }

// Of a text of several lines, which stay lines.
std::string SafeLines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += Safe(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!text.empty()) out += '\n';
  }
  return out;
}

Result<void> ReadEnvFiles(const Arguments& arguments, Environment& environment) {
  constexpr size_t kMost = size_t{1} << 20;
  for (const std::string& path : arguments.All("env-file")) {
    const Result<std::string> text = ReadSmallFile(path, {}, kMost);
    if (!text) return Fail(ErrorCode::kUsage, "--env-file: " + text.error().message);
    const auto variables = ParseEnvFile(*text);
    if (!variables) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--env-file {}: {}", path, variables.error().message));
    }
    for (const auto& [name, value] : *variables) environment.Set(name, value);
  }
  return {};
}

struct Decided {
  RecordPlan plan;
  std::string root;
  std::string injector;
  bool records_python = true;
  ProfilerChoice profilers;
  JsonValue quick_run;  // null: nothing was asked for
};

Result<Decided> Decide(const Arguments& arguments) {
  Decided out;
  RecordPlan& plan = out.plan;
  plan.command = arguments.positionals();
  plan.environment = Environment::Own();
  if (Result<void> read = ReadEnvFiles(arguments, plan.environment); !read) {
    return tl::unexpected(read.error());
  }
  if (arguments.Has("interval")) {
    const Result<int64_t> interval = ParseInterval(arguments.Text("interval"));
    if (!interval) return arguments.Wrong("interval", interval.error().message);
    plan.interval_ns = *interval;
  }
  Result<ProfilerChoice> profilers = ChooseProfilers(arguments);
  if (!profilers) return tl::unexpected(profilers.error());
  out.profilers = std::move(*profilers);
  plan.record.profile = out.profilers.ToRecord();
  Result<JsonValue> quick_run = MakeQuickRun(arguments);
  if (!quick_run) return tl::unexpected(quick_run.error());
  out.quick_run = std::move(*quick_run);
  plan.record.quick_run = QuickRunAtStart(out.quick_run);
  const char* const root = std::getenv("TELLTALE_ROOT");
  out.root = arguments.Has("root")                ? std::string(arguments.Text("root"))
             : root != nullptr && root[0] != '\0' ? std::string(root)
                                                  : "runs";
  RunRecord& record = plan.record;
  record.id = MakeRunId();
  record.name =
      arguments.Has("name") ? std::string(arguments.Text("name")) : NameOfCommand(plan.command);
  if (record.name.empty()) return arguments.Wrong("name", "takes a name that is not empty");
  record.experiment = TextOrNone(arguments, "experiment");
  record.group = TextOrNone(arguments, "group");
  record.note = TextOrNone(arguments, "note");
  for (const std::string& tag : arguments.All("tag")) record.tags.push_back(tag);
  record.command = WithoutSecrets(plan.command);
  std::error_code problem;
  record.cwd = std::filesystem::current_path(problem).string();
  record.host = HostName();
  record.user_id = ::getuid();
  record.environment = WritableEnvironment(plan.environment);
  SetVersion(record, "telltale", kVersion);
  utsname system = {};
  if (::uname(&system) == 0) SetVersion(record, "linux", system.release);

  const std::string script = ScriptOfCommand(plan.command);
  if (!script.empty() && !arguments.Has("no-git") && !arguments.Has("no-source")) {
    plan.script = std::filesystem::absolute(script, problem).string();
  }
  plan.keeps_logs = !arguments.Has("no-logs");
  plan.asks_git = !arguments.Has("no-git");
  plan.samples_machine = !arguments.Has("no-monitor");
  if (!arguments.Has("no-sample")) {
    plan.sample_period_ns =
        1'000'000'000 / arguments.Integer("sample-rate").value_or(kUsualSampleRate);
  } else if (arguments.Has("sample-rate") || out.profilers.Has("sample")) {
    return arguments.Wrong(arguments.Has("sample-rate") ? "sample-rate" : "profile",
                           "asks for what --no-sample leaves out");
  }
  out.records_python = !arguments.Has("no-python");
  if (out.records_python) {
    out.injector = FindInjector(plan.environment.Get("TELLTALE_PYTHON_DIR"), OwnProgram());
    if (out.injector.empty()) {
      record.remarks.emplace_back(
          "the Python package was not found beside the program: steps, configuration and curves "
          "of Python programs are recorded only where they import telltale themselves");
    }
  }
  for (const Recorded& item : kRecorded) {
    if (arguments.Has(item.option)) continue;
    if (item.is_python && (!out.records_python || out.injector.empty())) continue;
    if (item.name == "python" && out.injector.empty()) continue;
    record.recorded.emplace_back(item.name);
  }
  return out;
}

// What the program finds in its environment.
void SetEnvironment(Decided& decided) {
  Environment& environment = decided.plan.environment;
  environment.Set("TELLTALE_RUN_DIR", decided.plan.folder.path);
  environment.Set("TELLTALE_RUN_ID", decided.plan.record.id);
  environment.Set("TELLTALE_LIVE", decided.plan.folder.LiveName());
  environment.Set("TELLTALE_PROGRAM", OwnProgram());
  std::string recorded;
  for (const Recorded& item : kRecorded) {
    if (!item.is_python) continue;
    const auto& names = decided.plan.record.recorded;
    if (std::ranges::find(names, item.name) == names.end()) continue;
    if (!recorded.empty()) recorded += ',';
    recorded += item.name;
  }
  environment.Set("TELLTALE_RECORD", recorded);
  // Not those of a run that this one is started in.
  environment.Unset("TELLTALE_PROFILE");
  environment.Unset("TELLTALE_PROFILER");
  if (!decided.profilers.names.empty()) {
    environment.Set("TELLTALE_PROFILE", decided.profilers.Names());
    environment.Set("TELLTALE_PROFILER", ToJsonText(decided.profilers.settings));
  }
  SetQuickRun(environment, decided.quick_run);
  if (!decided.injector.empty()) PrependPythonPath(environment, decided.injector);
}

// What of args.txt is known before the program says its own.
void WriteArgs(Decided& decided) {
  std::string text = QuickRunArgs(decided.quick_run);
  for (const auto& [name, value] : decided.profilers.ToArgs()) {
    text += fmt::format("{}: {}\n", name, value);
  }
  if (text.empty()) return;
  if (const Result<void> written = WriteWhole(decided.plan.folder.Args(), text, false); !written) {
    decided.plan.record.remarks.push_back("args.txt: " + written.error().message);
  }
}

// The first lines of a text.
std::string_view FirstLines(std::string_view text, size_t most) {
  size_t end = 0;
  for (size_t line = 0; line < most && end != std::string::npos; ++line) {
    end = text.find('\n', end == 0 ? 0 : end + 1);
  }
  return text.substr(0, end);
}

// The beginning of the table that `simple` has made of the program's actions.
std::string SimpleWords(const RunFolder& folder, const std::string& shown) {
  constexpr size_t kMostBytes = size_t{16} << 20;
  const Result<std::string> text =
      ReadSmallFile(folder.path + "/profiler/simple.txt", {}, kMostBytes);
  if (!text) {
    return "simple: no action was recorded: the program is no training that is known, and names no "
           "spans";
  }
  return fmt::format("simple: wall time of each action; all of it: {}/profiler/simple.txt\n{}",
                     shown, FirstLines(*text, 14));
}

// Writes advanced.txt; its beginning.
std::string AdvancedWords(const RunFolder& folder, const std::string& shown) {
  Result<std::string> text = CallsReport(folder.path + "/profiler/advanced");
  if (text && text->empty()) {
    return "advanced: no call was recorded: the program is not Python, or a Python that takes no "
           "PYTHONPATH (-I, -E, -S)";
  }
  if (text) {
    const Result<void> written = WriteWhole(folder.path + "/profiler/advanced.txt", *text, false);
    if (!written) text = tl::unexpected(written.error());
  }
  if (!text) return "advanced: " + text.error().message;
  return fmt::format(
      "advanced: every function; more: {0}/profiler/advanced.txt, {0}/profiler/advanced/*.prof, "
      "telltale profile {0}\n{1}",
      shown, FirstLines(*text, 20));
}

// What the profilers have to say when the program has ended, in lines.
std::vector<std::string> ProfilerWords(const RunFolder& folder, const std::string& shown,
                                       const TraceReader::Outcome& outcome) {
  std::vector<std::string> out;
  if (!outcome.is_done) {
    out.push_back("its traces are still being read; ask later: telltale profile " + shown);
  } else if (!outcome.answer.empty()) {
    out.push_back(outcome.answer);
    out.push_back(
        fmt::format("operators: {0}/profiler/operators.txt; more: telltale profile {0}", shown));
  }
  if (!outcome.problem.empty()) out.push_back(outcome.problem);
  if (const Result<RunRecord> record = ReadRunRecord(folder); record) {
    for (const std::string& remark : record->remarks) {
      if (remark.starts_with("ops: ")) out.push_back(remark);
    }
  }
  if (out.empty()) {
    out.emplace_back("ops: no trace was written: no process was seen to make a step with torch");
  }
  return out;
}

int PrintPlan(const Decided& decided, const std::string& program, const Arguments& arguments) {
  const RecordPlan& plan = decided.plan;
  std::string out = "Nothing is started: this is what would be recorded.\n\n";
  const auto line = [&](std::string_view name, std::string_view text) {
    out += fmt::format("  {:<12} {}\n", name, Safe(text));
  };
  std::string command;
  for (const std::string& word : plan.record.command) {
    command += (command.empty() ? "" : " ") + word;
  }
  line("command", command);
  line("program", program);
  line("folder", fmt::format("{}/<UTC start>_{}", decided.root, FileNameOf(plan.record.name)));
  line("name", plan.record.name);
  if (plan.record.experiment) line("experiment", *plan.record.experiment);
  if (plan.record.group) line("group", *plan.record.group);
  for (const std::string& tag : plan.record.tags) line("tag", tag);
  if (plan.record.note) line("note", *plan.record.note);
  if (!plan.script.empty()) line("script", plan.script + " (a copy is kept)");
  std::string variables;
  for (const auto& [name, value] : plan.record.environment) {
    variables += (variables.empty() ? "" : ", ") + name;
  }
  if (!variables.empty()) line("environment", variables + "; nothing else of it");
  out += "\nRecorded\n";
  for (const Recorded& item : kRecorded) {
    const auto& names = plan.record.recorded;
    const bool is_on = std::ranges::find(names, item.name) != names.end();
    const std::string_view why = is_on                        ? ""
                                 : arguments.Has(item.option) ? " (off)"
                                 : arguments.Has("no-python") ? " (off: --no-python)"
                                                              : " (off: no Python package)";
    out += fmt::format("  {} {:<10} {}{}\n", is_on ? "+" : "-", item.name, item.what, why);
  }
  if (!decided.profilers.names.empty()) {
    out += "\nProfilers\n";
    for (const RunProfiler& profiler : RunProfilers()) {
      if (!decided.profilers.Has(profiler.name)) continue;
      out += fmt::format("  + {:<10} {}\n", profiler.name, profiler.what);
      std::string settings;
      for (const RunProfilerSetting& setting : RunProfilerSettings()) {
        if (setting.profiler != profiler.name) continue;
        const std::string key = setting.Key();
        settings += fmt::format("{}{}={}", settings.empty() ? "" : " ", key,
                                TextOfSetting(decided.profilers.settings[key]));
      }
      if (!settings.empty()) out += fmt::format("    {:<10} {}\n", "", settings);
    }
  }
  if (plan.samples_machine) {
    out += fmt::format("\nThe machine is sampled every {} s.\n",
                       static_cast<double>(plan.interval_ns) / 1e9);
  }
  if (!decided.quick_run.IsNull()) out += fmt::format("\n{}\n", QuickRunLine(decided.quick_run));
  if (plan.sample_period_ns > 0) {
    out += fmt::format("\nStacks of Python programs are looked at {} times a second.\n",
                       1'000'000'000 / plan.sample_period_ns);
  }
  for (const std::string& remark : plan.record.remarks) out += fmt::format("\nNote: {}.\n", remark);
  DescriptorOutput output(STDOUT_FILENO);
  output.Write(out);
  return Finish(output);
}

// Of a quick run: never left unsaid, whatever else is.
void SayWhatBecameOf(const RecordPlan& plan) {
  const Result<RunRecord> record = ReadRunRecord(plan.folder);
  if (!record) {
    PrintError(record.error());
    return;
  }
  for (const std::string& line : QuickRunRemarks(record->quick_run)) PrintError(Safe(line));
}

}  // namespace

CommandSpec RunCommandSpec() {
  CommandSpec spec;
  spec.name = "run";
  spec.summary = "start a training program and record it, without a change to its code";
  spec.examples = {
      {"telltale run -- python train.py --lr 0.1",
       "logs, configuration, curves, steps and hardware in runs/<time>_train"},
      {"telltale run --name warmup --tag seed-1 -- torchrun --nproc-per-node 2 train.py",
       "all ranks are one run"},
      {"telltale run --profile ops --profile-steps 100..105 -- python train.py",
       "PyTorch's profiler on six steps; the answer stands in the terminal at the end"},
      {"telltale run --fast-dev-run=2 -- python train.py",
       "two batches of training, validation and test: does it run to its end?"},
      {"telltale run --profile simple -- python train.py",
       "how long it waits for data, and what forward, backward and the rest take"},
      {"telltale run --dry-run -- python train.py", "what would be recorded"},
  };
  spec.positionals = "COMMAND...";
  spec.rest_is_command = true;
  spec.options = {
      {.name = "name",
       .type = ParamType::kText,
       .value = "NAME",
       .help = "how the run is called",
       .default_text = "the script's name"},
      {.name = "experiment",
       .type = ParamType::kText,
       .value = "NAME",
       .help = "what the run is a part of"},
      {.name = "group",
       .type = ParamType::kText,
       .value = "NAME",
       .help = "runs that belong together, as the seeds of one setting"},
      {.name = "tag",
       .type = ParamType::kText,
       .value = "TAG",
       .help = "a word to find it by; may be given several times",
       .aliases = {"tags"},
       .repeats = true},
      {.name = "note",
       .type = ParamType::kText,
       .value = "TEXT",
       .help = "what is to be remembered of it",
       .aliases = {"notes"}},
      {.name = "root",
       .type = ParamType::kText,
       .value = "FOLDER",
       .help = "where the run's folder is made",
       .default_text = "TELLTALE_ROOT, else ./runs"},
      {.name = "env-file",
       .type = ParamType::kText,
       .value = "FILE",
       .help = "NAME=VALUE lines for the program's environment; may be given several times",
       .repeats = true},
      {.name = "interval",
       .type = ParamType::kText,
       .value = "SECONDS",
       .help = "how often the machine is sampled",
       .default_text = "1",
       .aliases = {"monitoring-interval", "monitoring-interval-seconds"}},
      {.name = "sample-rate",
       .type = ParamType::kInteger,
       .value = "HZ",
       .help = "how often a second the stacks of Python programs are looked at",
       .default_text = "100",
       .least = 1,
       .most = kMostSampleRate},
      {.name = "no-logs", .help = "do not keep what the program prints"},
      {.name = "no-monitor", .help = "do not sample the machine"},
      {.name = "no-sample", .help = "do not sample the functions of Python programs"},
      {.name = "no-git", .help = "do not ask git, keep no copy of the script"},
      {.name = "no-python", .help = "put nothing into Python programs"},
      {.name = "no-config", .help = "do not record their configuration"},
      {.name = "no-steps", .help = "do not look for their steps"},
      {.name = "no-spans", .help = "do not record their ranges of torch's record_function"},
      {.name = "no-trackers", .help = "do not record what they log to other tools"},
      {.name = "no-exceptions", .help = "do not record the exception that ends them"},
      {.name = "dry-run", .help = "print what would be recorded, and start nothing"},
      {.name = "quiet", .help = "do not say at the end where the run is"},
  };
  const std::vector<ParamSpec> profiling = RunProfilerOptions();
  const auto behind = std::ranges::find(spec.options, "no-logs", &ParamSpec::name);
  spec.options.insert(behind, profiling.begin(), profiling.end());
  spec.setting_groups = {"profiler"};
  std::ranges::move(QuickRunOptions(), std::back_inserter(spec.options));
  spec.option_prefix = "trainer.";
  spec.letters = {{'q', "quiet"}, {'n', "name"}};
  spec.sections = {
      QuickRunHelp(),
      {"What happens",
       {{"",
         "The program runs as without telltale: the same bytes on its terminal or pipes, the "
         "same signals, the same exit code. Its folder has run.json, args.txt, logs/, events/, "
         "monitor/ and source/; nothing is ever overwritten. `telltale runs` lists it, "
         "`telltale view` shows it while it runs. Variables whose names look like secrets are "
         "never written down."}}},
      {"Defaults",
       {{"", "./telltale.toml has flags for every run of a project; 'telltale init' writes one."}}},
      {"Exit codes",
       {{"N", "that of the program; 128 + the signal that ended it"},
        {"2", "wrong usage"},
        {"126", "the program could not be executed"},
        {"127", "there is no such program"}}},
  };
  const std::vector<HelpSection> profilers = RunProfilerHelp();
  spec.sections.insert(spec.sections.begin() + 1, profilers.begin(), profilers.end());
  return spec;
}

int RunCollect(std::span<const std::string> words) {
  if (words.size() != 1 || words[0].starts_with('-')) {
    PrintError(
        "'telltale collect RUN_FOLDER' is what programs start that begin to record by themselves");
    return kExitUsage;
  }
  return CollectAlone(words[0]) ? kExitFine : kExitCheckFailed;
}

int RunRun(const Arguments& given) {
  const Result<Arguments> with_defaults = WithRunDefaults(RunCommandSpec(), given);
  if (!with_defaults) return WrongUsage("run", with_defaults.error());
  const Arguments& arguments = *with_defaults;
  Result<Decided> decided = Decide(arguments);
  if (!decided) return WrongUsage("run", decided.error());
  RecordPlan& plan = decided->plan;
  bool found_unusable = false;
  plan.program = FindProgram(plan.command.front(), plan.environment.Get("PATH"), found_unusable);
  if (plan.program.empty()) {
    const std::string word = Safe(plan.command.front());
    PrintError(found_unusable
                   ? fmt::format("{} cannot be executed; to run a script name its interpreter, "
                                 "too: telltale run -- python {}",
                                 word, word)
                   : fmt::format("there is no program '{}'", word));
    return found_unusable ? kExitNotExecutable : kExitNotFound;
  }
  if (arguments.Has("dry-run")) return PrintPlan(*decided, plan.program, arguments);

  plan.record.start_ns = WallNow();
  const std::optional<JointRun> joint =
      JointRunOf(plan.environment, plan.command, plan.record.host);
  Result<RunFolder> folder =
      joint ? JoinRunFolder(decided->root, plan.record.name, plan.record.start_ns, *joint,
                            plan.record.host)
            : MakeRunFolder(decided->root, plan.record.name, plan.record.start_ns);
  if (!folder) {
    PrintError(folder.error());
    return kExitUsage;
  }
  plan.folder = *folder;
  if (joint) plan.record.id = JointRunId(*joint, plan.folder);
  SetEnvironment(*decided);
  WriteArgs(*decided);
  const bool writes_unicode = ChooseStyle({}, FactsAbout(STDERR_FILENO)).unicode;
  std::optional<TraceReader> reader;
  if (decided->profilers.Has("ops")) {
    reader.emplace(plan.folder.path + "/profiler", decided->profilers.settings, writes_unicode);
  }
  if (!decided->quick_run.IsNull()) PrintError(Safe(QuickRunLine(decided->quick_run)));
  const FrontResult result = RunInFront(plan);
  // Also where nothing is to be said: operators.txt is there when the command has ended.
  std::optional<TraceReader::Outcome> read;
  if (reader) read = reader->End();
  if (!result.problem.empty()) PrintError(Safe(result.problem));
  if (!decided->quick_run.IsNull()) SayWhatBecameOf(plan);
  std::error_code ignored;
  const std::filesystem::path shown =
      std::filesystem::proximate(plan.folder.path, plan.record.cwd, ignored);
  std::optional<std::string> advanced;
  if (decided->profilers.Has("advanced")) advanced = AdvancedWords(plan.folder, shown.string());
  if (!result.line.empty() && !arguments.Has("quiet")) {
    PrintError(fmt::format("{}: {}", Safe(result.line), Safe(shown.string())));
    if (decided->profilers.Has("simple")) {
      PrintError(SafeLines(SimpleWords(plan.folder, shown.string())));
    }
    if (advanced) PrintError(SafeLines(*advanced));
    if (read) {
      std::string text;
      for (const std::string& line : ProfilerWords(plan.folder, shown.string(), *read)) {
        text += (text.empty() ? "" : "\n") + Printable(line, writes_unicode);
      }
      PrintError(text);
    }
  }
  return result.exit_code;
}

}  // namespace telltale
