// SPDX-License-Identifier: Apache-2.0
#include "collect/simple_report.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "collect/files.h"
#include "formats/perfetto/dialect.h"
#include "formats/perfetto/fields.h"
#include "formats/perfetto/packets.h"
#include "model/action_name.h"

namespace telltale {

namespace {

namespace event = perfetto::event;
namespace packet = perfetto::packet;
using perfetto::MessageReader;

constexpr size_t kMostPacketBytes = size_t{1} << 20;
constexpr std::string_view kEnding = ".pftrace";

struct Open {
  uint32_t action = 0;
  int64_t begin_ns = 0;
};

// A thread: its names, its time and what is open.
struct Sequence {
  uint64_t track = 0;
  int64_t now_ns = 0;
  std::unordered_map<uint64_t, uint32_t> names;  // to actions
};

class Adder {
 public:
  void Take(std::string_view bytes) {
    uint64_t id = 0;
    uint64_t clock = 0;
    uint64_t flags = 0;
    int64_t time_ns = 0;
    std::string_view track_event;
    std::array<std::pair<uint32_t, std::string_view>, 3> parts;
    size_t count = 0;
    MessageReader reader(bytes);
    while (reader.Next()) {
      const perfetto::Field& field = reader.field();
      switch (field.number) {
        case packet::kSequenceId:
          id = field.value;
          break;
        case packet::kSequenceFlags:
          flags = field.value;
          break;
        case packet::kTimestamp:
          time_ns = field.Signed();
          break;
        case packet::kTimestampClockId:
          clock = field.value;
          break;
        case packet::kTrackEvent:
          track_event = field.bytes;
          break;
        case packet::kDefaults:
        case packet::kInternedData:
        case packet::kClockSnapshot:
          if (count < parts.size()) parts[count++] = {field.number, field.bytes};
          break;
        default:
          break;
      }
    }
    if (reader.bad()) return;
    Sequence& sequence = sequences_[id];
    if ((flags & packet::kFlagStateCleared) != 0) sequence = {};
    for (size_t i = 0; i < count; ++i) {
      if (parts[i].first == packet::kDefaults) TakeDefaults(parts[i].second, sequence);
      if (parts[i].first == packet::kInternedData) TakeNames(parts[i].second, sequence);
      if (parts[i].first == packet::kClockSnapshot) TakeClock(parts[i].second, sequence);
    }
    if (track_event.empty()) return;
    // Packets with a clock of their own are steps and counts.
    if (clock != 0) return TakeCounts(track_event);
    sequence.now_ns += time_ns;
    TakeEvent(track_event, sequence);
  }

  [[nodiscard]] SpanSums Finish() && {
    std::ranges::sort(sums_.actions, [](const ActionSum& a, const ActionSum& b) {
      return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.action < b.action;
    });
    return std::move(sums_);
  }

 private:
  static void TakeDefaults(std::string_view bytes, Sequence& sequence) {
    for (MessageReader reader(bytes); reader.Next();) {
      if (reader.field().number != perfetto::defaults::kTrackEvent) continue;
      for (MessageReader inner(reader.field().bytes); inner.Next();) {
        if (inner.field().number == event::kTrackUuid) sequence.track = inner.field().value;
      }
    }
  }

  void TakeNames(std::string_view bytes, Sequence& sequence) {
    for (MessageReader reader(bytes); reader.Next();) {
      if (reader.field().number != perfetto::interned::kEventNames) continue;
      uint64_t number = 0;
      std::string_view text;
      for (MessageReader entry(reader.field().bytes); entry.Next();) {
        if (entry.field().number == perfetto::interned::kIid) number = entry.field().value;
        if (entry.field().number == perfetto::interned::kText) text = entry.field().bytes;
      }
      const auto [at, is_new] =
          numbers_.try_emplace(ActionOf(text), static_cast<uint32_t>(sums_.actions.size()));
      if (is_new) sums_.actions.push_back({at->first, 0, 0});
      sequence.names[number] = at->second;
    }
  }

  static void TakeClock(std::string_view bytes, Sequence& sequence) {
    for (MessageReader reader(bytes); reader.Next();) {
      if (reader.field().number != perfetto::clocks::kClock) continue;
      int64_t time_ns = 0;
      bool counts_up = false;
      for (MessageReader inner(reader.field().bytes); inner.Next();) {
        if (inner.field().number == perfetto::clocks::kTimestamp) time_ns = inner.field().Signed();
        if (inner.field().number == perfetto::clocks::kIsIncremental) counts_up = true;
      }
      if (counts_up) sequence.now_ns = time_ns;
    }
  }

