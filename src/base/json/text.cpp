// SPDX-License-Identifier: Apache-2.0
#include "base/json/text.h"

#include <vector>

#include "base/json_writer.h"
#include "base/utf8.h"

namespace telltale {

namespace {

void AppendUtf8(uint32_t c, std::string& out) {
  const auto byte = [&out](uint32_t b) { out += static_cast<char>(b); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xc0 | c >> 6);
    byte(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    byte(0xe0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3f));
    byte(0x80 | (c & 0x3f));
  } else {
    byte(0xf0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3f));
    byte(0x80 | (c >> 6 & 0x3f));
    byte(0x80 | (c & 0x3f));
  }
}

// The value of four hexadecimal digits, or -1.
int32_t Hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  int32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    const char c = text[i];
    int digit = 0;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    } else {
      return -1;
    }
    value = value * 16 + digit;
  }
  return value;
}

// Resolves the escape at raw[i] (a backslash) and moves i past it.
void AppendEscape(std::string_view raw, size_t& i, CleanText& out) {
  const char c = i + 1 < raw.size() ? raw[i + 1] : '\0';
  switch (c) {
    case '"':
    case '\\':
    case '/':
      out.text += c;
      break;
    case 'b':
      out.text += '\b';
      break;
    case 'f':
      out.text += '\f';
      break;
    case 'n':
      out.text += '\n';
      break;
    case 'r':
      out.text += '\r';
      break;
    case 't':
      out.text += '\t';
      break;
    case 'u': {
      const int32_t first = Hex4(raw.substr(i + 2));
      if (first < 0) {
        out.flaws |= kFlawEscape;
        out.text += "\\u";
        break;
      }
      i += 6;
      if (first < 0xd800 || first > 0xdfff) {
        AppendUtf8(static_cast<uint32_t>(first), out.text);
        return;
      }
      const bool more = first <= 0xdbff && raw.substr(i).starts_with("\\u");
      const int32_t second = more ? Hex4(raw.substr(i + 2)) : -1;
      if (second >= 0xdc00 && second <= 0xdfff) {
        i += 6;
        AppendUtf8(static_cast<uint32_t>(0x10000 + (first - 0xd800) * 0x400 + (second - 0xdc00)),
                   out.text);
      } else {
        out.flaws |= kFlawEscape;  // half of a pair
        out.text += kReplacementCharacter;
      }
      return;
    }
    default:  // unknown: keep the backslash; what follows is read as plain text
      out.flaws |= kFlawEscape;
      out.text += '\\';
      ++i;
      return;
  }
  i += 2;
}

// A small checker for the JSON that stands in args: it copies a value without white space. False at
// the first thing JSON does not allow, or past `kMaxDepth` levels.
class Compactor {
 public:
  Compactor(std::string_view raw, std::string& out) : raw_(raw), out_(out) {}

  bool Run() {
    std::string closers;  // the brackets still open
    bool want_value = true;
    for (;;) {
      Skip();
      if (at_ == raw_.size()) return closers.empty() && !want_value;
      const char c = raw_[at_];
      if (want_value) {
        if (c == '[' || c == '{') {
          if (closers.size() == kMaxDepth) return false;
          Copy();
          closers += c == '[' ? ']' : '}';
          Skip();
          if (at_ < raw_.size() && raw_[at_] == closers.back()) {
            Copy();
            closers.pop_back();
            want_value = false;
          } else if (c == '{' && !KeyAndColon()) {
            return false;
          }
        } else if (!Scalar()) {
          return false;
        } else {
          want_value = false;
        }
      } else if (!closers.empty() && c == closers.back()) {
        Copy();
        closers.pop_back();
      } else if (!closers.empty() && c == ',') {
        Copy();
        Skip();
        if (closers.back() == '}' && !KeyAndColon()) return false;
        want_value = true;
      } else {
        return false;
      }
    }
  }

 private:
  static constexpr size_t kMaxDepth = 512;

