// SPDX-License-Identifier: Apache-2.0
//
// Decodes the parts that all OTLP signals encode in the same way: attribute values, resources and
// scopes. Private to codec/otlp.
#pragma once

#include <string_view>
#include <vector>

#include "codec/otlp/values/protobuf_state.h"
#include "model/any_value.h"
#include "model/resource.h"

namespace flarestack::codec::otlp {

// Whether a string may be given by its index in a string table, which only profiles have. In other
// signals such a field is unknown.
enum class StringReferences { kTaken, kSkipped };

class ProtobufValueDecoder {
 public:
  // Both must outlive the decoder.
  ProtobufValueDecoder(ProtobufState* state, std::vector<model::KeyValue>* nodes,
                       StringReferences references)
      : state_(*state), nodes_(*nodes), references_(references) {}

  // A list is all elements of `field` in the message `list`. Its nodes must be contiguous although
  // each may add further nodes, so space for all of them is reserved before the first is decoded.
  model::Slice DecodeNodes(std::string_view list, uint32_t field, bool are_key_values,
                           uint32_t depth);
  void DecodeKeyValue(std::string_view bytes, uint32_t depth, model::KeyValue* out);
  model::AnyValue DecodeAnyValue(std::string_view bytes, uint32_t depth);

 private:
  ProtobufState& state_;
  std::vector<model::KeyValue>& nodes_;
  StringReferences references_;
};

class ProtobufResourceDecoder {
 public:
  // The pools of a batch that resources and scopes need.
  struct Pools {
    std::vector<model::KeyValue>& nodes;
    std::vector<model::EntityRef>& entity_refs;
    std::vector<std::string_view>& entity_keys;
  };

  ProtobufResourceDecoder(ProtobufState* state, const Pools& pools, StringReferences references)
      : state_(*state), values_(state, &pools.nodes, references), pools_(pools) {}

  // Merge into the existing content, as protobuf does with a singular message that arrives twice.
  void DecodeResource(std::string_view bytes, model::Resource* resource);
  void DecodeScope(std::string_view bytes, model::InstrumentationScope* scope);

  ProtobufValueDecoder& values() { return values_; }

 private:
  void DecodeEntityRef(std::string_view bytes);

  ProtobufState& state_;
  ProtobufValueDecoder values_;
  Pools pools_;
  std::vector<std::string_view> entity_keys_;  // scratch
};

}  // namespace flarestack::codec::otlp
