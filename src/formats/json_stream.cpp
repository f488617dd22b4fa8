// SPDX-License-Identifier: Apache-2.0
#include "formats/json_stream.h"

#include <algorithm>
#include <utility>

#include "base/json/text.h"

namespace telltale {

namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool IsNumberByte(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A byte that a clean ASCII text has.
bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '\\';
}

std::string Shown(char c) {
  if (static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x7f) {
    return std::string("'") + c + "'";
  }
  return "byte " + std::to_string(static_cast<unsigned char>(c));
}

}  // namespace

JsonStream::Token JsonStream::Broken(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
  return Token::kBroken;
}

JsonStream::Token JsonStream::Truncated() {
  if (input_.error()) return Broken(input_.error()->message);
  truncated_ = true;
  return Broken("the text ends inside the document");
}

void JsonStream::SkipByteOrderMark() {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  while (input_.rest().size() < kMark.size() && input_.More()) {
  }
  if (input_.rest().starts_with(kMark)) input_.Take(kMark.size());
}

bool JsonStream::SkipSpace() {
  for (;;) {
    const std::string_view rest = input_.rest();
    size_t i = 0;
    while (i < rest.size() && IsSpace(rest[i])) ++i;
    const bool found = i < rest.size();
    input_.Take(i);
    if (found) return true;
    if (!input_.More()) return false;
  }
}

void JsonStream::ValueDone() {
  expect_ = is_object_.empty() ? Expect::kNothing : Expect::kCommaOrEnd;
}

JsonStream::Token JsonStream::Next() {
  if (!problem_.empty()) return Token::kBroken;
  input_.Take(std::exchange(taken_, 0));
  if (!std::exchange(started_, true)) SkipByteOrderMark();
  for (;;) {
    if (!SkipSpace()) {
      token_offset_ = input_.offset();
      return expect_ == Expect::kNothing && !input_.error() ? Token::kEnd : Truncated();
    }
    token_offset_ = input_.offset();
    const char c = input_.rest().front();
    switch (expect_) {
      case Expect::kNothing:
        if (!std::exchange(checked_end_, true)) {
          diagnostics_.Add(DiagnosticKind::kTrailingData, token_offset_);
        }
        return Token::kEnd;
      case Expect::kValueOrEnd:
        if (c == ']') return Close(false);
        return Value(c);
      case Expect::kValue:
        return Value(c);
      case Expect::kKeyOrEnd:
        if (c == '}') return Close(true);
        [[fallthrough]];
      case Expect::kKey:
        if (c == '"') return String(true);
        return Broken("expected a key in quotation marks, found " + Shown(c));
      case Expect::kColon:
        if (c != ':') return Broken("expected ':' after a key, found " + Shown(c));
        input_.Take(1);
        expect_ = Expect::kValue;
        break;
      case Expect::kCommaOrEnd: {
        const bool object = is_object_.back();
        if (c == (object ? '}' : ']')) return Close(object);
        if (c != ',') {
          return Broken(std::string("expected ',' or '") + (object ? '}' : ']') + "', found " +
                        Shown(c));
        }
        input_.Take(1);
        expect_ = object ? Expect::kKey : Expect::kValue;
        break;
      }
    }
  }
}

JsonStream::Token JsonStream::Value(char c) {
  switch (c) {
    case '{':
      return Open(true);
    case '[':
      return Open(false);
    case '"':
      return String(false);
    default:
      break;
  }
  if (IsLetter(c)) return Word();
  if (c == '-' || (c >= '0' && c <= '9')) return Number();
  return Broken("expected a value, found " + Shown(c));
}

JsonStream::Token JsonStream::Open(bool object) {
  input_.Take(1);
  is_object_.push_back(object);
  expect_ = object ? Expect::kKeyOrEnd : Expect::kValueOrEnd;
  return object ? Token::kBeginObject : Token::kBeginArray;
}

JsonStream::Token JsonStream::Close(bool object) {
  input_.Take(1);
  is_object_.pop_back();
  ValueDone();
  return object ? Token::kEndObject : Token::kEndArray;
}

