// SPDX-License-Identifier: Apache-2.0
// The loops of the picture formats: PNG's row filters, GIF's palette and its LZW codes. The formats
// themselves are telltale/_codecs.py's.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

#include "python_api.h"

namespace telltale::python {
namespace {

struct Bytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

bool Get(PyObject* object, Bytes& bytes) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(object, &data, &size) != 0) return false;
  bytes = {reinterpret_cast<const uint8_t*>(data), static_cast<size_t>(size)};
  return true;
}

uint8_t Paeth(int left, int up, int corner) {
  const int guess = left + up - corner;
  const int from_left = std::abs(guess - left);
  const int from_up = std::abs(guess - up);
  const int from_corner = std::abs(guess - corner);
  if (from_left <= from_up && from_left <= from_corner) return static_cast<uint8_t>(left);
  return static_cast<uint8_t>(from_up <= from_corner ? up : corner);
}

// One row by filter `kind` (0 none, 1 sub, 2 up, 4 Paeth); returns how much is left of it: small
// differences compress well.
uint64_t FilterRow(int kind, const uint8_t* row, const uint8_t* above, size_t stride, size_t pixel,
                   uint8_t* out) {
  uint64_t left_over = 0;
  for (size_t i = 0; i < stride; ++i) {
    const uint8_t left = i >= pixel ? row[i - pixel] : 0;
    const uint8_t up = above != nullptr ? above[i] : 0;
    const uint8_t corner = above != nullptr && i >= pixel ? above[i - pixel] : 0;
    const int guess = kind == 0 ? 0 : kind == 1 ? left : kind == 2 ? up : Paeth(left, up, corner);
    out[i] = static_cast<uint8_t>(row[i] - guess);
    left_over += static_cast<uint64_t>(out[i] < 128 ? out[i] : 256 - out[i]);
  }
  return left_over;
}

// png_filter(data, bytes a row, bytes a pixel) -> rows, each with its filter in front
PyObject* PngFilter(PyObject* /*self*/, PyObject* const* arguments, Py_ssize_t count) {
  Bytes data;
  if (count != 3 || !Get(arguments[0], data))
    return PyErr_Format(PyExc_TypeError, "expected bytes and two numbers");
  const size_t stride = PyLong_AsSize_t(arguments[1]);
  const size_t pixel = PyLong_AsSize_t(arguments[2]);
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (stride == 0 || pixel == 0 || pixel > 8 || data.size % stride != 0) {
    return PyErr_Format(PyExc_ValueError, "expected whole rows of %zu bytes, found %zu bytes",
                        stride, data.size);
  }
  const size_t rows = data.size / stride;
  PyObject* result =
      PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(rows * (stride + 1)));
  auto* trial = static_cast<uint8_t*>(PyMem_Malloc(stride));
  if (result == nullptr || trial == nullptr) {
    Py_XDECREF(result);
    PyMem_Free(trial);
    return PyErr_NoMemory();
  }
  auto* out = reinterpret_cast<uint8_t*>(PyBytes_AsString(result));
  Py_BEGIN_ALLOW_THREADS;
  for (size_t y = 0; y < rows; ++y) {
    const uint8_t* row = data.data + y * stride;
    const uint8_t* above = y > 0 ? row - stride : nullptr;
    uint64_t best = UINT64_MAX;
    for (const int kind : {0, 1, 2, 4}) {
      const uint64_t left_over = FilterRow(kind, row, above, stride, pixel, trial);
      if (left_over >= best) continue;
      best = left_over;
      out[0] = static_cast<uint8_t>(kind);
      std::memcpy(out + 1, trial, stride);
    }
    out += stride + 1;
  }
  Py_END_ALLOW_THREADS;
  PyMem_Free(trial);
  return result;
}

constexpr int kMostColours = 256;

// The colours of a film, as long as they are few.
class Palette {
 public:
  // The number of a colour; -1 when there are too many.
  int Add(uint32_t colour) {
    uint32_t place = (colour * 2654435761U) >> 22;
    while (slots_[place] != 0) {
      const int found = slots_[place] - 1;
      if (colours_[found] == colour) return found;
      place = (place + 1) % kSlots;
    }
    if (size_ == kMostColours) return -1;
    colours_[size_] = colour;
    slots_[place] = static_cast<uint16_t>(++size_);
    return size_ - 1;
  }
  // 252 colours evenly spread.
  void SetCube() {
    size_ = 0;
    for (uint32_t r = 0; r < 6; ++r) {
      for (uint32_t g = 0; g < 7; ++g) {
        for (uint32_t b = 0; b < 6; ++b)
          colours_[size_++] = r * 51 << 16 | g * 255 / 6 << 8 | b * 51;
      }
    }
  }
  static int InCube(uint32_t r, uint32_t g, uint32_t b) {
    return static_cast<int>(((r + 25) / 51 * 7 + (g * 6 + 127) / 255) * 6 + (b + 25) / 51);
  }
  [[nodiscard]] PyObject* AsBytes() const {
    char bytes[3 * kMostColours];
    for (int i = 0; i < size_; ++i) {
      for (int part = 0; part < 3; ++part)
        bytes[3 * i + part] = static_cast<char>(colours_[i] >> (16 - 8 * part));
    }
    return PyBytes_FromStringAndSize(bytes, 3 * size_);
  }

 private:
  static constexpr uint32_t kSlots = 1024;
  uint16_t slots_[kSlots] = {};
  uint32_t colours_[kMostColours] = {};
  int size_ = 0;
};

