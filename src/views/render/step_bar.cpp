// SPDX-License-Identifier: Apache-2.0
#include "views/render/step_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/units.h"

namespace telltale {

namespace {

struct CategoryLook {
  std::string_view label;
  std::string_view pattern;  // without colour
  std::string_view letter;   // without colour and without Unicode
};

constexpr std::array<CategoryLook, kStepCategoryCount> kLooks = {{
    {"kernel", "█", "K"},
    {"memcpy", "▚", "M"},
    {"memset", "▞", "S"},
    {"communication", "▓", "C"},
    {"runtime", "▄", "R"},
    {"dataloader", "▒", "D"},
    {"CPU", "░", "P"},
    {"other", "·", "."},
}};

std::string_view CellOf(size_t category, const OutputStyle& style) {
  if (!style.unicode) return kLooks[category].letter;
  return style.color ? std::string_view("█") : kLooks[category].pattern;
}

// Parts below this may vanish from a bar; they are in the legend.
constexpr double kSmallestVisible = 0.005;

}  // namespace

std::string_view LabelOf(StepCategory category) {
  return kLooks[static_cast<size_t>(category)].label;
}

std::vector<size_t> Apportion(std::span<const int64_t> parts, size_t cells) {
  std::vector<size_t> out(parts.size(), 0);
  const int64_t total = std::accumulate(parts.begin(), parts.end(), int64_t{0});
  if (total <= 0) return out;
  std::vector<double> remainder(parts.size());
  size_t given = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const double exact =
        static_cast<double>(parts[i]) / static_cast<double>(total) * static_cast<double>(cells);
    out[i] = static_cast<size_t>(exact);
    remainder[i] = exact - static_cast<double>(out[i]);
    given += out[i];
  }
  for (; given < cells; ++given) {
    const auto largest = std::max_element(remainder.begin(), remainder.end());
    *largest = -1;
    ++out[static_cast<size_t>(largest - remainder.begin())];
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    const double share = static_cast<double>(parts[i]) / static_cast<double>(total);
    const auto largest = std::max_element(out.begin(), out.end());
    if (out[i] > 0 || share < kSmallestVisible || *largest < 3) continue;
    --*largest;
    out[i] = 1;
  }
  return out;
}

std::string RenderStackedBar(const StepTimes& times, size_t width, const OutputStyle& style) {
  const std::vector<size_t> cells = Apportion(times, width);
  std::string out;
  for (size_t c = 0; c < kStepCategoryCount; ++c) {
    std::string part;
    for (size_t i = 0; i < cells[c]; ++i) part += CellOf(c, style);
    out += Paint(InkOf(static_cast<StepCategory>(c)), part, style);
  }
  return out;
}

std::string RenderLegend(const StepTimes& times, const OutputStyle& style, size_t indent) {
  const ColumnUnit unit = DurationUnit(times, style.unicode);
  const int64_t total = std::accumulate(times.begin(), times.end(), int64_t{0});
  if (total <= 0) return "";
  struct Entry {
    size_t category;
    std::string time;
    std::string share;
  };
  std::vector<Entry> entries;
  size_t label_width = 0;
  size_t time_width = 0;
  size_t share_width = 0;
  for (size_t c = 0; c < kStepCategoryCount; ++c) {
    if (times[c] == 0) continue;
    Entry entry{c, fmt::format("{} {}", FormatIn(unit, times[c]), unit.name),
                FormatShare(static_cast<double>(times[c]) / static_cast<double>(total))};
    label_width = std::max(label_width, DisplayWidth(kLooks[c].label));
    time_width = std::max(time_width, DisplayWidth(entry.time));
    share_width = std::max(share_width, DisplayWidth(entry.share));
    entries.push_back(std::move(entry));
  }
  constexpr size_t kBetween = 4;
  const size_t cell = 2 + label_width + 2 + time_width + 2 + share_width;
  const size_t room = style.width > indent ? style.width - indent : cell;
  const size_t columns = std::max<size_t>(1, (room + kBetween) / (cell + kBetween));
  std::string out;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    out.append(i % columns == 0 ? indent : kBetween, ' ');
    out += Paint(InkOf(static_cast<StepCategory>(entry.category)), CellOf(entry.category, style),
                 style);
    out += fmt::format(" {}  {}  {}", PadRight(kLooks[entry.category].label, label_width),
                       PadLeft(entry.time, time_width), PadLeft(entry.share, share_width));
    if (i % columns == columns - 1 || i + 1 == entries.size()) out += '\n';
  }
  return out;
}

std::string RenderStepBars(std::span<const StepBarRow> rows, const OutputStyle& style,
                           size_t indent) {
  std::vector<int64_t> durations;
  size_t label_width = 0;
  size_t note_width = 0;
  int64_t longest = 1;
  for (const StepBarRow& row : rows) {
    durations.push_back(row.duration_ns);
    longest = std::max(longest, row.duration_ns);
    label_width = std::max(label_width, DisplayWidth(row.label));
    note_width = std::max(note_width, DisplayWidth(row.note));
  }
  const ColumnUnit unit = DurationUnit(durations, style.unicode);
  label_width = std::min(label_width, style.width / 3);
  size_t time_width = 0;
  for (const int64_t duration : durations) {
    time_width = std::max(time_width, DisplayWidth(FormatIn(unit, duration)));
  }
  time_width += 1 + DisplayWidth(unit.name);
  // A bar shorter than this shows nothing: notes give way to it.
  constexpr size_t kLeastBar = 8;
  size_t used = indent + label_width + 2 + time_width + 2;
  const bool notes = note_width > 0 && used + kLeastBar + 2 + note_width <= style.width;
  if (notes) used += 2 + note_width;
  const size_t room = style.width > used + 1 ? style.width - used : 1;

  std::string out;
  for (const StepBarRow& row : rows) {
    const double share =
        static_cast<double>(std::max<int64_t>(row.duration_ns, 0)) / static_cast<double>(longest);
    const auto width =
        std::max<size_t>(1, static_cast<size_t>(std::lround(share * static_cast<double>(room))));
    out.append(indent, ' ');
    out += PadRight(ShortenMiddle(row.label, label_width, style.unicode), label_width) + "  ";
    out += PadLeft(fmt::format("{} {}", FormatIn(unit, row.duration_ns), unit.name), time_width) +
           "  ";
    out += RenderStackedBar(row.categories, width, style);
    if (notes && !row.note.empty()) out += "  " + Paint(Ink::kDim, row.note, style);
    out += '\n';
  }
  return out;
}

}  // namespace telltale
