// SPDX-License-Identifier: Apache-2.0
#include "collect/region_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace telltale {

using record::ChunkHeader;
using record::ClockPair;
using record::Lane;
using record::RecordHead;
using record::RecordKind;
using record::RegionHeader;

namespace {

constexpr uint32_t kMostNames = 1 << 24;

template <typename T>
[[nodiscard]] T Load(std::string_view bytes) {
  T value{};
  bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

std::string TextOf(const char* text, size_t size) { return {text, strnlen(text, size)}; }

// The smallest record of its kind, 0: no such kind.
size_t LeastLength(uint8_t kind) {
  switch (static_cast<RecordKind>(kind)) {
    case RecordKind::kName:
      return sizeof(record::NameRecord);
    case RecordKind::kScalar:
      return sizeof(record::ScalarRecord);
    case RecordKind::kText:
    case RecordKind::kValue:
    case RecordKind::kNote:
      return sizeof(record::BytesRecord);
    case RecordKind::kSpanBegin:
    case RecordKind::kSpanEnd:
    case RecordKind::kInstant:
    case RecordKind::kHeartbeat:
      return sizeof(record::MomentRecord);
    case RecordKind::kCounter:
      return sizeof(record::CounterRecord);
    case RecordKind::kStepBegin:
      return sizeof(record::StepBeginRecord);
    case RecordKind::kStepEnd:
      return sizeof(record::StepEndRecord);
    case RecordKind::kThread:
      return sizeof(record::ThreadRecord);
  }
  return 0;
}

}  // namespace

// A chunk as it was when it was looked at.
struct RegionReader::Chunk {
  uint32_t number = 0;
  uint64_t serial = 0;
  Lane lane = Lane::kDurable;
  bool is_sealed = false;
  uint32_t committed = 0;
  uint64_t thread = 0;
  uint64_t thread_serial = 0;
  std::string thread_name;
  ClockPair opened{};
};

std::string_view NameOf(record::Role role) {
  switch (role) {
    case record::Role::kMain:
      return "main";
    case record::Role::kRank:
      return "rank";
    case record::Role::kWorker:
      return "worker";
    case record::Role::kOther:
      break;
  }
  return "other";
}

Result<RegionReader> RegionReader::Open(const std::string& path) {
  Result<RegionFile> file = RegionFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  RegionReader reader(std::move(*file));
  std::string problem;
  if (!reader.ReadHeader(problem)) return Fail(ErrorCode::kUnreadable, path + problem, 0);
  return reader;
}

bool RegionReader::ReadHeader(std::string& problem) {
  RegionHeader header;
  constexpr size_t kFixed = offsetof(RegionHeader, pairs);
  if (file_.ReadAt(0, &header, kFixed) != kFixed) {
    problem = " is too short for a region, or not ready yet";
    return false;
  }
  if (std::memcmp(header.magic, record::kMagic, sizeof record::kMagic) != 0) {
    problem = " does not begin as a region does, or is not ready yet";
    return false;
  }
  if (header.version != record::kLayoutVersion || header.header_bytes != record::kHeaderBytes ||
      header.chunk_bytes != record::kChunkBytes) {
    problem = " has layout " + std::to_string(header.version) + "; this program knows layout " +
              std::to_string(record::kLayoutVersion) + ": use the one that belongs to the recorder";
    return false;
  }
  header_bytes_ = header.header_bytes;
  chunk_bytes_ = header.chunk_bytes;
  dropped_ = header.dropped;
  info_.pid = header.pid;
  info_.process_start = header.process_start;
  info_.parent_pid = header.parent_pid;
  info_.started_wall_ns = header.started_wall_ns;
  info_.rank = header.rank;
  info_.local_rank = header.local_rank;
  info_.world_size = header.world_size;
  info_.role = header.role <= static_cast<uint32_t>(record::Role::kWorker)
                   ? static_cast<record::Role>(header.role)
                   : record::Role::kOther;
  info_.clock = header.clock_kind == static_cast<uint32_t>(record::ClockKind::kTsc)
                    ? record::ClockKind::kTsc
                    : record::ClockKind::kMonotonic;
  info_.is_closed = header.state == static_cast<uint32_t>(record::RegionState::kClosed);
  info_.held_bytes = header.held_bytes;
  info_.lost = header.lost;
  info_.program = TextOf(header.program, sizeof header.program);
  info_.ticks_per_second = header.ticks_per_second;
  clock_.Read(file_, header);
  info_.last_heartbeat_ns = header.last_heartbeat == 0 ? 0 : clock_.WallOf(header.last_heartbeat);
  return true;
}

uint32_t RegionReader::ChunkCount() const {
  const uint64_t size = file_.Size();
  if (size < header_bytes_) return 0;
  return static_cast<uint32_t>(
      std::min<uint64_t>((size - header_bytes_) / chunk_bytes_, kMostChunks));
}

bool RegionReader::ReadChunkHeader(uint32_t number, Chunk& chunk) const {
  ChunkHeader header;
  if (file_.ReadAt(OffsetOf(number), &header, sizeof header) != sizeof header) return false;
  if (header.serial == 0 || header.serial == header.released) return false;
  if (const auto known = finished_.find(number);
      known != finished_.end() && known->second == header.serial)
    return false;
  chunk.number = number;
  chunk.serial = header.serial;
  chunk.is_sealed = header.state == static_cast<uint32_t>(record::ChunkState::kSealed);
  // Again, now that serial and state are known: what is sealed is final, and of a new serial
  // nothing old is seen.
  if (file_.ReadAt(OffsetOf(number), &header, sizeof header) != sizeof header ||
      header.serial != chunk.serial)
    return false;
  chunk.lane = static_cast<Lane>(header.lane);
  chunk.committed = std::min(header.committed, record::kChunkPayload);
  chunk.thread = header.thread;
  chunk.thread_serial = header.thread_serial;
  chunk.thread_name = TextOf(header.thread_name, sizeof header.thread_name);
  chunk.opened = header.opened;
  return true;
}

size_t RegionReader::LengthOf(std::string_view bytes) {
  if (bytes.size() < sizeof(RecordHead)) return 0;
  const auto head = Load<RecordHead>(bytes);
  const size_t length = size_t{head.words} * 8;
  const size_t least = LeastLength(head.kind);
  return least == 0 || length < least || length > bytes.size() ? 0 : length;
}

void RegionReader::ReadNamesOf(const Chunk& chunk) {
  RegionPosition::Chunk& read = names_read_[chunk.number];
  if (read.serial != chunk.serial) read = {chunk.serial, 0};
  if (read.consumed >= chunk.committed) return;
  std::string bytes(chunk.committed - read.consumed, '\0');
  const uint64_t offset = OffsetOf(chunk.number) + sizeof(ChunkHeader) + read.consumed;
  bytes.resize(file_.ReadAt(offset, bytes.data(), bytes.size()));
  size_t at = 0;
  while (at < bytes.size()) {
    const std::string_view rest = std::string_view(bytes).substr(at);
    const size_t length = LengthOf(rest);
    const RecordHead head = length == 0 ? RecordHead{} : Load<RecordHead>(rest);
    const auto is_name = head.kind == static_cast<uint8_t>(RecordKind::kName);
    const uint64_t size = is_name ? Load<record::NameRecord>(rest).size : 0;
    if (!is_name || head.name == 0 || head.name >= kMostNames ||
        size > length - sizeof(record::NameRecord)) {
      diagnostics.Add(DiagnosticKind::kDamagedData, offset + at);
      at = bytes.size();
      break;
    }
    // Numbers count up from 1; a gap is a name that waits in the process's memory.
    if (head.name >= names_.size()) {
      if (head.name > names_.size() + 65536) {
        diagnostics.Add(DiagnosticKind::kDamagedData, offset + at);
      } else {
        names_.resize(head.name + 1);
      }
    }
    if (head.name < names_.size() && names_[head.name].empty()) {
      names_[head.name] = rest.substr(sizeof(record::NameRecord), size);
      if (const auto taken = position_.chunks.find(chunk.number);
          taken == position_.chunks.end() || taken->second.serial != chunk.serial ||
          taken->second.consumed <= read.consumed + at) {
        new_names_.push_back(head.name);
      }
    }
    at += length;
  }
  read.consumed += static_cast<uint32_t>(at);
}

void RegionReader::ReadNames() {
  const uint32_t count = ChunkCount();
  for (uint32_t number = 0; number < count; ++number) {
    Chunk chunk;
    if (ReadChunkHeader(number, chunk) && chunk.lane == Lane::kNames) ReadNamesOf(chunk);
  }
}

RegionReader::Outcome RegionReader::FillName(uint32_t number, RegionRecord& record) {
  record.name_number = number;
  if (number == 0) return Outcome::kGood;
  if (number >= names_.size() || names_[number].empty()) {
    // It may have come since the names were read.
    ReadNames();
  }
  if (number < names_.size() && !names_[number].empty()) {
    record.name = names_[number];
    return Outcome::kGood;
  }
  if (info_.held_bytes > 0 && !has_ended_ && !info_.is_closed) return Outcome::kLater;
  diagnostics.Add(DiagnosticKind::kMissingName, std::nullopt);
  unknown_name_ = "unknown/" + std::to_string(number);
  record.name = unknown_name_;
  return Outcome::kGood;
}

RegionReader::Outcome RegionReader::FillBytes(std::string_view bytes, const RecordHead& head,
                                              RegionRecord& record) {
  const auto stored = Load<record::BytesRecord>(bytes);
  bytes.remove_prefix(sizeof stored);
  if (stored.size > bytes.size()) return Outcome::kBad;
  record.step = stored.step;
  record.bytes = bytes.substr(0, stored.size);
  if ((head.flags & record::kInBlob) == 0) return Outcome::kGood;
  if (stored.size != sizeof(record::BlobReference)) return Outcome::kBad;
  const auto reference = Load<record::BlobReference>(record.bytes);
  record.bytes = {};
  std::string path = file_.BlobPath(reference.number);
  if (!file_.ReadBlob(path, reference.size, blob_)) return Outcome::kBad;
  record.bytes = blob_;
  blobs_.push_back(std::move(path));
  return Outcome::kGood;
}

RegionReader::Outcome RegionReader::Fill(const Chunk& chunk, std::string_view bytes,
                                         RegionRecord& record) {
  using Kind = RegionRecord::Kind;
  const auto head = Load<RecordHead>(bytes);
  // All that come here have the time behind the head.
  const auto ticks = Load<record::MomentRecord>(bytes).ticks;
  record.wall_ns = (head.flags & record::kWallTime) != 0 ? static_cast<int64_t>(ticks)
                                                         : clock_.WallOf(ticks, chunk.opened);
  record.thread = chunk.thread;
  record.thread_serial = chunk.thread_serial;
  switch (static_cast<RecordKind>(head.kind)) {
    case RecordKind::kScalar: {
      const auto stored = Load<record::ScalarRecord>(bytes);
      record.kind = Kind::kScalar;
      record.value = stored.value;
      record.step = stored.step;
      return FillName(head.name, record);
    }
    case RecordKind::kText:
    case RecordKind::kValue:
    case RecordKind::kNote: {
      const auto kind = static_cast<RecordKind>(head.kind);
      record.kind = kind == RecordKind::kText
                        ? Kind::kText
                        : (kind == RecordKind::kValue ? Kind::kValue : Kind::kNote);
      const Outcome named = FillName(head.name, record);
      return named == Outcome::kGood ? FillBytes(bytes, head, record) : named;
    }
    case RecordKind::kSpanBegin:
      record.kind = Kind::kSpanBegin;
      return FillName(head.name, record);
    case RecordKind::kSpanEnd:
      record.kind = Kind::kSpanEnd;
      return Outcome::kGood;
    case RecordKind::kInstant:
      record.kind = Kind::kInstant;
      return FillName(head.name, record);
    case RecordKind::kCounter:
      record.kind = Kind::kCounter;
      record.value = Load<record::CounterRecord>(bytes).value;
      return FillName(head.name, record);
    case RecordKind::kStepBegin:
      record.kind = Kind::kStepBegin;
      record.step = Load<record::StepBeginRecord>(bytes).step;
      return Outcome::kGood;
    case RecordKind::kStepEnd: {
      const auto stored = Load<record::StepEndRecord>(bytes);
      record.kind = Kind::kStepEnd;
      record.step = stored.step;
      record.data_wait_ns = stored.data_wait_ns;
      record.value = stored.begin_ticks == 0 || stored.begin_ticks > stored.ticks
                         ? -1
                         : std::round(static_cast<double>(stored.ticks - stored.begin_ticks) *
                                      clock_.ns_per_tick());
      return Outcome::kGood;
    }
    case RecordKind::kHeartbeat:
      record.kind = Kind::kHeartbeat;
      return Outcome::kGood;
    case RecordKind::kName:
    case RecordKind::kThread:
      break;
  }
  return Outcome::kBad;
}

size_t RegionReader::DrainChunk(const Chunk& given, const Use& use) {
  Chunk chunk = given;
  RegionPosition::Chunk& position = position_.chunks[chunk.number];
  if (position.serial != chunk.serial) position = {chunk.serial, 0};
  const auto finish = [&] {
    if (chunk.is_sealed && position.consumed >= chunk.committed)
      finished_[chunk.number] = chunk.serial;
  };
  if (position.consumed >= chunk.committed) {
    finish();
    return 0;
  }
  // From the beginning: on the way it is told which thread the records are of.
  buffer_.resize(chunk.committed);
  const uint64_t offset = OffsetOf(chunk.number) + sizeof(ChunkHeader);
  buffer_.resize(file_.ReadAt(offset, buffer_.data(), buffer_.size()));
  if (!chunk.thread_name.empty()) thread_names_[chunk.thread] = chunk.thread_name;
  size_t handed_over = 0;
  size_t at = 0;
  const std::string_view all = buffer_;
  while (at < all.size()) {
    const std::string_view rest = all.substr(at);
    const size_t length = LengthOf(rest);
    if (length == 0) {
      diagnostics.Add(DiagnosticKind::kDamagedData, offset + at);
      at = all.size();
      position.consumed = chunk.committed;
      break;
    }
    if (rest[0] == static_cast<char>(RecordKind::kThread)) {
      const auto stored = Load<record::ThreadRecord>(rest);
      chunk.thread = stored.thread;
      chunk.thread_serial = stored.thread_serial;
      thread_names_[chunk.thread] = TextOf(stored.thread_name, sizeof stored.thread_name);
    } else if (at >= position.consumed) {
      RegionRecord record;
      const Outcome outcome = Fill(chunk, rest.substr(0, length), record);
      if (outcome == Outcome::kLater) return handed_over;
      if (outcome == Outcome::kBad) {
        diagnostics.Add(DiagnosticKind::kMalformedRecord, offset + at);
      } else {
        use(record);
        ++handed_over;
      }
    }
    at += length;
    position.consumed = std::max(position.consumed, static_cast<uint32_t>(at));
  }
  if (at < chunk.committed) {
    // The file ends inside the chunk.
    diagnostics.Add(DiagnosticKind::kTruncated, offset + at);
    position.consumed = chunk.committed;
  }
  finish();
  return handed_over;
}

Result<size_t> RegionReader::Drain(const Use& use) {
  std::string problem;
  if (!ReadHeader(problem)) return Fail(ErrorCode::kUnreadable, file_.path() + problem, 0);
  // Serials are given in order: what is as old as the newest one seen now is seen whole by the
  // second look. Without this a chunk could be taken behind the reader's back, and its thread's
  // next one be handed over first.
  uint64_t newest = 0;
  for (uint32_t number = 0, count = ChunkCount(); number < count; ++number) {
    uint64_t serial = 0;
    if (file_.ReadAt(OffsetOf(number), &serial, sizeof serial) == sizeof serial)
      newest = std::max(newest, serial);
  }
  std::vector<Chunk> chunks;
  // The file may have grown since.
  for (uint32_t number = 0, count = ChunkCount(); number < count; ++number) {
    Chunk chunk;
    if (!ReadChunkHeader(number, chunk)) continue;
    if (chunk.serial > newest) continue;  // the next time
    if (chunk.lane == Lane::kNames) {
      ReadNamesOf(chunk);
      position_.chunks[number] = {chunk.serial, names_read_[number].consumed};
    } else if (chunk.lane == Lane::kDurable || chunk.lane == Lane::kSpans) {
      chunks.push_back(std::move(chunk));
    } else {
      diagnostics.Add(DiagnosticKind::kDamagedData, OffsetOf(number));
      finished_[number] = chunk.serial;
    }
  }
  size_t handed_over = 0;
  for (const uint32_t number : std::exchange(new_names_, {})) {
    RegionRecord record;
    record.name = names_[number];
    record.wall_ns = info_.started_wall_ns;
    use(record);
    ++handed_over;
  }
  std::sort(chunks.begin(), chunks.end(),
            [](const Chunk& a, const Chunk& b) { return a.serial < b.serial; });
  for (Chunk& chunk : chunks) {
    // Its thread may have filled it and gone on to another one, seen above, since it was looked at:
    // what comes before that one is handed over before.
    if (!chunk.is_sealed) {
      Chunk now;
      if (!ReadChunkHeader(chunk.number, now) || now.serial != chunk.serial) continue;
      chunk = std::move(now);
    }
    handed_over += DrainChunk(chunk, use);
  }
  return handed_over;
}

void RegionReader::Release() {
  if (!file_.is_writable()) return;
  for (const auto& [number, chunk] : position_.chunks) {
    // If it fails, the writer keeps the room for itself.
    (void)file_.WriteAt(OffsetOf(number) + offsetof(ChunkHeader, consumed), chunk.consumed);
  }
  for (const auto& [number, serial] : finished_) {
    if (file_.WriteAt(OffsetOf(number) + offsetof(ChunkHeader, released), serial)) {
      position_.chunks.erase(number);
    }
  }
  std::erase_if(finished_,
                [&](const auto& entry) { return !position_.chunks.contains(entry.first); });
  for (const std::string& blob : std::exchange(blobs_, {})) ::unlink(blob.c_str());
}

}  // namespace telltale
