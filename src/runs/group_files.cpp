// SPDX-License-Identifier: Apache-2.0
#include "runs/group_files.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runs/trace_name.h"

namespace telltale {

namespace {

struct Placed {
  ListedFile listed;
  std::string folder;  // below the root; "" is the root itself
  std::string file_name;
  TraceName name;
  std::optional<int64_t> time_ns;  // by the digits of its name
  size_t span = 0;                 // 1-based; 0: the name has no digits
};

// The text without its rank: equal for all ranks of a capture.
std::string WithoutRank(std::string_view text) {
  const std::optional<RankInText> found = FindRank(text);
  std::string out(text);
  if (found) out.replace(found->at, found->length, "*");
  return out;
}

std::string LastPartWithoutRank(const std::string& folder) {
  const size_t slash = folder.rfind('/');
  if (slash == std::string::npos) return WithoutRank(folder);
  return folder.substr(0, slash + 1) + WithoutRank(std::string_view(folder).substr(slash + 1));
}

// torch writes milliseconds, newer versions nanoseconds.
std::optional<int64_t> TimeOf(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (digits.size() == 13) return value * 1'000'000;
  if (digits.size() == 16) return value * 1'000;
  if (digits.size() == 19) return value;
  return std::nullopt;
}

Placed Place(ListedFile listed) {
  Placed placed;
  const size_t slash = listed.relative.rfind('/');
  if (slash != std::string::npos) placed.folder = listed.relative.substr(0, slash);
  placed.file_name =
      slash == std::string::npos ? listed.relative : listed.relative.substr(slash + 1);
  placed.name = ParseTraceName(placed.file_name);
  placed.time_ns = TimeOf(placed.name.digits);
  placed.listed = std::move(listed);
  return placed;
}

std::string RootOf(const Placed& p) {
  return fmt::format("{}\n{}", p.listed.root_name, p.listed.root_number);
}

// The digit strings of a worker in one folder, in order, are its spans.
void NumberSpans(std::vector<Placed>& files) {
  std::map<std::tuple<std::string, std::string, std::string>, std::set<std::string>> digits;
  const auto key = [](const Placed& p) { return std::tuple(RootOf(p), p.folder, p.name.worker); };
  for (const Placed& p : files) {
    if (!p.name.digits.empty()) digits[key(p)].insert(p.name.digits);
  }
  for (Placed& p : files) {
    if (p.name.digits.empty()) continue;
    const std::set<std::string>& all = digits[key(p)];
    p.span = 1 + static_cast<size_t>(std::distance(all.begin(), all.find(p.name.digits)));
  }
}

// What the files of one capture have in common.
std::string CaptureOf(const Placed& p) {
  const bool is_trace = p.listed.kind.value_or(ContentKind::kTrace) == ContentKind::kTrace;
  const bool rank_in_name = FindRank(p.file_name).has_value();
  const std::string folder = rank_in_name ? p.folder : LastPartWithoutRank(p.folder);
  if (!is_trace) return fmt::format("{}/{}", p.folder, p.file_name);
  if (p.name.is_pt_trace) return fmt::format("{}\nspan {}", folder, p.span);
  return fmt::format("{}/{}", folder, WithoutRank(p.file_name));
}

// Cuts files of one key where the same rank or worker comes again, or time jumps.
std::vector<std::vector<Placed>> SplitByTime(std::vector<Placed> files) {
  std::stable_sort(files.begin(), files.end(),
                   [](const Placed& a, const Placed& b) { return a.time_ns < b.time_ns; });
  std::vector<std::vector<Placed>> groups;
  std::set<std::string> workers;
  std::set<int64_t> ranks;
  for (Placed& p : files) {
    const std::optional<int64_t> rank = p.listed.file.rank;
    const std::string worker = p.folder + "/" + (p.name.is_pt_trace ? p.name.worker : p.file_name);
    bool starts = groups.empty() || workers.contains(worker) || (rank && ranks.contains(*rank));
    if (!starts && p.time_ns && groups.back().back().time_ns) {
      starts = *p.time_ns - *groups.back().back().time_ns > kSameCaptureNs;
    }
    if (starts) {
      groups.emplace_back();
      workers.clear();
      ranks.clear();
    }
    workers.insert(worker);
    if (rank) ranks.insert(*rank);
    groups.back().push_back(std::move(p));
  }
  return groups;
}

// Short, and the same on every machine and in every run.
std::string IdOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  hash ^= hash >> 32U;
  static constexpr std::string_view kLetters = "0123456789abcdefghjkmnpqrstvwxyz";
  std::string id;
  for (int i = 0; i < 8; ++i, hash >>= 5U) id += kLetters[hash & 31U];
  return id;
}

std::string Join(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return std::string(a) + std::string(b);
  return fmt::format("{}/{}", a, b);
}

std::string NameOfGroup(const std::vector<Placed>& group, bool alone_in_folder) {
  const Placed& first = group.front();
  const std::string folder = Join(
      first.listed.root_name, group.size() > 1 ? LastPartWithoutRank(first.folder) : first.folder);
  if (group.size() == 1) return Join(folder, first.name.worker);
  if (!first.name.is_pt_trace) return Join(folder, WithoutRank(first.name.worker));
  return alone_in_folder ? folder : fmt::format("{} span {}", folder, first.span);
}

}  // namespace

