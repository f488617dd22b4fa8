// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/annotations.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/json/text.h"
#include "base/utf8.h"
#include "formats/kineto_json/writer.h"

namespace telltale::perfetto {

namespace {

// Deeper values are written as text, and not read.
constexpr int kMaxDepth = 24;
// Longer strings are seldom repeated; more of them would cost more memory than they save space.
constexpr size_t kLongestInterned = 4096;
constexpr size_t kMostInternedBytes = size_t{32} << 20;

// The end of the JSON value that begins at `i`; the value is known to be sound.
size_t ValueEnd(std::string_view json, size_t i) {
  size_t depth = 0;
  for (; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      for (++i; i < json.size() && json[i] != '"'; ++i) {
        if (json[i] == '\\') ++i;
      }
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      if (depth == 0) return i;
      --depth;
    } else if (c == ',' && depth == 0) {
      return i;
    }
    if (depth == 0 && (c == ']' || c == '}' || c == '"')) return i + 1;
  }
  return i;
}

bool HasBackslash(std::string_view text) { return text.find('\\') != std::string_view::npos; }

// The text between the quotes of a clean JSON string, without its escapes.
std::string_view StringText(std::string_view json, std::string& buffer) {
  const std::string_view inner = json.substr(1, json.size() - 2);
  if (!HasBackslash(inner)) return inner;
  buffer = Unescape(inner).text;
  return buffer;
}

bool WriteNumber(MessageWriter& out, std::string_view json) {
  const char* const begin = json.data();
  const char* const end = begin + json.size();
  if (json.find_first_of(".eE") == std::string_view::npos && json != "-0") {
    int64_t number = 0;
    if (const auto [at, error] = std::from_chars(begin, end, number);
        error == std::errc() && at == end) {
      out.Int(annotation::kInt, number);
      return true;
    }
    uint64_t large = 0;
    if (const auto [at, error] = std::from_chars(begin, end, large);
        error == std::errc() && at == end) {
      out.Uint(annotation::kUint, large);
      return true;
    }
    return false;
  }
  double number = 0;
  const auto [at, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || at != end || !std::isfinite(number)) return false;
  out.Double(annotation::kDouble, number);
  return true;
}

void WriteValue(MessageWriter& out, std::string_view json, SequenceNames& names, int depth);

void WriteItems(MessageWriter& out, std::string_view json, SequenceNames& names, int depth) {
  const bool is_list = json.front() == '[';
  std::string buffer;
  for (size_t i = 1; i + 1 < json.size();) {
    if (json[i] == ',') ++i;
    std::string_view key;
    if (!is_list) {
      const size_t end = ValueEnd(json, i);
      key = StringText(json.substr(i, end - i), buffer);
      i = end + 1;  // past the colon
    }
    const size_t end = ValueEnd(json, i);
    const size_t mark = out.Begin(is_list ? annotation::kArrayValues : annotation::kDictEntries);
    if (!is_list) out.Uint(annotation::kNameIid, names.annotations.Id(key, names.fresh));
    WriteValue(out, json.substr(i, end - i), names, depth + 1);
    out.End(mark);
    i = end;
  }
}

void WriteValue(MessageWriter& out, std::string_view json, SequenceNames& names, int depth) {
  const char first = json.empty() ? 'n' : json.front();
  if (first == '"') {
    std::string buffer;
    const std::string_view text = StringText(json, buffer);
    const bool intern = text.size() <= kLongestInterned &&
                        (names.strings.bytes() < kMostInternedBytes || names.strings.Has(text));
    if (intern) {
      out.Uint(annotation::kStringIid, names.strings.Id(text, names.fresh));
    } else {
      out.Bytes(annotation::kString, text);
    }
    return;
  }
  if (json == "true" || json == "false") return out.Uint(annotation::kBool, json == "true");
  if ((first == '[' || first == '{') && json.size() > 2 && depth < kMaxDepth) {
    return WriteItems(out, json, names, depth);
  }
  if (first != '[' && first != '{' && first != 'n' && WriteNumber(out, json)) return;
  out.Bytes(annotation::kJson, json.empty() ? "null" : json);
}

void AppendText(std::string& out, std::string_view text) {
  // Foreign writers promise no UTF-8.
  const std::optional<std::string> repaired = ReplaceInvalidUtf8(text);
  AppendQuoted(out, repaired ? std::string_view(*repaired) : text);
}

void AppendFloat(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return;
  }
  AppendDouble(out, value);
}

