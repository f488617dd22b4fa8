// SPDX-License-Identifier: Apache-2.0
// A growing array of plain values for tables with millions of rows. Large columns live in their own
// pages and grow by mremap: growing copies nothing and never holds the data twice, and freeing
// gives the memory back to the system at once. Not for types with constructors or for small,
// short-lived lists.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace telltale {

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  explicit Column(size_t size) { resize(size); }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column&& other) noexcept {
    Column(std::move(other)).swap(*this);
    return *this;
  }
  ~Column() { Release(); }

  void swap(Column& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T& operator[](size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](size_t i) const { return data_[i]; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] T& back() { return data_[size_ - 1]; }
  [[nodiscard]] const T& back() const { return data_[size_ - 1]; }
  [[nodiscard]] std::span<const T> span() const { return {data_, size_}; }

  void push_back(T value) {
    if (size_ == capacity_) Grow(size_ + 1);
    data_[size_++] = value;
  }

  void append(const T* values, size_t count) {
    if (count == 0) return;
    if (size_ + count > capacity_) Grow(size_ + count);
    std::memcpy(static_cast<void*>(data_ + size_), values, count * sizeof(T));
    size_ += count;
  }

  // Adds `count` rows of unspecified content and returns the first of them.
  [[nodiscard]] T* extend(size_t count) {
    if (size_ + count > capacity_) Grow(size_ + count);
    T* first = data_ + size_;
    size_ += count;
    return first;
  }

  // New rows are zero.
  void resize(size_t size) {
    if (size > size_) {
      const size_t old = size_;
      T* first = extend(size - size_);
      std::memset(static_cast<void*>(first), 0, (size - old) * sizeof(T));
    }
    size_ = size;
  }

  void reserve(size_t capacity) {
    if (capacity > capacity_) Grow(capacity);
  }

  void clear() { size_ = 0; }

  [[nodiscard]] size_t memory_bytes() const { return capacity_ * sizeof(T); }

 private:
  // Above this size a column has pages of its own.
  static constexpr size_t kOwnPagesBytes = size_t{1} << 20;

  static bool OwnPages(size_t capacity) { return capacity * sizeof(T) >= kOwnPagesBytes; }

  void Grow(size_t needed) {
    const size_t capacity = std::max({needed, capacity_ + capacity_ / 2, 4096 / sizeof(T) + 1});
    const size_t bytes = capacity * sizeof(T);
    void* data = nullptr;
    if (!OwnPages(capacity)) {
      data = std::realloc(static_cast<void*>(data_), bytes);
      if (data == nullptr) throw std::bad_alloc();
    } else if (OwnPages(capacity_)) {
      data = ::mremap(static_cast<void*>(data_), capacity_ * sizeof(T), bytes, MREMAP_MAYMOVE);
      if (data == MAP_FAILED) throw std::bad_alloc();
    } else {
      data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (data == MAP_FAILED) throw std::bad_alloc();
      if (size_ > 0) std::memcpy(data, static_cast<const void*>(data_), size_ * sizeof(T));
      std::free(static_cast<void*>(data_));
    }
    data_ = static_cast<T*>(data);
    capacity_ = capacity;
  }

  void Release() {
    if (OwnPages(capacity_)) {
      ::munmap(static_cast<void*>(data_), capacity_ * sizeof(T));
    } else {
      std::free(static_cast<void*>(data_));
    }
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace telltale
