// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/markdown.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>
#include <vector>

#include "server/tensorboard/markdown_inline.h"
#include "server/tensorboard/safe_html.h"

namespace telltale {

namespace {

// Lists in quotations in lists.
constexpr int kDeepest = 16;
constexpr size_t kIndent = 4;

constexpr std::array<std::string_view, 42> kBlockElements = {
    "address", "article", "aside", "blockquote", "body",     "center",  "dd",
    "details", "div",     "dl",    "dt",         "fieldset", "figure",  "footer",
    "form",    "h1",      "h2",    "h3",         "h4",       "h5",      "h6",
    "header",  "hr",      "html",  "iframe",     "li",       "main",    "nav",
    "object",  "ol",      "p",     "pre",        "script",   "section", "style",
    "table",   "tbody",   "td",    "thead",      "tr",       "ul",      "video"};

using Line = std::string;
using Lines = std::span<const Line>;

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

size_t Indent(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

bool AreAll(std::string_view text, char mark) {
  return !text.empty() && text.find_first_not_of(mark) == std::string_view::npos;
}

bool IsRule(std::string_view line) {
  if (Indent(line) >= kIndent) return false;
  std::string marks;
  for (const char c : Trimmed(line)) {
    if (c != ' ') marks += c;
  }
  return marks.size() >= 3 && (AreAll(marks, '-') || AreAll(marks, '*') || AreAll(marks, '_'));
}

struct Marker {
  bool ordered = false;
  std::string_view text;  // behind it
};

// "- ", "12. " at the front of a line.
std::optional<Marker> MarkerOf(std::string_view line) {
  const size_t indent = Indent(line);
  if (indent >= kIndent || indent == line.size()) return std::nullopt;
  line.remove_prefix(indent);
  Marker marker;
  size_t bytes = 0;
  if (line[0] == '*' || line[0] == '+' || line[0] == '-') {
    bytes = 1;
  } else {
    bytes = std::min(line.find_first_not_of("0123456789"), line.size());
    if (bytes == 0 || bytes >= line.size() || line[bytes] != '.') return std::nullopt;
    marker.ordered = true;
    ++bytes;
  }
  if (bytes >= line.size() || line[bytes] != ' ') return std::nullopt;
  marker.text = Trimmed(line.substr(bytes));
  return marker;
}

// The name of the element that a line opens, if such elements stand by themselves.
std::string BlockElementOf(std::string_view line) {
  if (line.size() < 2 || line[0] != '<') return "";
  size_t at = 1;
  std::string name;
  while (at < line.size() && std::isalnum(static_cast<unsigned char>(line[at])) != 0) {
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(line[at++])));
  }
  return std::ranges::find(kBlockElements, name) != kBlockElements.end() ? name : "";
}

std::vector<std::string> Cells(std::string_view row) {
  row = Trimmed(row);
  if (row.starts_with('|')) row.remove_prefix(1);
  if (row.ends_with('|') && !row.ends_with("\\|")) row.remove_suffix(1);
  std::vector<std::string> cells(1);
  bool in_code = false;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '`') in_code = !in_code;
    if (row[i] == '|' && !in_code && (i == 0 || row[i - 1] != '\\')) {
      cells.emplace_back();
    } else {
      cells.back() += row[i];
    }
  }
  for (std::string& cell : cells) cell = std::string(Trimmed(cell));
  return cells;
}

bool IsTableRule(std::string_view line) {
  const std::string_view rule = Trimmed(line);
  return rule.find('-') != std::string_view::npos && rule.find('|') != std::string_view::npos &&
         rule.find_first_not_of("|-: ") == std::string_view::npos;
}

class Blocks {
 public:
  Blocks(Lines lines, int depth, bool tight) : lines_(lines), depth_(depth), tight_(tight) {}

  // Each block by itself.
  std::vector<std::string> Run() {
    while (at_ < lines_.size()) {
      const std::string& line = lines_[at_];
      if (IsBlank(line)) {
        ++at_;
      } else if (!(depth_ == 0 && (Fenced() || Html())) && !Code() && !Heading() && !Rule() &&
                 !List() && !Quotation() && !Table()) {
        Paragraph();
      }
    }
    return std::move(blocks_);
  }

 private:
  static std::string Joined(const std::vector<std::string>& blocks) {
    std::string out;
    for (const std::string& block : blocks) out += (out.empty() ? "" : "\n") + block;
    return out;
  }
  [[nodiscard]] std::vector<std::string> Inside(Lines lines, bool tight) const {
    if (depth_ >= kDeepest) {
      std::string text;
      for (const Line& line : lines) text += line + "\n";
      return {EscapeHtml(text)};
    }
    return Blocks(lines, depth_ + 1, tight).Run();
  }

