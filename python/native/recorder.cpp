// SPDX-License-Identifier: Apache-2.0
// The recorder (include/telltale/telltale.h) for Python: the functions of telltale/_record.py, and
// `span`, `log` and `step` of the package, which are called in every step of a training. Nothing
// here raises but for an interrupt by the user; what cannot be recorded is dropped. All of it runs
// under Python's lock.
#include "telltale/telltale.h"

#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "advanced.h"
#include "python_api.h"

namespace telltale::python {
namespace {

constexpr auto kKeywords = METH_FASTCALL | METH_KEYWORDS;
// Names made up anew in each step must not fill the memory: beyond this many they are looked up in
// the recorder.
constexpr Py_ssize_t kMostKnown = 65536;

// One for the process: Python's lock guards it.
struct State {
  PyObject* names = nullptr;      // str -> its number
  PyObject* spans = nullptr;      // str -> Span
  PyObject* last = nullptr;       // str -> what was logged last
  PyObject* log_other = nullptr;  // log_other(key, value, step): what is no plain number
  PyObject* log_first = nullptr;  // log_first(): before anything is recorded
  PyObject* decorate = nullptr;   // decorate(span, function) -> function
  int64_t log_step = 0;
  int64_t next_step = 0;
  bool counts_steps = false;
  bool is_off = false;
};
State state;

thread_local uint32_t open_spans = 0;  // begun from Python and not ended

}  // namespace

uint32_t NameOf(PyObject* text) {
  if (PyObject* known = PyDict_GetItemWithError(state.names, text); known != nullptr) {
    return static_cast<uint32_t>(PyLong_AsUnsignedLong(known));
  }
  if (PyErr_Occurred() != nullptr) return 0;
  const std::string_view bytes = Text(text);
  if (bytes.data() == nullptr) return 0;
  const uint32_t name = telltale_name(bytes.data(), bytes.size());
  if (name != 0 && PyDict_Size(state.names) < kMostKnown) {
    if (PyObject* number = PyLong_FromUnsignedLong(name); number != nullptr) {
      PyDict_SetItem(state.names, text, number);
      Py_DECREF(number);
    }
  }
  return name;
}

uint32_t OpenSpans() { return open_spans; }

PyObject* TextOf(uint32_t name) {
  Py_ssize_t place = 0;
  PyObject* text = nullptr;
  PyObject* number = nullptr;
  while (PyDict_Next(state.names, &place, &text, &number) != 0) {
    if (PyLong_AsUnsignedLong(number) == name) return text;
  }
  return nullptr;
}

// Where every call is recorded, a span is the action that these are made in.
void BeginSpan(uint32_t name) {
  ++open_spans;
  if (__builtin_expect(static_cast<long>(advanced_is_on), 0) != 0) BeginAction(name);
  telltale_span_begin(name);
}

void EndSpan() {
  if (open_spans > 0) --open_spans;
  telltale_span_end();
  if (__builtin_expect(static_cast<long>(advanced_is_on), 0) != 0) EndAction();
}

namespace {

// A step that is None, absent or no number: none. What has decimals loses them.
int64_t StepOf(PyObject* object) {
  if (object == nullptr || object == Py_None) return TELLTALE_NO_STEP;
  PyObject* whole = PyFloat_Check(object) ? nullptr : PyNumber_Index(object);
  if (whole != nullptr) {
    const int64_t step = PyLong_AsLongLong(whole);
    Py_DECREF(whole);
    return step == -1 && PyErr_Occurred() != nullptr ? TELLTALE_NO_STEP : step;
  }
  PyErr_Clear();
  const double number = PyFloat_AsDouble(object);
  if (PyErr_Occurred() != nullptr || !(std::fabs(number) < 9e18)) return TELLTALE_NO_STEP;
  return static_cast<int64_t>(number);
}

// Seconds since 1970 as ns; None, or nonsense: now.
int64_t WallOf(PyObject* object) {
  if (object == nullptr || object == Py_None) return TELLTALE_NOW;
  const double seconds = PyFloat_AsDouble(object);
  return PyErr_Occurred() == nullptr && std::fabs(seconds) < 9e9
             ? static_cast<int64_t>(std::llround(seconds * 1e9))
             : TELLTALE_NOW;
}

PyObject* Recording(PyObject* /*self*/, PyObject* /*none*/) {
  return PyBool_FromLong(telltale_recording());
}

// start(folder or None) -> whether it records
PyObject* Start(PyObject* /*self*/, PyObject* folder) {
  PyObject* path = nullptr;
  if (folder != Py_None && PyUnicode_FSConverter(folder, static_cast<void*>(&path)) == 0)
    return Forgive();
  const char* name = path == nullptr ? nullptr : PyBytes_AsString(path);
  const int started = telltale_start(name);
  Py_XDECREF(path);
  return PyBool_FromLong(started);
}

PyObject* Stop(PyObject* /*self*/, PyObject* /*none*/) {
  telltale_stop();
  return None();
}

PyObject* Name(PyObject* /*self*/, PyObject* text) {
  const uint32_t name = NameOf(text);
  if (PyErr_Occurred() != nullptr) {
    PyObject* none = Forgive();
    if (none == nullptr) return nullptr;
    Py_DECREF(none);
  }
  return PyLong_FromUnsignedLong(name);
}

PyObject* Scalar(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  static constexpr const char* kNames[] = {"tag", "value", "step", "wall"};
  if (!telltale_recording()) return None();
  PyObject* sorted[4] = {};
  if (!SortArguments(given, count, keywords, kNames, 4, sorted)) return Forgive();
  if (sorted[0] == nullptr || sorted[1] == nullptr) return None();
  const double value = PyFloat_AsDouble(sorted[1]);
  if (PyErr_Occurred() != nullptr) return Forgive();
  const uint32_t name = NameOf(sorted[0]);
  const int64_t step = StepOf(sorted[2]);
  const int64_t wall_ns = WallOf(sorted[3]);
  if (wall_ns == TELLTALE_NOW) {
    telltale_scalar(name, value, step);
  } else {
    telltale_scalar_at(name, value, step, wall_ns);
  }
  return Forgive();
}

PyObject* RecordText(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count,
                     PyObject* keywords) {
  static constexpr const char* kNames[] = {"tag", "text", "step"};
  if (!telltale_recording()) return None();
  PyObject* sorted[3] = {};
  if (!SortArguments(given, count, keywords, kNames, 3, sorted)) return Forgive();
  if (sorted[0] == nullptr || sorted[1] == nullptr) return None();
  const std::string_view text = Text(sorted[1]);
  if (text.data() != nullptr)
    telltale_text(NameOf(sorted[0]), text.data(), text.size(), StepOf(sorted[2]));
  return Forgive();
}

PyObject* Value(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  static constexpr const char* kNames[] = {"tag", "summary_value", "step", "wall"};
  if (!telltale_recording()) return None();
  PyObject* sorted[4] = {};
  if (!SortArguments(given, count, keywords, kNames, 4, sorted)) return Forgive();
  char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (sorted[0] == nullptr || sorted[1] == nullptr ||
      PyBytes_AsStringAndSize(sorted[1], &bytes, &size) != 0) {
    return Forgive();
  }
  telltale_value(NameOf(sorted[0]), bytes, static_cast<size_t>(size), StepOf(sorted[2]),
                 WallOf(sorted[3]));
  return Forgive();
}

// note_json(key, JSON)
PyObject* NoteJson(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count) {
  if (count != 2 || !telltale_recording()) return None();
  const char* key = PyUnicode_AsUTF8AndSize(given[0], nullptr);  // ends with 0
  const std::string_view json = key == nullptr ? std::string_view() : Text(given[1]);
  if (json.data() != nullptr) telltale_note(key, json.data(), json.size());
  return Forgive();
}

PyObject* StepBegin(PyObject* /*self*/, PyObject* step) {
  const int64_t number = StepOf(step);
  if (number != TELLTALE_NO_STEP) telltale_step_begin(number);
  return Forgive();
}

PyObject* StepEnd(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count,
                  PyObject* keywords) {
  static constexpr const char* kNames[] = {"step", "data_wait_ns"};
  if (!telltale_recording()) return None();
  PyObject* sorted[2] = {};
  if (!SortArguments(given, count, keywords, kNames, 2, sorted)) return Forgive();
  const int64_t step = StepOf(sorted[0]);
  const int64_t wait_ns = StepOf(sorted[1]);
  if (step != TELLTALE_NO_STEP) telltale_step_end(step, wait_ns == TELLTALE_NO_STEP ? -1 : wait_ns);
  return Forgive();
}

PyObject* SpanBegin(PyObject* /*self*/, PyObject* name) {
  if (!telltale_recording()) return None();
  BeginSpan(NameOf(name));
  return Forgive();
}

PyObject* SpanEnd(PyObject* /*self*/, PyObject* /*none*/) {
  EndSpan();
  return None();
}

PyObject* Instant(PyObject* /*self*/, PyObject* name) {
  if (!telltale_recording()) return None();
  telltale_instant(NameOf(name));
  return Forgive();
}

PyObject* Counter(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count,
                  PyObject* keywords) {
  static constexpr const char* kNames[] = {"name", "value"};
  if (!telltale_recording()) return None();
  PyObject* sorted[2] = {};
  if (!SortArguments(given, count, keywords, kNames, 2, sorted)) return Forgive();
  if (sorted[0] == nullptr || sorted[1] == nullptr) return None();
  const double value = PyFloat_AsDouble(sorted[1]);
  if (PyErr_Occurred() == nullptr) telltale_counter(NameOf(sorted[0]), value);
  return Forgive();
}

PyObject* Heartbeat(PyObject* /*self*/, PyObject* /*none*/) {
  telltale_heartbeat();
  return None();
}

// step(number=None, data_wait_s=None): the program says by itself that a step ends here.
PyObject* Step(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  static constexpr const char* kNames[] = {"number", "data_wait_s"};
  state.counts_steps = true;
  PyObject* sorted[2] = {};
  if (!SortArguments(given, count, keywords, kNames, 2, sorted)) return Forgive();
  const int64_t asked = StepOf(sorted[0]);
  const int64_t step = asked == TELLTALE_NO_STEP ? state.next_step : asked;
  state.next_step = step + 1;
  const int64_t wait_ns = WallOf(sorted[1]);
  telltale_step_end(step, wait_ns == TELLTALE_NOW ? -1 : wait_ns);
  return Forgive();
}

PyObject* CountsSteps(PyObject* /*self*/, PyObject* /*none*/) {
  return PyBool_FromLong(state.counts_steps ? 1 : 0);
}

// The process that asked for its exit code to be kept: a forked child that ends is another one.
pid_t ending_process = 0;

// Of exit() and a return of main(); whoever calls _exit() or is killed says nothing.
void NoteExitCode(int status, void* /*nothing*/) {
  if (status == 0 || getpid() != ending_process) return;
  char text[40];
  const int size = std::snprintf(text, sizeof text, "{\"exit_code\": %d}", status & 0xff);
  telltale_note("finish", text, static_cast<size_t>(size));
}

PyObject* KeepExitCode(PyObject* /*self*/, PyObject* /*none*/) {
  if (ending_process == 0) ::on_exit(NoteExitCode, nullptr);
  ending_process = getpid();
  Py_RETURN_NONE;
}

// The part of the package that is in Python is loaded when it is needed first. It calls `connect`.
bool EnsureConnected() {
  if (state.log_other != nullptr) return true;
  PyObject* module = PyImport_ImportModule("telltale._api");
  Py_XDECREF(module);
  return module != nullptr && state.log_other != nullptr;
}

// The value of a key that is no plain number. False: the user interrupts.
bool LogOther(PyObject* key, PyObject* value, int64_t step) {
  Py_INCREF(key);
  Py_INCREF(value);
  PyObject* number = EnsureConnected() ? PyLong_FromLongLong(step) : nullptr;
  PyObject* done = number == nullptr
                       ? nullptr
                       : PyObject_CallFunctionObjArgs(state.log_other, key, value, number, nullptr);
  Py_XDECREF(number);
  Py_XDECREF(done);
  Py_DECREF(key);
  Py_DECREF(value);
  PyObject* none = Forgive();
  Py_XDECREF(none);
  return none != nullptr;
}

bool LogAll(PyObject* data, int64_t step) {
  Py_ssize_t place = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(data, &place, &key, &value) != 0) {
    const bool is_number = PyFloat_CheckExact(value) || PyLong_CheckExact(value);
    if (!is_number || !PyUnicode_CheckExact(key)) {
      if (!LogOther(key, value, step)) return false;
      continue;
    }
    const double number = PyFloat_AsDouble(value);
    const uint32_t name = NameOf(key);
    if (PyErr_Occurred() == nullptr) {
      telltale_scalar(name, number, step);
      PyDict_SetItem(state.last, key, value);
    }
    PyErr_Clear();
  }
  return true;
}

// log(data, step=None, commit=None, sync=None): without a step, that of the last call, or after a
// commit the next one.
PyObject* Log(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  static constexpr const char* kNames[] = {"data", "step", "commit", "sync"};
  if (state.is_off) return None();
  PyObject* sorted[4] = {};
  if (!SortArguments(given, count, keywords, kNames, 4, sorted)) return Forgive();
  PyObject* data = sorted[0];
  if (data == nullptr) return None();
  if (!telltale_recording()) {
    if (EnsureConnected()) Py_XDECREF(PyObject_CallFunctionObjArgs(state.log_first, nullptr));
    PyObject* none = Forgive();
    if (none == nullptr) return nullptr;
    Py_DECREF(none);
  }
  const int64_t asked = StepOf(sorted[1]);
  const int64_t step = asked == TELLTALE_NO_STEP ? state.log_step : asked;
  bool commits = asked == TELLTALE_NO_STEP;
  if (sorted[2] != nullptr && sorted[2] != Py_None) commits = PyObject_IsTrue(sorted[2]) == 1;
  const int64_t next = commits ? step + 1 : step;
  // A step that goes back is recorded like any other, but what has no step goes on where it was.
  if (next > state.log_step || (asked == TELLTALE_NO_STEP && commits)) state.log_step = next;
  PyErr_Clear();
  if (!PyDict_Check(data)) {
    PyObject* dict = PyDict_New();
    const bool whole = dict != nullptr && PyDict_Update(dict, data) == 0;
    const bool going_on = !whole || LogAll(dict, step);
    Py_XDECREF(dict);
    return going_on ? Forgive() : nullptr;
  }
  return LogAll(data, step) ? Forgive() : nullptr;
}

PyObject* LogStep(PyObject* /*self*/, PyObject* /*none*/) {
  return PyLong_FromLongLong(state.log_step);
}

// connect(log_other, log_first, decorate): what the package does in Python.
PyObject* Connect(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count) {
  if (count != 3) return PyErr_Format(PyExc_TypeError, "expected three functions");
  PyObject** places[] = {&state.log_other, &state.log_first, &state.decorate};
  for (int i = 0; i < 3; ++i) {
    Py_INCREF(given[i]);
    Py_XDECREF(*places[i]);
    *places[i] = given[i];
  }
  return None();
}

// restart(is_off): counts from 0 again, for another run.
PyObject* Restart(PyObject* /*self*/, PyObject* is_off) {
  state.log_step = 0;
  state.next_step = 0;
  state.is_off = PyObject_IsTrue(is_off) == 1;
  PyDict_Clear(state.last);
  return Forgive();
}

PyObject* Last(PyObject* /*self*/, PyObject* /*none*/) {
  Py_INCREF(state.last);
  return state.last;
}

// One object for each name, used by all threads at once: the recorder knows what each of them is
// in.
struct Span {
  PyObject ob_base;
  PyObject* text;
  uint32_t name;
};
PyTypeObject* span_type = nullptr;

Span* AsSpan(PyObject* object) { return reinterpret_cast<Span*>(object); }

PyObject* MakeSpan(PyObject* /*self*/, PyObject* text) {
  if (PyObject* known = PyDict_GetItemWithError(state.spans, text); known != nullptr) {
    Py_INCREF(known);
    return known;
  }
  PyErr_Clear();
  PyObject* name = PyUnicode_Check(text) ? text : nullptr;
  if (name != nullptr) {
    Py_INCREF(name);
  } else if (name = PyObject_Str(text); name == nullptr) {
    PyErr_Clear();
    name = PyUnicode_FromString("?");
  }
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(span_type, Py_tp_alloc));
  PyObject* object = name == nullptr ? nullptr : allocate(span_type, 0);
  if (object == nullptr) {
    Py_XDECREF(name);
    return nullptr;
  }
  AsSpan(object)->text = name;
  AsSpan(object)->name = 0;
  if (name == text && PyDict_Size(state.spans) < kMostKnown)
    PyDict_SetItem(state.spans, text, object);
  PyErr_Clear();
  return object;
}

