// SPDX-License-Identifier: Apache-2.0
#include "views/render/output.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace telltale {

void DescriptorOutput::Write(std::string_view text) {
  if (error_ != 0) return;
  buffer_ += text;
  if (buffer_.size() >= kCollected) Flush();
}

void DescriptorOutput::Flush() {
  std::string_view left = buffer_;
  while (!left.empty() && error_ == 0) {
    const ssize_t written = ::write(file_descriptor_, left.data(), left.size());
    if (written >= 0) {
      left.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      error_ = errno;
    }
  }
  buffer_.clear();
}

std::string DescriptorOutput::Problem() const {
  if (error_ == 0 || error_ == EPIPE) return "";
  return "the output could not be written: " + std::generic_category().message(error_);
}

}  // namespace telltale
