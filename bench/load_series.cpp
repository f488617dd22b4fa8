// SPDX-License-Identifier: Apache-2.0
// Loads all event files below a folder, every point kept, and draws a line of ten million points at
// any zoom. Prints one JSON object (bench/README.md). The best of some rounds; each starts anew.
//   load_series DIR [ROUNDS]
//   load_series --lines [POINTS]
#include <sys/resource.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "analysis/series/line.h"
#include "formats/load.h"
#include "formats/tfevents/reader.h"

namespace {

using telltale::JoinedScalars;
using telltale::LineAxis;
using telltale::SeriesSet;

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

// Of this thread: a line is made by one, and the machine may be busy.
double ProcessorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Of all threads of the process.
double AllProcessorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

size_t PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

int Load(const std::string& folder, int rounds) {
  std::vector<telltale::InputFile> files;
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || !telltale::IsEventFileName(entry.path().string())) continue;
    files.push_back({entry.path().string(), "", std::nullopt, std::nullopt});
    bytes += entry.file_size();
  }
  double best = 1e9;
  double best_processor = 1e9;
  size_t points = 0;
  size_t memory = 0;
  size_t peak = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const double processor = AllProcessorSeconds();
    const auto subject = telltale::LoadFiles(files, {}, {});
    best = std::min(best, Seconds(start));
    best_processor = std::min(best_processor, AllProcessorSeconds() - processor);
    if (!subject) {
      std::cerr << subject.error().message << '\n';
      return 1;
    }
    points = 0;
    for (const SeriesSet* const set : subject->Each<SeriesSet>()) points += set->points();
    memory = subject->memory_bytes();
    if (round == 0) peak = PeakBytes();  // later ones hold what the allocator kept
  }
  const auto count = static_cast<double>(points);
  std::cout << "{\"files\": " << files.size() << ", \"bytes\": " << bytes
            << ", \"points\": " << points << ", \"seconds\": " << best
            << ", \"cpu_seconds\": " << best_processor << ", \"points_a_second\": " << count / best
            << ", \"bytes_a_point\": " << static_cast<double>(memory) / count
            << ", \"peak_bytes\": " << peak << "}\n";
  return 0;
}

double BestOf(const JoinedScalars& joined, const telltale::LineRequest& request) {
  constexpr int kRounds = 3;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double start = ProcessorSeconds();
    (void)telltale::MakeLine(joined, request);
    best = std::min(best, ProcessorSeconds() - start);
  }
  return best;
}

// The slowest of many zooms at many places.
int Lines(size_t points) {
  telltale::ScalarColumn column;
  std::mt19937 random(1);
  std::normal_distribution<double> noise;
  for (size_t i = 0; i < points; ++i) {
    column.Append(static_cast<int64_t>(i), 1.79e9 + 0.1 * static_cast<double>(i),
                  double{static_cast<float>(noise(random))});
  }
  column.ShrinkToFit();
  const JoinedScalars joined(column);
  double slowest[2] = {0, 0};
  double smoothed = 0;
  for (const LineAxis axis : {LineAxis::kStep, LineAxis::kRelative}) {
    const double length = static_cast<double>(points) * (axis == LineAxis::kStep ? 1.0 : 0.1);
    for (int zoom = 0; zoom < 12; ++zoom) {
      const double width = length / static_cast<double>(1 << zoom);
      for (int place = 0; place < 5; ++place) {
        telltale::LineRequest request;
        request.axis = axis;
        request.width = 1000;
        request.from = (length - width) * place / 4;
        request.to = *request.from + width;
        double& worst = slowest[axis == LineAxis::kStep ? 0 : 1];
        worst = std::max(worst, BestOf(joined, request));
        if (axis != LineAxis::kStep) continue;
        request.smoothing = 0.6;
        smoothed = std::max(smoothed, BestOf(joined, request));
      }
    }
  }
  std::cout << "{\"points\": " << points << ", \"bytes_a_point\": "
            << static_cast<double>(column.memory_bytes()) / static_cast<double>(points)
            << ", \"slowest_step_ms\": " << slowest[0] * 1e3
            << ", \"slowest_relative_ms\": " << slowest[1] * 1e3
            << ", \"slowest_smoothed_ms\": " << smoothed * 1e3 << "}\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: load_series DIR [ROUNDS] | --lines [POINTS]\n";
    return 2;
  }
  const std::string first = argv[1];
  if (first == "--lines") return Lines(argc > 2 ? std::stoul(argv[2]) : 10'000'000);
  return Load(first, argc > 2 ? std::stoi(argv[2]) : 3);
}
