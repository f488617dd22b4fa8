// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <unistd.h>

#include <array>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "cli/common_options.h"
#include "cli/convert_request.h"
#include "cli/monitor_request.h"
#include "cli/profile_options.h"
#include "cli/view_request.h"
#include "io/byte_source.h"
#include "views/profile_json.h"
#include "views/render/display.h"
#include "views/render/terminal.h"
#include "views/suggest.h"

namespace telltale {

namespace {

constexpr std::array<Command, 10> kCommands = {{
    {RunCommandSpec, RunRun},
    {ProfileCommandSpec, RunProfile},
    {ViewCommandSpec, RunView},
    {RunsCommandSpec, RunRuns},
    {DiffCommandSpec, RunDiff},
    {QueryCommandSpec, RunQuery},
    {ConvertCommandSpec, RunConvert},
    {ValidateCommandSpec, RunValidate},
    {MonitorCommandSpec, RunMonitor},
    {InitCommandSpec, RunInit},
}};

std::vector<std::string_view> CommandNames() {
  std::vector<std::string_view> names = {"help"};
  for (const Command& command : kCommands) names.push_back(command.spec().name);
  return names;
}

std::string ProgramHelp() {
  std::string out =
      "Example:\n  telltale profile trace.json.gz\n      why the training run is slow, and what to "
      "try\n";
  out += "\nUsage:\n  telltale COMMAND [options]\n\nCommands:\n";
  for (const Command& command : kCommands) {
    out += fmt::format("  {:<10} {}\n", command.spec().name, command.spec().summary);
  }
  out +=
      fmt::format("  {:<10} {}\n", "help", "show the options of a command: telltale help profile");
  out +=
      "\nOptions:\n  -h, --help     show this text\n  -V, --version  show the version\n\nExit "
      "codes:\n";
  for (const auto& [code, meaning] : ExitCodeSection().rows)
    out += fmt::format("  {}  {}\n", code, meaning);
  return out;
}

int Print(std::string_view text) {
  DescriptorOutput output(STDOUT_FILENO);
  output.Write(text);
  return Finish(output);
}

size_t HelpWidth() { return ChooseStyle({}, FactsAbout(STDOUT_FILENO)).width; }

int UnknownCommand(std::string_view word) {
  std::string message;
  const std::string shown = ShortenMiddle(Printable(word, true), 60, true);
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::path(word), ignored)) {
    message = fmt::format("'{}' is a file, not a command; to look into it: telltale profile {}",
                          shown, shown);
  } else {
    message = fmt::format("there is no command '{}'{}", shown, DidYouMean(word, CommandNames()));
  }
  PrintError(message + "\n'telltale --help' lists the commands");
  return kExitUsage;
}

// Values that stand in a file.
Result<void> ReadValueFiles(const CommandSpec& command, Arguments& arguments) {
  constexpr size_t kMost = size_t{1} << 16;  // a few lines are enough
  for (const std::string_view name : command.or_file) {
    const std::string value(arguments.Text(name));
    if (value.empty() || value.find('=') != std::string::npos) continue;
    const Result<std::string> text = ReadSmallFile(value, {}, kMost);
    if (!text) {
      return arguments.Wrong(
          name, "takes NAME=NUMBER,... or a file that holds them: " + text.error().message);
    }
    // Of two values the last one counts.
    if (Result<void> added = arguments.Add(*FindParam(command.options, name), *text); !added) {
      return added;
    }
  }
  return {};
}

int RunCommand(const Command& command, std::span<const std::string> words) {
  const CommandSpec spec = command.spec();
  Result<Arguments> arguments = ParseArguments(spec, words);
  if (arguments) {
    if (const Result<void> read = ReadValueFiles(spec, *arguments); !read) {
      arguments = tl::unexpected(read.error());
    }
  }
  if (!arguments) return WrongUsage(spec.name, arguments.error());
  if (arguments->Has("help")) return Print(HelpText(spec, HelpWidth()));
  return command.run(*arguments);
}

