// SPDX-License-Identifier: Apache-2.0
// Takes what one event says, each value in the type it has in its packet, and makes rows of it. For
// those who listen (conversion) it also spells the event as the text of a Chrome event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/event_listener.h"
#include "formats/perfetto/annotations.h"
#include "formats/perfetto/texts.h"
#include "formats/perfetto/tracks.h"
#include "formats/trace_rows/rows.h"

namespace telltale::perfetto {

using trace_rows::ArgKey;
using trace_rows::EventKey;
using trace_rows::NameMark;
using trace_rows::Rows;
using trace_rows::Value;

class EventOutput {
 public:
  // `listener`: told the text of every event; nullptr: nobody.
  EventOutput(Rows& rows, EventListener* listener) : rows_(rows), listener_(listener) {}

  // A phase of '\0' comes later, as a field.
  void Start(char phase);
  void Text(EventKey key, const JsonText& text);
  // `json`, a string with its quotes, need not live until Finish.
  void Text(EventKey key, std::string_view json);
  // A number or a string of JSON that lives until Finish.
  void Json(EventKey key, std::string_view json);
  void Integer(EventKey key, int64_t number);
  void Unsigned(EventKey key, uint64_t number);
  void Time(EventKey key, int64_t time_ns);
  // The value of a counter.
  void Series(std::string_view name, int64_t value);
  void Series(std::string_view name, double value);
  // A DebugAnnotation message as an argument: left out if it has no value.
  void Argument(std::string_view message, const AnnotationTexts& texts);
  void EndArguments();
  // The same as a field of the event. Those that came before are replaced.
  void TakeField(const AnnotationName& annotation, const AnnotationTexts& texts);
  // A field that no column holds.
  void Other(std::string_view key, std::string_view json);
  // Makes rows of it. `offset` is that of its packet.
  void Finish(uint64_t offset);

  // What a track's descriptor says of its process or thread; `json` is a number or a string.
  void Mark(NameMark::What what, const TrackState& track, std::string_view json, uint64_t offset);

  [[nodiscard]] EventListener* listener() const { return listener_; }

 private:
  // A JSON value in values_.
  struct Found {
    bool is_arg = false;
    uint8_t key = 0;  // EventKey or ArgKey
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  void Remember(bool is_arg, uint8_t key, size_t begin);
  void SetArgument(const AnnotationName& annotation, const AnnotationTexts& texts);
  void AddSeries(const AnnotationName& annotation, const AnnotationTexts& texts);
  void SpellKey(EventKey key);
  void SpellSeries(std::string_view name);
  void Tell(uint64_t offset);

  Rows& rows_;
  EventListener* listener_;
  trace_rows::EventDraft& draft_ = rows_.builder().draft();
  char phase_ = '\0';
  std::string values_;        // JSON values of the event at hand
  std::vector<Found> found_;  // where they are
  std::string name_buffer_;

  std::string text_;  // for the listener
  bool has_arguments_ = false;
};

}  // namespace telltale::perfetto
