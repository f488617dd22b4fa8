// SPDX-License-Identifier: Apache-2.0
// Writes a folder of event files for benchmarks: runs of a training that logs some tags every ten
// steps, in the old style, as torch's SummaryWriter does by default.
//   make_events --out DIR [--runs 1] [--tags 20] [--points 250000]
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tfevents/writer.h"
#include "io/byte_sink.h"

namespace {

struct Options {
  std::string out;
  size_t runs = 1;
  size_t tags = 20;
  size_t points = 250'000;
};

int Usage() {
  std::cerr << "usage: make_events --out DIR [--runs N] [--tags N] [--points N]\n";
  return 2;
}

bool Parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--out") {
      options.out = value;
    } else if (name == "--runs") {
      options.runs = std::stoul(value);
    } else if (name == "--tags") {
      options.tags = std::stoul(value);
    } else if (name == "--points") {
      options.points = std::stoul(value);
    } else {
      return false;
    }
  }
  return argc % 2 == 1 && !options.out.empty();
}

bool WriteRun(const Options& options, size_t run) {
  std::string number = std::to_string(run);
  number.insert(0, 4 - std::min<size_t>(4, number.size()), '0');
  const std::filesystem::path folder = std::filesystem::path(options.out) / ("run_" + number);
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "events.out.tfevents.1790000000.lab.1.0").string();
  auto sink = telltale::OpenFileSink(path, telltale::SinkCompression::kNone);
  if (!sink) {
    std::cerr << sink.error().message << '\n';
    return false;
  }
  telltale::tfevents::EventWriter writer(**sink);
  std::mt19937 random(static_cast<unsigned>(run));
  std::normal_distribution<double> noise;
  std::vector<telltale::SeriesTag> tags(options.tags);
  for (size_t tag = 0; tag < tags.size(); ++tag) {
    tags[tag].tag = (tag % 2 == 0 ? "train/metric_" : "val/metric_") + std::to_string(tag);
    tags[tag].plugin = "scalars";
  }
  double time = 1'790'000'000 + static_cast<double>(run);
  for (size_t point = 0; point < options.points; ++point) {
    time += 0.1 + 0.01 * std::abs(noise(random));
    for (size_t tag = 0; tag < tags.size(); ++tag) {
      const double loss =
          2 / std::sqrt(1 + static_cast<double>(point + tag)) + 0.05 * noise(random);
      writer.Scalar(tags[tag],
                    {static_cast<int64_t>(point) * 10, time + 1e-5 * static_cast<double>(tag),
                     double{static_cast<float>(loss)}},
                    point == 0);
    }
  }
  const auto closed = (*sink)->Close();
  if (!closed) std::cerr << closed.error().message << '\n';
  return closed.has_value();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!Parse(argc, argv, options)) return Usage();
  for (size_t run = 0; run < options.runs; ++run) {
    if (!WriteRun(options, run)) return 1;
  }
  return 0;
}
