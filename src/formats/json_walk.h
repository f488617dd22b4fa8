// SPDX-License-Identifier: Apache-2.0
// Walks through a JSON document with a JsonStream: objects key by key, lists element by element,
// without recursion of its own. Once the text is broken, everything returns false.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "formats/json_stream.h"

namespace telltale {

class JsonWalk {
 public:
  using Token = JsonStream::Token;

  JsonWalk(ByteSource& source, const ReadOptions& options) : json_(source, options) {}

  [[nodiscard]] Token Next() { return json_.Next(); }
  [[nodiscard]] JsonStream& json() { return json_; }
  [[nodiscard]] const JsonStream& json() const { return json_; }

  // Calls `value(key, token)` for each key of the object that has just begun; it reads the rest of
  // the value and says whether reading can go on. The key is valid until it reads.
  template <typename OnValue>
  bool Object(OnValue value) {
    for (;;) {
      const Token token = json_.Next();
      if (token == Token::kEndObject) return true;
      if (token != Token::kKey) return false;
      const std::string key(json_.text());
      const Token first = json_.Next();
      if (first == Token::kBroken || !value(std::string_view(key), first)) return false;
    }
  }
  // Calls `element(token)` for each element of the list that has just begun.
  template <typename OnElement>
  bool Array(OnElement element) {
    for (;;) {
      const Token token = json_.Next();
      if (token == Token::kEndArray) return true;
      if (token == Token::kBroken || !element(token)) return false;
    }
  }
  // A whole number; none for anything else, which is passed over. `good`: reading can go on.
  [[nodiscard]] std::optional<int64_t> Integer(Token token, bool& good, int shift = 0) {
    if (token == Token::kNumber) return DecimalToInt(json_.text(), shift);
    good = json_.Skip(token);
    return std::nullopt;
  }

 private:
  JsonStream json_;
};

}  // namespace telltale
