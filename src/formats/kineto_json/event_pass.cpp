// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/event_pass.h"

#include <algorithm>

#include "formats/kineto_json/blocks.h"
#include "formats/kineto_json/document.h"
#include "formats/kineto_json/event_parser.h"
#include "formats/trace_rows/fragment.h"

namespace telltale {

namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
// As reader.cpp: a larger single value is skipped, not held.
constexpr size_t kMaxValueBytes = size_t{64} << 20;

}  // namespace

Result<void> ReadKinetoEvents(ByteSource& source, const ReadOptions& options,
                              EventListener& listener) {
  using namespace kineto_json;
  const size_t chunk_bytes = options.block_bytes != 0 ? options.block_bytes : kChunkBytes;
  const size_t max_value = options.max_value_bytes != 0 ? options.max_value_bytes : kMaxValueBytes;
  Trace unused;  // takes the document's top-level values
  EventParser parser;
  parser.Tell(&listener);
  Document document(parser, unused);
  Fragment fragment;
  PaddedBuffer text;
  text.Resize(0);
  uint64_t offset = 0;
  size_t next_attempt = 0;
  for (bool at_eof = false; !at_eof;) {
    if (options.canceled != nullptr && *options.canceled) {
      return Fail(ErrorCode::kCanceled, "stopped");
    }
    const size_t before = text.size();
    text.Reserve(before + chunk_bytes);
    const Result<size_t> got = source.Read(text.data() + before, chunk_bytes);
    if (!got) return tl::unexpected<Error>(got.error());
    text.Resize(before + *got);
    at_eof = *got == 0;
    if (options.progress) options.progress(source.consumed_bytes());
    if (!at_eof && text.size() < next_attempt) continue;
    for (;;) {
      parser.Begin(fragment);
      const char* begin = text.data();
      const PaddedText padded{begin, begin + text.size(), offset};
      const char* stop = document.Feed(padded, at_eof, fragment);
      const bool oversized = stop == begin && text.size() >= max_value;
      if (oversized) stop = document.SkipOversized(padded, fragment);
      parser.End();
      fragment.Clear();
      const auto used = static_cast<size_t>(stop - begin);
      offset += used;
      text.DropFront(used);
      if (!oversized) break;
    }
    // Linear in all, as in the reader: a value that needs more text waits for twice as much.
    next_attempt = text.size() * 2;
  }
  return {};
}

}  // namespace telltale
