// SPDX-License-Identifier: Apache-2.0
// What was found wrong with the input, as a table, for every command that shows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "views/profile.h"
#include "views/render/terminal.h"
#include "views/table_spec.h"

namespace telltale {

[[nodiscard]] TableSpec<FileDiagnostic> DiagnosticTable();

// What was read: the key `files` of documents.
[[nodiscard]] TableSpec<FileFacts> FileTable();
void WriteFiles(const Profile& profile, JsonWriter& json);

// A table; a list where the width is too small for one.
[[nodiscard]] std::string DiagnosticsText(const Profile& profile, std::vector<FileDiagnostic> rows,
                                          const OutputStyle& style);

struct CaptureTextRequest {
  bool is_view = false;  // asked for by name
  bool sorted = false;   // by the user; else the worst come first
  int64_t limit = 0;     // <= 0: all
};
// The part "About this capture": what could not be used and what was not captured. Empty if there
// is nothing to say and it is not asked for by name.
[[nodiscard]] std::string CaptureText(const Profile& profile, std::vector<FileDiagnostic> rows,
                                      const CaptureTextRequest& request, const OutputStyle& style);

}  // namespace telltale
