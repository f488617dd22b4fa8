// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/markdown_inline.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "server/tensorboard/safe_html.h"

namespace telltale {

namespace {

// Emphasis in emphasis, links in links: no text of a person is deeper, and each level looks for its
// end once more.
constexpr int kDeepest = 16;
// How far the end of a span is looked for, and how far in all: a paragraph of a person, not a
// megabyte of brackets. What is beyond is text.
constexpr size_t kLongestSpan = 20'000;
constexpr size_t kMostWork = 20'000'000;

constexpr std::string_view kEscapable = "\\`*_{}[]()>#+-.!";

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

class Spans {
 public:
  Spans(std::string_view text, int depth, size_t& work) : text_(text), depth_(depth), work_(work) {}

  std::string Run() {
    while (at_ < text_.size()) {
      if (!Span()) out_ += text_[at_++];
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string Inside(std::string_view text) const {
    return depth_ < kDeepest ? Spans(text, depth_ + 1, work_).Run() : EscapeHtml(text);
  }
  // Where the end of a span is looked for.
  [[nodiscard]] std::string_view Rest() const {
    const std::string_view rest = text_.substr(at_, work_ < kMostWork ? kLongestSpan : 1);
    work_ += rest.size();
    return rest;
  }

  bool Span() {
    switch (text_[at_]) {
      case '\\':
        return Escape();
      case '`':
        return Code();
      case '!':
        return Rest().starts_with("![") && Link(1, true);
      case '[':
        return Link(0, false);
      case '<':
        return Angle();
      case '&':
        return Ampersand();
      case '*':
      case '_':
        return Emphasis();
      case ' ':
        return Break();
      default:
        return false;
    }
  }
  bool Escape() {
    if (at_ + 1 >= text_.size() || kEscapable.find(text_[at_ + 1]) == std::string_view::npos) {
      return false;
    }
    out_ += EscapeHtml(text_.substr(at_ + 1, 1));
    at_ += 2;
    return true;
  }
  bool Code() {
    const std::string_view rest = Rest();
    const size_t ticks = std::min(rest.find_first_not_of('`'), rest.size());
    for (size_t end = rest.find('`', ticks); end != std::string_view::npos;) {
      const size_t after = std::min(rest.find_first_not_of('`', end), rest.size());
      if (after - end == ticks) {
        out_ += "<code>" + EscapeHtml(Trimmed(rest.substr(ticks, end - ticks))) + "</code>";
        at_ += after;
        return true;
      }
      end = rest.find('`', after);
    }
    out_ += rest.substr(0, ticks);
    at_ += ticks;
    return true;
  }
  bool Ampersand() {
    const size_t bytes = CharacterReference(text_.substr(at_));
    out_ += bytes > 0 ? text_.substr(at_, bytes) : "&amp;";
    at_ += std::max<size_t>(bytes, 1);
    return true;
  }
  // Two spaces before the end of a line.
  bool Break() {
    const size_t end = text_.find_first_not_of(' ', at_);
    if (end == std::string_view::npos || text_[end] != '\n' || end - at_ < 2) return false;
    out_ += "<br>\n";
    at_ = end + 1;
    return true;
  }
  // An address in angles, or a tag as it is.
  bool Angle() {
    const std::string_view rest = Rest();
    const size_t end = rest.find('>');
    if (end == std::string_view::npos || end < 2) {
      out_ += "&lt;";
      ++at_;
      return true;
    }
    const std::string_view inside = rest.substr(1, end - 1);
    const bool has_space = std::ranges::any_of(inside, IsBlank);
    const bool is_address = inside.starts_with("http://") || inside.starts_with("https://");
    if (!has_space && is_address) {
      out_ += "<a href=\"" + EscapeHtml(inside) + "\">" + EscapeHtml(inside) + "</a>";
    } else if (std::isalpha(static_cast<unsigned char>(inside[0])) != 0 || inside[0] == '/' ||
               inside[0] == '!') {
      out_ += rest.substr(0, end + 1);
    } else {
      out_ += "&lt;";
      ++at_;
      return true;
    }
    at_ += end + 1;
    return true;
  }

  // Where the bracket that is open at `from` closes; npos: nowhere.
  static size_t Closing(std::string_view text, size_t from, char open, char close) {
    int depth = 0;
    for (size_t i = from; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == open) {
        ++depth;
      } else if (text[i] == close && --depth == 0) {
        return i;
      }
    }
    return std::string_view::npos;
  }
  // [text](address "title"), with an exclamation mark before it an image.
  bool Link(size_t open, bool is_image) {
    const std::string_view rest = Rest();
    const size_t close = Closing(rest, open, '[', ']');
    if (close == std::string_view::npos || close + 1 >= rest.size() || rest[close + 1] != '(') {
      return false;
    }
    const size_t end = Closing(rest, close + 1, '(', ')');
    if (end == std::string_view::npos) return false;
    const std::string_view label = rest.substr(open + 1, close - open - 1);
    std::string_view address = Trimmed(rest.substr(close + 2, end - close - 2));
    std::optional<std::string_view> title;
    if (!address.empty() && (address.back() == '"' || address.back() == '\'')) {
      const size_t quote = address.find(address.back());
      if (quote + 1 < address.size() && quote > 0 && IsBlank(address[quote - 1])) {
        title = address.substr(quote + 1, address.size() - quote - 2);
        address = Trimmed(address.substr(0, quote));
      }
    }
    if (address.starts_with('<') && address.ends_with('>')) {
      address = address.substr(1, address.size() - 2);
    }
    out_ += is_image ? "<img alt=\"" + EscapeHtml(label) + "\" src=\"" : "<a href=\"";
    out_ += EscapeHtml(address) + '"';
    if (title) out_ += " title=\"" + EscapeHtml(*title) + '"';
    out_ += is_image ? ">" : ">" + Inside(label) + "</a>";
    at_ += end + 1;
    return true;
  }

  // Where the marks end the span that they began; npos: nowhere.
  [[nodiscard]] static size_t SpanEnd(std::string_view rest, std::string_view marks) {
    for (size_t end = rest.find(marks, marks.size() + 1); end != std::string_view::npos;
         end = rest.find(marks, end + 1)) {
      const size_t after = end + marks.size();
      if (IsBlank(rest[end - 1]) || rest[end - 1] == '\\') continue;
      // A longer row of marks ends with the outer span.
      if (after < rest.size() && rest[after] == marks[0]) continue;
      if (marks.size() == 1 && rest[end - 1] == marks[0]) continue;
      if (marks[0] == '_' && after < rest.size() && IsWord(rest[after])) continue;
      return end;
    }
    return std::string_view::npos;
  }
  bool Emphasis() {
    const std::string_view rest = Rest();
    const char mark = rest[0];
    if (mark == '_' && at_ > 0 && IsWord(text_[at_ - 1])) return false;
    const size_t marks = std::min(rest.find_first_not_of(mark), rest.size());
    for (size_t size = std::min<size_t>(marks, 3); size > 0; --size) {
      if (size >= rest.size() || IsBlank(rest[size])) continue;
      const size_t end = SpanEnd(rest, rest.substr(0, size));
      if (end == std::string_view::npos) continue;
      const std::string inside = Inside(rest.substr(size, end - size));
      out_ += size == 1   ? "<em>" + inside + "</em>"
              : size == 2 ? "<strong>" + inside + "</strong>"
                          : "<strong><em>" + inside + "</em></strong>";
      at_ += end + size;
      return true;
    }
    out_ += rest.substr(0, marks);
    at_ += marks;
    return true;
  }

  std::string_view text_;
  int depth_;
  size_t& work_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string HtmlOfSpans(std::string_view text) {
  size_t work = 0;
  return Spans(text, 0, work).Run();
}

}  // namespace telltale