std::vector<FoundProfile> GroupFiles(std::vector<ListedFile> files) {
  std::vector<Placed> placed;
  for (ListedFile& file : files) placed.push_back(Place(std::move(file)));
  NumberSpans(placed);

  std::map<std::string, std::vector<Placed>> captures;
  for (Placed& p : placed) {
    captures[fmt::format("{}\n{}", RootOf(p), CaptureOf(p))].push_back(std::move(p));
  }
  const auto folder_of = [](const Placed& p) {
    return std::pair(RootOf(p), LastPartWithoutRank(p.folder));
  };
  std::map<std::pair<std::string, std::string>, size_t> in_folder;  // captures
  std::vector<std::pair<FoundProfile, Placed>> found;
  std::set<std::string> ids;
  std::vector<std::vector<Placed>> groups;
  std::vector<std::string> keys;
  for (auto& [key, members] : captures) {
    size_t number = 0;
    for (std::vector<Placed>& group : SplitByTime(std::move(members))) {
      std::stable_sort(group.begin(), group.end(), [](const Placed& a, const Placed& b) {
        return NaturalOrder(a.listed.relative, b.listed.relative) < 0;
      });
      keys.push_back(fmt::format("{}\n{}", key, number++));
      ++in_folder[folder_of(group.front())];
      groups.push_back(std::move(group));
    }
  }
  std::map<std::string, size_t> names;
  for (size_t g = 0; g < groups.size(); ++g) {
    std::vector<Placed>& group = groups[g];
    FoundProfile profile;
    profile.id = IdOf(keys[g]);
    // One in 2^40 pairs; the order of the keys decides.
    while (!ids.insert(profile.id).second) profile.id = IdOf(profile.id + keys[g]);
    profile.name = NameOfGroup(group, in_folder[folder_of(group.front())] == 1);
    profile.folder = Join(group.front().listed.root_name, group.front().folder);
    profile.kind = group.front().listed.kind;
    for (const Placed& p : group) {
      profile.files.push_back(p.listed.file);
      if (!profile.kind) profile.kind = p.listed.kind;
    }
    ++names[profile.name];
    found.emplace_back(std::move(profile), std::move(group.front()));
  }
  for (auto& [profile, first] : found) {
    if (names[profile.name] < 2) continue;
    if (profile.files.size() == 1) {
      profile.name = Join(profile.folder, first.file_name);
    } else {
      profile.name += fmt::format(" {}", first.name.digits);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return NaturalOrder(a.first.name, b.first.name) < 0;
  });
  std::vector<FoundProfile> profiles;
  for (auto& [profile, first] : found) profiles.push_back(std::move(profile));
  return profiles;
}

}  // namespace telltale
