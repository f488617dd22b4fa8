// SPDX-License-Identifier: Apache-2.0
// A file of the cache: a magic, the checksum of all behind it, then the facts about the event file
// and its tags. Numbers are eight bytes, little endian; texts have their length in front; scalars
// are packed as they are in memory, so that reading them is a copy. Whatever does not fit makes the
// whole file worthless.
#include "runs/column_cache.h"

#include <bit>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io/byte_sink.h"
#include "io/byte_source.h"

namespace telltale {

namespace fs = std::filesystem;

namespace {

// Changes with the layout; the number of kinds tells programs apart whose diagnostics differ.
constexpr std::string_view kMagic("TTCOLS2\n", 8);
constexpr size_t kHead = kMagic.size() + 8;
using Block = ScalarColumn::Block;
static_assert(std::is_trivially_copyable_v<Block>);
constexpr size_t kMostBytes = size_t{8} << 30;

class Writer {
 public:
  void Number(uint64_t value) { out_.append(reinterpret_cast<const char*>(&value), 8); }
  void Signed(int64_t value) { Number(static_cast<uint64_t>(value)); }
  void Real(double value) { Number(std::bit_cast<uint64_t>(value)); }
  void Text(std::string_view text) {
    Number(text.size());
    out_.append(text);
  }
  void Points(ScalarColumn column) {
    column.ShrinkToFit();
    Number(sizeof(Block));
    Number(column.blocks().size());
    out_.append(reinterpret_cast<const char*>(column.blocks().data()),
                column.blocks().size() * sizeof(Block));
    Text({column.bytes().data(), column.bytes().size()});
  }
  [[nodiscard]] const std::string& bytes() const { return out_; }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool done() const { return good_ && rest_.empty(); }
  uint64_t Number() {
    if (rest_.size() < 8) return Bad();
    uint64_t value = 0;
    std::memcpy(&value, rest_.data(), 8);
    rest_.remove_prefix(8);
    return value;
  }
  int64_t Signed() { return static_cast<int64_t>(Number()); }
  double Real() { return std::bit_cast<double>(Number()); }
  std::string Text() { return std::string(Take(Number())); }
  // How many of at least so many bytes each follow.
  uint64_t Count(size_t least) {
    const uint64_t count = Number();
    return count > rest_.size() / least ? Bad() : count;
  }
  void Points(ScalarColumn& column) {
    if (Number() != sizeof(Block)) Bad();
    std::vector<Block> blocks(Count(sizeof(Block)));
    const std::string_view raw = Take(blocks.size() * sizeof(Block));
    if (raw.size() == blocks.size() * sizeof(Block) && !raw.empty()) {
      std::memcpy(static_cast<void*>(blocks.data()), raw.data(), raw.size());
    }
    std::optional<ScalarColumn> made = ScalarColumn::FromBlocks(std::move(blocks), Take(Number()));
    if (!made) {
      Bad();
      return;
    }
    column = std::move(*made);
  }

