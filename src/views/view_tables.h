// SPDX-License-Identifier: Apache-2.0
// The tables of a profile as text: which columns a view has, what they are called, in what unit,
// and which leave first when room is short. The layout is table.h's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "views/profile.h"
#include "views/render/terminal.h"

namespace telltale {

// Whether any file recorded work on a device.
[[nodiscard]] bool HasDeviceEvents(const Profile& profile);

// One row per file: steps, step time, where the time goes.
[[nodiscard]] std::string FilesTable(const Profile& profile, const OutputStyle& style);
[[nodiscard]] std::string StepsTable(const Profile& profile, size_t limit,
                                     const OutputStyle& style);
[[nodiscard]] std::string DevicesTable(const Profile& profile, size_t limit,
                                       const OutputStyle& style);

struct OperatorTableRequest {
  size_t limit = 0;
  bool annotations = true;  // false: operators alone
};
[[nodiscard]] std::string OperatorsTable(const Profile& profile,
                                         const OperatorTableRequest& request,
                                         const OutputStyle& style);
[[nodiscard]] std::string KernelsTable(const Profile& profile, size_t limit,
                                       const OutputStyle& style);
[[nodiscard]] std::string CopiesTable(const Profile& profile, size_t limit,
                                      const OutputStyle& style);
// Severity, kind, count, first place and sentence; a list where the width is too small for a table.
[[nodiscard]] std::string DiagnosticsTable(const Profile& profile,
                                           std::span<const FileDiagnostic> rows,
                                           const OutputStyle& style);

}  // namespace telltale
