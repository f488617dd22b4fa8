// SPDX-License-Identifier: Apache-2.0
// What is known of a profile, as a value: what the list says of it, and what is held of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runs/catalogue.h"
#include "server/open_profile.h"
#include "views/offered.h"

namespace telltale {

enum class ProfileState : uint8_t {
  kFound,    // not read yet, or no longer in memory
  kLoading,  // asked for
  kReady,
  kChanged,  // in memory, but the file is another by now: read again when asked for
  kFailed,   // could not be read
  kGone,     // deleted; what is in memory can still be seen
};
[[nodiscard]] std::string_view NameOf(ProfileState state);

struct ProfileStatus {
  ProfileStatus() = default;
  // `open`: what is in memory; may be null.
  ProfileStatus(const CatalogueEntry& entry, const OpenProfile* open);

  std::string id;
  std::string name;
  std::string folder;
  std::vector<std::string> paths;
  std::string_view kind;  // trace, functions, memory or mixed; empty: not known
  ProfileState state = ProfileState::kFound;
  bool growing = false;  // a file was different at the last two looks
  uint64_t bytes = 0;
  uint64_t loaded_bytes = 0;
  uint64_t total_bytes = 0;
  int64_t modified_ns = 0;  // since 1970: the latest of its files
  std::vector<int64_t> ranks;
  std::optional<uint64_t> events;          // once read
  std::vector<std::string_view> captured;  // once read: what traces hold
  std::vector<OfferedView> views;          // once read
  std::string_view first_view;  // once read: the one that is shown where none is asked for
  std::string error;            // of kFailed, for a person
  uint64_t generation = 0;      // how often it was read; 0: never
  // Which content of its files answers are made from, in whatever server; empty: it was never read.
  std::string content;
};

}  // namespace telltale
