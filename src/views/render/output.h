// SPDX-License-Identifier: Apache-2.0
// Where a command's result goes, in pieces: standard output, or a string in tests. A reader that
// goes away early (head) is no failure; a full disk is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace telltale {

class Output {
 public:
  virtual ~Output() = default;
  // Pieces may be small; they are collected.
  virtual void Write(std::string_view text) = 0;
  // False once nobody reads any more: a long writer may stop.
  [[nodiscard]] virtual bool wanted() const { return true; }
};

class StringOutput final : public Output {
 public:
  void Write(std::string_view text) override { text_ += text; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class DescriptorOutput final : public Output {
 public:
  explicit DescriptorOutput(int file_descriptor) : file_descriptor_(file_descriptor) {}
  DescriptorOutput(const DescriptorOutput&) = delete;
  DescriptorOutput& operator=(const DescriptorOutput&) = delete;
  ~DescriptorOutput() override { Flush(); }

  void Write(std::string_view text) override;
  [[nodiscard]] bool wanted() const override { return error_ == 0; }
  void Flush();
  // What went wrong, as a sentence; empty if nothing did, or if the reader merely left.
  [[nodiscard]] std::string Problem() const;

 private:
  static constexpr size_t kCollected = size_t{1} << 16;
  int file_descriptor_;
  int error_ = 0;  // errno of the first failed write
  std::string buffer_;
};

}  // namespace telltale