  void Skip() {
    while (at_ < raw_.size() &&
           (raw_[at_] == ' ' || raw_[at_] == '\n' || raw_[at_] == '\r' || raw_[at_] == '\t')) {
      ++at_;
    }
  }
  void Copy() { out_ += raw_[at_++]; }

  bool KeyAndColon() {
    if (at_ >= raw_.size() || raw_[at_] != '"' || !String()) return false;
    Skip();
    if (at_ >= raw_.size() || raw_[at_] != ':') return false;
    Copy();
    return true;
  }

  bool Scalar() {
    if (raw_[at_] == '"') return String();
    for (const std::string_view word : {"true", "false", "null"}) {
      if (raw_.substr(at_).starts_with(word)) {
        out_ += word;
        at_ += word.size();
        return true;
      }
    }
    return Number();
  }

  bool Digits() {
    const size_t begin = at_;
    while (at_ < raw_.size() && raw_[at_] >= '0' && raw_[at_] <= '9') Copy();
    return at_ > begin;
  }

  bool Number() {
    if (raw_[at_] == '-') Copy();
    if (at_ < raw_.size() && raw_[at_] == '0') {
      Copy();
    } else if (!Digits()) {
      return false;
    }
    if (at_ < raw_.size() && raw_[at_] == '.') {
      Copy();
      if (!Digits()) return false;
    }
    if (at_ < raw_.size() && (raw_[at_] == 'e' || raw_[at_] == 'E')) {
      Copy();
      if (at_ < raw_.size() && (raw_[at_] == '-' || raw_[at_] == '+')) Copy();
      if (!Digits()) return false;
    }
    return true;
  }

  // Copies a string, cleaned and escaped again.
  bool String() {
    const size_t begin = ++at_;
    while (at_ < raw_.size() && raw_[at_] != '"') at_ += raw_[at_] == '\\' ? 2U : 1U;
    if (at_ >= raw_.size()) return false;
    JsonWriter quoted(false);
    quoted.String(Unescape(raw_.substr(begin, at_ - begin)).text);
    std::string text = quoted.Take();
    text.pop_back();  // the newline
    out_ += text;
    ++at_;
    return true;
  }

  std::string_view raw_;
  std::string& out_;
  size_t at_ = 0;
};

}  // namespace

CleanText Unescape(std::string_view raw) {
  CleanText out;
  out.text.reserve(raw.size());
  for (size_t i = 0; i < raw.size();) {
    const auto c = static_cast<unsigned char>(raw[i]);
    if (c == '\\') {
      AppendEscape(raw, i, out);
      continue;
    }
    if (c < 0x20) out.flaws |= kFlawControl;
    const size_t length = Utf8Length(raw.substr(i));
    if (length == 0) {
      out.flaws |= kFlawUtf8;
      out.text += kReplacementCharacter;
      ++i;
    } else {
      out.text += raw.substr(i, length);
      i += length;
    }
  }
  return out;
}

std::string CompactJson(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  if (Compactor(raw, out).Run()) return out;
  JsonWriter quoted(false);
  quoted.String(Unescape(raw).text);
  out = quoted.Take();
  out.pop_back();
  return out;
}

bool IsPlain(std::string_view text) {
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u >= 0x7f || c == '"' || c == '\\') return false;
  }
  return true;
}

bool IsJsonNumber(std::string_view text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t begin = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - begin;
  };
  if (i < text.size() && text[i] == '-') ++i;
  const size_t first = i;
  const size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

void AppendQuoted(std::string& out, std::string_view text) {
  if (IsPlain(text)) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (u < 0x20 || u == 0x7f) {
      out += "\\u00";
      out += kHex[u >> 4];
      out += kHex[u & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string Quoted(std::string_view text) {
  std::string out;
  AppendQuoted(out, text);
  return out;
}

std::string Unquoted(std::string_view json) {
  if (json.size() < 2 || json.front() != '"' || json.back() != '"') return std::string(json);
  return Unescape(json.substr(1, json.size() - 2)).text;
}

}  // namespace telltale
