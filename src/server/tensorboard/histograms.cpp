// SPDX-License-Identifier: Apache-2.0
// Histograms over steps, and as bands of nine quantiles.
#include <array>

#include <fmt/format.h>

#include "analysis/series/histogram.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/histogram_values.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/stored_values.h"
#include "server/tensorboard/tag_index.h"

namespace telltale {

namespace {

constexpr std::string_view kHistograms = "histograms";
HttpResponse AnswerTags(const DataContext& context, const DataRequest& /*request*/) {
  return TagIndex(context, kHistograms);
}

std::string BucketsJson(const std::vector<HistogramBucket>& buckets) {
  std::string out = "[";
  for (const HistogramBucket& bucket : buckets) {
    out += out.size() > 1 ? ",[" : "[";
    AppendJsonNumber(bucket.left, out);
    out += ',';
    AppendJsonNumber(bucket.right, out);
    out += ',';
    AppendJsonNumber(bucket.count, out);
    out += ']';
  }
  return out + "]";
}

std::string QuantilesJson(const std::vector<HistogramBucket>& buckets) {
  const std::array<double, kDistributionBasisPoints.size()> values = Distribution(buckets);
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    out += fmt::format("{}[{},{}]", i > 0 ? "," : "", kDistributionBasisPoints[i],
                       JsonNumber(values[i]));
  }
  return out + "]";
}

HttpResponse AnswerStepsOfHistograms(const DataContext& context, const DataRequest& request,
                                     std::string (*json)(const std::vector<HistogramBucket>&)) {
  const std::optional<std::string_view> run = request.Argument("run");
  const std::optional<std::string_view> tag = request.Argument("tag");
  if (!run || !tag) return InvalidArgument("Both run and tag must be specified");
  const FoundValues found = FindValues(context, *run, *tag, kHistograms);
  if (!found.found) {
    return NotFound(
        fmt::format("No histogram tag {} for run {}", PythonQuoted(*tag), PythonQuoted(*run)));
  }
  std::string out = "[";
  ForEachHistogram(context.board.gate(), found.values, [&](const HistogramStep& step) {
    out += fmt::format("{}[{},{},{}]", out.size() > 1 ? "," : "", JsonNumber(step.wall_time),
                       step.step, json(step.buckets));
  });
  return JsonResponse(out + "]");
}

HttpResponse AnswerHistograms(const DataContext& context, const DataRequest& request) {
  return AnswerStepsOfHistograms(context, request, BucketsJson);
}

HttpResponse AnswerDistributions(const DataContext& context, const DataRequest& request) {
  return AnswerStepsOfHistograms(context, request, QuantilesJson);
}

}  // namespace

std::span<const DataRoute> HistogramDataRoutes() {
  static constexpr std::array<DataRoute, 4> kRoutes = {{
      {"plugin/histograms/tags", AnswerTags},
      {"plugin/histograms/histograms", AnswerHistograms, DataMethod::kGet, true},
      {"plugin/distributions/tags", AnswerTags},
      {"plugin/distributions/distributions", AnswerDistributions, DataMethod::kGet, true},
  }};
  return kRoutes;
}

}  // namespace telltale
