// SPDX-License-Identifier: Apache-2.0
#include "collect/region_intake.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "collect/call_report.h"
#include "collect/clock.h"
#include "io/byte_source.h"
#include "record/call_layout.h"

namespace telltale {

namespace {

constexpr size_t kMostPendingBytes = size_t{8} << 20;
constexpr size_t kMostTakenBytes = size_t{64} << 20;
constexpr std::string_view kRing = ".ring";

// Field 22 of /proc/PID/stat; none: there is no such process, or it is a corpse.
std::optional<uint64_t> StartTicks(uint64_t pid) {
  const Result<std::string> text = ReadSmallFile(fmt::format("/proc/{}/stat", pid), {}, 4096);
  if (!text) return std::nullopt;
  const size_t close = text->rfind(')');
  if (close == std::string::npos || close + 2 >= text->size()) return std::nullopt;
  std::string_view rest = std::string_view(*text).substr(close + 2);
  if (rest[0] == 'Z' || rest[0] == 'X') return std::nullopt;
  for (int field = 3; field < 22; ++field) {
    const size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  uint64_t ticks = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), ticks);
  return ticks;
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

uint64_t NumberIn(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The file of a process that was killed before it could record anything.
bool IsStillborn(const std::string& path, std::string_view stem) {
  struct stat state = {};
  if (::lstat(path.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return false;
  if (StartTicks(NumberIn(stem))) return false;
  std::array<char, sizeof record::kMagic> magic = {};
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid() || ::read(file.get(), magic.data(), magic.size()) < 0) return false;
  return std::ranges::all_of(magic, [](char c) { return c == '\0'; });
}

// A file that a process has mapped; the name may be a link to where it is.
void RemoveMapped(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path target = std::filesystem::read_symlink(path, problem);
  if (!problem) ::unlink(target.c_str());
  ::unlink(path.c_str());
}

}  // namespace

struct RegionIntake::Region {
  std::string stem;
  std::string path;  // of the ring
  std::optional<RegionReader> reader;
  RegionPosition safe_position;
  std::string safe_facts;  // lines of .taken that are about neither spans nor the position
  uint64_t safe_length = 0;
  ProcessFacts facts;
  std::unique_ptr<EventFile> events;
  std::string step_prefix;  // of its step series: "telltale/", or a rank's own; empty: none yet
  std::map<std::string, int64_t, std::less<>> next_steps;  // of tags that are logged without step
  std::unique_ptr<SpanFile> spans;
  bool is_bad = false;  // nothing more will come of it
  bool has_problem = false;
  std::optional<Error> write_problem;
};

RegionIntake::RegionIntake(RunFolder folder, std::string host, RunFacts& facts, Trouble& trouble,
                           std::function<bool()> write_facts)
    : folder_(std::move(folder)),
      host_(std::move(host)),
      facts_(facts),
      trouble_(trouble),
      write_facts_(std::move(write_facts)) {}

RegionIntake::~RegionIntake() = default;

void RegionIntake::Look() {
  DIR* const folder = ::opendir(folder_.Live().c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (!name.ends_with(kRing)) continue;
    std::string stem(name.substr(0, name.size() - kRing.size()));
    if (regions_.contains(stem)) continue;
    auto region = std::make_unique<Region>();
    region->stem = stem;
    region->path = folder_.Live() + "/" + std::string(name);
    regions_.emplace(std::move(stem), std::move(region));
  }
  ::closedir(folder);
}

bool RegionIntake::Open(Region& region) {
  Result<RegionReader> reader = RegionReader::Open(region.path);
  // Not ready yet, or a link into the memory of another machine, which has a collector of its own.
  if (!reader) return false;
  region.reader = std::move(*reader);
  const RegionHeaderInfo& info = region.reader->info();
  ProcessFacts& facts = region.facts;
  facts.pid = info.pid;
  if (info.rank >= 0 && !facts.rank) facts.rank = info.rank;
  if (info.local_rank >= 0 && !facts.local_rank) facts.local_rank = info.local_rank;
  facts.is_worker = info.role == record::Role::kWorker;
  SpanFileState spans;
  const std::string taken_path = folder_.Live() + "/" + region.stem + ".taken";
  if (const Result<std::string> taken = ReadFile(taken_path, kMostTakenBytes)) {
    std::string_view rest = *taken;
    region.safe_facts.clear();
    while (!rest.empty()) {
      const std::string_view line = TakeLine(rest);
      const size_t space = line.find(' ');
      const std::string_view key = line.substr(0, space);
      const std::string_view value =
          space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
      if (spans.Take(key, value)) continue;
      if (key != "position") region.safe_facts += fmt::format("{}\n", line);
      if (key == "length") {
        region.safe_length = NumberIn(value);
      } else if (key == "steps") {
        facts.steps = NumberIn(value);
      } else if (key == "step_prefix") {
        region.step_prefix = value;
      } else if (key == "failed") {
        facts.has_failed = true;
      } else if (key == "rank") {
        facts.rank = static_cast<int64_t>(NumberIn(value));
      } else if (key == "exit_code") {
        facts.exit_code = static_cast<int>(NumberIn(value));
      } else if (key == "next_step") {
        const size_t next = value.find(' ');
        if (next != std::string_view::npos) {
          region.next_steps[std::string(value.substr(next + 1))] =
              static_cast<int64_t>(NumberIn(value.substr(0, next)));
        }
      } else if (key == "position") {
        if (Result<RegionPosition> position = RegionPosition::Parse(rest)) {
          region.safe_position = std::move(*position);
        }
        break;
      }
    }
    if (region.step_prefix == "telltale/") steps_have_owner_ = true;
  }
  region.reader->Resume(region.safe_position);
  const std::string path =
      fmt::format("{}/events/events.out.tfevents.{}.{}.{}.telltale", folder_.path,
                  info.started_wall_ns / 1'000'000'000, host_, region.stem);
  region.events = std::make_unique<EventFile>(path, region.safe_length);
  region.spans = std::make_unique<SpanFile>(folder_.path + "/profiler", info, std::move(spans),
                                            SpanLimitBytes());
  return true;
}

bool RegionIntake::NoteTaken(Region& region) const {
  std::string text =
      fmt::format("length {}\nsteps {}\n", region.events->length(), region.facts.steps);
  if (!region.step_prefix.empty()) text += fmt::format("step_prefix {}\n", region.step_prefix);
  if (region.facts.has_failed) text += "failed\n";
  if (region.facts.rank) text += fmt::format("rank {}\n", *region.facts.rank);
  if (region.facts.exit_code) text += fmt::format("exit_code {}\n", *region.facts.exit_code);
  for (const auto& [tag, next] : region.next_steps) {
    if (tag.find('\n') == std::string::npos) text += fmt::format("next_step {} {}\n", next, tag);
  }
  if (!WriteTaken(region, text, region.reader->position())) return false;
  region.safe_facts = std::move(text);
  return true;
}

bool RegionIntake::WriteTaken(const Region& region, std::string_view facts,
                              const RegionPosition& position) const {
  const std::string text =
      fmt::format("{}{}position\n{}", facts, region.spans->State().Text(), position.Text());
  const std::string path = folder_.Live() + "/" + region.stem + ".taken";
  return WriteWhole(path, text, false).has_value();
}

int64_t RegionIntake::StepOf(Region& region, const RegionRecord& record) {
  if (record.step != INT64_MIN) return record.step;
  const auto at = region.next_steps.find(record.name);
  if (at != region.next_steps.end()) return at->second++;
  region.next_steps.emplace(record.name, 1);
  return 0;
}

void RegionIntake::TakeStep(Region& region, const RegionRecord& record) {
  ProcessFacts& facts = region.facts;
  if (region.step_prefix.empty()) {
    // One process has the run's own step series; those of others stand beside it. Of a joint run's
    // members only the first may take it without knowing its rank.
    const int64_t rank = facts.rank.value_or(folder_.is_first ? 0 : 1);
    if (rank == 0 && !facts.is_worker && !steps_have_owner_) {
      region.step_prefix = "telltale/";
      steps_have_owner_ = true;
    } else if (facts.rank) {
      region.step_prefix = fmt::format("telltale/rank-{}/", *facts.rank);
    } else {
      region.step_prefix = fmt::format("telltale/process-{}/", facts.pid);
    }
  }
  const auto number = static_cast<int64_t>(facts.steps++);
  if (record.value >= 0) {
    region.events->Scalar(region.step_prefix + "step_time_s", record.value / 1e9, number,
                          record.wall_ns);
  }
  if (record.data_wait_ns >= 0) {
    region.events->Scalar(region.step_prefix + "data_wait_s",
                          static_cast<double>(record.data_wait_ns) / 1e9, number, record.wall_ns);
  }
}

void RegionIntake::Take(Region& region, const RegionRecord& record) {
  using Kind = RegionRecord::Kind;
  region.facts.last_wall_ns = std::max(region.facts.last_wall_ns, record.wall_ns);
  switch (record.kind) {
    case Kind::kScalar:
      region.events->Scalar(record.name, record.value, StepOf(region, record), record.wall_ns);
      break;
    case Kind::kText:
      region.events->Text(record.name, record.bytes, StepOf(region, record), record.wall_ns);
      break;
    case Kind::kValue:
      region.events->Value(record.name, record.bytes, StepOf(region, record), record.wall_ns);
      break;
    case Kind::kNote:
      if (!facts_.Take(record.name, record.bytes, record.wall_ns, region.facts)) {
        trouble_.Tell(fmt::format("note {}", record.name),
                      fmt::format("a note '{}' of process {} was not understood", record.name,
                                  region.facts.pid));
      }
      break;
    case Kind::kStepEnd:
      TakeStep(region, record);
      region.spans->Take(record, region.reader->thread_names());
      break;
    case Kind::kSpanBegin:
    case Kind::kSpanEnd:
    case Kind::kInstant:
    case Kind::kCounter:
      region.spans->Take(record, region.reader->thread_names());
      if (region.spans->pending_bytes() >= kMostPendingBytes) AppendSpans(region);
      return;
    case Kind::kName:
    case Kind::kStepBegin:
    case Kind::kHeartbeat:
      break;
  }
  if (region.events->pending_bytes() < kMostPendingBytes || region.write_problem) return;
  if (const Result<void> appended = region.events->Append(); !appended) {
    region.write_problem = appended.error();
  }
}

// Spans that cannot be written are lost, and counted; nothing else waits for them.
void RegionIntake::AppendSpans(Region& region) {
  Result<void> appended = {};
  if (region.spans->NeedsName()) {
    appended = region.spans->Claim(region.facts.rank.value_or(-1), region.facts.is_worker);
    // Before anything is in it: whoever goes on finds it, and makes no second one.
    if (appended && !WriteTaken(region, region.safe_facts, region.safe_position)) {
      appended = Fail(ErrorCode::kUnwritable, SystemProblem("cannot write into", folder_.Live()));
    }
  }
  if (appended) appended = region.spans->Append();
  if (appended) return;
  trouble_.Tell("spans", appended.error().message +
                             "; the program goes on, and spans are lost until it can be written");
  region.spans->Forget();
}

void RegionIntake::Undo(Region& region, const std::string& problem) {
  trouble_.Tell("events", problem +
                              "; the program goes on, and what it records is kept until "
                              "there is room again");
  region.has_problem = true;
  region.events->Forget(region.safe_length);
  region.reader.reset();  // opened again, it begins where it was safe
}

uint64_t RegionIntake::DrainRegion(Region& region) {
  if (region.is_bad) return 0;
  if (!region.reader && !Open(region)) return 0;
  const ProcessFacts before = region.facts;
  const auto next_steps_before = region.next_steps;
  const bool had_owner = steps_have_owner_;
  const std::string prefix_before = region.step_prefix;
  region.write_problem.reset();
  // Asked before the records are read: what a process that is gone has stored is all there.
  region.facts.is_alive =
      StartTicks(region.facts.pid) == std::optional(region.reader->info().process_start);
  if (!region.facts.is_alive) region.reader->SetProcessEnded();
  const uint64_t events_before = region.events->events();
  const Result<size_t> count =
      region.reader->Drain([&](const RegionRecord& record) { Take(region, record); });
  if (!count) {
    trouble_.Tell(region.stem, count.error().message);
    region.is_bad = true;
    return 0;
  }
  region.facts.is_closed = region.reader->info().is_closed;
  if (*count == 0) return 0;
  region.spans->SetDropped(region.reader->dropped_spans());
  AppendSpans(region);
  Result<void> appended = region.write_problem ? Result<void>(tl::unexpected(*region.write_problem))
                                               : region.events->Append();
  if (appended && facts_.TakeChanged() && !write_facts_()) {
    appended = Fail(ErrorCode::kUnwritable, "run.json cannot be written");
  }
  if (appended && !NoteTaken(region)) {
    appended = Fail(ErrorCode::kUnwritable, SystemProblem("cannot write into", folder_.Live()));
  }
  if (!appended) {
    Undo(region, appended.error().message);
    region.facts = before;
    region.next_steps = next_steps_before;
    region.step_prefix = prefix_before;
    steps_have_owner_ = had_owner;
    return 0;
  }
  region.has_problem = false;
  region.safe_position = region.reader->position();
  region.safe_length = region.events->length();
  region.reader->Release();
  events_ += region.events->events() - events_before;
  return *count;
}

uint64_t RegionIntake::Drain() {
  Look();
  uint64_t count = 0;
  for (auto& [stem, region] : regions_) count += DrainRegion(*region);
  return count;
}

// What `--profile advanced` has kept of a process that is gone. False: there is no room for it yet.
bool RegionIntake::TakeCalls(Region& region) {
  const std::string live = folder_.Live() + "/" + region.stem + record::kCallEnding;
  if (::access(live.c_str(), F_OK) != 0) return true;
  std::string remark;
  const Result<void> written =
      WriteCalls(live, folder_.path + "/profiler", region.facts, WallNow(), remark);
  if (!written) {
    trouble_.Tell("advanced", "advanced: " + written.error().message);
    if (written.error().code == ErrorCode::kUnwritable) return false;
  }
  if (!remark.empty()) trouble_.Tell(remark, remark);
  RemoveMapped(live);
  return true;
}

void RegionIntake::RemoveFinished() {
  for (auto at = regions_.begin(); at != regions_.end();) {
    Region& region = *at->second;
    if (!region.reader && IsStillborn(region.path, region.stem)) {
      ::unlink(region.path.c_str());
      at = regions_.erase(at);
      continue;
    }
    if (!region.reader || region.facts.is_alive || region.has_problem || region.is_bad) {
      ++at;
      continue;
    }
    // It was dead before its last records were read.
    if (!TakeCalls(region)) {
      ++at;
      continue;
    }
    region.spans->SetDropped(region.reader->dropped_spans());
    region.spans->CloseOpenSpans();
    AppendSpans(region);
    dropped_before_ += region.reader->dropped_spans();
    left_out_before_ += region.spans->left_out();
    region.reader.reset();
    RemoveMapped(region.path);
    ::unlink((folder_.Live() + "/" + region.stem + ".taken").c_str());
    finished_.push_back(region.facts);
    at = regions_.erase(at);
  }
}

std::vector<ProcessFacts> RegionIntake::processes() const {
  std::vector<ProcessFacts> out = finished_;
  for (const auto& [stem, region] : regions_) {
    if (region->facts.pid != 0) out.push_back(region->facts);
  }
  return out;
}

bool RegionIntake::is_anyone_alive() const {
  return std::ranges::any_of(regions_, [](const auto& item) {
    return item.second->reader && item.second->facts.is_alive;
  });
}

uint64_t RegionIntake::steps() const {
  uint64_t most = 0;
  uint64_t of_rank_0 = 0;
  for (const ProcessFacts& process : processes()) {
    most = std::max(most, process.steps);
    if (process.rank.value_or(-1) == 0) of_rank_0 = std::max(of_rank_0, process.steps);
  }
  return of_rank_0 > 0 ? of_rank_0 : most;
}

uint64_t RegionIntake::dropped_spans() const {
  uint64_t out = dropped_before_;
  for (const auto& [stem, region] : regions_) {
    if (region->reader) out += region->reader->dropped_spans();
  }
  return out;
}

uint64_t RegionIntake::left_out_spans() const {
  uint64_t out = left_out_before_;
  for (const auto& [stem, region] : regions_) {
    if (region->spans) out += region->spans->left_out();
  }
  return out;
}

}  // namespace telltale
