// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/stored_values.h"

#include <unistd.h>

#include <optional>

namespace telltale {

FoundValues FindValues(const DataContext& context, std::string_view run, std::string_view tag,
                       std::string_view plugin) {
  FoundValues found;
  context.board.WithRun(run, [&](const BoardRun& shown) {
    const std::optional<BoardSeries> series = shown.Find(tag, plugin);
    if (!series) return;
    found.found = true;
    found.plugin_content = series->first().plugin_content;
    found.values = series->Values(context.options.purge);
  });
  return found;
}

void ForEachStored(
    const FileGate& gate, const std::vector<BoardValue>& values,
    const std::function<void(const StoredValue& value, std::string_view bytes)>& use) {
  std::string path;
  FileDescriptor file;
  std::string bytes;
  for (const BoardValue& value : values) {
    if (value.path != path) {
      path = value.path;
      Result<OpenedFile> opened = gate.Open(path);
      file = opened ? std::move(opened->descriptor) : FileDescriptor();
    }
    if (!file.valid()) continue;
    bytes.resize(value.stored.bytes);
    size_t read = 0;
    while (read < bytes.size()) {
      const ssize_t got = ::pread(file.get(), bytes.data() + read, bytes.size() - read,
                                  static_cast<off_t>(value.stored.offset + read));
      if (got <= 0) break;
      read += static_cast<size_t>(got);
    }
    if (read == bytes.size()) use(value.stored, bytes);
  }
}

}  // namespace telltale
