// SPDX-License-Identifier: Apache-2.0
#include "formats/registry.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "formats/collapsed/reader.h"
#include "formats/importtime/reader.h"
#include "formats/kineto_json/format.h"
#include "formats/lightning/reader.h"
#include "formats/memory_snapshot/reader.h"
#include "formats/memory_timeline/reader.h"
#include "formats/perf_script/reader.h"
#include "formats/perfetto/format.h"
#include "formats/pickle.h"
#include "formats/pprof/reader.h"
#include "formats/pstats/reader.h"
#include "formats/pyinstrument/reader.h"
#include "formats/samples/reader.h"
#include "formats/speedscope/reader.h"
#include "formats/tfevents/reader.h"

namespace telltale {

namespace {

constexpr std::array<std::string_view, 3> kCompressions = {".gz", ".zst", ".zstd"};
// Looked into so that it can be said why they are not read.
constexpr std::array<std::string_view, 2> kPickleEndings = {".pickle", ".pkl"};

}  // namespace

std::span<const Format> Formats() {
  // clang-format off: one line each
  static const std::vector<Format> formats = {
      TfeventsFormat(),  // the first: a name with "tfevents" in it says enough
      SamplesFormat(),
      SpeedscopeFormat(),
      PyinstrumentFormat(),
      PprofFormat(),
      ImportTimeFormat(),
      LightningSimpleFormat(),
      LightningAdvancedFormat(),
      PerfScriptFormat(),
      CollapsedFormat(),
      PstatsFormat(),  // the last of functions: it takes any .prof that nobody else wants
      MemoryTimelineRawFormat(),
      MemoryTimelineFormat(),
      MemorySnapshotFormat(),
      PerfettoFormat(),
      KinetoJsonFormat(),  // last: FormatToRead
  };
  // clang-format on
  return formats;
}

const Format* FindFormat(std::string_view head, std::string_view path) {
  if (head.empty()) return nullptr;
  for (const Format& format : Formats()) {
    if (format.matches(head, path)) return &format;
  }
  return nullptr;
}

const Format& FormatToRead(std::string_view head, std::string_view path) {
  // A name may say what nothing else does of an empty file.
  for (const Format& format : Formats()) {
    if (format.matches(head, path)) return format;
  }
  return Formats().back();
}

const Format* FormatNamed(std::string_view name) {
  for (const Format& format : Formats()) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::vector<const Format*> FormatsForPeople() {
  std::vector<const Format*> all = {&Formats().back()};
  for (size_t kind = 0; kind < kContentKindCount; ++kind) {
    for (const Format& format : Formats()) {
      if (format.kind == ContentKind(kind) && &format != all.front()) all.push_back(&format);
    }
  }
  return all;
}

std::string ReadableKinds() {
  std::vector<std::string_view> kinds;
  for (const Format* format : FormatsForPeople()) {
    if (std::ranges::find(kinds, format->shown) == kinds.end()) kinds.push_back(format->shown);
  }
  std::string text;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (i > 0) text += i + 1 < kinds.size() ? ", " : ", or ";
    text += kinds[i];
  }
  return text;
}

std::string_view WithoutCompression(std::string_view path) {
  for (const std::string_view end : kCompressions) {
    if (path.ends_with(end)) return path.substr(0, path.size() - end.size());
  }
  return path;
}

bool MayBeProfileName(std::string_view file_name) {
  if (file_name.starts_with('.')) return false;
  const std::string_view name = WithoutCompression(file_name);
  const auto ends = [&](std::string_view ending) {
    return name.size() > ending.size() && name.ends_with(ending);
  };
  return std::ranges::any_of(kPickleEndings, ends) ||
         std::ranges::any_of(Formats(), [&](const Format& format) {
           return std::ranges::any_of(format.endings, ends);
         });
}

Sniffed Sniff(std::string_view head, std::string_view path) {
  Sniffed sniffed;
  sniffed.format = FindFormat(head, path);
  if (sniffed.format != nullptr) {
    const auto belongs = sniffed.format->belongs_in_list;
    sniffed.belongs_in_list = belongs == nullptr || belongs(head);
    if (!sniffed.belongs_in_list) {
      sniffed.why_not = sniffed.format->kind == ContentKind::kSeries
                            ? "part of a run"
                            : "a printed table: name it to open it";
    }
  } else if (head.empty()) {
    sniffed.why_not = "empty";
  } else if (IsPickle(head)) {
    sniffed.why_not = "a Python pickle, which is a program: never read";
  } else {
    sniffed.why_not = "no profile";
  }
  return sniffed;
}

Result<Sniffed> SniffFile(const std::string& path, const FileGate& gate) {
  Result<std::unique_ptr<ByteSource>> source = OpenSource(path, gate);
  if (!source) return tl::unexpected(source.error());
  const Result<std::string> head = Peek(*source, kHeadBytes);
  if (!head) return tl::unexpected(head.error());
  return Sniff(*head, path);
}

}  // namespace telltale
