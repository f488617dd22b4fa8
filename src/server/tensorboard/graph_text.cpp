// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/graph_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/protobuf.h"
#include "server/tensorboard/graph_schema.h"

namespace telltale {

namespace {

using protobuf::MessageReader;
using protobuf::WireType;

// Functions in functions, lists in lists.
constexpr int kDeepest = 64;

enum class Kind : uint8_t {
  kSigned,
  kUnsigned,
  kFixed64,
  kFloat,
  kDouble,
  kBool,
  kText,
  kEnum,
  kMessage
};
enum class Count : uint8_t { kOne, kOneof, kRepeated, kMap };

struct FieldSchema {
  uint32_t number = 0;
  std::string_view name;
  std::string_view type;
  Kind kind = Kind::kSigned;
  Count count = Count::kOne;
};
using Schema = std::map<std::string_view, std::vector<FieldSchema>>;

Kind KindOf(std::string_view type) {
  if (type == "int32" || type == "int64") return Kind::kSigned;
  if (type == "uint32" || type == "uint64") return Kind::kUnsigned;
  if (type == "fixed64") return Kind::kFixed64;
  if (type == "float") return Kind::kFloat;
  if (type == "double") return Kind::kDouble;
  if (type == "bool") return Kind::kBool;
  if (type == "string" || type == "bytes") return Kind::kText;
  return type == "DataType" || type == "FullTypeId" ? Kind::kEnum : Kind::kMessage;
}

FieldSchema ReadField(std::string_view text) {
  FieldSchema field;
  const size_t name = text.find(' ');
  const size_t type = text.find(' ', name + 1);
  const std::string_view number = text.substr(0, name);
  std::from_chars(number.data(), number.data() + number.size(), field.number);
  field.name = text.substr(name + 1, type - name - 1);
  field.type = text.substr(type + 1);
  constexpr std::string_view kMarks = "?*%";
  if (const size_t mark = kMarks.find(field.type.back()); mark != std::string_view::npos) {
    field.count = static_cast<Count>(mark + 1);
    field.type.remove_suffix(1);
  }
  field.kind = KindOf(field.type);
  return field;
}

const Schema& AllMessages() {
  static const Schema schema = [] {
    Schema made;
    for (const auto& [name, text] : GraphSchema()) {
      std::vector<FieldSchema>& fields = made[name];
      for (std::string_view rest = text; !rest.empty();) {
        const size_t end = std::min(rest.find("; "), rest.size());
        fields.push_back(ReadField(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 2, rest.size()));
      }
    }
    return made;
  }();
  return schema;
}

std::string NumberText(double value, bool is_float) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  // The few digits that most numbers need, else enough for all.
  std::string text = fmt::format("{:.{}g}", value, is_float ? 6 : 15);
  double back = 0;
  std::from_chars(text.data(), text.data() + text.size(), back);
  const bool same =
      is_float ? static_cast<float>(back) == static_cast<float>(value) : back == value;
  return same ? text : fmt::format("{:.{}g}", value, is_float ? 9 : 17);
}

void AppendQuoted(std::string_view text, bool is_utf8, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
      case '\'':
      case '\\':
        out += '\\';
        out += c;
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_utf8)) {
          out += fmt::format("\\{:03o}", byte);
        } else {
          out += c;
        }
      }
    }
  }
  out += '"';
}

WireType WireTypeOf(Kind kind) {
  if (kind == Kind::kFixed64 || kind == Kind::kDouble) return WireType::kFixed64;
  return kind == Kind::kFloat ? WireType::kFixed32 : WireType::kVarint;
}

class TextWriter {
 public:
  explicit TextWriter(const GraphTextOptions& options) : options_(options) {}

  // False: the bytes are damaged, or nested too deeply.
  bool Message(std::string_view type, std::string_view bytes, int depth) {
    if (depth > kDeepest) return false;
    // All bytes of each field, in the order of numbers.
    std::map<uint32_t, std::vector<protobuf::Field>> values;
    MessageReader reader(bytes);
    while (reader.Next()) values[reader.field().number].push_back(reader.field());
    if (reader.bad()) return false;
    for (const FieldSchema& field : AllMessages().at(type)) {
      const auto found = values.find(field.number);
      if (found != values.end() && !Values(type, field, found->second, depth)) return false;
    }
    return true;
  }
  std::string Take() { return std::move(out_); }

