// SPDX-License-Identifier: Apache-2.0
//
// The origin of the data: the resource and the instrumentation scope, which enclose the items of
// every OTLP signal in the same way.
//
//   resources[i].scopes -> scopes[..], each with a slice of items
//
// Attributes are slices of the `nodes` pool of the batch (of Dictionary::nodes for profiles).
#pragma once

#include <cstdint>
#include <string_view>

#include "model/index.h"

namespace flarestack::model {

struct InstrumentationScope {
  bool present = false;  // whether the message contained an InstrumentationScope
  std::string_view name;
  std::string_view version;
  Slice attributes;
  uint32_t dropped_attributes_count = 0;
  std::string_view schema_url;  // from the message that encloses the scope and its items
};

struct EntityRef {
  std::string_view schema_url;
  std::string_view type;
  Slice id_keys;           // in the batch's entity_keys
  Slice description_keys;  // in the batch's entity_keys
};

struct Resource {
  bool present = false;
  Slice attributes;
  uint32_t dropped_attributes_count = 0;
  Slice entity_refs;
  std::string_view schema_url;  // from the message that encloses the resource and its scopes
  Slice scopes;
};

}  // namespace flarestack::model
