// SPDX-License-Identifier: Apache-2.0
#include "base/yaml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json/text.h"
#include "base/utf8.h"

namespace telltale {

namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

// Where a quoted text that begins at 0 ends, behind its quote; npos: it does not.
size_t QuotedEnd(std::string_view text) {
  const char quote = text[0];
  for (size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '\'' && i + 1 < text.size() && text[i + 1] == '\'') {
        ++i;
      } else {
        return i + 1;
      }
    }
  }
  return std::string_view::npos;
}

std::string Unquote(std::string_view text) {
  const std::string_view inner = text.substr(1, text.size() - 2);
  if (text[0] == '"') {
    // YAML has more escapes than JSON; of these, \x41 and "\ " occur.
    std::string plain;
    for (size_t i = 0; i < inner.size(); ++i) {
      if (inner[i] == '\\' && i + 1 < inner.size() && inner[i + 1] == 'x' && i + 3 < inner.size()) {
        plain += "\\u00";
        plain += inner.substr(i + 2, 2);
        i += 3;
      } else if (inner[i] == '\\' && i + 1 < inner.size() && inner[i + 1] == ' ') {
        plain += ' ';
        ++i;
      } else if (inner[i] == '\\' && i + 1 < inner.size()) {
        plain += inner.substr(i, 2);
        ++i;
      } else {
        plain += inner[i];
      }
    }
    return Unescape(plain).text;
  }
  std::string out;
  for (size_t i = 0; i < inner.size(); ++i) {
    out += inner[i];
    if (inner[i] == '\'') ++i;  // two of them stand for one
  }
  return RepairUtf8(out);
}

// Without a comment behind it.
std::string_view WithoutComment(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] == '"' || text[i] == '\'') &&
        (i == 0 || std::string_view(" [{,:-").find(text[i - 1]) != std::string_view::npos)) {
      const size_t end = QuotedEnd(text.substr(i));
      if (end == std::string_view::npos) break;
      i += end - 1;
    } else if (text[i] == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t')) {
      return text.substr(0, i);
    }
  }
  return text;
}

// The colon that ends a key: outside quotes and brackets, with space or nothing behind it.
size_t KeyEnd(std::string_view text) {
  if (!text.empty() && (text[0] == '"' || text[0] == '\'')) {
    const size_t end = QuotedEnd(text);
    if (end == std::string_view::npos) return end;
    const size_t colon = text.find_first_not_of(" \t", end);
    if (colon == std::string_view::npos || text[colon] != ':') return std::string_view::npos;
    return colon + 1 == text.size() || text[colon + 1] == ' ' ? colon : std::string_view::npos;
  }
  if (!text.empty() && (text[0] == '[' || text[0] == '{')) return std::string_view::npos;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' ' || text[i + 1] == '\t')) {
      return i;
    }
  }
  return std::string_view::npos;
}

struct Line {
  size_t indent = 0;
  std::string_view text;  // without indent, comment and end
  std::string_view raw;   // all of it
  uint64_t offset = 0;
};

class Reader {
 public:
  Reader(std::string_view text, const JsonLimits& limits) : limits_(limits) {
    uint64_t offset = 0;
    bool began = false;
    while (!text.empty()) {
      const size_t end = text.find('\n');
      std::string_view raw = text.substr(0, end);
      const uint64_t here = offset;
      const size_t taken = end == std::string_view::npos ? text.size() : end + 1;
      text.remove_prefix(taken);
      offset += taken;
      if (raw.ends_with('\r')) raw.remove_suffix(1);
      if (here == 0 && raw.starts_with("\xef\xbb\xbf")) raw.remove_prefix(3);
      if (raw.starts_with("%") && !began) continue;
      if (raw == "---" || raw.starts_with("--- ")) {
        if (began) break;
        began = true;
        raw = raw.substr(3);
        if (Trim(raw).empty()) continue;
      }
      if (raw == "...") break;
      began = began || !Trim(raw).empty();
      Line line;
      line.raw = raw;
      line.indent = std::min(raw.find_first_not_of(' '), raw.size());
      line.text = Trim(WithoutComment(raw.substr(line.indent)));
      line.offset = here;
      lines_.push_back(line);
    }
  }