// The numbers of one picture's colours, into `out`; false when there are too many.
bool Index(Palette& palette, bool is_cube, const Bytes& picture, uint8_t* out) {
  for (size_t i = 0; i + 2 < picture.size; i += 3) {
    const uint32_t r = picture.data[i];
    const uint32_t g = picture.data[i + 1];
    const uint32_t b = picture.data[i + 2];
    const int colour = is_cube ? Palette::InCube(r, g, b) : palette.Add(r << 16 | g << 8 | b);
    if (colour < 0) return false;
    *out++ = static_cast<uint8_t>(colour);
  }
  return true;
}

// gif_indices([RGB, …]) -> (palette, [colour numbers, …])
PyObject* GifIndices(PyObject* /*self*/, PyObject* list) {
  const Py_ssize_t count = PyList_Size(list);
  if (count < 0) return nullptr;
  Palette palette;
  for (const bool is_cube : {false, true}) {
    if (is_cube) palette.SetCube();
    PyObject* pictures = PyList_New(0);
    if (pictures == nullptr) return nullptr;
    bool fits = true;
    for (Py_ssize_t i = 0; i < count && fits; ++i) {
      Bytes picture;
      PyObject* indices = nullptr;
      if (Get(PyList_GetItem(list, i), picture)) {
        indices = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(picture.size / 3));
      }
      if (indices == nullptr) {
        Py_DECREF(pictures);
        return nullptr;
      }
      fits =
          Index(palette, is_cube, picture, reinterpret_cast<uint8_t*>(PyBytes_AsString(indices)));
      const int added = PyList_Append(pictures, indices);
      Py_DECREF(indices);
      if (added != 0) {
        Py_DECREF(pictures);
        return nullptr;
      }
    }
    if (fits) return Py_BuildValue("(NN)", palette.AsBytes(), pictures);
    Py_DECREF(pictures);
  }
  return PyErr_Format(PyExc_SystemError, "a colour outside of the cube");
}

// Codes of growing width, least significant bit first. At most 12 bits a pixel and a code now and
// then that starts the table anew.
class GifCodes {
 public:
  GifCodes(uint8_t* out, int bits) : out_(out), bits_(bits) {}

  size_t Compress(const Bytes& picture) {
    Restart();
    int prefix = -1;
    for (size_t i = 0; i < picture.size; ++i) {
      const int colour = picture.data[i];
      if (prefix < 0) {
        prefix = colour;
        continue;
      }
      uint16_t& next = following_[prefix << 8 | colour];
      if (next != 0) {
        prefix = next;
        continue;
      }
      Put(prefix);
      if (next_code_ < kMostCodes) {
        if (next_code_ == 1 << width_) ++width_;
        next = static_cast<uint16_t>(next_code_++);
      } else {
        Restart();
      }
      prefix = colour;
    }
    if (prefix >= 0) Put(prefix);
    // The reader adds an entry for this code, too, and may widen.
    if (next_code_ == 1 << width_ && width_ < 12) ++width_;
    Put(end_code());
    if (pending_bits_ > 0) out_[size_++] = static_cast<uint8_t>(pending_);
    return size_;
  }

 private:
  static constexpr int kMostCodes = 4096;
  [[nodiscard]] int clear_code() const { return 1 << bits_; }
  [[nodiscard]] int end_code() const { return clear_code() + 1; }

  void Restart() {
    if (size_ == 0 && pending_bits_ == 0) width_ = bits_ + 1;
    Put(clear_code());
    std::memset(following_, 0, sizeof(following_));
    next_code_ = end_code() + 1;
    width_ = bits_ + 1;
  }
  void Put(int code) {
    pending_ |= static_cast<uint32_t>(code) << pending_bits_;
    for (pending_bits_ += width_; pending_bits_ >= 8; pending_bits_ -= 8, pending_ >>= 8) {
      out_[size_++] = static_cast<uint8_t>(pending_);
    }
  }

  uint8_t* out_;
  int bits_;
  size_t size_ = 0;
  int width_ = 0;
  int next_code_ = 0;
  uint32_t pending_ = 0;
  int pending_bits_ = 0;
  uint16_t following_[kMostCodes << 8];  // by code and colour: the code for both
};

// gif_compress(colour numbers, bits a colour) -> codes
PyObject* GifCompress(PyObject* /*self*/, PyObject* const* arguments, Py_ssize_t count) {
  Bytes picture;
  if (count != 2 || !Get(arguments[0], picture))
    return PyErr_Format(PyExc_TypeError, "expected bytes and a number");
  const long bits = PyLong_AsLong(arguments[1]);
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (bits < 2 || bits > 8)
    return PyErr_Format(PyExc_ValueError, "expected 2 to 8 bits, found %ld", bits);
  auto* codes = static_cast<GifCodes*>(PyMem_Malloc(sizeof(GifCodes)));
  auto* out = static_cast<uint8_t*>(PyMem_Malloc(picture.size * 2 + 64));
  PyObject* result = nullptr;
  if (codes != nullptr && out != nullptr) {
    size_t size = 0;
    Py_BEGIN_ALLOW_THREADS;
    size = (new (codes) GifCodes(out, static_cast<int>(bits)))->Compress(picture);
    Py_END_ALLOW_THREADS;
    result = PyBytes_FromStringAndSize(reinterpret_cast<char*>(out), static_cast<Py_ssize_t>(size));
  } else {
    PyErr_NoMemory();
  }
  PyMem_Free(codes);
  PyMem_Free(out);
  return result;
}

PyMethodDef functions[] = {{"png_filter", AsMethod(PngFilter), METH_FASTCALL,
                            "png_filter(data, bytes a row, bytes a pixel) -> filtered rows"},
                           {"gif_indices", AsMethod(GifIndices), METH_O,
                            "gif_indices([RGB, …]) -> (palette, [colour numbers, …])"},
                           {"gif_compress", AsMethod(GifCompress), METH_FASTCALL,
                            "gif_compress(colour numbers, bits a colour) -> codes"},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool AddPictures(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace telltale::python
