// SPDX-License-Identifier: Apache-2.0
// The commands of the program: what each is called, takes and does. One file per command implements
// it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/options.h"
#include "views/render/output.h"

namespace telltale {

// Stable: scripts rely on them.
enum ExitCode : int {
  kExitFine = 0,
  kExitCheckFailed = 1,  // or a result could not be written
  kExitUsage = 2,
  kExitUnreadable = 3,
};
[[nodiscard]] int ExitCodeOf(ErrorCode code);

struct Command {
  CommandSpec (*spec)();
  // Returns an exit code; arguments are parsed and do not ask for help.
  int (*run)(const Arguments& arguments);
};

[[nodiscard]] std::span<const Command> Commands();
[[nodiscard]] const Command* FindCommand(std::string_view name);

// "telltale: <sentence>" on standard error; further lines are indented.
void PrintError(std::string_view message);
// An Error as a sentence, with its place.
void PrintError(const Error& error);
// The same of a command line that is wrong, with where to look; the exit code.
int WrongUsage(std::string_view command, const Error& error);
// Writes what is left of a result; the exit code.
int Finish(DescriptorOutput& output);
// That memory ran out.
void ComplainOfMemory() noexcept;

[[nodiscard]] CommandSpec DiffCommandSpec();
[[nodiscard]] CommandSpec InitCommandSpec();
[[nodiscard]] CommandSpec QueryCommandSpec();
[[nodiscard]] CommandSpec RunCommandSpec();
[[nodiscard]] CommandSpec RunsCommandSpec();
[[nodiscard]] CommandSpec ValidateCommandSpec();
int RunDiff(const Arguments& arguments);
int RunConvert(const Arguments& arguments);
int RunInit(const Arguments& arguments);
int RunMonitor(const Arguments& arguments);
int RunProfile(const Arguments& arguments);
int RunQuery(const Arguments& arguments);
// Not for people: `telltale collect RUN_FOLDER`.
int RunCollect(std::span<const std::string> words);
int RunRun(const Arguments& arguments);
int RunRuns(const Arguments& arguments);
int RunValidate(const Arguments& arguments);
int RunView(const Arguments& arguments);

// The whole program, from the words after its name to the exit code.
int RunTelltale(std::span<const std::string> words);

}  // namespace telltale
