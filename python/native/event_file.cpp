// SPDX-License-Identifier: Apache-2.0
// EventFile: a TensorBoard event file, written by the recorder's writer
// (include/telltale/writer.h): what a call wrote is in the file when it returns. A disk that is
// full costs the records that found no room, whole ones, and they are counted; nothing is raised
// after the file was opened.
#include "telltale/writer.h"

#include <cstdint>

#include "python_api.h"

namespace telltale::python {
namespace {

struct EventFile {
  PyObject ob_base;
  telltale_writer* writer;  // null: closed
  unsigned long long failed;
};

EventFile* Self(PyObject* object) { return reinterpret_cast<EventFile*>(object); }

void Count(EventFile* self, int result) {
  if (result != 0) ++self->failed;
}

// The event's fields are encoded already.
PyObject* Write(PyObject* object, PyObject* event) {
  char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(event, &bytes, &size) != 0) return Forgive();
  if (Self(object)->writer != nullptr) {
    Count(Self(object),
          telltale_writer_event(Self(object)->writer, bytes, static_cast<size_t>(size)));
  }
  return None();
}

PyObject* Scalar(PyObject* object, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 4) return PyErr_Format(PyExc_TypeError, "expected four arguments, found %zd", count);
  const std::string_view tag = Text(arguments[0]);
  const double value = PyFloat_AsDouble(arguments[1]);
  const int64_t step = arguments[2] == Py_None ? 0 : PyLong_AsLongLong(arguments[2]);
  const double wall = PyFloat_AsDouble(arguments[3]);
  if (PyErr_Occurred() != nullptr) return Forgive();
  if (Self(object)->writer != nullptr) {
    Count(Self(object),
          telltale_writer_scalar(Self(object)->writer, tag.data(), tag.size(), value, step, wall));
  }
  return None();
}

void CloseWriter(EventFile* self) {
  if (self->writer != nullptr) telltale_writer_close(self->writer);
  self->writer = nullptr;
}

PyObject* Close(PyObject* object, PyObject* /*none*/) {
  CloseWriter(Self(object));
  return None();
}

PyObject* Failed(PyObject* object, PyObject* /*none*/) {
  return PyLong_FromUnsignedLongLong(Self(object)->failed);
}

// EventFile(path): OSError if that cannot be made.
PyObject* New(PyTypeObject* type, PyObject* arguments, PyObject* /*keywords*/) {
  PyObject* path = nullptr;
  if (PyArg_ParseTuple(arguments, "O&", PyUnicode_FSConverter, &path) == 0) return nullptr;
  const char* name = PyBytes_AsString(path);
  telltale_writer* writer = name == nullptr ? nullptr : telltale_writer_open(name);
  if (writer == nullptr && PyErr_Occurred() == nullptr)
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, name);
  Py_DECREF(path);
  if (writer == nullptr) return nullptr;
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* object = allocate(type, 0);
  if (object == nullptr) {
    telltale_writer_close(writer);
    return nullptr;
  }
  Self(object)->writer = writer;
  Self(object)->failed = 0;
  return object;
}

void Delete(PyObject* object) {
  CloseWriter(Self(object));
  PyTypeObject* type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"write", AsMethod(Write), METH_O, "write(event): appends one encoded Event."},
    {"scalar", AsMethod(Scalar), METH_FASTCALL,
     "scalar(tag, value, step, wall): appends one point."},
    {"close", AsMethod(Close), METH_NOARGS, "Ends it; what is written later is dropped."},
    {"failed", AsMethod(Failed), METH_NOARGS, "How many records found no room."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(New)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(Delete)},
                       {Py_tp_methods, methods},
                       {0, nullptr}};
PyType_Spec spec = {"telltale._native.EventFile", sizeof(EventFile), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

bool AddEventFile(PyObject* module) {
  PyObject* type = PyType_FromSpec(&spec);
  return type != nullptr && PyModule_AddObject(module, "EventFile", type) == 0;
}

}  // namespace telltale::python