JsonStream::Token JsonStream::String(bool key) {
  size_t i = 1;
  bool plain = true;
  for (;;) {
    const std::string_view rest = input_.rest();
    while (i < rest.size() && rest[i] != '"') {
      plain = plain && IsPlain(rest[i]);
      i += rest[i] == '\\' ? size_t{2} : size_t{1};
    }
    if (i < rest.size()) break;
    if (input_.More()) continue;
    return input_.full() ? Broken("a text of more than 64 MiB") : Truncated();
  }
  text_ = input_.rest().substr(1, i - 1);
  taken_ = i + 1;
  if (!plain) {
    CleanText clean = Unescape(text_);
    const auto add = [&](TextFlaw flaw, DiagnosticKind kind) {
      if ((clean.flaws & flaw) != 0) diagnostics_.Add(kind, token_offset_);
    };
    add(kFlawControl, DiagnosticKind::kControlCharacter);
    add(kFlawUtf8, DiagnosticKind::kInvalidUtf8);
    add(kFlawEscape, DiagnosticKind::kInvalidEscape);
    clean_ = std::move(clean.text);
    text_ = clean_;
  }
  if (key) {
    expect_ = Expect::kColon;
    return Token::kKey;
  }
  ValueDone();
  return Token::kString;
}

JsonStream::Token JsonStream::Number() {
  size_t i = 1;
  for (;;) {
    const std::string_view rest = input_.rest();
    while (i < rest.size() && IsNumberByte(rest[i])) ++i;
    if (i < rest.size()) break;
    if (input_.More()) continue;
    if (input_.full() || input_.error()) return Broken("a number of more than 64 MiB");
    if (!is_object_.empty()) return Truncated();
    break;
  }
  // -Infinity, as Python writes it
  if (i == 1 && input_.rest().front() == '-') {
    if (i < input_.rest().size() && input_.rest()[i] == 'I') {
      input_.Take(1);
      return Word();
    }
    return Broken("expected a number, found '-'");
  }
  text_ = input_.rest().substr(0, i);
  taken_ = i;
  ValueDone();
  return Token::kNumber;
}

JsonStream::Token JsonStream::Word() {
  constexpr size_t kLongest = 9;
  while (input_.rest().size() < kLongest && input_.More()) {
  }
  const std::string_view rest = input_.rest();
  size_t i = 0;
  while (i < rest.size() && i < kLongest && IsLetter(rest[i])) ++i;
  const std::string_view word = rest.substr(0, i);
  Token token = Token::kNull;
  if (word == "true") {
    token = Token::kTrue;
  } else if (word == "false") {
    token = Token::kFalse;
  } else if (word == "NaN" || word == "Infinity") {
    diagnostics_.Add(DiagnosticKind::kBareWord, token_offset_);
  } else if (word != "null") {
    if (i == rest.size() && i < kLongest) return Truncated();
    return Broken("expected a value, found the word '" + std::string(word) + "'");
  }
  text_ = {};
  taken_ = i;
  ValueDone();
  return token;
}

bool JsonStream::Skip(Token token) {
  if (token == Token::kBroken) return false;
  if (token != Token::kBeginObject && token != Token::kBeginArray) return true;
  const size_t outer = depth() - 1;
  while (depth() > outer) {
    if (Next() == Token::kBroken) return false;
  }
  return true;
}

JsonHead::JsonHead(std::string_view head) {
  using enum JsonStream::Token;
  constexpr size_t kLevels = 3;
  constexpr size_t kTextBytes = 200;  // enough to know a format by
  const std::unique_ptr<ByteSource> source = OpenMemory(head);
  const ReadOptions options;
  JsonStream stream(*source, options);
  if (stream.Next() != kBeginObject) return;
  struct Level {
    size_t depth;  // of the object
    std::string prefix;
    std::string path;  // of its latest key
  };
  std::vector<Level> open = {{1, "", ""}};
  for (;;) {
    const JsonStream::Token token = stream.Next();
    if (token == kEnd || token == kBroken) return;
    // An object in a list is deeper by two; the list itself has no level.
    while (!open.empty() && open.back().depth > stream.depth()) open.pop_back();
    if (open.empty()) return;
    Level& level = open.back();
    switch (token) {
      case kKey:
        level.path = level.prefix + std::string(stream.text().substr(0, kTextBytes));
        entries_.push_back({level.path, {}});
        break;
      case kString:
        if (!entries_.empty() && entries_.back().path == level.path) {
          std::string& text = entries_.back().text;
          if (text.empty()) text = stream.text().substr(0, kTextBytes);
        }
        break;
      case kBeginObject:
        if (open.size() < kLevels) {
          const std::string prefix = level.path + ".";
          open.push_back({stream.depth(), prefix, prefix});
        } else if (!stream.Skip(token)) {
          return;
        }
        break;
      default:
        break;
    }
  }
}

bool JsonHead::Has(std::string_view path) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.path == path; });
}

std::string_view JsonHead::Text(std::string_view path) const {
  for (const Entry& entry : entries_) {
    if (entry.path == path && !entry.text.empty()) return entry.text;
  }
  return {};
}

}  // namespace telltale
