// SPDX-License-Identifier: Apache-2.0
// Texts that a trace writes once and then names by number, kept in the words of JSON: each is
// quoted once, however often it is used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/kineto_json/arg_keys.h"
#include "formats/memory_meter.h"

namespace telltale::perfetto {

// Texts by number. Writers count up from 1, but any number is taken.
class TextTable {
 public:
  struct Found {
    std::string_view text;  // without data where the number is not known
    uint8_t tag = 0;
  };

  // `tag`: whatever the user of the table knows about the text.
  void Set(uint64_t iid, std::string text, uint8_t tag = 0) {
    text_bytes_ += text.size();  // replaced ones stay counted: nobody replaces many
    if (iid < dense_limit_) {
      if (iid >= dense_.size()) dense_.resize(static_cast<size_t>(iid) + 1);
      dense_[static_cast<size_t>(iid)] = {std::move(text), tag, true};
    } else {
      sparse_[iid] = {std::move(text), tag, true};
    }
    if (iid >= dense_.size() / 2) dense_limit_ = std::max(dense_limit_, dense_.size() * 4);
  }
  [[nodiscard]] Found Find(uint64_t iid) const {
    if (iid < dense_.size() && dense_[static_cast<size_t>(iid)].known) {
      const Entry& entry = dense_[static_cast<size_t>(iid)];
      return {entry.text, entry.tag};
    }
    const auto found = sparse_.find(iid);
    return found == sparse_.end() ? Found() : Found{found->second.text, found->second.tag};
  }
  [[nodiscard]] std::string_view Get(uint64_t iid) const { return Find(iid).text; }
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
    std::string text;
    uint8_t tag = 0;
    bool known = false;
  };
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
    kineto_json::ArgKey key = kineto_json::ArgKey::kCount;
  };
  // `text` is clean UTF-8.
  void SetName(uint64_t iid, std::string_view text);
  void SetString(uint64_t iid, std::string_view text);
  [[nodiscard]] Name GetName(uint64_t iid) const {
    const TextTable::Found found = names_.Find(iid);
    if (found.text.empty()) return {};
    return {found.text, static_cast<kineto_json::ArgKey>(found.tag)};
  }
  [[nodiscard]] size_t memory_bytes() const {
    return names_.memory_bytes() + strings_.memory_bytes();
  }
  // Is there a name that only our own writer uses?
  [[nodiscard]] bool has_extra_fields() const { return has_extra_fields_; }
  [[nodiscard]] std::string_view GetString(uint64_t iid) const { return strings_.Get(iid); }
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
