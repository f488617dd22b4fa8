// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/format.h"

#include <string_view>

#include "formats/kineto_json/event_pass.h"
#include "formats/kineto_json/reader.h"
#include "formats/kineto_json/writer.h"

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

Format KinetoJsonFormat() {
  return {.name = "kineto_json",
          .kind = ContentKind::kTrace,
          .shown =
              "a trace of PyTorch (Kineto), viztracer or Chrome (JSON with a \"traceEvents\" "
              "list, or a list of events)",
          .endings = {".json", ".trace"},
          .matches = [](std::string_view head, std::string_view) { return IsTraceJson(head); },
          .read = ReadAs<&ReadKinetoJson>,
          .read_events = ReadKinetoEvents,
          .writer = {.name = "kineto",
                     .help = "Kineto and Chrome JSON",
                     .endings = {".json"},
                     .trace = [](ByteSink& sink,
                                 std::span<const TracePlan>) -> std::unique_ptr<TraceWriter> {
                       return std::make_unique<KinetoJsonWriter>(sink);
                     }}};
}

}  // namespace telltale
