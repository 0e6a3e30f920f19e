// SPDX-License-Identifier: Apache-2.0
//
// The tree of traces, logs and metrics in protobuf. Their messages have the same shape down to the
// items:
//
//   request  { 1: ResourceX* }
//   ResourceX{ 1: Resource, 2: ScopeX*, 3: schema_url }
//   ScopeX   { 1: InstrumentationScope, 2: item*, 3: schema_url }
//
// Private to codec/otlp: use traces_protobuf.h, logs_protobuf.h, metrics_protobuf.h.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "codec/otlp/values/protobuf_state.h"
#include "codec/otlp/values/protobuf_value_decoder.h"
#include "codec/otlp/values/protobuf_value_encoder.h"
#include "codec/wire/reverse_writer.h"
#include "model/signal_batch.h"

namespace flarestack::codec::otlp {

class SignalDecoder {
 public:
  SignalDecoder(const SignalDecoder&) = delete;  // its members point to each other
  SignalDecoder& operator=(const SignalDecoder&) = delete;

  // Decodes into an empty batch. Call it once; ToStatus() returns the result.
  void DecodeRequest(std::string_view bytes);

  absl::Status ToStatus(std::string_view bytes, std::string_view what) const {
    return state_.ToStatus(bytes, what);
  }

 protected:
  SignalDecoder(const Limits& limits, model::SignalBatch* batch);
  ~SignalDecoder() = default;

  virtual void DecodeItem(std::string_view bytes) = 0;
  virtual uint32_t item_count() const = 0;

  // The KeyValue list in `field` of an item.
  model::Slice DecodeAttributes(std::string_view bytes, uint32_t field);
  model::AnyValue DecodeAnyValue(std::string_view bytes) {
    return resources_.values().DecodeAnyValue(bytes, 0);
  }

  // Returns false once a limit is reached.
  template <typename T>
  bool HasRoom(const std::vector<T>& pool, const char* what) {
    return state_.HasRoom(pool, state_.limits.items_max, what);
  }

  ProtobufState state_;

 private:
  void DecodeResourceItems(std::string_view bytes);
  void DecodeScopeItems(std::string_view bytes);

  model::SignalBatch& batch_;
  ProtobufResourceDecoder resources_;
};

class SignalEncoder {
 public:
  SignalEncoder(const SignalEncoder&) = delete;
  SignalEncoder& operator=(const SignalEncoder&) = delete;

  void Request();

 protected:
  SignalEncoder(const model::SignalBatch& batch, wire::ReverseWriter* out);
  ~SignalEncoder() = default;

  // Writes the fields of an item; the caller closes the message.
  virtual void Item(uint32_t index) = 0;

  ProtobufValueEncoder& values() { return resources_.values(); }

  wire::ReverseWriter& out_;

 private:
  void ResourceItems(const model::Resource& resource);
  void ScopeItems(const model::ItemScope& scope);

  const model::SignalBatch& batch_;
  ProtobufResourceEncoder resources_;
};

}  // namespace flarestack::codec::otlp
