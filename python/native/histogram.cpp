// SPDX-License-Identifier: Apache-2.0
// Histograms of numbers that lie in memory: in TensorBoard's bins by the recorder's writer, as an
// encoded value, and in any others. Both take an address because the stable interface of Python 3.9
// has no buffers; the caller keeps the memory alive.
#include <cstdint>
#include <cstring>
#include <limits>

#include "python_api.h"
#include "telltale/writer.h"

namespace telltale::python {
namespace {

struct Totals {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double sum = 0;
  double squares = 0;
  bool has_nan = false;

  void Add(double value) {
    if (value < low) low = value;
    if (value > high) high = value;
    sum += value;
    squares += value * value;
    if (value != value) has_nan = true;
  }
};

// Sums in blocks: as exact as adding in pairs, nearly.
constexpr Py_ssize_t kBlock = 4096;

template <typename Number, typename Count>
Totals ForAll(const Number* numbers, Py_ssize_t size, const Count& count) {
  Totals all;
  for (Py_ssize_t begin = 0; begin < size; begin += kBlock) {
    Totals block;
    const Py_ssize_t end = begin + kBlock < size ? begin + kBlock : size;
    for (Py_ssize_t i = begin; i < end; ++i) {
      const double value = static_cast<double>(numbers[i]);
      block.Add(value);
      count(value);
    }
    if (block.low < all.low) all.low = block.low;
    if (block.high > all.high) all.high = block.high;
    all.sum += block.sum;
    all.squares += block.squares;
    all.has_nan = all.has_nan || block.has_nan;
  }
  if (all.has_nan) all.low = all.high = std::numeric_limits<double>::quiet_NaN();
  return all;
}

template <typename Count>
bool ForAll(uintptr_t address, Py_ssize_t size, char kind, const Count& count, Totals& totals) {
  const void* memory = reinterpret_cast<const void*>(address);
  switch (kind) {
    case 'f':
      totals = ForAll(static_cast<const float*>(memory), size, count);
      return true;
    case 'd':
      totals = ForAll(static_cast<const double*>(memory), size, count);
      return true;
    case 'q':
      totals = ForAll(static_cast<const int64_t*>(memory), size, count);
      return true;
    case 'i':
      totals = ForAll(static_cast<const int32_t*>(memory), size, count);
      return true;
    default:
      return false;
  }
}

PyObject* Answer(const Totals& totals, const int64_t* counts, Py_ssize_t size) {
  PyObject* list = PyList_New(size);
  if (list == nullptr) return nullptr;
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* number = PyLong_FromLongLong(counts[i]);
    if (number == nullptr || PyList_SetItem(list, i, number) != 0) {
      Py_DECREF(list);
      return nullptr;
    }
  }
  return Py_BuildValue("(ddddN)", totals.low, totals.high, totals.sum, totals.squares, list);
}

PyObject* InBins(uintptr_t address, Py_ssize_t size, char kind, PyObject* list) {
  const Py_ssize_t edge_count = PyList_Size(list);
  if (edge_count < 2) {
    return PyErr_Occurred() != nullptr
               ? nullptr
               : PyErr_Format(PyExc_ValueError, "expected two edges or more");
  }
  auto* edges = static_cast<double*>(PyMem_Malloc(static_cast<size_t>(edge_count) * 16));
  if (edges == nullptr) return PyErr_NoMemory();
  auto* counts = reinterpret_cast<int64_t*>(edges + edge_count);
  std::memset(counts, 0, static_cast<size_t>(edge_count) * 8);
  for (Py_ssize_t i = 0; i < edge_count; ++i) edges[i] = PyFloat_AsDouble(PyList_GetItem(list, i));
  PyObject* answer = nullptr;
  if (PyErr_Occurred() == nullptr) {
    Totals totals;
    bool known = false;
    Py_BEGIN_ALLOW_THREADS;
    known = ForAll(
        address, size, kind,
        [&](double value) {
          if (!(value >= edges[0] && value <= edges[edge_count - 1])) return;
          Py_ssize_t from = 0;
          Py_ssize_t to = edge_count - 1;  // the bin's right edge
          while (to - from > 1) {
            const Py_ssize_t middle = (from + to) / 2;
            (value >= edges[middle] ? from : to) = middle;
          }
          ++counts[from];
        },
        totals);
    Py_END_ALLOW_THREADS;
    answer = known ? Answer(totals, counts, edge_count - 1)
                   : PyErr_Format(PyExc_ValueError, "unknown type of numbers");
  }
  PyMem_Free(edges);
  return answer;
}

bool Get(PyObject* const* arguments, uintptr_t& address, Py_ssize_t& size, char& kind) {
  address = static_cast<uintptr_t>(PyLong_AsUnsignedLongLong(arguments[0]));
  size = PyLong_AsSsize_t(arguments[1]);
  const std::string_view type = Text(arguments[2]);
  if (PyErr_Occurred() != nullptr) return false;
  kind = type.size() == 1 ? type[0] : '?';
  return true;
}

PyObject* Histogram(PyObject* /*self*/, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 4) return PyErr_Format(PyExc_TypeError, "expected four arguments, found %zd", count);
  uintptr_t address = 0;
  Py_ssize_t size = 0;
  char kind = '?';
  return Get(arguments, address, size, kind) ? InBins(address, size, kind, arguments[3]) : nullptr;
}

PyObject* HistogramValue(PyObject* /*self*/, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 4) return PyErr_Format(PyExc_TypeError, "expected four arguments, found %zd", count);
  uintptr_t address = 0;
  Py_ssize_t size = 0;
  char kind = '?';
  const std::string_view tag = Text(arguments[3]);
  if (tag.data() == nullptr || !Get(arguments, address, size, kind)) return nullptr;
  if (kind != 'f' && kind != 'd') return PyErr_Format(PyExc_ValueError, "expected the type f or d");
  const size_t capacity = TELLTALE_HISTOGRAM_BYTES + tag.size();
  auto* out = static_cast<char*>(PyMem_Malloc(capacity));
  if (out == nullptr) return PyErr_NoMemory();
  size_t taken = 0;
  Py_BEGIN_ALLOW_THREADS;
  const void* values = reinterpret_cast<const void*>(address);
  const auto number = static_cast<size_t>(size);
  taken =
      kind == 'f'
          ? telltale_histogram_value(tag.data(), tag.size(), static_cast<const float*>(values),
                                     number, out, capacity)
          : telltale_histogram_value_double(
                tag.data(), tag.size(), static_cast<const double*>(values), number, out, capacity);
  Py_END_ALLOW_THREADS;
  PyObject* result = taken == 0 || taken > capacity
                         ? None()
                         : PyBytes_FromStringAndSize(out, static_cast<Py_ssize_t>(taken));
  PyMem_Free(out);
  return result;
}

PyMethodDef functions[] = {
    {"histogram", AsMethod(Histogram), METH_FASTCALL,
     "histogram(address, count, type, edges) -> (least, greatest, sum, sum of squares, counts)"},
    {"histogram_value", AsMethod(HistogramValue), METH_FASTCALL,
     "histogram_value(address, count, type, tag) -> Summary.Value in TensorBoard's bins; None: no "
     "value is within them"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddHistogram(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace telltale::python
