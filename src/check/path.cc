// SPDX-License-Identifier: Apache-2.0
#include "check/path.h"

#include <vector>

#include "base/text/text.h"

namespace flarestack::check {

std::string Path::Text() const {
  std::vector<const Path*> steps;
  for (const Path* step = this; step != nullptr; step = step->before_)
    steps.push_back(step);
  std::string text;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if ((*step)->name_.empty())
      continue;
    if (!text.empty())
      text += '.';
    text += (*step)->name_;
    if ((*step)->index_ != kNoIndex)
      base::StrAppend(&text, "[", (*step)->index_, "]");
  }
  return text;
}

}  // namespace flarestack::check
