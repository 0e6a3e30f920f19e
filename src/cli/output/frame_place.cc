// SPDX-License-Identifier: Apache-2.0
#include "cli/output/frame_place.h"

#include <fmt/format.h>

namespace flarestack::cli {

std::string FramePlace(const query::FrameTable& table, query::FrameId id) {
  const query::Frame& frame = table.At(id);
  const std::string_view file = table.Text(frame.file);
  if (file.empty()) {
    const std::string_view module = table.Text(frame.module);
    return module.empty() || module.starts_with('[') ? std::string(module)
                                                     : fmt::format("[{}]", module);
  }
  const std::string_view name = file.substr(file.rfind('/') + 1);  // npos + 1 is 0
  return frame.line > 0 ? fmt::format("{}:{}", name, frame.line) : std::string(name);
}

}  // namespace flarestack::cli
