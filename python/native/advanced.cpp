// SPDX-License-Identifier: Apache-2.0
// `--profile advanced`: every call of a Python function, and of the native ones that Python calls,
// goes into the tree of calls (call_tree.h). Up to Python 3.11 by a profile function of each
// thread, from 3.12 on by sys.monitoring, whose callbacks these are. Which calls count is as for
// cProfile: each entry into a frame, so that a generator counts at each resumption, and functions
// made by C that are called as such. Frames of this package are left out, with what they themselves
// call natively: what they call of the program's counts as called by their callers. All of it runs
// under Python's lock.
#include "advanced.h"

#include <pthread.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "call_tree.h"
#include "function_names.h"
#include "python_api.h"

// Not promised to modules for 3.9, but there and unchanged from 3.9 to 3.14.
extern "C" {
typedef struct _frame PyFrameObject;
PyCodeObject* PyFrame_GetCode(PyFrameObject* frame);
void PyEval_SetProfile(int (*function)(PyObject*, PyFrameObject*, int, PyObject*), PyObject* arg);
int PySys_AddAuditHook(int (*hook)(const char*, PyObject*, void*), void* data);
}

namespace telltale::python {

bool advanced_is_on = false;

namespace {

// Where a frame has its code, which every event asks for: Python's own function for that takes a
// tenth of what an event costs. Looked at before it is believed.
enum class FrameLayout : uint8_t {
  kAsked,    // PyFrame_GetCode
  kInFrame,  // 3.9 and 3.10
  kBehind,   // 3.11: in what the interpreter has of it
};

enum Event { kCall = 0, kReturn = 3, kNativeCall = 4, kNativeException = 5, kNativeReturn = 6 };

struct State {
  CallTree tree;
  PyTypeObject* function = nullptr;           // of Python
  PyTypeObject* native_function = nullptr;    // builtin_function_or_method
  PyTypeObject* method_descriptor = nullptr;  // str.upper
  PyObject* our_folders = nullptr;            // tuple: files below them are left out
  PyObject* on_frame = nullptr;               // what the profile functions have, and show
  PyObject* left_out = nullptr;               // list: code that is ours under another name
  PyObject* taken = nullptr;                  // list: where another profiler took the place
  ThreadCalls* threads = nullptr;             // all there ever were
  bool has_started = false;                   // the program's own code has begun
  bool is_setting = false;                    // our own call of PyEval_SetProfile
  bool has_fork_handler = false;
  bool has_audit_hook = false;
};
State state;

__thread ThreadCalls* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;
pthread_key_t end_of_thread;

void OnThreadEnd(void* pointer) {
  // Without Python's lock: only the flag, which is looked at under it.
  __atomic_store_n(&static_cast<ThreadCalls*>(pointer)->in_use, false, __ATOMIC_RELEASE);
}

void InChild() {
  advanced_is_on = false;
  this_thread = nullptr;
  state.threads = nullptr;
  state.tree.Forget();
}

// The name of this thread as the program gave it, without running any of its code. A new reference.
PyObject* ThreadName() {
  PyObject* const modules = PyImport_GetModuleDict();  // borrowed
  PyObject* const threading = PyDict_GetItemString(modules, "threading");
  PyObject* const active = threading == nullptr ? nullptr : Attribute(threading, "_active");
  PyObject* name = nullptr;
  if (active != nullptr && PyDict_Check(active)) {
    PyObject* const ident = PyLong_FromUnsignedLong(PyThread_get_thread_ident());
    PyObject* const thread = ident == nullptr ? nullptr : PyDict_GetItemWithError(active, ident);
    if (thread != nullptr) name = Attribute(thread, "_name");
    Py_XDECREF(ident);
  }
  Py_XDECREF(active);
  PyErr_Clear();
  if (name != nullptr && PyUnicode_Check(name)) return name;
  Py_XDECREF(name);
  return PyUnicode_FromString(state.threads == nullptr ? "MainThread" : "thread");
}

// "Thread-12 (load)" and "Thread-13 (load)" do the same: one that has ended leaves its tree to the
// next, so that programs with any number of threads have as many trees as run side by side.
bool IsSameKind(std::string_view one, std::string_view other) {
  size_t i = 0;
  size_t k = 0;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (i < one.size() || k < other.size()) {
    while (i < one.size() && is_digit(one[i])) ++i;
    while (k < other.size() && is_digit(other[k])) ++k;
    if (i == one.size() || k == other.size()) return i == one.size() && k == other.size();
    if (one[i++] != other[k++]) return false;
  }
  return true;
}

std::string_view NameOf(const CallFunction& entry) {
  const char* const text = reinterpret_cast<const char*>(&entry + 1);
  return {text + entry.file_bytes, entry.name_bytes};
}

// Of the thread that calls; null: no room.
ThreadCalls* Here() {
  if (this_thread != nullptr) return this_thread;
  PyObject* const text = ThreadName();
  const std::string_view name = TextOrNothing(text);
  ThreadCalls* found = nullptr;
  for (ThreadCalls* known = state.threads; known != nullptr && found == nullptr;
       known = known->next) {
    if (__atomic_load_n(&known->in_use, __ATOMIC_ACQUIRE)) continue;
    const KnownFunction* const root = state.tree.Find(known->root->key);
    if (IsSameKind(NameOf(*root->entry), name)) found = known;
  }
  if (found != nullptr) {
    state.tree.EndAll(*found);
    found->is_out = false;
  } else if (CallNode* const root = state.tree.AddThread(name); root != nullptr) {
    found = static_cast<ThreadCalls*>(std::calloc(1, sizeof(ThreadCalls)));
    if (found != nullptr) {
      found->root = found->now = root;
      found->next = state.threads;
      state.threads = found;
    }
  }
  Py_XDECREF(text);
  if (found == nullptr) return nullptr;
  found->in_use = true;
  pthread_setspecific(end_of_thread, found);
  this_thread = found;
  return found;
}

bool IsOurs(PyObject* file) {
  if (file == nullptr || !PyUnicode_Check(file)) return false;
  const std::string_view path = TextOrNothing(file);
  for (Py_ssize_t i = 0; i < PyTuple_Size(state.our_folders); ++i) {
    if (path.starts_with(TextOrNothing(PyTuple_GetItem(state.our_folders, i)))) return true;
  }
  return false;
}

// What Python itself runs before and around the program's first line.
bool IsStartUp(std::string_view file) {
  return file.starts_with("<frozen ") || file.ends_with("/site.py") ||
         file.ends_with("/sitecustomize.py") || file.ends_with("/usercustomize.py") ||
         file.ends_with("/runpy.py");
}
bool StartsModules(std::string_view file) {
  return file == "<frozen runpy>" || file.ends_with("/runpy.py");
}

// Code of this package that says it is somebody else's, for torch's compiler.
bool IsNamedAsOurs(PyObject* code) {
  for (Py_ssize_t i = 0; i < PyList_Size(state.left_out); ++i) {
    if (PyList_GetItem(state.left_out, i) == code) return true;
  }
  return false;
}

// A code object that is seen first. Null: no room, or not yet.
KnownFunction* AddCode(PyObject* code) {
  PyObject* const file = Attribute(code, "co_filename");
  PyObject* const name = Attribute(code, "co_name");
  PyObject* const line = Attribute(code, "co_firstlineno");
  FunctionFacts facts;
  facts.file = TextOrNothing(file);
  facts.name = TextOrNothing(name);
  facts.line = line == nullptr ? 0 : static_cast<int32_t>(PyLong_AsLong(line));
  PyErr_Clear();
  if (!state.has_started) {
    state.has_started = facts.name == "<module>" && !IsStartUp(facts.file) && !IsOurs(file);
  }
  KnownFunction* known = nullptr;
  if (state.has_started) {
    const bool is_left_out = IsOurs(file) || StartsModules(facts.file) || IsNamedAsOurs(code);
    known = state.tree.Add(reinterpret_cast<uint64_t>(code), is_left_out ? nullptr : &facts);
    // Its address is its name from now on: nothing else may come to lie there.
    if (known != nullptr) Py_INCREF(code);
  }
  Py_XDECREF(line);
  Py_XDECREF(name);
  Py_XDECREF(file);
  return known;
}

KnownFunction* AddNative(const PyMethodDef* definition, PyObject* callable, bool is_descriptor) {
  PyObject* const text = is_descriptor
                             ? PyObject_Repr(callable)
                             : NativeName(reinterpret_cast<const NativeFunction*>(callable));
  PyErr_Clear();
  FunctionFacts facts;
  facts.kind = CallKind::kNative;
  facts.name = TextOrNothing(text);
  // What this package itself does natively is no call of the program's.
  const bool is_left_out = facts.name.find("telltale._native") != std::string_view::npos;
  KnownFunction* const known =
      state.tree.Add(reinterpret_cast<uint64_t>(definition), is_left_out ? nullptr : &facts);
  Py_XDECREF(text);
  return known;
}

// The way of a call that was never made here before, or is to be left out.
template <typename AddFunction>
void BeginSlowly(ThreadCalls& thread, uint64_t key, AddFunction add) {
  if (thread.is_busy != 0) return;
  thread.is_busy = 1;
  KnownFunction* known = state.tree.Find(key);
  if (known == nullptr) known = add();
  thread.is_busy = 0;
  if (known == nullptr || known->entry == nullptr) return;
  CallNode* const node = thread.uncounted > 0 ? nullptr : state.tree.MakeChild(thread.now, *known);
  if (node == nullptr) return state.tree.BeginUncounted(thread, *known);
  CallTree::Begin(thread, node);
}

void EndSlowly(ThreadCalls& thread, uint64_t key, uint64_t now) {
  if (thread.is_busy != 0) return;
  const KnownFunction* const known = state.tree.Find(key);
  if (known == nullptr || known->entry == nullptr) return;
  if (thread.uncounted > 0) {
    --thread.uncounted;
    return;
  }
  CallNode* node = thread.now;
  while (node != thread.root && node->key != key) node = node->above;
  // It began before anybody looked.
  if (node == thread.root) return;
  state.tree.EndAmong(thread, node, now);
}

void BeginCode(PyObject* code) {
  ThreadCalls* const thread = Here();
  if (thread == nullptr) return;
  const auto key = reinterpret_cast<uint64_t>(code);
  CallNode* const node = thread->is_usual() ? state.tree.Child(thread->now, key) : nullptr;
  if (__builtin_expect(static_cast<long>(node != nullptr), 1) != 0) {
    return CallTree::Begin(*thread, node);
  }
  BeginSlowly(*thread, key, [code] { return AddCode(code); });
}

void EndCode(PyObject* code) {
  const uint64_t now = record::Ticks();
  ThreadCalls* const thread = Here();
  if (thread == nullptr) return;
  CallNode* const node = thread->now;
  const auto key = reinterpret_cast<uint64_t>(code);
  if (__builtin_expect(static_cast<long>(node->key == key && thread->is_usual()), 1) != 0) {
    return state.tree.End(*thread, node, now);
  }
  EndSlowly(*thread, key, now);
}

// Null: what is called is no function made by C.
const PyMethodDef* DefinitionOf(PyObject* callable, bool& is_descriptor) {
  PyTypeObject* const type = Py_TYPE(callable);
  if (type == state.function) return nullptr;
  if (type == state.method_descriptor) {
    is_descriptor = true;
    return reinterpret_cast<MethodDescriptor*>(callable)->definition;
  }
  if (type == state.native_function || PyType_IsSubtype(type, state.native_function) != 0) {
    return reinterpret_cast<NativeFunction*>(callable)->definition;
  }
  return nullptr;
}

// `code`: of the frame that calls.
void BeginNative(PyObject* code, PyObject* callable) {
  bool is_descriptor = false;
  const PyMethodDef* const definition = DefinitionOf(callable, is_descriptor);
  if (definition == nullptr || !state.has_started) return;
  ThreadCalls* const thread = Here();
  if (thread == nullptr) return;
  const auto caller = reinterpret_cast<uint64_t>(code);
  if (thread->now->key != caller) {
    const KnownFunction* const known = state.tree.Find(caller);
    if (known != nullptr && known->entry == nullptr) return;
  }
  const auto key = reinterpret_cast<uint64_t>(definition);
  CallNode* const node = thread->is_usual() ? state.tree.Child(thread->now, key) : nullptr;
  if (node != nullptr) return CallTree::Begin(*thread, node);
  BeginSlowly(*thread, key, [&] { return AddNative(definition, callable, is_descriptor); });
}

void EndNative(PyObject* code, PyObject* callable) {
  const uint64_t now = record::Ticks();
  bool is_descriptor = false;
  const PyMethodDef* const definition = DefinitionOf(callable, is_descriptor);
  if (definition == nullptr) return;
  ThreadCalls* const thread = Here();
  if (thread == nullptr) return;
  CallNode* const node = thread->now;
  const auto key = reinterpret_cast<uint64_t>(definition);
  if (node->key == key && thread->is_usual()) return state.tree.End(*thread, node, now);
  const KnownFunction* const known = state.tree.Find(reinterpret_cast<uint64_t>(code));
  if (known != nullptr && known->entry == nullptr) return;
  EndSlowly(*thread, key, now);
}

template <typename T>
T At(const void* object, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(object) + offset, sizeof value);
  return value;
}
constexpr size_t kInterpreterFrame = sizeof(PyObject) + sizeof(void*);
constexpr size_t kCodeInFrame = 4 * sizeof(void*);

// Borrowed.
template <FrameLayout kLayout>
PyObject* CodeOf(PyFrameObject* frame) {
  if constexpr (kLayout == FrameLayout::kInFrame) return At<PyObject*>(frame, kCodeInFrame);
  if constexpr (kLayout == FrameLayout::kBehind) {
    return At<PyObject*>(At<void*>(frame, kInterpreterFrame), kCodeInFrame);
  }
  auto* const code = reinterpret_cast<PyObject*>(PyFrame_GetCode(frame));
  Py_DECREF(code);  // the frame has it
  return code;
}

// Up to 3.11: of each thread.
template <FrameLayout kLayout>
int OnFrame(PyObject* /*self*/, PyFrameObject* frame, int event, PyObject* argument) {
  if (!advanced_is_on) return 0;
  PyObject* const code = CodeOf<kLayout>(frame);
  switch (event) {
    case kCall:
      BeginCode(code);
      break;
    case kReturn:
      EndCode(code);
      break;
    case kNativeCall:
      BeginNative(code, argument);
      break;
    case kNativeException:
    case kNativeReturn:
      EndNative(code, argument);
      break;
    default:
      break;
  }
  return 0;
}

using ProfileFunction = int (*)(PyObject*, PyFrameObject*, int, PyObject*);

ProfileFunction ChooseProfileFunction() {
  PyFrameObject* const frame = PyEval_GetFrame();  // borrowed
  const std::string_view version = Py_GetVersion();
  const PyObject* const code = frame == nullptr ? nullptr : CodeOf<FrameLayout::kAsked>(frame);
  if (code != nullptr && (version.starts_with("3.9.") || version.starts_with("3.10.")) &&
      CodeOf<FrameLayout::kInFrame>(frame) == code) {
    return OnFrame<FrameLayout::kInFrame>;
  }
  if (code != nullptr && version.starts_with("3.11.") &&
      CodeOf<FrameLayout::kBehind>(frame) == code) {
    return OnFrame<FrameLayout::kBehind>;
  }
  return OnFrame<FrameLayout::kAsked>;
}

void SetProfile() {
  static const ProfileFunction on_frame = ChooseProfileFunction();
  state.is_setting = true;
  PyEval_SetProfile(on_frame, state.on_frame);
  state.is_setting = false;
}

// From 3.12 on: of all threads.
PyObject* OnBegin(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count) {
  if (count > 0 && advanced_is_on) BeginCode(given[0]);
  return None();
}
PyObject* OnEnd(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count) {
  if (count > 0 && advanced_is_on) EndCode(given[0]);
  return None();
}
PyObject* OnNativeBegin(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count) {
  if (count > 2 && advanced_is_on) BeginNative(given[0], given[2]);
  return None();
}
PyObject* OnNativeEnd(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count) {
  if (count > 2 && advanced_is_on) EndNative(given[0], given[2]);
  return None();
}

// What threading.setprofile has: the first thing that happens in a new thread.
PyObject* OnNewThread(PyObject* /*self*/, PyObject* /*arguments*/) {
  if (advanced_is_on) SetProfile();
  return None();
}

// Somebody else takes a thread's only place for a profiler, before 3.12: that one has it from now
// on, and what it will not tell us of is over.
int OnAudit(const char* event, PyObject* /*arguments*/, void* /*data*/) {
  if (event[0] != 's' || std::strcmp(event, "sys.setprofile") != 0) return 0;
  if (state.is_setting || !advanced_is_on || this_thread == nullptr) return 0;
  ThreadCalls& thread = *this_thread;
  if (thread.is_out) return 0;
  thread.is_out = true;
  state.tree.EndAll(thread);
  PyObject* const name = ThreadName();
  if (name != nullptr) PyList_Append(state.taken, name);
  Py_XDECREF(name);
  PyErr_Clear();
  return 0;
}

// advanced_start(function, len, str.upper, folders) -> why it cannot be, or None
PyObject* Start(PyObject* /*self*/, PyObject* const* given, Py_ssize_t count) {
  if (count != 4 || !PyTuple_Check(given[3])) {
    return PyErr_Format(PyExc_TypeError, "expected a function, len, str.upper and folders");
  }
  if (advanced_is_on) return PyUnicode_FromString("it is on already");
  if (!KnowsObjects(given[1], given[2])) {
    return PyUnicode_FromString("this Python's functions are not what is known of any");
  }
  state.function = Py_TYPE(given[0]);
  state.native_function = Py_TYPE(given[1]);
  state.method_descriptor = Py_TYPE(given[2]);
  Py_INCREF(given[3]);
  Py_XDECREF(state.our_folders);
  state.our_folders = given[3];
  if (!state.has_fork_handler) {
    if (pthread_key_create(&end_of_thread, OnThreadEnd) != 0 ||
        pthread_atfork(nullptr, nullptr, InChild) != 0) {
      return PyUnicode_FromString("there is no room for its threads");
    }
    state.has_fork_handler = true;
  }
  if (!state.tree.Open())
    return PyUnicode_FromString("its file cannot be made in the run's folder");
  advanced_is_on = true;
  return None();
}

// advanced_take_slot(): a profile function of this thread; threads that begin later get theirs by
// threading.setprofile(advanced_on_new_thread).
PyObject* TakeSlot(PyObject* /*self*/, PyObject* /*none*/) {
  if (state.on_frame == nullptr) {
    state.on_frame = PyUnicode_FromString("telltale run --profile advanced");
  }
  if (!state.has_audit_hook) state.has_audit_hook = PySys_AddAuditHook(OnAudit, nullptr) == 0;
  PyErr_Clear();
  SetProfile();
  return None();
}

PyObject* LeaveOut(PyObject* /*self*/, PyObject* code) {
  return PyList_Append(state.left_out, code) == 0 ? None() : Forgive();
}

PyObject* Stop(PyObject* /*self*/, PyObject* /*none*/) {
  if (!advanced_is_on) return None();
  advanced_is_on = false;
  for (ThreadCalls* thread = state.threads; thread != nullptr; thread = thread->next) {
    state.tree.EndAll(*thread);
  }
  state.tree.Close();
  return None();
}

// The names of threads that another profiler took.
PyObject* Taken(PyObject* /*self*/, PyObject* /*none*/) {
  Py_INCREF(state.taken);
  return state.taken;
}

PyMethodDef functions[] = {
    {"advanced_start", AsMethod(Start), METH_FASTCALL,
     "advanced_start(function, len, str.upper, folders): opens the tree of calls; why it cannot "
     "be, or None. Code in the folders is left out."},
    {"advanced_take_slot", AsMethod(TakeSlot), METH_NOARGS,
     "Before 3.12: the calls of this thread."},
    {"advanced_on_new_thread", AsMethod(OnNewThread), METH_VARARGS,
     "Before 3.12: for threading.setprofile."},
    {"advanced_on_begin", AsMethod(OnBegin), METH_FASTCALL,
     "For PY_START, PY_RESUME, PY_THROW of sys.monitoring."},
    {"advanced_on_end", AsMethod(OnEnd), METH_FASTCALL,
     "For PY_RETURN, PY_YIELD, PY_UNWIND of sys.monitoring."},
    {"advanced_on_native_begin", AsMethod(OnNativeBegin), METH_FASTCALL,
     "For CALL of sys.monitoring."},
    {"advanced_on_native_end", AsMethod(OnNativeEnd), METH_FASTCALL,
     "For C_RETURN, C_RAISE of sys.monitoring."},
    {"advanced_leave_out", AsMethod(LeaveOut), METH_O,
     "advanced_leave_out(code): it is ours, whatever its file is called."},
    {"advanced_stop", AsMethod(Stop), METH_NOARGS, "All calls end now; the file is complete."},
    {"advanced_taken", AsMethod(Taken), METH_NOARGS,
     "The names of threads whose place another profiler took, in the end of 3.11 and before."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void BeginAction(uint32_t name) {
  if (!state.has_started) return;
  ThreadCalls* const thread = Here();
  if (thread == nullptr || thread->is_busy != 0 || thread->is_out) return;
  // No object and no thread has such a number.
  const uint64_t key = uint64_t{name} << 32 | 1;
  BeginSlowly(*thread, key, [&] {
    FunctionFacts facts;
    facts.kind = CallKind::kAction;
    facts.name = TextOrNothing(TextOf(name));
    return state.tree.Add(key, &facts);
  });
}

void EndAction() {
  ThreadCalls* const thread = this_thread;
  if (thread == nullptr || thread->is_busy != 0 || thread->is_out) return;
  const uint64_t now = record::Ticks();
  CallNode* node = thread->now;
  while (node != thread->root) {
    const KnownFunction* const known = state.tree.Find(node->key);
    if (static_cast<CallKind>(known->entry->kind) == CallKind::kAction) break;
    node = node->above;
  }
  if (node == thread->root) return;
  state.tree.EndAmong(*thread, node, now);
}

bool AddAdvanced(PyObject* module) {
  state.left_out = PyList_New(0);
  state.taken = PyList_New(0);
  return state.left_out != nullptr && state.taken != nullptr &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace telltale::python
