// SPDX-License-Identifier: Apache-2.0
// Samples a program from outside: all Python threads of a process and of those it started. Nothing
// is put into them, and none is stopped: their memory is read while they run. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/samples/writer.h"
#include "sample/process_sampler.h"
#include "sample/process_tree.h"

namespace telltale {

constexpr int64_t kUsualSampleRate = 100;
constexpr int64_t kMostSampleRate = 1000;

class ProgramSampler {
 public:
  ProgramSampler(int root, int64_t period_ns, SamplesWriter& writer);

  // `now_ns`: of a clock that never jumps.
  void Sample(int64_t now_ns);
  // Why some process was not sampled.
  [[nodiscard]] const std::vector<std::string>& lacking() const { return share_.lacking; }

 private:
  SamplingShare share_;
  ProcessTree tree_;
  std::map<int, std::unique_ptr<ProcessSampler>> processes_;
  int64_t next_update_ns_ = 0;
};

}  // namespace telltale
