// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/json/text.h"

namespace telltale {

namespace {

void AppendField(std::string& out, std::string_view key, std::string_view json) {
  if (json.empty()) return;
  if (out.back() != '{') out += ',';
  AppendQuoted(out, key);
  out += ':';
  out += json;
}

// With a space after each comma and colon, as torch writes top-level values: HTA finds the rank of
// a file by searching its lines for "rank": N.
void AppendSpaced(std::string& out, std::string_view json) {
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    out += c;
    if (in_string && c == '\\' && i + 1 < json.size()) {
      out += json[++i];
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == ',' || c == ':')) {
      out += ' ';
    }
  }
}

}  // namespace

void AppendMicroseconds(std::string& out, int64_t ns) {
  uint64_t rest = static_cast<uint64_t>(ns);
  if (ns < 0) {
    out += '-';
    rest = 0 - rest;
  }
  std::array<char, 24> digits;
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), rest / 1000);
  out.append(digits.data(), end);
  const uint64_t fraction = rest % 1000;
  out += '.';
  out += static_cast<char>('0' + fraction / 100);
  out += static_cast<char>('0' + fraction / 10 % 10);
  out += static_cast<char>('0' + fraction % 10);
}

void KinetoJsonWriter::Metadata(std::string_view key, std::string_view json) {
  std::string entry;
  AppendQuoted(entry, key);
  entry += ": ";
  AppendSpaced(entry, json);
  if (events_open_) {
    late_ += ",\n" + entry;
    return;
  }
  sink_.Write(any_key_ ? ",\n" : "{\n");
  sink_.Write(entry);
  any_key_ = true;
}

void KinetoJsonWriter::OpenEvents() {
  if (events_open_) return;
  events_open_ = true;
  sink_.Write(any_key_ ? ",\n\"traceEvents\": [" : "{\n\"traceEvents\": [");
}

void KinetoJsonWriter::Event(const TraceEvent& event, size_t /*input*/) {
  OpenEvents();
  line_ = any_event_ ? ",\n{" : "\n{";
  any_event_ = true;
  if (event.phase != '\0') AppendField(line_, "ph", Quoted({&event.phase, 1}));
  AppendField(line_, "cat", event.category);
  AppendField(line_, "name", event.name);
  AppendField(line_, "pid", event.pid);
  AppendField(line_, "tid", event.tid);
  AppendField(line_, "id", event.id);
  if (event.has_time) {
    line_ += line_.back() == '{' ? "\"ts\":" : ",\"ts\":";
    AppendMicroseconds(line_, event.time_ns);
  }
  if (event.phase == 'X') {
    line_ += ",\"dur\":";
    AppendMicroseconds(line_, event.duration_ns);
  }
  for (const JsonField& field : event.others) AppendField(line_, field.key, field.json);
  if (event.has_args && !event.odd_args.empty()) {
    AppendField(line_, "args", event.odd_args);
  } else if (event.has_args) {
    line_ += line_.back() == '{' ? "\"args\":{" : ",\"args\":{";
    for (const JsonField& arg : event.args) AppendField(line_, arg.key, arg.json);
    line_ += '}';
  }
  line_ += '}';
  sink_.Write(line_);
}

void AppendDouble(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 40> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  const std::string_view shown(digits.data(), static_cast<size_t>(end - digits.data()));
  out += shown;
  if (shown.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void KinetoJsonWriter::AddCounter(std::string_view pid, std::string_view name,
                                  std::string_view series, int64_t time_ns, double value,
                                  size_t input) {
  TraceEvent event;
  event.phase = 'C';
  event.has_time = true;
  event.time_ns = time_ns;
  event.pid = pid;
  const std::string quoted = Quoted(name);
  event.name = quoted;
  std::string json;
  AppendDouble(json, value);
  event.has_args = true;
  event.args.push_back({series, json});
  Event(event, input);
}

void KinetoJsonWriter::Finish() {
  OpenEvents();
  sink_.Write("\n]");
  sink_.Write(late_);
  sink_.Write("\n}\n");
}

}  // namespace telltale
