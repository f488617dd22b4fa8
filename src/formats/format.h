// SPDX-License-Identifier: Apache-2.0
// A file format: what it holds, how it is told from others, how it is read and written. Each folder
// describes its own; registry.h has them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/event_listener.h"
#include "formats/read_options.h"
#include "formats/trace_plan.h"
#include "formats/trace_writer.h"
#include "io/byte_sink.h"
#include "io/byte_source.h"
#include "model/artifact.h"

namespace telltale {

// How much of a decoded file a format may look at to tell whether it is its own.
constexpr size_t kHeadBytes = size_t{64} << 10;

// Reads a file that is still being written. A record that is cut where the file ends for now is a
// normal state: it is read when the rest has come. One thread at a time.
class Tail {
 public:
  virtual ~Tail() = default;
  // Takes what is there; `source` begins at position(). Fails only if what is there can never
  // become part of such a file.
  [[nodiscard]] virtual Result<void> Read(ByteSource& source) = 0;
  // Of the first decoded byte that belongs to no whole record yet.
  [[nodiscard]] virtual uint64_t position() const = 0;
  // What all whole records so far say.
  [[nodiscard]] virtual Artifact Snapshot() const = 0;
};

// How a format is written. Of the two functions it has the one for what it holds.
struct FormatWriter {
  std::string_view name = {};                  // for people: convert --to NAME
  std::string_view help = {};                  // "Perfetto's own format"
  std::vector<std::string_view> endings = {};  // of names that ask for it
  // The plans and their traces outlive the writer.
  std::unique_ptr<TraceWriter> (*trace)(ByteSink& sink, std::span<const TracePlan> plans) = nullptr;
  Result<std::string> (*functions)(const FunctionProfile& profile) = nullptr;
  bool series = false;  // of event files (src/cli/convert_series.h)
  // What of a profile of functions has no place in it.
  bool loses_unit = false;
  bool loses_call_paths = false;
  bool loses_order = false;  // in time, and threads
};

struct Format {
  std::string_view name = {};  // files[].format of the JSON output
  ContentKind kind = ContentKind::kFunctions;
  std::string_view shown = {};                 // behind "expected": "a Perfetto trace"
  std::vector<std::string_view> endings = {};  // of names that such files have; content decides
  // The path helps only where content cannot.
  bool (*matches)(std::string_view head, std::string_view path) = nullptr;
  // Of those that match: is it there to be opened? A folder's other files (the printed form of a
  // profile that lies beside it) are read only when they are named. nullptr: all are.
  bool (*belongs_in_list)(std::string_view head) = nullptr;
  // Sets everything but the path. Fails (kUnreadable) only if nothing of the input can be used.
  // Never holds more than a small multiple of what the input really contains, whatever sizes it
  // claims.
  Result<Artifact> (*read)(ByteSource& source, const ReadOptions& options) = nullptr;
  // Of traces: the text of every event once more.
  Result<void> (*read_events)(ByteSource& source, const ReadOptions& options,
                              EventListener& listener) = nullptr;
  // nullptr: a growing file is read again from its beginning.
  std::unique_ptr<Tail> (*tail)(const ReadOptions& options) = nullptr;
  FormatWriter writer = {};  // without a name: none
};

// A reader of one kind as Format::read.
template <auto kRead>
Result<Artifact> ReadAs(ByteSource& source, const ReadOptions& options) {
  auto content = kRead(source, options);
  if (!content) return tl::unexpected(std::move(content.error()));
  // In place: of a variant that is moved, GCC 12 says that it may not be initialised.
  return Result<Artifact>(tl::in_place, std::move(*content));
}

}  // namespace telltale
