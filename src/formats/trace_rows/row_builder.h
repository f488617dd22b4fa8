// SPDX-License-Identifier: Apache-2.0
// Makes rows of events: which table an event belongs to, which of its values become columns, and
// what is wrong with them. Knows no file format. Numbers texts, tracks and categories for itself;
// join.h gives them their final numbers. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/trace_rows/event_draft.h"
#include "formats/trace_rows/fragment.h"
#include "formats/trace_rows/raw_interner.h"

namespace telltale::trace_rows {

class RowBuilder {
 public:
  RowBuilder();
  RowBuilder(const RowBuilder&) = delete;
  RowBuilder& operator=(const RowBuilder&) = delete;

  // Rows go to `fragment` until the next call.
  void Begin(Fragment& fragment);
  // Hands over what the tables gained since Begin.
  void End();

  // The event at hand: the client clears and fills it, then calls Add.
  [[nodiscard]] EventDraft& draft() { return draft_; }
  // Makes rows of the draft. Decimal texts among its values are followed by eight readable bytes
  // and end at one that is no part of a number (fields but times need no such bytes).
  // `phase`: '\0' where the event has none, or one of more than a letter. `offset` is its place in
  // the file.
  void Add(char phase, uint64_t offset);
  // Says who is who, as Add does of metadata events.
  void Mark(NameMark::What what, const Value& pid, const Value& tid, const Value& value,
            uint64_t offset);

  // For values that come again and again: a JSON string without its quotes, taken once.
  [[nodiscard]] StringId Intern(std::string_view raw) { return strings_.Intern(raw).id; }

  [[nodiscard]] Diagnostics& diagnostics() { return fragment_->diagnostics; }

 private:
  void AddSpan(bool is_begin);
  void AddMemory();
  void AddFlow(FlowPhase phase);
  void AddCounters();
  void AddInstant(char phase);
  void AddMark();
  void PushMark(NameMark::What what, TrackId track, const Value& value);
  [[nodiscard]] Category CategoryWithoutText() const;
  uint32_t AddDetail(Category category);
  uint32_t AddCollective();
  OperatorDetail MakeOperator();
  DeviceDetail MakeDevice(TrackId track);

  [[nodiscard]] std::string_view Shown(const Value& value) const;
  StringId Text(const Value& value);
  StringId Json(const Value& value);
  int64_t Int(const Value& value);
  uint64_t Uint(const Value& value);
  double Double(const Value& value);
  bool Time(const Value& value, int64_t& ns);
  uint64_t FlowId(const Value& value);
  LocalKey Key(const Value& value);
  TrackId TrackOf(const Value& pid, const Value& tid);
  TrackId TrackOfEvent() { return TrackOf(draft_[EventKey::kPid], draft_[EventKey::kTid]); }
  CategoryId CategoryIdOf(const Value& cat);
  void Note(DiagnosticKind kind);
  void NoteFlaws(uint8_t flaws);

  EventDraft draft_;
  uint64_t offset_ = 0;  // of the event at hand
  Fragment* fragment_ = nullptr;

  // Tables that live as long as the builder.
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
};

}  // namespace telltale::trace_rows
