// SPDX-License-Identifier: Apache-2.0
#include "formats/sniff.h"

#include <algorithm>
#include <array>
#include <memory>

#include "formats/function_format.h"
#include "formats/memory_format.h"
#include "formats/perfetto/detect.h"
#include "io/byte_source.h"

namespace telltale {

namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kNumber = "-0123456789";
constexpr std::string_view kNumberOrText = "-0123456789\"";

// Whether such a key is there whose value begins with one of these characters, or is cut off: other
// JSON may have the word as a value, or the key for something else.
bool HasKey(std::string_view head, std::string_view key, std::string_view begins) {
  for (size_t at = head.find(key); at != std::string_view::npos; at = head.find(key, at + 1)) {
    size_t next = head.find_first_not_of(kBlank, at + key.size());
    if (next == std::string_view::npos) return true;
    if (head[next] != ':') continue;
    next = head.find_first_not_of(kBlank, next + 1);
    if (next == std::string_view::npos || begins.find(head[next]) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// Whether the whole document's own object has such a key: a file about traces may have it deeper.
bool HasOwnKey(std::string_view head, std::string_view key, std::string_view begins) {
  int depth = 0;
  for (size_t at = 0; at < head.size(); ++at) {
    if (head[at] == '{' || head[at] == '[') ++depth;
    if (head[at] == '}' || head[at] == ']') --depth;
    if (head[at] != '"') continue;
    if (depth == 1 && head.substr(at).starts_with(key)) {
      const size_t end = head.find_first_of(",{}[]", at + key.size());
      if (HasKey(head.substr(at, end == head.npos ? end : end - at + 1), key, begins)) return true;
    }
    for (++at; at < head.size() && head[at] != '"'; ++at) {
      if (head[at] == '\\') ++at;
    }
  }
  return false;
}

// Keys of which every trace has one near its start: Kineto's own in front of the events, or those
// of the events themselves.
bool IsTraceJson(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const size_t first = head.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return false;
  const auto has = [&](std::string_view key, std::string_view begins) {
    return HasKey(head, key, begins);
  };
  if (head[first] == '{') {
    const auto has_own = [&](std::string_view key, std::string_view begins) {
      return HasOwnKey(head, key, begins);
    };
    return has("\"traceEvents\"", "[") ||
           (has_own("\"schemaVersion\"", kNumber) && has_own("\"deviceProperties\"", "[")) ||
           has_own("\"distributedInfo\"", "{") || has_own("\"baseTimeNanoseconds\"", kNumber);
  }
  // A bare list of events.
  return head[first] == '[' && has("\"ph\"", "\"") &&
         (has("\"ts\"", kNumberOrText) || has("\"pid\"", kNumberOrText));
}

}  // namespace

std::string_view NameOf(ContentKind kind) {
  switch (kind) {
    case ContentKind::kTrace:
      return "trace";
    case ContentKind::kFunctions:
      return "functions";
    case ContentKind::kMemory:
      break;
  }
  return "memory";
}

// In the order of load.cpp.
std::optional<Sniffed> SniffContent(std::string_view head, std::string_view path) {
  if (head.empty()) return std::nullopt;
  if (const FunctionFormat* format = FindFunctionFormat(head, path)) {
    return Sniffed{ContentKind::kFunctions, format->name};
  }
  if (const MemoryFormat* format = FindMemoryFormat(head)) {
    return Sniffed{ContentKind::kMemory, format->name};
  }
  if (IsPerfettoTrace(head)) return Sniffed{ContentKind::kTrace, "perfetto"};
  if (IsTraceJson(head)) return Sniffed{ContentKind::kTrace, "kineto_json"};
  return std::nullopt;
}

Result<std::optional<Sniffed>> SniffFile(const std::string& path, const FileGate& gate) {
  Result<std::unique_ptr<ByteSource>> source = OpenSource(path, gate);
  if (!source) return tl::unexpected(source.error());
  const Result<std::string> head = Peek(*source, kHeadBytes);
  if (!head) return tl::unexpected(head.error());
  return SniffContent(*head, path);
}

bool MayBeProfileName(std::string_view file_name) {
  static constexpr std::array<std::string_view, 21> kEndings = {
      "json",   "prof",  "pstats",    "cprof",      "pickle",         "pkl", "pftrace",
      "pb",     "pprof", "perfetto",  "trace",      "perfetto-trace", "txt", "folded",
      "stacks", "perf",  "collapsed", "importtime", "speedscope",     "log", "out"};
  if (file_name.starts_with('.')) return false;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (file_name.ends_with(packed)) {
      file_name.remove_suffix(packed.size());
      break;
    }
  }
  const size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos) return false;
  return std::ranges::find(kEndings, file_name.substr(dot + 1)) != kEndings.end();
}

}  // namespace telltale
