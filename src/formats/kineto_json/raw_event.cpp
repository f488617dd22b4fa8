// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/raw_event.h"

#include <algorithm>
#include <memory>

#include "formats/kineto_json/blocks.h"
#include "formats/kineto_json/value.h"
#include "io/byte_source.h"

namespace telltale {

namespace {

// As much as the reader itself would hold of one event.
constexpr size_t kMaxEventBytes = size_t{64} << 20;
constexpr size_t kChunkBytes = size_t{64} << 10;

}  // namespace

Result<std::string> ReadRawEvent(const ProfileSource& from, uint64_t offset, const FileGate& gate) {
  using kineto_json::PaddedBuffer;
  const std::string& path = from.path;
  if (path == "-") {
    return Fail(
        ErrorCode::kUnreadable,
        "standard input cannot be read twice: save the trace to a file to see raw arguments");
  }
  Result<std::unique_ptr<ByteSource>> source = OpenSource(path, gate);
  if (!source) return tl::unexpected<Error>(source.error());
  const auto changed = [&] {
    return Fail(ErrorCode::kUnreadable,
                path + ": no event at this place any more: the file changed since it was read",
                offset);
  };
  if ((*source)->stamp() != from.stamp) return changed();
  if (const Result<void> skipped = (*source)->Skip(offset); !skipped) {
    return tl::unexpected<Error>(skipped.error());
  }
  PaddedBuffer text;
  text.Resize(0);
  while (text.size() < kMaxEventBytes) {
    const size_t want = std::max(kChunkBytes, text.size());
    const size_t before = text.size();
    text.Reserve(before + want);
    const Result<size_t> got = (*source)->Read(text.data() + before, want);
    if (!got) return tl::unexpected<Error>(got.error());
    text.Resize(before + *got);
    const char* begin = text.data();
    const char* end = begin + text.size();
    if (begin == end || *begin != '{') return changed();
    if (const char* past = kineto_json::SkipContainer(begin, end)) return std::string(begin, past);
    if (*got == 0) return changed();
  }
  return changed();
}

}  // namespace telltale