  bool Fenced() {
    const std::string& first = lines_[at_];
    const char mark = first[0];
    if (mark != '`' && mark != '~') return false;
    const size_t marks = std::min(first.find_first_not_of(mark), first.size());
    if (marks < 3 || first.find('`', marks) != std::string::npos) return false;
    for (size_t end = at_ + 1; end < lines_.size(); ++end) {
      const std::string_view line = Trimmed(lines_[end]);
      if (line.size() != marks || !AreAll(line, mark)) continue;
      std::string code;
      for (size_t i = at_ + 1; i < end; ++i) code += EscapeHtml(lines_[i]) + "\n";
      blocks_.push_back("<pre><code>" + code + "</code></pre>");
      at_ = end + 1;
      return true;
    }
    return false;
  }
  // As it is, to the line where the element that begins it ends.
  bool Html() {
    const std::string name = BlockElementOf(lines_[at_]);
    if (name.empty()) return false;
    const auto ends = [&](const Line& line) {
      return name == "hr" || line.find("</" + name) != std::string::npos;
    };
    const Lines rest = lines_.subspan(at_);
    auto end = std::ranges::find_if(rest, ends);
    // Never closed: to the end of the paragraph.
    if (end == rest.end()) end = std::ranges::find_if(rest, IsBlank) - 1;
    std::string html;
    for (auto line = rest.begin(); line <= end; ++line) {
      html += (html.empty() ? "" : "\n") + *line;
      ++at_;
    }
    if (at_ + 1 < lines_.size() && IsBlank(lines_[at_])) html += '\n';
    blocks_.push_back(std::move(html));
    return true;
  }
  bool Code() {
    if (Indent(lines_[at_]) < kIndent) return false;
    std::string code;
    size_t end = at_;
    for (; end < lines_.size() && (IsBlank(lines_[end]) || Indent(lines_[end]) >= kIndent); ++end) {
      code +=
          EscapeHtml(std::string_view(lines_[end]).substr(std::min(kIndent, lines_[end].size()))) +
          "\n";
    }
    at_ = end;
    const size_t last = code.find_last_not_of('\n');
    blocks_.push_back("<pre><code>" + code.substr(0, last + 1) + "\n</code></pre>");
    return true;
  }
  void Add(std::string_view element, std::string_view text) {
    const std::string name(element);
    blocks_.push_back("<" + name + ">" + HtmlOfSpans(Trimmed(text)) + "</" + name + ">");
  }
  bool Heading() {
    std::string_view line = lines_[at_];
    const size_t marks = std::min(line.find_first_not_of('#'), line.size());
    if (marks > 0) {
      const size_t level = std::min<size_t>(marks, 6);
      line.remove_prefix(level);
      while (line.ends_with('#')) line.remove_suffix(1);
      Add("h" + std::to_string(level), line);
      ++at_;
      return true;
    }
    if (at_ + 1 >= lines_.size()) return false;
    std::string_view under = lines_[at_ + 1];
    while (under.ends_with(' ')) under.remove_suffix(1);
    if (!AreAll(under, '=') && !AreAll(under, '-')) return false;
    Add(under[0] == '=' ? "h1" : "h2", line);
    at_ += 2;
    return true;
  }
  bool Rule() {
    if (!IsRule(lines_[at_])) return false;
    blocks_.emplace_back("<hr>");
    ++at_;
    return true;
  }
  bool List() {
    const std::optional<Marker> first = MarkerOf(lines_[at_]);
    if (!first) return false;
    std::string out = first->ordered ? "<ol>\n" : "<ul>\n";
    bool loose = false;
    while (at_ < lines_.size()) {
      const std::optional<Marker> marker = MarkerOf(lines_[at_]);
      if (!marker || IsRule(lines_[at_])) break;
      std::vector<Line> item = {Line(marker->text)};
      ++at_;
      bool blank = false;
      bool item_loose = loose;
      while (at_ < lines_.size()) {
        const std::string& line = lines_[at_];
        if (IsBlank(line)) {
          blank = true;
          item.emplace_back();
        } else if (Indent(line) >= kIndent) {
          item_loose = item_loose || blank;
          item.push_back(line.substr(kIndent));
        } else if (!blank && !MarkerOf(line)) {
          item.push_back(line);
        } else {
          break;
        }
        ++at_;
      }
      loose = blank && at_ < lines_.size() && MarkerOf(lines_[at_]).has_value();
      item_loose = item_loose || loose;
      const std::vector<std::string> blocks = Inside(item, !item_loose);
      if (item_loose) {
        out += "<li>\n" + Joined(blocks) + "\n</li>\n";
      } else {
        std::string inner;
        for (const std::string& block : blocks) inner += block;
        out += "<li>" + inner + (blocks.size() > 1 ? "\n" : "") + "</li>\n";
      }
    }
    blocks_.push_back(out + (first->ordered ? "</ol>" : "</ul>"));
    return true;
  }
  bool Quotation() {
    const auto quoted = [](std::string_view line) {
      const size_t indent = Indent(line);
      return indent < kIndent && indent < line.size() && line[indent] == '>';
    };
    if (!quoted(lines_[at_])) return false;
    std::vector<Line> inside;
    for (; at_ < lines_.size() && !IsBlank(lines_[at_]); ++at_) {
      std::string_view line = lines_[at_];
      if (quoted(line)) {
        line.remove_prefix(Indent(line) + 1);
        if (line.starts_with(' ')) line.remove_prefix(1);
      }
      inside.emplace_back(line);
    }
    blocks_.push_back("<blockquote>\n" + Joined(Inside(inside, false)) + "\n</blockquote>");
    return true;
  }
  static std::string Row(const std::vector<std::string>& cells, size_t columns,
                         std::string_view cell) {
    std::string out = "<tr>\n";
    for (size_t i = 0; i < columns; ++i) {
      out += '<';
      out += cell;
      out += '>';
      if (i < cells.size()) out += HtmlOfSpans(cells[i]);
      out += "</";
      out += cell;
      out += ">\n";
    }
    return out + "</tr>\n";
  }
  bool Table() {
    if (at_ + 1 >= lines_.size() || lines_[at_].find('|') == std::string::npos ||
        !IsTableRule(lines_[at_ + 1])) {
      return false;
    }
    const std::vector<std::string> head = Cells(lines_[at_]);
    if (Cells(lines_[at_ + 1]).size() != head.size()) return false;
    std::string out = "<table>\n<thead>\n" + Row(head, head.size(), "th") + "</thead>\n<tbody>\n";
    for (at_ += 2; at_ < lines_.size() && !IsBlank(lines_[at_]); ++at_) {
      out += Row(Cells(lines_[at_]), head.size(), "td");
    }
    blocks_.push_back(out + "</tbody>\n</table>");
    return true;
  }
  void Paragraph() {
    std::string text;
    for (const size_t begin = at_; at_ < lines_.size() && !IsBlank(lines_[at_]); ++at_) {
      const std::string& line = lines_[at_];
      if (at_ > begin && (line.starts_with('#') || IsRule(line))) break;
      // In a list that stands close, an item may hold another list.
      if (at_ > begin && tight_ && MarkerOf(line)) break;
      text += (text.empty() ? "" : "\n") + line;
    }
    if (tight_) {
      blocks_.push_back(HtmlOfSpans(Trimmed(text)));
    } else {
      // Spaces behind the last word stay, as there.
      text.erase(0, std::min(text.find_first_not_of(" \t\n"), text.size()));
      blocks_.push_back("<p>" + HtmlOfSpans(text) + "</p>");
    }
  }

