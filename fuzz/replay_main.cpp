// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target once over each file given, without libFuzzer: so the seeds and past crashes
// are part of a test run with any compiler. Ends by the target's own abort on a failure.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    // Flushed before the run, so that a crash shows its input.
    std::cout << argv[i] << std::endl;
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) return 1;
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  std::cout << argc - 1 << " inputs\n";
  return argc > 1 ? 0 : 1;
}
