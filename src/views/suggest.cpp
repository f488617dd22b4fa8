// SPDX-License-Identifier: Apache-2.0
#include "views/suggest.h"

#include <algorithm>
#include <vector>

namespace telltale {

size_t EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the table are alive: the one being filled and the two above it.
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates) {
  // A word of n letters may be wrong in about a third of them.
  const size_t tolerance = std::max<size_t>(1, std::min<size_t>(word.size(), 64) / 3);
  std::string_view best;
  size_t best_distance = tolerance + 1;
  if (word.empty() || word.size() > 64) return best;
  for (const std::string_view candidate : candidates) {
    size_t distance = EditDistance(word, candidate);
    if (word.size() >= 2 && candidate.starts_with(word)) distance = std::min<size_t>(distance, 1);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates,
                       std::string_view prefix) {
  const std::string_view nearest = Nearest(word, candidates);
  if (nearest.empty()) return "";
  return "; did you mean '" + std::string(prefix) + std::string(nearest) + "'?";
}

}  // namespace telltale
