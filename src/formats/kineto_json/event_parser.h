// SPDX-License-Identifier: Apache-2.0
// One trace event, from its text to rows of a Fragment. Keys may come in any order, values in the
// type of any era. Knows nothing of the document around the event. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/kineto_json/arg_keys.h"
#include "formats/kineto_json/event_listener.h"
#include "formats/kineto_json/fragment.h"
#include "formats/kineto_json/raw_interner.h"
#include "formats/kineto_json/shape_table.h"
#include "formats/kineto_json/value.h"

namespace telltale::kineto_json {

enum class ParseStatus : uint8_t {
  kDone,
  kIncomplete,  // the text ends inside the event
  kBad,         // no JSON, even with the repairs
};

// The fields of an event that are kept.
enum class EventKey : uint8_t { kPh, kCat, kName, kPid, kTid, kTs, kDur, kId, kArgs, kCount };
// kCount if the key is not one of them.
[[nodiscard]] EventKey FindEventKey(std::string_view key);

class EventParser {
 public:
  EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;

  // Rows go to `fragment` until the next call.
  void Begin(Fragment& fragment);
  // Hands over what the parser's tables gained since Begin.
  void End();
  // Told of every event from now on; nullptr: nobody.
  void Tell(EventListener* listener) { listener_ = listener; }
  [[nodiscard]] EventListener* listener() const { return listener_; }

  // `p` stands on the opening brace and is moved past the closing one if the result is kDone. `end`
  // is followed by kPadding bytes of kPad. `offset` is the place of `p` in the decoded text.
  // `at_eof`: no more text will come.
  ParseStatus Parse(const char*& p, const char* end, uint64_t offset, bool at_eof);

  // For an event of which the values are known without text around them: StartFound, Set for each,
  // EmitFound. Values are sound JSON, live until then, and are followed by kPadding readable bytes,
  // the first of which is no part of a number (arguments; fields need no padding). Value::kInteger
  // is for times (within 62 bits), ids and IsInteger arguments. Not for counters, whose arguments
  // have names of their own. Nobody is told.
  void StartFound();
  void Set(EventKey key, const Value& value) {
    event_values_[static_cast<size_t>(key)] = value;
    event_present_ |= uint32_t{1} << static_cast<unsigned>(key);
  }
  void Set(ArgKey key, const Value& value) {
    arg_values_[static_cast<size_t>(key)] = value;
    args_present_ |= uint64_t{1} << static_cast<unsigned>(key);
  }
  void EmitFound(uint64_t offset);

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

  void Emit();
  void EmitSpan(bool is_begin);
  void EmitMemory();
  void EmitFlow(FlowPhase phase);
  void EmitCounters();
  void EmitInstant(char phase);
  void EmitMark();
  [[nodiscard]] Category CategoryWithoutText() const;
  uint32_t EmitDetail(Category category);
  uint32_t EmitCollective();
  OperatorDetail MakeOperator();
  DeviceDetail MakeDevice(TrackId track);

  StringId Text(const Value& value);
  StringId Json(const Value& value);
  int64_t Int(const Value& value);
  uint64_t Uint(const Value& value);
  double Double(const Value& value);
  bool Time(const Value& value, int64_t& ns);
  uint64_t FlowId(const Value& value);
  LocalKey Key(const Value& value);
  TrackId TrackOfEvent();
  CategoryId CategoryIdOf(const Value& cat);
  void Note(DiagnosticKind kind);
  void NoteFlaws(uint8_t flaws);

  [[nodiscard]] const Value& Event(EventKey key) const {
    const auto i = static_cast<unsigned>(key);
    return (event_present_ >> i & 1) != 0 ? event_values_[i] : missing_;
  }
  [[nodiscard]] bool Has(ArgKey key) const {
    return (args_present_ >> static_cast<unsigned>(key) & 1) != 0;
  }
  // Missing if the event has no such argument.
  [[nodiscard]] const Value& Arg(ArgKey key) const {
    return Has(key) ? arg_values_[static_cast<size_t>(key)] : missing_;
  }

  // The event at hand.
  uint64_t offset_ = 0;
  std::array<Value, static_cast<size_t>(EventKey::kCount)> event_values_;
  uint32_t event_present_ = 0;
  uint64_t args_present_ = 0;
  std::array<Value, static_cast<size_t>(ArgKey::kCount)> arg_values_;
  const Value missing_;
  Repairs repairs_;
  bool at_eof_ = false;

  Fragment* fragment_ = nullptr;
  EventListener* listener_ = nullptr;

  // Tables that live as long as the parser.
  StringPool pool_;
  RawInterner strings_;
  RawInterner jsons_;
  std::vector<LocalTrack> tracks_;
  std::vector<uint32_t> track_slots_;  // open addressing, track + 1
  uint32_t last_track_ = 0;
  std::string last_pid_;  // as written, of last_track_
  std::string last_tid_;
  std::vector<std::string_view> category_texts_;  // in pool_
  std::vector<Category> categories_;
  uint32_t last_category_ = 0;
  size_t strings_seen_ = 0;
  size_t tracks_seen_ = 0;
  size_t categories_seen_ = 0;
  uint64_t flaws_noted_ = 0;
  std::string key_buffer_;
  ShapeTable shapes_;
};

}  // namespace telltale::kineto_json
