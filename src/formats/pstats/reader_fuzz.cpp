// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes, whole or in small chunks, must give the same profile, and never
// crash or hold more than the input is worth.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "formats/pstats/reader.h"
#include "io/byte_source.h"

namespace {

using telltale::FunctionProfile;
using telltale::Result;

// `callers`: also who called whom, and functions that the file names as callers only.
std::string Dump(const Result<FunctionProfile>& profile, bool callers = true) {
  if (!profile) return "error: " + profile.error().message;
  std::string out;
  const auto totals = [](const telltale::CallTotals& t) {
    return std::to_string(t.calls) + " " + std::to_string(t.primitive_calls) + " " +
           std::to_string(t.self_s) + " " + std::to_string(t.total_s) + "\n";
  };
  for (size_t f = 0; f < profile->functions.size(); ++f) {
    if (!callers && !profile->totals[f].in_profile) continue;
    const telltale::Function& function = profile->functions[f];
    out += std::string(profile->Text(function.file)) + ":" + std::to_string(function.line) + " " +
           std::string(profile->Text(function.name)) + " " +
           std::to_string(profile->totals[f].in_profile) + " " + totals(profile->totals[f]);
  }
  for (const telltale::CallPair& pair : profile->pairs) {
    if (!callers) break;
    out += std::to_string(pair.caller) + ">" + std::to_string(pair.callee) + " " +
           std::to_string(pair.has_times) + " " + totals(pair.totals);
  }
  for (const telltale::Diagnostic& d : profile->diagnostics.entries()) {
    out += std::to_string(static_cast<int>(d.kind)) + " " + std::to_string(d.count) + " " +
           std::to_string(d.first_offset.value_or(0)) + "\n";
  }
  return out;
}

void Check(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  // The first byte chooses the chunk; the rest is the file.
  const size_t chunk = size_t{1} + data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole_source = telltale::OpenMemory(bytes);
  const auto cut_source = telltale::OpenMemory(bytes, chunk);
  const Result<FunctionProfile> whole = telltale::ReadPstats(*whole_source, {});
  const Result<FunctionProfile> cut = telltale::ReadPstats(*cut_source, {});
  Check(Dump(whole) == Dump(cut), "chunks of " + std::to_string(chunk) + " bytes differ");
  telltale::ReadOptions functions_only;
  functions_only.call_pairs = false;
  const auto functions_source = telltale::OpenMemory(bytes);
  const Result<FunctionProfile> functions = telltale::ReadPstats(*functions_source, functions_only);
  Check(Dump(whole, false) == Dump(functions, false), "without pairs the functions differ");
  Check(!functions || (functions->pairs.empty() && functions->has_pairs == !whole->pairs.empty()),
        "pairs were kept, or it is not known that there are any");
  if (whole) {
    Check(whole->totals.size() == whole->functions.size(), "totals are not one per function");
    Check(whole->pairs.size() <= bytes.size() + 1000, "more pairs than the input can hold");
    for (const telltale::CallPair& pair : whole->pairs) {
      Check(pair.caller < whole->functions.size() && pair.callee < whole->functions.size(),
            "a pair leads to no function");
    }
  }
  return 0;
}
