// SPDX-License-Identifier: Apache-2.0
//
// How a whole message agrees with a layout. The profiles message has no version, so the layout is
// judged by evidence: a known field of another wire type, an index beyond its table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "codec/otlp/profiles/layout.h"

namespace flarestack::codec::otlp {

struct LayoutFit {
  // The first thing that the layout excludes, such as "Sample.link_index (field 3) as bytes";
  // empty: nothing.
  std::string contradiction;
  // It is on the wire, and not merely in the numbers: no writer of this layout makes such a field.
  bool is_wire_contradiction = false;
  uint64_t unknown_fields = 0;
  // Legal, but unusual: samples with attributes and neither values nor timestamps anywhere in the
  // message, or packed attributes beside single values that are not packed.
  std::string doubt;

  bool fits() const { return contradiction.empty(); }
};

LayoutFit FitLayout(std::string_view message, Layout layout);

// Today's layout, unless something in the message excludes it and an older one explains it all;
// unknown fields exclude nothing. kInvalidArgument, with what speaks against each, when no layout
// fits. Bytes that are no protobuf at all are judged as today's.
absl::StatusOr<Layout> JudgeLayout(std::string_view message);

}  // namespace flarestack::codec::otlp