  void TakeEvent(std::string_view bytes, const Sequence& sequence) {
    uint64_t type = 0;
    uint64_t name = 0;
    for (MessageReader reader(bytes); reader.Next();) {
      if (reader.field().number == event::kType) type = reader.field().value;
      if (reader.field().number == event::kNameIid) name = reader.field().value;
      if (reader.field().number == event::kTrackUuid) return;  // a counter
    }
    std::vector<Open>& open = open_[sequence.track];
    if (type == event::kSliceBegin) {
      const auto known = sequence.names.find(name);
      if (known == sequence.names.end()) return;
      if (sums_.calls++ == 0) sums_.first_ns = sequence.now_ns;
      sums_.first_ns = std::min(sums_.first_ns, sequence.now_ns);
      ++sums_.actions[known->second].calls;
      open.push_back({known->second, sequence.now_ns});
    } else if (type == event::kSliceEnd && !open.empty()) {
      const Open ended = open.back();
      open.pop_back();
      sums_.last_ns = std::max(sums_.last_ns, sequence.now_ns);
      const auto is_same = [&](const Open& one) { return one.action == ended.action; };
      if (std::ranges::any_of(open, is_same)) return;
      sums_.actions[ended.action].total_ns += sequence.now_ns - ended.begin_ns;
    }
  }

  void TakeCounts(std::string_view bytes) {
    uint64_t missing = 0;
    for (MessageReader reader(bytes); reader.Next();) {
      if (reader.field().number != event::kAnnotations) continue;
      std::string_view name;
      uint64_t count = 0;
      for (MessageReader inner(reader.field().bytes); inner.Next();) {
        if (inner.field().number == perfetto::annotation::kName) name = inner.field().bytes;
        if (inner.field().number == perfetto::annotation::kUint) count = inner.field().value;
      }
      if (name == perfetto::kDroppedCount || name == perfetto::kLeftOutCount) missing += count;
    }
    sums_.missing = std::max(sums_.missing, missing);
  }

  SpanSums sums_;
  std::map<std::string, uint32_t, std::less<>> numbers_;  // of actions
  std::unordered_map<uint64_t, Sequence> sequences_;
  std::unordered_map<uint64_t, std::vector<Open>> open_;  // by track
};

std::string Seconds(int64_t ns) { return fmt::format("{:.5g}", static_cast<double>(ns) / 1e9); }

void AddTable(const SpanSums& sums, std::string& out) {
  using Row = std::array<std::string, 5>;
  std::vector<Row> rows = {
      {"Action", "Mean duration (s)", "Num calls", "Total time (s)", "Percentage %"}};
  rows.push_back({"Total", "-", fmt::format("{}", sums.calls), Seconds(sums.wall_ns()), "100"});
  for (const ActionSum& sum : sums.actions) {
    if (sum.calls == 0) continue;
    const double share = sums.wall_ns() > 0 ? 100.0 * static_cast<double>(sum.total_ns) /
                                                  static_cast<double>(sums.wall_ns())
                                            : 0;
    // A name is any bytes; a line stays a line.
    std::string action = sum.action;
    std::ranges::replace_if(
        action, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    rows.push_back({std::move(action),
                    fmt::format("{:.5g}", static_cast<double>(sum.total_ns) / 1e9 /
                                              static_cast<double>(sum.calls)),
                    fmt::format("{}", sum.calls), Seconds(sum.total_ns),
                    fmt::format("{:.5g}", share)});
  }
  std::array<size_t, 5> widths = {};
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    out += fmt::format("{:<{}}", row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i) out += fmt::format("   {:>{}}", row[i], widths[i]);
    out += '\n';
  }
}

}  // namespace

Result<SpanSums> SumSpans(ByteSource& source) {
  Diagnostics diagnostics;
  perfetto::PacketStream packets(source, diagnostics, kMostPacketBytes);
  Adder adder;
  for (;;) {
    const Result<std::optional<perfetto::Packet>> next = packets.Next();
    if (!next) return tl::unexpected(next.error());
    if (!*next) break;
    adder.Take((*next)->bytes);
  }
  return std::move(adder).Finish();
}

std::string SimpleReport(const std::vector<SpanSums>& sums) {
  std::string out;
  for (const SpanSums& one : sums) {
    if (!out.empty()) out += '\n';
    if (sums.size() > 1) out += one.file + "\n\n";
    AddTable(one, out);
    if (one.missing > 0) {
      out += fmt::format("\n{} spans are not in these numbers: they could not be kept.\n",
                         one.missing);
    }
  }
  out +=
      "\nWall time on the CPU. Actions nest, so percentages may add up to more than 100. Work that "
      "a GPU does\nbehind the program's back is in the action that waited for it.\n";
  return out;
}

Result<void> WriteSimpleReport(const std::string& profiler_folder) {
  std::vector<std::string> paths;
  std::error_code problem;
  for (std::filesystem::directory_iterator at(profiler_folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("spans") && name.ends_with(kEnding)) paths.push_back(at->path().string());
  }
  std::ranges::sort(paths);
  std::vector<SpanSums> all;
  for (const std::string& path : paths) {
    const Result<std::unique_ptr<ByteSource>> source = OpenSource(path, {});
    if (!source) return tl::unexpected(source.error());
    Result<SpanSums> sums = SumSpans(**source);
    if (!sums) return tl::unexpected(sums.error());
    if (sums->calls == 0) continue;
    sums->file = std::filesystem::path(path).stem().string();
    all.push_back(std::move(*sums));
  }
  if (all.empty()) return {};
  return WriteWhole(profiler_folder + "/simple.txt", SimpleReport(all), false);
}

}  // namespace telltale