  YamlDocument Read() {
    SkipEmpty();
    if (at_ < lines_.size()) document_.value = Block(lines_[at_].indent, 0);
    for (SkipEmpty(); at_ < lines_.size(); SkipEmpty()) Bad(lines_[at_++].offset);
    return std::move(document_);
  }

 private:
  void Bad(uint64_t offset) {
    ++document_.bad_lines;
    if (!document_.first_bad_offset) document_.first_bad_offset = offset;
  }
  void SkipEmpty() {
    while (at_ < lines_.size() && lines_[at_].text.empty()) ++at_;
  }
  bool Count(uint64_t offset) {
    if (++values_ <= limits_.values) return true;
    Bad(offset);
    at_ = lines_.size();
    return false;
  }
  static bool IsItem(std::string_view text) { return text == "-" || text.starts_with("- "); }

  // What stands at `indent` from here on. NOLINTNEXTLINE(misc-no-recursion): bounded depth
  JsonValue Block(size_t indent, size_t depth) {
    SkipEmpty();
    if (at_ >= lines_.size()) return {};
    if (depth > limits_.depth) {
      Bad(lines_[at_].offset);
      while (at_ < lines_.size() && (lines_[at_].text.empty() || lines_[at_].indent >= indent))
        ++at_;
      return {};
    }
    if (IsItem(lines_[at_].text)) return List(indent, depth);
    if (KeyEnd(lines_[at_].text) != std::string_view::npos) return Mapping(indent, depth);
    // A scalar or a flow collection alone.
    Line& line = lines_[at_++];
    return Inline(line.text, line.offset, indent, depth);
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded depth
  JsonValue List(size_t indent, size_t depth) {
    JsonValue list = JsonValue::Array();
    for (SkipEmpty(); at_ < lines_.size(); SkipEmpty()) {
      Line& line = lines_[at_];
      if (line.indent != indent || !IsItem(line.text)) break;
      if (!Count(line.offset)) break;
      const size_t skip = std::min(line.text.find_first_not_of(' ', 1), line.text.size());
      const std::string_view rest = line.text.substr(skip);
      if (rest.empty()) {
        ++at_;
        list.Add(Below(indent, false, depth));
      } else if (IsItem(rest) || KeyEnd(rest) != std::string_view::npos) {
        // A collection that begins behind the dash: the line is its first one.
        line.indent += skip;
        line.text = rest;
        list.Add(Block(line.indent, depth + 1));
      } else {
        ++at_;
        list.Add(Inline(rest, line.offset, indent, depth));
      }
    }
    return list;
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded depth
  JsonValue Mapping(size_t indent, size_t depth) {
    JsonValue mapping = JsonValue::Object();
    for (SkipEmpty(); at_ < lines_.size(); SkipEmpty()) {
      const Line& line = lines_[at_];
      if (line.indent < indent) break;
      if (line.indent == indent && IsItem(line.text)) break;
      const size_t end = KeyEnd(line.text);
      if (line.indent > indent || end == std::string_view::npos) {
        Bad(line.offset);
        ++at_;
        continue;
      }
      if (!Count(line.offset)) break;
      const std::string_view raw_key = Trim(line.text.substr(0, end));
      std::string key = !raw_key.empty() && (raw_key[0] == '"' || raw_key[0] == '\'')
                            ? Unquote(raw_key)
                            : RepairUtf8(raw_key);
      const std::string_view rest = Trim(line.text.substr(end + 1));
      ++at_;
      JsonValue value =
          rest.empty() ? Below(indent, true, depth) : Inline(rest, line.offset, indent, depth);
      mapping.Set(std::move(key), std::move(value));
    }
    return mapping;
  }

  // The value of a key or dash with nothing behind it. NOLINTNEXTLINE(misc-no-recursion)
  JsonValue Below(size_t indent, bool of_key, size_t depth) {
    SkipEmpty();
    if (at_ >= lines_.size()) return {};
    const Line& line = lines_[at_];
    // The items of a key's list may stand as far left as the key.
    const bool deeper =
        line.indent > indent || (of_key && line.indent == indent && IsItem(line.text));
    return deeper ? Block(line.indent, depth + 1) : JsonValue();
  }

  // A value that begins on a line with something before it. NOLINTNEXTLINE(misc-no-recursion)
  JsonValue Inline(std::string_view text, uint64_t offset, size_t indent, size_t depth) {
    std::string tag;
    while (!text.empty() && (text[0] == '!' || text[0] == '&')) {
      const size_t end = std::min(text.find(' '), text.size());
      if (text[0] == '!') tag = text.substr(0, end);
      text = Trim(text.substr(end));
    }
    if (text.empty()) {
      JsonValue value = Below(indent, true, depth);
      if (value.IsNull() && !tag.empty()) return JsonValue::String(RepairUtf8(tag));
      return value;
    }
    if (text[0] == '|' || text[0] == '>') return BlockText(text, indent);
    if (text[0] == '[' || text[0] == '{') return Flow(text, offset, depth);
    std::string joined(text);
    if (text[0] == '"' || text[0] == '\'') {
      // Goes on over lines until its quote.
      while (QuotedEnd(joined) == std::string_view::npos && at_ < lines_.size()) {
        joined += ' ';
        joined += Trim(lines_[at_++].raw);
      }
      const size_t end = QuotedEnd(joined);
      if (end == std::string_view::npos) {
        Bad(offset);
        return JsonValue::String(RepairUtf8(joined));
      }
      return JsonValue::String(Unquote(std::string_view(joined).substr(0, end)));
    }
    // A plain text goes on on lines that stand deeper.
    while (at_ < lines_.size() && !lines_[at_].text.empty() && lines_[at_].indent > indent) {
      joined += ' ';
      joined += lines_[at_++].text;
    }
    if (!tag.empty() && !IsOneOf(tag, {"!!int", "!!float", "!!bool", "!!null"})) {
      if (tag == "!!str") return JsonValue::String(RepairUtf8(joined));
      return JsonValue::String(RepairUtf8(tag + " " + joined));
    }
    return YamlScalar(joined);
  }

  JsonValue BlockText(std::string_view header, size_t indent) {
    const bool folded = header[0] == '>';
    const bool strip = header.find('-') != std::string_view::npos;
    std::string text;
    size_t own = std::string_view::npos;  // its indent
    while (at_ < lines_.size()) {
      const Line& line = lines_[at_];
      const bool empty = Trim(line.raw).empty();
      if (!empty && line.indent <= indent) break;
      if (!empty && own == std::string_view::npos) own = line.indent;
      if (!text.empty()) text += folded && !empty ? ' ' : '\n';
      if (!empty) text += line.raw.substr(std::min(own, line.indent));
      ++at_;
    }
    while (text.ends_with('\n')) text.pop_back();
    if (!strip && !text.empty()) text += '\n';
    return JsonValue::String(RepairUtf8(text));
  }

  // A flow collection, which may go on over lines. NOLINTNEXTLINE(misc-no-recursion)
  JsonValue Flow(std::string_view text, uint64_t offset, size_t depth) {
    std::string all(text);
    while (!Balanced(all) && at_ < lines_.size()) {
      all += ' ';
      all += lines_[at_++].text;
    }
    std::string_view rest = all;
    bool good = true;
    JsonValue value = FlowValue(rest, depth, good);
    if (!good || !Trim(rest).empty()) Bad(offset);
    return value;
  }
  static bool Balanced(std::string_view text) {
    int open = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"' || text[i] == '\'') {
        const size_t end = QuotedEnd(text.substr(i));
        if (end == std::string_view::npos) return false;
        i += end - 1;
      } else if (text[i] == '[' || text[i] == '{') {
        ++open;
      } else if (text[i] == ']' || text[i] == '}') {
        --open;
      }
    }
    return open <= 0;
  }
  // NOLINTNEXTLINE(misc-no-recursion): bounded depth
  JsonValue FlowValue(std::string_view& rest, size_t depth, bool& good) {
    rest = Trim(rest);
    if (rest.empty() || depth > limits_.depth || ++values_ > limits_.values) {
      good = false;
      return {};
    }
    if (rest[0] == '[' || rest[0] == '{') {
      const bool is_list = rest[0] == '[';
      const char close = is_list ? ']' : '}';
      JsonValue out = is_list ? JsonValue::Array() : JsonValue::Object();
      rest.remove_prefix(1);
      for (;;) {
        rest = Trim(rest);
        if (rest.empty()) {
          good = false;
          return out;
        }
        if (rest[0] == close) break;
        if (is_list) {
          out.Add(FlowValue(rest, depth + 1, good));
        } else {
          std::string key = FlowText(rest, ":,}");
          rest = Trim(rest);
          JsonValue value;
          if (rest.starts_with(':')) {
            rest = Trim(rest.substr(1));
            if (!rest.empty() && rest[0] != ',' && rest[0] != '}') {
              value = FlowValue(rest, depth + 1, good);
            }
          }
          out.Set(std::move(key), std::move(value));
        }
        rest = Trim(rest);
        if (!good) return out;
        if (rest.starts_with(',')) {
          rest.remove_prefix(1);
        } else if (!rest.starts_with(close)) {
          good = false;
          return out;
        }
      }
      rest.remove_prefix(1);
      return out;
    }
    if (rest[0] == '"' || rest[0] == '\'') return JsonValue::String(FlowText(rest, ""));
    return YamlScalar(FlowText(rest, ",]}"));
  }
  static std::string FlowText(std::string_view& rest, std::string_view ends) {
    size_t end = 0;
    std::string text;
    if (rest[0] == '"' || rest[0] == '\'') {
      end = std::min(QuotedEnd(rest), rest.size());
      text = end >= 2 ? Unquote(rest.substr(0, end)) : std::string();
    } else {
      end = std::min(rest.find_first_of(ends), rest.size());
      text = RepairUtf8(Trim(rest.substr(0, end)));
    }
    rest.remove_prefix(end);
    return text;
  }

