// SPDX-License-Identifier: Apache-2.0
#include "formats/buffered_input.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/utf8.h"

namespace telltale {

namespace {

constexpr size_t kBlockBytes = size_t{256} << 10;
constexpr size_t kMaxValueBytes = size_t{64} << 20;

}  // namespace

BufferedInput::BufferedInput(ByteSource& source, const ReadOptions& options)
    : source_(source),
      options_(options),
      max_bytes_(options.max_value_bytes != 0 ? options.max_value_bytes : kMaxValueBytes) {}

bool BufferedInput::More() {
  if (ended_ || full()) return false;
  if (options_.canceled != nullptr && *options_.canceled) {
    error_ = Error{ErrorCode::kCanceled, "stopped", std::nullopt};
    ended_ = true;
    return false;
  }
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    const size_t block = options_.block_bytes != 0 ? options_.block_bytes : kBlockBytes;
    buffer_.resize(std::min(std::max(block, buffer_.size() * 2), max_bytes_));
  }
  const Result<size_t> got = source_.Read(buffer_.data() + end_, buffer_.size() - end_);
  if (!got) error_ = got.error();
  if (!got || *got == 0) {
    ended_ = true;
    return false;
  }
  end_ += *got;
  if (options_.progress) options_.progress(source_.consumed_bytes());
  return true;
}

std::string_view LineReader::Clean(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (offset_ == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  std::optional<std::string> repaired = ReplaceInvalidUtf8(line);
  if (!repaired) return line;
  diagnostics_.Add(DiagnosticKind::kInvalidUtf8, offset_);
  clean_ = std::move(*repaired);
  return clean_;
}

void LineReader::Describe(const ByteSource& source, FunctionProfile& profile) {
  profile.diagnostics.Merge(diagnostics_);
  DescribeInput(source, input_, profile);
}

std::optional<std::string_view> LineReader::Next() {
  input_.Take(taken_);
  taken_ = 0;
  size_t searched = 0;
  for (;;) {
    const std::string_view rest = input_.rest();
    const size_t end = rest.find('\n', searched);
    if (end != std::string_view::npos) {
      offset_ = input_.offset();
      unfinished_ = false;
      taken_ = end + 1;
      return Clean(rest.substr(0, end));
    }
    searched = rest.size();
    if (input_.More()) continue;
    if (input_.full()) {
      // Passes over the rest of the line; the next one begins behind its end.
      diagnostics_.Add(DiagnosticKind::kOversizedValue, input_.offset());
      const size_t size = input_.rest().size();
      input_.Take(size);
      for (;;) {
        const std::string_view more = input_.rest();
        const size_t found = more.find('\n');
        input_.Take(found == std::string_view::npos ? more.size() : found + 1);
        if (found != std::string_view::npos || !input_.More()) break;
      }
      searched = 0;
      continue;
    }
    if (input_.error() || rest.empty()) return std::nullopt;
    offset_ = input_.offset();
    unfinished_ = true;
    taken_ = rest.size();
    return Clean(input_.rest());
  }
}

void DescribeInput(const ByteSource& source, BufferedInput& input, ProfileSource& described,
                   Diagnostics& diagnostics) {
  input.Drain();
  described.compression = source.compression();
  described.bytes = source.consumed_bytes();
  described.decoded_bytes = input.offset();
  if (const auto problem = source.problem()) {
    diagnostics.AddWithDetail(DiagnosticKind::kCorruptCompression, problem->offset,
                              problem->message);
  }
}

void DescribeInput(const ByteSource& source, BufferedInput& input, FunctionProfile& profile) {
  DescribeInput(source, input, profile.source, profile.diagnostics);
}

}  // namespace telltale
