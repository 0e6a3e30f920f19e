// SPDX-License-Identifier: Apache-2.0
#include "cli/command/closest_word.h"

#include <algorithm>
#include <vector>

namespace flarestack::cli {
namespace {

constexpr size_t kWordBytesMax = 64;

// Optimal string alignment distance.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j)
    cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string ClosestWord(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > kWordBytesMax)
    return "";
  size_t best = std::max<size_t>(word.size() / 3, 1) + 1;
  std::string closest;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kWordBytesMax)
      continue;
    if (const size_t distance = EditDistance(word, candidate); distance < best) {
      best = distance;
      closest = candidate;
    }
  }
  return closest;
}

}  // namespace flarestack::cli
