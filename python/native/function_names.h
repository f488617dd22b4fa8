// SPDX-License-Identifier: Apache-2.0
// What Python says of the functions that are made by C, and their names as cProfile has them.
#pragma once

#include <string_view>

#include "python_api.h"

namespace telltale::python {

// The beginning of CPython's own objects, the same in all versions.
struct NativeFunction {
  PyObject base;
  PyMethodDef* definition;
  PyObject* self;
  PyObject* module;
};
struct MethodDescriptor {
  PyObject base;
  PyObject* type;
  PyObject* name;
  PyObject* qualified_name;
  PyMethodDef* definition;
};

// The fields that CPython's objects begin with are what is expected, of `len` and `str.upper`.
[[nodiscard]] bool KnowsObjects(PyObject* len, PyObject* upper);

// A new reference, or null without an exception.
[[nodiscard]] PyObject* Attribute(PyObject* object, const char* name);
// The bytes of a str; nothing of all else.
[[nodiscard]] std::string_view TextOrNothing(PyObject* text);
// A new reference; null: no room.
[[nodiscard]] PyObject* NativeName(const NativeFunction* function);

}  // namespace telltale::python
