// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/allocations.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/core/sums.h"
#include "analysis/modules/spans.h"
#include "base/cancel.h"

namespace telltale {

namespace {

constexpr size_t kLargestBlocks = 20;

// Sums by a key that each row has or lacks (kNoMemoryText).
class Shares {
 public:
  template <typename MakeName>
  void Add(uint64_t key, int64_t bytes, MakeName make_name) {
    const uint32_t number = numbers_.Number(key);
    if (number == shares_.size()) shares_.push_back({make_name(), 0, uint64_t{0}});
    AddTo(shares_[number].bytes, bytes);
    ++*shares_[number].count;
  }
  [[nodiscard]] std::vector<MemoryShare> Take() {
    std::stable_sort(shares_.begin(), shares_.end(),
                     [](const MemoryShare& a, const MemoryShare& b) {
                       return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
                     });
    return std::move(shares_);
  }

 private:
  KeyNumbers numbers_;
  std::vector<MemoryShare> shares_;
};

}  // namespace

std::string ShownOperator(const std::string& op, const std::string* parent) {
  return parent != nullptr && op.starts_with("aten::empty") ? *parent + " (" + op + ")" : op;
}

std::optional<size_t> StepIndexAt(const Steps& steps, int64_t time_ns) {
  const auto after =
      std::upper_bound(steps.rows.begin(), steps.rows.end(), time_ns,
                       [](int64_t time, const Step& step) { return time < step.host.start_ns; });
  if (after == steps.rows.begin()) return std::nullopt;
  const Step& step = *(after - 1);
  if (time_ns >= step.host.end_ns) return std::nullopt;
  return static_cast<size_t>(after - 1 - steps.rows.begin());
}

MemoryBlocks PairInstants(const Trace& trace, const PlaceInstants& instants) {
  const MemoryTable& memory = trace.memory;
  MemoryBlocks result;
  KeyNumbers addresses;
  std::vector<uint32_t> open;  // by address number: index of its block, kNoRow: none
  CancelCheck cancel;
  for (uint32_t position = 0; position < instants.rows.size(); ++position) {
    cancel.Tick();
    const uint32_t row = instants.rows[position];
    const int64_t bytes = memory.bytes[row];
    const uint64_t address = memory.address[row];
    if (bytes == 0) continue;
    if (address == kNoUint) {
      if (bytes > 0) result.blocks.push_back({position, kNoRow});
      continue;
    }
    result.paired = true;
    const uint32_t number = addresses.Number(address);
    if (number == open.size()) open.push_back(kNoRow);
    if (bytes > 0) {
      open[number] = static_cast<uint32_t>(result.blocks.size());
      result.blocks.push_back({position, kNoRow});
    } else if (open[number] != kNoRow) {
      result.blocks[open[number]].released = position;
      open[number] = kNoRow;
    } else {
      result.blocks.push_back({kNoRow, position});
    }
  }
  return result;
}

MemoryText MemoryTexts::NewText(std::string text) {
  texts_.push_back(std::move(text));
  return static_cast<MemoryText>(texts_.size() - 1);
}

MemoryText MemoryTexts::Name(StringId name) {
  const uint32_t number = numbers_.Number(static_cast<uint32_t>(name));
  if (number == by_id_.size()) by_id_.push_back(NewText(std::string(context_.trace.Text(name))));
  return by_id_[number];
}

MemoryText MemoryTexts::Module(SpanRow span) {
  const Trace& trace = context_.trace;
  const StringId name = trace.spans.name[span];
  const uint32_t number = modules_.Number(static_cast<uint32_t>(name));
  if (number < by_module_.size()) return by_module_[number];
  const auto parsed = ParseModuleName(trace.spans.category[span], trace.Text(name));
  std::string_view text = trace.Text(name);
  if (parsed) text = parsed->path.empty() ? parsed->label : parsed->path;
  by_module_.push_back(NewText(std::string(text)));
  return by_module_.back();
}

MemoryText MemoryTexts::StepAt(int64_t time_ns) {
  if (context_.steps.source == StepSource::kWholeTrace) return kNoMemoryText;
  const std::optional<size_t> step = StepIndexAt(context_.steps, time_ns);
  if (!step) return kNoMemoryText;
  MemoryText& text = steps_[*step];
  if (text != kNoMemoryText) return text;
  // Steps of one name are one row.
  std::string name = StepName(context_.trace, context_.steps, context_.steps.rows[*step]);
  const auto [at, is_new] = step_names_.try_emplace(name, kNoMemoryText);
  if (is_new) at->second = NewText(std::move(name));
  text = at->second;
  return text;
}

AllocationRow BlockRows::Row(const PlaceInstants& instants, const MemoryBlock& block) {
  const Trace& trace = context_.trace;
  const MemoryTable& memory = trace.memory;
  const auto absolute = [&](uint32_t instant) {
    int64_t time_ns = memory.time_ns[instant];
    AddTo(time_ns, trace.base_time_ns);
    return time_ns;
  };
  AllocationRow row;
  if (block.released != kNoRow) row.released_ns = absolute(instants.rows[block.released]);
  const bool recorded = block.allocated != kNoRow;
  const uint32_t instant = instants.rows[recorded ? block.allocated : block.released];
  if (memory.address[instant] != kNoUint) row.address = memory.address[instant];
  row.bytes = recorded ? memory.bytes[instant] : Difference(0, memory.bytes[instant]);
  if (!recorded) return row;
  row.allocated_ns = absolute(instant);
  row.step = texts_.StepAt(memory.time_ns[instant]);
  if (const SpanRow module = owners_.module[instant]; module != kNoRow)
    row.module = texts_.Module(module);
  if (const NodeId owner = owners_.owner[instant]; owner != kNoRow) {
    row.op = texts_.Name(trace.spans.name[context_.tree.span[owner]]);
    if (const NodeId parent = owners_.parent[owner]; parent != kNoRow) {
      row.parent_op = texts_.Name(trace.spans.name[context_.tree.span[parent]]);
    }
  }
  return row;
}

MemoryAtPeak DescribeAlive(const std::vector<MemoryBlock>& blocks,
                           const std::vector<AllocationRow>& rows,
                           const std::vector<std::string>& texts, uint32_t position) {
  MemoryAtPeak peak;
  Shares operators;
  Shares modules;
  Shares steps;
  Shares frames;
  bool any_operator = false;
  bool any_module = false;
  bool any_step = false;
  bool any_frame = false;
  std::vector<uint32_t> alive;
  const auto text = [&](MemoryText t) { return t == kNoMemoryText ? std::string() : texts[t]; };
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].allocated == kNoRow ? !blocks[i].always : blocks[i].allocated > position)
      continue;
    if (blocks[i].released != kNoRow && blocks[i].released <= position) continue;
    const AllocationRow& row = rows[i];
    alive.push_back(i);
    AddTo(peak.known_bytes, row.bytes);
    const bool with_parent = row.op != kNoMemoryText && row.parent_op != kNoMemoryText &&
                             texts[row.op].starts_with("aten::empty");
    const MemoryText parent = with_parent ? row.parent_op : kNoMemoryText;
    operators.Add((uint64_t{row.op} << 32) | parent, row.bytes, [&] {
      return row.op == kNoMemoryText
                 ? std::string()
                 : ShownOperator(texts[row.op], with_parent ? &texts[parent] : nullptr);
    });
    modules.Add(row.module, row.bytes, [&] { return text(row.module); });
    steps.Add(row.step, row.bytes, [&] { return text(row.step); });
    frames.Add(row.frame, row.bytes, [&] { return text(row.frame); });
    any_operator |= row.op != kNoMemoryText;
    any_frame |= row.frame != kNoMemoryText;
    any_module |= row.module != kNoMemoryText;
    any_step |= row.step != kNoMemoryText;
  }
  if (any_operator || !any_frame) peak.by_operator = operators.Take();
  if (any_frame) peak.by_frame = frames.Take();
  if (any_module) peak.by_module = modules.Take();
  if (any_step) peak.by_step = steps.Take();
  const size_t shown = std::min(alive.size(), kLargestBlocks);
  std::partial_sort(alive.begin(), alive.begin() + static_cast<ptrdiff_t>(shown), alive.end(),
                    [&](uint32_t a, uint32_t b) {
                      return rows[a].bytes != rows[b].bytes ? rows[a].bytes > rows[b].bytes : a < b;
                    });
  for (size_t i = 0; i < shown; ++i) peak.blocks.push_back(rows[alive[i]]);
  return peak;
}

}  // namespace telltale
