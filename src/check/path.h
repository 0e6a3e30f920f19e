// SPDX-License-Identifier: Apache-2.0
//
// Where something stands in a message: `dictionary.stack_table[4].location_indices[2]`.
//
// A path is a chain of steps on the stack of the functions that walk the message, so that taking a
// step costs a few words; text is made of it when something was found. A step refers to the one
// before it: keep that alive, and never chain two steps in one expression that outlives it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flarestack::check {

class Path {
 public:
  Path() = default;  // the message itself

  // `name` must outlive the path; it is a literal everywhere.
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
