// SPDX-License-Identifier: Apache-2.0
//
// The yardstick V: how long simdjson's on-demand parser needs, on one thread, to visit the name,
// cat, ph, ts, dur, pid, tid and args.correlation of every event of a trace that is already in
// memory. It stores nothing: a reader that keeps what it finds can only be compared with it, not
// replaced by it. Reading the file is timed apart. --mode chooses between two fair ways to write
// the loop; the default is the faster one.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace {

namespace ondemand = simdjson::ondemand;

struct Visited {
  uint64_t events = 0;
  uint64_t checksum = 0;  // keeps the compiler honest, and equal for both modes
};

void AddText(Visited& visited, std::string_view text) {
  visited.checksum += text.size();
  if (!text.empty())
    visited.checksum += static_cast<uint64_t>(static_cast<unsigned char>(text.back()));
}

// A number, or a string in its place (old thread ids, "Spans").
void AddNumberOrText(Visited& visited, ondemand::value value) {
  if (value.type() == ondemand::json_type::string) {
    AddText(visited, value.get_string());
  } else {
    visited.checksum += static_cast<uint64_t>(static_cast<int64_t>(value.get_double()));
  }
}

void AddCorrelation(Visited& visited, ondemand::value value) {
  if (value.type() == ondemand::json_type::number) visited.checksum += uint64_t{value.get_uint64()};
}

// Every field once, in the order of the file. Keys are compared in place, without unescaping them.
Visited VisitFields(ondemand::document& document) {
  Visited visited;
  for (ondemand::object event : document["traceEvents"].get_array()) {
    ++visited.events;
    for (auto field : event) {
      const ondemand::raw_json_string key = field.key();
      switch (key.raw()[0]) {
        case 'p':
          if (key == "ph") {
            AddText(visited, field.value().get_string());
          } else if (key == "pid") {
            AddNumberOrText(visited, field.value());
          }
          break;
        case 't':
          if (key == "ts" || key == "tid") AddNumberOrText(visited, field.value());
          break;
        case 'd':
          if (key == "dur") AddNumberOrText(visited, field.value());
          break;
        case 'c':
          if (key == "cat") AddText(visited, field.value().get_string());
          break;
        case 'n':
          if (key == "name") AddText(visited, field.value().get_string());
          break;
        case 'a':
          if (key == "args") {
            ondemand::object args = field.value();
            for (auto argument : args) {
              const ondemand::raw_json_string name = argument.key();
              if (name.raw()[0] == 'c' && name == "correlation") {
                AddCorrelation(visited, argument.value());
                break;
              }
            }
          }
          break;
        default:
          break;
      }
    }
  }
  return visited;
}

// Each field by name, from wherever the parser stands.
Visited VisitByName(ondemand::document& document) {
  Visited visited;
  for (ondemand::object event : document["traceEvents"].get_array()) {
    ++visited.events;
    ondemand::value value;
    for (const char* key : {"ph", "cat", "name"}) {
      if (event.find_field_unordered(key).get(value) == simdjson::SUCCESS)
        AddText(visited, value.get_string());
    }
    for (const char* key : {"pid", "tid", "ts", "dur"}) {
      if (event.find_field_unordered(key).get(value) == simdjson::SUCCESS)
        AddNumberOrText(visited, value);
    }
    if (event.find_field_unordered("args").get(value) == simdjson::SUCCESS) {
      ondemand::object args = value;
      if (args.find_field_unordered("correlation").get(value) == simdjson::SUCCESS)
        AddCorrelation(visited, value);
    }
  }
  return visited;
}

double Seconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

int Refuse() {
  std::fprintf(stderr, "usage: visit_simdjson FILE [--repeat N] [--mode by-name|fields]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path;
  std::string mode = "by-name";
  int repeat = 3;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--repeat" && i + 1 < argc) {
      repeat = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--mode" && i + 1 < argc) {
      mode = argv[++i];
    } else if (!argument.starts_with("--") && path.empty()) {
      path = argument;
    } else {
      return Refuse();
    }
  }
  if (path.empty() || (mode != "fields" && mode != "by-name")) return Refuse();

  const auto read_start = std::chrono::steady_clock::now();
  simdjson::padded_string text;
  const simdjson::error_code read_error = simdjson::padded_string::load(path).get(text);
  const double read_seconds = Seconds(read_start);
  if (read_error != simdjson::SUCCESS) {
    std::fprintf(stderr, "visit_simdjson: cannot read %s: %s\n", path.c_str(),
                 simdjson::error_message(read_error));
    return 1;
  }
  // The parser's index has 32-bit offsets: larger files are beyond it, and beyond this yardstick.
  if (text.size() > std::numeric_limits<uint32_t>::max()) {
    std::fprintf(stderr, "visit_simdjson: %s has %zu bytes; simdjson reads at most 4 GiB\n",
                 path.c_str(), text.size());
    return 1;
  }
  Visited visited;
  double best_seconds = 0.0;
  double first_seconds = 0.0;
  try {
    ondemand::parser parser;
    for (int i = 0; i < repeat; ++i) {
      // The first round includes the first touch of the parser's pages, as in a program run once;
      // the others find them warm.
      const auto start = std::chrono::steady_clock::now();
      ondemand::document document = parser.iterate(text);
      visited = mode == "fields" ? VisitFields(document) : VisitByName(document);
      const double seconds = Seconds(start);
      if (i == 0) first_seconds = seconds;
      if (i == 0 || seconds < best_seconds) best_seconds = seconds;
    }
  } catch (const simdjson::simdjson_error& error) {
    std::fprintf(stderr, "visit_simdjson: %s: %s\n", path.c_str(), error.what());
    return 1;
  }
  std::printf(
      "{\"mode\": \"%s\", \"implementation\": \"%s\", \"events\": %llu, \"seconds\": %.6f, "
      "\"first_seconds\": %.6f, "
      "\"read_seconds\": %.6f, \"bytes\": %zu, \"checksum\": %llu}\n",
      mode.c_str(), std::string(simdjson::get_active_implementation()->name()).c_str(),
      static_cast<unsigned long long>(visited.events), best_seconds, first_seconds, read_seconds,
      text.size(), static_cast<unsigned long long>(visited.checksum));
  return 0;
}
