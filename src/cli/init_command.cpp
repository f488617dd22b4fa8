// SPDX-License-Identifier: Apache-2.0
// `telltale init`: files that a project keeps. telltale.toml has the usual flags of `telltale run`;
// `telltale init vscode` adds to .vscode/launch.json and tasks.json.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/jsonc.h"
#include "cli/run_defaults.h"
#include "collect/files.h"
#include "io/byte_source.h"

namespace telltale {

namespace {

constexpr size_t kMostSettings = size_t{1} << 20;

struct Configuration {
  std::string_view name;
  std::string_view how;  // the lines of it that differ
};
constexpr std::array<Configuration, 5> kLaunches = {{
    {"Telltale: current file", "\"program\": \"${file}\""},
    {"Telltale: module", "\"module\": \"${input:telltaleModule}\""},
    {"Telltale: current file with arguments",
     "\"program\": \"${file}\",\n  \"args\": \"${command:pickArgs}\""},
    {"Telltale: quick run of the current file", ""},
    {"Telltale: attach to a process", ""},
}};

// A debugger starts the program itself; the shell command around it is what records.
std::string Launch(const Configuration& configuration) {
  constexpr std::string_view kEnd =
      "  \"console\": \"integratedTerminal\",\n  \"justMyCode\": false\n}";
  if (configuration.name == kLaunches[3].name) {
    return fmt::format(
        "{{\n  \"name\": \"{}\",\n  \"type\": \"node-terminal\",\n  \"request\": \"launch\",\n"
        "  \"command\": \"telltale run --fast-dev-run=2 -- python ${{file}}\",\n"
        "  \"justMyCode\": false\n}}",
        configuration.name);
  }
  if (configuration.name == kLaunches[4].name) {
    return fmt::format(
        "{{\n  \"name\": \"{}\",\n  \"type\": \"debugpy\",\n  \"request\": \"attach\",\n"
        "  \"processId\": \"${{command:pickProcess}}\",\n  \"justMyCode\": false\n}}",
        configuration.name);
  }
  return fmt::format(
      "{{\n  \"name\": \"{}\",\n  \"type\": \"debugpy\",\n  \"request\": \"launch\",\n  {},\n{}",
      configuration.name, configuration.how, kEnd);
}

std::vector<JsoncEntry> Launches() {
  std::vector<JsoncEntry> out;
  for (const Configuration& configuration : kLaunches) {
    out.push_back({std::string(configuration.name), Launch(configuration)});
  }
  return out;
}

std::vector<JsoncEntry> Inputs() {
  return {{"telltaleModule",
           "{\n  \"id\": \"telltaleModule\",\n  \"type\": \"promptString\",\n  \"description\": "
           "\"Module to run, as python -m has it\"\n}"}};
}

std::vector<JsoncEntry> Tasks() {
  const auto task = [](std::string_view label, std::string_view command) {
    return JsoncEntry{
        std::string(label),
        fmt::format("{{\n  \"label\": \"{}\",\n  \"type\": \"shell\",\n  \"command\": "
                    "\"{}\",\n  \"isBackground\": true,\n  \"problemMatcher\": []\n}}",
                    label, command)};
  };
  return {task("Telltale: open the dashboard", "telltale view ${workspaceFolder}/runs"),
          task("Telltale: run the current file", "telltale run -- python ${file}")};
}

Result<std::string> Existing(const std::string& path, std::string_view otherwise) {
  std::error_code problem;
  if (!std::filesystem::exists(path, problem)) return std::string(otherwise);
  return ReadSmallFile(path, {}, kMostSettings);
}

// Writes where something changes, and says so.
bool Put(const std::string& path, const std::string& before, const std::string& after,
         std::string& said) {
  std::error_code problem;
  if (before == after && std::filesystem::exists(path, problem)) {
    said += fmt::format("{}: has all of it already\n", path);
    return true;
  }
  if (Result<void> written = WriteWhole(path, after, true); !written) {
    PrintError(written.error());
    return false;
  }
  said += fmt::format("{}: written\n", path);
  return true;
}

int InitVscode(std::string& said) {
  std::error_code problem;
  std::filesystem::create_directories(".vscode", problem);
  struct File {
    std::string path;
    std::string_view empty;
    std::vector<std::tuple<std::string_view, std::string_view, std::vector<JsoncEntry>>> lists;
  };
  const std::array<File, 2> files = {{
      {".vscode/launch.json",
       "{\n  \"version\": \"0.2.0\"\n}\n",
       {{"configurations", "name", Launches()}, {"inputs", "id", Inputs()}}},
      {".vscode/tasks.json", "{\n  \"version\": \"2.0.0\"\n}\n", {{"tasks", "label", Tasks()}}},
  }};
  for (const File& file : files) {
    const Result<std::string> before = Existing(file.path, file.empty);
    if (!before) {
      PrintError(before.error());
      return kExitUsage;
    }
    std::string after = *before;
    for (const auto& [list, name, entries] : file.lists) {
      Result<std::string> more = WithEntries(after, list, name, entries);
      if (!more) {
        PrintError(fmt::format("{} is left as it is: {}", file.path, more.error().message));
        return kExitUsage;
      }
      after = std::move(*more);
    }
    if (!Put(file.path, *before, after, said)) return kExitCheckFailed;
  }
  return kExitFine;
}

int InitProject(std::string& said) {
  std::error_code problem;
  if (std::filesystem::exists(kRunDefaultsFile, problem)) {
    PrintError(fmt::format("{} is there already, and is left as it is", kRunDefaultsFile));
    return kExitUsage;
  }
  return Put(std::string(kRunDefaultsFile), "", RunDefaultsTemplate(), said) ? kExitFine
                                                                             : kExitCheckFailed;
}

}  // namespace

CommandSpec InitCommandSpec() {
  CommandSpec spec;
  spec.name = "init";
  spec.summary = "prepare a project: telltale.toml, or an editor's launch configurations";
  spec.examples = {
      {"telltale init", "telltale.toml: the usual flags of telltale run, as remarks"},
      {"telltale init vscode",
       "adds to .vscode/launch.json and tasks.json what is not there yet; the rest stays"},
  };
  spec.positionals = "[vscode]";
  spec.needs_positional = false;
  spec.sections = {{"Exit codes",
                    {{"0", "done"},
                     {"1", "a file could not be written"},
                     {"2", "wrong usage, or a file that is left as it is"}}}};
  return spec;
}

int RunInit(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.positionals();
  if (words.size() > 1 || (words.size() == 1 && words[0] != "vscode")) {
    return WrongUsage(
        "init", {ErrorCode::kUsage, "'telltale init' takes vscode, or nothing", std::nullopt});
  }
  std::string said;
  const int code = words.empty() ? InitProject(said) : InitVscode(said);
  DescriptorOutput output(STDOUT_FILENO);
  output.Write(said);
  const int written = Finish(output);
  return code != kExitFine ? code : written;
}

}  // namespace telltale
