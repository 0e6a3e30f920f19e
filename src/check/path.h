// SPDX-License-Identifier: Apache-2.0
//
// A position in a message: `dictionary.stack_table[4].location_indices[2]`.
//
// A path is a chain of steps on the call stack of the functions that walk the message, so a step
// costs only a few words; the text is built only for a finding. A step points to the previous step:
// keep that alive, and never chain two steps in one expression that outlives it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flarestack::check {

class Path {
 public:
  Path() = default;  // the message itself

  // `name` must outlive the path; all callers pass a literal.
  Path Field(std::string_view name) const { return {this, name, kNoIndex}; }
  Path Item(std::string_view name, size_t index) const { return {this, name, index}; }

  std::string Text() const;

 private:
  static constexpr size_t kNoIndex = static_cast<size_t>(-1);
  Path(const Path* before, std::string_view name, size_t index)
      : before_(before), name_(name), index_(index) {}

  const Path* before_ = nullptr;
  std::string_view name_;
  size_t index_ = kNoIndex;
};

}  // namespace flarestack::check
