// SPDX-License-Identifier: Apache-2.0
//
// Compares a measured value with its budget.
#pragma once

#include <algorithm>
#include <cstdio>
#include <vector>

namespace flarestack::bench {

inline double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

inline bool Judge(const char* what, double value, double budget) {
  const bool is_met = value <= budget;
  std::printf("  %-44s %10.5f  budget %10.5f  ratio %5.2f  %s\n", what, value, budget,
              value / budget, is_met ? "met" : "MISSED");
  return is_met;
}

}  // namespace flarestack::bench
