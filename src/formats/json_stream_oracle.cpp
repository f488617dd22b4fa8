// SPDX-License-Identifier: Apache-2.0
#include "formats/json_stream_oracle.h"

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include <simdjson.h>

#include "formats/json_stream.h"

namespace telltale {

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using Token = JsonStream::Token;

struct Seen {
  Token token;
  std::string text;
  double number = 0;
};

// At most 1024 levels: simdjson rejects deeper documents.
void Walk(element value, std::vector<Seen>& seen) {
  switch (value.type()) {
    case element_type::OBJECT:
      seen.push_back({Token::kBeginObject, {}});
      for (const auto field : simdjson::dom::object(value)) {
        seen.push_back({Token::kKey, std::string(field.key)});
        Walk(field.value, seen);
      }
      seen.push_back({Token::kEndObject, {}});
      break;
    case element_type::ARRAY:
      seen.push_back({Token::kBeginArray, {}});
      for (const element child : simdjson::dom::array(value)) Walk(child, seen);
      seen.push_back({Token::kEndArray, {}});
      break;
    case element_type::STRING:
      seen.push_back({Token::kString, std::string(std::string_view(value))});
      break;
    case element_type::BOOL:
      seen.push_back({bool(value) ? Token::kTrue : Token::kFalse, {}});
      break;
    case element_type::NULL_VALUE:
      seen.push_back({Token::kNull, {}});
      break;
    default:
      seen.push_back({Token::kNumber, {}, double(value.get_double().value_unsafe())});
      break;
  }
}

}  // namespace

std::string CompareTokensWithSimdjson(std::string_view text) {
  simdjson::dom::parser parser;
  element document;
  if (parser.parse(simdjson::padded_string(text)).get(document) != simdjson::SUCCESS) return {};
  std::vector<Seen> theirs;
  Walk(document, theirs);
  theirs.push_back({Token::kEnd, {}});
  const std::unique_ptr<ByteSource> source = OpenMemory(text, 5);
  const ReadOptions options;
  JsonStream ours(*source, options);
  for (size_t i = 0; i < theirs.size(); ++i) {
    const Token token = ours.Next();
    const std::string place = "token " + std::to_string(i) + " at " + std::to_string(ours.offset());
    if (token == Token::kBroken) return place + ": " + ours.problem();
    if (token != theirs[i].token) return place + " is of another kind";
    if ((token == Token::kKey || token == Token::kString) && ours.text() != theirs[i].text) {
      return place + ": '" + std::string(ours.text()) + "', simdjson '" + theirs[i].text + "'";
    }
    if (token == Token::kNumber) {
      const double number = std::strtod(std::string(ours.text()).c_str(), nullptr);
      if (std::abs(number - theirs[i].number) > std::abs(number) * 1e-12) {
        return place + ": " + std::string(ours.text()) + ", simdjson " +
               std::to_string(theirs[i].number);
      }
    }
  }
  return {};
}

}  // namespace telltale