template <typename Number>
void AppendNumber(std::string& out, Number value) {
  std::array<char, 24> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), end);
}

// The old form of nested values.
bool AppendNested(std::string& out, std::string_view message, int depth) {
  if (depth > kMaxDepth) return false;
  uint64_t type = 0;
  std::vector<std::string_view> keys;
  for (MessageReader reader(message); reader.Next();) {
    const Field& f = reader.field();
    if (f.number == nested::kType && f.IsNumber()) type = f.value;
    if (f.number == nested::kDictKeys && f.IsBytes()) keys.push_back(f.bytes);
  }
  if (type == 1 || type == 2) {
    const uint32_t wanted = type == 1 ? nested::kDictValues : nested::kArrayValues;
    out += type == 1 ? '{' : '[';
    size_t count = 0;
    for (MessageReader reader(message); reader.Next();) {
      const Field& f = reader.field();
      if (f.number != wanted || !f.IsBytes()) continue;
      if (type == 1 && count >= keys.size()) break;
      if (count > 0) out += ',';
      if (type == 1) {
        AppendText(out, keys[count]);
        out += ':';
      }
      if (!AppendNested(out, f.bytes, depth + 1)) out += "null";
      ++count;
    }
    out += type == 1 ? '}' : ']';
    return true;
  }
  for (MessageReader reader(message); reader.Next();) {
    const Field& f = reader.field();
    switch (f.number) {
      case nested::kInt:
        if (f.IsNumber()) return AppendNumber(out, f.Signed()), true;
        break;
      case nested::kDouble:
        if (f.IsNumber()) return AppendFloat(out, f.Double()), true;
        break;
      case nested::kBool:
        if (f.IsNumber()) return out += f.value != 0 ? "true" : "false", true;
        break;
      case nested::kString:
        if (f.IsBytes()) return AppendText(out, f.bytes), true;
        break;
      default:
        break;
    }
  }
  return false;
}

struct Reading {
  std::string& out;
  const AnnotationTexts& texts;

  // False: no value, or not one that can be shown.
  bool Value(std::string_view message, int depth) const {
    if (depth > kMaxDepth) return false;
    MessageReader reader(message);
    while (reader.Next()) {
      const Field& f = reader.field();
      switch (f.number) {
        case annotation::kBool:
          if (!f.IsNumber()) break;
          out += f.value != 0 ? "true" : "false";
          return true;
        case annotation::kUint:
          if (!f.IsNumber()) break;
          AppendNumber(out, f.value);
          return true;
        case annotation::kInt:
          if (!f.IsNumber()) break;
          AppendNumber(out, f.Signed());
          return true;
        case annotation::kDouble:
          if (!f.IsNumber()) break;
          AppendFloat(out, f.Double());
          return true;
        case annotation::kString:
          if (!f.IsBytes()) break;
          AppendText(out, f.bytes);
          return true;
        case annotation::kStringIid: {
          if (!f.IsNumber()) break;
          const JsonText* text = texts.GetString(f.value);
          out += text == nullptr ? "\"\"" : std::string_view(text->json);
          return true;
        }
        case annotation::kPointer: {
          if (!f.IsNumber()) break;
          std::array<char, 24> hex;
          const auto [end, error] = std::to_chars(hex.data(), hex.data() + hex.size(), f.value, 16);
          out += "\"0x";
          out.append(hex.data(), end);
          out += '"';
          return true;
        }
        case annotation::kJson:
          if (!f.IsBytes()) break;
          out += CompactJson(f.bytes);
          return true;
        case annotation::kNested:
          if (f.IsBytes()) return AppendNested(out, f.bytes, depth + 1);
          break;
        case annotation::kDictEntries:
        case annotation::kArrayValues:
          if (f.IsBytes()) return Items(message, f.number, depth);
          break;
        default:
          break;
      }
    }
    return false;
  }

