// SPDX-License-Identifier: Apache-2.0
#include "function_names.h"

#include <cstring>

namespace telltale::python {

namespace {

// What a class says of a name, as it stands there: a descriptor is not asked. A new reference.
PyObject* InClass(PyTypeObject* type, const char* name) {
  PyObject* const classes = Attribute(reinterpret_cast<PyObject*>(type), "__mro__");
  PyObject* found = nullptr;
  const Py_ssize_t count = classes != nullptr && PyTuple_Check(classes) ? PyTuple_Size(classes) : 0;
  for (Py_ssize_t i = 0; i < count && found == nullptr; ++i) {
    PyObject* const members = Attribute(PyTuple_GetItem(classes, i), "__dict__");
    if (members != nullptr) found = PyMapping_GetItemString(members, name);
    PyErr_Clear();
    Py_XDECREF(members);
  }
  Py_XDECREF(classes);
  return found;
}

}  // namespace

PyObject* Attribute(PyObject* object, const char* name) {
  PyObject* const value = PyObject_GetAttrString(object, name);
  if (value == nullptr) PyErr_Clear();
  return value;
}

std::string_view TextOrNothing(PyObject* text) {
  if (text == nullptr || !PyUnicode_Check(text)) return {};
  const std::string_view bytes = Text(text);
  if (bytes.data() == nullptr) PyErr_Clear();
  return bytes;
}

PyObject* NativeName(const NativeFunction* function) {
  const char* const name = function->definition->ml_name;
  PyObject* const module = function->module;
  PyObject* module_name = nullptr;
  if (module != nullptr && PyUnicode_Check(module)) {
    Py_INCREF(module);
    module_name = module;
  } else if (module != nullptr && PyModule_Check(module)) {
    module_name = PyModule_GetNameObject(module);
  }
  PyErr_Clear();
  PyObject* text = nullptr;
  if (function->self == nullptr) {
    const bool is_builtin =
        module_name == nullptr || PyUnicode_CompareWithASCIIString(module_name, "builtins") == 0;
    text = is_builtin ? PyUnicode_FromFormat("<%s>", name)
                      : PyUnicode_FromFormat("<%U.%s>", module_name, name);
  } else {
    PyObject* const descriptor = InClass(Py_TYPE(function->self), name);
    if (descriptor != nullptr) text = PyObject_Repr(descriptor);
    Py_XDECREF(descriptor);
    PyErr_Clear();
    if (text == nullptr) {
      text = module_name == nullptr
                 ? PyUnicode_FromFormat("<built-in method %s>", name)
                 : PyUnicode_FromFormat("<built-in method %U.%s>", module_name, name);
    }
  }
  Py_XDECREF(module_name);
  return text;
}

bool KnowsObjects(PyObject* len, PyObject* upper) {
  const auto* const function = reinterpret_cast<NativeFunction*>(len);
  const auto* const method = reinterpret_cast<MethodDescriptor*>(upper);
  PyObject* const name = Attribute(upper, "__name__");
  const bool is_known = name != nullptr && method->name != nullptr &&
                        PyUnicode_Check(method->name) &&
                        PyUnicode_Compare(method->name, name) == 0 &&
                        std::strcmp(function->definition->ml_name, "len") == 0 &&
                        std::strcmp(method->definition->ml_name, "upper") == 0;
  Py_XDECREF(name);
  PyErr_Clear();
  return is_known;
}

}  // namespace telltale::python
