// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_rows/row_builder.h"

#include <charconv>
#include <optional>

#include "base/decimal.h"
#include "base/digits.h"
#include "base/json/text.h"

namespace telltale::trace_rows {

namespace {

// Beyond these no clock is meant, and sums and differences of times stay within 64 bits.
constexpr int64_t kMaxTimeNs = (int64_t{1} << 62) - 1;  // the year 2116, since 1970
constexpr int64_t kMaxDurationNs = int64_t{1} << 53;    // 104 days

int64_t NumberAtEnd(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && IsDigit(text[begin - 1])) --begin;
  int64_t number = kNoInt;
  std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return number;
}

// A number of up to 18 digits, as nearly all are.
bool ShortNumber(const char* begin, const char* end, uint64_t& number) {
  const char* p = begin;
  return end - begin <= 18 && ReadDigits(p, number) > 0 && p == end;
}

// Of a counter; text may go on behind its number.
std::optional<double> NumberOf(const Value& value) {
  if (value.kind == Value::Kind::kReal) return value.real;
  if (value.kind == Value::Kind::kInteger) return static_cast<double>(value.integer);
  if (value.kind != Value::Kind::kNumber && value.kind != Value::Kind::kString) return std::nullopt;
  double number = 0;
  const auto [next, error] = std::from_chars(value.begin, value.end, number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// The first three integers of "[512, 1, 1]".
void ReadTriple(std::string_view text, uint32_t (&out)[3]) {
  size_t i = 0;
  for (uint32_t& value : out) {
    while (i < text.size() && !IsDigit(text[i])) ++i;
    uint32_t number = 0;
    const auto [next, error] = std::from_chars(text.data() + i, text.data() + text.size(), number);
    if (error != std::errc()) return;
    value = number;
    i = static_cast<size_t>(next - text.data());
  }
}

}  // namespace

RowBuilder::RowBuilder()
    : strings_(RawInterner::Content::kString, pool_),
      jsons_(RawInterner::Content::kJson, pool_),
      track_slots_(1024) {}

void RowBuilder::Begin(Fragment& fragment) { fragment_ = &fragment; }

void RowBuilder::End() {
  for (; strings_seen_ < pool_.size(); ++strings_seen_) {
    fragment_->new_strings.push_back(pool_.Get(StringId{static_cast<uint32_t>(strings_seen_)}));
  }
  for (; tracks_seen_ < tracks_.size(); ++tracks_seen_) {
    fragment_->new_tracks.push_back(tracks_[tracks_seen_]);
  }
  for (; categories_seen_ < category_texts_.size(); ++categories_seen_) {
    fragment_->new_categories.push_back(category_texts_[categories_seen_]);
  }
  fragment_ = nullptr;
}

void RowBuilder::Note(DiagnosticKind kind) { fragment_->diagnostics.Add(kind, offset_); }

void RowBuilder::NoteFlaws(uint8_t flaws) {
  if (flaws != 0) ++flaws_noted_;
  if ((flaws & kFlawControl) != 0) Note(DiagnosticKind::kControlCharacter);
  if ((flaws & kFlawUtf8) != 0) Note(DiagnosticKind::kInvalidUtf8);
  if ((flaws & kFlawEscape) != 0) Note(DiagnosticKind::kInvalidEscape);
}

std::string_view RowBuilder::Shown(const Value& value) const {
  if (value.kind == Value::Kind::kString) return value.text();
  return value.kind == Value::Kind::kInterned ? pool_.Get(value.interned) : std::string_view();
}

StringId RowBuilder::Text(const Value& value) {
  if (value.kind == Value::Kind::kInterned) return value.interned;
  if (value.kind == Value::Kind::kMissing || value.kind == Value::Kind::kNull) return kNoString;
  const Interned interned = value.kind == Value::Kind::kContainer ? jsons_.Intern(value.text())
                                                                  : strings_.Intern(value.text());
  if (interned.flaws != 0) NoteFlaws(interned.flaws);
  return interned.id;
}

StringId RowBuilder::Json(const Value& value) {
  return value.kind == Value::Kind::kContainer ? jsons_.Intern(value.text()).id : kNoString;
}

int64_t RowBuilder::Int(const Value& value) {
  if (value.kind == Value::Kind::kInteger) return value.integer;
  if (value.kind != Value::Kind::kNumber && value.kind != Value::Kind::kString) return kNoInt;
  if (uint64_t quick = 0; ShortNumber(value.begin, value.end, quick))
    return static_cast<int64_t>(quick);
  int64_t number = 0;
  const auto [next, error] = std::from_chars(value.begin, value.end, number);
  if (error == std::errc() && next == value.end) return number;
  if (const auto rounded = DecimalToInt(value.text(), 0)) return *rounded;
  if (value.kind == Value::Kind::kNumber) Note(DiagnosticKind::kNumberOutOfRange);
  return kNoInt;
}

uint64_t RowBuilder::Uint(const Value& value) {
  if (value.kind == Value::Kind::kInteger) {
    return value.integer >= 0 ? static_cast<uint64_t>(value.integer) : kNoUint;
  }
  if (value.kind != Value::Kind::kNumber && value.kind != Value::Kind::kString) return kNoUint;
  uint64_t number = 0;
  if (ShortNumber(value.begin, value.end, number)) return number;
  const auto [next, error] = std::from_chars(value.begin, value.end, number);
  if (error == std::errc() && next == value.end) return number;
  const auto rounded = DecimalToInt(value.text(), 0);
  if (rounded && *rounded >= 0) return static_cast<uint64_t>(*rounded);
  if (value.kind == Value::Kind::kNumber && !rounded) Note(DiagnosticKind::kNumberOutOfRange);
  return kNoUint;
}

double RowBuilder::Double(const Value& value) {
  if (value.kind == Value::Kind::kReal) return value.real;
  if (value.kind != Value::Kind::kNumber && value.kind != Value::Kind::kString) return -1;
  double number = -1;
  const auto [next, error] = std::from_chars(value.begin, value.end, number);
  return error == std::errc() && next == value.end ? number : -1;
}

bool RowBuilder::Time(const Value& value, int64_t& ns) {
  if (value.kind == Value::Kind::kInteger) {
    ns = value.integer;
    return true;
  }
  if (value.kind != Value::Kind::kNumber && value.kind != Value::Kind::kString) return false;
  // The common form: microseconds of today's dates or less, a point, up to three digits.
  const char* p = value.begin;
  uint64_t micros = 0;
  const int digits = ReadDigits(p, micros);
  if (digits >= 1 && digits <= 18 && micros < static_cast<uint64_t>(kMaxTimeNs / 1000)) {
    if (p == value.end) {
      ns = static_cast<int64_t>(micros * 1000);
      return true;
    }
    if (*p == '.' && value.end - p >= 2 && value.end - p <= 4) {
      uint64_t fraction = 0;
      int places = 0;
      for (++p; p < value.end && IsDigit(*p); ++p, ++places) {
        fraction = fraction * 10 + static_cast<uint64_t>(*p - '0');
      }
      if (p == value.end) {
        for (; places < 3; ++places) fraction *= 10;
        ns = static_cast<int64_t>(micros * 1000 + fraction);
        return true;
      }
    }
  }
  const auto exact = MicrosecondsToNs(value.text());
  if (!exact || *exact > kMaxTimeNs || *exact < -kMaxTimeNs) {
    Note(DiagnosticKind::kNumberOutOfRange);
    return false;
  }
  ns = *exact;
  return true;
}

LocalKey RowBuilder::Key(const Value& value) {
  if (value.kind == Value::Kind::kInteger) return {true, value.integer, kEmptyString};
  if (value.kind == Value::Kind::kNumber || value.kind == Value::Kind::kString) {
    int64_t number = 0;
    const auto [next, error] = std::from_chars(value.begin, value.end, number);
    if (error == std::errc() && next == value.end) return {true, number, kEmptyString};
    if (value.kind == Value::Kind::kNumber) {
      const std::string_view text = value.text();
      const size_t point = text.find_first_of(".eE");
      if (point != std::string_view::npos) {
        if (const auto whole = DecimalToInt(text, 0)) return {true, *whole, kEmptyString};
      }
    }
  }
  const StringId text = Text(value);
  return {false, 0, text == kNoString ? kEmptyString : text};
}

TrackId RowBuilder::TrackOf(const Value& pid, const Value& tid) {
  // Most events stand on the track of the one before.
  const auto is_plain = [](const Value& v) {
    return v.kind == Value::Kind::kNumber || v.kind == Value::Kind::kString;
  };
  const bool plain = is_plain(pid) && is_plain(tid);
  if (plain && !tracks_.empty() && pid.text() == last_pid_ && tid.text() == last_tid_) {
    return TrackId{last_track_};
  }
  last_pid_ = plain ? pid.text() : "{";  // no pid: a value cannot be just this
  last_tid_ = plain ? tid.text() : "";
  const uint64_t repairs_before = flaws_noted_;
  const LocalTrack track{Key(pid), Key(tid)};
  if (flaws_noted_ != repairs_before) last_pid_ = "{";  // to be noted again with the next event
  const auto same = [&](uint32_t i) {
    return tracks_[i].pid == track.pid && tracks_[i].tid == track.tid;
  };
  const auto mix = [](const LocalKey& key) {
    return (static_cast<uint64_t>(key.number) +
            static_cast<uint64_t>(key.text) * 0x9e3779b97f4a7c15ULL + (key.is_number ? 1U : 0U)) *
           0xff51afd7ed558ccdULL;
  };
  const uint64_t hash = mix(track.pid) * 31 + (mix(track.tid) >> 7);
  const auto locate = [&] {
    const size_t mask = track_slots_.size() - 1;
    size_t i = (hash ^ hash >> 32) & mask;
    while (track_slots_[i] != 0 && !same(track_slots_[i] - 1)) i = (i + 1) & mask;
    return i;
  };
  size_t slot = locate();
  if (track_slots_[slot] == 0) {
    tracks_.push_back(track);
    if (tracks_.size() * 2 > track_slots_.size()) {
      // Rare (more than 512 threads): place all anew in a table of twice the size.
      std::vector<LocalTrack> all;
      all.swap(tracks_);
      track_slots_.assign(track_slots_.size() * 2, 0);
      for (const LocalTrack& each : all) {
        const uint64_t h = mix(each.pid) * 31 + (mix(each.tid) >> 7);
        const size_t mask = track_slots_.size() - 1;
        size_t i = (h ^ h >> 32) & mask;
        while (track_slots_[i] != 0) i = (i + 1) & mask;
        tracks_.push_back(each);
        track_slots_[i] = static_cast<uint32_t>(tracks_.size());
      }
      slot = locate();
    } else {
      track_slots_[slot] = static_cast<uint32_t>(tracks_.size());
    }
  }
  last_track_ = track_slots_[slot] - 1;
  return TrackId{last_track_};
}

CategoryId RowBuilder::CategoryIdOf(const Value& cat) {
  const std::string_view raw = Shown(cat);
  if (last_category_ < category_texts_.size() && category_texts_[last_category_] == raw) {
    return CategoryId{static_cast<uint16_t>(last_category_)};
  }
  for (uint32_t i = 0; i < category_texts_.size(); ++i) {
    if (category_texts_[i] == raw) {
      last_category_ = i;
      return CategoryId{static_cast<uint16_t>(i)};
    }
  }
  // A text that needs no repair is found above from its second time on, so only repairs are noted.
  const Interned interned =
      cat.kind == Value::Kind::kInterned ? Interned{cat.interned, kNoFlaw} : strings_.Intern(raw);
  NoteFlaws(interned.flaws & static_cast<uint8_t>(~kFlawControl));
  const std::string_view text = pool_.Get(interned.id);
  for (uint32_t i = 0; i < category_texts_.size(); ++i) {
    if (category_texts_[i] == text) return CategoryId{static_cast<uint16_t>(i)};
  }
  // A trace with that many categories is not made by a profiler: the rest share the last one.
  constexpr size_t kMaxCategories = 4096;
  if (category_texts_.size() == kMaxCategories) return CategoryId{kMaxCategories - 1};
  category_texts_.push_back(text);
  categories_.push_back(CategoryOf(text));
  last_category_ = static_cast<uint32_t>(category_texts_.size() - 1);
  return CategoryId{static_cast<uint16_t>(last_category_)};
}

uint64_t RowBuilder::FlowId(const Value& value) {
  if (value.kind == Value::Kind::kInteger) return static_cast<uint64_t>(value.integer);
  if (value.kind == Value::Kind::kNumber || value.kind == Value::Kind::kString) {
    uint64_t number = 0;
    const auto [next, error] = std::from_chars(value.begin, value.end, number);
    if (error == std::errc() && next == value.end) return number;
    return StringPool::Hash(value.text());
  }
  return kNoUint;
}

void RowBuilder::Add(char phase, uint64_t offset) {
  offset_ = offset;
  ++fragment_->events;
  switch (phase) {
    case 'X':
      return AddSpan(false);
    case 'B':
      return AddSpan(true);
    case 'E': {
      int64_t time_ns = 0;
      if (!Time(draft_[EventKey::kTs], time_ns)) return Note(DiagnosticKind::kMissingTime);
      fragment_->ends.push_back({time_ns, TrackOfEvent(), offset_});
      return;
    }
    case 'i':
    case 'I':
    case 'R':
      if (Shown(draft_[EventKey::kName]) == "[memory]") return AddMemory();
      return AddInstant('i');
    case 'b':
    case 'S':
      return AddInstant('b');
    case 'n':
    case 'T':
    case 'p':
      return AddInstant('n');
    case 'e':
    case 'F':
      return AddInstant('e');
    case 'C':
      return AddCounters();
    case 's':
      return AddFlow(FlowPhase::kStart);
    case 't':
      return AddFlow(FlowPhase::kStep);
    case 'f':
      return AddFlow(FlowPhase::kEnd);
    case 'M':
      return AddMark();
    default:
      return Note(DiagnosticKind::kUnknownPhase);
  }
}

void RowBuilder::AddSpan(bool is_begin) {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  if (!Time(draft_[EventKey::kTs], start_ns)) return Note(DiagnosticKind::kMissingTime);
  if (!is_begin && !Time(draft_[EventKey::kDur], duration_ns)) {
    Note(DiagnosticKind::kMissingDuration);
    duration_ns = 0;
  }
  if (duration_ns < 0) {
    Note(DiagnosticKind::kNegativeDuration);
    duration_ns = 0;
  }
  if (duration_ns > kMaxDurationNs) {
    Note(DiagnosticKind::kNumberOutOfRange);
    duration_ns = 0;
  }
  StringId name = Text(draft_[EventKey::kName]);
  if (name == kNoString) {
    Note(DiagnosticKind::kMissingName);
    name = kEmptyString;
  }
  const CategoryId category_id = CategoryIdOf(draft_[EventKey::kCat]);
  Category category = categories_[static_cast<size_t>(category_id)];
  if (draft_[EventKey::kCat].kind == Value::Kind::kMissing) category = CategoryWithoutText();
  const TrackId track = TrackOfEvent();

  SpanTable& spans = fragment_->spans;
  if (is_begin) fragment_->begin_spans.push_back(static_cast<uint32_t>(spans.size()));
  spans.start_ns.push_back(start_ns);
  spans.duration_ns.push_back(duration_ns);
  spans.name.push_back(name);
  spans.track.push_back(track);
  spans.category_id.push_back(category_id);
  spans.category.push_back(category);
  spans.detail.push_back(AddDetail(category));
  spans.offset.push_back(offset_);
}

// EventList.export_chrome_trace, all that torch 1.13 without Kineto has, writes no cat but says it
// in pid.
Category RowBuilder::CategoryWithoutText() const {
  const std::string_view pid = Shown(draft_[EventKey::kPid]);
  if (pid == "CPU functions") return Category::kOperator;
  if (pid == "CUDA functions" || pid == "GPU functions") return Category::kKernel;
  return Category::kOther;
}

uint32_t RowBuilder::AddDetail(Category category) {
  const auto add = [](auto& column, const auto& detail) {
    column.push_back(detail);
    return static_cast<uint32_t>(column.size() - 1);
  };
  switch (category) {
    case Category::kOperator:
    case Category::kAnnotation:
      return add(fragment_->operator_details, MakeOperator());
    case Category::kRuntime:
      return add(fragment_->runtime_details, RuntimeDetail{Uint(draft_[ArgKey::kCorrelation]),
                                                           Uint(draft_[ArgKey::kExternalId])});
    case Category::kKernel:
    case Category::kMemcpy:
    case Category::kMemset:
      return add(fragment_->device_details, MakeDevice(TrackId{last_track_}));
    case Category::kSync:
      return add(fragment_->sync_details,
                 SyncDetail{Uint(draft_[ArgKey::kCorrelation]), Int(draft_[ArgKey::kDevice]),
                            Int(draft_[ArgKey::kStream]), Int(draft_[ArgKey::kWaitOnStream]),
                            Int(draft_[ArgKey::kWaitOnRecord]), Int(draft_[ArgKey::kWaitOnEvent])});
    case Category::kPython: {
      const int64_t module = Int(draft_[ArgKey::kPythonModuleId]);
      return add(
          fragment_->python_details,
          PythonDetail{Int(draft_[ArgKey::kPythonId]), Int(draft_[ArgKey::kPythonParentId]),
                       module >= 0 && module <= INT32_MAX ? static_cast<int32_t>(module) : -1,
                       Text(draft_[ArgKey::kCallFrom])});
    }
    default:
      return kNoDetail;
  }
}

OperatorDetail RowBuilder::MakeOperator() {
  OperatorDetail op;
  if (draft_.args_present == 0) return op;
  op.external_id = Uint(draft_[ArgKey::kExternalId]);
  op.sequence_number = Int(draft_[ArgKey::kSequenceNumber]);
  op.forward_thread = Int(draft_[ArgKey::kForwardThread]);
  op.input_dims = Json(draft_[ArgKey::kInputDims]);
  op.input_types = Json(draft_[ArgKey::kInputTypes]);
  op.concrete_inputs = Json(draft_[ArgKey::kConcreteInputs]);
  op.call_stack = Text(draft_[ArgKey::kCallStack]);
  op.collective = AddCollective();
  op.finished = draft_[ArgKey::kFinished].kind != Value::Kind::kFalse;
  return op;
}

DeviceDetail RowBuilder::MakeDevice(TrackId track) {
  DeviceDetail d;
  const LocalTrack& where = tracks_[static_cast<size_t>(track)];
  d.correlation = Uint(draft_[ArgKey::kCorrelation]);
  d.external_id = Uint(draft_[ArgKey::kExternalId]);
  d.device = Int(draft_[ArgKey::kDevice]);
  if (d.device == kNoInt && where.pid.is_number) d.device = where.pid.number;
  d.stream = Int(draft_[ArgKey::kStream]);
  if (d.stream == kNoInt) {
    d.stream = where.tid.is_number ? where.tid.number : NumberAtEnd(pool_.Get(where.tid.text));
  }
  d.bytes = Int(draft_[ArgKey::kBytes]);
  d.bandwidth_gb_per_s = Double(draft_[ArgKey::kBandwidth]);
  d.blocks_per_sm = Double(draft_[ArgKey::kBlocksPerSm]);
  d.warps_per_sm = Double(draft_[ArgKey::kWarpsPerSm]);
  d.occupancy_percent = Double(draft_[ArgKey::kOccupancy]);
  if (draft_.Has(ArgKey::kGrid)) ReadTriple(draft_[ArgKey::kGrid].text(), d.grid);
  if (draft_.Has(ArgKey::kBlock)) ReadTriple(draft_[ArgKey::kBlock].text(), d.block);
  const int64_t registers = Int(draft_[ArgKey::kRegisters]);
  if (registers >= 0 && registers <= INT32_MAX) {
    d.registers_per_thread = static_cast<int32_t>(registers);
  }
  const int64_t shared = Int(draft_[ArgKey::kSharedMemory]);
  if (shared >= 0) d.shared_memory_bytes = shared;
  d.graph_id = Uint(draft_[ArgKey::kGraphId]);
  d.graph_node_id = Uint(draft_[ArgKey::kGraphNodeId]);
  d.collective = AddCollective();
  return d;
}

uint32_t RowBuilder::AddCollective() {
  if (!draft_.Has(ArgKey::kCollectiveName)) return kNoDetail;
  CollectiveDetail c;
  c.name = Text(draft_[ArgKey::kCollectiveName]);
  c.dtype = Text(draft_[ArgKey::kDtype]);
  c.group_name = Text(draft_[ArgKey::kGroupName]);
  c.group_description = Text(draft_[ArgKey::kGroupDescription]);
  c.group_ranks = Text(draft_[ArgKey::kGroupRanks]);
  c.in_elements = Int(draft_[ArgKey::kInElements]);
  c.out_elements = Int(draft_[ArgKey::kOutElements]);
  c.group_size = Int(draft_[ArgKey::kGroupSize]);
  c.sequence = Int(draft_[ArgKey::kSequence]);
  c.communicator = Uint(draft_[ArgKey::kCommunicator]);
  c.source_rank = Int(draft_[ArgKey::kSourceRank]);
  c.destination_rank = Int(draft_[ArgKey::kDestinationRank]);
  fragment_->collectives.push_back(c);
  return static_cast<uint32_t>(fragment_->collectives.size() - 1);
}

void RowBuilder::AddMemory() {
  int64_t time_ns = 0;
  if (!Time(draft_[EventKey::kTs], time_ns)) return Note(DiagnosticKind::kMissingTime);
  const int64_t bytes = Int(draft_[ArgKey::kMemoryBytes]);
  const int64_t type = Int(draft_[ArgKey::kDeviceType]);
  const int64_t device = Int(draft_[ArgKey::kDeviceId]);
  MemoryTable& memory = fragment_->memory;
  memory.time_ns.push_back(time_ns);
  memory.track.push_back(TrackOfEvent());
  memory.address.push_back(Uint(draft_[ArgKey::kAddress]));
  memory.bytes.push_back(bytes == kNoInt ? 0 : bytes);
  memory.total_allocated.push_back(Int(draft_[ArgKey::kTotalAllocated]));
  memory.total_reserved.push_back(Int(draft_[ArgKey::kTotalReserved]));
  memory.device_type.push_back(type >= 0 && type < INT16_MAX ? static_cast<int16_t>(type)
                                                             : int16_t{-1});
  memory.device_id.push_back(
      device >= INT32_MIN && device <= INT32_MAX ? static_cast<int32_t>(device) : -1);
  memory.offset.push_back(offset_);
}

void RowBuilder::AddFlow(FlowPhase phase) {
  int64_t time_ns = 0;
  if (!Time(draft_[EventKey::kTs], time_ns)) return Note(DiagnosticKind::kMissingTime);
  FlowTable& flows = fragment_->flows;
  flows.time_ns.push_back(time_ns);
  flows.id.push_back(FlowId(draft_[EventKey::kId]));
  flows.track.push_back(TrackOfEvent());
  flows.category_id.push_back(CategoryIdOf(draft_[EventKey::kCat]));
  flows.phase.push_back(phase);
  flows.offset.push_back(offset_);
}

void RowBuilder::AddInstant(char phase) {
  int64_t time_ns = 0;
  if (!Time(draft_[EventKey::kTs], time_ns)) return Note(DiagnosticKind::kMissingTime);
  const StringId name = Text(draft_[EventKey::kName]);
  InstantTable& instants = fragment_->instants;
  instants.time_ns.push_back(time_ns);
  instants.track.push_back(TrackOfEvent());
  instants.name.push_back(name == kNoString ? kEmptyString : name);
  instants.category_id.push_back(CategoryIdOf(draft_[EventKey::kCat]));
  instants.phase.push_back(phase);
  instants.id.push_back(phase == 'i' ? kNoUint : FlowId(draft_[EventKey::kId]));
  instants.offset.push_back(offset_);
}

void RowBuilder::AddCounters() {
  int64_t time_ns = 0;
  if (!Time(draft_[EventKey::kTs], time_ns)) return Note(DiagnosticKind::kMissingTime);
  if (draft_.series.empty()) return;
  const TrackId track = TrackOfEvent();
  const StringId name = Text(draft_[EventKey::kName]);
  for (const EventDraft::Series& series : draft_.series) {
    const std::optional<double> number = NumberOf(series.value);
    if (!number) continue;
    CounterTable& counters = fragment_->counters;
    counters.time_ns.push_back(time_ns);
    counters.track.push_back(track);
    counters.name.push_back(name == kNoString ? kEmptyString : name);
    counters.series.push_back(Text(series.name));
    counters.value.push_back(*number);
    counters.offset.push_back(offset_);
  }
}

void RowBuilder::AddMark() {
  struct Known {
    std::string_view name;
    NameMark::What what;
    ArgKey key;
  };
  static constexpr Known kKnown[] = {
      {"process_name", NameMark::What::kProcessName, ArgKey::kName},
      {"process_labels", NameMark::What::kProcessLabels, ArgKey::kLabels},
      {"process_sort_index", NameMark::What::kProcessSort, ArgKey::kSortIndex},
      {"thread_name", NameMark::What::kThreadName, ArgKey::kName},
      {"thread_sort_index", NameMark::What::kThreadSort, ArgKey::kSortIndex},
  };
  const std::string_view name = Shown(draft_[EventKey::kName]);
  for (const Known& known : kKnown) {
    if (known.name != name) continue;
    PushMark(known.what, TrackOfEvent(), draft_[known.key]);
    return;
  }
  // Other metadata says nothing about tracks.
}

void RowBuilder::Mark(NameMark::What what, const Value& pid, const Value& tid, const Value& value,
                      uint64_t offset) {
  offset_ = offset;
  ++fragment_->events;
  PushMark(what, TrackOf(pid, tid), value);
}

void RowBuilder::PushMark(NameMark::What what, TrackId track, const Value& value) {
  const bool is_number =
      what == NameMark::What::kProcessSort || what == NameMark::What::kThreadSort;
  NameMark mark{.what = what, .track = track};
  if (is_number) {
    mark.number = Int(value);
  } else {
    mark.text = Text(value);
  }
  fragment_->marks.push_back(mark);
}

}  // namespace telltale::trace_rows
