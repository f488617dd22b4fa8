// SPDX-License-Identifier: Apache-2.0
// One event put into the words of a Chrome event, for the code that makes rows of those: values as
// JSON, keys as there. In full it is the event's whole text, and is parsed like the text of a JSON
// trace: for those who listen, and for events whose fields or arguments have names of their own.
// Otherwise only the values that become columns are made, and handed over without being parsed.
// Both give the same rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/kineto_json/arg_keys.h"
#include "formats/kineto_json/event_parser.h"
#include "formats/perfetto/rows.h"
#include "formats/perfetto/texts.h"

namespace telltale::perfetto {

class EventWords {
 public:
  enum class Form : uint8_t { kShort, kFull };

  explicit EventWords(Rows& rows) : rows_(rows) {}

  // Short only if nobody listens.
  void Start(char phase, Form form = Form::kShort);
  // `json` is a sound JSON value and lives until Finish.
  void Field(kineto_json::EventKey key, std::string_view json);
  // The same for one that does not live so long.
  void Copy(kineto_json::EventKey key, std::string_view json);
  void Number(kineto_json::EventKey key, uint64_t number);
  void Time(kineto_json::EventKey key, int64_t time_ns);
  // A field that no column holds.
  void Other(std::string_view key, std::string_view json);
  // A field whose value is built in pieces: appended to text() between the two.
  void Open(kineto_json::EventKey key);
  void Close();
  // A DebugAnnotation message as an argument: left out if it has no value.
  void Argument(std::string_view message, const AnnotationTexts& texts);
  void EndArguments();
  // Further fields, each with a comma before it; in full only.
  void Others(std::string_view fields);
  // Makes rows of it. `offset` is that of its packet.
  void Finish(uint64_t offset);

  // For what has its words already: the event's text, from brace to brace.
  [[nodiscard]] std::string& text() { return text_; }
  void FinishText(uint64_t offset);

 private:
  // A value in text_.
  struct Found {
    bool is_arg = false;
    uint8_t key = 0;  // EventKey or ArgKey
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  void Remember(bool is_arg, uint8_t key, size_t begin);

  Rows& rows_;
  bool full_ = false;
  char phase_ = '\0';
  bool has_arguments_ = false;
  std::string text_;
  std::string name_buffer_;
  kineto_json::EventKey open_ = kineto_json::EventKey::kCount;
  size_t open_begin_ = 0;
  std::vector<Found> found_;
};

}  // namespace telltale::perfetto
