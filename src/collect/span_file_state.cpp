// SPDX-License-Identifier: Apache-2.0
#include "collect/span_file_state.h"

#include <charconv>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

namespace telltale {

namespace {

std::vector<uint64_t> NumbersIn(std::string_view text) {
  std::vector<uint64_t> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    uint64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) break;
    out.push_back(number);
    at = next;
    while (at < end && *at == ' ') ++at;
  }
  return out;
}

}  // namespace

std::string SpanFileState::Text() const {
  if (name.empty()) return {};
  std::string text = fmt::format("spans {} {} {} {}\n", length, left_out, last_ns, name);
  for (const Thread& thread : threads) {
    text += fmt::format("span_thread {} {} {} {} {}\n", thread.thread, thread.serial, thread.open,
                        thread.skipped, thread.last_ns);
  }
  return text;
}

bool SpanFileState::Take(std::string_view key, std::string_view value) {
  if (key == "spans") {
    const std::vector<uint64_t> numbers = NumbersIn(value);
    const size_t space = value.rfind(' ');
    if (numbers.size() != 3 || space == std::string_view::npos) return true;
    length = numbers[0];
    left_out = numbers[1];
    last_ns = numbers[2];
    name = value.substr(space + 1);
    return true;
  }
  if (key != "span_thread") return false;
  const std::vector<uint64_t> numbers = NumbersIn(value);
  if (numbers.size() == 5) {
    threads.push_back({numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]});
  }
  return true;
}

uint64_t SpanLimitBytes() {
  constexpr uint64_t kUsualMib = 256;
  uint64_t mib = kUsualMib;
  if (const char* const asked = std::getenv("TELLTALE_SPANS_MIB"); asked != nullptr) {
    const std::string_view text(asked);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mib);
    if (error != std::errc() || end != text.data() + text.size() || mib > 1 << 20) mib = kUsualMib;
  }
  return mib << 20;
}

}  // namespace telltale
