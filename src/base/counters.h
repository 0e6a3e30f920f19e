// SPDX-License-Identifier: Apache-2.0
//
// Counts of what happened, by name and labels: each drop has a reason, and each reason a number.
//
//   counters.Add("flarestack_rejected_total", {{"signal", "profiles"}, {"reason", "shape"}}, 3);
//
// Thread-safe. Names and labels are chosen by us, never by a sender.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flarestack::base {

class Counters {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  void Add(std::string_view name, std::initializer_list<Label> labels, uint64_t count);

  // In the text format of Prometheus, sorted.
  std::string Text() const;

  struct Count {
    std::vector<std::pair<std::string, std::string>> labels;
    uint64_t value = 0;

    // Empty where there is no such label.
    std::string_view Label(std::string_view name) const;
  };
  // Those of one name, sorted by labels; none where it was never counted.
  std::vector<Count> Find(std::string_view name) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::string, Count>, std::less<>> counts_;  // by name and labels
};

// `name{a="b"}`; values are escaped as the text format wants it.
std::string LabelText(std::initializer_list<Counters::Label> labels);

}  // namespace flarestack::base
