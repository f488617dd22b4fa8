// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_rows/fragment.h"

#include "model/trace_columns.h"

namespace telltale::trace_rows {

void Fragment::Clear() {
  const auto clear = [](auto&... containers) { (containers.clear(), ...); };
  ForEachColumn(clear, *this);
  clear(ends, begin_spans, marks, new_strings, new_tracks, new_categories);
  events = 0;
  diagnostics = {};
}

}  // namespace telltale::trace_rows
