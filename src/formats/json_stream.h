// SPDX-License-Identifier: Apache-2.0
// A pull parser for JSON documents of any size: one token a call, front to back, holding one token
// and a bit per open bracket. For profiles of functions; the traces' own reader
// (kineto_json/) is faster and repairs what torch writes, this one is strict: at the first mistake
// it stops and says where, and the caller keeps what it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "formats/buffered_input.h"

namespace telltale {

class JsonStream {
 public:
  enum class Token : uint8_t {
    kBeginObject,
    kEndObject,
    kBeginArray,
    kEndArray,
    kKey,     // text(): clean
    kString,  // text(): clean
    kNumber,  // text(): as written
    kTrue,
    kFalse,
    kNull,    // also NaN and Infinity, which Python writes
    kEnd,     // the document is complete; again at every further call
    kBroken,  // it is not, or the source failed: problem(); again at every further call
  };

  JsonStream(ByteSource& source, const ReadOptions& options) : input_(source, options) {}

  [[nodiscard]] Token Next();
  // Of the last token; valid until the next call.
  [[nodiscard]] std::string_view text() const { return text_; }
  // Where the last token begins.
  [[nodiscard]] uint64_t offset() const { return token_offset_; }
  // Open brackets, the last token's own included.
  [[nodiscard]] size_t depth() const { return is_object_.size(); }

  // After a token that is (the beginning of) a value: passes it whole. False: broken.
  bool Skip(Token token);

  [[nodiscard]] const std::string& problem() const { return problem_; }
  // The text ends inside the document.
  [[nodiscard]] bool truncated() const { return truncated_; }
  // What was repaired in texts.
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }
  [[nodiscard]] BufferedInput& input() { return input_; }

 private:
  enum class Expect : uint8_t {
    kValue,
    kValueOrEnd,  // after [
    kKeyOrEnd,    // after {
    kKey,         // after , in an object
    kColon,
    kCommaOrEnd,
    kNothing,
  };

  void SkipByteOrderMark();
  [[nodiscard]] bool SkipSpace();
  Token Value(char c);
  Token Open(bool object);
  Token Close(bool object);
  Token String(bool key);
  Token Number();
  Token Word();
  Token Broken(std::string problem);
  Token Truncated();
  void ValueDone();

  BufferedInput input_;
  Expect expect_ = Expect::kValue;
  std::vector<bool> is_object_;
  std::string_view text_;
  std::string clean_;
  uint64_t token_offset_ = 0;
  size_t taken_ = 0;  // bytes of the last token, still in front of input_
  std::string problem_;
  bool started_ = false;
  bool truncated_ = false;
  bool checked_end_ = false;
  Diagnostics diagnostics_;
};

// What stands near the beginning of a JSON text that may be cut anywhere: the keys of the top-level
// object, and of objects up to three levels in it, with their texts. For telling formats apart.
class JsonHead {
 public:
  explicit JsonHead(std::string_view head);
  // "profiles.type": the key `type` of the object, or of an object in the list, at `profiles`.
  [[nodiscard]] bool Has(std::string_view path) const;
  // The first text at this path; empty if there is none.
  [[nodiscard]] std::string_view Text(std::string_view path) const;

 private:
  struct Entry {
    std::string path;
    std::string text;
  };
  std::vector<Entry> entries_;
};

}  // namespace telltale
