// SPDX-License-Identifier: Apache-2.0
//
// What the trace generator was asked for, and its random numbers. No behaviour beyond that.

#ifndef TESTS_GENERATORS_TRACE_OPTIONS_H_
#define TESTS_GENERATORS_TRACE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace generator {

enum class Era { kNew, k2_4, k2_4Absolute, k1_12, k1_9 };
enum class Scenario { kHealthy, kDataLoader, kLaunchBound, kCommunication, kSync };

struct Options {
  std::string out = "-";
  std::string expect;
  int64_t size_bytes = 0;
  int64_t steps = 0;
  int layers = 0;
  uint64_t seed = 1;
  int rank = 0;
  int world = 8;
  Era era = Era::kNew;
  Scenario scenario = Scenario::kHealthy;
  bool gpu = true;
  bool stack = true;
  bool memory = true;

  bool nanoseconds() const { return era != Era::k1_12 && era != Era::k1_9; }
  bool legacy() const { return era == Era::k1_12 || era == Era::k1_9; }
  bool distributed() const { return gpu && world > 1; }
  int sm_count() const { return legacy() ? 108 : 132; }  // of an A100 or H100
};

constexpr int kDefaultLayers = 12;
constexpr int kFirstStep = 2;  // the schedule waited and warmed up for two steps
constexpr int kComputeStream = 7;
constexpr int kCommunicationStream = 20;
constexpr size_t kLaunchQueueDepth = 1024;  // CUDA blocks a launch when this many are pending

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) { Next(); }
  uint32_t Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 32);
  }

 private:
  uint64_t state_;
};

inline uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace generator

#endif  // TESTS_GENERATORS_TRACE_OPTIONS_H_
