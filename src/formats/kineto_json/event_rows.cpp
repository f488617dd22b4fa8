// SPDX-License-Identifier: Apache-2.0
// The second half of EventParser: from the values found in an event's text to rows of the fragment.
#include <charconv>

#include "base/decimal.h"
#include "formats/kineto_json/event_parser.h"
#include "formats/kineto_json/text.h"

namespace telltale::kineto_json {

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

void EventParser::Note(DiagnosticKind kind) { fragment_->diagnostics.Add(kind, offset_); }

void EventParser::NoteFlaws(uint8_t flaws) {
  if (flaws != 0) ++flaws_noted_;
  if ((flaws & kFlawControl) != 0) Note(DiagnosticKind::kControlCharacter);
  if ((flaws & kFlawUtf8) != 0) Note(DiagnosticKind::kInvalidUtf8);
  if ((flaws & kFlawEscape) != 0) Note(DiagnosticKind::kInvalidEscape);
}

StringId EventParser::Text(const Value& value) {
  if (value.kind == Value::Kind::kMissing || value.kind == Value::Kind::kNull) return kNoString;
  const Interned interned = value.kind == Value::Kind::kContainer ? jsons_.Intern(value.text())
                                                                  : strings_.Intern(value.text());
  if (interned.flaws != 0) NoteFlaws(interned.flaws);
  return interned.id;
}

StringId EventParser::Json(const Value& value) {
  return value.kind == Value::Kind::kContainer ? jsons_.Intern(value.text()).id : kNoString;
}

int64_t EventParser::Int(const Value& value) {
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

uint64_t EventParser::Uint(const Value& value) {
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

double EventParser::Double(const Value& value) {
  if (value.kind != Value::Kind::kNumber && value.kind != Value::Kind::kString) return -1;
  double number = -1;
  const auto [next, error] = std::from_chars(value.begin, value.end, number);
  return error == std::errc() && next == value.end ? number : -1;
}

bool EventParser::Time(const Value& value, int64_t& ns) {
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

LocalKey EventParser::Key(const Value& value) {
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

TrackId EventParser::TrackOfEvent() {
  const Value& pid = Event(EventKey::kPid);
  const Value& tid = Event(EventKey::kTid);
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

CategoryId EventParser::CategoryIdOf(const Value& cat) {
  const std::string_view raw = cat.kind == Value::Kind::kString ? cat.text() : std::string_view();
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
  const Interned interned = strings_.Intern(raw);
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

uint64_t EventParser::FlowId(const Value& value) {
  if (value.kind == Value::Kind::kInteger) return static_cast<uint64_t>(value.integer);
  if (value.kind == Value::Kind::kNumber || value.kind == Value::Kind::kString) {
    uint64_t number = 0;
    const auto [next, error] = std::from_chars(value.begin, value.end, number);
    if (error == std::errc() && next == value.end) return number;
    return StringPool::Hash(value.text());
  }
  return kNoUint;
}

void EventParser::Emit() {
  ++fragment_->events;
  if (repairs_.unescaped_quotes != 0) {
    fragment_->diagnostics.Add(DiagnosticKind::kUnescapedQuote, offset_, repairs_.unescaped_quotes);
  }
  if (repairs_.bare_words != 0) {
    fragment_->diagnostics.Add(DiagnosticKind::kBareWord, offset_, repairs_.bare_words);
  }
  if (repairs_.trailing_commas != 0) {
    fragment_->diagnostics.Add(DiagnosticKind::kTrailingComma, offset_, repairs_.trailing_commas);
  }
  const bool one_letter = Event(EventKey::kPh).kind == Value::Kind::kString &&
                          Event(EventKey::kPh).end - Event(EventKey::kPh).begin == 1;
  switch (one_letter ? *Event(EventKey::kPh).begin : '\0') {
    case 'X':
      return EmitSpan(false);
    case 'B':
      return EmitSpan(true);
    case 'E': {
      int64_t time_ns = 0;
      if (!Time(Event(EventKey::kTs), time_ns)) return Note(DiagnosticKind::kMissingTime);
      fragment_->ends.push_back({time_ns, TrackOfEvent(), offset_});
      return;
    }
    case 'i':
    case 'I':
    case 'R':
      if (Event(EventKey::kName).kind == Value::Kind::kString &&
          Event(EventKey::kName).text() == "[memory]")
        return EmitMemory();
      return EmitInstant('i');
    case 'b':
    case 'S':
      return EmitInstant('b');
    case 'n':
    case 'T':
    case 'p':
      return EmitInstant('n');
    case 'e':
    case 'F':
      return EmitInstant('e');
    case 'C':
      return EmitCounters();
    case 's':
      return EmitFlow(FlowPhase::kStart);
    case 't':
      return EmitFlow(FlowPhase::kStep);
    case 'f':
      return EmitFlow(FlowPhase::kEnd);
    case 'M':
      return EmitMark();
    default:
      return Note(DiagnosticKind::kUnknownPhase);
  }
}

void EventParser::EmitSpan(bool is_begin) {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  if (!Time(Event(EventKey::kTs), start_ns)) return Note(DiagnosticKind::kMissingTime);
  if (!is_begin && !Time(Event(EventKey::kDur), duration_ns)) {
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
  StringId name = Text(Event(EventKey::kName));
  if (name == kNoString) {
    Note(DiagnosticKind::kMissingName);
    name = kEmptyString;
  }
  const CategoryId category_id = CategoryIdOf(Event(EventKey::kCat));
  Category category = categories_[static_cast<size_t>(category_id)];
  if (Event(EventKey::kCat).kind == Value::Kind::kMissing) category = CategoryWithoutText();
  const TrackId track = TrackOfEvent();

  SpanTable& spans = fragment_->spans;
  if (is_begin) fragment_->begin_spans.push_back(static_cast<uint32_t>(spans.size()));
  spans.start_ns.push_back(start_ns);
  spans.duration_ns.push_back(duration_ns);
  spans.name.push_back(name);
  spans.track.push_back(track);
  spans.category_id.push_back(category_id);
  spans.category.push_back(category);
  spans.detail.push_back(EmitDetail(category));
  spans.offset.push_back(offset_);
}

// EventList.export_chrome_trace, all that torch 1.13 without Kineto has, writes no cat but says it
// in pid.
Category EventParser::CategoryWithoutText() const {
  const std::string_view pid = Event(EventKey::kPid).text();
  if (pid == "CPU functions") return Category::kOperator;
  if (pid == "CUDA functions" || pid == "GPU functions") return Category::kKernel;
  return Category::kOther;
}

uint32_t EventParser::EmitDetail(Category category) {
  const auto add = [](auto& column, const auto& detail) {
    column.push_back(detail);
    return static_cast<uint32_t>(column.size() - 1);
  };
  switch (category) {
    case Category::kOperator:
    case Category::kAnnotation:
      return add(fragment_->operator_details, MakeOperator());
    case Category::kRuntime:
      return add(fragment_->runtime_details,
                 RuntimeDetail{Uint(Arg(ArgKey::kCorrelation)), Uint(Arg(ArgKey::kExternalId))});
    case Category::kKernel:
    case Category::kMemcpy:
    case Category::kMemset:
      return add(fragment_->device_details, MakeDevice(TrackId{last_track_}));
    case Category::kSync:
      return add(fragment_->sync_details,
                 SyncDetail{Uint(Arg(ArgKey::kCorrelation)), Int(Arg(ArgKey::kDevice)),
                            Int(Arg(ArgKey::kStream)), Int(Arg(ArgKey::kWaitOnStream)),
                            Int(Arg(ArgKey::kWaitOnRecord)), Int(Arg(ArgKey::kWaitOnEvent))});
    case Category::kPython: {
      const int64_t module = Int(Arg(ArgKey::kPythonModuleId));
      return add(
          fragment_->python_details,
          PythonDetail{Int(Arg(ArgKey::kPythonId)), Int(Arg(ArgKey::kPythonParentId)),
                       module >= 0 && module <= INT32_MAX ? static_cast<int32_t>(module) : -1,
                       Text(Arg(ArgKey::kCallFrom))});
    }
    default:
      return kNoDetail;
  }
}

OperatorDetail EventParser::MakeOperator() {
  OperatorDetail op;
  if (args_present_ == 0) return op;
  op.external_id = Uint(Arg(ArgKey::kExternalId));
  op.sequence_number = Int(Arg(ArgKey::kSequenceNumber));
  op.forward_thread = Int(Arg(ArgKey::kForwardThread));
  op.input_dims = Json(Arg(ArgKey::kInputDims));
  op.input_types = Json(Arg(ArgKey::kInputTypes));
  op.concrete_inputs = Json(Arg(ArgKey::kConcreteInputs));
  op.call_stack = Text(Arg(ArgKey::kCallStack));
  op.collective = EmitCollective();
  op.finished = Arg(ArgKey::kFinished).kind != Value::Kind::kFalse;
  return op;
}

DeviceDetail EventParser::MakeDevice(TrackId track) {
  DeviceDetail d;
  const LocalTrack& where = tracks_[static_cast<size_t>(track)];
  d.correlation = Uint(Arg(ArgKey::kCorrelation));
  d.external_id = Uint(Arg(ArgKey::kExternalId));
  d.device = Int(Arg(ArgKey::kDevice));
  if (d.device == kNoInt && where.pid.is_number) d.device = where.pid.number;
  d.stream = Int(Arg(ArgKey::kStream));
  if (d.stream == kNoInt) {
    d.stream = where.tid.is_number ? where.tid.number : NumberAtEnd(pool_.Get(where.tid.text));
  }
  d.bytes = Int(Arg(ArgKey::kBytes));
  d.bandwidth_gb_per_s = Double(Arg(ArgKey::kBandwidth));
  d.blocks_per_sm = Double(Arg(ArgKey::kBlocksPerSm));
  d.warps_per_sm = Double(Arg(ArgKey::kWarpsPerSm));
  d.occupancy_percent = Double(Arg(ArgKey::kOccupancy));
  if (Has(ArgKey::kGrid)) ReadTriple(Arg(ArgKey::kGrid).text(), d.grid);
  if (Has(ArgKey::kBlock)) ReadTriple(Arg(ArgKey::kBlock).text(), d.block);
  const int64_t registers = Int(Arg(ArgKey::kRegisters));
  if (registers >= 0 && registers <= INT32_MAX) {
    d.registers_per_thread = static_cast<int32_t>(registers);
  }
  const int64_t shared = Int(Arg(ArgKey::kSharedMemory));
  if (shared >= 0) d.shared_memory_bytes = shared;
  d.graph_id = Uint(Arg(ArgKey::kGraphId));
  d.graph_node_id = Uint(Arg(ArgKey::kGraphNodeId));
  d.collective = EmitCollective();
  return d;
}

uint32_t EventParser::EmitCollective() {
  if (!Has(ArgKey::kCollectiveName)) return kNoDetail;
  CollectiveDetail c;
  c.name = Text(Arg(ArgKey::kCollectiveName));
  c.dtype = Text(Arg(ArgKey::kDtype));
  c.group_name = Text(Arg(ArgKey::kGroupName));
  c.group_description = Text(Arg(ArgKey::kGroupDescription));
  c.group_ranks = Text(Arg(ArgKey::kGroupRanks));
  c.in_elements = Int(Arg(ArgKey::kInElements));
  c.out_elements = Int(Arg(ArgKey::kOutElements));
  c.group_size = Int(Arg(ArgKey::kGroupSize));
  c.sequence = Int(Arg(ArgKey::kSequence));
  c.communicator = Uint(Arg(ArgKey::kCommunicator));
  c.source_rank = Int(Arg(ArgKey::kSourceRank));
  c.destination_rank = Int(Arg(ArgKey::kDestinationRank));
  fragment_->collectives.push_back(c);
  return static_cast<uint32_t>(fragment_->collectives.size() - 1);
}

void EventParser::EmitMemory() {
  int64_t time_ns = 0;
  if (!Time(Event(EventKey::kTs), time_ns)) return Note(DiagnosticKind::kMissingTime);
  const int64_t bytes = Int(Arg(ArgKey::kMemoryBytes));
  const int64_t type = Int(Arg(ArgKey::kDeviceType));
  const int64_t device = Int(Arg(ArgKey::kDeviceId));
  MemoryTable& memory = fragment_->memory;
  memory.time_ns.push_back(time_ns);
  memory.track.push_back(TrackOfEvent());
  memory.address.push_back(Uint(Arg(ArgKey::kAddress)));
  memory.bytes.push_back(bytes == kNoInt ? 0 : bytes);
  memory.total_allocated.push_back(Int(Arg(ArgKey::kTotalAllocated)));
  memory.total_reserved.push_back(Int(Arg(ArgKey::kTotalReserved)));
  memory.device_type.push_back(type >= 0 && type < INT16_MAX ? static_cast<int16_t>(type)
                                                             : int16_t{-1});
  memory.device_id.push_back(
      device >= INT32_MIN && device <= INT32_MAX ? static_cast<int32_t>(device) : -1);
  memory.offset.push_back(offset_);
}

void EventParser::EmitFlow(FlowPhase phase) {
  int64_t time_ns = 0;
  if (!Time(Event(EventKey::kTs), time_ns)) return Note(DiagnosticKind::kMissingTime);
  FlowTable& flows = fragment_->flows;
  flows.time_ns.push_back(time_ns);
  flows.id.push_back(FlowId(Event(EventKey::kId)));
  flows.track.push_back(TrackOfEvent());
  flows.category_id.push_back(CategoryIdOf(Event(EventKey::kCat)));
  flows.phase.push_back(phase);
  flows.offset.push_back(offset_);
}

void EventParser::EmitInstant(char phase) {
  int64_t time_ns = 0;
  if (!Time(Event(EventKey::kTs), time_ns)) return Note(DiagnosticKind::kMissingTime);
  const StringId name = Text(Event(EventKey::kName));
  InstantTable& instants = fragment_->instants;
  instants.time_ns.push_back(time_ns);
  instants.track.push_back(TrackOfEvent());
  instants.name.push_back(name == kNoString ? kEmptyString : name);
  instants.category_id.push_back(CategoryIdOf(Event(EventKey::kCat)));
  instants.phase.push_back(phase);
  instants.id.push_back(phase == 'i' ? kNoUint : FlowId(Event(EventKey::kId)));
  instants.offset.push_back(offset_);
}

// Every key of a counter's args is a series of its own.
void EventParser::EmitCounters() {
  int64_t time_ns = 0;
  if (!Time(Event(EventKey::kTs), time_ns)) return Note(DiagnosticKind::kMissingTime);
  if (Event(EventKey::kArgs).kind != Value::Kind::kContainer) return;
  const TrackId track = TrackOfEvent();
  const StringId name = Text(Event(EventKey::kName));
  const char* p = Event(EventKey::kArgs).begin;
  Repairs ignored;
  ignored.at_eof = true;
  do {
    p = SkipSpace(p + 1);
    Value key;
    Value value;
    if (*p != '"') break;
    const char* next = ReadString<true>(p, Event(EventKey::kArgs).end, Place::kKey, key, ignored);
    if (next == nullptr) break;
    p = SkipSpace(next);
    if (*p != ':') break;
    next = ReadValue<true>(SkipSpace(p + 1), Event(EventKey::kArgs).end, value, ignored);
    if (next == nullptr) break;
    p = SkipSpace(next);
    double number = 0;
    const bool is_number =
        (value.kind == Value::Kind::kNumber || value.kind == Value::Kind::kString) &&
        std::from_chars(value.begin, value.end, number).ec == std::errc();
    if (!is_number) continue;
    CounterTable& counters = fragment_->counters;
    counters.time_ns.push_back(time_ns);
    counters.track.push_back(track);
    counters.name.push_back(name == kNoString ? kEmptyString : name);
    counters.series.push_back(Text(key));
    counters.value.push_back(number);
    counters.offset.push_back(offset_);
  } while (*p == ',');
}

void EventParser::EmitMark() {
  const std::string_view name = Event(EventKey::kName).kind == Value::Kind::kString
                                    ? Event(EventKey::kName).text()
                                    : std::string_view();
  NameMark mark{};
  if (name == "process_name") {
    mark.what = NameMark::What::kProcessName;
  } else if (name == "process_labels") {
    mark.what = NameMark::What::kProcessLabels;
  } else if (name == "process_sort_index") {
    mark.what = NameMark::What::kProcessSort;
  } else if (name == "thread_name") {
    mark.what = NameMark::What::kThreadName;
  } else if (name == "thread_sort_index") {
    mark.what = NameMark::What::kThreadSort;
  } else {
    return;  // other metadata says nothing about tracks
  }
  mark.track = TrackOfEvent();
  mark.text = mark.what == NameMark::What::kProcessLabels ? Text(Arg(ArgKey::kLabels))
                                                          : Text(Arg(ArgKey::kName));
  mark.number = Int(Arg(ArgKey::kSortIndex));
  fragment_->marks.push_back(mark);
}

}  // namespace telltale::kineto_json
