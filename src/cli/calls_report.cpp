// SPDX-License-Identifier: Apache-2.0
#include "cli/calls_report.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "cli/options.h"
#include "cli/profile_options.h"
#include "runs/load.h"
#include "views/build_profile.h"
#include "views/render/document.h"
#include "views/render/terminal.h"
#include "views/shows_causes.h"

namespace telltale {

namespace {

namespace fs = std::filesystem;

// All functions are in the .prof; a page of each is to be read.
constexpr int kRows = 40;
constexpr std::string_view kEnding = ".prof";

// The text of `telltale profile FILE --like pstats`.
Result<std::string> PstatsOf(const std::string& path) {
  const std::vector<std::string> words = {path, "--like=pstats", "--sort=cumulative",
                                          fmt::format("--limit={}", kRows)};
  const Result<Arguments> arguments = ParseArguments(ProfileCommandSpec(), words);
  if (!arguments) return tl::unexpected(arguments.error());
  const Result<ProfileOptions> options = MakeProfileOptions(*arguments);
  if (!options) return tl::unexpected(options.error());
  LoadOptions load;
  load.call_pairs = false;
  const Result<Subject> subject = LoadTraces(std::span(&path, 1), load);
  if (!subject) return tl::unexpected(subject.error());
  const Result<PreparedProfile> prepared =
      PrepareWithoutCauses(*subject, options->request.analysis);
  if (!prepared) return tl::unexpected(prepared.error());
  const BuiltViews built = BuildViews(*prepared, options->request, Extent::kOverview);
  std::string text;
  for (const BuiltView& view : built.views) {
    text += DocumentText(view.document, options->request.limit, OutputStyle());
  }
  return text;
}

std::vector<fs::path> ProfilesIn(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (at->path().extension() == kEnding) out.push_back(at->path());
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

Result<std::string> CallsReport(const std::string& advanced_folder) {
  std::string out;
  for (const fs::path& process : ProfilesIn(advanced_folder)) {
    const std::string name = process.stem().string();
    const Result<std::string> whole = PstatsOf(process.string());
    if (!whole) return tl::unexpected(whole.error());
    out += fmt::format("{}Profile of {}, all of it\n{}", out.empty() ? "" : "\n", name, *whole);
    for (const fs::path& action : ProfilesIn(fs::path(advanced_folder) / name)) {
      const Result<std::string> part = PstatsOf(action.string());
      if (!part) return tl::unexpected(part.error());
      out += fmt::format("\nProfile of {}, action {}\n{}", name, action.stem().string(), *part);
    }
  }
  return out;
}

}  // namespace telltale
