// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/values/resource_protobuf.h"

#include "base/status.h"
#include "codec/otlp/values/protobuf_value_decoder.h"
#include "codec/otlp/values/protobuf_value_encoder.h"

namespace flarestack::codec::otlp {
namespace {

ProtobufResourceEncoder EncoderOf(const model::SignalBatch& batch, wire::ReverseWriter* out) {
  return {
      {.nodes = batch.nodes, .entity_refs = batch.entity_refs, .entity_keys = batch.entity_keys},
      out};
}

ProtobufResourceDecoder DecoderOf(ProtobufState* state, model::SignalBatch* batch) {
  return {
      state,
      {.nodes = batch->nodes, .entity_refs = batch->entity_refs, .entity_keys = batch->entity_keys},
      StringReferences::kSkipped};
}

}  // namespace

void EncodeResource(const model::SignalBatch& batch, const model::Resource& resource,
                    wire::ReverseWriter* out) {
  EncoderOf(batch, out).Resource(resource);
}

void EncodeScope(const model::SignalBatch& batch, const model::InstrumentationScope& scope,
                 wire::ReverseWriter* out) {
  EncoderOf(batch, out).Scope(scope);
}

absl::Status DecodeResource(std::string_view bytes, const Limits& limits,
                            model::SignalBatch* batch) {
  ProtobufState state(limits);
  model::Resource resource;
  DecoderOf(&state, batch).DecodeResource(bytes, &resource);
  FLARE_RETURN_IF_ERROR(state.ToStatus(bytes, "Resource"));
  batch->resources.push_back(resource);
  return absl::OkStatus();
}

absl::Status DecodeScope(std::string_view bytes, const Limits& limits, model::SignalBatch* batch) {
  ProtobufState state(limits);
  model::ItemScope scope;
  DecoderOf(&state, batch).DecodeScope(bytes, &scope);
  FLARE_RETURN_IF_ERROR(state.ToStatus(bytes, "InstrumentationScope"));
  batch->scopes.push_back(scope);
  return absl::OkStatus();
}

}  // namespace flarestack::codec::otlp