  JsonLimits limits_;
  std::vector<Line> lines_;
  size_t at_ = 0;
  size_t values_ = 0;
  YamlDocument document_;
};

}  // namespace

JsonValue YamlScalar(std::string_view raw) {
  const std::string_view text = Trim(raw);
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return {};
  if (IsOneOf(text, {"true", "True", "TRUE"})) return JsonValue::Bool(true);
  if (IsOneOf(text, {"false", "False", "FALSE"})) return JsonValue::Bool(false);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (IsOneOf(text, {".inf", ".Inf", "+.inf", "inf"})) return JsonValue::Double(kInfinity);
  if (IsOneOf(text, {"-.inf", "-.Inf", "-inf"})) return JsonValue::Double(-kInfinity);
  if (IsOneOf(text, {".nan", ".NaN", "nan"})) return JsonValue::Double(std::nan(""));
  std::string_view number = text;
  if (number.starts_with('+')) number.remove_prefix(1);
  int64_t whole = 0;
  if (const auto done = std::from_chars(number.data(), number.data() + number.size(), whole);
      done.ec == std::errc() && done.ptr == number.data() + number.size()) {
    return JsonValue::Int(whole);
  }
  // from_chars alone would take "infinity" and "nan(…)" as well.
  double real = 0;
  if (!number.empty() && number.find_first_not_of("0123456789+-.eE") == std::string_view::npos &&
      number.find_first_of("0123456789") != std::string_view::npos) {
    const auto done = std::from_chars(number.data(), number.data() + number.size(), real);
    if (done.ec == std::errc() && done.ptr == number.data() + number.size()) {
      return JsonValue::Double(real);
    }
  }
  return JsonValue::String(RepairUtf8(text));
}

YamlDocument ParseYaml(std::string_view text, const JsonLimits& limits) {
  return Reader(text, limits).Read();
}

}  // namespace telltale
