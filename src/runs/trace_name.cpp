// SPDX-License-Identifier: Apache-2.0
#include "runs/trace_name.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "base/digits.h"

namespace telltale {

namespace fs = std::filesystem;

namespace {

bool RemoveSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

std::strong_ordering NaturalOrder(std::string_view a, std::string_view b) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!IsDigit(a[i]) || !IsDigit(b[j])) {
      if (a[i] != b[j]) {
        return static_cast<unsigned char>(a[i]) <=> static_cast<unsigned char>(b[j]);
      }
      ++i, ++j;
      continue;
    }
    const auto number = [](std::string_view text, size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const size_t start = at;
      while (at < text.size() && IsDigit(text[at])) ++at;
      return text.substr(start, at - start);
    };
    const std::string_view m = number(a, i);
    const std::string_view n = number(b, j);
    if (m.size() != n.size()) return m.size() <=> n.size();
    if (m != n) return m <=> n;
  }
  if (const auto order = (a.size() - i) <=> (b.size() - j); order != 0) return order;
  return a <=> b;
}

std::optional<RankInText> FindRank(std::string_view text) {
  const auto lower = [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(), lower);
  constexpr std::string_view kWord = "rank";
  for (size_t at = folded.find(kWord); at != std::string::npos; at = folded.find(kWord, at + 1)) {
    if (at > 0 && std::isalpha(static_cast<unsigned char>(folded[at - 1])) != 0) continue;
    const std::string_view before = std::string_view(folded).substr(0, at);
    if (before.ends_with("local_") || before.ends_with("local-")) continue;
    size_t digits = at + kWord.size();
    if (digits < folded.size() &&
        std::string_view("-_=").find(folded[digits]) != std::string::npos) {
      ++digits;
    }
    int64_t rank = 0;
    const char* begin = folded.data() + digits;
    const char* end = folded.data() + folded.size();
    if (begin == end || !IsDigit(*begin)) continue;
    const auto [last, error] = std::from_chars(begin, end, rank);
    if (error != std::errc()) continue;
    return RankInText{digits, static_cast<size_t>(last - begin), rank};
  }
  return std::nullopt;
}

TraceName ParseTraceName(std::string_view file_name) {
  TraceName name;
  std::string_view stem = file_name;
  if (!RemoveSuffix(stem, ".gz")) RemoveSuffix(stem, ".zst");
  name.is_json = RemoveSuffix(stem, ".json");
  name.is_perfetto =
      !name.is_json && (RemoveSuffix(stem, ".pftrace") || RemoveSuffix(stem, ".perfetto-trace"));
  if (name.is_json && RemoveSuffix(stem, ".pt.trace")) {
    size_t digits = stem.size();
    while (digits > 0 && IsDigit(stem[digits - 1])) --digits;
    if (digits < stem.size() && digits > 1 && stem[digits - 1] == '.') {
      name.digits = stem.substr(digits);
      stem.remove_suffix(stem.size() - digits + 1);
    }
    name.is_pt_trace = !stem.empty();
  }
  name.worker = stem.empty() ? file_name : stem;
  return name;
}

std::optional<int64_t> RankFromPath(std::string_view path) {
  const fs::path whole(path);
  if (const auto found = FindRank(whole.filename().string())) return found->rank;
  const auto found = FindRank(whole.parent_path().filename().string());
  return found ? std::optional(found->rank) : std::nullopt;
}

}  // namespace telltale