  bool Items(std::string_view message, uint32_t number, int depth) const {
    const bool is_list = number == annotation::kArrayValues;
    out += is_list ? '[' : '{';
    bool first = true;
    for (MessageReader reader(message); reader.Next();) {
      const Field& f = reader.field();
      if (f.number != number || !f.IsBytes()) continue;
      if (!first) out += ',';
      first = false;
      std::string_view value = f.bytes;
      if (!is_list) {
        std::string buffer;
        const AnnotationName name = NameOfAnnotation(f.bytes, texts, buffer);
        out += name.json;
        out += ':';
        value = name.rest;
      }
      const size_t before = out.size();
      if (!Value(value, depth + 1)) {
        out.resize(before);
        out += "null";
      }
    }
    out += is_list ? ']' : '}';
    return true;
  }
};

}  // namespace

void WriteAnnotation(MessageWriter& out, uint32_t number, std::string_view name,
                     std::string_view json, SequenceNames& names) {
  const size_t mark = out.Begin(number);
  if (!name.empty()) out.Uint(annotation::kNameIid, names.annotations.Id(name, names.fresh));
  WriteValue(out, json, names, 0);
  out.End(mark);
}

AnnotationName NameOfAnnotation(std::string_view message, const AnnotationTexts& texts,
                                std::string& buffer) {
  // Nearly all: a small number, then the value.
  constexpr char kNameIidTag = annotation::kNameIid << 3;
  constexpr char kNameTag = annotation::kName << 3 | 2;
  if (message.size() > 2 && message[0] == kNameIidTag && message[1] > 0 &&
      message[2] != kNameIidTag && message[2] != kNameTag) {
    const AnnotationTexts::Name found = texts.GetName(static_cast<uint64_t>(message[1]));
    if (found.json.size() > 2) return {found.json, found.key, message.substr(2)};
  }
  AnnotationName name{"\"\"", trace_rows::ArgKey::kCount, message};
  bool only_names = true;
  MessageReader reader(message);
  for (std::string_view rest = message; reader.Next(); rest = reader.rest()) {
    const Field& f = reader.field();
    if (f.number == annotation::kNameIid && f.IsNumber()) {
      const AnnotationTexts::Name found = texts.GetName(f.value);
      name.json = found.json.empty() ? "\"\"" : found.json;
      name.key = found.key;
    } else if (f.number == annotation::kName && f.IsBytes()) {
      const std::string clean = RepairUtf8(f.bytes);
      buffer = Quoted(clean);
      name.json = buffer;
      name.key = trace_rows::FindArgKey(clean);
    } else if (name.json.size() > 2) {
      // The name comes first wherever it is written by a library.
      if (only_names) name.rest = rest;
      break;
    } else {
      only_names = false;
    }
  }
  return name;
}

std::optional<int64_t> IntegerOfAnnotation(std::string_view message) {
  MessageReader reader(message);
  if (!reader.Next() || !reader.field().IsNumber()) return std::nullopt;
  const Field& f = reader.field();
  const bool fits = f.number == annotation::kInt ||
                    (f.number == annotation::kUint && f.value <= uint64_t{INT64_MAX});
  return fits ? std::optional(f.Signed()) : std::nullopt;
}

std::optional<double> RealOfAnnotation(std::string_view message) {
  MessageReader reader(message);
  if (!reader.Next() || !reader.field().IsNumber()) return std::nullopt;
  const Field& f = reader.field();
  switch (f.number) {
    case annotation::kInt:
      return static_cast<double>(f.Signed());
    case annotation::kUint:
      return static_cast<double>(f.value);
    case annotation::kDouble:
      return f.Double();
    default:
      return std::nullopt;
  }
}

const JsonText* TextOfAnnotation(std::string_view message, const AnnotationTexts& texts) {
  MessageReader reader(message);
  if (!reader.Next() || reader.field().number != annotation::kStringIid) return nullptr;
  return reader.field().IsNumber() ? texts.GetString(reader.field().value) : nullptr;
}

bool AppendAnnotationValue(std::string& out, std::string_view message,
                           const AnnotationTexts& texts) {
  const size_t before = out.size();
  if (Reading{out, texts}.Value(message, 0)) return true;
  out.resize(before);
  return false;
}

bool AppendAnnotation(std::string& out, std::string_view message, const AnnotationTexts& texts) {
  const size_t before = out.size();
  std::string buffer;
  const AnnotationName name = NameOfAnnotation(message, texts, buffer);
  out += name.json;
  out += ':';
  if (AppendAnnotationValue(out, name.rest, texts)) return true;
  out.resize(before);
  return false;
}

}  // namespace telltale::perfetto