int Dispatch(std::span<const std::string> words) {
  if (words.empty()) {
    PrintError(
        "name a command, for example: telltale profile trace.json.gz\n"
        "'telltale --help' lists the commands");
    return kExitUsage;
  }
  const std::string& word = words[0];
  if (word == "--version" || word == "-V") return Print(fmt::format("telltale {}\n", kVersion));
  if (word == "--help" || word == "-h") return Print(ProgramHelp());
  if (word == "help") {
    if (words.size() == 1) return Print(ProgramHelp());
    const Command* command = FindCommand(words[1]);
    return command == nullptr ? UnknownCommand(words[1])
                              : Print(HelpText(command->spec(), HelpWidth()));
  }
  if (word == "collect") return RunCollect(words.subspan(1));
  if (const Command* command = FindCommand(word)) return RunCommand(*command, words.subspan(1));
  if (word.starts_with("-") && word != "-") {
    static constexpr std::array<std::string_view, 2> kOptions = {"help", "version"};
    const std::string_view name =
        std::string_view(word).substr(std::min(word.find_first_not_of('-'), word.size()));
    PrintError(fmt::format(
        "'{}' is no option of telltale itself{}\n'telltale --help' lists the commands",
        ShortenMiddle(Printable(word, true), 60, true), DidYouMean(name, kOptions, "--")));
    return kExitUsage;
  }
  return UnknownCommand(word);
}

bool IsLackOfMemory(const std::exception& problem) {
  if (dynamic_cast<const std::bad_alloc*>(&problem) != nullptr) return true;
  // A thread that could not be started.
  const auto* system = dynamic_cast<const std::system_error*>(&problem);
  return system != nullptr && (system->code() == std::errc::resource_unavailable_try_again ||
                               system->code() == std::errc::not_enough_memory);
}

// False: there was no memory for it.
bool PrintUnexpected(const std::exception& problem) noexcept {
  try {
    PrintError(
        fmt::format("something went wrong that should not have: {}; please report it with the file",
                    problem.what()));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

int ExitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return kExitUsage;
    case ErrorCode::kUnreadable:
      return kExitUnreadable;
    case ErrorCode::kUnwritable:
      return kExitCheckFailed;
    case ErrorCode::kCanceled:
      return 130;
  }
  return kExitUnreadable;
}

std::span<const Command> Commands() { return kCommands; }

const Command* FindCommand(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.spec().name == name) return &command;
  }
  return nullptr;
}

void PrintError(std::string_view message) {
  std::string out = "telltale: ";
  for (const char c : message) {
    out += c;
    if (c == '\n') out += "  ";
  }
  out += '\n';
  DescriptorOutput output(STDERR_FILENO);
  output.Write(out);
}

void PrintError(const Error& error) {
  const bool unicode = ChooseStyle({}, FactsAbout(STDERR_FILENO)).unicode;
  std::string message = Printable(error.message, unicode);
  if (error.offset) message += fmt::format(" (at byte {})", *error.offset);
  PrintError(message);
}

int WrongUsage(std::string_view command, const Error& error) {
  PrintError(fmt::format("{}\n'telltale {} --help' explains the options", error.message, command));
  return ExitCodeOf(error.code);
}

int Finish(DescriptorOutput& output) {
  output.Flush();
  if (const std::string problem = output.Problem(); !problem.empty()) {
    PrintError(problem);
    return kExitCheckFailed;
  }
  return kExitFine;
}

void ComplainOfMemory() noexcept {
  constexpr std::string_view kMessage =
      "telltale: there is not enough memory for the analysis; close other programs, or analyse "
      "less at once: fewer files, one rank (--rank)\n";
  // Nothing that takes memory.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
}

int RunTelltale(std::span<const std::string> words) {
  try {
    return Dispatch(words);
  } catch (const std::exception& problem) {
    if (IsLackOfMemory(problem) || !PrintUnexpected(problem)) ComplainOfMemory();
  }
  return kExitUnreadable;
}

}  // namespace telltale