 private:
  uint64_t Bad() {
    good_ = false;
    rest_ = {};
    return 0;
  }
  std::string_view Take(uint64_t size) {
    if (size > rest_.size()) {
      Bad();
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
  bool good_ = true;
};

void WriteSeries(const SeriesSet& set, Writer& out) {
  out.Text(set.source.compression);
  out.Number(set.source.bytes);
  out.Number(set.source.decoded_bytes);
  out.Number(set.source.events);
  out.Text(set.source.format);
  out.Text(set.writer);
  out.Number(set.first_wall_time ? 1 : 0);
  out.Real(set.first_wall_time.value_or(0));
  out.Real(set.last_wall_time);
  out.Number(set.restarts.size());
  for (const Restart& restart : set.restarts) {
    out.Signed(restart.step);
    out.Real(restart.wall_time);
    out.Number(restart.offset);
  }
  out.Number(set.diagnostics.entries().size());
  for (const Diagnostic& entry : set.diagnostics.entries()) {
    out.Number(static_cast<uint64_t>(entry.kind));
    out.Number(entry.count);
    out.Number(entry.first_offset.value_or(UINT64_MAX));
    out.Text(entry.detail);
  }
  out.Number(set.tags.size());
  for (const SeriesTag& tag : set.tags) {
    out.Text(tag.tag);
    out.Text(tag.plugin);
    out.Text(tag.plugin_content);
    out.Text(tag.display_name);
    out.Text(tag.description);
    out.Number(tag.data_class);
    out.Points(tag.scalars);
    out.Number(tag.values.size());
    for (const StoredValue& value : tag.values) {
      out.Signed(value.step);
      out.Real(value.wall_time);
      out.Number(value.offset);
      out.Number(value.bytes);
    }
    out.Number(tag.restarts.size());
    for (const RestartMark& mark : tag.restarts) {
      out.Number(mark.first_index);
      out.Signed(mark.step);
    }
  }
}

bool ReadSeries(Reader& in, SeriesSet& set) {
  set.source.compression = in.Text();
  set.source.bytes = in.Number();
  set.source.decoded_bytes = in.Number();
  set.source.events = in.Number();
  set.source.format = in.Text();
  set.writer = in.Text();
  const bool has_first = in.Number() != 0;
  const double first = in.Real();
  if (has_first) set.first_wall_time = first;
  set.last_wall_time = in.Real();
  std::vector<Restart> restarts(in.Count(24));
  for (Restart& restart : restarts) {
    restart.step = in.Signed();
    restart.wall_time = in.Real();
    restart.offset = in.Number();
  }
  for (uint64_t count = in.Count(32); count > 0; --count) {
    const uint64_t kind = in.Number();
    const uint64_t times = in.Number();
    const uint64_t offset = in.Number();
    std::string detail = in.Text();
    if (!in.good() || kind >= static_cast<uint64_t>(DiagnosticKind::kCount)) return false;
    const std::optional<uint64_t> where =
        offset == UINT64_MAX ? std::nullopt : std::optional(offset);
    if (detail.empty()) {
      set.diagnostics.Add(DiagnosticKind(kind), where, times);
    } else {
      set.diagnostics.AddWithDetail(DiagnosticKind(kind), where, std::move(detail));
      if (times > 1) set.diagnostics.Add(DiagnosticKind(kind), where, times - 1);
    }
  }
  for (uint64_t count = in.Count(80); count > 0 && in.good(); --count) {
    const std::string name = in.Text();
    const std::string plugin = in.Text();
    SeriesTag& tag = set.tags[set.FindOrAdd(name, plugin)];
    tag.plugin_content = in.Text();
    tag.display_name = in.Text();
    tag.description = in.Text();
    tag.data_class = static_cast<uint8_t>(in.Number());
    in.Points(tag.scalars);
    tag.values.resize(in.Count(32));
    for (StoredValue& value : tag.values) {
      value.step = in.Signed();
      value.wall_time = in.Real();
      value.offset = in.Number();
      value.bytes = in.Number();
    }
    tag.restarts.resize(in.Count(16));
    for (RestartMark& mark : tag.restarts) {
      mark.first_index = in.Number();
      mark.step = in.Signed();
    }
  }
  // Behind the tags, which know them already.
  set.restarts = std::move(restarts);
  return in.done();
}

}  // namespace

std::string ColumnCache::PathOf(const std::string& real) const {
  return fmt::format("{}/{:016x}.cols", folder_, XXH3_64bits(real.data(), real.size()));
}

std::optional<ColumnCache::Kept> ColumnCache::Get(const std::string& real) const {
  const std::string path = PathOf(real);
  if (!StampOf(path)) return std::nullopt;
  const Result<std::string> bytes = ReadSmallFile(path, {}, kMostBytes);
  if (!bytes || bytes->size() < kHead || !bytes->starts_with(kMagic)) return std::nullopt;
  const std::string_view body = std::string_view(*bytes).substr(kHead);
  uint64_t sum = 0;
  std::memcpy(&sum, bytes->data() + kMagic.size(), 8);
  if (sum != XXH3_64bits(body.data(), body.size())) return std::nullopt;
  Reader in(body);
  if (in.Number() != static_cast<uint64_t>(DiagnosticKind::kCount) || in.Text() != real) {
    return std::nullopt;
  }
  Kept kept;
  kept.stamp.bytes = in.Number();
  kept.stamp.modified_ns = in.Signed();
  kept.stamp.inode = in.Number();
  kept.stamp.device = in.Number();
  kept.position = in.Number();
  kept.fingerprint = in.Number();
  if (!ReadSeries(in, kept.series)) return std::nullopt;
  return kept;
}

void ColumnCache::Put(const std::string& real, const SeriesSet& series, uint64_t position,
                      const FileStamp& stamp, uint64_t fingerprint) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return;
  Writer out;
  out.Number(static_cast<uint64_t>(DiagnosticKind::kCount));
  out.Text(real);
  out.Number(stamp.bytes);
  out.Signed(stamp.modified_ns);
  out.Number(stamp.inode);
  out.Number(stamp.device);
  out.Number(position);
  out.Number(fingerprint);
  WriteSeries(series, out);
  const uint64_t sum = XXH3_64bits(out.bytes().data(), out.bytes().size());
  Result<std::unique_ptr<ByteSink>> sink = OpenFileSink(PathOf(real), SinkCompression::kNone);
  if (!sink) return;
  (*sink)->Write(kMagic);
  (*sink)->Write({reinterpret_cast<const char*>(&sum), 8});
  (*sink)->Write(out.bytes());
  (void)(*sink)->Close();
}

}  // namespace telltale
