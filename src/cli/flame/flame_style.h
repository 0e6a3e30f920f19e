// SPDX-License-Identifier: Apache-2.0
//
// Colours, marks and descriptions of flame graph boxes. FlameView does the layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/call_tree.h"

namespace flarestack::cli {

class FlameStyle {
 public:
  virtual ~FlameStyle() = default;

  virtual int ColourOf(uint32_t node) const = 0;  // one of 256, readable with black text
  virtual char EdgeOf(uint32_t node) const = 0;   // the first column of the box
  virtual char fill() const = 0;                  // follows the name if there are no colours

  // The line about the box under the cursor.
  virtual std::string Describe(uint32_t node, uint32_t zoom) const = 0;
};

// One profile: colours by frame type and name, "name: total, % of all, % of zoomed, self".
class CostStyle : public FlameStyle {
 public:
  // The tree must outlive the style.
  CostStyle(const model::CallTree& tree, std::string_view unit) : tree_(tree), unit_(unit) {}

  int ColourOf(uint32_t node) const override;
  char EdgeOf(uint32_t) const override { return '|'; }
  char fill() const override { return '-'; }
  std::string Describe(uint32_t node, uint32_t zoom) const override;

 private:
  const model::CallTree& tree_;
  std::string unit_;
};

}  // namespace flarestack::cli
