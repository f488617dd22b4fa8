// SPDX-License-Identifier: Apache-2.0
// usage: dump_region REGION
// The records of a region as the collector's reader hands them over: one JSON document a line, as
// decode_region.py prints them. Diagnostics go to standard error, and make the exit code 1.
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <string>

#include "collect/region_reader.h"

namespace {

const char* NameOf(telltale::RegionRecord::Kind kind) {
  constexpr const char* kNames[] = {"name",    "scalar",     "text",     "value",
                                    "note",    "span_begin", "span_end", "instant",
                                    "counter", "step_begin", "step_end", "heartbeat"};
  return kNames[static_cast<size_t>(kind)];
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter;
  }
  return out + '"';
}

std::string NumberOf(const telltale::RegionRecord& record) {
  using Kind = telltale::RegionRecord::Kind;
  if (record.kind != Kind::kScalar && record.kind != Kind::kCounter &&
      record.kind != Kind::kStepEnd)
    return "null";
  if (std::isnan(record.value)) return "\"nan\"";
  if (std::isinf(record.value)) return record.value < 0 ? "\"-inf\"" : "\"inf\"";
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", record.value);
  return text;
}

void Print(const telltale::RegionRecord& record) {
  if (record.kind == telltale::RegionRecord::Kind::kName) return;
  std::string bytes;
  for (const char byte : record.bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(byte));
    bytes += two;
  }
  const std::string step = record.step == INT64_MIN ? "null" : std::to_string(record.step);
  std::printf("{\"kind\": \"%s\", \"thread\": %" PRIu64 ", \"name\": %s, \"wall_ns\": %" PRId64
              ", \"step\": %s, \"value\": %s, \"bytes\": \"%s\", \"data_wait_ns\": %" PRId64 "}\n",
              NameOf(record.kind), record.thread, Quoted(record.name).c_str(), record.wall_ns,
              step.c_str(), NumberOf(record).c_str(), bytes.c_str(), record.data_wait_ns);
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  auto reader = telltale::RegionReader::Open(words[1]);
  if (!reader) {
    std::fprintf(stderr, "%s\n", reader.error().message.c_str());
    return 3;
  }
  reader->SetProcessEnded();
  if (!reader->Drain(Print)) return 3;
  for (const telltale::Diagnostic& entry : reader->diagnostics.entries()) {
    const std::string name(telltale::InfoOf(entry.kind).name);
    std::fprintf(stderr, "%s: %" PRIu64 "\n", name.c_str(), entry.count);
  }
  return reader->diagnostics.empty() ? 0 : 1;
}
