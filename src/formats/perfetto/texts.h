// SPDX-License-Identifier: Apache-2.0
// Texts that a trace writes once and then names by number. Kept as JSON strings, because lists and
// objects of the columns are JSON: each is quoted once, however often it is used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/string_pool.h"
#include "formats/memory_meter.h"
#include "formats/trace_rows/arg_keys.h"

namespace telltale::perfetto {

struct JsonText {
  std::string json;                       // quoted
  mutable StringId interned = kNoString;  // by the RowBuilder, when it was needed
};

// Texts by number. Writers count up from 1, but any number is taken.
class TextTable {
 public:
  // `tag`: whatever the user of the table knows about the text.
  void Set(uint64_t iid, std::string json, uint8_t tag = 0) {
    text_bytes_ += json.size();  // replaced ones stay counted: nobody replaces many
    Entry entry{{std::move(json)}, tag, true};
    if (iid < dense_limit_) {
      if (iid >= dense_.size()) dense_.resize(static_cast<size_t>(iid) + 1);
      dense_[static_cast<size_t>(iid)] = std::move(entry);
    } else {
      sparse_[iid] = std::move(entry);
    }
    if (iid >= dense_.size() / 2) dense_limit_ = std::max(dense_limit_, dense_.size() * 4);
  }
  // nullptr where the number is not known.
  [[nodiscard]] const JsonText* Find(uint64_t iid) const {
    const Entry* entry = FindEntry(iid);
    return entry == nullptr ? nullptr : &entry->text;
  }
  [[nodiscard]] std::pair<const JsonText*, uint8_t> FindTagged(uint64_t iid) const {
    const Entry* entry = FindEntry(iid);
    if (entry == nullptr) return {nullptr, 0};
    return {&entry->text, entry->tag};
  }
  [[nodiscard]] size_t memory_bytes() const {
    return dense_.capacity() * sizeof(Entry) + MemoryOfNodes(sparse_) + text_bytes_;
  }
  void Clear() {
    dense_.clear();
    sparse_.clear();
    dense_limit_ = 256;
    text_bytes_ = 0;
  }

 private:
  struct Entry {
    JsonText text;
    uint8_t tag = 0;
    bool known = false;
  };
  [[nodiscard]] const Entry* FindEntry(uint64_t iid) const {
    if (iid < dense_.size() && dense_[static_cast<size_t>(iid)].known) {
      return &dense_[static_cast<size_t>(iid)];
    }
    const auto found = sparse_.find(iid);
    return found == sparse_.end() ? nullptr : &found->second;
  }

  size_t dense_limit_ = 256;  // numbers below stand in the list; grows only as the list fills
  std::vector<Entry> dense_;
  std::unordered_map<uint64_t, Entry> sparse_;
  size_t text_bytes_ = 0;
};

// What annotations are made of.
class AnnotationTexts {
 public:
  struct Name {
    std::string_view json;  // quoted; without data where the number is not known
    trace_rows::ArgKey key = trace_rows::ArgKey::kCount;
  };
  // `text` is clean UTF-8.
  void SetName(uint64_t iid, std::string_view text);
  void SetString(uint64_t iid, std::string_view text);
  [[nodiscard]] Name GetName(uint64_t iid) const {
    const auto [text, tag] = names_.FindTagged(iid);
    if (text == nullptr) return {};
    return {text->json, static_cast<trace_rows::ArgKey>(tag)};
  }
  [[nodiscard]] size_t memory_bytes() const {
    return names_.memory_bytes() + strings_.memory_bytes();
  }
  // Is there a name that only our own writer uses?
  [[nodiscard]] bool has_extra_fields() const { return has_extra_fields_; }
  // nullptr where the number is not known.
  [[nodiscard]] const JsonText* GetString(uint64_t iid) const { return strings_.Find(iid); }
  void Clear() {
    names_.Clear();
    strings_.Clear();
    has_extra_fields_ = false;
  }

 private:
  TextTable names_;  // tagged with their ArgKey
  TextTable strings_;
  bool has_extra_fields_ = false;
};

}  // namespace telltale::perfetto
