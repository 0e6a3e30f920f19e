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

namespace flarestack::base {

class Counters {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  void Add(std::string_view name, std::initializer_list<Label> labels, uint64_t count);

  // In the text format of Prometheus, sorted.
  std::string Text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::string, uint64_t>, std::less<>>
      counts_;  // by name and labels
};

// `name{a="b"}`; values are escaped as the text format wants it.
std::string LabelText(std::initializer_list<Counters::Label> labels);

}  // namespace flarestack::base
