// SPDX-License-Identifier: Apache-2.0
#include "base/json/text.h"

#include "base/json/scan.h"
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
  constexpr size_t kDeepest = 512;
  std::string out;
  out.reserve(raw.size());
  bool follows = false;  // something that a comma goes behind
  const auto add = [&](JsonPiece piece, std::string_view text, size_t) {
    const bool ends = piece == JsonPiece::kEndObject || piece == JsonPiece::kEndArray;
    if (follows && !ends) out += ',';
    follows = piece != JsonPiece::kBeginObject && piece != JsonPiece::kBeginArray &&
              piece != JsonPiece::kKey;
    if (piece != JsonPiece::kKey && piece != JsonPiece::kString) {
      out += text;
      return;
    }
    AppendQuoted(out, Unescape(text).text);
    if (piece == JsonPiece::kKey) out += ':';
  };
  if (!ScanJson(raw, {.deepest = kDeepest, .any_string = true}, add)) return out;
  return Quoted(Unescape(raw).text);
}

bool IsPlain(std::string_view text) {
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u >= 0x7f || c == '"' || c == '\\') return false;
  }
  return true;
}

bool IsJsonNumber(std::string_view text) {
  return !text.empty() && JsonNumberLength(text) == text.size();
}

void AppendQuoted(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  size_t plain = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) continue;
    out += text.substr(plain, i - plain);
    plain = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += "\\u00";
        out += kHex[c >> 4];
        out += kHex[c & 15];
    }
  }
  out += text.substr(plain);
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