 private:
  bool Values(std::string_view type, const FieldSchema& field, std::vector<protobuf::Field>& values,
              int depth) {
    if (field.count == Count::kMap) return Map(type, field, values, depth);
    if (field.count == Count::kRepeated) {
      return std::ranges::all_of(
          values, [&](const protobuf::Field& value) { return Repeated(field, value, depth); });
    }
    if (field.kind == Kind::kMessage) {
      // Of a message that comes in parts, the parts are joined.
      std::string joined;
      for (const protobuf::Field& value : values) joined += value.bytes;
      return Nested(field, joined, depth);
    }
    const protobuf::Field& last = values.back();
    const bool is_zero = field.kind == Kind::kText ? last.bytes.empty() : last.value == 0;
    if (is_zero && field.count != Count::kOneof) return true;
    return One(field, last, depth);
  }
  bool Repeated(const FieldSchema& field, const protobuf::Field& value, int depth) {
    if (field.kind == Kind::kMessage || field.kind == Kind::kText || !value.IsBytes()) {
      return One(field, value, depth);
    }
    std::string_view rest = value.bytes;
    const WireType type = WireTypeOf(field.kind);
    while (!rest.empty()) {
      protobuf::Field one = {.number = field.number, .type = type, .value = 0, .bytes = {}};
      if (type == WireType::kVarint) {
        const std::optional<uint64_t> number = protobuf::TakeVarint(rest);
        if (!number) return false;
        one.value = *number;
      } else {
        const size_t size = type == WireType::kFixed64 ? 8 : 4;
        if (rest.size() < size) return false;
        std::memcpy(&one.value, rest.data(), size);
        rest.remove_prefix(size);
      }
      if (!One(field, one, depth)) return false;
    }
    return true;
  }
  // The order of a map is free; this is the one in which TensorBoard's own library tells the
  // attributes that torch writes.
  bool Map(std::string_view type, const FieldSchema& field, std::vector<protobuf::Field>& values,
           int depth) {
    struct Entry {
      std::string_view bytes;
      size_t value_bytes = 0;
    };
    std::map<std::string, Entry, std::greater<>> entries;
    for (const protobuf::Field& value : values) {
      std::string key;
      Entry entry = {value.bytes, 0};
      for (MessageReader reader(value.bytes); reader.Next();) {
        const protobuf::Field& part = reader.field();
        if (part.number == 2) entry.value_bytes = part.bytes.size();
        if (part.number != 1) continue;
        key = part.IsBytes() ? std::string(part.bytes) : fmt::format("{:020}", part.value);
      }
      entries[key] = entry;
    }
    std::vector<std::string> left_out;
    const bool is_node = type == "NodeDef" && field.name == "attr";
    for (const auto& [key, entry] : entries) {
      if (is_node && entry.value_bytes > options_.largest_attribute) {
        left_out.push_back(key);
      } else if (!Nested(field, entry.bytes, depth)) {
        return false;
      }
    }
    return left_out.empty() || LargeAttributes(field, left_out, depth);
  }
  bool LargeAttributes(const FieldSchema& field, const std::vector<std::string>& names, int depth) {
    protobuf::MessageWriter entry;
    entry.Bytes(1, options_.large_key);
    const size_t value = entry.Begin(2);
    const size_t list = entry.Begin(1);
    for (const std::string& name : names) entry.Bytes(2, name);
    entry.End(list);
    entry.End(value);
    const std::string bytes(entry.bytes());
    return Nested(field, bytes, depth);
  }
  bool Nested(const FieldSchema& field, std::string_view bytes, int depth) {
    Begin(field, depth);
    out_ += " {\n";
    if (!Message(field.type, bytes, depth + 1)) return false;
    out_.append(2 * static_cast<size_t>(depth), ' ');
    out_ += "}\n";
    return true;
  }
  void Begin(const FieldSchema& field, int depth) {
    out_.append(2 * static_cast<size_t>(depth), ' ');
    out_ += field.name;
  }
  bool One(const FieldSchema& field, const protobuf::Field& value, int depth) {
    const bool wants_bytes = field.kind == Kind::kMessage || field.kind == Kind::kText;
    if (wants_bytes != value.IsBytes()) return true;  // another type than ours: unknown
    if (field.kind == Kind::kMessage) return Nested(field, value.bytes, depth);
    Begin(field, depth);
    out_ += ": ";
    switch (field.kind) {
      case Kind::kSigned:
        out_ += std::to_string(field.type == "int32" ? static_cast<int32_t>(value.value)
                                                     : value.Signed());
        break;
      case Kind::kFloat:
      case Kind::kDouble:
        out_ += NumberText(value.Double(), field.kind == Kind::kFloat);
        break;
      case Kind::kBool:
        out_ += value.value != 0 ? "true" : "false";
        break;
      case Kind::kText:
        AppendQuoted(value.bytes, field.type == "string", out_);
        break;
      case Kind::kEnum: {
        const std::string_view name = GraphEnumName(field.type, value.Signed());
        out_ += name.empty() ? std::to_string(value.Signed()) : std::string(name);
        break;
      }
      default:
        out_ += std::to_string(value.value);
    }
    out_ += '\n';
    return true;
  }

  const GraphTextOptions& options_;
  std::string out_;
};

}  // namespace

Result<std::string> TextOfGraph(GraphMessage message, std::string_view encoded,
                                const GraphTextOptions& options) {
  TextWriter writer(options);
  if (!writer.Message(message == GraphMessage::kGraphDef ? "GraphDef" : "RunMetadata", encoded,
                      0)) {
    return Fail(ErrorCode::kUnreadable, "the graph is damaged, or nested too deeply");
  }
  return writer.Take();
}

}  // namespace telltale
