// SPDX-License-Identifier: Apache-2.0
// telltale._native: the parts of the Python package that are worth a compiler. Which those are say
// the other files.
#include "python_api.h"

namespace telltale::python {

bool SortArguments(PyObject* const* given, Py_ssize_t count, PyObject* keywords,
                   const char* const* names, Py_ssize_t name_count, PyObject** sorted) {
  if (count > name_count) {
    PyErr_Format(PyExc_TypeError, "expected at most %zd arguments, found %zd", name_count, count);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) sorted[i] = given[i];
  const Py_ssize_t keyword_count = keywords == nullptr ? 0 : PyTuple_Size(keywords);
  for (Py_ssize_t i = 0; i < keyword_count; ++i) {
    PyObject* keyword = PyTuple_GetItem(keywords, i);
    Py_ssize_t place = 0;
    while (place < name_count && PyUnicode_CompareWithASCIIString(keyword, names[place]) != 0)
      ++place;
    if (place == name_count) {
      PyErr_Format(PyExc_TypeError, "unknown argument %U", keyword);
      return false;
    }
    sorted[place] = given[count + i];
  }
  return true;
}

}  // namespace telltale::python

PyMODINIT_FUNC PyInit__native() {
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   "telltale._native",
                                   "What the package telltale does natively.",
                                   -1,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  PyObject* module = PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  using namespace telltale::python;
  if (!AddRecorder(module) || !AddActions(module) || !AddEventFile(module) ||
      !AddHistogram(module) || !AddPictures(module) || !AddAdvanced(module)) {
    Py_DECREF(module);
    return nullptr;
  }
  return module;
}
