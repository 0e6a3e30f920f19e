// SPDX-License-Identifier: Apache-2.0
//
// Event counters by name and labels. Every drop is counted under a reason.
//
//   counters.Add("flarestack_rejected_total", {{"signal", "profiles"}, {"reason", "shape"}}, 3);
//
// Thread-safe. Our code chooses names and labels, never a sender.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace flarestack::base {

class Counters {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  void Add(std::string_view name, std::initializer_list<Label> labels, uint64_t count);

  // All counters in the Prometheus text format, sorted.
  std::string Text() const;

  struct Count {
    std::vector<std::pair<std::string, std::string>> labels;
    uint64_t value = 0;

    // Returns an empty view if there is no such label.
    std::string_view Label(std::string_view name) const;
  };
  // Returns the counts with this name, sorted by labels; empty if it was never counted.
  std::vector<Count> Find(std::string_view name) const;

 private:
  mutable Mutex mutex_;
  // By name and labels.
  std::map<std::string, std::map<std::string, Count>, std::less<>> counts_ FLARE_GUARDED_BY(mutex_);
};

// Formats labels as in `name{a="b"}`, with values escaped as the text format requires.
std::string LabelText(std::initializer_list<Counters::Label> labels);

}  // namespace flarestack::base
