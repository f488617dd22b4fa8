// SPDX-License-Identifier: Apache-2.0
// Arguments as debug annotations and back. Every JSON value has a form from which the same value
// can be made again: integers to 64 bits signed and unsigned, doubles, strings, lists and objects
// natively; what has no native form (null, empty lists and objects, longer numbers, very deep
// nesting) as the JSON text itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/protobuf.h"
#include "formats/perfetto/fields.h"
#include "formats/perfetto/interner.h"
#include "formats/perfetto/texts.h"
#include "formats/trace_rows/arg_keys.h"

namespace telltale::perfetto {

// Writes field `number` of the open message: a DebugAnnotation with this name and JSON value. An
// empty name: none (elements of lists).
void WriteAnnotation(MessageWriter& out, uint32_t number, std::string_view name,
                     std::string_view json, SequenceNames& names);

// A DebugAnnotation message whose name is known.
struct AnnotationName {
  std::string_view json;  // quoted
  trace_rows::ArgKey key = trace_rows::ArgKey::kCount;
  std::string_view rest;  // the part of the message that holds the value
};

// `buffer` takes a name that has no number.
[[nodiscard]] AnnotationName NameOfAnnotation(std::string_view message,
                                              const AnnotationTexts& texts, std::string& buffer);

// The value where it is an integer that fits, a number, a text that has a number.
[[nodiscard]] std::optional<int64_t> IntegerOfAnnotation(std::string_view message);
[[nodiscard]] std::optional<double> RealOfAnnotation(std::string_view message);
[[nodiscard]] const JsonText* TextOfAnnotation(std::string_view message,
                                               const AnnotationTexts& texts);

// Appends the value of a DebugAnnotation message as JSON; false, and nothing appended, if it is
// damaged, has no value or is nested too deeply.
bool AppendAnnotationValue(std::string& out, std::string_view message,
                           const AnnotationTexts& texts);

// Appends `"name":value`.
bool AppendAnnotation(std::string& out, std::string_view message, const AnnotationTexts& texts);

}  // namespace telltale::perfetto
