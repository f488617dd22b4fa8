// SPDX-License-Identifier: Apache-2.0
// Python's stable interface as of 3.9, and the few helpers that all files of the native module
// share. Nothing here knows what is recorded.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

// Both are there since 3.7, unchanged, and were promised to be stable with 3.10: the headers hide
// them from modules for 3.9.
#ifndef METH_FASTCALL
#define METH_FASTCALL 0x0080
#endif
extern "C" const char* PyUnicode_AsUTF8AndSize(PyObject* unicode, Py_ssize_t* size);

namespace telltale::python {

// Python's table of functions wants one type for all of them.
template <typename Function>
PyCFunction AsMethod(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

inline PyObject* None() {
  Py_INCREF(Py_None);
  return Py_None;
}

// The training goes on whatever was wrong with a call: forgets the exception, unless somebody wants
// the program to end (KeyboardInterrupt, SystemExit); then gives null, for the caller to pass on.
inline PyObject* Forgive() {
  if (PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_Exception) == 0) return nullptr;
    PyErr_Clear();
  }
  return None();
}

// The bytes of a str, which keeps them; null data with an exception set if it is none. What UTF-8
// cannot hold (lone surrogates) is an exception.
inline std::string_view Text(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<std::size_t>(size));
}

// Sorts the arguments of a METH_FASTCALL | METH_KEYWORDS function by name; absent ones stay null.
// False with an exception set if there are too many, or unknown ones.
bool SortArguments(PyObject* const* given, Py_ssize_t count, PyObject* keywords,
                   const char* const* names, Py_ssize_t name_count, PyObject** sorted);

// The number of a name (telltale_name), kept; 0 with or without an exception if it has none.
uint32_t NameOf(PyObject* text);
// The text of a number that NameOf has kept, borrowed; null: it has not. Looks at all of them.
PyObject* TextOf(uint32_t name);
// A span of this thread, and how many that began here have not ended.
void BeginSpan(uint32_t name);
void EndSpan();
uint32_t OpenSpans();

// Each adds its functions and types to the module; false with an exception set.
bool AddRecorder(PyObject* module);
bool AddActions(PyObject* module);
bool AddEventFile(PyObject* module);
bool AddHistogram(PyObject* module);
bool AddPictures(PyObject* module);
bool AddAdvanced(PyObject* module);

}  // namespace telltale::python
