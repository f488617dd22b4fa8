// SPDX-License-Identifier: Apache-2.0
// One trace event, from its text to a draft of which rows are made. Keys may come in any order,
// values in the type of any era. Knows nothing of the document around the event. One thread at a
// time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/event_listener.h"
#include "formats/kineto_json/shape_table.h"
#include "formats/kineto_json/value.h"
#include "formats/trace_rows/row_builder.h"

namespace telltale::kineto_json {

using trace_rows::ArgKey;
using trace_rows::EventDraft;
using trace_rows::EventKey;
using trace_rows::Fragment;
using trace_rows::RowBuilder;

enum class ParseStatus : uint8_t {
  kDone,
  kIncomplete,  // the text ends inside the event
  kBad,         // no JSON, even with the repairs
};

class EventParser {
 public:
  // Rows go to `fragment` until the next call.
  void Begin(Fragment& fragment) { builder_.Begin(fragment); }
  // Hands over what the parser's tables gained since Begin.
  void End() { builder_.End(); }
  // Told of every event from now on; nullptr: nobody.
  void Tell(EventListener* listener) { listener_ = listener; }
  [[nodiscard]] EventListener* listener() const { return listener_; }

  // `p` stands on the opening brace and is moved past the closing one if the result is kDone. `end`
  // is followed by kPadding bytes of kPad. `offset` is the place of `p` in the decoded text.
  // `at_eof`: no more text will come.
  ParseStatus Parse(const char*& p, const char* end, uint64_t offset, bool at_eof);

 private:
  enum class Step : uint8_t { kKey, kEndOfObject, kIncomplete, kBad };
  template <bool kRepair>
  ParseStatus ParseEvent(const char*& p, const char* end);
  template <bool kRepair>
  ParseStatus ParseArgs(const char*& p, const char* end);
  // Moves `p` from the end of one value (or the opening brace) to the start of the next one.
  // `meaning` is the key as a number: EventKey or ArgKey, kCount of either if it is not wanted.
  template <bool kRepair, bool kInArgs>
  Step NextKey(const char*& p, const char* end, bool first, ShapeTable::Index& shape,
               uint8_t& meaning);
  std::string_view KeyText(const Value& key);

  // Every argument of a counter is a series of its own: their names are found only here.
  void ReadSeries();
  void NoteRepairs(uint64_t offset);
  EventDraft& draft() { return builder_.draft(); }

  RowBuilder builder_;
  Repairs repairs_;  // of the event at hand
  bool at_eof_ = false;
  EventListener* listener_ = nullptr;
  std::string key_buffer_;
  ShapeTable shapes_;
};

}  // namespace telltale::kineto_json
