// SPDX-License-Identifier: Apache-2.0
//
// Encodes the parts that are the same in all OTLP signals: attribute values, resources and scopes.
// Written from the end, see wire/reverse_writer.h. Private to codec/otlp.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "codec/wire/reverse_writer.h"
#include "model/any_value.h"
#include "model/resource.h"

namespace flarestack::codec::otlp {

class ProtobufValueEncoder {
 public:
  ProtobufValueEncoder(const std::vector<model::KeyValue>& nodes, wire::ReverseWriter* out)
      : nodes_(nodes), out_(*out) {}

  // An AnyValue as a field, and a list of KeyValue. An empty value is written too.
  void Value(uint32_t field, const model::AnyValue& value);
  void KeyValues(uint32_t field, model::Slice nodes);

 private:
  const std::vector<model::KeyValue>& nodes_;
  wire::ReverseWriter& out_;
};

class ProtobufResourceEncoder {
 public:
  struct Pools {
    const std::vector<model::KeyValue>& nodes;
    const std::vector<model::EntityRef>& entity_refs;
    const std::vector<std::string_view>& entity_keys;
  };

  ProtobufResourceEncoder(const Pools& pools, wire::ReverseWriter* out)
      : pools_(pools), out_(*out), values_(pools.nodes, out) {}

  // Write the fields of the message; the caller closes it.
  void Resource(const model::Resource& resource);
  void Scope(const model::InstrumentationScope& scope);

  ProtobufValueEncoder& values() { return values_; }

 private:
  void EntityRef(const model::EntityRef& ref);

  Pools pools_;
  wire::ReverseWriter& out_;
  ProtobufValueEncoder values_;
};

}  // namespace flarestack::codec::otlp