  Lines lines_;
  int depth_;
  bool tight_;
  size_t at_ = 0;
  std::vector<std::string> blocks_;
};

// Tabs become spaces, whatever ends a line a newline.
std::vector<Line> LinesOf(std::string_view text) {
  std::vector<Line> lines(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    if (text[i] == '\n' || text[i] == '\r') {
      lines.emplace_back();
    } else if (text[i] == '\t') {
      lines.back().append(kIndent - lines.back().size() % kIndent, ' ');
    } else if (text[i] != '\0') {
      lines.back() += text[i];
    }
  }
  return lines;
}

// What stands behind an element that stands by itself is a line of its own.
std::vector<Line> SplitBehindElements(std::vector<Line> lines) {
  std::vector<Line> split;
  for (Line& line : lines) {
    while (true) {
      const std::string name = BlockElementOf(line);
      const size_t close = name.empty() ? Line::npos : line.find("</" + name);
      const size_t end = close == Line::npos ? Line::npos : line.find('>', close);
      if (end == Line::npos || IsBlank(std::string_view(line).substr(end + 1))) break;
      split.push_back(line.substr(0, end + 1));
      line.erase(0, end + 1);
    }
    split.push_back(std::move(line));
  }
  return split;
}

}  // namespace

std::string HtmlOfMarkdown(std::string_view markdown) {
  const std::vector<Line> lines = SplitBehindElements(LinesOf(markdown));
  std::string out;
  for (const std::string& block : Blocks(lines, 0, false).Run()) {
    out += (out.empty() ? "" : "\n") + block;
  }
  return out;
}

std::string SafeHtmlOfMarkdown(std::string_view markdown) {
  return SafeHtml(HtmlOfMarkdown(markdown));
}

}  // namespace telltale
