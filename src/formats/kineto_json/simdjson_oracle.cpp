// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/simdjson_oracle.h"

#include <cmath>
#include <optional>
#include <vector>

#include <simdjson.h>

namespace telltale {

namespace {

using simdjson::dom::element;

struct Theirs {
  std::string name;
  std::string cat;
  double ts_us = 0;
};

std::optional<double> Number(element value) {
  double number = 0;
  if (value.is_string() || value.get_double().get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

// The complete events (ph X with a name and a ts that every reader can use), in file order.
struct Seen {
  uint64_t objects = 0;
  std::vector<Theirs> spans;
  bool usable = true;  // false: something where readers may differ
};

void Visit(element event, Seen& seen) {
  if (!event.is_object()) return;
  ++seen.objects;
  Theirs theirs;
  bool is_x = false;
  bool has_name = false;
  std::optional<double> ts;
  bool strange = false;
  for (const auto field : simdjson::dom::object(event)) {
    const std::string_view key = field.key;
    std::string_view text;
    const bool is_text = field.value.get_string().get(text) == simdjson::SUCCESS;
    if (key == "ph") is_x = is_text && text == "X";
    if (key == "name") {
      has_name = is_text;
      theirs.name = is_text ? text : "";
      strange |= !is_text;
    }
    if (key == "cat") {
      theirs.cat = is_text ? text : "";
      strange |= !is_text;
    }
    if (key == "ts") {
      ts = Number(field.value);
      strange |= !ts;
    }
    if (key == "dur") strange |= !Number(field.value);
  }
  if (!is_x) return;
  if (!has_name || !ts || strange || std::abs(*ts) > 4e15) {
    seen.usable = false;
    return;
  }
  theirs.ts_us = *ts;
  seen.spans.push_back(std::move(theirs));
}

std::string Compare(const Seen& seen, const Trace& trace) {
  if (trace.source.events != seen.objects) {
    return "events: " + std::to_string(trace.source.events) + ", simdjson " +
           std::to_string(seen.objects);
  }
  if (!seen.usable) return {};
  size_t row = 0;
  for (const Theirs& theirs : seen.spans) {
    if (row >= trace.spans.size()) return "span missing: " + theirs.name;
    if (trace.NameOfSpan(row) != theirs.name) {
      return "name: " + std::string(trace.NameOfSpan(row)) + ", simdjson " + theirs.name;
    }
    const StringId cat = trace.categories[static_cast<size_t>(trace.spans.category_id[row])].text;
    if (trace.categories.size() < 4000 && trace.Text(cat) != theirs.cat) {
      return "cat: " + std::string(trace.Text(cat)) + ", simdjson " + theirs.cat;
    }
    const double ours_us = static_cast<double>(trace.spans.start_ns[row]) / 1000;
    if (std::abs(ours_us - theirs.ts_us) > 0.0006 + std::abs(theirs.ts_us) * 1e-12) {
      return "ts of " + theirs.name + ": " + std::to_string(ours_us) + ", simdjson " +
             std::to_string(theirs.ts_us);
    }
    ++row;
  }
  return {};
}

}  // namespace

std::string CompareWithSimdjson(std::string_view text, const Result<Trace>& ours) {
  simdjson::dom::parser parser;
  element document;
  if (parser.parse(simdjson::padded_string(text)).get(document) != simdjson::SUCCESS) return {};
  Seen seen;
  bool has_list = false;
  bool only_x = true;
  const auto visit_list = [&](element list) {
    has_list = true;
    for (const element event : simdjson::dom::array(list)) {
      Visit(event, seen);
      std::string_view ph;
      const bool is_event =
          event.is_object() && event["ph"].get_string().get(ph) == simdjson::SUCCESS;
      if (is_event && ph == "B") only_x = false;  // B makes spans too
    }
  };
  if (document.is_array()) {
    visit_list(document);
  } else if (document.is_object()) {
    for (const auto field : simdjson::dom::object(document)) {
      if (std::string_view(field.key) == "traceEvents" && field.value.is_array())
        visit_list(field.value);
    }
  }
  if (!has_list) return ours ? "a trace, simdjson finds no list of events" : "";
  if (!ours) return {};  // a list without events: nothing to compare
  seen.usable = seen.usable && only_x;
  return Compare(seen, *ours);
}

}  // namespace telltale
