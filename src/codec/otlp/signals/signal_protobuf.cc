// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/signals/signal_protobuf.h"

#include <algorithm>

namespace flarestack::codec::otlp {

using wire::kBytes;
using wire::Reader;
using wire::Tag;

SignalDecoder::SignalDecoder(const Limits& limits, model::SignalBatch* batch)
    : state_(limits),
      batch_(*batch),
      resources_(&state_,
                 {.nodes = batch->nodes,
                  .entity_refs = batch->entity_refs,
                  .entity_keys = batch->entity_keys},
                 StringReferences::kSkipped) {}

void SignalDecoder::DecodeRequest(std::string_view bytes) {
  const Limits& limits = state_.limits;
  // Every counted item needs at least one byte, and lists may be stored twice.
  state_.fits_every_limit =
      bytes.size() <
      std::min({limits.table_entries_max, limits.items_max, limits.list_elements_max}) / 2;
  for (Reader in(bytes, &state_.fault); in.Next();) {
    if (in.tag() == Tag(1, kBytes)) {
      DecodeResourceItems(in.Bytes());
    } else {
      in.Skip();
    }
  }
}

void SignalDecoder::DecodeResourceItems(std::string_view bytes) {
  if (!state_.HasRoom(batch_.resources, state_.limits.table_entries_max, "resources"))
    return;
  model::Resource resource;
  const uint32_t scopes_begin = SizeOf(batch_.scopes);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        resources_.DecodeResource(in.Bytes(), &resource);
        break;
      case Tag(2, kBytes):
        DecodeScopeItems(in.Bytes());
        break;
      case Tag(3, kBytes):
        resource.schema_url = in.Bytes();
        break;
      default:
        in.Skip();
    }
  }
  resource.scopes = SliceFrom(scopes_begin, batch_.scopes);
  batch_.resources.push_back(resource);
}

void SignalDecoder::DecodeScopeItems(std::string_view bytes) {
  if (!state_.HasRoom(batch_.scopes, state_.limits.table_entries_max, "scopes"))
    return;
  model::ItemScope scope;
  scope.items.begin = item_count();
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        resources_.DecodeScope(in.Bytes(), &scope);
        break;
      case Tag(2, kBytes):
        DecodeItem(in.Bytes());
        break;
      case Tag(3, kBytes):
        scope.schema_url = in.Bytes();
        break;
      default:
        in.Skip();
    }
  }
  scope.items.count = item_count() - scope.items.begin;
  batch_.scopes.push_back(scope);
}

model::Slice SignalDecoder::DecodeAttributes(std::string_view bytes, uint32_t field) {
  const model::Slice slice =
      resources_.values().DecodeNodes(bytes, field, /*are_key_values=*/true, 0);
  if (slice.count > state_.limits.attributes_per_item_max)
    state_.MeetLimit("attributes of one item");
  return slice;
}

SignalEncoder::SignalEncoder(const model::SignalBatch& batch, wire::ReverseWriter* out)
    : out_(*out),
      batch_(batch),
      resources_({.nodes = batch.nodes,
                  .entity_refs = batch.entity_refs,
                  .entity_keys = batch.entity_keys},
                 out) {}

void SignalEncoder::Request() {
  for (size_t i = batch_.resources.size(); i-- > 0;)
    ResourceItems(batch_.resources[i]);
}

void SignalEncoder::ResourceItems(const model::Resource& resource) {
  const size_t outer_end = out_.size();
  out_.BytesUnlessEmpty(3, resource.schema_url);
  for (uint32_t i = resource.scopes.count; i-- > 0;)
    ScopeItems(batch_.scopes[resource.scopes.begin + i]);
  if (resource.present) {
    const size_t end = out_.size();
    resources_.Resource(resource);
    out_.CloseMessage(1, end);
  }
  out_.CloseMessage(1, outer_end);
}

void SignalEncoder::ScopeItems(const model::ItemScope& scope) {
  const size_t outer_end = out_.size();
  out_.BytesUnlessEmpty(3, scope.schema_url);
  for (uint32_t i = scope.items.count; i-- > 0;) {
    const size_t end = out_.size();
    Item(scope.items.begin + i);
    out_.CloseMessage(2, end);
  }
  if (scope.present) {
    const size_t end = out_.size();
    resources_.Scope(scope);
    out_.CloseMessage(1, end);
  }
  out_.CloseMessage(2, outer_end);
}

}  // namespace flarestack::codec::otlp
