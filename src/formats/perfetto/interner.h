// SPDX-License-Identifier: Apache-2.0
// The names of one packet sequence: each text is written once, with a number, in the packet that
// uses it first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/protobuf.h"
#include "formats/perfetto/fields.h"

namespace telltale::perfetto {

class Interner {
 public:
  // `field` of InternedData takes the entries.
  explicit Interner(uint32_t field) : field_(field) {}

  // The number of a text; a new one is added to `fresh`, the fields of an InternedData message.
  uint64_t Id(std::string_view text, MessageWriter& fresh) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    const uint64_t id = ids_.size() + 1;
    ids_.emplace(text, id);
    bytes_ += text.size();
    const size_t entry = fresh.Begin(field_);
    fresh.Uint(interned::kIid, id);
    fresh.Bytes(interned::kText, text);
    fresh.End(entry);
    return id;
  }
  [[nodiscard]] bool Has(std::string_view text) const { return ids_.contains(text); }
  [[nodiscard]] size_t bytes() const { return bytes_; }

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  uint32_t field_;
  std::unordered_map<std::string, uint64_t, Hash, std::equal_to<>> ids_;
  size_t bytes_ = 0;
};

// All names of a sequence.
struct SequenceNames {
  Interner categories{interned::kCategories};
  Interner events{interned::kEventNames};
  Interner annotations{interned::kAnnotationNames};
  Interner strings{interned::kAnnotationStrings};
  MessageWriter fresh;  // entries not written yet
};

}  // namespace telltale::perfetto
