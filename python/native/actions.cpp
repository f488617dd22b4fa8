// SPDX-License-Identifier: Apache-2.0
// The actions of `--profile simple` that happen most (telltale_hooks/simple.py says which they
// are): modules that are called, of which the outermost is one; validations, from the first sign of
// one to where gradients are wanted again; and Lightning's own actions. Nothing here raises but for
// an interrupt by the user. All of it runs under Python's lock.
#include "telltale/telltale.h"

#include <cstdint>

#include "python_api.h"

namespace telltale::python {
namespace {

// Beyond this many kinds of modules, which a program makes up as it goes, they are called by the
// names that it asks for.
constexpr Py_ssize_t kMostKinds = 4096;

struct Names {
  uint32_t without_gradients = 0;
  uint32_t with_gradients = 0;
};

// One for the process: Python's lock guards it.
struct State {
  PyObject* is_grad_enabled = nullptr;  // () -> bool
  PyObject* names_of = nullptr;         // type -> its two names: without and with gradients
  PyObject* looks_at = nullptr;   // module ->: it is called without gradients, outside a validation
  PyObject* kinds = nullptr;      // type -> both numbers; keeps the types
  PyObject* last_kind = nullptr;  // one of them
  Names last_names;
};
State state;

struct ThreadState {
  bool is_in_module = false;
  bool is_validating = false;
  uint32_t contexts = 0;          // without gradients, one in the other
  uint32_t spans_at_context = 0;  // that were open when the outermost of them was entered
};
thread_local ThreadState thread;

void Hold(PyObject** place, PyObject* object) {
  Py_INCREF(object);
  Py_XDECREF(*place);
  *place = object;
}

// Whether it could be known: otherwise an exception is set, or nothing is recorded.
bool NamesOfNew(PyObject* kind, Names* names) {
  PyObject* both = PyObject_CallFunctionObjArgs(state.names_of, kind, nullptr);
  if (both == nullptr) return false;
  if (PyTuple_Check(both) && PyTuple_Size(both) == 2) {
    names->without_gradients = NameOf(PyTuple_GetItem(both, 0));
    names->with_gradients = NameOf(PyTuple_GetItem(both, 1));
  }
  Py_DECREF(both);
  if (names->without_gradients == 0 || names->with_gradients == 0) return false;
  if (PyDict_Size(state.kinds) >= kMostKinds) return true;
  const uint64_t packed = uint64_t{names->without_gradients} << 32U | names->with_gradients;
  PyObject* number = PyLong_FromUnsignedLongLong(packed);
  if (number == nullptr || PyDict_SetItem(state.kinds, kind, number) != 0) PyErr_Clear();
  Py_XDECREF(number);
  return true;
}

bool NamesOfKind(PyObject* kind, Names* names) {
  if (kind == state.last_kind) {
    *names = state.last_names;
    return true;
  }
  PyObject* known = PyDict_GetItemWithError(state.kinds, kind);
  if (known == nullptr) return PyErr_Occurred() == nullptr && NamesOfNew(kind, names);
  const uint64_t packed = PyLong_AsUnsignedLongLong(known);
  names->without_gradients = static_cast<uint32_t>(packed >> 32U);
  names->with_gradients = static_cast<uint32_t>(packed);
  state.last_kind = kind;
  state.last_names = *names;
  return true;
}

// False with an exception set. The names are looked up last: what is asked here may make some.
bool NameOfCall(PyObject* module, uint32_t* name) {
  PyObject* answer = PyObject_CallObject(state.is_grad_enabled, nullptr);
  if (answer == nullptr) return false;
  const bool has_gradients = answer == Py_True;
  Py_DECREF(answer);
  if (!has_gradients && thread.contexts > 0 && !thread.is_validating) {
    answer = PyObject_CallFunctionObjArgs(state.looks_at, module, nullptr);
    if (answer == nullptr) return false;
    Py_DECREF(answer);
  }
  Names names;
  if (!NamesOfKind(reinterpret_cast<PyObject*>(Py_TYPE(module)), &names)) return false;
  *name = has_gradients ? names.with_gradients : names.without_gradients;
  return true;
}

PyObject* ConnectActions(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count) {
  if (count != 3) return PyErr_Format(PyExc_TypeError, "expected three functions");
  Hold(&state.is_grad_enabled, given[0]);
  Hold(&state.names_of, given[1]);
  Hold(&state.looks_at, given[2]);
  return None();
}

PyObject* ModuleBegin(PyObject* /*self*/, PyObject* module) {
  if (thread.is_in_module || telltale_recording() == 0 || state.is_grad_enabled == nullptr)
    return PyBool_FromLong(0);
  uint32_t name = 0;
  if (!NameOfCall(module, &name)) {
    PyObject* none = Forgive();
    if (none == nullptr) return nullptr;
    Py_DECREF(none);
    return PyBool_FromLong(0);
  }
  thread.is_in_module = true;
  BeginSpan(name);
  return PyBool_FromLong(1);
}

PyObject* ModuleEnd(PyObject* /*self*/, PyObject* /*none*/) {
  thread.is_in_module = false;
  EndSpan();
  return None();
}

PyObject* GradientsOff(PyObject* /*self*/, PyObject* /*none*/) {
  if (thread.contexts++ == 0) thread.spans_at_context = OpenSpans();
  return None();
}

PyObject* GradientsBack(PyObject* /*self*/, PyObject* /*none*/) {
  if (thread.contexts > 0) --thread.contexts;
  if (thread.contexts == 0 && thread.is_validating) {
    thread.is_validating = false;
    EndSpan();
  }
  return None();
}

PyObject* Validation(PyObject* /*self*/, PyObject* name) {
  // Spans that were entered since the context was will be left before it is.
  if (thread.contexts == 0 || thread.is_validating || thread.is_in_module) return None();
  if (OpenSpans() != thread.spans_at_context || telltale_recording() == 0) return None();
  const uint32_t number = NameOf(name);
  if (PyErr_Occurred() != nullptr) return Forgive();
  thread.is_validating = true;
  BeginSpan(number);
  return None();
}

// A context manager around another one, and a span inside of that.
struct Action {
  PyObject ob_base;
  PyObject* inner;
  uint32_t name;
};
PyTypeObject* action_type = nullptr;
PyObject* enter_text = nullptr;
PyObject* exit_text = nullptr;

Action* AsAction(PyObject* object) { return reinterpret_cast<Action*>(object); }

// action(inner, name)
PyObject* MakeAction(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count) {
  if (count != 2) return PyErr_Format(PyExc_TypeError, "expected a context manager and a name");
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(action_type, Py_tp_alloc));
  PyObject* object = allocate(action_type, 0);
  if (object == nullptr) return nullptr;
  Py_INCREF(given[0]);
  AsAction(object)->inner = given[0];
  AsAction(object)->name = telltale_recording() != 0 ? NameOf(given[1]) : 0;
  PyErr_Clear();
  return object;
}

PyObject* EnterAction(PyObject* object, PyObject* /*none*/) {
  Action* action = AsAction(object);
  PyObject* result = PyObject_CallMethodObjArgs(action->inner, enter_text, nullptr);
  if (result != nullptr) BeginSpan(action->name);
  return result;
}

PyObject* ExitAction(PyObject* object, PyObject* const* given, Py_ssize_t count) {
  if (count != 3) return PyErr_Format(PyExc_TypeError, "expected three arguments");
  EndSpan();
  return PyObject_CallMethodObjArgs(AsAction(object)->inner, exit_text, given[0], given[1],
                                    given[2], nullptr);
}

void DeleteAction(PyObject* object) {
  Py_XDECREF(AsAction(object)->inner);
  PyTypeObject* type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyMethodDef action_methods[] = {{"__enter__", AsMethod(EnterAction), METH_NOARGS, "Enters both."},
                                {"__exit__", AsMethod(ExitAction), METH_FASTCALL, "Leaves both."},
                                {nullptr, nullptr, 0, nullptr}};
PyType_Slot action_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(DeleteAction)},
                              {Py_tp_methods, action_methods},
                              {0, nullptr}};
