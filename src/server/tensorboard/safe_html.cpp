// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/safe_html.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

namespace telltale {

namespace {

constexpr std::array<std::string_view, 25> kElements = {
    "ul",  "ol",    "li",    "p",     "pre", "code", "blockquote", "h1", "h2",
    "h3",  "h4",    "h5",    "h6",    "hr",  "br",   "strong",     "em", "a",
    "img", "table", "thead", "tbody", "td",  "tr",   "th"};
constexpr std::array<std::string_view, 3> kVoid = {"hr", "br", "img"};
constexpr std::array<std::string_view, 3> kSchemes = {"http", "https", "mailto"};

// A tag is no longer than this, and no deeper: what is beyond is text.
constexpr size_t kLongestTag = 4096;
constexpr size_t kDeepest = 256;

bool IsOneOf(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool KeepsAttribute(std::string_view element, std::string_view attribute) {
  if (element == "a") return attribute == "href" || attribute == "title";
  if (element == "img") return attribute == "src" || attribute == "title" || attribute == "alt";
  return false;
}

// Of a link: relative, or of a scheme that opens and runs nothing. What a browser skips while it
// looks for the scheme (spaces, control characters) hides none.
bool IsHarmlessAddress(std::string_view address) {
  std::string scheme;
  for (const char c : address) {
    if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f) continue;
    if (c == ':') return IsOneOf(Lower(scheme), kSchemes);
    // References could spell a colon.
    if (c == '&') return false;
    if (c == '/' || c == '?' || c == '#') return true;
    scheme += c;
  }
  return true;
}

struct Tag {
  std::string name;  // in lower case
  bool closes = false;
  std::vector<std::pair<std::string, std::string>> attributes;
  size_t bytes = 0;  // of the text
};

// The tag at the front of the text, which begins with "<".
std::optional<Tag> ReadTag(std::string_view text) {
  Tag tag;
  size_t at = 1;
  if (at < text.size() && text[at] == '/') {
    tag.closes = true;
    ++at;
  }
  if (at >= text.size() || std::isalpha(static_cast<unsigned char>(text[at])) == 0) {
    return std::nullopt;
  }
  const size_t name = at;
  while (at < text.size() && !IsSpace(text[at]) && text[at] != '/' && text[at] != '>') ++at;
  tag.name = Lower(text.substr(name, at - name));
  while (at < text.size() && text[at] != '>') {
    if (IsSpace(text[at]) || text[at] == '/') {
      ++at;
      continue;
    }
    const size_t key = at;
    while (at < text.size() && !IsSpace(text[at]) && text[at] != '/' && text[at] != '>' &&
           (text[at] != '=' || at == key)) {
      ++at;
    }
    std::string attribute = Lower(text.substr(key, at - key));
    std::string value;
    size_t equals = at;
    while (equals < text.size() && IsSpace(text[equals])) ++equals;
    if (equals < text.size() && text[equals] == '=') {
      at = equals + 1;
      while (at < text.size() && IsSpace(text[at])) ++at;
      if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
        const size_t end = text.find(text[at], at + 1);
        if (end == std::string_view::npos) return std::nullopt;
        value = text.substr(at + 1, end - at - 1);
        at = end + 1;
      } else {
        const size_t begin = at;
        while (at < text.size() && !IsSpace(text[at]) && text[at] != '>') ++at;
        value = text.substr(begin, at - begin);
      }
    }
    tag.attributes.emplace_back(std::move(attribute), std::move(value));
  }
  if (at >= text.size()) return std::nullopt;
  tag.bytes = at + 1;
  return tag;
}

// As text: references stay what they are.
void AppendText(std::string_view text, bool quotes, std::string& out) {
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += quotes ? "&quot;" : "\"";
        break;
      case '&':
        out += CharacterReference(text.substr(i)) > 0 ? "&" : "&amp;";
        break;
      default:
        out += text[i];
    }
  }
}

class Sanitizer {
 public:
  std::string Run(std::string_view html) {
    while (!html.empty()) {
      const size_t mark = std::min(html.find('<'), html.size());
      AppendText(html.substr(0, mark), false, out_);
      html.remove_prefix(mark);
      if (html.empty()) break;
      if (html.starts_with("<!--")) {
        const size_t end = html.find("-->", 4);
        html.remove_prefix(end == std::string_view::npos ? html.size() : end + 3);
        continue;
      }
      const std::optional<Tag> tag = ReadTag(html.substr(0, kLongestTag));
      const size_t bytes = tag ? tag->bytes : 1;
      if (tag && IsOneOf(tag->name, kElements) && (tag->closes || open_.size() < kDeepest)) {
        tag->closes ? Close(tag->name) : Open(*tag);
      } else {
        AppendText(html.substr(0, bytes), false, out_);
      }
      html.remove_prefix(bytes);
    }
    while (!open_.empty()) CloseLast();
    return std::move(out_);
  }

 private:
  void CloseLast() {
    out_ += "</" + open_.back() + ">";
    open_.pop_back();
  }
  // What a browser would add by itself: a row is in a body, and these hold none of their like.
  void Imply(std::string_view name) {
    if (name == "tr" && !open_.empty() && open_.back() == "table") {
      out_ += "<tbody>";
      open_.emplace_back("tbody");
    }
    if (!open_.empty() && open_.back() == name && (name == "p" || name == "li" || name == "a")) {
      CloseLast();
    }
  }
  void Open(const Tag& tag) {
    Imply(tag.name);
    out_ += "<" + tag.name;
    for (const auto& [name, value] : tag.attributes) {
      if (!KeepsAttribute(tag.name, name)) continue;
      if ((name == "href" || name == "src") && !IsHarmlessAddress(value)) continue;
      out_ += " " + name + "=\"";
      AppendText(value, true, out_);
      out_ += '"';
    }
    out_ += '>';
    if (!IsOneOf(tag.name, kVoid)) open_.push_back(tag.name);
  }
  // With all that is open inside it; one that was never opened says nothing.
  void Close(std::string_view name) {
    if (std::ranges::find(open_, name) == open_.end()) return;
    while (open_.back() != name) CloseLast();
    CloseLast();
  }

  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace

size_t CharacterReference(std::string_view text) {
  // The longest names have about thirty letters.
  const size_t end = text.substr(0, 40).find(';');
  if (end == std::string_view::npos || end < 2 || text[0] != '&') return 0;
  std::string_view name = text.substr(1, end - 1);
  if (name[0] == '#') {
    name.remove_prefix(1);
    const bool hex = !name.empty() && (name[0] == 'x' || name[0] == 'X');
    if (hex) name.remove_prefix(1);
    const auto digit = [&](unsigned char c) {
      return hex ? std::isxdigit(c) != 0 : std::isdigit(c) != 0;
    };
    return !name.empty() && std::ranges::all_of(name, digit) ? end + 1 : 0;
  }
  const bool is_word =
      std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0; });
  return is_word ? end + 1 : 0;
}

std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string SafeHtml(std::string_view html) { return Sanitizer().Run(html); }

}  // namespace telltale
