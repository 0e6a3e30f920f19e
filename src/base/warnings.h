// SPDX-License-Identifier: Apache-2.0
//
// Warnings for the user about data that a reader or writer had to change or omit. The first few of
// each kind are kept as text and the rest are counted, so that a bad file with a million samples
// gives three lines and a number.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::base {

class Warnings {
 public:
  struct Kind {
    uint64_t count = 0;
    std::vector<std::string> examples;
  };

  // `kind` is a short sentence without values ("mapping id without a mapping"); `detail` says where
  // and what.
  void Add(std::string_view kind, std::string_view detail) {
    auto it = kinds_.find(kind);
    if (it == kinds_.end()) {
      it = kinds_.emplace(std::string(kind), Kind{}).first;
    }
    if (it->second.count++ < kExamplesMax) {
      it->second.examples.emplace_back(detail);
    }
  }

  const std::map<std::string, Kind, std::less<>>& kinds() const { return kinds_; }
  bool empty() const { return kinds_.empty(); }

 private:
  static constexpr uint64_t kExamplesMax = 3;
  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace flarestack::base
