// SPDX-License-Identifier: Apache-2.0
#include "cli/loading.h"

#include "cli/commands.h"

namespace telltale {

Result<Loaded> LoadWithProgress(std::span<const std::string> paths, std::optional<int64_t> rank,
                                unsigned threads, Progress& progress, bool call_pairs) {
  LoadOptions options;
  options.threads = threads;
  options.rank = rank;
  options.call_pairs = call_pairs;
  options.progress = [&](uint64_t done, uint64_t total) { progress.Update(done, total); };
  Result<Loaded> loaded = LoadTraces(paths, options);
  if (loaded && (!loaded->failures.empty() || !loaded->notes.empty())) {
    progress.Finish();
    for (const Error& failure : loaded->failures) PrintError(failure);
    for (const std::string& note : progress.quiet() ? std::vector<std::string>() : loaded->notes) {
      PrintError(note);
    }
  }
  return loaded;
}

}  // namespace telltale
