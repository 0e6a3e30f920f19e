// SPDX-License-Identifier: Apache-2.0
//
// Measures how well a whole message matches a layout. The profiles message has no version, so the
// layout is judged by evidence: a known field with another wire type, an index beyond its table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "codec/otlp/profiles/layout.h"

namespace flarestack::codec::otlp {

struct LayoutFit {
  // The first violation of the layout, such as "Sample.link_index (field 3) as bytes"; empty if
  // there is none.
  std::string contradiction;
  // The violation is in the wire format, not only in the numbers: no writer of this layout produces
  // such a field.
  bool is_wire_contradiction = false;
  uint64_t unknown_fields = 0;
  // Legal but unusual: samples with attributes while no sample in the message has values or
  // timestamps, or packed attributes next to single values that are not packed.
  std::string doubt;

  bool fits() const { return contradiction.empty(); }
};

LayoutFit FitLayout(std::string_view message, Layout layout);

// Returns the current layout, unless the message contradicts it and an older layout explains all of
// it. Unknown fields are not a contradiction. Returns kInvalidArgument with the evidence against
// each layout if none fits. Bytes that are not protobuf count as the current layout.
absl::StatusOr<Layout> JudgeLayout(std::string_view message);

}  // namespace flarestack::codec::otlp