PyType_Spec action_spec = {"telltale._native.Action", sizeof(Action), 0, Py_TPFLAGS_DEFAULT,
                           action_slots};

PyMethodDef functions[] = {
    {"connect_actions", AsMethod(ConnectActions), METH_FASTCALL,
     "connect_actions(is_grad_enabled, names_of, looks_at)"},
    {"module_begin", AsMethod(ModuleBegin), METH_O,
     "module_begin(module): a module is called. True: it is the outermost one of this thread, and "
     "wants a module_end()."},
    {"module_end", AsMethod(ModuleEnd), METH_NOARGS, "The outermost module has returned."},
    {"gradients_off", AsMethod(GradientsOff), METH_NOARGS,
     "A context without gradients was entered."},
    {"gradients_back", AsMethod(GradientsBack), METH_NOARGS, "It was left."},
    {"validation", AsMethod(Validation), METH_O,
     "validation(name): a sign of one. It lasts until the outermost context without gradients is "
     "left; outside of those, and inside of a module or a span entered since, there is none."},
    {"action", AsMethod(MakeAction), METH_FASTCALL,
     "action(inner, name): a context manager around `inner`, with a span in it."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddActions(PyObject* module) {
  state.kinds = PyDict_New();
  action_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&action_spec));
  enter_text = PyUnicode_InternFromString("__enter__");
  exit_text = PyUnicode_InternFromString("__exit__");
  if (state.kinds == nullptr || action_type == nullptr || enter_text == nullptr ||
      exit_text == nullptr)
    return false;
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace telltale::python
