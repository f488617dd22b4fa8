// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes, cut into blocks of any size, read by one and by two threads, must
// give the same trace and never crash; where the bytes are JSON, simdjson must agree.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/kineto_json/reader.h"
#include "formats/kineto_json/simdjson_oracle.h"
#include "formats/kineto_json/trace_dump.h"
#include "io/byte_source.h"

namespace {

using telltale::ReadOptions;
using telltale::Result;
using telltale::Trace;

Result<Trace> Read(std::string_view text, unsigned threads, size_t block_bytes, size_t chunk) {
  ReadOptions options;
  options.threads = threads;
  options.block_bytes = block_bytes;
  const auto source = telltale::OpenMemory(text, chunk);
  return telltale::ReadKinetoJson(*source, options);
}

std::string Dump(const Result<Trace>& trace) {
  return trace ? telltale::DumpTrace(*trace) : "error: " + trace.error().message;
}

void Check(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  // The first byte chooses the block size; the rest is the text.
  const size_t block_bytes = size_t{1} + data[0] * 3U;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Result<Trace> whole = Read(text, 1, size_t{1} << 20, SIZE_MAX);
  const Result<Trace> cut = Read(text, 2, block_bytes, 7);
  const std::string expected = Dump(whole);
  const std::string found = Dump(cut);
  Check(expected == found, "blocks of " + std::to_string(block_bytes) + " bytes differ:\n" +
                               expected + "--- cut:\n" + found);
  const std::string difference = telltale::CompareWithSimdjson(text, whole);
  Check(difference.empty(), difference);
  return 0;
}
