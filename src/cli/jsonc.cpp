// SPDX-License-Identifier: Apache-2.0
#include "cli/jsonc.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace telltale {

namespace {

struct Token {
  char kind = '\0';  // one of {}[]:, or 's' for a string, 'v' for another value
  size_t begin = 0, end = 0;
};

tl::unexpected<Error> Not(std::string_view text, size_t at, std::string_view what) {
  const auto line = std::ranges::count(text.substr(0, at), '\n') + 1;
  return Fail(ErrorCode::kUsage, fmt::format("line {}: {}", line, what));
}

Result<std::vector<Token>> Tokens(std::string_view text) {
  std::vector<Token> out;
  constexpr std::string_view kPunctuation = "{}[]:,";
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
    } else if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at).starts_with("/*")) {
      const size_t close = text.find("*/", at + 2);
      if (close == std::string_view::npos) return Not(text, at, "a comment is not closed");
      at = close + 2;
    } else if (c == '"') {
      size_t end = at + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? size_t{2} : 1;
      if (end >= text.size()) return Not(text, at, "a text is not closed");
      out.push_back({'s', at, end + 1});
      at = end + 1;
    } else if (kPunctuation.find(c) != std::string_view::npos) {
      out.push_back({c, at, at + 1});
      ++at;
    } else if (text.substr(at).starts_with("\xef\xbb\xbf")) {
      at += 3;
    } else {
      const size_t end = std::min(text.find_first_of(" \t\r\n{}[]:,\"/", at), text.size());
      if (end == at) return Not(text, at, "not JSON");
      out.push_back({'v', at, end});
      at = end;
    }
  }
  return out;
}

class Editor {
 public:
  Editor(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Result<std::string> Add(std::string_view array_key, std::string_view name_key,
                          std::span<const JsoncEntry> entries);

 private:
  [[nodiscard]] bool Is(size_t i, char kind) const {
    return i < tokens_.size() && tokens_[i].kind == kind;
  }
  [[nodiscard]] std::string_view StringAt(size_t i) const {
    return text_.substr(tokens_[i].begin + 1, tokens_[i].end - tokens_[i].begin - 2);
  }
  // The token that closes what token `i` opens; none: size().
  [[nodiscard]] size_t Closing(size_t i) const;
  // `insert`, before the token that closes a list: behind its last token, with a comma if needed.
  [[nodiscard]] std::string Inserted(size_t open, size_t close, const std::string& insert,
                                     std::string_view indent) const;

  std::string_view text_;
  std::vector<Token> tokens_;
};

size_t Editor::Closing(size_t i) const {
  std::vector<char> open;
  for (; i < tokens_.size(); ++i) {
    const char kind = tokens_[i].kind;
    if (kind == '{' || kind == '[') open.push_back(kind == '{' ? '}' : ']');
    if (kind == '}' || kind == ']') {
      if (open.empty() || open.back() != kind) return tokens_.size();
      open.pop_back();
    }
    if (open.empty()) return i;
  }
  return tokens_.size();
}

std::string Editor::Inserted(size_t open, size_t close, const std::string& insert,
                             std::string_view indent) const {
  const Token& last = tokens_[close - 1];
  const bool needs_comma = close - 1 != open && last.kind != ',';
  // A comment behind the last entry stays with it.
  size_t tail = tokens_[close].begin;
  while (tail > last.end && (text_[tail - 1] == ' ' || text_[tail - 1] == '\t')) --tail;
  std::string out(text_.substr(0, last.end));
  if (needs_comma) out += ',';
  std::string between(text_.substr(last.end, tail - last.end));
  while (!between.empty() && (between.back() == '\n' || between.back() == '\r')) between.pop_back();
  out += between + "\n" + insert + "\n" + std::string(indent);
  out += text_.substr(tokens_[close].begin);
  return out;
}

std::string Indented(std::string_view text, std::string_view indent) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += std::string(indent) + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!out.empty()) out.pop_back();
  return out;
}

Result<std::string> Editor::Add(std::string_view array_key, std::string_view name_key,
                                std::span<const JsoncEntry> entries) {
  const size_t end = tokens_.empty() ? 0 : Closing(0);
  if (!Is(0, '{') || end + 1 != tokens_.size()) {
    return Not(text_, 0, "expected one object with balanced brackets");
  }
  size_t array = 0;
  for (size_t i = 1; i < end; ++i) {
    if (!Is(i, 's') || !Is(i + 1, ':')) return Not(text_, tokens_[i].begin, "expected a name");
    if (StringAt(i) == array_key) array = i + 2;
    i = Closing(i + 2);
    if (i >= end) return Not(text_, tokens_[end].begin, "a value is missing");
    if (Is(i + 1, ',')) ++i;
  }
  if (array != 0 && !Is(array, '[')) {
    return Not(text_, tokens_[array].begin, fmt::format("\"{}\" is no list", array_key));
  }
  const size_t close = array == 0 ? 0 : Closing(array);
  std::string fresh;
  for (const JsoncEntry& entry : entries) {
    bool is_there = false;
    for (size_t i = array; array != 0 && i + 2 < close; ++i) {
      is_there = is_there || (Is(i, 's') && StringAt(i) == name_key && Is(i + 1, ':') &&
                              Is(i + 2, 's') && StringAt(i + 2) == entry.name);
    }
    if (is_there) continue;
    if (!fresh.empty()) fresh += ",\n";
    fresh += Indented(entry.text, "    ");
  }
  if (fresh.empty()) return std::string(text_);
  if (array != 0) return Inserted(array, close, fresh, "  ");
  return Inserted(0, end, fmt::format("  \"{}\": [\n{}\n  ]", array_key, fresh), "");
}

}  // namespace

Result<std::string> WithEntries(std::string_view document, std::string_view array_key,
                                std::string_view name_key, std::span<const JsoncEntry> entries) {
  Result<std::vector<Token>> tokens = Tokens(document);
  if (!tokens) return tl::unexpected(tokens.error());
  return Editor(document, std::move(*tokens)).Add(array_key, name_key, entries);
}

}  // namespace telltale
