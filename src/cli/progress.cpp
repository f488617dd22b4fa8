// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "views/render/display.h"
#include "views/render/terminal.h"
#include "views/render/units.h"

namespace telltale {

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kRedraw = kSecond / 10;
constexpr std::string_view kErase = "\r\x1b[K";

std::string TimeLeft(int64_t seconds) {
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

}  // namespace

ProgressPlace StandardErrorPlace(bool quiet) {
  const TerminalFacts facts = FactsAbout(STDERR_FILENO);
  const OutputStyle style = ChooseStyle({}, facts);
  ProgressPlace place;
  // A dumb terminal cannot erase a line.
  place.is_terminal = facts.is_terminal && facts.term != "dumb";
  place.quiet = quiet;
  place.unicode = style.unicode;
  place.width = style.width;
  place.now_ns = [] {
    return static_cast<int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                    std::chrono::steady_clock::now().time_since_epoch())
                                    .count());
  };
  place.write = [](std::string_view text) {
    // Progress that cannot be shown is not worth a failure.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  };
  return place;
}

Progress::Progress(ProgressPlace place) : place_(std::move(place)), started_ns_(place_.now_ns()) {}

void Progress::Update(uint64_t done_bytes, uint64_t total_bytes) {
  if (place_.quiet) return;
  const std::lock_guard lock(mutex_);
  const int64_t now = place_.now_ns();
  const int64_t elapsed = now - started_ns_;
  if (finished_ || elapsed < kSecond) return;
  const double seconds = static_cast<double>(elapsed) / static_cast<double>(kSecond);
  const double rate = static_cast<double>(done_bytes) / seconds;
  // Files may grow while they are read.
  total_bytes = total_bytes == 0 ? 0 : std::max(total_bytes, done_bytes);

  std::string line = fmt::format("{}{} of {}", place_.is_terminal ? "reading " : "",
                                 FormatBytes(static_cast<int64_t>(done_bytes)),
                                 FormatBytes(static_cast<int64_t>(total_bytes)));
  if (total_bytes == 0) {
    line = fmt::format("reading {}", FormatBytes(static_cast<int64_t>(done_bytes)));
  } else if (place_.is_terminal) {
    line += fmt::format(" ({} %)", done_bytes * 100 / total_bytes);
  }
  const std::string speed = fmt::format(", {}/s", FormatBytes(static_cast<int64_t>(rate)));
  std::string left;
  if (done_bytes < total_bytes && rate > 0) {
    const double rest = static_cast<double>(total_bytes - done_bytes) / rate;
    left = fmt::format(", {} left", TimeLeft(std::llround(rest)));
  }

  if (place_.is_terminal) {
    if (drawn_ns_ != INT64_MIN && now - drawn_ns_ < kRedraw) return;
    drawn_ns_ = now;
    Draw(line + speed + left);
    return;
  }
  if (total_bytes == 0) return;
  const uint64_t tenth = done_bytes * 10 / total_bytes;
  if (tenth < next_tenth_) return;
  next_tenth_ = tenth + 1;
  place_.write(fmt::format("telltale: {} % read ({}{}{})\n", tenth * 10, line, speed, left));
}

void Progress::Note(std::string_view what) {
  if (place_.quiet || !place_.is_terminal) return;
  const std::lock_guard lock(mutex_);
  if (finished_ || place_.now_ns() - started_ns_ < kSecond) return;
  Draw(what);
}

void Progress::Draw(std::string_view line) {
  // The last column stays free: some terminals wrap when it is filled.
  MarkProgressLine(true);
  line_visible_ = true;
  place_.write(fmt::format("{}{}", kErase, ShortenMiddle(line, place_.width - 1, place_.unicode)));
}

void Progress::Finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  if (!line_visible_) return;
  place_.write(kErase);
  line_visible_ = false;
  MarkProgressLine(false);
}

}  // namespace telltale