PyObject* Enter(PyObject* object, PyObject* /*none*/) {
  if (telltale_recording()) {
    Span* span = AsSpan(object);
    if (span->name == 0) span->name = NameOf(span->text);
    PyErr_Clear();
    BeginSpan(span->name);
  }
  Py_INCREF(object);
  return object;
}

PyObject* Exit(PyObject* /*object*/, PyObject* const* /*given*/, Py_ssize_t /*count*/) {
  EndSpan();
  return None();
}

// As a decorator.
PyObject* Call(PyObject* object, PyObject* arguments, PyObject* /*keywords*/) {
  PyObject* function = nullptr;
  if (PyArg_ParseTuple(arguments, "O", &function) == 0) return nullptr;
  if (!EnsureConnected()) return nullptr;
  return PyObject_CallFunctionObjArgs(state.decorate, object, function, nullptr);
}

void DeleteSpan(PyObject* object) {
  Py_XDECREF(AsSpan(object)->text);
  PyTypeObject* type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyMethodDef span_methods[] = {
    {"__enter__", AsMethod(Enter), METH_NOARGS, "The span begins on this thread."},
    {"__exit__", AsMethod(Exit), METH_FASTCALL, "It ends."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot span_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(DeleteSpan)},
                            {Py_tp_call, reinterpret_cast<void*>(Call)},
                            {Py_tp_methods, span_methods},
                            {0, nullptr}};
PyType_Spec span_spec = {"telltale._native.Span", sizeof(Span), 0, Py_TPFLAGS_DEFAULT, span_slots};

PyMethodDef functions[] = {
    {"recording", AsMethod(Recording), METH_NOARGS, "Whether what is said here is kept."},
    {"start", AsMethod(Start), METH_O, "start(folder or None): begins to record; whether it does."},
    {"stop", AsMethod(Stop), METH_NOARGS, "Ends recording."},
    {"name", AsMethod(Name), METH_O,
     "name(tag): the number of a name; 0 while nothing is recorded."},
    {"scalar", AsMethod(Scalar), kKeywords,
     "scalar(tag, value, step, wall=None): a point of a curve. step None: it has none; wall: "
     "seconds since 1970, now unless given."},
    {"text", AsMethod(RecordText), kKeywords,
     "text(tag, text, step): a text, Markdown if one likes."},
    {"value", AsMethod(Value), kKeywords,
     "value(tag, summary_value, step, wall=None): anything else that an event file holds, as an "
     "encoded Summary.Value."},
    {"note_json", AsMethod(NoteJson), METH_FASTCALL,
     "note_json(key, json): a fact of the process."},
    {"step_begin", AsMethod(StepBegin), METH_O, "step_begin(step): a step begins on this thread."},
    {"step_end", AsMethod(StepEnd), kKeywords,
     "step_end(step, data_wait_ns=-1): a step ends on this thread; so much of it went into waiting "
     "for data."},
    {"span_begin", AsMethod(SpanBegin), METH_O,
     "span_begin(name): what this thread does until span_end; spans nest."},
    {"span_end", AsMethod(SpanEnd), METH_NOARGS, "The innermost span of this thread ends."},
    {"instant", AsMethod(Instant), METH_O, "instant(name): something that happened now."},
    {"counter", AsMethod(Counter), kKeywords,
     "counter(name, value): a quantity over time; dropped when there is no room."},
    {"heartbeat", AsMethod(Heartbeat), METH_NOARGS, "This process is alive and gets on."},
    {"keep_exit_code", AsMethod(KeepExitCode), METH_NOARGS,
     "If this process ends with another exit code than 0, it says so."},
    {"counts_steps", AsMethod(CountsSteps), METH_NOARGS,
     "Whether the program itself called telltale.step()."},
    {"span", AsMethod(MakeSpan), METH_O,
     "span(name): a stretch of time with a name, for `with` or as a decorator; spans nest."},
    {"step", AsMethod(Step), kKeywords,
     "step(number=None, data_wait_s=None): a step of the training ends here. Not needed where "
     "steps are found by themselves."},
    {"log", AsMethod(Log), kKeywords,
     "log(data, step=None, commit=None): records each value of the mapping; numbers are points of "
     "curves, others are media. "
     "Without a step the calls count up by themselves."},
    {"log_step", AsMethod(LogStep), METH_NOARGS, "The step that a log without one gets."},
    {"connect", AsMethod(Connect), METH_FASTCALL, "connect(log_other, log_first, decorate)"},
    {"restart", AsMethod(Restart), METH_O,
     "restart(is_off): counts from 0 again, for another run."},
    {"last", AsMethod(Last), METH_NOARGS,
     "What was logged last under each key: the dictionary itself."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddRecorder(PyObject* module) {
  state.names = PyDict_New();
  state.spans = PyDict_New();
  state.last = PyDict_New();
  span_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&span_spec));
  if (state.names == nullptr || state.spans == nullptr || state.last == nullptr ||
      span_type == nullptr)
    return false;
  Py_INCREF(span_type);
  if (PyModule_AddObject(module, "Span", reinterpret_cast<PyObject*>(span_type)) != 0) return false;
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace telltale::python
