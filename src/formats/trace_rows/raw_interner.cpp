// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_rows/raw_interner.h"

#include <cstring>

#include "base/json/text.h"

namespace telltale::trace_rows {

std::string_view RawInterner::Texts::Keep(std::string_view text) {
  owned_.push_back(std::make_unique_for_overwrite<char[]>(text.size()));
  std::memcpy(owned_.back().get(), text.data(), text.size());
  return {owned_.back().get(), text.size()};
}

void RawInterner::Insert(uint32_t raw_id, uint64_t hash) {
  const size_t mask = slots_.size() - 1;
  size_t i = hash & mask;
  while (slots_[i].raw_plus_one != 0) i = (i + 1) & mask;
  slots_[i] = {static_cast<uint32_t>(hash >> 32), raw_id + 1};
}

Interned RawInterner::Add(std::string_view raw, uint64_t hash) {
  CleanText clean;
  if (content_ == Content::kString) {
    clean = Unescape(raw);
  } else {
    clean.text = CompactJson(raw);
  }
  const StringId id = pool_.Intern(clean.text);
  const std::string_view pooled = pool_.Get(id);
  raws_.Add(pooled == raw ? pooled : raws_.Keep(raw));
  clean_.push_back({id, clean.flaws});

  const uint32_t raw_id = raws_.size() - 1;
  if (size_t{raws_.size()} * 2 > slots_.size()) {
    slots_.assign(slots_.size() * 2, Slot{});
    for (uint32_t r = 0; r < raw_id; ++r) Insert(r, StringPool::Hash(raws_.Get(StringId{r})));
  }
  Insert(raw_id, hash);
  return clean_.back();
}

}  // namespace telltale::trace_rows
