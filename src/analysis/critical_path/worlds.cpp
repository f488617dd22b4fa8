// SPDX-License-Identifier: Apache-2.0
#include "analysis/critical_path/worlds.h"

#include <algorithm>
#include <utility>

namespace telltale {

namespace {

// Each holds a number for every event.
constexpr unsigned kMostWorkers = 8;

PathRegionKind KindOf(std::span<const TraceContext> files, const std::string& annotation) {
  if (!annotation.empty()) return PathRegionKind::kAnnotation;
  const bool steps = std::any_of(files.begin(), files.end(), [](const TraceContext& context) {
    return context.steps.source != StepSource::kWholeTrace;
  });
  return steps ? PathRegionKind::kStep : PathRegionKind::kWholeTrace;
}

}  // namespace

unsigned RegionWorld::workers() const {
  const unsigned threads =
      std::min(kMostWorkers, ThreadCount(world.graphs[0].context->options.threads));
  return static_cast<unsigned>(std::clamp<size_t>(regions.size(), 1, threads));
}

RegionWorlds FindRegionWorlds(std::span<const TraceContext> files, const std::string& annotation,
                              uint64_t instance) {
  RegionWorlds worlds;
  worlds.kind = KindOf(files, annotation);
  if (files.size() > 1 && annotation.empty()) {
    PathWorld world = JoinRanks(files);
    std::vector<CriticalRegion> regions = CommonStepRegions(world);
    if (!world.graphs.empty() && !regions.empty()) {
      worlds.joined = true;
      worlds.all.push_back({std::move(world), std::move(regions)});
      return worlds;
    }
  }
  worlds.all.resize(files.size());
  std::vector<uint64_t> instances(files.size(), 0);
  const unsigned threads = files.empty() ? 1 : ThreadCount(files[0].options.threads);
  ForEachOnThreads(threads, files.size(), [&](size_t file) {
    RegionWorld& at = worlds.all[file];
    at.world.graphs.push_back(BuildPathGraph(files[file], 0));
    at.world.file.push_back(static_cast<uint32_t>(file));
    at.regions = annotation.empty()
                     ? StepRegions(at.world.graphs[0], 0)
                     : AnnotationRegions(at.world.graphs[0], annotation, instance, instances[file]);
  });
  for (const uint64_t of_file : instances) worlds.annotation_instances += of_file;
  return worlds;
}

}  // namespace telltale
