// SPDX-License-Identifier: Apache-2.0
#include "views/simple/lightning_text.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "views/render/display.h"

namespace telltale {

namespace {

constexpr size_t kTab = 8;

// A number as Python's format with ".5": general, but never a whole number without ".0", and with
// an exponent from the digit on that would leave no room for that.
std::string Number(double value) {
  std::string exact = fmt::format("{:.4e}", value);
  const size_t e = exact.find('e');
  const int exponent = std::stoi(exact.substr(e + 1));
  if (exponent < -4 || exponent >= 4) {
    std::string digits = exact.substr(0, e);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
    return digits + exact.substr(e);
  }
  std::string text = fmt::format("{:.5g}", value);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

size_t Characters(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

class Report {
 public:
  explicit Report(size_t name_width) : name_width_(name_width) {
    const std::string header =
        Line({"Action", "Mean duration (s)", "Num calls", "Total time (s)", "Percentage %"});
    // Python counts the line's end, too.
    size_t width = 0;
    for (const char c : header) width += c == '\t' ? kTab - width % kTab : 1;
    ruler_ = std::string(width + 1, '-') + '\n';
    text_ = ruler_ + header + '\n' + ruler_;
  }

  void Add(const std::array<std::string, 5>& cells) { text_ += Line(cells) + '\n'; }
  void Rule() { text_ += ruler_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  [[nodiscard]] std::string Line(const std::array<std::string, 5>& cells) const {
    std::string line = "|  " + cells[0];
    line.append(name_width_ - std::min(name_width_, Characters(cells[0])), ' ');
    line += "\t|";
    for (size_t i = 1; i < cells.size(); ++i) line += fmt::format("  {:<15}\t|", cells[i]);
    return line;
  }

  size_t name_width_;
  std::string ruler_;
  std::string text_;
};

std::string ReportOf(std::span<const ActionRow> rows, size_t shown, const OutputStyle& style) {
  uint64_t calls = 0;
  size_t width = 0;
  std::vector<std::string> names;
  for (const ActionRow& row : rows) {
    calls += row.calls;
    names.push_back(Printable(row.name, style.unicode));
    width = std::max(width, Characters(names.back()));
  }
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) / 1e9; };
  const double wall = seconds(rows.front().wall_ns);
  Report report(width);
  report.Add({"Total", "-", fmt::format("{}", calls), Number(wall), "100 %"});
  report.Rule();
  for (size_t i = 0; i < shown; ++i) {
    const double total = seconds(rows[i].total_ns);
    report.Add({names[i], Number(total / static_cast<double>(rows[i].calls)),
                fmt::format("{}", rows[i].calls), Number(total),
                Number(wall > 0 ? 100 * total / wall : 0)});
  }
  report.Rule();
  return report.text();
}

}  // namespace

std::string LightningText(const std::vector<ActionRow>& rows,
                          const std::vector<std::string>& labels, std::optional<int64_t> limit,
                          const OutputStyle& style) {
  if (rows.empty()) return "Profiler Report\n\n";
  std::string out;
  for (uint32_t file = 0; file < std::max<size_t>(labels.size(), 1); ++file) {
    std::vector<ActionRow> of_file;
    std::ranges::copy_if(rows, std::back_inserter(of_file),
                         [file](const ActionRow& row) { return row.file == file; });
    if (of_file.empty()) continue;
    if (!out.empty()) out += '\n';
    if (labels.size() > 1) out += Printable(labels[file], style.unicode) + ' ';
    const bool all = !limit || *limit <= 0;
    const size_t shown =
        all ? of_file.size() : std::min(of_file.size(), static_cast<size_t>(*limit));
    out += "Profiler Report\n\n" + ReportOf(of_file, shown, style);
  }
  return out;
}

}  // namespace telltale
