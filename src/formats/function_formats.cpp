// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "formats/collapsed/reader.h"
#include "formats/function_format.h"
#include "formats/importtime/reader.h"
#include "formats/lightning/reader.h"
#include "formats/perf_script/reader.h"
#include "formats/pprof/reader.h"
#include "formats/pstats/reader.h"
#include "formats/pyinstrument/reader.h"
#include "formats/speedscope/reader.h"

namespace telltale {

std::span<const FunctionFormat> FunctionFormats() {
  // clang-format off: one line each
  static const std::vector<FunctionFormat> formats = {
      SpeedscopeFormat(),
      PyinstrumentFormat(),
      PprofFormat(),
      ImportTimeFormat(),
      LightningSimpleFormat(),
      LightningAdvancedFormat(),
      PerfScriptFormat(),
      CollapsedFormat(),
      {"pstats", LooksLikePstats, ReadPstats},  // last: it takes any .prof that nobody else wants
  };
  // clang-format on
  return formats;
}

const FunctionFormat* FindFunctionFormat(std::string_view head, std::string_view path) {
  for (const FunctionFormat& format : FunctionFormats()) {
    if (format.matches(head, path)) return &format;
  }
  return nullptr;
}

}  // namespace telltale
