// SPDX-License-Identifier: Apache-2.0
#include "cli/loading.h"

#include "cli/commands.h"

namespace telltale {

Result<Subject> LoadWithProgress(std::span<const std::string> paths, std::optional<int64_t> rank,
                                 unsigned threads, Progress& progress, bool call_pairs, bool series,
                                 FolderContent wanted) {
  LoadOptions options;
  options.threads = threads;
  options.rank = rank;
  options.call_pairs = call_pairs;
  options.series = series;
  options.progress = [&](uint64_t done, uint64_t total) { progress.Update(done, total); };
  Result<Subject> subject = LoadWanted(paths, options, wanted);
  if (subject && (!subject->failures.empty() || !subject->notes.empty())) {
    progress.Finish();
    for (const Error& failure : subject->failures) PrintError(failure);
    for (const std::string& note : progress.quiet() ? std::vector<std::string>() : subject->notes) {
      PrintError(note);
    }
  }
  return subject;
}

}  // namespace telltale
