// SPDX-License-Identifier: Apache-2.0
// Reads the parameters of timeline requests. What is wrong with one is kept as a sentence; the rest
// is not read then.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "analysis/timeline/span_view.h"
#include "server/http.h"

namespace telltale {

class TimelineParameters {
 public:
  explicit TimelineParameters(const HttpRequest& request) : request_(request) {}

  // Set when a parameter was missing or wrong.
  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

  // A whole number; one with a fraction (a page's arithmetic) is rounded down.
  std::optional<int64_t> Integer(std::string_view name) {
    const std::optional<std::string_view> text = request_.Query(name);
    if (!text) return std::nullopt;
    int64_t value = 0;
    const char* const begin = text->data();
    const char* const end = begin + text->size();
    const auto whole = std::from_chars(begin, end, value);
    if (whole.ec == std::errc() && whole.ptr == end) return value;
    double number = 0;
    const auto read = std::from_chars(begin, end, number);
    constexpr double kLimit = 9.2e18;
    if (read.ec == std::errc() && read.ptr == end && std::abs(number) < kLimit) {
      return static_cast<int64_t>(std::floor(number));
    }
    Wrong(std::string(name) + "=" + std::string(*text) + ": a whole number was expected");
    return std::nullopt;
  }

  int64_t Required(std::string_view name) {
    const std::optional<int64_t> value = Integer(name);
    if (!value) Wrong("the parameter " + std::string(name) + " is missing");
    return value.value_or(0);
  }

  int64_t InRange(std::string_view name, int64_t otherwise, int64_t least, int64_t greatest) {
    const int64_t value = Integer(name).value_or(otherwise);
    if (value < least || value > greatest) {
      Wrong(std::string(name) + "=" + std::to_string(value) + ": from " + std::to_string(least) +
            " to " + std::to_string(greatest));
      return otherwise;
    }
    return value;
  }

  // start, end and width, which no screen exceeds.
  ViewRange Range(bool with_width) {
    ViewRange range;
    range.start_ns = Required("start");
    range.end_ns = Required("end");
    if (with_width) range.width = static_cast<uint32_t>(InRange("width", 1000, 1, 65536));
    if (!problem_ && range.end_ns <= range.start_ns) Wrong("end must be greater than start");
    return range;
  }

  // Numbers of tracks, each once, in the order given; without that parameter all for which
  // `by_default` holds.
  template <typename ByDefault>
  std::vector<uint32_t> Tracks(const TimelineIndex& index, ByDefault by_default) {
    std::vector<uint32_t> tracks;
    const size_t count = index.tracks().size();
    const std::optional<std::string_view> text = request_.Query("tracks");
    if (!text) {
      for (uint32_t i = 0; i < count; ++i) {
        if (by_default(index.tracks()[i])) tracks.push_back(i);
      }
      return tracks;
    }
    std::vector<bool> seen(count, false);
    const char* at = text->data();
    const char* const end = at + text->size();
    while (at != end) {
      uint32_t track = 0;
      const auto read = std::from_chars(at, end, track);
      if (read.ec != std::errc() || (read.ptr != end && *read.ptr != ',')) {
        Wrong("tracks: numbers with commas between them were expected, as in tracks=0,1,2");
        return {};
      }
      if (track >= count) {
        Wrong("tracks: there is no track " + std::to_string(track));
        return {};
      }
      if (!seen[track]) tracks.push_back(track);
      seen[track] = true;
      at = read.ptr == end ? end : read.ptr + 1;
    }
    return tracks;
  }

  void Wrong(std::string message) {
    if (!problem_) problem_ = std::move(message);
  }

 private:
  const HttpRequest& request_;
  std::optional<std::string> problem_;
};

}  // namespace telltale
