// SPDX-License-Identifier: Apache-2.0
// Arguments as debug annotations and back. Every JSON value has a form from which the same value
// can be made again: integers to 64 bits signed and unsigned, doubles, strings, lists and objects
// natively; what has no native form (null, empty lists and objects, longer numbers, very deep
// nesting) as the JSON text itself.
#pragma once

#include <string>
#include <string_view>

#include "formats/perfetto/interner.h"
#include "formats/perfetto/wire.h"

namespace telltale::perfetto {

// Writes field `number` of the open message: a DebugAnnotation with this name and JSON value. An
// empty name: none (elements of lists).
void WriteAnnotation(MessageWriter& out, uint32_t number, std::string_view name,
                     std::string_view json, SequenceNames& names);

// Texts a reader knows by number; the empty view where it does not.
class InternedTexts {
 public:
  virtual ~InternedTexts() = default;
  [[nodiscard]] virtual std::string_view AnnotationName(uint64_t iid) const = 0;
  [[nodiscard]] virtual std::string_view AnnotationString(uint64_t iid) const = 0;
};

// Appends `"name":value` of a DebugAnnotation message; false, and nothing appended, if it is
// damaged, has no value or is nested too deeply. `unknown` is set when a number has no text.
bool AppendAnnotation(std::string& out, std::string_view message, const InternedTexts& texts,
                      bool& unknown);

}  // namespace telltale::perfetto
