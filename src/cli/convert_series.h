// SPDX-License-Identifier: Apache-2.0
// `telltale convert` of event files: their points as CSV or JSON lines, or event files again,
// without what is damaged, of some steps, several files of a run as one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/convert.h"
#include "cli/convert_request.h"
#include "formats/load.h"
#include "io/byte_sink.h"

namespace telltale {

// Whether what was named is event files: then nothing else may be among it.
[[nodiscard]] Result<bool> AreEventFiles(std::span<const InputFile> inputs);

[[nodiscard]] Result<ConvertReport> ConvertSeries(const ConvertRequest& request,
                                                  std::span<const InputFile> inputs,
                                                  ByteSink& sink);

}  // namespace telltale
