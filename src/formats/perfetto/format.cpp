// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/format.h"

#include "formats/perfetto/detect.h"
#include "formats/perfetto/reader.h"
#include "formats/perfetto/writer.h"

namespace telltale {

Format PerfettoFormat() {
  return {.name = "perfetto",
          .kind = ContentKind::kTrace,
          .shown = "a Perfetto trace",
          .endings = {".pftrace", ".perfetto-trace", ".perfetto", ".trace", ".pb"},
          .matches = [](std::string_view head, std::string_view) { return IsPerfettoTrace(head); },
          .read = ReadAs<&ReadPerfetto>,
          .read_events = [](ByteSource& source, const ReadOptions& options,
                            EventListener& listener) -> Result<void> {
            const Result<Trace> trace = ReadPerfettoEvents(source, options, listener);
            if (!trace) return tl::unexpected(trace.error());
            return {};
          },
          .writer = {.name = "perfetto",
                     .help = "Perfetto's own format",
                     .endings = {".pftrace", ".perfetto-trace"},
                     .trace = [](ByteSink& sink,
                                 std::span<const TracePlan> plans) -> std::unique_ptr<TraceWriter> {
                       return std::make_unique<PerfettoWriter>(sink, plans);
                     }}};
}

}  // namespace telltale
